// The verdict, the theorem and the relatives, beside the plane.

import { bars, curves } from "./charts.js";
import { DASHES } from "./picture.js";
import { draw, number } from "./geometry.js";

export function paragraph(text, kind = "") {
  return Object.assign(document.createElement("p"), { textContent: text, className: kind });
}

export function showVerdict(place, verdict) {
  place.replaceChildren();
  if (!verdict) return place.append(paragraph("Add points of two classes, and the verdict is here.", "muted"));
  const [answer, ...reasons] = verdict.words.split("\n");
  place.append(paragraph(answer, "answer"));
  if (verdict.note) place.append(paragraph(verdict.note, "line"));
  if (verdict.kind === "pairs") {
    for (const pair of verdict.pairs) place.append(paragraph(`${pair.first} and ${pair.second}: ${pair.answer}`, "line"));
    return;
  }
  const shown = verdict.kind === "separable" ? 2 : reasons.length, more = reasons.slice(shown);
  for (const line of verdict.kind === "separable" ? reasons.slice(1, 2) : reasons) place.append(paragraph(line, "line"));
  if (verdict.kind !== "separable") return;
  const details = document.createElement("details"), summary = document.createElement("summary");
  summary.textContent = "How to use it, what it promises, how it was checked";
  details.append(summary, ...[reasons[0], ...more].map((line) => paragraph(line, "line")));
  place.append(details);
}

// Charts of the run; what comes back moves their marks to a frame.
export function showTheorem(place, run, verdict) {
  place.replaceChildren();
  if (!run) return () => {};
  const row = Object.assign(document.createElement("div"), { className: "charts" }), moving = [];
  const errors = bars({ title: "Mistakes in each epoch.", caption: "An epoch without one ends the run.", values: run.mistakes });
  const theorem = verdict?.theorem;
  let meter = null;
  if (theorem) {
    meter = bound(place, theorem, verdict.mistake_bound);
    const progress = curves({ title: "w·w* ≥ kγ.", caption: "Each mistake brings w at least γ nearer to the best direction.", k: theorem.k, happened: theorem.progress, bound: theorem.progress_bound });
    const norm = curves({ title: "‖w‖² ≤ kR².", caption: "Each mistake makes w longer by at most R².", k: theorem.k, happened: theorem.norm_squared, bound: theorem.norm_bound });
    moving.push(progress, norm);
    row.append(progress.made, norm.made);
  } else place.append(paragraph(whyNot(verdict), "muted"));
  row.append(errors.made);
  place.append(row);
  return (frame) => {
    errors.at(frame.epoch);
    moving.forEach((chart) => chart.at(frame.k));
    meter?.(frame.k);
  };
}

function bound(place, theorem, most) {
  const said = paragraph(""), meter = Object.assign(document.createElement("div"), { className: "meter" }), filled = document.createElement("div");
  meter.append(filled);
  meter.setAttribute("aria-hidden", "true");
  place.append(said, meter, paragraph("Solid: what happened. Dashed: the bound of the proof, with x0 = 1 in every row.", "muted"));
  return (k) => {
    said.textContent = `${number(k)} of ${number(theorem.mistakes)} mistakes made; the theorem allows (R/γ)² = ${number(Math.floor(most * (1 + 1e-9)), 6)}.`;
    filled.style.width = `${Math.min(100, (100 * k) / most)}%`;
  };
}

function whyNot(verdict) {
  if (!verdict) return "";
  if (verdict.kind === "kernel") return "The theorem holds in the space of the kernel too; its γ is not computed there.";
  if (verdict.kind === "inseparable" && verdict.degree > 1) return "No curve of this degree separates these classes, so there is no γ and no bound: the run can go on for ever.";
  if (verdict.kind === "inseparable") return "No line separates these classes, so there is no γ and no bound: the run can go on for ever.";
  if (verdict.kind === "pairs") return "The theorem speaks of two classes; each pair of these has its own bound.";
  return "The bound is drawn for Rosenblatt's own rule: perceptron loss, constant rate 1, no margin, one row at a time, from zero, with a bias.";
}

// A way out: the lowest degree that can, to be tried by pressing it.
export function offerDegree(degree, choose) {
  const button = Object.assign(document.createElement("button"), { type: "button", id: "offer", textContent: `A curve of degree ${degree} can: try it` });
  button.addEventListener("click", () => choose(degree));
  return button;
}

export function showRelatives(place, answer, switched, changed) {
  place.replaceChildren();
  if (!answer) return;
  place.append(paragraph(answer.words, "muted"));
  answer.lines.forEach((line, i) => {
    const label = document.createElement("label"), box = Object.assign(document.createElement("input"), { type: "checkbox", checked: switched.has(line.name) });
    const sample = draw("svg", { viewBox: "0 0 42 12", "aria-hidden": "true" });
    draw("line", { x1: 1, x2: 41, y1: 6, y2: 6, class: `relative s${i}`, "stroke-dasharray": DASHES[i] }, sample);
    box.addEventListener("change", () => { box.checked ? switched.add(line.name) : switched.delete(line.name); changed(); });
    label.append(box, sample, `${line.name}: ${number(line.errors)} ${line.errors === 1 ? "error" : "errors"}`);
    place.append(label);
  });
}
