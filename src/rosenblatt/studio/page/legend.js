// What the lines and marks of the plane mean: only those that are drawn now are named.

import { draw } from "./geometry.js";

const LINE = { x1: 1, x2: 31, y1: 6, y2: 6 }, RING = { cx: 16, cy: 6, r: 4.5 }, CROSS = { d: "M12 2L20 10M12 10L20 2" };
const MEANT = [
  [".boundary", "line", LINE, "boundary", "boundary"],
  ["line.was:not(.normal), path.curve-was", "line", LINE, "was", "before"],
  [".normal:not(.was)", "path", { d: "M1 6H26M24 2L31 6L24 10Z" }, "normal", "normal w"],
  [".added:not(.tip)", "line", LINE, "added", "added to w"],
  [".unit", "line", LINE, "unit s0", "line of a unit"],
  [".band", "rect", { x: 1, y: 0, width: 30, height: 12 }, "band key", "margin"],
  [".kept", "line", LINE, "kept", "kept"],
  [".widest", "line", LINE, "widest", "widest margin"],
  [".support", "circle", RING, "support", "nearest rows"],
  [".lit:not(.wrong)", "circle", RING, "lit", "row looked at"],
  [".lit.wrong", "circle", RING, "lit wrong", "a mistake"],
  [".hull", "rect", { x: 1, y: 1, width: 30, height: 10 }, "hull", "between rows"],
  [".culprit", "circle", RING, "culprit", "proof rows"],
  [".meets", "path", CROSS, "meets", "on both sides"],
];

export function keepLegend(svg, place) {
  const entries = MEANT.map(([drawn, shape, at, kind, words]) => {
    const item = document.createElement("li");
    draw(shape, { ...at, class: kind }, draw("svg", { viewBox: "0 0 32 12", "aria-hidden": "true" }, item));
    item.append(words);
    item.hidden = true;
    place.append(item);
    return [drawn, item];
  });
  let waiting = false;
  const look = () => {
    waiting = false;
    for (const [drawn, item] of entries) item.hidden = !svg.querySelector(drawn);
  };
  new MutationObserver(() => {
    if (!waiting) requestAnimationFrame(look);
    waiting = true;
  }).observe(svg, { childList: true, subtree: true });
}
