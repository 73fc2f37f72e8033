import { count } from "./answers.js";

export function check({ tool, verdict }) {
  if (!tool?.learned) return [false, "Nothing has been learned yet: choose how many hidden units, and press Learn."];
  if (verdict?.kind !== "inseparable") return [false, "These points are not XOR any more: open the lesson again."];
  const { units, errors } = tool.learned;
  if (errors && units === 1) return [false, `With 1 unit, ${count(errors, "error")} left: one hidden unit has one line, and XOR needs a strip between two.`];
  if (errors) return [false, `With ${count(units, "unit")}, ${count(errors, "error")} left.`];
  return [units === 2, `No error is left, but ${units} lines are more than it takes: try fewer units.`];
}
