// What the screen shows, in the fragment of its address; and as a picture.

const OWN = new Set(["example", "data", "classes", "at", "theme", "on", "lesson", "done", "gates", "build"]);

export const MOST = 500; // points that an address can hold

export function read() {
  const told = new URLSearchParams(location.hash.slice(1)), state = { options: {}, on: [] };
  for (const [name, value] of told) if (!OWN.has(name)) state.options[name] = value;
  state.example = told.get("example");
  state.theme = told.get("theme");
  const at = told.has("at") ? Number(told.get("at")) : NaN;
  state.at = Number.isInteger(at) ? at : null;
  state.on = told.get("on")?.split(";") ?? [];
  state.lesson = told.get("lesson");
  state.gates = told.get("gates");
  state.build = told.get("build");
  state.done = told.get("done")?.split(".") ?? [];
  if (told.has("data")) {
    const rows = told.get("data").split(";").filter(Boolean).map((row) => row.split(",").map(Number)), words = named(told.get("classes") ?? '["A","B","C","D","E"]');
    const whole = ([x, y, label]) => Number.isFinite(x) && Number.isFinite(y) && Number.isInteger(label) && label >= 0 && label < words.length;
    state.broken = !words || !rows.every((row) => row.length === 3 && whole(row));
    if (!state.broken) state.table = { rows: rows.map(([x, y]) => [x, y]), labels: rows.map((row) => row[2]), classes: words, columns: ["x1", "x2"], words: "Points from a link." };
  }
  return state;
}

// The classes of a link, or null where it was cut off on its way.
function named(text) {
  try {
    const found = JSON.parse(text);
    return Array.isArray(found) ? found : null;
  } catch { return null; }
}

export function write({ example, points, labels, classes, options, at, theme, on, lesson, done, gates, build }) {
  const told = new URLSearchParams();
  if (example) told.set("example", example);
  else if (points.length && points.length <= MOST) {
    told.set("data", points.map((point, i) => `${point[0]},${point[1]},${labels[i]}`).join(";"));
    told.set("classes", JSON.stringify(classes));
  }
  for (const [name, value] of Object.entries(options)) told.set(name, value);
  if (at !== null) told.set("at", at);
  if (on.length) told.set("on", on.join(";"));
  if (gates !== null) told.set("gates", gates);
  if (build !== null) told.set("build", build);
  if (theme) told.set("theme", theme);
  if (lesson) told.set("lesson", lesson);
  if (done.length) told.set("done", done.join("."));
  history.replaceState(null, "", `#${told}`);
}

const SHOWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-weight", "paint-order"];

// The picture alone, with its colours written into it.
export function picture(svg) {
  const copy = svg.cloneNode(true), from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((element, i) => {
    const look = getComputedStyle(element);
    for (const name of SHOWN) to[i].setAttribute(name, look.getPropertyValue(name));
  });
  copy.querySelectorAll(".cursor").forEach((one) => one.remove());
  const paper = copy.insertBefore(document.createElementNS("http://www.w3.org/2000/svg", "rect"), copy.firstChild);
  for (const [name, value] of Object.entries({ width: 640, height: 480, fill: getComputedStyle(svg).backgroundColor })) paper.setAttribute(name, value);
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width: 640, height: 480 })) copy.setAttribute(name, value);
  for (const name of ["tabindex", "role", "aria-describedby", "id"]) copy.removeAttribute(name);
  return new XMLSerializer().serializeToString(copy);
}

export async function png(svg, scale = 2) {
  const image = new Image(), address = URL.createObjectURL(new Blob([picture(svg)], { type: "image/svg+xml" }));
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 640 * scale, height: 480 * scale }), paint = canvas.getContext("2d");
  paint.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export function save(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
