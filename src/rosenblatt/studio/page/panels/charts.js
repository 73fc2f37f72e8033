// Small charts; each has a label that says in words what it shows, and `moveTo` marks a place in it.

import { count, draw, element, number } from "../dom.js";

const WIDTH = 220, HEIGHT = 120, LEFT = 8, TOP = 8, BOTTOM = 104;

function figure(title, label, caption) {
  const chart = element("figure"), svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, chart);
  chart.append(element("figcaption", {}, element("strong", { textContent: title }), ` ${caption}`));
  draw("line", { x1: LEFT, x2: WIDTH - 6, y1: BOTTOM, y2: BOTTOM, class: "axis" }, svg);
  return { chart, svg };
}

// Two curves over the number of mistakes: what happened, and its bound.
export function boundChart({ title, caption, k, actual, bound }) {
  const last = k.at(-1) || 1, highest = Math.max(1e-300, ...actual, ...bound);
  const label = `${title}: after ${count(last, "mistake")} ${number(actual.at(-1))}, bound ${number(bound.at(-1))}`;
  const { chart, svg } = figure(title, label, caption);
  const x = (value) => LEFT + ((WIDTH - LEFT - 10) * value) / last, y = (value) => BOTTOM - ((BOTTOM - TOP) * Math.max(0, value)) / highest;
  const path = (values) => values.map((value, i) => `${i ? "L" : "M"}${x(k[i]).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  draw("path", { d: path(bound), class: "bound" }, svg);
  draw("path", { d: path(actual), class: "curve" }, svg);
  draw("text", { x: WIDTH - 8, y: HEIGHT - 3, "text-anchor": "end" }, svg, count(last, "mistake"));
  const marker = draw("line", { y1: TOP, y2: BOTTOM, class: "here" }, svg);
  const moveTo = (mistakes) => { for (const end of ["x1", "x2"]) marker.setAttribute(end, x(Math.min(mistakes, last))); };
  moveTo(last);
  return { chart, moveTo };
}

// Mistakes of each epoch, as bars.
export function epochChart({ title, caption, values }) {
  const highest = Math.max(1, ...values), step = (WIDTH - LEFT - 8) / Math.max(1, values.length), height = (value) => ((BOTTOM - TOP - 10) * value) / highest;
  const { chart, svg } = figure(title, `${title}: ${values.slice(0, 40).join(", ")}`, caption);
  const bars = values.map((value, i) => draw("rect", { x: LEFT + i * step, width: Math.max(0.6, step * 0.8), y: BOTTOM - height(value), height: Math.max(value ? 1 : 0, height(value)), class: "epoch-bar" }, svg));
  draw("text", { x: LEFT, y: TOP + 4 }, svg, `most: ${number(highest)}`);
  draw("text", { x: WIDTH - 8, y: HEIGHT - 3, "text-anchor": "end" }, svg, count(values.length, "epoch"));
  return { chart, moveTo: (epoch) => bars.forEach((bar, i) => bar.classList.toggle("current", i === epoch - 1)) };
}

// The share of errors at the end of each epoch: in training and, dashed, in the test.
export function errorChart(curves) {
  const last = Math.max(1, curves[0].values.length - 1), percent = (value) => `${(100 * value).toFixed(0)}%`;
  const label = `Errors after each epoch: ${curves.map(({ name, values }) => `${name} from ${percent(values[0])} to ${percent(values.at(-1))}`).join(", ")}`;
  const caption = curves.length > 1 ? "Solid: the rows that were learned. Dashed: those kept aside for testing." : "Keep rows aside for testing (in Data) to see the errors on them too.";
  const { chart, svg } = figure("Errors after each epoch.", label, caption);
  const highest = Math.max(0.01, ...curves.flatMap(({ values }) => values)), x = (epoch) => LEFT + ((WIDTH - LEFT - 10) * epoch) / last, y = (value) => BOTTOM - ((BOTTOM - TOP - 12) * value) / highest;
  curves.forEach(({ values }, i) => draw("path", { d: values.map((value, k) => `${k ? "L" : "M"}${x(k).toFixed(1)} ${y(value).toFixed(1)}`).join(""), class: i ? "bound" : "curve" }, svg));
  draw("text", { x: LEFT, y: TOP + 4 }, svg, `highest: ${percent(highest)}`);
  draw("text", { x: WIDTH - 8, y: HEIGHT - 3, "text-anchor": "end" }, svg, count(last, "epoch"));
  const marker = draw("line", { y1: TOP, y2: BOTTOM, class: "here" }, svg);
  const moveTo = (epoch) => { for (const end of ["x1", "x2"]) marker.setAttribute(end, x(Math.min(epoch, last))); };
  moveTo(last);
  return { chart, moveTo };
}
