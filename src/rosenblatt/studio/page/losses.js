// What each loss would charge for the weights as they are, along the run, and how long the weights are.

import { draw, number } from "./geometry.js";

const WIDE = 220, HIGH = 34;

export function showCosts(place, costs) {
  place.replaceChildren();
  if (!costs) return () => {};
  const rows = costs.losses.map((loss) => [loss.name.replace("_", "-"), loss.formula, loss.values]);
  rows.push(["length of w", "‖w‖, with b", costs.norm]);
  const title = document.createElement("h3"), list = Object.assign(document.createElement("div"), { className: "costs" });
  title.textContent = "Each loss, the mean over the points";
  place.append(title, list);
  const moving = rows.map(([name, formula, values]) => line(list, name, formula, values, costs.t));
  return (frame, run) => {
    const t = frame.kind === "end" ? run.t : frame.t + 1, at = Math.max(0, costs.t.findLastIndex((one) => one <= t));
    for (const move of moving) move(at);
  };
}

function line(list, name, formula, values, times) {
  const most = values.reduce((a, b) => Math.max(a, b), 0) || 1, last = Math.max(1, times.length - 1);
  const x = (i) => 3 + ((WIDE - 6) * i) / last, y = (value) => HIGH - 3 - ((HIGH - 6) * value) / most;
  const label = Object.assign(document.createElement("div"), { className: "cost" }), now = document.createElement("output");
  const strong = document.createElement("strong"), small = document.createElement("small");
  strong.textContent = name;
  small.textContent = formula;
  label.append(strong, small);
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name} along the run: from ${number(values[0], 3)} to ${number(values.at(-1), 3)}, at most ${number(most, 3)}` });
  draw("line", { x1: 0, x2: WIDE, y1: HIGH - 3, y2: HIGH - 3, class: "axis" }, svg);
  draw("path", { d: values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(""), class: "curve", "vector-effect": "non-scaling-stroke" }, svg);
  const here = draw("line", { y1: 0, y2: HIGH, class: "here", "vector-effect": "non-scaling-stroke" }, svg);
  list.append(label, svg, now);
  return (at) => {
    here.setAttribute("x1", x(at));
    here.setAttribute("x2", x(at));
    now.textContent = number(values[at], 3);
  };
}
