// A line among points, dragged by its ends or as a whole, the squares of its differences, and the steps of the rule.

import { draw, element, labelled, number, paragraph, vector } from "../dom.js";
import { askOrShowError } from "./ask.js";

const X = [-5, 5], Y = [-1, 11], UNIT = 32, LEFT = 44, TOP = 20; // a unit is as long across as up, so that squares are squares
const WIDTH = LEFT + UNIT * (X[1] - X[0]) + 14, BOTTOM = TOP + UNIT * (Y[1] - Y[0]), HEIGHT = BOTTOM + 40;
const x = (value) => LEFT + UNIT * (value - X[0]), y = (value) => BOTTOM - UNIT * (value - Y[0]);
const START = [4, 0], RATES = [0.005, 0.01, 0.02, 0.05, 0.1], MAX_ERROR = 1e6;
const hundredth = (value) => Math.round(100 * value) / 100;

export function line(place, { onChange }) {
  const tool = { state: { best: Infinity, n_steps: 0, is_rule: false } };
  const picture = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "line-picture" });
  const sum = element("p", { className: "line-sum" }), words = paragraph("", "line");
  words.setAttribute("aria-live", "polite");
  const sliders = [["w0, the height at x = 0 ", "w0", 0, 10, START[0]], ["w1, the slope ", "w1", -2, 2, START[1]]].map(([label, name, min, max, value]) => labelled(label, element("input", { type: "range", min, max, step: 0.1, value, name })));
  const rate = labelled("Learning rate η ", element("select", { name: "rate" }, ...RATES.map((value) => new Option(String(value), value, value === 0.05, value === 0.05))));
  const buttons = [["Start at 0", "w = (0, 0)"], ["Row ▸", "One step, with the next row"], ["All rows ▸", "One step, with the sum of all rows"], ["Ten times ▸", "Ten steps, each with the sum of all rows"]].map(([textContent, title]) => element("button", { type: "button", textContent, title }));
  const controls = element("div", { className: "line-controls" }, sum, ...sliders.map(({ label }) => label), element("div", { className: "bar" }, rate.label, ...buttons), words);
  place.append(picture, controls);
  place.classList.add("beside-picture");

  let row = 0, wanted = START, n_asked = 0, last = Promise.resolve();
  // One question after the other. While the line is dragged only the newest counts, so the sum follows it.
  function ask(makeQuestion, isDrag = false) {
    const mine = ++n_asked;
    last = last.then(async () => {
      if (isDrag && mine !== n_asked) return;
      const { request, change } = makeQuestion(tool.state), answer = await askOrShowError("linear_unit", request, words);
      if (answer && picture.isConnected) show(answer, change, mine === n_asked);
    });
  }
  function show(answer, change, isNewest) {
    Object.assign(tool.state, answer, change);
    if (!tool.state.is_rule) tool.state.best = Math.min(tool.state.best, answer.error);
    drawPicture(picture, answer, answer.step && change.by_row ? change.row : null);
    sum.replaceChildren(`Area of the squares: Σ\u00a0d²\u00a0=\u00a0${number(2 * answer.error)}`, element("br"), `Squared error: Σ\u00a0d²/2\u00a0=\u00a0${number(answer.error)}`);
    if (isNewest) {
      wanted = answer.weights;
      sliders.forEach(({ input }, i) => {
        input.value = wanted[i];
        input.setAttribute("aria-valuetext", number(wanted[i], 3));
      });
    }
    words.textContent = answer.step ? stepInWords(answer, change) : `w = ${vector(answer.weights)}`;
    for (const button of buttons.slice(1)) button.disabled = answer.error > MAX_ERROR;
    onChange();
  }
  function byHand(weights) {
    wanted = weights.map(hundredth);
    const question = { request: { weights: wanted }, change: { n_steps: 0, is_rule: false } };
    ask(() => question, true);
  }
  function takeSteps(steps, byRow) {
    ask(({ weights, n_steps: before, points }) => {
      const eta = Number(rate.input.value), change = { n_steps: before + steps, by_row: byRow, row, rate: eta };
      if (byRow) row = (row + 1) % points.length;
      return { request: { weights, rate: eta, steps, row: byRow ? change.row : null }, change };
    });
  }
  function startAtZero() {
    row = 0;
    ask(() => ({ request: { weights: [0, 0] }, change: { n_steps: 0, is_rule: true } }));
  }
  sliders.forEach(({ input }, i) => input.addEventListener("input", () => byHand(wanted.with(i, Number(input.value)))));
  [startAtZero, () => takeSteps(1, true), () => takeSteps(1, false), () => takeSteps(10, false)].forEach((act, i) => buttons[i].addEventListener("click", act));
  letDrag(picture, () => wanted, byHand);
  byHand(START);
  return tool;
}

