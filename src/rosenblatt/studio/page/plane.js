// Points of the plane that can be drawn, moved and erased, by pointer and by keyboard; the picture shows the rest.

import { View, WIDTH, HEIGHT, draw, mark, number, painted } from "./geometry.js";
import { MANY, Picture } from "./picture.js";

export class Plane extends Picture {
  constructor(svg, { changed, spoken, refused }) {
    super(svg);
    Object.assign(this, { changed, spoken, refused, tool: 0, past: [], most: Infinity });
    this.cursor = [WIDTH / 2, HEIGHT / 2];
    this.dragged = this.held = null;
    svg.addEventListener("pointerdown", (event) => this.pressed(event));
    svg.addEventListener("pointermove", (event) => this.moved(event));
    svg.addEventListener("pointerup", () => this.dropped());
    svg.addEventListener("pointercancel", () => this.dropped());
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  // -- the points -----------------------------------------------------------------------------------------------------

  show(points, labels, classes, columns) {
    Object.assign(this, { points, labels, classes, columns, view: new View(points) });
    const narrow = Math.min(1.7, Math.max(1, 560 / (this.svg.clientWidth || 560))); // points stay as large on a phone
    this.size = narrow * (points.length > 2000 ? 3 : points.length > 300 ? 5 : 8);
    this.grid();
    this.repoint();
  }
  repoint() {
    const layer = this.layer.points, parts = document.createDocumentFragment();
    this.spots = this.apart();
    if (this.points.length > MANY) painted(this.spots, this.labels, this.size, parts);
    else this.points.forEach((_, i) => { mark(this.labels[i], this.spots[i], this.size, parts).dataset.at = i; });
    layer.replaceChildren(parts);
    if (!this.points.length) draw("text", { x: WIDTH / 2, y: HEIGHT / 2, "text-anchor": "middle", class: "hint" }, layer, "Click to add points, or choose an example");
    const each = this.classes.map((name, k) => `${this.labels.filter((l) => l === k).length} of ${name}`).filter((text) => !text.startsWith("0 "));
    this.svg.setAttribute("aria-label", `The plane: ${each.join(", ") || "no points"}`);
    this.drawCursor();
  }
  remember() {
    this.past.push([this.points.map((p) => [...p]), [...this.labels]]);
    if (this.past.length > 50) this.past.shift();
  }
  undo() {
    const before = this.past.pop();
    if (!before) return;
    [this.points, this.labels] = before;
    this.repoint();
    this.changed();
  }
  clear() {
    this.remember();
    this.points = [];
    this.labels = [];
    this.repoint();
    this.changed();
  }
  add(at) {
    if (this.tool >= this.classes.length) return;
    if (this.points.length >= this.most) return this.refused(new Error(`The studio shows up to ${number(this.most)} points: erase one to add another.`));
    this.remember();
    this.points.push(this.rounded(at));
    this.labels.push(this.tool);
    this.repoint();
    this.changed();
    this.spoken(`Point of ${this.classes[this.tool]} added at ${this.place(this.points.length - 1)}`);
  }
  erase(i) {
    this.remember();
    this.spoken(`Point ${i} of ${this.classes[this.labels[i]]} erased`);
    this.points.splice(i, 1);
    this.labels.splice(i, 1);
    this.held = null;
    this.repoint();
    this.changed();
  }
  move(i, at) {
    this.points[i] = this.rounded(at);
    const [u, v] = this.view.to(this.points[i]);
    this.spots[i] = [u, v];
    if (this.points.length > MANY) requestAnimationFrame(() => this.repoint());
    else this.layer.points.children[i]?.setAttribute("transform", `translate(${u} ${v}) scale(${this.size})`);
    this.changed();
  }
  // To a hundredth of the picture or so: numbers that a person would write.
  rounded(at) {
    const grain = 10 ** Math.floor(Math.log10(4 / this.view.scale)), digits = Math.max(0, -Math.log10(grain));
    return this.view.from(at).map((value) => Number((Math.round(value / grain) * grain).toFixed(Math.min(12, digits))));
  }
  place(i) { return `(${this.points[i].map((v) => number(v)).join(", ")})`; }
  near(at, reach = 14) {
    let best = null, least = reach;
    this.points.forEach((_, i) => {
      const [u, v] = this.spot(i), far = Math.hypot(u - at[0], v - at[1]);
      if (far < least) [best, least] = [i, far];
    });
    return best;
  }

  // -- pointer and keys -----------------------------------------------------------------------------------------------

  at(event) {
    const inverse = this.svg.getScreenCTM().inverse(), point = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
    return [Math.max(2, Math.min(WIDTH - 2, point.x)), Math.max(2, Math.min(HEIGHT - 2, point.y))];
  }
  pressed(event) {
    if (event.button !== 0) return;
    const at = this.at(event), found = this.near(at, Math.max(10, this.size * 1.6));
    this.cursor = at;
    if (this.tool === "erase") { if (found !== null) this.erase(found); return; }
    if (found === null) { this.add(at); return; }
    this.remember();
    this.dragged = found;
    this.svg.setPointerCapture(event.pointerId);
  }
  moved(event) { if (this.dragged !== null) this.move(this.dragged, this.at(event)); }
  dropped() { this.dragged = null; }
  key(event) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }, far = event.shiftKey ? 40 : 8;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const under = this.near(this.cursor), many = this.points.length;
    if (arrows[event.key]) {
      const [u, v] = arrows[event.key];
      this.cursor = [Math.max(2, Math.min(WIDTH - 2, this.cursor[0] + u * far)), Math.max(2, Math.min(HEIGHT - 2, this.cursor[1] + v * far))];
      if (this.held !== null) this.move(this.held, this.cursor);
      else if (this.near(this.cursor) !== null) this.spoken(`Point ${this.near(this.cursor)} of ${this.classes[this.labels[this.near(this.cursor)]]}`);
    } else if (event.key === "Enter") this.held === null ? this.add(this.cursor) : (this.held = null);
    else if (/^[1-9]$/.test(event.key) && event.key <= this.classes.length) this.choose(Number(event.key) - 1);
    else if (["Delete", "Backspace"].includes(event.key)) { if (under !== null) this.erase(under); }
    else if ("nNpP".includes(event.key) && many) {
      this.walk = ((this.walk ?? -1) + ("nN".includes(event.key) ? 1 : many - 1)) % many;
      this.cursor = this.view.to(this.points[this.walk]);
      this.spoken(`Point ${this.walk} of ${this.classes[this.labels[this.walk]]} at ${this.place(this.walk)}`);
    } else if (event.key === "m" || event.key === "M") {
      if (this.held === null && under !== null) { this.remember(); this.held = under; this.spoken("Picked up"); }
      else if (this.held !== null) { this.spoken(`Put down at ${this.place(this.held)}`); this.held = null; }
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.drawCursor();
  }
  choose(tool) {
    this.tool = tool;
    document.querySelector(`#tools input[value="${tool}"]`)?.click();
  }
  drawCursor() {
    const [u, v] = this.cursor;
    this.layer.over.querySelector(".cursor")?.remove();
    draw("path", { class: "cursor", d: `M${u - 14} ${v}H${u - 4}M${u + 4} ${v}H${u + 14}M${u} ${v - 14}V${v - 4}M${u} ${v + 4}V${v + 14}` }, this.layer.over);
  }
}
