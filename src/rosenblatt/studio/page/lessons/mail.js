// What a unit learned from the mail of the package, and its decision about a message that the user writes.

import { draw, element, number, paragraph } from "../dom.js";
import { askOrShowError } from "./ask.js";

export function mail(place, { onChange }) {
  const tool = { state: {} }, learned = paragraph("Learning from the mail…", "line"), words = element("div", { className: "charts" });
  // On a phone the list is folded: the answer of the lesson is below it.
  const fold = element("details", { open: innerWidth > 860, hidden: true }, element("summary", { textContent: "The words with the largest weights" }), words);
  const text = element("textarea", { rows: 4, name: "message" }), button = element("button", { type: "button", textContent: "Is it spam?" }), decision = element("div");
  decision.setAttribute("aria-live", "polite");
  place.className = "halves";
  place.append(element("div", {}, element("label", {}, "Your message", text), button, decision), element("div", {}, learned, fold));
  askOrShowError("mail", {}, learned).then((answer) => {
    if (!answer) return;
    learned.textContent = `Learned from ${number(answer.rows)} messages. ${decisions(answer)}`;
    fold.hidden = false;
    words.replaceChildren(...Object.entries(answer.top).map(([label, top]) => wordTable(`for ${label}`, top.map(({ feature, weight }) => [feature, weight]))));
  });
  button.addEventListener("click", async () => {
    const answer = await askOrShowError("message", { text: text.value }, decision);
    if (!answer) return;
    const sum = paragraph(`${answer.label}: the score of spam is ${number(answer.score, 3)}, of which the bias is ${number(answer.bias, 3)}; spam needs more than ${number(answer.threshold, 3)}.`, "answer");
    decision.replaceChildren(sum, wordTable("what each word adds to the score of spam", answer.words.map(({ feature, contribution }) => [feature, contribution])));
    tool.state = { decision: answer, text: text.value };
    onChange();
  });
  return tool;
}

// What the unit gets right, and what it costs to lose as few letters as possible.
function decisions({ examples, accuracy, letters, lost, spams, through, at_zero: zero }) {
  const percent = (share) => `${(100 * share).toFixed(1)}%`;
  return `Of ${number(examples)} others, ${percent(accuracy)} were decided correctly: ${lost} of ${number(letters)} letters were lost, ${through} of ${number(spams)} spams came through. Decided at 0, ${percent(zero.accuracy)} would be correct, with ${zero.lost} letters lost and ${zero.through} spams let through: that is what the caution costs.`;
}
// A bar to the right of the middle for what speaks for the class, to its left for what speaks against it.
function contributionBar(share) {
  const bar = draw("svg", { viewBox: "-50 0 100 12", class: "contribution", "aria-hidden": "true" }), length = 48 * Math.abs(share);
  draw("rect", { x: share < 0 ? -length : 0, y: 1, width: length, height: 10, class: share < 0 ? "against" : "for" }, bar);
  draw("line", { x1: 0, x2: 0, y1: 0, y2: 12, class: "axis" }, bar);
  return bar;
}

function wordTable(caption, entries) {
  const table = element("table", { className: "values" }), largest = Math.max(1e-9, ...entries.map(([, value]) => Math.abs(value)));
  table.createCaption().textContent = caption;
  for (const [word, value] of entries) {
    const row = table.insertRow();
    row.append(element("th", { scope: "row", textContent: word }));
    row.insertCell().textContent = number(value, 3);
    row.insertCell().append(contributionBar(value / largest));
  }
  return table;
}
