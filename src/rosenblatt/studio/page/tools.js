// What some lessons put under their task. Each makes its parts in `place` and keeps in `state` what the check looks at.

import { ask, overtaken, whatHappened } from "./api.js";
import { draw, number } from "./geometry.js";
import { DASHES } from "./picture.js";

export function entry(words, attributes) {
  const label = document.createElement("label"), input = Object.assign(document.createElement("input"), attributes);
  label.append(words, input);
  return { label, input };
}
// Asks the engine; what goes wrong is told where the answer would be.
export async function answered(question, request, told) {
  try {
    return await ask(question, request);
  } catch (error) {
    if (!overtaken(error)) told.textContent = whatHappened(error);
    return null;
  }
}

// The weights of one unit: the run starts from them, so its first picture is this unit.
export function weights(place, { arrange }) {
  const entries = [["b", 0.5], ["w1", 1], ["w2", -1]].map(([name, value]) => entry(`${name} `, { type: "number", step: "any", value, name }));
  const row = Object.assign(document.createElement("div"), { className: "bar" });
  for (const { label, input } of entries) {
    row.append(label);
    input.addEventListener("input", () => {
      const values = entries.map((one) => one.input.value.trim() || "0");
      arrange({ options: { init: values.join(" ") }, at: 0 }, { same: true });
    });
  }
  place.append(row);
  return { state: {} };
}

const WIDE = 360, HIGH = 240, LEFT = 26, LOW = 200, TOP = 10;
const across = (m) => LEFT + ((m + 3) / 6) * (WIDE - LEFT - 8), up = (value) => LOW - (value / 4) * (LOW - TOP);

function axes(place, label) {
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label, class: "wide" }, place);
  for (const m of [-3, -2, -1, 0, 1, 2, 3]) {
    draw("line", { x1: across(m), x2: across(m), y1: TOP, y2: LOW, class: "tick" }, svg);
    draw("text", { x: across(m), y: LOW + 19, "text-anchor": "middle" }, svg, number(m));
  }
  for (const v of [0, 1, 2, 3, 4]) {
    draw("line", { x1: LEFT, x2: WIDE - 8, y1: up(v), y2: up(v), class: v ? "tick" : "zero" }, svg);
    draw("text", { x: LEFT - 6, y: up(v) + 4, "text-anchor": "end" }, svg, number(v));
  }
  draw("text", { x: WIDE - 8, y: LOW + 36, "text-anchor": "end" }, svg, "margin m = y·s →");
  return svg;
}
function curve(svg, margins, values, i) {
  const inside = margins.map((m, i) => [across(m), up(values[i])]).filter(([, v]) => v >= TOP - 1);
  draw("path", { d: inside.map(([u, v], i) => `${i ? "L" : "M"}${u.toFixed(1)} ${v.toFixed(1)}`).join(""), class: `relative s${i}`, "stroke-dasharray": DASHES[i] }, svg);
}

// Every loss over the margin, and its value where the slider stands.
export function losses(place, { changed }) {
  const tool = { state: {} }, picture = document.createElement("div"), table = document.createElement("table");
  const { label, input } = entry("Margin m of the row ", { type: "range", min: -3, max: 3, step: 0.25, value: -1, name: "margin" });
  table.className = "values";
  place.append(label, picture, table);
  const show = async () => {
    const told = await answered("losses", { margin: Number(input.value) }, picture);
    if (!told) return;
    const shown = told.losses.filter((loss) => loss.name !== "absolute"), svg = axes(document.createElement("div"), `Five losses over the margin, which is ${told.margin}`);
    shown.forEach((loss, i) => curve(svg, told.margins, loss.values, i));
    draw("line", { x1: across(told.margin), x2: across(told.margin), y1: TOP, y2: LOW, class: "here" }, svg);
    draw("text", { x: across(told.margin) + (told.margin > 2 ? -5 : 5), y: TOP + 8, "text-anchor": told.margin > 2 ? "end" : "start" }, svg, `m = ${number(told.margin)}`);
    picture.replaceChildren(svg);
    table.replaceChildren(...shown.map((loss, i) => valueRow(loss, i)));
    input.setAttribute("aria-valuetext", `${number(told.margin)}: ${shown.map((loss) => `${loss.name} ${number(loss.value, 3)}`).join(", ")}`);
    Object.assign(tool.state, told);
    changed();
  };
  input.addEventListener("input", show);
  show();
  return tool;
}
function valueRow(loss, i) {
  const row = document.createElement("tr"), head = Object.assign(document.createElement("th"), { scope: "row", textContent: loss.name.replace("_", "-") });
  const sample = draw("svg", { viewBox: "0 0 42 12", "aria-hidden": "true" });
  draw("line", { x1: 1, x2: 41, y1: 6, y2: 6, class: `relative s${i}`, "stroke-dasharray": DASHES[i] }, sample);
  head.prepend(sample);
  row.append(head);
  for (const text of [loss.formula, number(loss.value, 3)]) row.insertCell().textContent = text;
  return row;
}

// |m| with its kink, and a line through the kink.
export function slope(place, { changed }) {
  const tool = { state: {} }, picture = document.createElement("div");
  const { label, input } = entry("Slope g of the line ", { type: "range", min: -2, max: 2, step: 0.25, value: 1.5, name: "slope" });
  place.append(label, picture);
  const show = async () => {
    const told = tool.state.told ?? (await answered("losses", { margin: 0 }, picture)), g = Number(input.value);
    if (!told) return;
    const kinked = told.losses.find((loss) => loss.name === "absolute"), svg = axes(document.createElement("div"), `The curve |m| and a line through 0 with slope ${g}`);
    curve(svg, told.margins, kinked.values, 0);
    const far = Math.min(3, 4 / Math.max(Math.abs(g), 1e-9)), low = Math.min(3, 0.6 / Math.max(Math.abs(g), 1e-9)), side = g < 0 ? -1 : 1;
    draw("line", { x1: across(-side * low), x2: across(side * far), y1: up(-Math.abs(g) * low), y2: up(Math.abs(g) * far), class: "relative s1" }, svg);
    picture.replaceChildren(svg);
    input.setAttribute("aria-valuetext", number(g));
    Object.assign(tool.state, { told, slope: g, subgradients: kinked.subgradients });
    changed();
  };
  input.addEventListener("input", show);
  show();
  return tool;
}
