// Draws the plane: the grid, and over it what the server has computed.

import { DASHES, draw, number } from "../dom.js";
import { HEIGHT, WIDTH, norm } from "./view.js";

export const MAX_MARKS = 1500; // more points are drawn as one bitmap, so that a frame stays fast
const LAYERS = ["grid", "regions", "band", "proof", "lines", "names", "arrows", "points", "labels", "overlay"]; // from the bottom up

export class PlaneDrawing {
  constructor(svg) {
    Object.assign(this, { svg, points: [], labels: [], classes: ["A", "B", "C", "D", "E"], showsBand: false, showsKept: false, network: null, testRows: new Set() });
    this.layer = Object.fromEntries(LAYERS.map((name) => [name, draw("g", { id: `layer-${name}` }, svg)]));
  }
  // Where each point is drawn. Equal points are spread round their place, so that each is seen.
  markPlaces() {
    const places = this.points.map((point) => this.view.toPicture(point)), groups = new Map();
    if (this.points.length > MAX_MARKS) return places;
    this.points.forEach((point, i) => { const key = point.join(" "); groups.set(key, [...(groups.get(key) ?? []), i]); });
    for (const group of groups.values()) {
      if (group.length < 2) continue;
      const radius = Math.min(26, this.size * (group.length < 6 ? 1.2 : 0.32 * group.length));
      group.forEach((i, k) => {
        const angle = (2 * Math.PI * k) / group.length;
        places[i] = [places[i][0] + radius * Math.cos(angle), places[i][1] - radius * Math.sin(angle)];
      });
    }
    return places;
  }
  markPlace(i) { return this.places?.[i] ?? this.view.toPicture(this.points[i]); }
  drawGrid() {
    const layer = this.layer.grid, { names } = this.layer, { across, up } = this.view.ticks();
    layer.replaceChildren();
    names.replaceChildren(); // over the lines, so that none crosses a number
    for (const x of across) {
      const [u] = this.view.toPicture([x, 0]);
      draw("line", { x1: u, x2: u, y1: 0, y2: HEIGHT, class: Math.abs(x) < 1e-12 ? "zero" : "tick" }, layer);
      const text = number(x, 6);
      if (u + 3 + this.letterWidth * text.length < WIDTH) draw("text", { x: u + 3, y: HEIGHT - 5 }, names, text);
    }
    for (const y of up) {
      const [, v] = this.view.toPicture([0, y]);
      draw("line", { y1: v, y2: v, x1: 0, x2: WIDTH, class: Math.abs(y) < 1e-12 ? "zero" : "tick" }, layer);
      if (v > 46 && v < HEIGHT - 26) draw("text", { x: 4, y: v - 4 }, names, number(y, 6)); // the corners hold the names of the axes
    }
    const [acrossName, upName] = this.columns ?? ["x1", "x2"];
    draw("text", { x: WIDTH - 6, y: HEIGHT - 29, "text-anchor": "end" }, names, `${acrossName} →`);
    draw("text", { x: 6, y: 19 }, names, `↑ ${upName}`);
  }
  // About as wide as a digit of the axes: the style sheet has larger ones where the picture is small.
  get letterWidth() { return this.svg.clientWidth < 640 ? 11.5 : 8; }
  drawPolygon(corners, parent, attributes) {
    if (corners.length > 2) draw("polygon", { points: corners.map((corner) => this.view.toPicture(corner).join(" ")).join(","), ...attributes }, parent);
  }
  drawLine(weights, parent, attributes) {
    const segment = this.view.segment(weights);
    if (!segment) return;
    const [[x1, y1], [x2, y2]] = segment.map((end) => this.view.toPicture(end));
    draw("line", { x1, y1, x2, y2, ...attributes }, parent);
  }

  // -- a moment of the run --------------------------------------------------------------------------------------------

