// Converts between the plane of the data and the picture. A line is [b, w1, w2]: the points with b + w1 x + w2 y = 0.

export const WIDTH = 640;
export const HEIGHT = 480;

export class View {
  constructor(points) {
    const [left, right] = range(points.map((point) => point[0])), [low, high] = range(points.map((point) => point[1]));
    // One scale for both axes, so that a normal looks perpendicular to its line. Few points get a wider border: the first
    // lines of a truth table pass far from it.
    const [across, up] = points.length > 10 ? [190, 160] : [260, 220];
    this.scale = Math.min((WIDTH - across) / (right - left), (HEIGHT - up) / (high - low));
    this.middle = [(left + right) / 2, (low + high) / 2];
  }
  toPicture([x, y]) {
    return [WIDTH / 2 + (x - this.middle[0]) * this.scale, HEIGHT / 2 - (y - this.middle[1]) * this.scale];
  }
  toPlane([u, v]) {
    return [this.middle[0] + (u - WIDTH / 2) / this.scale, this.middle[1] - (v - HEIGHT / 2) / this.scale];
  }
  get corners() {
    return [[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]].map((corner) => this.toPlane(corner));
  }
  // The part of a polygon on the positive side of a line.
  positiveSide(line, polygon = this.corners) {
    const clipped = [];
    polygon.forEach((p, i) => {
      const q = polygon[(i + 1) % polygon.length], scoreP = score(line, p), scoreQ = score(line, q);
      if (scoreP >= 0) clipped.push(p);
      if (scoreP >= 0 !== scoreQ >= 0) clipped.push(between(p, q, scoreP / (scoreP - scoreQ)));
    });
    return clipped;
  }
  // The two ends of a line in the picture, or null where it does not cross it.
  segment(line) {
    if (line[1] === 0 && line[2] === 0) return null;
    const ends = [], corners = this.corners;
    corners.forEach((p, i) => {
      const q = corners[(i + 1) % 4], scoreP = score(line, p), scoreQ = score(line, q);
      if (scoreP >= 0 !== scoreQ >= 0) ends.push(between(p, q, scoreP / (scoreP - scoreQ)));
    });
    return ends.length === 2 ? ends : null;
  }
  ticks() {
    const wish = 80 / this.scale, power = 10 ** Math.floor(Math.log10(wish));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= wish);
    const [[left, high], , [right, low]] = this.corners, multiples = (from, to) => {
      const values = [];
      for (let k = Math.ceil(from / step); k <= Math.floor(to / step); k++) values.push(k === 0 ? 0 : k * step);
      return values;
    };
    return { across: multiples(left, right), up: multiples(low, high) };
  }
}

const range = (values) => {
  if (!values.length) return [-1, 1];
  const smallest = values.reduce((a, b) => Math.min(a, b)), largest = values.reduce((a, b) => Math.max(a, b));
  return largest > smallest ? [smallest, largest] : [smallest - 1, largest + 1];
};
const between = (p, q, share) => [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])];
const score = ([b, w1, w2], [x, y]) => b + w1 * x + w2 * y;
export const norm = ([, w1, w2]) => Math.hypot(w1, w2);
