// Hidden units learned by gradient on the points of the plane: the line of each, and the errors that are left.

import { paragraph } from "./panels.js";
import { answered, entry } from "./tools.js";

export function hidden(place, { seen, changed, arrange }) {
  const tool = { state: {}, end: () => arrange({ dashed: [] }, { same: true }) }, told = paragraph("", "line"), row = Object.assign(document.createElement("div"), { className: "bar" });
  const { label, input } = entry("Hidden units ", { type: "number", min: 1, max: 8, step: 1, value: 1, name: "units" });
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Learn" });
  told.setAttribute("aria-live", "polite");
  row.append(label, button);
  place.append(row, told);
  button.addEventListener("click", async () => {
    const page = seen();
    if (!page.fresh) return;
    told.textContent = "Learning…";
    const { points, labels, classes } = page, learned = await answered("hidden", { points, labels, classes, units: Number(input.value) }, told);
    if (!learned) return;
    told.textContent = `${learned.units} hidden ${learned.units === 1 ? "unit" : "units"}: ${learned.errors ? `rows ${learned.wrong.join(", ")} are wrong` : "every row is right"}.`;
    tool.state.learned = learned;
    arrange({ dashed: learned.lines }, { same: true });
    changed();
  });
  return tool;
}
