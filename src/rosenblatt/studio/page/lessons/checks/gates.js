export function check({ logic }) {
  if (!logic?.answer) return [false, ""];
  if (logic.isInvalid) return [false, "The expression is not valid yet."];
  const { answer, expression } = logic, isPlain = !/xor|\^|!=|⊕|≠/i.test(expression) && answer.inputs.length === 2;
  if (answer.outputs.join("") !== "0110") return [false, `Its outputs are ${answer.outputs.join(" ")}, and those of XOR are 0 1 1 0.`];
  if (!isPlain) return [false, "That is XOR: now write it with &, | and ~ alone."];
  return [answer.signals[logic.row][answer.output] === 1, "That is XOR. Set the inputs so that it fires."];
}
