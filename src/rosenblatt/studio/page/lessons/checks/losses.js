import { rounded } from "./answers.js";

export function check({ tool }) {
  if (!tool?.losses) return [false, ""];
  const value = Object.fromEntries(tool.losses.map((loss) => [loss.name, loss.value]));
  const progress = value.zero_one ? "Here the row is a mistake." : `Here the hinge loss is ${rounded(value.hinge)}.`;
  return [value.zero_one === 0 && value.perceptron === 0 && value.hinge > 0, progress];
}
