import { count } from "./answers.js";

export function check({ tool, verdict }) {
  if (!tool?.learned) return [false, "Nothing has been learned yet."];
  const { units, errors } = tool.learned, progress = errors ? `With ${count(units, "unit")}, ${count(errors, "error")} left.` : "No error is left, but fewer units can do it.";
  return [verdict?.kind === "inseparable" && units === 2 && errors === 0, progress];
}
