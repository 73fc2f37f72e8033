import { count } from "./answers.js";

export function check({ run, options }) {
  if (!options.kernel) return [false, "No kernel is chosen: choose rbf."];
  return [run.status === "separated", `No clean epoch yet: ${count(run.n_mistakes, "mistake")} in ${count(run.n_iter, "epoch")}.`];
}
