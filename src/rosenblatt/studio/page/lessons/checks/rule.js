import { OTHER_RUN, checkFields, firstUpdates, isWritten, parseNumbers, rounded, weightsHint } from "./answers.js";

export function check({ run, filled, points }) {
  const [first] = firstUpdates(run, 1) ?? [];
  if (!first) return OTHER_RUN;
  const point = points[first.row], { score } = first.steps[0];
  const fields = [isWritten(filled.score, [score]), isWritten(filled.weights, first.after[0])];
  return checkFields(fields, [() => scoreHint(parseNumbers(filled.score), first.before[0], point, score), () => weightsHint(filled.weights, first, point)]);
}

function scoreHint([written, ...others], [b, w1, w2], [x1, x2], score) {
  if (others.length) return "A score is one number.";
  if (Math.abs(written - (score - b)) < 1e-9) return "The bias is missing: it is added to the products.";
  if (Math.abs(written + score) < 1e-9) return "The sign is wrong: the target does not enter the score.";
  return `The score is b + w1·x1 + w2·x2, here ${rounded(b)} + ${rounded(w1)}·${rounded(x1)} + ${rounded(w2)}·${rounded(x2)}.`;
}
