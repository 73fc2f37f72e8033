// A moment of the run in words.

import { number, vector } from "./geometry.js";

const signed = (target) => (target > 0 ? "+1" : "−1");
const all = (units) => (units.length > 3 ? `${units.length} units` : units.map(vector).join(" "));

export function sentence(frame, run, points) {
  const w = frame.after ? ` w = ${all(frame.after)}.` : "";
  if (frame.kind === "start") return `Start:${run.curved ? "" : " w = [b, w1, w2] ="}${frame.after ? ` ${all(frame.after)}.` : ""} No row has been looked at yet.`;
  if (frame.kind === "end") return `End, ${run.words}.${w}`;
  if (frame.kind === "epoch") return `End of epoch ${frame.epoch}: ${number(run.mistakes[frame.epoch - 1] ?? 0)} ${run.mistakes[frame.epoch - 1] === 1 ? "mistake" : "mistakes"} in it.${w}`;
  const place = `(${points[frame.row].map((v) => number(v)).join(", ")})`, head = `Epoch ${frame.epoch}, row ${frame.row} ${place}`;
  if (run.units.length > 1) return `${head}: ${several(frame, run)}.`;
  const [one] = frame.moved, said = `target ${signed(one.target)}, score ${number(one.score)}`;
  if (!one.mistake && one.coefficient === 0) return `${head}: ${said}. No mistake, nothing moves.`;
  return `${head}: ${said}. ${one.mistake ? "A mistake" : "An update"}: ${moved(frame, run, one)}.`;
}

function several(frame, run) {
  const wrong = frame.moved.filter((one) => one.mistake).map((one) => (run.scheme === "ovo" ? run.units[one.unit].join(" or ") : run.units[one.unit][1]));
  return wrong.length ? `a mistake for ${wrong.join(", ")}` : "no mistake";
}

// What an update does: the weights before and after, or where they are many or unknown, what was added.
function moved(frame, run, one) {
  if (frame.after) return `w ${vector(frame.before[0])} → ${vector(frame.after[0])}`;
  const way = one.coefficient > 0 ? "added to" : "taken from", times = Math.abs(one.coefficient), factor = times === 1 ? "" : `${number(times, 3)} times `;
  return run.features ? `${factor}its ${run.features.length} features are ${way} w` : `${factor}k(this row, ·) is ${way} the score`;
}

export function numbers(frame, run) {
  const parts = [`update ${number(frame.k)} of ${number(run.n_updates)}`, `visit ${number(frame.t + 1)} of ${number(run.t)}`];
  if (frame.errors !== undefined) parts.push(`${number(frame.errors)} training ${frame.errors === 1 ? "error" : "errors"}`);
  if (frame.margin > 0) parts.push(`${run.curved ? "least score" : "margin"} ${number(frame.margin, 3)}`);
  if (frame.kind === "end" && run.kept.keep !== "last" && run.units.length === 1) parts.push(`kept${run.kept.weights || run.curved ? " (dotted)" : ""}: ${run.kept.keep}, ${number(run.kept.errors)} ${run.kept.errors === 1 ? "error" : "errors"}`);
  if (run.features && run.features.length <= 6) parts.push(`w stands on ${run.features.map(power).join(", ")}`);
  return parts.join(" · ");
}
const power = (name) => name.replace("^2", "²").replace("^3", "³");
