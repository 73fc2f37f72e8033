import { rounded } from "./answers.js";

// Within one percent of the least log loss that a temperature can give.
export function check({ tool }) {
  if (!tool?.bins) return [false, ""];
  const { bins, log_loss: loss, least } = tool, upper = bins.at(-1);
  const why = upper.chance > upper.came_true ? "large chances come true less often than they say: they are too sure" : "large chances come true more often than they say: they are not sure enough";
  return [loss <= 1.01 * least, `The log loss is ${rounded(loss)}, and it can be lower; ${why}.`];
}
