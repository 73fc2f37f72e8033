import { count } from "./answers.js";

export function check({ run, options }) {
  const degree = options.degree ?? 1, ends = run.status === "separated";
  if (options.kernel) return [false, "That is a kernel, which the next lesson is about: choose none."];
  if (ends && degree > 2) return [false, "The rule ends, but a lower degree will do."]; // not 1: the verdict proves that
  return [ends && degree === 2, `With degree ${degree} there is no clean epoch: ${count(run.n_mistakes, "mistake")} in ${count(run.n_iter, "epoch")}.`];
}
