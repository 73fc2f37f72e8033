import { wholeBound } from "../../panels/theorem.js";
import { count, everyClassHas, rounded } from "./answers.js";

export function check({ verdict, run, points, labels }) {
  const theorem = verdict?.theorem;
  if (!theorem) return [false, verdict?.kind === "inseparable" ? "No line separates these points, so γ does not exist and there is no bound: take the last change back." : "There is a bound only for Rosenblatt's own rule: open the lesson again."];
  if (!everyClassHas(labels, 2)) return [false, "Too few points are left: two of each class are needed."];
  const bound = wholeBound(verdict.mistake_bound), holds = theorem.holds && run.n_mistakes <= bound;
  return [bound <= 10 && holds, `The theorem allows ${count(bound, "mistake")}; the rule made ${run.n_mistakes}. ${why(verdict, points)}`];
}

// What to change: γ is determined by the rows with a ring, R by the longest row. A bound of 10 needs R/γ < √11.
function why({ support, radius, augmented_margin: gamma }, points) {
  const lengths = points.map((point) => Math.hypot(...point)), longest = lengths.indexOf(Math.max(...lengths)) + 1;
  return `R/γ is ${rounded(radius / gamma)} and must be at most 3.3. R is ${rounded(radius)}, because of row ${longest}; γ is ${rounded(gamma)}, because of the rows with a ring: ${support.map((row) => row + 1).join(", ")}.`;
}
