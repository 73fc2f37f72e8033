// The logic panel: an expression as a network of units. Flip the inputs, and see which units fire. The server has
// computed the signals of every row of the truth table.

import { draw, element, find, formula, number, paragraph } from "../dom.js";
import { ask, isReplaced } from "../server.js";

const COLUMN = 120, ROW = 68, RADIUS = 19;
const MAX_LABELLED_WIRES = 9; // with more of them the weights would overlap; the formulas list them
const DEFAULT = { expression: "a xor b", build: "written" };

export class LogicPanel {
  constructor(builds, showInPlane, { showNetwork, onChange, announce }) {
    Object.assign(this, { builds, showInPlane, showNetwork, inPlane: false, onChange, announce, bits: {}, answer: null, stage: 0, timer: null });
    find("build").replaceChildren(...Object.entries(builds).map(([name, description]) => new Option(`${name}: ${description}`, name)));
    find("build").addEventListener("change", () => this.fetch());
    find("expression").addEventListener("input", () => this.fetch());
    find("logic").addEventListener("submit", (event) => event.preventDefault());
    find("unit-fewer").addEventListener("click", () => this.showStage(this.stage - 1));
    find("unit-more").addEventListener("click", () => this.showStage(this.stage + 1));
    find("unit-play").addEventListener("click", () => (this.timer ? this.pause() : this.play()));
  }
  get expression() { return find("expression").value; }
  get isInvalid() { return !find("logic-error").hidden; }
  // What a link must hold: null is the default.
  get changes() {
    const build = find("build").value;
    return { expression: this.expression === DEFAULT.expression ? null : this.expression, build: build === DEFAULT.build ? null : build };
  }
  write(expression, build) {
    find("expression").value = expression ?? DEFAULT.expression;
    find("build").value = build in this.builds ? build : DEFAULT.build;
    this.fetch();
  }
  async fetch() {
    try {
      this.answer = await ask("network", { text: this.expression, build: find("build").value });
      this.pause();
      this.stage = 0;
      find("logic-error").hidden = true;
      this.showInputs();
      this.update();
    } catch (error) {
      if (isReplaced(error)) return;
      find("logic-error").hidden = false;
      find("logic-error").textContent = error.message;
      this.onChange();
    }
  }

  // -- growth of a learned network ------------------------------------------------------------------------------------

  get network() { return this.answer.stages[this.stage] ?? this.answer; }
  get lastStage() { return this.answer.stages.length - 1; }
  showStage(stage) {
    this.stage = Math.max(0, Math.min(this.lastStage, stage));
    this.update();
  }
  play() {
    if (this.stage === this.lastStage) this.showStage(0);
    this.timer = setInterval(() => {
      this.showStage(this.stage + 1);
      if (this.stage === this.lastStage) this.pause();
    }, 1000);
    find("unit-play").textContent = "Pause the growth";
  }
  pause() {
    clearInterval(this.timer);
    this.timer = null;
    find("unit-play").textContent = "Play the growth";
  }
  updateGrowth() {
    const { stages } = this.answer, { added, wrong_rows: wrong } = this.network;
    find("growth").hidden = !stages.length;
    if (!stages.length) return;
    find("unit-fewer").disabled = this.stage === 0;
    find("unit-more").disabled = this.stage === this.lastStage;
    find("unit-play").disabled = stages.length === 1;
    const left = wrong.length ? `${wrong.length} ${wrong.length === 1 ? "row is" : "rows are"} still wrong` : "every row is right";
    find("growth-text").textContent = `Step ${this.stage + 1} of ${stages.length}: ${added}; ${left}.`;
  }

  // -- inputs and signals ---------------------------------------------------------------------------------------------

