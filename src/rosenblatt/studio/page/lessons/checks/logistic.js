import { count, everyClassHas } from "./answers.js";

const LEARNERS = ["Adaline", "logistic unit", "maximum margin"];

export function check({ relatives, switchedOn, labels }) {
  if (!relatives) return [false, ""];
  if (!everyClassHas(labels, 3)) return [false, "Too few points are left: three of each class are needed."];
  const missing = LEARNERS.filter((name) => !switchedOn.has(name)), errors = Object.fromEntries(relatives.lines.map((line) => [line.name, line.errors]));
  if (missing.length) return [false, `Still to be switched on: ${missing.join(", ")}.`];
  return [LEARNERS.every((name) => errors[name] === 0), `Adaline makes ${count(errors.Adaline, "error")}.`];
}
