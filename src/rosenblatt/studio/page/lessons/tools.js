// What a lesson can put under its task, by the name of its `tool`: a function that fills `place` and keeps in `state`
// what the check needs.

import { DASHES, draw, element, formula, labelled, lineSample, number } from "../dom.js";
import { askOrShowError } from "./ask.js";
import { calibration } from "./calibration.js";
import { hiddenUnits } from "./hidden_units.js";
import { line } from "./line.js";
import { mail } from "./mail.js";

export const TOOLS = { weights, losses, slope, hidden_units: hiddenUnits, mail, scale, calibration, line };

// The weights of one unit: the run starts from them, so its first frame shows this unit.
function weights(place, { arrange }) {
  const fields = [["b", 0.5], ["w1", 1], ["w2", -1]].map(([name, value]) => labelled(`${name} `, element("input", { type: "number", step: "any", value, name })));
  for (const { input } of fields) {
    input.addEventListener("input", () => {
      const values = fields.map((field) => field.input.value.trim() || "0");
      arrange({ options: { init: values.join(" ") }, at: 0 }, { keepPoints: true });
    });
  }
  place.append(element("div", { className: "bar" }, ...fields.map(({ label }) => label)));
  return { state: {} };
}

// The points as they were measured, or each column with its mean subtracted and divided by its spread.
function scale(place, { arrange, readPage }) {
  const box = element("input", { type: "checkbox", name: "scaled" });
  let measured = null;
  box.addEventListener("change", () => {
    const { points, labels, classes, columns } = readPage();
    measured ??= { columns, points: points.map((point, i) => [...point, labels[i]]) };
    arrange({ ...(box.checked ? { points: inUnits(measured.points), columns: measured.columns.map((name) => `${name}, scaled`) } : measured), classes, proof: false });
  });
  place.append(element("label", { className: "check" }, box, "Scale the columns: subtract the mean, divide by the spread"));
  return { state: {} };
}
function inUnits(rows) {
  const column = (j) => rows.map((row) => row[j]), mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const means = [0, 1].map((j) => mean(column(j))), spreads = [0, 1].map((j) => Math.sqrt(mean(column(j).map((value) => (value - means[j]) ** 2))) || 1);
  return rows.map((row) => [...[0, 1].map((j) => Number(((row[j] - means[j]) / spreads[j]).toFixed(2))), row[2]]);
}

// -- charts over the margin -------------------------------------------------------------------------------------------

const WIDTH = 360, HEIGHT = 240, LEFT = 26, BOTTOM = 200, TOP = 10;
const x = (margin) => LEFT + ((margin + 3) / 6) * (WIDTH - LEFT - 8), heights = (lowest) => (value) => BOTTOM - ((value - lowest) / (4 - lowest)) * (BOTTOM - TOP);

function axes(label, lowest) {
  const y = heights(lowest);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "wide" });
  for (const margin of [-3, -2, -1, 0, 1, 2, 3]) {
    draw("line", { x1: x(margin), x2: x(margin), y1: TOP, y2: BOTTOM, class: "tick" }, svg);
    draw("text", { x: x(margin), y: BOTTOM + 19, "text-anchor": "middle" }, svg, number(margin));
  }
  for (let value = lowest; value <= 4; value += 1) {
    draw("line", { x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value), class: value ? "tick" : "zero" }, svg);
    draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, svg, number(value));
  }
  draw("text", { x: WIDTH - 8, y: BOTTOM + 36, "text-anchor": "end" }, svg, "margin m = y·s →");
  return svg;
}
function drawCurve(svg, margins, values, y, style) {
  const isJump = (i) => i > 0 && Math.abs(values[i] - values[i - 1]) > 0.9; // the step of the zero-one loss is upright
  const places = margins.flatMap((margin, i) => [...(isJump(i) ? [margins[i - 1]] : []), margin].map((at) => [x(at), y(values[i])]));
  const d = places.filter(([, v]) => v >= TOP - 1).map(([u, v], i) => `${i ? "L" : "M"}${u.toFixed(1)} ${v.toFixed(1)}`).join("");
  draw("path", { d, class: `relative s${style}`, "stroke-dasharray": DASHES[style] }, svg);
}

// Every loss over the margin, and its value where the slider is.
function losses(place, { onChange }) {
  const tool = { state: {} }, picture = element("div"), table = element("table", { className: "values", ariaLabel: "The losses at this margin" });
  const { label, input } = labelled("Margin m of the row ", element("input", { type: "range", min: -3, max: 3, step: 0.25, value: -1, name: "margin" }));
  place.append(label, picture, table);
  const show = async () => {
    const answer = await askOrShowError("loss_curves", { margin: Number(input.value) }, picture);
    if (!answer) return;
    const { margin, margins } = answer, shown = answer.losses.filter((loss) => loss.name !== "absolute"), svg = axes(`Five losses over the margin, which is ${margin}`, 0);
    shown.forEach((loss, i) => drawCurve(svg, margins, loss.values, heights(0), i));
    draw("line", { x1: x(margin), x2: x(margin), y1: TOP, y2: BOTTOM, class: "here" }, svg);
    draw("text", { x: x(margin) + (margin > 2 ? -5 : 5), y: TOP + 8, "text-anchor": margin > 2 ? "end" : "start" }, svg, `m = ${number(margin)}`);
    picture.replaceChildren(svg);
    table.replaceChildren(...shown.map((loss, i) => lossRow(loss, i)));
    input.setAttribute("aria-valuetext", `${number(margin)}: ${shown.map((loss) => `${loss.name} ${number(loss.value, 3)}`).join(", ")}`);
    tool.state = answer;
    onChange();
  };
  input.addEventListener("input", show);
  show();
  return tool;
}
function lossRow(loss, style) {
  const name = element("th", { scope: "row" }, lineSample(style), loss.name.replace("_", "-"));
  return element("tr", {}, name, ...[formula(loss.formula), number(loss.value, 3)].map((text) => element("td", { textContent: text })));
}

// |m| with its kink, and a line through the kink; the chart goes on below 0, where the line must be on one side.
const LOWEST = -3;
function slope(place, { onChange }) {
  const tool = { state: {} }, picture = element("div");
  const { label, input } = labelled("Slope g of the line ", element("input", { type: "range", min: -2, max: 2, step: 0.25, value: 1.5, name: "slope" }));
  place.append(label, picture);
  let answer = null;
  const show = async () => {
    answer ??= await askOrShowError("loss_curves", { margin: 0 }, picture);
    if (!answer) return;
    const g = Number(input.value), absolute = answer.losses.find((loss) => loss.name === "absolute"), svg = axes(`The curve |m| and a line through 0 with slope ${g}`, LOWEST), y = heights(LOWEST);
    drawCurve(svg, answer.margins, absolute.values, y, 0);
    // The line from the bottom of the chart, or its side, up to the top.
    const steepness = Math.max(Math.abs(g), 1e-9), above = Math.min(3, 4 / steepness), below = Math.min(3, -LOWEST / steepness), side = g < 0 ? -1 : 1;
    draw("line", { x1: x(-side * below), x2: x(side * above), y1: y(-Math.abs(g) * below), y2: y(Math.abs(g) * above), class: "relative s1" }, svg);
    picture.replaceChildren(svg);
    input.setAttribute("aria-valuetext", number(g));
    tool.state = { slope: g, subgradients: absolute.subgradients };
    onChange();
  };
  input.addEventListener("input", show);
  show();
  return tool;
}
