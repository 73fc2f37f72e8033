// The marks of the points: a shape for each class, so that colour is never needed to tell them apart. The order of the
// shapes is that of the figures.

import { draw } from "../dom.js";
import { HEIGHT, WIDTH } from "./view.js";

const polygon = (n, turn = 0, radius = 1) => Array.from({ length: n }, (_, k) => {
  const angle = turn + (2 * Math.PI * k) / n;
  return `${k ? "L" : "M"}${(radius * Math.sin(angle)).toFixed(3)} ${(-radius * Math.cos(angle)).toFixed(3)}`;
}).join("") + "Z";
const SHAPES = [
  "M-.9 0A.9.9 0 1 0 .9 0A.9.9 0 1 0-.9 0Z", "M-.82-.82H.82V.82H-.82Z", polygon(3, 0, 1.15), polygon(4, 0, 1.15), polygon(3, Math.PI, 1.15),
  "M-.35-1H.35V-.35H1V.35H.35V1H-.35V.35H-1V-.35H-.35Z", "M-1-.5L-.5-1L0-.5L.5-1L1-.5L.5 0L1 .5L.5 1L0 .5L-.5 1L-1 .5L-.5 0Z", polygon(5), polygon(3, -Math.PI / 2, 1.15), polygon(3, Math.PI / 2, 1.15),
];
// A point that is kept aside for testing is an outline.
export function drawMark(label, [u, v], size, parent, isTest = false) {
  return draw("path", { d: SHAPES[label], class: isTest ? `point c${label} s${label} test` : `point c${label}`, transform: `translate(${u} ${v}) scale(${size})`, "vector-effect": "non-scaling-stroke" }, parent);
}

// Thousands of points as one bitmap, which is much faster than an element for each.
export function drawBitmap(places, labels, size, parent, testRows) {
  const resolution = 2, canvas = Object.assign(document.createElement("canvas"), { width: WIDTH * resolution, height: HEIGHT * resolution });
  const context = canvas.getContext("2d"), style = getComputedStyle(document.documentElement), shapes = SHAPES.map((d) => new Path2D(d));
  context.strokeStyle = style.getPropertyValue("--paper");
  context.lineWidth = 0.8 / size;
  places.forEach(([u, v], i) => {
    context.setTransform(resolution * size, 0, 0, resolution * size, resolution * u, resolution * v);
    context.fillStyle = style.getPropertyValue(`--class${labels[i]}`);
    context.globalAlpha = testRows.has(i) ? 0.35 : 1;
    context.fill(shapes[labels[i]]);
    context.stroke(shapes[labels[i]]);
  });
  return draw("image", { href: canvas.toDataURL(), width: WIDTH, height: HEIGHT, "data-points": places.length }, parent);
}
