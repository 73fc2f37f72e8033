import { checkFields, isWritten, parseNumbers } from "./answers.js";

export function check({ verdict, labels, filled }) {
  if (verdict?.kind !== "inseparable") return [false, "These points are not XOR any more: open the lesson again."];
  const rowsOf = (k) => verdict.rows.filter((row) => labels[row] === k).map((row) => row + 1), middle = verdict.meeting_point;
  const fields = [
    isWritten(filled.positive, rowsOf(1), { anyOrder: true }), isWritten(filled["positive middle"], middle),
    isWritten(filled.negative, rowsOf(0), { anyOrder: true }), isWritten(filled["negative middle"], middle),
  ];
  return checkFields(fields, [() => rowsHint(filled.positive, rowsOf(0)), () => middleHint(filled["positive middle"], middle), () => rowsHint(filled.negative, rowsOf(1)), () => middleHint(filled["negative middle"], middle)]);
}

function middleHint(text, middle) {
  if (parseNumbers(text).length !== 2) return "A point has two numbers: write x1 and x2.";
  if (isWritten(text, middle.map((value) => 2 * value))) return "That is the sum of the two points: the midpoint is half of it.";
  return "The midpoint is half of the one point plus half of the other: average x1, then x2.";
}
function rowsHint(text, others) {
  if (parseNumbers(text).includes(0)) return "Rows are counted from 1.";
  if (isWritten(text, others, { anyOrder: true })) return "These are the rows of the other class.";
  if (parseNumbers(text).length !== others.length) return `There are ${others.length} rows of each class: write both numbers.`;
  return "Look at the marks in the plane: a class has one shape, and the number of each row is beside it.";
}