  // Regions, boundary, normal, what was added, the margin band, the row that was visited.
  drawFrame(frame, run, longest) {
    const { regions, band, lines, arrows, overlay } = this.layer;
    overlay.querySelectorAll(".visited").forEach((ring) => ring.remove());
    if (this.network) return this.drawNetwork();
    if (frame) this.drawVisitedRow(frame);
    if (frame && run.curved) return arrows.replaceChildren(); // the rest is drawn by curves.js
    const regionsByVotes = frame && run.units.length > 1 && run.scheme === "ovo"; // these are drawn by curves.js too
    for (const layer of regionsByVotes ? [band, lines, arrows] : [regions, band, lines, arrows]) layer.replaceChildren();
    if (!frame) return;
    const units = frame.after, single = units.length === 1;
    if (single) this.drawHalves(units[0], run.classes);
    else if (run.scheme !== "ovo") this.drawCells(units, run.classes);
    if (single && frame.margin > 0 && this.showsBand) this.drawBand(units[0], frame.margin);
    units.forEach((weights, unit) => {
      const before = frame.before[unit], moved = before.some((value, i) => value !== weights[i]);
      const className = single ? "boundary" : `unit s${run.scheme === "ovo" ? unit % 5 : run.classes[unit]}`;
      if (run.scheme !== "joint") { // units that learn jointly have no boundary each: the highest score decides
        if (moved) this.drawLine(before, lines, { class: "before" });
        this.drawLine(weights, lines, { class: className, "data-weights": weights.join(" ") });
      }
      if (single) this.drawNormals(before, weights, moved, longest);
    });
    if (single && frame.kept && this.showsKept) frame.kept.forEach((weights) => this.drawLine(weights, lines, { class: "kept" }));
  }
  // Where a network decides each class, instead of the run: the paths of the negative and of the positive class.
  drawNetwork() {
    for (const name of ["regions", "band", "lines", "arrows"]) this.layer[name].replaceChildren();
    this.network.forEach((d, label) => { if (d) draw("path", { d, class: `region cell network c${label}`, "fill-rule": "evenodd" }, this.layer.regions); });
  }
  drawVisitedRow(frame) {
    if (frame.row === null || frame.row === undefined || !this.points[frame.row]) return;
    const [cx, cy] = this.markPlace(frame.row);
    draw("circle", { cx, cy, r: this.size + 7, class: `visited ${frame.wrong ? "wrong" : ""}` }, this.layer.overlay);
  }
  drawHalves(weights, [negative, positive]) {
    if (norm(weights) === 0) return;
    this.drawPolygon(this.view.positiveSide(weights), this.layer.regions, { class: `region c${positive}` });
    this.drawPolygon(this.view.positiveSide(weights.map((w) => -w)), this.layer.regions, { class: `region c${negative}` });
  }
  // Where each unit has the highest score.
  drawCells(units, classes) {
    units.forEach((unit, k) => {
      let cell = this.view.corners;
      units.forEach((other, l) => { if (l !== k && cell.length) cell = this.view.positiveSide(unit.map((w, i) => w - other[i]), cell); });
      if (cell.length === 4 && units.every((weights) => norm(weights) === 0)) return;
      this.drawPolygon(cell, this.layer.regions, { class: `region cell c${classes[k]}` });
    });
  }
  drawBand([b, ...w], margin) {
    const level = margin * Math.hypot(...w), above = this.view.positiveSide([b + level, ...w]);
    this.drawPolygon(this.view.positiveSide([level - b, -w[0], -w[1]], above), this.layer.band, { class: "band" });
  }
  drawNormals(before, after, moved, longest) {
    const scale = 120 / (longest || 1), ends = (this.view.segment(after) ?? this.view.segment(before))?.map((end) => this.view.toPicture(end));
    if (!ends) return; // no boundary is seen that the arrows could start from
    const root = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2];
    const tip = ([, w1, w2]) => [root[0] + w1 * scale, root[1] - w2 * scale];
    if (moved && norm(before) > 0) this.drawArrow(root, tip(before), "normal before");
    if (norm(after) > 0) this.drawArrow(root, tip(after), "normal");
    if (moved) this.drawArrow(...beside(root, tip(before), tip(after)), "added");
  }
  drawArrow([x1, y1], [x2, y2], className) {
    const far = Math.hypot(x2 - x1, y2 - y1), layer = this.layer.arrows;
    if (far < 1) return;
    const [u, v] = [(x2 - x1) / far, (y2 - y1) / far], head = Math.min(11, far);
    draw("line", { x1, y1, x2: x2 - u * head * 0.8, y2: y2 - v * head * 0.8, class: className }, layer);
    const side = (sign) => `${x2 - u * head - sign * v * head * 0.5} ${y2 - v * head + sign * u * head * 0.5}`;
    draw("path", { d: `M${x2} ${y2}L${side(1)}L${side(-1)}Z`, class: `tip ${className.replace("normal", "").trim()}` }, layer);
  }

  // -- the proof ------------------------------------------------------------------------------------------------------

  // The widest margin and the rows that determine it, or the rows whose weighted averages are the same point.
  drawProof(verdict) {
    const { proof, labels } = this.layer;
    proof.replaceChildren();
    labels.replaceChildren();
    if (!verdict) return;
    if (verdict.curves) {
      for (const d of verdict.curves) draw("path", { d, class: "widest" }, proof);
      this.drawRings(verdict.support, proof, "support");
    } else if (verdict.kind === "inseparable" && !verdict.hulls) this.drawRings(verdict.rows, proof, "proof-row");
    else if (verdict.kind === "separable" && verdict.weights.length === 3) {
      const [b, ...w] = verdict.weights, level = verdict.margin * Math.hypot(...w);
      for (const shift of [-level, 0, level]) this.drawLine([b + shift, ...w], proof, { class: "widest" });
      this.drawRings(verdict.support, proof, "support");
    } else if (verdict.kind === "inseparable") {
      for (const rows of verdict.hulls) {
        const corners = rows.map((row) => this.view.toPicture(this.points[row]));
        if (corners.length > 1) draw("polygon", { points: corners.map((corner) => corner.join(" ")).join(","), class: "hull" }, proof);
      }
      const [u, v] = this.view.toPicture(verdict.meeting_point);
      draw("path", { d: `M${u - 11} ${v - 11}L${u + 11} ${v + 11}M${u - 11} ${v + 11}L${u + 11} ${v - 11}`, class: "meeting-point" }, proof);
      if (verdict.rows.length <= 8) this.drawProofWeights(verdict, labels);
    }
  }
  // Each row of the proof with its weight; equal points share a label.
  drawProofWeights(verdict, layer) {
    const texts = new Map();
    verdict.rows.forEach((row, i) => {
      const place = this.view.toPicture(this.points[row]).join(" ");
      texts.set(place, [...(texts.get(place) ?? []), `row ${row + 1}: ${shortWeight(verdict.weights[i])}`]);
    });
    // Places are given out from the top down, but the texts are in the order of the rows, for a screen reader.
    const { clientWidth } = this.svg, lineHeight = clientWidth < 500 ? 23 : clientWidth < 640 ? 20 : 17, taken = [], attributes = new Map();
    const height = (place) => Number(place.split(" ")[1]);
    // How much of a box is in the way: other labels weigh more than points, and no label leaves the picture.
    const cost = ([left, top, right, bottom]) => {
      if (left < 2 || right > WIDTH - 2 || top < 2 || bottom > HEIGHT - 2) return 1000;
      const overlapped = taken.filter(([l, t, r, b]) => l < right && r > left && t < bottom && b > top).length;
      const hidden = this.places.filter(([u, v]) => u > left - this.size && u < right + this.size && v > top - this.size && v < bottom + this.size).length;
      return 50 * overlapped + hidden;
    };
    for (const [place, lines] of [...texts].sort(([a], [b]) => height(a) - height(b))) {
      const [x, y] = place.split(" ").map(Number), width = 0.58 * lineHeight * lines.join(", ").length;
      const away = this.size + 13; // beside the ring of a row that is visited
      const boxAt = (side, v) => (side > 0 ? [x + away, v - lineHeight, x + away + width, v] : [x - away - width, v - lineHeight, x - away, v]);
      let best = null;
      for (const shift of [-6, lineHeight + 2, -lineHeight - 6, 2 * lineHeight + 4, -2 * lineHeight - 8, 3 * lineHeight, -3 * lineHeight]) {
        for (const side of [1, -1]) {
          const box = boxAt(side, y + shift), price = cost(box);
          if (!best || price < best.price) best = { box, price, side };
        }
      }
      taken.push(best.box);
      attributes.set(place, { x: best.side > 0 ? best.box[0] : best.box[2], y: best.box[3] - 3, class: "proof-weight", "text-anchor": best.side > 0 ? "start" : "end" });
    }
    for (const [place, lines] of texts) draw("text", attributes.get(place), layer, lines.join(", "));
  }
  drawRings(rows, layer, className) {
    for (const row of rows.filter((candidate) => this.points[candidate])) {
      const [cx, cy] = this.markPlace(row);
      draw("circle", { cx, cy, r: this.size + 4, class: className }, layer);
    }
  }
  // Lines of other learners; `style` is the number of a colour and a dash pattern, `name` is for the legend.
  drawRelatives(lines) {
    this.layer.grid.querySelectorAll(".relative").forEach((line) => line.remove());
    for (const { weights, path, style, name } of lines) {
      const attributes = { class: `relative s${style}`, "stroke-dasharray": DASHES[style], "data-name": name };
      if (path === undefined) this.drawLine(weights, this.layer.grid, attributes);
      else draw("path", { d: path, ...attributes }, this.layer.grid);
    }
  }
}

// What was added, moved aside where it would lie on the arrows of w.
function beside([u, v], [x1, y1], [x2, y2]) {
  const [dx, dy] = [x2 - x1, y2 - y1], far = Math.hypot(dx, dy), away = Math.abs(dx * (v - y1) - dy * (u - x1)) / (far || 1);
  const [a, b] = away < 3 && far ? [(-dy / far) * 7, (dx / far) * 7] : [0, 0];
  return [[x1 + a, y1 + b], [x2 + a, y2 + b]];
}
const shortWeight = (weight) => (weight.length <= 7 ? weight : `≈ ${number(fraction(weight), 3)}`);
const fraction = (text) => text.split("/").map(Number).reduce((a, b) => a / b);
