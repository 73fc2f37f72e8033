export function check({ logic }) {
  if (!logic?.answer) return [false, ""];
  if (logic.isInvalid) return [false, "The expression is not valid yet."];
  const { answer, expression } = logic, isPlain = !/xor|\^|!=|⊕|≠/i.test(expression);
  if (answer.inputs.length !== 2) return [false, `XOR has two inputs, and this has ${answer.inputs.length}: use a and b.`];
  const wrong = [0, 1, 1, 0].findIndex((bit, row) => answer.outputs[row] !== bit);
  if (wrong >= 0) return [false, `Its outputs are ${answer.outputs.join(" ")}, and those of XOR are 0 1 1 0. ${difference(answer, wrong)}`];
  if (!isPlain) return [false, "That is XOR, but with a sign of its own: write it with &, | and ~ alone."];
  return [answer.signals[logic.row][answer.output] === 1, "That is XOR, but with these inputs it is silent: set one of them, and not both."];
}

// The first row of the truth table that is not that of XOR.
function difference({ inputs, rows }, wrong) {
  const setting = inputs.map((name, i) => `${name} = ${rows[wrong][i]}`).join(" and ");
  return wrong === 1 || wrong === 2 ? `With ${setting} one input is true, so it must fire.` : `With ${setting} it must be silent: ${wrong ? "both inputs are" : "no input is"} true.`;
}
