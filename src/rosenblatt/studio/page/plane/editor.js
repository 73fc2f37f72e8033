// Lets the user add, move and erase points, by pointer and by keyboard.

import { draw, number } from "../dom.js";
import { MAX_MARKS, PlaneDrawing } from "./drawing.js";
import { drawBitmap, drawMark } from "./marks.js";
import { HEIGHT, View, WIDTH } from "./view.js";

const MAX_UNDO = 50;

export class PlaneEditor extends PlaneDrawing {
  constructor(svg, { onChange, announce, showError }) {
    super(svg);
    // `tool` is the index of a class, or "erase".
    Object.assign(this, { onChange, announce, showError, tool: 0, undoStack: [], maxPoints: Infinity, isReadOnly: false });
    this.cursor = [WIDTH / 2, HEIGHT / 2];
    this.dragged = this.picked = this.focused = null; // indices of points: by pointer, by the key m, by the keys n and p
    svg.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    svg.addEventListener("pointermove", (event) => { if (this.dragged !== null) this.move(this.dragged, this.placeOf(event)); });
    svg.addEventListener("pointerup", () => { this.dragged = null; });
    svg.addEventListener("pointercancel", () => { this.dragged = null; });
    svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  // -- the points -----------------------------------------------------------------------------------------------------

  show(points, labels, classes, columns) {
    Object.assign(this, { points, labels, classes, columns, view: new View(points) });
    const enlarged = Math.min(1.7, Math.max(1, 560 / (this.svg.clientWidth || 560))); // as large on a phone
    this.size = enlarged * (points.length > 2000 ? 3 : points.length > 300 ? 5 : 8);
    this.drawGrid();
    this.drawPoints();
  }
  drawPoints() {
    const layer = this.layer.points, marks = document.createDocumentFragment();
    this.places = this.markPlaces();
    if (this.points.length > MAX_MARKS) drawBitmap(this.places, this.labels, this.size, marks, this.testRows);
    else this.points.forEach((_, i) => { drawMark(this.labels[i], this.places[i], this.size, marks, this.testRows.has(i)); });
    layer.replaceChildren(marks);
    if (!this.points.length) draw("text", { x: WIDTH / 2, y: HEIGHT / 2, "text-anchor": "middle", class: "hint" }, layer, "Click to add points, or choose an example");
    const counts = this.classes.map((name, k) => `${this.labels.filter((label) => label === k).length} of ${name}`).filter((text) => !text.startsWith("0 "));
    this.svg.setAttribute("aria-label", `The plane: ${counts.join(", ") || "no points"}`);
    this.drawCursor();
  }
  saveForUndo() {
    this.undoStack.push([this.points.map((point) => [...point]), [...this.labels]]);
    if (this.undoStack.length > MAX_UNDO) this.undoStack.shift();
  }
  undo() {
    const before = this.undoStack.pop();
    if (!before) return;
    [this.points, this.labels] = before;
    this.onChange();
    this.drawPoints();
  }
  clear() {
    this.saveForUndo();
    this.points = [];
    this.labels = [];
    this.drawPoints();
    this.onChange();
  }
  add(place) {
    if (this.tool >= this.classes.length) return;
    if (this.points.length >= this.maxPoints) return this.showError(new Error(`The studio shows up to ${number(this.maxPoints)} points: erase one to add another.`));
    this.saveForUndo();
    this.points.push(this.roundedPoint(place));
    this.labels.push(this.tool);
    this.onChange();
    this.drawPoints();
    this.announce(`Point of ${this.classes[this.tool]} added at ${this.coordinates(this.points.length - 1)}`);
  }
  erase(i) {
    this.saveForUndo();
    this.announce(`Point ${i + 1} of ${this.classes[this.labels[i]]} erased`);
    this.points.splice(i, 1);
    this.labels.splice(i, 1);
    this.picked = null;
    this.onChange();
    this.drawPoints();
  }
  move(i, place) {
    this.points[i] = this.roundedPoint(place);
    const [u, v] = this.view.toPicture(this.points[i]);
    this.places[i] = [u, v];
    if (this.points.length > MAX_MARKS) requestAnimationFrame(() => this.drawPoints());
    else this.layer.points.children[i]?.setAttribute("transform", `translate(${u} ${v}) scale(${this.size})`);
    this.onChange();
  }
  // The point at a place of the picture, with as many digits as a person would write: to about a hundredth of the picture.
  roundedPoint(place) {
    const grain = 10 ** Math.floor(Math.log10(4 / this.view.scale)), digits = Math.max(0, -Math.log10(grain));
    return this.view.toPlane(place).map((value) => Number((Math.round(value / grain) * grain).toFixed(Math.min(12, digits))));
  }
  coordinates(i) { return `(${this.points[i].map((value) => number(value)).join(", ")})`; }
  nearest(place, reach = 14) {
    let best = null, least = reach;
    this.points.forEach((_, i) => {
      const [u, v] = this.markPlace(i), distance = Math.hypot(u - place[0], v - place[1]);
      if (distance < least) [best, least] = [i, distance];
    });
    return best;
  }

  // -- pointer and keys -----------------------------------------------------------------------------------------------

  placeOf(event) {
    const inverse = this.svg.getScreenCTM().inverse(), point = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse);
    return insidePicture([point.x, point.y]);
  }
  onPointerDown(event) {
    if (event.button !== 0 || this.isReadOnly) return;
    const place = this.placeOf(event), point = this.nearest(place, Math.max(10, this.size * 1.6));
    this.cursor = place;
    if (this.tool === "erase") { if (point !== null) this.erase(point); return; }
    if (point === null) { this.add(place); return; }
    this.saveForUndo();
    this.dragged = point;
    this.svg.setPointerCapture(event.pointerId);
  }
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (this.isReadOnly && !ARROWS[key] && !"nNpP".includes(key)) return;
    const underCursor = this.nearest(this.cursor);
    if (ARROWS[key]) this.moveCursor(ARROWS[key], event.shiftKey ? 40 : 8);
    else if (key === "Enter") this.picked === null ? this.add(this.cursor) : (this.picked = null);
    else if (/^[1-9]$/.test(key) && key <= this.classes.length) this.chooseTool(Number(key) - 1);
    else if (["Delete", "Backspace"].includes(key)) { if (underCursor !== null) this.erase(underCursor); }
    else if ("nNpP".includes(key) && this.points.length) this.focusNext("nN".includes(key) ? 1 : -1);
    else if ("mM".includes(key)) this.pickUpOrPutDown(underCursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.drawCursor();
  }
  moveCursor([u, v], distance) {
    this.cursor = insidePicture([this.cursor[0] + u * distance, this.cursor[1] + v * distance]);
    const point = this.nearest(this.cursor);
    if (this.picked !== null) this.move(this.picked, this.cursor);
    else if (point !== null) this.announce(`Point ${point + 1} of ${this.classes[this.labels[point]]}`);
  }
  focusNext(step) {
    const many = this.points.length;
    this.focused = ((this.focused ?? -1) + step + many) % many;
    this.cursor = this.view.toPicture(this.points[this.focused]);
    this.announce(`Point ${this.focused + 1} of ${this.classes[this.labels[this.focused]]} at ${this.coordinates(this.focused)}`);
  }
  pickUpOrPutDown(underCursor) {
    if (this.picked !== null) {
      this.announce(`Put down at ${this.coordinates(this.picked)}`);
      this.picked = null;
    } else if (underCursor !== null) {
      this.saveForUndo();
      this.picked = underCursor;
      this.announce("Picked up");
    }
  }
  chooseTool(tool) {
    this.tool = tool;
    document.querySelector(`#tools input[value="${tool}"]`)?.click();
  }
  drawCursor() {
    const [u, v] = this.cursor;
    this.layer.overlay.querySelector(".cursor")?.remove();
    draw("path", { class: "cursor", d: `M${u - 14} ${v}H${u - 4}M${u + 4} ${v}H${u + 14}M${u} ${v - 14}V${v - 4}M${u} ${v + 4}V${v + 14}` }, this.layer.overlay);
  }
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const insidePicture = ([u, v]) => [Math.max(2, Math.min(WIDTH - 2, u)), Math.max(2, Math.min(HEIGHT - 2, v))];
