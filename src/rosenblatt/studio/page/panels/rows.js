// The rows of the table, counted from 1, with the score that the unit gives each of them at the moment shown.

import { element, number, paragraph } from "../dom.js";

const MAX_ROWS = 200; // more are not read one by one

// Returns a function that shows the scores of a frame, and marks the row that it visits.
export function showRows(panel, { points, labels, classes, columns, test = new Set() }) {
  if (!points.length) {
    panel.replaceChildren(paragraph("There are no rows yet.", "muted"));
    return () => {};
  }
  const table = element("table", { className: "rows", ariaLabel: "Rows and their scores" }), head = table.createTHead().insertRow(), body = table.createTBody();
  for (const name of ["row", ...columns, "class", "score"]) head.append(element("th", { scope: "col", textContent: name }));
  const lines = points.slice(0, MAX_ROWS).map((point, i) => {
    const line = body.insertRow();
    line.append(element("th", { scope: "row", textContent: `${number(i + 1)}${test.has(i) ? " test" : ""}` }));
    for (const value of [...point.map((coordinate) => number(coordinate)), String(classes[labels[i]]).replace("-", "−"), ""]) line.insertCell().textContent = value;
    return { line, score: line.lastChild };
  });
  const note = points.length > MAX_ROWS ? [paragraph(`The first ${MAX_ROWS} of ${number(points.length)} rows.`, "muted")] : [];
  panel.replaceChildren(element("div", { className: "scrolling", tabIndex: 0, role: "group", ariaLabel: "The rows" }, table), ...note);
  return (frame, run) => {
    const [weights] = frame?.after?.length === 1 && !run.curved ? frame.after : [];
    table.classList.toggle("without-scores", Boolean(frame) && !weights); // several units, or a curve: no one score
    lines.forEach(({ line, score }, i) => {
      line.classList.toggle("current", frame?.row === i);
      if (!weights) { score.textContent = ""; return; }
      const value = weights[0] + weights[1] * points[i][0] + weights[2] * points[i][1], side = labels[i] === run.classes[1] ? value : -value;
      score.textContent = `${number(value, 3)}${side > 0 ? " ✓" : side < 0 ? " ✗" : ""}`; // 0 is on neither side
    });
  };
}
