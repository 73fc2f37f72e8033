// Chances from scores at the temperature of a slider, and how often they come true.

import { draw, element, labelled, number } from "../dom.js";
import { askOrShowError } from "./ask.js";

const SIZE = 300, LEFT = 44, TOP = 12, PLACE = (share) => share * (SIZE - LEFT - 24);
const x = (share) => LEFT + PLACE(share), y = (share) => SIZE - LEFT - PLACE(share);

export function calibration(place, { onChange }) {
  const tool = { state: {} }, picture = element("div"), value = element("output");
  const { label, input } = labelled("Temperature T ", element("input", { type: "range", min: -2, max: 3, step: 0.25, value: -1, name: "temperature" }));
  place.append(label, value, picture);
  const show = async () => {
    const answer = await askOrShowError("calibration", { temperature: 2 ** Number(input.value) }, picture);
    if (!answer) return;
    picture.replaceChildren(chart(answer.bins));
    value.textContent = `T = ${number(answer.temperature, 3)}, log loss ${number(answer.log_loss, 3)}`;
    input.setAttribute("aria-valuetext", value.textContent);
    tool.state = answer;
    onChange();
  };
  input.addEventListener("input", show);
  show();
  return tool;
}

function chart(bins) {
  const words = bins.map(({ chance, came_true: share }) => `${percent(chance)} said, ${percent(share)} came true`).join("; ");
  const svg = draw("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": words, class: "wide" });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    draw("line", { x1: x(share), x2: x(share), y1: y(0), y2: y(1), class: "tick" }, svg);
    draw("line", { x1: x(0), x2: x(1), y1: y(share), y2: y(share), class: "tick" }, svg);
    draw("text", { x: x(share), y: y(0) + 17, "text-anchor": "middle" }, svg, percent(share));
    if (share) draw("text", { x: x(0) - 5, y: y(share) + 4, "text-anchor": "end" }, svg, percent(share)); // 0% is below already
  }
  draw("text", { x: x(1), y: y(0) + 36, "text-anchor": "end" }, svg, "chance that was said →");
  draw("text", { x: x(0) + 6, y: TOP }, svg, "↑ came true");
  draw("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: "bound" }, svg);
  draw("path", { d: bins.map(({ chance, came_true: share }, i) => `${i ? "L" : "M"}${x(chance)} ${y(share)}`).join(""), class: "curve" }, svg);
  for (const { chance, came_true: share, count } of bins) draw("circle", { cx: x(chance), cy: y(share), r: 2 + Math.sqrt(count) / 6, class: "c0" }, svg);
  return svg;
}
const percent = (share) => `${Math.round(100 * share)}%`;
