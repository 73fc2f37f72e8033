// The panel with the errors along the run, every loss, and the length of w.

import { draw, element, formula, number } from "../dom.js";
import { errorChart } from "./charts.js";

const WIDTH = 220, HEIGHT = 34;

// Training and test errors at the start and at the end of each epoch. Returns a function that marks a frame.
export function showErrorHistory(panel, run) {
  panel.replaceChildren();
  if (!run) return () => {};
  const ends = [run.start, ...run.epochs], share = (name, many) => ends.map((end) => end[name] / many);
  const curves = [{ name: "training", values: share("errors", run.n_rows) }];
  if (run.n_test_rows) curves.push({ name: "test", values: share("test_errors", run.n_test_rows) });
  const { chart, moveTo } = errorChart(curves);
  panel.append(chart);
  return (frame) => moveTo(frame.epoch);
}

// Returns a function that marks a frame in the charts.
export function showLossHistory(panel, history) {
  panel.replaceChildren();
  if (!history) return () => {};
  const rows = history.losses.map((loss) => [loss.name.replace("_", "-"), formula(loss.formula), loss.values]);
  rows.push(["length of w", "‖w‖, with b", history.norm]);
  const list = element("div", { className: "loss-list" });
  panel.append(element("h2", { textContent: "Each loss, the mean over the points" }), list);
  const moves = rows.map((row) => addRow(list, ...row));
  return (frame, run) => {
    const time = frame.kind === "end" ? run.t : frame.t + 1, index = Math.max(0, history.times.findLastIndex((t) => t <= time));
    for (const moveTo of moves) moveTo(index);
  };
}

function addRow(list, name, definition, values) {
  const highest = values.reduce((a, b) => Math.max(a, b), 0) || 1, last = Math.max(1, values.length - 1);
  const x = (i) => 3 + ((WIDTH - 6) * i) / last, y = (value) => HEIGHT - 3 - ((HEIGHT - 6) * value) / highest;
  const label = element("div", { className: "loss" }, element("strong", { textContent: name }), element("small", { textContent: definition })), current = element("output");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name} along the run: from ${number(values[0], 3)} to ${number(values.at(-1), 3)}, at most ${number(highest, 3)}` });
  draw("line", { x1: 0, x2: WIDTH, y1: HEIGHT - 3, y2: HEIGHT - 3, class: "axis" }, svg);
  draw("path", { d: values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(""), class: "curve", "vector-effect": "non-scaling-stroke" }, svg);
  const marker = draw("line", { y1: 0, y2: HEIGHT, class: "here", "vector-effect": "non-scaling-stroke" }, svg);
  list.append(label, svg, current);
  return (index) => {
    for (const end of ["x1", "x2"]) marker.setAttribute(end, x(index));
    current.textContent = number(values[index], 3);
  };
}
