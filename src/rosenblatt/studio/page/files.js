// Files: the picture of the plane as SVG or PNG, saving a file, and the text of a file that the user chooses.

const SVG = "http://www.w3.org/2000/svg";
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-weight", "paint-order"];

const WIDTH = 640, HEIGHT = 480, LINE = 20;

// The picture as a text of its own, with the styles of the page written into it and a legend below.
export function pictureSvg(svg) {
  const copy = withStyles(svg), entries = legendEntries(), nLines = placeInLines(entries), height = HEIGHT + (nLines ? nLines * LINE + 10 : 0);
  copy.querySelectorAll(".cursor").forEach((cursor) => cursor.remove());
  const background = copy.insertBefore(document.createElementNS(SVG, "rect"), copy.firstChild);
  setAll(background, { width: WIDTH, height, fill: getComputedStyle(svg).backgroundColor });
  for (const { sample, text, x, line } of entries) {
    const y = HEIGHT + 5 + line * LINE;
    copy.append(setAll(withStyles(sample), { x, y: y + 3, width: 30, height: 14 }));
    const name = copy.appendChild(setAll(document.createElementNS(SVG, "text"), { x: x + 36, y: y + 14, "font-family": "system-ui, sans-serif", "font-size": 12, fill: getComputedStyle(document.body).color }));
    name.textContent = text;
  }
  setAll(copy, { xmlns: SVG, width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}` });
  for (const name of ["tabindex", "role", "aria-describedby", "id"]) copy.removeAttribute(name);
  return new XMLSerializer().serializeToString(copy);
}
const setAll = (target, attributes) => { for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value); return target; };
function withStyles(svg) {
  const copy = svg.cloneNode(true), originals = svg.querySelectorAll("*"), copies = copy.querySelectorAll("*");
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of STYLES) copies[i].setAttribute(name, style.getPropertyValue(name));
  });
  return copy;
}
// The classes that have a point, and what the legend of the page names.
function legendEntries() {
  const classes = [...document.querySelectorAll("#tools label")].filter((label) => document.querySelector(`#layer-points .c${label.querySelector("input").value}`));
  const drawn = [...document.querySelectorAll("#legend li:not([hidden], .class-name)")];
  return [...classes, ...drawn].map((item) => ({ sample: item.querySelector("svg"), text: item.textContent }));
}
function placeInLines(entries) {
  let x = 12, line = 0;
  for (const entry of entries) {
    const width = 36 + 7 * entry.text.length + 18;
    if (x > 12 && x + width > WIDTH) [x, line] = [12, line + 1];
    Object.assign(entry, { x, line });
    x += width;
  }
  return entries.length ? line + 1 : 0;
}

export async function picturePng(svg, scale = 2) {
  const image = new Image(), address = URL.createObjectURL(new Blob([pictureSvg(svg)], { type: "image/svg+xml" }));
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth * scale, height: image.naturalHeight * scale });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

export function saveFile(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The text of an uploaded file; bytes in another encoding are an error, never shown as wrong letters.
export async function readText(file, maxBytes) {
  if (file.size > maxBytes) throw new Error(`${file.name} is larger than ${maxBytes / 1e6} MB: upload a part of it, or use rosenblatt fit.`);
  const bytes = new Uint8Array(await file.arrayBuffer()), [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is not text in UTF-8: save it as a CSV file in UTF-8, and upload it again.`);
  }
}
