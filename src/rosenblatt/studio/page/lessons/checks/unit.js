import { count } from "./answers.js";

export function check({ run }) {
  return [run.start.errors === 0, `The unit is wrong at ${count(run.start.errors, "corner")}.`];
}
