// The legend: it names the lines and marks that are in the picture at this moment.

import { draw, element, lineSample } from "../dom.js";
import { drawMark } from "./marks.js";

// A ring is drawn round a point, and so is its sample; a point that is kept for testing is an outline.
const LINE = { x1: 1, x2: 31, y1: 6, y2: 6 }, RING = { d: "M10.5 6a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M15.5 6h1" }, OUTLINE = { cx: 16, cy: 6, r: 4.5 }, CROSS = { d: "M12 2L20 10M12 10L20 2" };
// Selector in the picture; shape, attributes and class of the sample; name.
const ENTRIES = [
  [".boundary", "line", LINE, "boundary", "boundary"],
  ["line.before:not(.normal), path.curve-before", "line", LINE, "before", "before"],
  [".normal:not(.before)", "path", { d: "M1 6H26M24 2L31 6L24 10Z" }, "normal", "normal w"],
  [".added:not(.tip)", "line", LINE, "added", "added to w"],
  [".network", "rect", { x: 1, y: 0, width: 30, height: 12 }, "network-key", "side of the network"],
  [".unit", "line", LINE, "unit s0", "line of a unit"],
  [".band", "rect", { x: 1, y: 0, width: 30, height: 12 }, "band key", "margin"],
  [".kept", "line", LINE, "kept", "kept"],
  [".widest", "line", LINE, "widest", "widest margin"],
  [".support", "path", RING, "support", "nearest rows"],
  [".point.test", "circle", OUTLINE, "test-key", "kept for testing"],
  [".visited:not(.wrong)", "path", RING, "visited", "row visited"],
  [".visited.wrong", "path", RING, "visited wrong", "a mistake"],
  [".hull", "rect", { x: 1, y: 1, width: 30, height: 10 }, "hull", "between rows"],
  [".proof-row", "path", RING, "proof-row", "proof rows"],
  [".meeting-point", "path", CROSS, "meeting-point", "on both sides"],
];

// The lines of other learners, each by its name.
function nameRelatives(picture, list) {
  const lines = new Map([...picture.querySelectorAll("[data-name]")].map((line) => [line.dataset.name, line.getAttribute("class").match(/s(\d)/)[1]]));
  const named = [...list.querySelectorAll("li[data-name]")];
  if (named.map((item) => item.dataset.name).join() === [...lines.keys()].join()) return;
  named.forEach((item) => item.remove());
  for (const [name, style] of lines) {
    const item = element("li", {}, lineSample(style), name);
    item.dataset.name = name;
    list.append(item);
  }
}

// The classes and their marks, for a page without the tools that name them.
export function nameClasses(list, classes) {
  list.prepend(...classes.map(([label, name]) => {
    const item = element("li", { className: "class-name" });
    drawMark(label, [16, 6], 5.5, draw("svg", { viewBox: "0 0 32 12", "aria-hidden": "true" }, item));
    item.append(name);
    return item;
  }));
}

export function followLegend(picture, list) {
  const items = ENTRIES.map(([selector, shape, attributes, className, name]) => {
    const item = element("li", { hidden: true });
    draw(shape, { ...attributes, class: className }, draw("svg", { viewBox: "0 0 32 12", "aria-hidden": "true" }, item));
    item.append(name);
    list.append(item);
    return [selector, item];
  });
  let scheduled = false;
  const update = () => {
    scheduled = false;
    for (const [selector, item] of items) item.hidden = !picture.querySelector(selector);
    nameRelatives(picture, list);
  };
  new MutationObserver(() => {
    if (!scheduled) requestAnimationFrame(update);
    scheduled = true;
  }).observe(picture, { childList: true, subtree: true });
}