  // The row of the truth table that the inputs are set to.
  get row() {
    return this.answer.rows.findIndex((row) => row.every((bit, i) => bit === (this.bits[this.answer.inputs[i]] ?? 0)));
  }
  showInputs() {
    find("inputs").replaceChildren(...this.answer.inputs.map((name) => {
      const box = element("input", { type: "checkbox", checked: this.bits[name] === 1 });
      box.addEventListener("change", () => { this.bits[name] = box.checked ? 1 : 0; this.update(); this.announce(this.outputSentence()); });
      return element("label", { className: "check" }, box, name);
    }));
  }
  outputSentence() {
    const { output, signals, wrong_rows: wrong } = this.network;
    return `The output ${output} ${signals[this.row][output] ? "fires" : "is silent"}${wrong.includes(this.row) ? ", which is wrong" : ""}.`;
  }
  update() {
    const { answer, network } = this, panel = find("network");
    this.updateGrowth();
    if (this.inPlane) this.showRegions();
    panel.replaceChildren(paragraph(this.outputSentence(), "answer"), this.picture(network.signals[this.row]), paragraph(answer.decision.replaceAll(" * ", "·"), "line"));
    for (const unit of network.units) panel.append(paragraph(`${unit.name} (${unit.kind}) fires when ${formula(unit.formula)}`, "line"));
    if (answer.inputs.length <= 4 && answer.inputs.length) panel.append(this.truthTable());
    if (answer.inputs.length === 2) {
      const button = element("button", { type: "button", textContent: "Show it in the plane", className: "to-plane" });
      button.addEventListener("click", () => this.toPlane());
      panel.append(button);
    }
    this.onChange();
  }
  picture(signals) {
    const { inputs, units } = this.network, columns = [inputs], places = {};
    for (const unit of units) (columns[unit.layer] ??= []).push(unit.name);
    const width = columns.length * COLUMN, height = Math.max(...columns.map((column) => column.length)) * ROW + 12;
    const states = units.map((unit) => `${unit.name} ${signals[unit.name] ? "fires" : "is silent"}`).join(", ");
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `The network: ${states}` });
    svg.style.maxWidth = `${width * 1.25}px`;
    columns.forEach((column, i) => column.forEach((name, j) => { places[name] = [(i + 0.5) * COLUMN, height / 2 + (j - (column.length - 1) / 2) * ROW]; }));
    const labelled = units.reduce((sum, unit) => sum + unit.sources.length, 0) <= MAX_LABELLED_WIRES;
    const labels = draw("g"); // over all wires, so that none crosses a weight
    for (const unit of units) unit.sources.forEach((source, i) => drawWire(svg, places[source], places[unit.name], unit.weights[i], signals[source], labelled && labels));
    svg.append(labels);
    for (const name of inputs) drawInput(svg, places[name], name, signals[name]);
    for (const unit of units) drawUnit(svg, places[unit.name], unit.name, signals[unit.name], unit.threshold);
    return svg;
  }
  truthTable() {
    const { inputs, rows, outputs, signals, output, wrong_rows: wrong } = this.network, learned = this.answer.stages.length > 0;
    const names = [...inputs, ...(learned ? ["target", "network"] : ["output"])], table = element("table"), current = this.row;
    table.createCaption().textContent = "Truth table";
    table.createTHead().insertRow().append(...names.map((name) => element("th", { scope: "col", textContent: name })));
    const body = table.createTBody();
    rows.forEach((row, r) => {
      const line = body.insertRow();
      line.className = r === current ? "current" : "";
      for (const bit of [...row, outputs[r]]) line.insertCell().textContent = bit;
      if (learned) line.insertCell().textContent = `${signals[r][output]}${wrong.includes(r) ? " wrong" : ""}`;
    });
    return table;
  }
  // The truth table as points, and the side on which the network puts every place of the plane.
  toPlane() {
    const { rows, outputs, inputs } = this.answer;
    this.showInPlane({ rows, labels: outputs, classes: [0, 1], columns: inputs, description: `The truth table of ${this.expression}.` });
    find("plane").scrollIntoView({ block: "nearest" });
    this.inPlane = true;
    this.showRegions();
  }
  showRegions() {
    const { inputs, stages } = this.answer;
    if (inputs.length === 2) this.showNetwork({ text: this.expression, build: find("build").value, ...(stages.length ? { stage: this.stage } : {}) });
  }
}

function drawWire(svg, [x1, y1], [x2, y2], weight, on, labels) {
  const bend = (x2 - x1) / 2.4, detour = x2 - x1 > COLUMN * 1.5 ? (y1 > y2 ? -40 : 26) : 0; // a wire that skips a layer passes above or below its units
  const d = `M${x1 + RADIUS} ${y1}C${x1 + bend} ${y1 - detour} ${x2 - bend} ${y2 - detour} ${x2 - RADIUS} ${y2}`;
  draw("path", { d, class: `wire ${on ? "on" : ""} ${weight < 0 ? "negative" : ""}` }, svg);
  if (!labels) return;
  // The label lies on the Bézier curve, nearer to the source, where wires are further apart.
  const t = 0.42, s = 1 - t, bezier = (a, b, c, e) => s ** 3 * a + 3 * s * s * t * b + 3 * s * t * t * c + t ** 3 * e;
  draw("text", { x: bezier(x1 + RADIUS, x1 + bend, x2 - bend, x2 - RADIUS), y: bezier(y1, y1 - detour, y2 - detour, y2) + 4, class: "small" }, labels, number(weight));
}
function drawInput(svg, [x, y], name, on) {
  draw("rect", { x: x - RADIUS, y: y - 14, width: 2 * RADIUS, height: 28, rx: 4, class: `unit-box ${on ? "on" : ""}` }, svg);
  drawName(svg, [x, y], name, on);
}
function drawUnit(svg, [x, y], name, on, threshold) {
  draw("circle", { cx: x, cy: y, r: RADIUS, class: `unit-box ${on ? "on" : ""}` }, svg);
  drawName(svg, [x, y], name, on);
  draw("text", { x, y: y + RADIUS + 14, class: "small" }, svg, `> ${number(threshold)}`);
}
function drawName(svg, [x, y], name, on) {
  draw("text", { x, y: y + 4, class: `unit-name ${on ? "on" : ""}` }, svg, name.length > 5 ? `${name.slice(0, 4)}…` : name);
}
