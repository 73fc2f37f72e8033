import { count, rounded } from "./answers.js";

const BY_HAND = 1.1, BY_RULE = 1.01, NEAR = 1.5; // times the least error

export function check({ tool }) {
  if (!tool?.points) return [false, ""];
  const { error, least, errors, best, n_steps: steps, is_rule: isRule, by_row: byRow } = tool;
  if (best > BY_HAND * least && !isRule) return [false, `The error of your line is ${rounded(error)}. ${howToMove(tool)}`];
  if (best > BY_HAND * least) return [false, "First by hand: drag the line, or move w0 and w1."];
  if (!isRule) return [false, `Your line has an error of ${rounded(best)}, near enough. Now start at 0 and let the rule take steps.`];
  if (!steps) return [false, "The rule is at w = 0. Choose a learning rate and let it take steps."];
  if (error <= BY_RULE * least) return [true, ""];
  const so = `After ${count(steps, "step")} the rule has an error of ${rounded(error)}.`;
  const grows = errors.at(-1) > errors[0];
  if (byRow && error < NEAR * least) return [false, `${so} Row by row it goes up and down near the bottom: a smaller learning rate, or all rows at once, comes closer.`];
  if (grows && byRow) return [false, `${so} This row's step made it larger, for the other rows: go on, or choose a smaller learning rate if that does not end.`];
  if (grows) return [false, `${so} It grows: with all rows at once each step jumps over the bottom. Start at 0 again with a smaller learning rate.`];
  return [false, `${so} It falls: go on.`];
}

// Which of the two weights costs more, and which way to move it.
function howToMove({ slope: [height, turn], points }) {
  const squares = points.reduce((sum, [x]) => sum + x * x, 0);
  if (height ** 2 / points.length >= turn ** 2 / squares) return `The differences add up to ${rounded(height)}: the line is too ${height < 0 ? "low" : "high"} on the whole.`;
  return `It is too ${turn < 0 ? "flat" : "steep"}: it lies higher above the points on the ${turn < 0 ? "left than on the right" : "right than on the left"}.`;
}
