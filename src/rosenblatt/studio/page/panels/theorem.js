// The panel with the convergence theorem: its bound, the two inequalities of its proof, and the mistakes of each epoch.

import { count, element, number, paragraph } from "../dom.js";
import { boundChart, epochChart } from "./charts.js";

// Returns a function that marks a frame in the charts.
export function showTheorem(panel, run, verdict) {
  panel.replaceChildren();
  if (!run) return () => {};
  const row = element("div", { className: "charts" }), byMistakes = [];
  const mistakes = epochChart({ title: "Mistakes in each epoch.", caption: "An epoch without one ends the run.", values: run.mistakes });
  const theorem = verdict?.theorem;
  let moveMeter = null;
  if (theorem) {
    moveMeter = showBound(panel, theorem, verdict.mistake_bound);
    byMistakes.push(
      boundChart({ title: "w·w* ≥ kγ.", caption: "Each mistake brings w at least γ further along the best direction.", k: theorem.k, actual: theorem.progress, bound: theorem.progress_bound }),
      boundChart({ title: "‖w‖² ≤ kR².", caption: "Each mistake adds at most R² to ‖w‖².", k: theorem.k, actual: theorem.norm_squared, bound: theorem.norm_bound }),
    );
    row.append(...byMistakes.map(({ chart }) => chart));
  } else panel.append(paragraph(whyNoBound(verdict), "muted"));
  row.append(mistakes.chart);
  panel.append(row);
  return (frame) => {
    mistakes.moveTo(frame.epoch);
    byMistakes.forEach(({ moveTo }) => moveTo(frame.k));
    moveMeter?.(frame.k);
  };
}

// The bound may be computed a hair below the whole number that it is.
export const wholeBound = (bound) => Math.floor(bound * (1 + 1e-9));

function showBound(panel, theorem, bound) {
  const text = paragraph(""), filled = element("div"), meter = element("div", { className: "meter" }, filled);
  meter.setAttribute("aria-hidden", "true");
  panel.append(text, meter, paragraph("Solid: what happened. Dashed: the bound of the proof, with x0 = 1 in every row.", "muted"));
  return (k) => {
    text.replaceChildren(`${number(k)} of ${count(theorem.mistakes, "mistake")} made; the theorem allows ${number(wholeBound(bound))}: `, element("span", { className: "unbroken", textContent: `(R/γ)² = ${number(bound)}` }), ".");
    filled.style.width = `${Math.min(100, (100 * k) / bound)}%`;
  };
}

function whyNoBound(verdict) {
  if (!verdict) return "";
  if (verdict.kind === "kernel") return "The theorem holds in the space of the kernel too, but its γ is not computed there.";
  if (verdict.kind === "inseparable") return `No ${verdict.degree > 1 ? "curve of this degree" : "line"} separates these classes, so there is no γ and no bound: the run can go on for ever.`;
  if (verdict.kind === "pairs") return "The theorem is about two classes; each pair of these has its own bound.";
  return "The bound is drawn for Rosenblatt's own rule: perceptron loss, constant rate 1, no margin, one row at a time, from zero, with a bias.";
}