function stepInWords({ step: { before, slope: sums, scores, targets }, weights }, { row, rate, by_row: byRow }) {
  const slope = sums.map((value) => (Math.abs(value) < 1e-9 ? 0 : value)); // the rest of a sum that is 0
  const w = `w = ${vector(before)} − ${number(rate)}·`;
  if (byRow) {
    const d = scores[0] - targets[0];
    return `Row ${row + 1}: s = ${number(scores[0], 3)}, y = ${number(targets[0])}, d = ${number(d, 3)}. ${w}${vector(slope)} = ${vector(weights)}`;
  }
  return `All rows: the slope of the error is ${vector(slope)}. ${w}${vector(slope)} = ${vector(weights)}`;
}

// -- the picture ----------------------------------------------------------------------------------------------------

function drawPicture(svg, { points, columns, weights: [w0, w1], differences, error }, visited) {
  svg.setAttribute("aria-label", `A line among ${points.length} points: s = ${number(w0, 3)} + ${number(w1, 3)}·x, squared error ${number(error)}`);
  svg.replaceChildren();
  drawAxes(svg, columns);
  const clip = draw("clipPath", { id: "line-clip" }, draw("defs", {}, svg));
  draw("rect", { x: x(X[0]), y: y(Y[1]), width: x(X[1]) - x(X[0]), height: y(Y[0]) - y(Y[1]) }, clip);
  const inside = draw("g", { "clip-path": "url(#line-clip)" }, svg), score = (value) => w0 + w1 * value;
  points.forEach(([across, up], i) => {
    const d = differences[i], side = UNIT * Math.min(Math.abs(d), 100), isLeft = across > 0; // towards the middle
    draw("rect", { x: x(across) - (isLeft ? side : 0), y: Math.max(y(Math.max(up, up + d)), -100 * UNIT), width: side, height: side, class: "error-square" }, inside);
  });
  const line = { x1: x(X[0]), y1: y(score(X[0])), x2: x(X[1]), y2: y(score(X[1])) };
  draw("line", { ...line, class: "boundary" }, inside);
  draw("line", { ...line, class: "whole" }, inside); // unseen and wide enough to be caught
  points.forEach(([across, up], i) => {
    draw("circle", { cx: x(across), cy: y(up), r: 5.5, class: "c0 point" }, svg);
    if (i === visited) draw("circle", { cx: x(across), cy: y(up), r: 10, class: "visited" }, svg);
  });
  const ends = X.map((end) => [end, Math.min(Math.max(score(end), Y[0]), Y[1])]);
  ends.forEach(([across, up], i) => draw("circle", { cx: x(across), cy: y(up), r: 8, class: "line-end", "data-end": i }, svg));
}
function drawAxes(svg, [across, up]) {
  for (let value = X[0] + 1; value < X[1]; value += 2) {
    draw("line", { x1: x(value), x2: x(value), y1: TOP, y2: BOTTOM, class: "tick" }, svg);
    draw("text", { x: x(value), y: BOTTOM + 16, "text-anchor": "middle" }, svg, number(value));
  }
  for (let value = 0; value <= Y[1]; value += 2) {
    draw("line", { x1: LEFT, x2: x(X[1]), y1: y(value), y2: y(value), class: value ? "tick" : "zero" }, svg);
    draw("text", { x: LEFT - 15, y: y(value) + 4, "text-anchor": "end" }, svg, number(value));
  }
  draw("text", { x: x(X[1]), y: BOTTOM + 35, "text-anchor": "end" }, svg, `x: ${across} →`);
  draw("text", { x: LEFT - 30, y: TOP - 4 }, svg, `↑ y: ${up}`);
}
// An end that is dragged moves up and down while the other stays; dragged between them, the line moves as a whole.
function letDrag(svg, readWeights, move) {
  let drag = null;
  const place = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  svg.addEventListener("pointerdown", (event) => {
    const [w0, w1] = readWeights(), { end } = event.target.dataset;
    if (end === undefined && !event.target.matches(".whole")) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    drag = { end, from: place(event).y, heights: X.map((value) => w0 + w1 * value) };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const up = (drag.from - place(event).y) / UNIT, [left, right] = drag.heights.map((height, i) => height + (drag.end === undefined || Number(drag.end) === i ? up : 0));
    move([(left + right) / 2, (right - left) / (X[1] - X[0])]);
  });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { drag = null; });
}
