import { count } from "./answers.js";

const WHY = {
  ovr: "the unit of B would need A and C together on its other side, and they are on both",
  ovo: "each pair can be separated, but not in so few epochs",
  joint: "all three can be learned together, but not in so few epochs",
};

export function check({ run, labels }) {
  if (new Set(labels).size < 3) return [false, "Points of all three classes are needed."];
  return [run.scheme !== "ovr" && run.kept.errors === 0, `${run.scheme}: ${count(run.kept.errors, "error")} on ${labels.length} points; ${WHY[run.scheme]}.`];
}
