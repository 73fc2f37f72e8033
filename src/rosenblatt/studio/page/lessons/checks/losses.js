import { rounded } from "./answers.js";

export function check({ tool }) {
  if (!tool?.losses) return [false, ""];
  const value = Object.fromEntries(tool.losses.map((loss) => [loss.name, loss.value])), at = `At m = ${rounded(tool.margin)}`;
  if (tool.margin === 0) return [false, `${at} the row is on the boundary, which counts as a mistake: it is right where m is above 0.`];
  if (value.zero_one) return [false, `${at} the row is a mistake, because m is below 0: it costs the perceptron ${rounded(value.perceptron)}.`];
  return [value.hinge > 0, `${at} the row is right, but the hinge loss is 0 as well: it asks for a margin of 1, and has it.`];
}
