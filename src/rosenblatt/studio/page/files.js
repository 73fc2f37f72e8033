// Files: the picture of the plane as SVG or PNG, saving a file, and the text of a file that the user chooses.

const SVG = "http://www.w3.org/2000/svg";
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-weight", "paint-order"];

// The picture as a text of its own, with the styles of the page written into it.
export function pictureSvg(svg) {
  const copy = svg.cloneNode(true), originals = svg.querySelectorAll("*"), copies = copy.querySelectorAll("*");
  originals.forEach((original, i) => {
    const style = getComputedStyle(original);
    for (const name of STYLES) copies[i].setAttribute(name, style.getPropertyValue(name));
  });
  copy.querySelectorAll(".cursor").forEach((cursor) => cursor.remove());
  const setAll = (target, attributes) => { for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, value); };
  const background = copy.insertBefore(document.createElementNS(SVG, "rect"), copy.firstChild);
  setAll(background, { width: 640, height: 480, fill: getComputedStyle(svg).backgroundColor });
  setAll(copy, { xmlns: SVG, width: 640, height: 480 });
  for (const name of ["tabindex", "role", "aria-describedby", "id"]) copy.removeAttribute(name);
  return new XMLSerializer().serializeToString(copy);
}

export async function picturePng(svg, scale = 2) {
  const image = new Image(), address = URL.createObjectURL(new Blob([pictureSvg(svg)], { type: "image/svg+xml" }));
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 640 * scale, height: 480 * scale });
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
