import { OTHER_RUN, checkFields, firstUpdates, isWritten, weightsHint } from "./answers.js";

export function check({ run, filled, points }, { fields: labels }) {
  const numbers = Object.keys(filled), updates = firstUpdates(run, numbers.length);
  if (!updates) return OTHER_RUN;
  const fields = numbers.map((k) => isWritten(filled[k], updates[Number(k) - 1].after[0]));
  return checkFields(fields, numbers.map((k, i) => () => `${labels[k]}: ${weightsHint(filled[k], updates[i], points[updates[i].row])}`));
}
