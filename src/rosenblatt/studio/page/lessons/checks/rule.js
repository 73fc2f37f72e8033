import { OTHER_RUN, checkFields, firstUpdates, isWritten } from "./answers.js";

export function check({ run, filled }) {
  const [first] = firstUpdates(run, 1) ?? [];
  if (!first) return OTHER_RUN;
  return checkFields([isWritten(filled.score, [first.steps[0].score]), isWritten(filled.weights, first.after[0])]);
}
