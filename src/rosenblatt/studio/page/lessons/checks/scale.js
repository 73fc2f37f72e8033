import { mistakesAndEpochs } from "./answers.js";

export function check({ run, columns }) {
  const mistakes = mistakesAndEpochs(run);
  if (!columns.every((name) => name.endsWith(", scaled"))) return [false, `As measured: ${mistakes}, and none of them clean: a mistake changes the weight of the height by thousands, that of the width by less than 1. Scale the columns.`];
  return [run.status === "separated", `Scaled: ${mistakes}, and none of them clean, because the learner has other options now: open the lesson again.`];
}
