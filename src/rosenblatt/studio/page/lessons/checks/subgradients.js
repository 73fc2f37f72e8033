import { rounded } from "./answers.js";

export function check({ tool }) {
  if (!tool?.subgradients) return [false, ""];
  const { slope: g, subgradients: [low, high] } = tool;
  if (g < low || g > high) {
    const m = g > high ? 1 : -1; // where the line is above the curve
    return [false, `With g = ${rounded(g)} the line rises above the curve: at m = ${rounded(m)} it is at ${rounded(g * m)}, and the curve at 1.`];
  }
  return [low < g && g < high, `With g = ${rounded(g)} the line lies on the ${g > 0 ? "right" : "left"} arm of the curve: it touches the curve all along there, not at the kink alone.`];
}
