import { count, everyClassHas, rounded } from "./answers.js";

const LEARNERS = ["Adaline", "logistic unit", "maximum margin"];

export function check({ relatives, switchedOn, labels, points }) {
  if (!relatives) return [false, ""];
  if (!everyClassHas(labels, 3)) return [false, "Too few points are left: three of each class are needed."];
  const missing = LEARNERS.filter((name) => !switchedOn.has(name)), lines = Object.fromEntries(relatives.lines.map((line) => [line.name, line]));
  if (missing.length) return [false, `Still to be switched on: ${missing.join(", ")}.`];
  const [wrong] = LEARNERS.filter((name) => lines[name].errors);
  if (wrong && wrong !== "Adaline") return [false, `The ${wrong} makes ${count(lines[wrong].errors, "error")}: the classes are no longer well apart. Take the last change back.`];
  return [!wrong, `Adaline makes ${count(lines.Adaline.errors, "error")}. ${farthest(lines.Adaline.weights, points)}`];
}

// The row whose score is furthest from ±1: the one that Adaline turns its line for.
function farthest([b, ...w], points) {
  const scores = points.map((point) => b + w[0] * point[0] + w[1] * point[1]), sizes = scores.map(Math.abs), row = sizes.indexOf(Math.max(...sizes));
  return `It gives row ${row + 1} a score of ${rounded(scores[row])} and would like ${scores[row] > 0 ? "1" : "−1"}: that row is too far out.`;
}
