// A moment of the run in words.

import { count, number, vector } from "../dom.js";

const signed = (target) => (target > 0 ? "+1" : "−1");
// Of many units the weights are too many for a sentence.
const weightsOf = (units) => (units && units.length <= 3 ? units.map(vector).join(" ") : "");

export function sentence(frame, run, points) {
  const values = weightsOf(frame.after), weights = values && ` w\u00a0=\u00a0${values}.`;
  if (frame.kind === "start") return `Start: ${values ? `w = ${run.curved ? "" : "[b, w1, w2] = "}${values}. No` : "no"} row has been visited yet: press Play.`;
  if (frame.kind === "end") return `End, ${run.ending}.${run.advice ? ` ${run.advice}` : ""}${weights}`;
  if (frame.kind === "epoch") return `End of epoch ${frame.epoch}: ${count(run.mistakes[frame.epoch - 1] ?? 0, "mistake")} in it.${weights}`;
  const point = `(${points[frame.row].map((value) => number(value)).join(", ")})`, visit = `Epoch ${frame.epoch}, row ${number(frame.row + 1)} ${point}`;
  if (run.units.length > 1) return `${visit}: ${mistakenUnits(frame, run)}.`;
  const [step] = frame.steps, score = `target ${signed(step.target)}, score ${number(step.score)}`;
  if (!step.mistake && step.coefficient === 0) return `${visit}: ${score}. No mistake, nothing changes.`;
  return `${visit}: ${score}. ${step.mistake ? "A mistake" : "An update"}: ${change(frame, run, step)}.`;
}

function mistakenUnits(frame, run) {
  const names = frame.steps.filter((step) => step.mistake).map(({ unit }) => (run.scheme === "ovo" ? run.units[unit].join(" or ") : run.units[unit][1]));
  return names.length ? `a mistake for ${names.join(", ")}` : "no mistake";
}

// What an update did: the weights before and after or, where they are not shown, what was added.
function change(frame, run, step) {
  if (frame.after) return `w\u00a0${vector(frame.before[0])} → ${vector(frame.after[0])}`;
  const direction = step.coefficient > 0 ? "added to" : "subtracted from", times = Math.abs(step.coefficient), factor = times === 1 ? "" : `${number(times, 3)} times `;
  return run.features ? `${factor}its ${run.features.length} features are ${direction} w` : `${factor}k(this row, ·) is ${direction} the score`;
}

export function statistics(frame, run, showsKept) {
  const parts = [`update ${number(frame.k)} of ${number(run.n_updates)}`, `visit ${number(frame.t + 1)} of ${number(run.t)}`], { kept } = run;
  if (frame.test_errors !== undefined) parts.push(`${number(frame.errors)} of ${number(run.n_rows)} wrong in training, ${number(frame.test_errors)} of ${number(run.n_test_rows)} in the test`);
  else if (frame.errors !== undefined) parts.push(count(frame.errors, "training error"));
  if (frame.margin > 0) parts.push(`${run.curved ? "least score" : "margin"} ${number(frame.margin, 3)}`);
  if (frame.kind === "end" && kept.keep !== "last" && run.units.length === 1) parts.push(`kept${showsKept && (kept.weights || run.curved) ? " (dotted)" : ""}: ${kept.keep}, ${count(kept.errors, "error")}`);
  if (run.features && run.features.length <= 6) parts.push(`w belongs to ${run.features.map(superscript).join(", ")}`);
  return parts.join(" · ");
}
const superscript = (name) => name.replace("^2", "²").replace("^3", "³");
