// Was it done? Each lesson is judged from what the engine has answered to the page: [done, what is there so far].
// `seen` is the page: example, points, labels, run, verdict, relatives, on, options, logic, tool and what was filled in.

const ANOTHER = [false, "The run is another one than the lesson speaks of: open the lesson anew."];
// The first moments of a run, if a line moved at each of them because of one row.
const updates = (run, count) => {
  const first = run.moments.slice(0, count);
  return first.length === count && first.every((moment) => moment.after && moment.moved.length) ? first : null;
};

export const CHECKS = {
  unit({ run }) {
    return [run.begins.errors === 0, `The unit is wrong at ${counted(run.begins.errors, "corner")}.`];
  },
  rule({ run, filled }) {
    const [first] = updates(run, 1) ?? [];
    if (!first) return ANOTHER;
    return together([same(filled.score, [first.moved[0].score]), same(filled.weights, first.after[0])]);
  },
  and({ run, filled }) {
    const names = Object.keys(filled), moments = updates(run, names.length);
    return moments ? together(names.map((k) => same(filled[k], moments[Number(k) - 1].after[0]))) : ANOTHER;
  },
  theorem({ verdict, run, labels }) {
    const theorem = verdict?.theorem, enough = [0, 1].every((k) => labels.filter((label) => label === k).length >= 2);
    if (!theorem) return [false, "There is a bound only where a line separates the classes."];
    const bound = Math.floor(verdict.mistake_bound * (1 + 1e-9)), kept = theorem.holds && run.n_mistakes <= bound;
    if (!enough) return [false, "Too few points are left: two of each class are needed."];
    return [bound <= 10 && kept, `The theorem allows ${counted(bound, "mistake")}; the rule made ${run.n_mistakes}.`];
  },
  losses({ tool }) {
    if (!tool?.losses) return [false, ""];
    const at = Object.fromEntries(tool.losses.map((loss) => [loss.name, loss.value]));
    return [at.zero_one === 0 && at.perceptron === 0 && at.hinge > 0, at.zero_one ? "Here the row is a mistake." : `Here the hinge loss is ${round(at.hinge)}.`];
  },
  subgradients({ tool }) {
    if (!tool?.subgradients) return [false, ""];
    const [low, high] = tool.subgradients, below = low < tool.slope && tool.slope < high;
    return [below, `With g = ${round(tool.slope)} the line ${tool.slope > high || tool.slope < low ? "rises above the curve" : "lies on one arm of the curve"}.`];
  },
  inseparable({ verdict, labels, filled }) {
    if (verdict?.kind !== "inseparable") return [false, "These points are not XOR any more: open the lesson anew."];
    const rows = (k) => verdict.rows.filter((row) => labels[row] === k);
    return together([
      same(filled.positive, rows(1), true), same(filled["positive middle"], verdict.meets),
      same(filled.negative, rows(0), true), same(filled["negative middle"], verdict.meets),
    ]);
  },
  features({ run, options }) {
    const degree = options.degree ?? 1, ends = run.status === "separated";
    if (options.kernel) return [false, "That is a kernel, and the next lesson: choose none."];
    if (ends && degree > 2) return [false, "The rule ends, but a lower degree will do."]; // 1 will not: that is proven on the page
    return [ends && degree === 2, `With degree ${degree} there is no clean epoch: ${counted(run.n_mistakes, "mistake")} in ${counted(run.n_iter, "epoch")}.`];
  },
  kernels({ run, options }) {
    if (!options.kernel) return [false, "There is no kernel now: choose rbf."];
    return [run.status === "separated", `No clean epoch yet: ${counted(run.n_mistakes, "mistake")} in ${counted(run.n_iter, "epoch")}.`];
  },
  gates({ logic }) {
    if (!logic?.made) return [false, ""];
    const { made, text, wrong } = logic, plain = !/xor|\^|!=|⊕|≠/i.test(text) && made.inputs.length === 2;
    if (wrong) return [false, "The expression cannot be read yet."];
    const right = made.outputs.join("") === "0110";
    if (!right || !plain) return [false, right ? "That is XOR: now write it with &, | and ~ alone." : `Its outputs are ${made.outputs.join(" ")}, and XOR's are 0 1 1 0.`];
    return [made.signals[logic.row][made.output] === 1, "That is XOR. Set the inputs so that it fires."];
  },
  networks({ tool, verdict }) {
    if (!tool?.learned) return [false, "Nothing has been learned yet."];
    const { units, errors } = tool.learned;
    return [verdict?.kind === "inseparable" && units === 2 && errors === 0, errors ? `With ${counted(units, "unit")}, ${counted(errors, "error")} left.` : "No error is left, but fewer units can do it."];
  },
  multiclass({ run, labels }) {
    const all = new Set(labels).size > 2 && run.scheme !== "ovr";
    return [all && run.kept.errors === 0, `${run.scheme}: ${counted(run.kept.errors, "error")} on ${labels.length} points.`];
  },
  spam({ tool }) {
    if (!tool?.decided) return [false, "No message has been decided yet."];
    const { label, known } = tool.decided, long = tool.text.trim().split(/\s+/).length >= 5 && known >= 3;
    return [label === "spam" && long, long ? `The unit takes it for ${label}.` : "Five words are needed, of which it knows three."];
  },
  logistic({ relatives, on, labels }) {
    const wanted = ["Adaline", "logistic unit", "maximum margin"], missing = wanted.filter((name) => !on.has(name));
    if (!relatives) return [false, ""];
    if ([0, 1].some((k) => labels.filter((label) => label === k).length < 3)) return [false, "Too few points are left: three of each class are needed."];
    const errors = Object.fromEntries(relatives.lines.map((line) => [line.name, line.errors]));
    if (missing.length) return [false, `Still to be switched on: ${missing.join(", ")}.`];
    return [wanted.every((name) => errors[name] === 0), `Adaline makes ${counted(errors.Adaline, "error")}.`];
  },
};

// Numbers as they were written: spaces, commas and brackets do not matter, nor does the kind of minus.
export function numbers(text) {
  return (text ?? "").replaceAll("−", "-").split(/[^0-9.eE/+-]+/).filter(Boolean).map((word) => word.split("/").map(Number).reduce((a, b) => a / b));
}
function same(text, wanted, anyOrder = false) {
  const given = numbers(text), sorted = (list) => (anyOrder ? [...list].sort((a, b) => a - b) : list);
  if (!given.length) return null;
  return given.length === wanted.length && sorted(given).every((value, i) => Math.abs(value - sorted(wanted)[i]) < 1e-9);
}
// Which of the entries are right; an empty one is not wrong yet.
function together(entries) {
  const right = entries.filter((one) => one === true).length, wrong = entries.filter((one) => one === false).length;
  return [right === entries.length, `${right} of ${entries.length} right${wrong ? `, ${wrong} not` : ""}.`, entries];
}
const counted = (many, what) => `${many} ${what}${many === 1 ? "" : "s"}`;
const round = (value) => String(Number(value.toFixed(3))).replace("-", "−");
