import { count, rounded } from "./answers.js";

export function check({ run, points, labels }) {
  const { errors, after: [[b, w1, w2]] } = run.start;
  const wrong = points.findIndex(([x1, x2], i) => b + w1 * x1 + w2 * x2 > 0 !== (labels[i] === 1));
  if (!errors || wrong < 0) return [errors === 0, ""];
  const [x1, x2] = points[wrong], score = b + w1 * x1 + w2 * x2;
  const why = labels[wrong] === 1 ? "it should fire there: the score must be above 0" : "it should be silent there: the score must not be above 0";
  return [false, `The unit is wrong at ${count(errors, "corner")}. At (${x1}, ${x2}) the score is ${rounded(score)}, and ${why}.`];
}
