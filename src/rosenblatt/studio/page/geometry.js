// Between the plane of the data and the picture; lines are [b, w1, w2], the points with b + w1 x + w2 y = 0.

export const WIDTH = 640, HEIGHT = 480;

export class View {
  constructor(points) {
    const [left, right] = span(points.map((p) => p[0])), [low, high] = span(points.map((p) => p[1]));
    // One scale for both axes, so that a normal looks perpendicular to its line. Round few points there is more room:
    // the lines of a truth table pass far from it at first.
    this.scale = Math.min((WIDTH - 190) / (right - left), (HEIGHT - (points.length > 10 ? 160 : 220)) / (high - low));
    this.middle = [(left + right) / 2, (low + high) / 2];
  }
  to([x, y]) {
    return [WIDTH / 2 + (x - this.middle[0]) * this.scale, HEIGHT / 2 - (y - this.middle[1]) * this.scale];
  }
  from([u, v]) {
    return [this.middle[0] + (u - WIDTH / 2) / this.scale, this.middle[1] - (v - HEIGHT / 2) / this.scale];
  }
  get corners() {
    return [[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]].map((corner) => this.from(corner));
  }
  // The part of a polygon on the positive side of a line.
  half(line, polygon = this.corners) {
    const found = [];
    polygon.forEach((p, i) => {
      const q = polygon[(i + 1) % polygon.length], sp = score(line, p), sq = score(line, q);
      if (sp >= 0) found.push(p);
      if (sp >= 0 !== sq >= 0) found.push(between(p, q, sp / (sp - sq)));
    });
    return found;
  }
  // The part of a line inside the picture, or null.
  segment(line) {
    if (line[1] === 0 && line[2] === 0) return null;
    const ends = [], corners = this.corners;
    corners.forEach((p, i) => {
      const q = corners[(i + 1) % 4], sp = score(line, p), sq = score(line, q);
      if (sp >= 0 !== sq >= 0) ends.push(between(p, q, sp / (sp - sq)));
    });
    return ends.length === 2 ? ends : null;
  }
  ticks() {
    const about = 80 / this.scale, power = 10 ** Math.floor(Math.log10(about));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= about);
    const [[left, high], , [right, low]] = this.corners, all = (a, b) => {
      const found = [];
      for (let k = Math.ceil(a / step); k <= Math.floor(b / step); k++) found.push(k === 0 ? 0 : k * step);
      return found;
    };
    return { across: all(left, right), up: all(low, high) };
  }
}

const span = (values) => {
  if (!values.length) return [-1, 1];
  const least = values.reduce((a, b) => Math.min(a, b)), most = values.reduce((a, b) => Math.max(a, b));
  return most > least ? [least, most] : [least - 1, most + 1];
};
const between = (p, q, share) => [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])];
export const score = ([b, w1, w2], [x, y]) => b + w1 * x + w2 * y;
export const length = ([, w1, w2]) => Math.hypot(w1, w2);

export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const text = Number.isInteger(value) && Math.abs(value) < 1e6 ? value.toLocaleString("en") : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}
export const vector = (values) => `[${values.map((v) => number(v, 3)).join(", ")}]`;

const SVG = "http://www.w3.org/2000/svg";
export function draw(name, attributes = {}, parent = null, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  parent?.append(element);
  return element;
}

// The shape of each class, so that colour is never needed to tell them apart; the order is that of the figures.
const star = (n, turn = 0, r = 1) => Array.from({ length: n }, (_, k) => {
  const angle = turn + (2 * Math.PI * k) / n;
  return `${(r * Math.sin(angle)).toFixed(3)} ${(-r * Math.cos(angle)).toFixed(3)}`;
}).map((at, k) => (k ? "L" : "M") + at).join("") + "Z";
const cross = "M-.35-1H.35V-.35H1V.35H.35V1H-.35V.35H-1V-.35H-.35Z";
const SHAPES = [
  "M-.9 0A.9.9 0 1 0 .9 0A.9.9 0 1 0-.9 0Z", "M-.82-.82H.82V.82H-.82Z", star(3, 0, 1.15), star(4, 0, 1.15), star(3, Math.PI, 1.15),
  cross, "M-1-.5L-.5-1L0-.5L.5-1L1-.5L.5 0L1 .5L.5 1L0 .5L-.5 1L-1 .5L-.5 0Z", star(5), star(3, -Math.PI / 2, 1.15), star(3, Math.PI / 2, 1.15),
];
export function mark(label, [u, v], size, parent, extra = "point") {
  return draw("path", { d: SHAPES[label], class: `${extra} c${label}`, transform: `translate(${u} ${v}) scale(${size})`, "vector-effect": "non-scaling-stroke" }, parent);
}

// Many points as one picture.
export function painted(places, labels, size, parent) {
  const sharp = 2, canvas = Object.assign(document.createElement("canvas"), { width: WIDTH * sharp, height: HEIGHT * sharp });
  const paint = canvas.getContext("2d"), look = getComputedStyle(document.documentElement), shapes = SHAPES.map((d) => new Path2D(d));
  paint.strokeStyle = look.getPropertyValue("--paper");
  paint.lineWidth = 0.8 / size;
  places.forEach(([u, v], i) => {
    paint.setTransform(sharp * size, 0, 0, sharp * size, sharp * u, sharp * v);
    paint.fillStyle = look.getPropertyValue(`--class${labels[i]}`);
    paint.fill(shapes[labels[i]]);
    paint.stroke(shapes[labels[i]]);
  });
  return draw("image", { href: canvas.toDataURL(), width: WIDTH, height: HEIGHT, "data-points": places.length }, parent);
}
