// Small charts that say in words what they show.

import { draw, number } from "./geometry.js";

const WIDE = 220, HIGH = 120, LEFT = 8, TOP = 8, LOW = 104;

function figure(title, label, caption) {
  const made = document.createElement("figure"), svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label }, made);
  const said = document.createElement("figcaption"), strong = document.createElement("strong");
  strong.textContent = title;
  said.append(strong, ` ${caption}`);
  made.append(said);
  draw("line", { x1: LEFT, x2: WIDE - 6, y1: LOW, y2: LOW, class: "axis" }, svg);
  return { made, svg };
}

// Two curves over the number of mistakes: what happened, and its bound.
export function curves({ title, caption, k, happened, bound }) {
  const last = k.at(-1) || 1, most = Math.max(1e-300, ...happened, ...bound);
  const label = `${title}: after ${last} mistakes ${number(happened.at(-1))}, bound ${number(bound.at(-1))}`;
  const { made, svg } = figure(title, label, caption);
  const x = (value) => LEFT + ((WIDE - LEFT - 10) * value) / last, y = (value) => LOW - ((LOW - TOP) * Math.max(0, value)) / most;
  const path = (values) => values.map((value, i) => `${i ? "L" : "M"}${x(k[i]).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  draw("path", { d: path(bound), class: "bound" }, svg);
  draw("path", { d: path(happened), class: "curve" }, svg);
  draw("text", { x: WIDE - 8, y: HIGH - 3, "text-anchor": "end" }, svg, `${number(last)} mistakes`);
  const here = draw("line", { y1: TOP, y2: LOW, class: "here" }, svg);
  const at = (now) => { here.setAttribute("x1", x(Math.min(now, last))); here.setAttribute("x2", x(Math.min(now, last))); };
  at(last);
  return { made, at };
}

// Mistakes of each epoch, as bars.
export function bars({ title, caption, values }) {
  const most = Math.max(1, ...values), wide = (WIDE - LEFT - 8) / Math.max(1, values.length);
  const { made, svg } = figure(title, `${title}: ${values.slice(0, 40).join(", ")}`, caption);
  const drawn = values.map((value, i) => draw("rect", { x: LEFT + i * wide, width: Math.max(0.6, wide * 0.8), y: LOW - ((LOW - TOP - 10) * value) / most, height: Math.max(value ? 1 : 0, ((LOW - TOP - 10) * value) / most), class: "barred" }, svg));
  draw("text", { x: LEFT, y: TOP + 4 }, svg, `most: ${number(most)}`);
  draw("text", { x: WIDE - 8, y: HIGH - 3, "text-anchor": "end" }, svg, `${number(values.length)} epochs`);
  return { made, at: (epoch) => drawn.forEach((bar, i) => bar.classList.toggle("now", i === epoch - 1)) };
}
