// What the checks share. A check returns [done, a sentence on the progress, which fields are right].

import { count } from "../../dom.js";

export { count };

export const OTHER_RUN = [false, "This is not the run of the lesson any more: open the lesson again."];

// The first moments of a run, if the weights are shown and changed because of one row; else null.
export function firstUpdates(run, n) {
  const first = run.moments.slice(0, n);
  return first.length === n && first.every((moment) => moment.after && moment.steps.length) ? first : null;
}
// Whether these numbers were written. Spaces, commas, brackets and the kind of minus do not matter; an empty field is null.
export function isWritten(text, expected, { anyOrder = false, tolerance = 1e-9 } = {}) {
  const written = parseNumbers(text), inOrder = (list) => (anyOrder ? [...list].sort((a, b) => a - b) : list);
  if (!written.length) return null;
  return written.length === expected.length && inOrder(written).every((value, i) => Math.abs(value - inOrder(expected)[i]) <= tolerance * Math.max(1, Math.abs(inOrder(expected)[i])));
}
export function parseNumbers(text) {
  return (text ?? "").replaceAll("−", "-").split(/[^0-9.eE/+-]+/).filter(Boolean).map((word) => word.split("/").map(Number).reduce((a, b) => a / b));
}
// `hints` are functions, one for each field: why the first wrong answer is wrong.
export function checkFields(fields, hints = []) {
  const right = fields.filter((field) => field === true).length, wrong = fields.filter((field) => field === false).length, hint = hints[fields.indexOf(false)]?.();
  return [right === fields.length, `${right} of ${fields.length} right${wrong ? `, ${wrong} not` : ""}.${hint ? ` ${hint}` : ""}`, fields];
}
const same = (a, b) => a.length === b.length && a.every((value, i) => Math.abs(value - b[i]) < 1e-9);
const shown = (values) => `[${values.map((value) => rounded(value)).join(", ")}]`;
// Why these are not the weights after a mistake: what a student is likely to have done instead.
export function weightsHint(text, { before: [before], after: [after], steps: [{ target, score }] }, point) {
  const written = parseNumbers(text), row = [1, ...point], sign = target > 0 ? 1 : -1, step = (factors) => before.map((w, i) => w + sign * factors[i] * row[i]);
  if (written.length !== 3) return "Write three numbers: the bias first, then w1 and w2.";
  if (same(written, before)) return `Nothing has changed yet, but this row is a mistake: its score is ${rounded(score)} and its target ${sign > 0 ? "+1" : "−1"}.`;
  if (same(written, before.map((w, i) => w - sign * row[i]))) return sign > 0 ? "You subtracted the row: its target is +1, so it is added." : "You added the row: its target is −1, so it is subtracted.";
  if (same(written, step([0, 1, 1]))) return "The bias changes too, by 1, as if every row began with x0 = 1.";
  if (same(written, step([1, 0, 0]))) return "Only the bias has changed; the inputs of the row count too.";
  if (same([...written].sort(), [...after].sort())) return "These are the right numbers in another order: the bias comes first.";
  return `Take the weights before, ${shown(before)}, and ${sign > 0 ? "add" : "subtract"} ${shown(row)}, number by number.`;
}
export const everyClassHas = (labels, n) => [0, 1].every((k) => labels.filter((label) => label === k).length >= n);
export const rounded = (value) => String(Number(value.toFixed(3))).replace("-", "−");

export const mistakesAndEpochs = (run) => `${count(run.n_mistakes, "mistake")} in ${count(run.n_iter, "epoch")}`;
