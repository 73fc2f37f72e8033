// An expression as a network of units: flip the inputs, and see which units fire. The engine has computed every row.

import { ask, overtaken, whatHappened } from "./api.js";
import { draw, number } from "./geometry.js";
import { paragraph } from "./panels.js";

const find = (id) => document.getElementById(id);
const ACROSS = 120, DOWN = 68, SIZE = 19, LABELLED = 9; // more wires than this carry no weight: the formulas do

export class Logic {
  constructor(builds, open, { changed, spoken }) {
    Object.assign(this, { open, changed, spoken, bits: {}, made: null, stage: 0, timer: null });
    find("build").replaceChildren(...Object.entries(builds).map(([name, words]) => new Option(`${name}: ${words}`, name)));
    find("build").addEventListener("change", () => this.ask());
    find("gates").addEventListener("input", () => this.ask());
    find("logic").addEventListener("submit", (event) => event.preventDefault());
    find("unit-fewer").addEventListener("click", () => this.grow(this.stage - 1));
    find("unit-more").addEventListener("click", () => this.grow(this.stage + 1));
    find("unit-play").addEventListener("click", () => (this.timer ? this.pause() : this.play()));
  }
  // What a link says of it: only what is not so from the start.
  get own() {
    const build = find("build").value;
    return { gates: this.text === "a xor b" ? null : this.text, build: build === "written" ? null : build };
  }
  get text() { return find("gates").value; }
  get wrong() { return !find("wrong").hidden; }
  write(text, build) {
    Object.assign(find("gates"), { value: text });
    find("build").value = build;
    this.ask();
  }
  async ask() {
    try {
      this.made = await ask("gates", { text: find("gates").value, build: find("build").value });
      this.pause();
      this.stage = 0;
      find("wrong").hidden = true;
      this.show();
    } catch (error) {
      if (overtaken(error)) return;
      find("wrong").hidden = false;
      find("wrong").textContent = whatHappened(error);
      this.changed();
    }
  }
  // A learned network is shown as it grows, from its first unit on.
  get shown() { return this.made.stages[this.stage] ?? this.made; }
  grow(stage) {
    this.stage = Math.max(0, Math.min(this.made.stages.length - 1, stage));
    this.light();
  }
  play() {
    if (this.stage === this.made.stages.length - 1) this.grow(0);
    this.timer = setInterval(() => {
      this.grow(this.stage + 1);
      if (this.stage === this.made.stages.length - 1) this.pause();
    }, 1000);
    find("unit-play").textContent = "Pause the growth";
  }
  pause() {
    clearInterval(this.timer);
    this.timer = null;
    find("unit-play").textContent = "Play the growth";
  }
  growth() {
    const { stages } = this.made, { added, wrong } = this.shown;
    find("growth").hidden = !stages.length;
    if (!stages.length) return;
    find("unit-fewer").disabled = this.stage === 0;
    find("unit-more").disabled = this.stage === stages.length - 1;
    find("unit-play").disabled = stages.length === 1;
    const left = wrong.length ? `${wrong.length} ${wrong.length === 1 ? "row is" : "rows are"} still wrong` : "every row is right";
    find("grown").textContent = `Step ${this.stage + 1} of ${stages.length}: ${added}; ${left}.`;
  }
  // The row of the truth table that the inputs stand at.
  get row() {
    return this.made.rows.findIndex((row) => row.every((bit, i) => bit === (this.bits[this.made.inputs[i]] ?? 0)));
  }
  show() {
    const { inputs } = this.made;
    find("inputs").replaceChildren(...inputs.map((name) => {
      const label = document.createElement("label"), box = Object.assign(document.createElement("input"), { type: "checkbox", checked: this.bits[name] === 1 });
      box.addEventListener("change", () => { this.bits[name] = box.checked ? 1 : 0; this.light(); this.spoken(this.fires); });
      label.className = "check";
      label.append(box, name);
      return label;
    }));
    this.light();
  }
  light() {
    const { made, shown } = this, signals = shown.signals[this.row], place = find("network");
    this.fires = `The output ${shown.output} ${signals[shown.output] ? "fires" : "is silent"}${shown.wrong.includes(this.row) ? ", which is wrong" : ""}.`;
    this.growth();
    place.replaceChildren(paragraph(this.fires, "answer"), this.picture(signals), paragraph(made.decision, "line"));
    for (const unit of shown.units) place.append(paragraph(`${unit.name} (${unit.kind}) fires when ${unit.formula}`, "line"));
    if (made.inputs.length <= 4 && made.inputs.length) place.append(this.table());
    if (made.inputs.length === 2) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Show it in the plane", className: "to-plane" });
      button.addEventListener("click", () => this.toPlane());
      place.append(button);
    }
    this.changed();
  }
  picture(signals) {
    const { inputs, units } = this.shown, columns = [inputs], at = {};
    for (const unit of units) (columns[unit.layer] ??= []).push(unit.name);
    const most = Math.max(...columns.map((column) => column.length)), wide = columns.length * ACROSS, high = most * DOWN + 12;
    const words = units.map((unit) => `${unit.name} ${signals[unit.name] ? "fires" : "is silent"}`).join(", ");
    const svg = draw("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `The network: ${words}` });
    svg.style.maxWidth = `${wide * 1.25}px`;
    columns.forEach((column, i) => column.forEach((name, j) => { at[name] = [(i + 0.5) * ACROSS, high / 2 + (j - (column.length - 1) / 2) * DOWN]; }));
    const labelled = units.reduce((sum, unit) => sum + unit.sources.length, 0) <= LABELLED;
    for (const unit of units) unit.sources.forEach((source, i) => this.wire(svg, at[source], at[unit.name], unit.weights[i], signals[source], labelled));
    for (const name of inputs) this.node(svg, at[name], name, signals[name]);
    for (const unit of units) this.node(svg, at[unit.name], unit.name, signals[unit.name], `> ${number(unit.threshold)}`);
    return svg;
  }
  wire(svg, [x1, y1], [x2, y2], weight, on, labelled) {
    const bend = (x2 - x1) / 2.4, far = x2 - x1 > ACROSS * 1.5 ? 26 : 0; // a wire past a layer goes round its units
    const d = `M${x1 + SIZE} ${y1}C${x1 + bend} ${y1 - far} ${x2 - bend} ${y2 - far} ${x2 - SIZE} ${y2}`;
    draw("path", { d, class: `wire ${on ? "on" : ""} ${weight < 0 ? "less" : ""}` }, svg);
    if (!labelled) return;
    const t = 0.42, s = 1 - t, along = (a, b, c, e) => s ** 3 * a + 3 * s * s * t * b + 3 * s * t * t * c + t ** 3 * e; // nearer to the source, where wires are apart
    draw("text", { x: along(x1 + SIZE, x1 + bend, x2 - bend, x2 - SIZE), y: along(y1, y1 - far, y2 - far, y2) - 3, class: "small" }, svg, number(weight));
  }
  node(svg, [x, y], name, on, below = "") {
    draw(below ? "circle" : "rect", below ? { cx: x, cy: y, r: SIZE, class: `unit-box ${on ? "on" : ""}` } : { x: x - SIZE, y: y - 14, width: 2 * SIZE, height: 28, rx: 4, class: `unit-box ${on ? "on" : ""}` }, svg);
    draw("text", { x, y: y + 4, class: `unit-name ${on ? "on" : ""}` }, svg, name.length > 5 ? `${name.slice(0, 4)}…` : name);
    if (below) draw("text", { x, y: y + SIZE + 11, class: "small" }, svg, below);
  }
  table() {
    const { inputs, rows, outputs, signals, output, wrong } = this.shown, made = document.createElement("table"), learned = this.made.stages.length > 0;
    made.createCaption().textContent = "Truth table";
    const head = made.createTHead().insertRow();
    for (const name of [...inputs, learned ? "wanted" : "output", ...(learned ? ["network"] : [])]) head.append(Object.assign(document.createElement("th"), { scope: "col", textContent: name }));
    const body = made.createTBody(), now = this.row;
    rows.forEach((row, r) => {
      const line = body.insertRow();
      line.className = r === now ? "now" : "";
      for (const bit of [...row, outputs[r]]) line.insertCell().textContent = bit;
      if (learned) line.insertCell().textContent = `${signals[r][output]}${wrong.includes(r) ? " wrong" : ""}`;
    });
    return made;
  }
  toPlane() {
    const { rows, outputs, inputs } = this.made;
    this.open({ rows, labels: outputs, classes: [0, 1], columns: inputs, words: `The truth table of ${find("gates").value}.` });
    find("plane").scrollIntoView({ block: "center" });
  }
}
