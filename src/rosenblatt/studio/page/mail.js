// The mail of the package: what was learned from it, and what it says to a message of one's own.

import { number } from "./geometry.js";
import { paragraph } from "./panels.js";
import { answered } from "./tools.js";

export function mail(place, { changed }) {
  const tool = { state: {} }, learned = paragraph("Learning from the mail…", "line"), words = document.createElement("div"), decided = document.createElement("div");
  const label = document.createElement("label"), text = Object.assign(document.createElement("textarea"), { rows: 4, name: "message" });
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Is it spam?" });
  label.append("Your message", text);
  decided.setAttribute("aria-live", "polite");
  const own = document.createElement("div"), theirs = document.createElement("div");
  place.className = "halves";
  own.append(label, button, decided);
  theirs.append(learned, words);
  place.append(own, theirs);
  answered("mail", {}, learned).then((told) => {
    if (!told) return;
    learned.textContent = `Learned from ${number(told.rows)} messages; of ${number(told.examples)} others, ${(100 * told.accuracy).toFixed(1)}% were decided rightly. The heaviest words:`;
    words.className = "charts";
    words.replaceChildren(...Object.entries(told.top).map(([name, list]) => bars(`for ${name}`, list.map((one) => [one.feature, one.weight]))));
  });
  button.addEventListener("click", async () => {
    const told = await answered("message", { text: text.value }, decided);
    if (!told) return;
    const sum = paragraph(`${told.label}: score ${number(told.score, 3)}, of which the bias is ${number(told.bias, 3)}.`, "answer");
    decided.replaceChildren(sum, bars(`what each word adds to “${told.label}”`, told.words.map((one) => [one.feature, one.contribution])));
    tool.state = { decided: told, text: text.value };
    changed();
  });
  return tool;
}

function bars(title, pairs) {
  const table = Object.assign(document.createElement("table"), { className: "values" }), most = Math.max(1e-9, ...pairs.map(([, value]) => Math.abs(value)));
  table.createCaption().textContent = title;
  for (const [word, value] of pairs) {
    const row = table.insertRow(), meter = Object.assign(document.createElement("meter"), { max: most, value: Math.abs(value) });
    meter.setAttribute("aria-hidden", "true");
    row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: word }));
    row.insertCell().textContent = number(value, 3);
    row.insertCell().append(meter);
  }
  return table;
}
