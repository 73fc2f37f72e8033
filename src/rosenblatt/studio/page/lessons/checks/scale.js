import { count } from "./answers.js";

export function check({ run, tool }) {
  const made = `${count(run.n_mistakes, "mistake")} in ${count(run.n_iter, "epoch")}`;
  if (!tool?.scaled) return [false, `As measured: ${made}, and none of them clean. Scale the columns.`];
  return [run.status === "separated", `Scaled: ${made}.`];
}
