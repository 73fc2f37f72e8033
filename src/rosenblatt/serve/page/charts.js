// Small charts as SVG; each has a label that says in words what it shows.

const SVG = "http://www.w3.org/2000/svg", WIDTH = 520, HEIGHT = 170, LEFT = 52, RIGHT = 10, TOP = 12, BOTTOM = 146;

function draw(name, attributes, parent, text = "") {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  parent?.append(node);
  return node;
}

function caption(text) {
  const node = document.createElement("figcaption");
  node.textContent = text;
  return node;
}

function frame(label) {
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: BOTTOM, y2: BOTTOM, class: "axis" }, svg);
  return svg;
}

// Curves over minutes; alarms are upright lines.
export function lineChart(title, curves, written, alarms) {
  const points = curves.flatMap((curve) => curve.points);
  if (points.length === 0) return [caption("Nothing in the last hour.")];
  const now = Date.now() / 60000, first = Math.min(now - 10, ...points.map((point) => point[0])), highest = Math.max(1e-9, ...points.map((point) => point[1]));
  const x = (minute) => LEFT + ((WIDTH - LEFT - RIGHT) * (minute - first)) / (now - first), y = (value) => BOTTOM - ((BOTTOM - TOP) * value) / highest;
  const label = `${title}: ${curves.map((curve) => `${curve.name} ${written(curve.points.at(-1)?.[1] ?? 0)} now`).join(", ")}; at most ${written(highest)}`;
  const svg = frame(label);
  curves.forEach((curve, i) => {
    const follows = (k) => k > 0 && k < curve.points.length && curve.points[k][0] - curve.points[k - 1][0] === 1; // nothing is known of minutes between
    const path = curve.points.map(([minute, value], k) => `${follows(k) ? "L" : "M"}${x(minute).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    draw("path", { d: path, class: i ? "line second" : "line" }, svg);
    curve.points.forEach(([minute, value], k) => { if (!follows(k) && !follows(k + 1)) draw("circle", { cx: x(minute), cy: y(value), r: 3, class: i ? "dot second" : "dot" }, svg); });
  });
  for (const alarm of alarms) if (alarm >= first) draw("line", { x1: x(alarm), x2: x(alarm), y1: TOP, y2: BOTTOM, class: "alarm" }, svg);
  draw("text", { x: LEFT - 5, y: TOP + 5, "text-anchor": "end" }, svg, written(highest));
  draw("text", { x: LEFT - 5, y: BOTTOM, "text-anchor": "end" }, svg, written(0));
  draw("text", { x: LEFT, y: HEIGHT - 6 }, svg, `${Math.round(now - first)} minutes ago`);
  draw("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, svg, "now");
  const names = curves.length > 1 ? ` Solid: ${curves[0].name}. Dashed: ${curves[1].name}.` : "";
  return [svg, caption(`${title}.${names}`)];
}

// How often the decided class was right, against how probable the model had called it.
export function reliabilityChart(bins) {
  if (bins.length === 0) return [];
  const at = (share) => [LEFT + (WIDTH - LEFT - RIGHT) * share, BOTTOM - (BOTTOM - TOP) * share];
  const svg = frame(`Calibration: ${bins.map((bin) => `called ${(100 * bin.said).toFixed(0)}% sure, right ${(100 * bin.right).toFixed(0)}%`).join("; ")}`);
  draw("line", { x1: at(0)[0], y1: at(0)[1], x2: at(1)[0], y2: at(1)[1], class: "ideal" }, svg);
  const most = Math.max(...bins.map((bin) => bin.examples));
  for (const bin of bins) draw("circle", { cx: at(bin.said)[0], cy: at(bin.right)[1], r: 3 + 5 * Math.sqrt(bin.examples / most), class: "dot" }, svg);
  draw("text", { x: LEFT - 5, y: TOP + 5, "text-anchor": "end" }, svg, "100%");
  draw("text", { x: LEFT - 5, y: BOTTOM, "text-anchor": "end" }, svg, "0%");
  draw("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end" }, svg, "100% sure");
  draw("text", { x: LEFT, y: HEIGHT - 6 }, svg, "0%");
  return [svg, caption("How often it is right, against how sure it is: on the dashed line both agree. Larger dots are more examples.")];
}
