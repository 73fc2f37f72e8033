import { checkFields, isWritten } from "./answers.js";

export function check({ verdict, labels, filled }) {
  if (verdict?.kind !== "inseparable") return [false, "These points are not XOR any more: open the lesson again."];
  const rowsOf = (k) => verdict.rows.filter((row) => labels[row] === k).map((row) => row + 1);
  return checkFields([
    isWritten(filled.positive, rowsOf(1), true), isWritten(filled["positive middle"], verdict.meeting_point),
    isWritten(filled.negative, rowsOf(0), true), isWritten(filled["negative middle"], verdict.meeting_point),
  ]);
}
