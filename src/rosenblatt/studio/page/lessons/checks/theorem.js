import { wholeBound } from "../../panels/theorem.js";
import { count, everyClassHas } from "./answers.js";

export function check({ verdict, run, labels }) {
  const theorem = verdict?.theorem;
  if (!theorem) return [false, "There is a bound only where a line separates the classes."];
  if (!everyClassHas(labels, 2)) return [false, "Too few points are left: two of each class are needed."];
  const bound = wholeBound(verdict.mistake_bound), holds = theorem.holds && run.n_mistakes <= bound;
  return [bound <= 10 && holds, `The theorem allows ${count(bound, "mistake")}; the rule made ${run.n_mistakes}.`];
}
