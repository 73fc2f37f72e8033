// The lessons: what to read, one thing to do, and whether it is done. The texts come from the server, once.

import { CHECKS } from "./checks.js";
import { hidden } from "./hidden.js";
import { mail } from "./mail.js";
import { paragraph } from "./panels.js";
import { losses, slope, weights } from "./tools.js";

const TOOLS = { weights, losses, slope, hidden, mail };
const find = (id) => document.getElementById(id);

export class Lessons {
  // `seen` is what the page shows now, `fresh` when the engine has answered for it; `arrange` puts it into a state.
  constructor(lessons, { seen, arrange, changed }) {
    Object.assign(this, { lessons, seen, arrange, changed, now: null, tool: null, finished: new Set() });
    this.order = [...find("right").children];
    find("lesson-index").addEventListener("click", () => (find("lesson").hidden || this.now ? this.list() : this.leave()));
    find("lesson-previous").addEventListener("click", () => this.go(-1));
    find("lesson-next").addEventListener("click", () => this.go(1));
    this.bar();
  }
  get at() { return this.lessons.indexOf(this.now); }
  restore({ lesson, done, fresh }) {
    this.finished = new Set(done.filter((key) => this.lessons.some((one) => one.key === key)));
    const wanted = this.lessons.find((one) => one.key === lesson);
    if (wanted) this.open(wanted, { arrange: fresh, focus: false });
    this.bar();
    return Boolean(wanted);
  }
  go(step) {
    const next = this.lessons[this.now ? this.at + step : 0];
    if (next) this.open(next);
  }
  open(lesson, { arrange = true, focus = true } = {}) {
    this.now = lesson;
    this.tool?.end?.();
    this.tool = null;
    this.layout(lesson);
    const place = find("lesson"), title = Object.assign(document.createElement("h2"), { id: "lesson-title", tabIndex: -1, textContent: `${this.at + 1}. ${lesson.title}` });
    const task = paragraph(lesson.task, "task"), status = Object.assign(paragraph("", "status"), { id: "lesson-status" });
    status.setAttribute("aria-live", "polite");
    place.replaceChildren(title, ...lesson.text.map((words) => paragraph(words)), task, this.form(lesson), status);
    place.hidden = false;
    if (TOOLS[lesson.tool]) this.tool = TOOLS[lesson.tool](find("lesson-tool"), { arrange: this.arrange, seen: this.seen, changed: () => this.look() });
    this.arrange(lesson.state, { all: arrange });
    this.bar();
    this.look();
    this.changed();
    if (focus) title.focus();
  }
  form(lesson) {
    const form = document.createElement("form");
    form.className = "fill";
    for (const [name, words] of Object.entries(lesson.asks)) {
      const label = document.createElement("label"), input = Object.assign(document.createElement("input"), { type: "text", name, autocomplete: "off" });
      input.addEventListener("input", () => this.look());
      label.append(words, input);
      form.append(label);
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(Object.assign(document.createElement("div"), { id: "lesson-tool" }));
    return form;
  }
  // The panels that a lesson speaks of stand first; where it needs no plane, there is none.
  layout(lesson) {
    const first = (lesson?.panels ?? []).map((name) => find(`h-${name}`).parentElement), right = find("right");
    right.replaceChildren(...first, ...this.order.filter((panel) => !first.includes(panel)));
    for (const panel of this.order) panel.hidden = lesson?.plane === false && !first.includes(panel);
    find("left").hidden = lesson?.plane === false;
    right.hidden = lesson?.plane === false && !first.length;
    document.querySelector("main").dataset.lesson = !lesson ? "" : lesson.plane === false ? "alone" : "beside";
  }
  list() {
    this.now = null;
    this.tool?.end?.();
    this.layout(null);
    document.querySelector("main").dataset.lesson = "beside";
    const title = Object.assign(document.createElement("h2"), { id: "lesson-title", tabIndex: -1, textContent: "Lessons" }), list = document.createElement("ol");
    for (const lesson of this.lessons) {
      const item = document.createElement("li"), button = Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: lesson.title });
      button.addEventListener("click", () => this.open(lesson));
      item.append(button, this.finished.has(lesson.key) ? " ✓ done" : "");
      list.append(item);
    }
    const away = Object.assign(document.createElement("button"), { type: "button", textContent: "Close the lessons" });
    away.addEventListener("click", () => this.leave());
    find("lesson").replaceChildren(title, paragraph("Each is a few sentences, one thing to do, and a check that it was done."), list, away);
    find("lesson").hidden = false;
    this.bar();
    this.changed();
    title.focus();
  }
  leave() {
    this.now = null;
    this.tool?.end?.();
    this.tool = null;
    this.layout(null);
    find("lesson").hidden = true;
    this.bar();
    this.changed();
    find("lesson-index").focus();
  }
  bar() {
    const { now, at, lessons } = this;
    find("lesson-index").setAttribute("aria-expanded", String(!find("lesson").hidden && !now));
    find("lesson-previous").hidden = !now;
    find("lesson-previous").disabled = at <= 0;
    find("lesson-next").disabled = at === lessons.length - 1;
    find("lesson-next").textContent = now ? "Next ▸" : "Begin ▸";
    const done = this.finished.size ? `, ${this.finished.size} done` : "";
    find("lesson-place").textContent = now ? `${at + 1} of ${lessons.length}: ${now.title}${this.finished.has(now.key) ? " ✓" : ""}` : `${lessons.length} short lessons${done}`;
  }
  // Called whenever the page shows something new.
  look() {
    const status = find("lesson-status"), seen = this.now && this.seen();
    if (!seen || !status || (this.now.plane && !seen.fresh)) return;
    const filled = Object.fromEntries([...find("lesson").querySelectorAll("form.fill > label > input")].map((input) => [input.name, input.value]));
    const ready = seen.run || !this.now.plane;
    const [done, said, entries] = ready ? CHECKS[this.now.key]({ ...seen, filled, tool: this.tool?.state }) : [false, "Points of two classes are needed."];
    entries?.forEach((right, i) => { find("lesson").querySelectorAll("form.fill > label > input")[i].dataset.right = right ?? ""; });
    const words = done ? `✓ Done. ${this.now.done}` : `Not yet. ${said}`;
    if (status.textContent !== words) status.textContent = words;
    status.classList.toggle("done", done);
    if (done && !this.finished.has(this.now.key)) {
      this.finished.add(this.now.key);
      this.bar();
      this.changed();
    }
  }
}
