// The lessons: what to read, one thing to do, and whether it is done. The texts come from the server; the check of each
// lesson is in checks/KEY.js.

import { element, find, marked, paragraph } from "../dom.js";
import { resultsForm } from "./results.js";
import { TOOLS } from "./tools.js";

export class Lessons {
  // `readPage` gives what the page shows, `fresh` if the server has answered for it; `arrange` sets the page up.
  constructor(lessons, { readPage, arrange, tabs, onChange, showError }) {
    Object.assign(this, { lessons, readPage, arrange, tabs, onChange, showError, current: null, check: null, tool: null, finished: new Set() });
    find("lesson-index").addEventListener("click", () => (find("lesson").hidden || this.current ? this.showIndex() : this.leave()));
    find("lesson-previous").addEventListener("click", () => this.go(-1));
    find("lesson-next").addEventListener("click", () => this.go(1));
    this.updateBar();
  }
  get position() { return this.lessons.indexOf(this.current); }
  // Continues from a link; `setUp` says whether the lesson sets up the page, which a link with its own points does not need.
  restore({ lesson: key, done, setUp }) {
    this.finished = new Set(done.filter((name) => this.lessons.some((lesson) => lesson.key === name)));
    const lesson = this.lessons.find((candidate) => candidate.key === key);
    if (lesson) this.open(lesson, { setUp, focus: false });
    this.updateBar();
    return Boolean(lesson);
  }
  go(step) {
    const next = this.lessons[this.current ? this.position + step : 0];
    if (next) this.open(next);
  }
  open(lesson, { setUp = true, focus = true } = {}) {
    this.close();
    this.current = lesson;
    this.arrangePanels(lesson);
    const title = element("h2", { id: "lesson-title", tabIndex: -1, textContent: `${this.position + 1}. ${lesson.title}` });
    const status = Object.assign(paragraph("", "status"), { id: "lesson-status" });
    status.setAttribute("aria-live", "polite");
    find("lesson").replaceChildren(title, ...lesson.text.map((text) => element("p", {}, ...marked(text))), element("p", { className: "task" }, ...marked(lesson.task)), this.form(lesson), status);
    find("lesson").hidden = false;
    this.tool = TOOLS[lesson.tool]?.(find("lesson-tool"), { arrange: this.arrange, readPage: this.readPage, onChange: () => this.update() }) ?? null;
    this.loadCheck(lesson);
    if (setUp) this.arrange(lesson.setup);
    this.updateBar();
    this.onChange();
    if (focus) showFromTop(title);
  }
  async loadCheck(lesson) {
    try {
      const { check } = await import(`./checks/${lesson.check || lesson.key}.js`);
      if (this.current !== lesson) return;
      this.check = check;
      this.update();
    } catch (error) { this.showError(error); }
  }
  form(lesson) {
    const form = element("form", { className: "fill" });
    for (const [name, label] of Object.entries(lesson.fields)) {
      const input = element("input", { type: "text", name, autocomplete: "off" });
      input.addEventListener("input", () => this.update());
      form.append(element("label", {}, label, input));
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(element("div", { id: "lesson-tool" }));
    return form;
  }
  // A lesson opens the first of its panels; one without a plane hides the plane and all other panels.
  arrangePanels(lesson) {
    const panels = lesson?.panels ?? [], alone = lesson?.has_plane === false;
    for (const name of this.tabs.names) find(`h-${name}`).hidden = alone && !panels.includes(name);
    if (lesson) this.tabs.show(panels[0] ?? this.tabs.default);
    find("left").hidden = alone;
    find("right").hidden = alone && !panels.length;
    document.querySelector("main").dataset.lesson = !lesson ? "" : alone ? "alone" : "beside";
  }
  showIndex() {
    this.close();
    this.arrangePanels(null);
    document.querySelector("main").dataset.lesson = "beside";
    const title = element("h2", { id: "lesson-title", tabIndex: -1, textContent: "Lessons" });
    const items = this.lessons.map((lesson) => {
      const button = element("button", { type: "button", className: "plain", textContent: lesson.title });
      button.addEventListener("click", () => this.open(lesson));
      return element("li", {}, button, this.finished.has(lesson.key) ? " ✓ done" : "");
    });
    const leave = element("button", { type: "button", textContent: "Close the lessons" });
    leave.addEventListener("click", () => this.leave());
    find("lesson").replaceChildren(title, paragraph("Each is a few sentences, one thing to do, and a check that it is done."), element("ol", {}, ...items), ...resultsForm(this.finished), leave);
    find("lesson").hidden = false;
    this.updateBar();
    this.onChange();
    showFromTop(title);
  }
  leave() {
    this.close();
    this.arrangePanels(null);
    find("lesson").hidden = true;
    this.updateBar();
    this.onChange();
    find("lesson-index").focus();
  }
  close() {
    this.tool?.end?.();
    Object.assign(this, { current: null, check: null, tool: null, shownText: null });
  }
  updateBar() {
    const { current, position, lessons, finished } = this;
    find("lesson-index").setAttribute("aria-expanded", String(!find("lesson").hidden && !current));
    find("lesson-previous").hidden = !current;
    find("lesson-previous").disabled = position <= 0;
    find("lesson-next").disabled = position === lessons.length - 1;
    find("lesson-next").textContent = current ? "Next ▸" : "Begin ▸";
    find("lesson-place").textContent = current
      ? `${position + 1} of ${lessons.length}: ${current.title}${finished.has(current.key) ? " ✓" : ""}`
      : `${lessons.length} short lessons${finished.size ? `, ${finished.size} done` : ""}`;
  }
  // Checks the lesson; called whenever the page shows something new.
  update() {
    const { current: lesson, check } = this, page = check && this.readPage(), status = find("lesson-status");
    if (!page || !status || (lesson.has_plane && !page.fresh)) return;
    const inputs = [...find("lesson").querySelectorAll("form.fill > label > input")];
    const filled = Object.fromEntries(inputs.map((input) => [input.name, input.value]));
    const [done, progress, rightFields] = page.run || !lesson.has_plane ? check({ ...page, filled, tool: this.tool?.state }, lesson) : [false, "Points of two classes are needed."];
    rightFields?.forEach((right, i) => { inputs[i].dataset.right = right ?? ""; });
    const text = done ? `✓ Done. ${lesson.when_done}` : `Not yet. ${progress}`;
    if (this.shownText !== text) status.replaceChildren(...marked(text));
    this.shownText = text;
    status.classList.toggle("done", done);
    if (done && !this.finished.has(lesson.key)) {
      this.finished.add(lesson.key);
      this.updateBar();
      this.onChange();
    }
  }
}

// From the list of lessons, which may have been scrolled, to the title: the bar above stays in place and would cover it.
function showFromTop(title) {
  title.focus({ preventScroll: true });
  scrollTo(0, 0);
}
