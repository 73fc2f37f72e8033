import { rounded } from "./answers.js";

export function check({ tool }) {
  if (!tool?.subgradients) return [false, ""];
  const { slope, subgradients: [low, high] } = tool, isOutside = slope > high || slope < low;
  return [low < slope && slope < high, `With g = ${rounded(slope)} the line ${isOutside ? "rises above the curve" : "lies on one arm of the curve"}.`];
}
