// The check of a lesson that a teacher has written: conditions on quantities of the run, and answers.

import { formula } from "../../dom.js";
import { isWritten, rounded } from "./answers.js";
import { wholeBound } from "../../panels/theorem.js";

const OPERATORS = { "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => Math.abs(a - b) < 1e-9 };

function quantities({ run, verdict, points, labels }) {
  const last = run.epochs.at(-1) ?? run.start;
  return {
    mistakes: run.n_mistakes, epochs: run.n_iter, visits: run.t, errors: last.errors, "test errors": last.test_errors, points: points.length, classes: new Set(labels).size,
    bound: Number.isFinite(verdict?.mistake_bound) ? wholeBound(verdict.mistake_bound) : undefined, margin: verdict?.margin, separable: verdict?.kind === "separable" ? 1 : 0, weights: last.after?.[0],
  };
}

export function check(page, { done, answers }) {
  const value = quantities(page), notes = [];
  const fields = answers.map((answer, k) => {
    const expected = answer.is in value ? [value[answer.is]].flat() : answer.is.split(/[ ,]+/).map(Number);
    const right = expected.includes(undefined) ? null : isWritten(page.filled[`answer ${k + 1}`], expected, { tolerance: expected.every(Number.isInteger) ? 1e-9 : 0.01 });
    if (right === false) notes.push(`${answer.label.replace(/[?:.]$/, "")}: ${answer.hint ?? "not yet right."}`);
    return right;
  });
  const open = done.filter((condition) => {
    const [, name, operator, number] = condition.match(/^(.+) (<=|>=|<|>|=) (.+)$/);
    return value[name] === undefined || value[name] === null || !OPERATORS[operator](value[name], Number(number));
  });
  for (const condition of open) {
    const [, name] = condition.match(/^(.+) (<=|>=|<|>|=) /);
    notes.push(value[name] === undefined || value[name] === null ? `Wanted: ${formula(condition)}.` : `Wanted: ${formula(condition)}; it is ${rounded(value[name])}.`);
  }
  return [!open.length && fields.every((right) => right === true), notes.join(" ") || "Fill in the answers.", fields];
}
