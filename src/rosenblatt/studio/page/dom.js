// Makes elements of the page, and the numbers written in them.

export const find = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}
// Text with **bold**, *italic* and `code` as nodes. A star within a word, as in w1*x1, is a star.
const MARKED = /(\*\*.+?\*\*|`.+?`|(?<![\w*])\*[^\s*](?:[^*]*[^\s*])?\*(?![\w*]))/;
export function marked(text) {
  return text.split(MARKED).map((part, i) => {
    if (i % 2 === 0) return part;
    const [name, width] = part.startsWith("**") ? ["strong", 2] : [part.startsWith("`") ? "code" : "em", 1];
    return element(name, { textContent: part.slice(width, -width) });
  });
}
export const paragraph = (text, className = "") => element("p", { textContent: text, className });
// A fold that is open or closed as it was left, even when it is rebuilt or the page is loaded again.
export function rememberFold(details, name) {
  const key = `fold ${name}`, storage = globalThis.sessionStorage;
  details.open = storage?.getItem(key) === "open";
  details.addEventListener("toggle", () => storage?.setItem(key, details.open ? "open" : ""));
  return details;
}
export function labelled(text, input) { return { label: element("label", {}, text, input), input }; }

const SVG = "http://www.w3.org/2000/svg";
export function draw(name, attributes = {}, parent = null, text = "") {
  const shape = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
  if (text) shape.textContent = text;
  parent?.append(shape);
  return shape;
}

export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const text = Number.isInteger(value) && Math.abs(value) < 1e12 ? value.toLocaleString("en") : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}
// Its numbers stay on one line.
export const vector = (values) => `[${values.map((value) => number(value, 3)).join(",\u00a0")}]`;
// The minus of numbers as wide as a plus, and the signs of a formula as they are printed.
export const withMinus = (text) => text.replace(/(^|[\s('[])-(?=\d)/g, "$1−");
export const formula = (text) => text.replaceAll("-", "−").replaceAll("<=", "≤").replaceAll(">=", "≥");
export const count = (many, noun) => `${number(many)} ${noun}${many === 1 ? "" : "s"}`;

// Line styles of the relatives and the losses. "none" is solid; dotted is left to what was kept.
export const DASHES = ["none", "12 4", "10 4 2 4 2 4", "12 4 2 4", "6 4"];
export function lineSample(index) {
  const sample = draw("svg", { viewBox: "0 0 42 12", "aria-hidden": "true" });
  draw("line", { x1: 1, x2: 41, y1: 6, y2: 6, class: `relative s${index}`, "stroke-dasharray": DASHES[index] }, sample);
  return sample;
}
