import { mistakesAndEpochs } from "./answers.js";

export function check({ run, options }) {
  const degree = options.degree ?? 1, ends = run.status === "separated", mistakes = mistakesAndEpochs(run);
  if (options.kernel) return [false, "That is a kernel, which the next lesson is about: choose none."];
  if (degree === 1) return [false, `With degree 1 there is no clean epoch: ${mistakes}. The boundary is a straight line, and no line runs round the inner ring.`];
  if (!ends) return [false, `With degree ${degree} there is no clean epoch: ${mistakes}. ${degree === 2 ? "An ellipse could separate them: let the rule run for more epochs." : "So many products need more epochs; try fewer."}`];
  return [degree === 2, `With degree ${degree} the rule ends, but a lower degree will do: the boundary need not bend so often.`];
}
