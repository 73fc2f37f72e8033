// The picture of the plane: its grid, where each point is drawn, and over it what the engine says.

import { WIDTH, HEIGHT, draw, length, number } from "./geometry.js";

export const MANY = 1500; // points beyond this are painted as one picture, so that a frame stays quick
const LAYERS = ["grid", "regions", "band", "proof", "lines", "arrows", "points", "said", "over"];

export class Picture {
  constructor(svg) {
    Object.assign(this, { svg, points: [], labels: [], classes: ["A", "B", "C", "D", "E"] });
    this.layer = Object.fromEntries(LAYERS.map((name) => [name, draw("g", { id: `layer-${name}` }, svg)]));
  }
  // Points in the same place are drawn round it, so that each is seen; the engine knows only their place.
  apart() {
    const at = this.points.map((point) => this.view.to(point)), groups = new Map();
    if (this.points.length > MANY) return at;
    this.points.forEach((point, i) => { const key = point.join(" "); groups.set(key, [...(groups.get(key) ?? []), i]); });
    for (const group of groups.values()) {
      if (group.length < 2) continue;
      const far = Math.min(26, this.size * (group.length < 6 ? 1.2 : 0.32 * group.length));
      group.forEach((i, k) => {
        const angle = (2 * Math.PI * k) / group.length;
        at[i] = [at[i][0] + far * Math.cos(angle), at[i][1] - far * Math.sin(angle)];
      });
    }
    return at;
  }
  spot(i) { return this.spots?.[i] ?? this.view.to(this.points[i]); }
  grid() {
    const layer = this.layer.grid, { across, up } = this.view.ticks();
    layer.replaceChildren();
    for (const x of across) {
      const [u] = this.view.to([x, 0]);
      draw("line", { x1: u, x2: u, y1: 0, y2: HEIGHT, class: Math.abs(x) < 1e-12 ? "zero" : "tick" }, layer);
      draw("text", { x: u + 3, y: HEIGHT - 5 }, layer, number(x, 6));
    }
    for (const y of up) {
      const [, v] = this.view.to([0, y]);
      draw("line", { y1: v, y2: v, x1: 0, x2: WIDTH, class: Math.abs(y) < 1e-12 ? "zero" : "tick" }, layer);
      if (v > 46 && v < HEIGHT - 26) draw("text", { x: 4, y: v - 4 }, layer, number(y, 6)); // the corners are for the names of the axes
    }
    const [across0, up0] = this.columns ?? ["x1", "x2"];
    draw("text", { x: WIDTH - 6, y: HEIGHT - 29, "text-anchor": "end" }, layer, `${across0} →`);
    draw("text", { x: 6, y: 19 }, layer, `↑ ${up0}`);
  }
  polygon(corners, parent, attributes) {
    if (corners.length > 2) draw("polygon", { points: corners.map((c) => this.view.to(c).join(" ")).join(","), ...attributes }, parent);
  }
  line(weights, parent, attributes) {
    const found = this.view.segment(weights);
    if (!found) return null;
    const [[x1, y1], [x2, y2]] = found.map((end) => this.view.to(end));
    return draw("line", { x1, y1, x2, y2, ...attributes }, parent);
  }
  // One moment of the run: regions, boundary, normal, what was added, the margin band, the row that was looked at.
  frame(frame, run, longest) {
    const { regions, band, lines, arrows, over } = this.layer;
    over.querySelectorAll(".lit").forEach((one) => one.remove());
    if (frame) this.light(frame);
    if (frame && run.curved) return arrows.replaceChildren(); // the rest is drawn when the engine has sent it
    const votes = frame && run.units.length > 1 && run.scheme === "ovo";
    for (const layer of votes ? [band, lines, arrows] : [regions, band, lines, arrows]) layer.replaceChildren();
    if (!frame) return;
    const units = frame.after, single = units.length === 1;
    if (single) this.halves(units[0], run.classes);
    else if (run.scheme !== "ovo") this.cells(units, run.classes);
    if (single && frame.margin > 0) this.band(units[0], frame.margin);
    units.forEach((weights, unit) => {
      const before = frame.before[unit], moved = before.some((value, i) => value !== weights[i]);
      if (moved && run.scheme !== "joint") this.line(before, lines, { class: "was" });
      const kind = single ? "boundary" : `unit s${run.scheme === "ovo" ? unit % 5 : run.classes[unit]}`;
      // Units that are corrected together have no boundary of their own: the highest score decides.
      if (run.scheme !== "joint") this.line(weights, lines, { class: kind, "data-weights": weights.join(" ") });
      if (single) this.normals(before, weights, moved, longest);
    });
    if (single && frame.kept) frame.kept.forEach((weights) => this.line(weights, lines, { class: "kept" }));
  }
  light(frame) {
    if (frame.row === null || frame.row === undefined || !this.points[frame.row]) return;
    const [cx, cy] = this.spot(frame.row);
    draw("circle", { cx, cy, r: this.size + 7, class: `lit ${frame.wrong ? "wrong" : ""}` }, this.layer.over);
  }
  halves(weights, [negative, positive]) {
    if (length(weights) === 0) return;
    this.polygon(this.view.half(weights), this.layer.regions, { class: `region c${positive}` });
    this.polygon(this.view.half(weights.map((w) => -w)), this.layer.regions, { class: `region c${negative}` });
  }
  cells(units, classes) {
    units.forEach((mine, k) => {
      let cell = this.view.corners;
      units.forEach((other, l) => { if (l !== k && cell.length) cell = this.view.half(mine.map((w, i) => w - other[i]), cell); });
      if (cell.length === 4 && units.every((u) => length(u) === 0)) return;
      this.polygon(cell, this.layer.regions, { class: `region cell c${classes[k]}` });
    });
  }
  band([b, ...w], margin, parent = this.layer.band, attributes = { class: "band" }) {
    const far = margin * Math.hypot(...w), inside = this.view.half([b + far, ...w]);
    this.polygon(this.view.half([far - b, -w[0], -w[1]], inside), parent, attributes);
  }
  normals(before, after, moved, longest) {
    const found = this.view.segment(after), scale = 120 / (longest || 1);
    const ends = found?.map((end) => this.view.to(end));
    const root = ends ? [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2] : [WIDTH / 2, HEIGHT / 2];
    const tip = ([, w1, w2]) => [root[0] + w1 * scale, root[1] - w2 * scale];
    if (moved && length(before) > 0) this.arrow(root, tip(before), "was");
    if (length(after) > 0) this.arrow(root, tip(after), "");
    if (moved) this.arrow(tip(before), tip(after), "added");
  }
  arrow([x1, y1], [x2, y2], kind) {
    const far = Math.hypot(x2 - x1, y2 - y1), layer = this.layer.arrows;
    if (far < 1) return;
    const [u, v] = [(x2 - x1) / far, (y2 - y1) / far], head = Math.min(11, far);
    draw("line", { x1, y1, x2: x2 - u * head * 0.8, y2: y2 - v * head * 0.8, class: `${kind === "added" ? "" : "normal"} ${kind}` }, layer);
    const side = (s) => `${x2 - u * head - s * v * head * 0.5} ${y2 - v * head + s * u * head * 0.5}`;
    draw("path", { d: `M${x2} ${y2}L${side(1)}L${side(-1)}Z`, class: `tip ${kind}` }, layer);
  }
  // The proof: the widest margin and the rows that hold it, or the rows whose averages are one point.
  proof(verdict) {
    const layer = this.layer.proof, said = this.layer.said;
    layer.replaceChildren();
    said.replaceChildren();
    if (!verdict) return;
    if (verdict.curves) {
      for (const d of verdict.curves) draw("path", { d, class: "widest" }, layer);
      this.rings(verdict.support, layer, "support");
    } else if (verdict.kind === "inseparable" && !verdict.hulls) this.rings(verdict.rows, layer, "culprit");
    else if (verdict.kind === "separable" && verdict.weights.length === 3) {
      const [b, ...w] = verdict.weights, far = verdict.margin * Math.hypot(...w);
      for (const shift of [-far, 0, far]) this.line([b + shift, ...w], layer, { class: "widest" });
      this.rings(verdict.support, layer, "support");
    } else if (verdict.kind === "inseparable") {
      for (const rows of verdict.hulls) {
        const corners = rows.map((row) => this.view.to(this.points[row]));
        if (corners.length > 1) draw("polygon", { points: corners.map((c) => c.join(" ")).join(","), class: "hull" }, layer);
      }
      const [u, v] = this.view.to(verdict.meets);
      draw("path", { d: `M${u - 9} ${v - 9}L${u + 9} ${v + 9}M${u - 9} ${v + 9}L${u + 9} ${v - 9}`, class: "meets" }, said);
      if (verdict.rows.length <= 8) this.reasons(verdict, said);
    }
  }
  // Each row of the proof with its weight; rows in the same place share a label.
  reasons(verdict, layer) {
    const places = new Map();
    verdict.rows.forEach((row, i) => {
      const at = this.view.to(this.points[row]).join(" ");
      places.set(at, [...(places.get(at) ?? []), `row ${row}: ${short(verdict.weights[i])}`]);
    });
    // From the top down each finds a free place; they are read in the order of the rows.
    const high = this.svg.clientWidth < 500 ? 23 : 17, wide = 10 * high, taken = [], found = new Map();
    const free = (x, y) => taken.every(([u, v]) => Math.abs(u - x) > wide || Math.abs(v - y) >= high);
    for (const [at, told] of [...places].sort(([a], [b]) => Number(a.split(" ")[1]) - Number(b.split(" ")[1]))) {
      const [x, y] = at.split(" ").map(Number), right = x < WIDTH - 120;
      let v = y - (told.length > 1 ? 26 : 10);
      while (!free(x, v)) v += 1;
      taken.push([x, v]);
      found.set(at, { x: x + (right ? 13 : -13), y: v, class: "why", "text-anchor": right ? "start" : "end" });
    }
    for (const [at, told] of places) draw("text", found.get(at), layer, told.join(", "));
  }
  rings(rows, layer, kind) {
    for (const row of rows.filter((one) => this.points[one])) {
      const [cx, cy] = this.spot(row);
      draw("circle", { cx, cy, r: this.size + 4, class: kind }, layer);
    }
  }
  relatives(lines) {
    this.layer.grid.querySelectorAll(".relative").forEach((one) => one.remove());
    for (const { weights, path, kind } of lines) {
      const look = { class: `relative ${kind}`, "stroke-dasharray": DASHES[Number(kind[1])] };
      if (path === undefined) this.line(weights, this.layer.grid, look);
      else draw("path", { d: path, ...look }, this.layer.grid);
    }
  }
}

const short = (weight) => (weight.length <= 7 ? weight : `≈ ${number(fraction(weight), 3)}`);
const fraction = (weight) => weight.split("/").map(Number).reduce((a, b) => a / b);
export const DASHES = ["none", "12 4", "10 4 2 4 2 4", "12 4 2 4", "6 4"]; // none is dotted: that is what was kept
