import { count } from "./answers.js";

export function check({ run, labels }) {
  const isAnotherScheme = new Set(labels).size > 2 && run.scheme !== "ovr";
  return [isAnotherScheme && run.kept.errors === 0, `${run.scheme}: ${count(run.kept.errors, "error")} on ${labels.length} points.`];
}
