// The panel with the relatives of the perceptron, each to be switched on.

import { count, element, lineSample, paragraph } from "../dom.js";

export function showRelatives(panel, answer, switchedOn, onChange) {
  panel.replaceChildren();
  if (!answer) return;
  panel.append(paragraph(answer.caption, "muted"));
  answer.lines.forEach((line, i) => {
    const box = element("input", { type: "checkbox", checked: switchedOn.has(line.name) });
    box.addEventListener("change", () => { box.checked ? switchedOn.add(line.name) : switchedOn.delete(line.name); onChange(); });
    panel.append(element("label", {}, box, lineSample(i), `${line.name}: ${count(line.errors, "error")}`));
  });
}
