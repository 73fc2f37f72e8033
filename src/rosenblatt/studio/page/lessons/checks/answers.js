// What the checks share. A check returns [done, a sentence on the progress, which fields are right].

export { count } from "../../dom.js";

export const OTHER_RUN = [false, "This is not the run of the lesson any more: open the lesson again."];

// The first moments of a run, if the weights are shown and changed because of one row; else null.
export function firstUpdates(run, n) {
  const first = run.moments.slice(0, n);
  return first.length === n && first.every((moment) => moment.after && moment.steps.length) ? first : null;
}
// Whether these numbers were written. Spaces, commas, brackets and the kind of minus do not matter; an empty field is null.
export function isWritten(text, expected, anyOrder = false) {
  const written = parseNumbers(text), inOrder = (list) => (anyOrder ? [...list].sort((a, b) => a - b) : list);
  if (!written.length) return null;
  return written.length === expected.length && inOrder(written).every((value, i) => Math.abs(value - inOrder(expected)[i]) < 1e-9);
}
function parseNumbers(text) {
  return (text ?? "").replaceAll("−", "-").split(/[^0-9.eE/+-]+/).filter(Boolean).map((word) => word.split("/").map(Number).reduce((a, b) => a / b));
}
export function checkFields(fields) {
  const right = fields.filter((field) => field === true).length, wrong = fields.filter((field) => field === false).length;
  return [right === fields.length, `${right} of ${fields.length} right${wrong ? `, ${wrong} not` : ""}.`, fields];
}
export const everyClassHas = (labels, n) => [0, 1].every((k) => labels.filter((label) => label === k).length >= n);
export const rounded = (value) => String(Number(value.toFixed(3))).replace("-", "−");
