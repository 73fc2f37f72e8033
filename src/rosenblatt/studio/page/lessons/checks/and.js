import { OTHER_RUN, checkFields, firstUpdates, isWritten } from "./answers.js";

export function check({ run, filled }) {
  const numbers = Object.keys(filled), updates = firstUpdates(run, numbers.length);
  return updates ? checkFields(numbers.map((k) => isWritten(filled[k], updates[Number(k) - 1].after[0]))) : OTHER_RUN;
}
