// The panel with the verdict.

import { element, paragraph, rememberFold, withMinus } from "../dom.js";

export function showVerdict(panel, verdict) {
  panel.replaceChildren();
  if (!verdict) return panel.append(paragraph("Add points of two classes to get a verdict.", "muted"));
  const [answer, ...reasons] = withMinus(verdict.explanation).split("\n"), lines = (texts) => texts.map((text) => paragraph(text, "line"));
  panel.append(paragraph(answer, "answer"));
  if (verdict.note) panel.append(paragraph(verdict.note, "line"));
  if (verdict.kind === "pairs") panel.append(...lines(verdict.pairs.map((pair) => `${pair.first} and ${pair.second}: ${pair.answer}`)));
  else if (verdict.kind === "separable") {
    const [use, gap, ...more] = reasons;
    panel.append(paragraph(gap, "line"), rememberFold(element("details", {}, element("summary", { textContent: "How to use it, what it promises, how it was checked" }), ...lines([use, ...more])), "verdict"));
  } else panel.append(...lines(reasons));
}

// Offers the lowest degree that separates the classes.
export function degreeButton(degree, choose) {
  const button = element("button", { type: "button", id: "offer", textContent: `A curve of degree ${degree} can: try it` });
  button.addEventListener("click", () => choose(degree));
  return button;
}
