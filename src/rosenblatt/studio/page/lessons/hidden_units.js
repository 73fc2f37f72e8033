// Hidden units learned by gradient descent on the points of the plane: the line of each, and the errors that are left.

import { count, element, labelled, paragraph } from "../dom.js";
import { askOrShowError } from "./ask.js";

export function hiddenUnits(place, { readPage, onChange, arrange }) {
  const tool = { state: {}, end: () => arrange({ dashedLines: [], regions: null }, { keepPoints: true }) };
  const { label, input } = labelled("Hidden units ", element("input", { type: "number", min: 1, max: 8, step: 1, value: 1, name: "units" }));
  const button = element("button", { type: "button", textContent: "Learn" }), result = paragraph("", "line");
  result.setAttribute("aria-live", "polite");
  place.append(element("div", { className: "bar" }, label, button), result);
  button.addEventListener("click", async () => {
    const { fresh, points, labels, classes, picture } = readPage();
    if (!fresh) return;
    result.textContent = "Learning…";
    const learned = await askOrShowError("hidden_units", { points, labels, classes, units: Number(input.value), ...picture }, result);
    if (!learned) return;
    result.textContent = `${count(learned.units, "hidden unit")}: ${learned.errors ? `${learned.errors === 1 ? "row" : "rows"} ${learned.wrong_rows.map((row) => row + 1).join(", ")} ${learned.errors === 1 ? "is" : "are"} wrong` : "every row is right"}.`;
    tool.state = { learned };
    arrange({ dashedLines: learned.lines, regions: learned.regions }, { keepPoints: true });
    onChange();
  });
  return tool;
}
