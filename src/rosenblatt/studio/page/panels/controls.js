// The learner's controls, made from the options that the server lists: their names, defaults, choices and help.

import { element, rememberFold } from "../dom.js";

// Options that keep their value when another learner is chosen: they mean the same for all.
const SHARED = new Set(["order", "keep", "max_iter", "fit_intercept", "random_state"]);

export class Controls {
  // `lists` has the controls of the loss, of the kernel, and of every learner.
  constructor(form, lists, onChange) {
    Object.assign(this, { form, lists, onChange, chosen: {} });
    form.addEventListener("submit", (event) => event.preventDefault());
    this.build();
  }
  get loss() { return this.chosen.loss ?? this.lists.loss.default; }
  // The controls on the page: the loss, the kernel of the perceptron, and the options of the learner that they choose.
  get shown() {
    const { kernel } = this.chosen, { learners, kernel: { parameters } } = this.lists, every = new Set(Object.values(parameters).flat());
    const options = Object.values(learners[kernel ? "kernel" : this.loss]).filter(({ name }) => !kernel || !every.has(name) || parameters[kernel].includes(name));
    return [this.lists.loss, ...(this.loss === this.lists.loss.default ? [this.lists.kernel] : []), ...options];
  }
  // The options that differ from their defaults.
  get options() { return { ...this.chosen }; }
  restore(options) {
    this.chosen = {};
    for (const name of ["loss", "kernel", ...Object.keys(options).filter((other) => other !== "loss" && other !== "kernel")]) {
      const control = this.shown.find((candidate) => candidate.name === name);
      if (control && name in options) this.set(control, parse(control, options[name]));
    }
    this.build();
  }
  set(control, value) {
    if (value === undefined || value === control.default) delete this.chosen[control.name];
    else this.chosen[control.name] = value;
  }
  build() {
    this.help = element("p", { className: "help muted", id: "control-help", textContent: "Select a control to read what it does." });
    const fields = (folded) => this.shown.filter((control) => Boolean(control.folded) === folded).map((control) => this.field(control)), more = fields(true);
    const fold = element("details", {}, element("summary", { textContent: "More options" }), element("div", { className: "fields" }, ...more));
    this.form.replaceChildren(element("div", { className: "fields" }, ...fields(false)), rememberFold(fold, "more options"), this.help);
    fold.open ||= this.shown.some((control) => control.folded && control.name in this.chosen); // what was chosen is seen
  }
  // Another loss or kernel is another learner, which takes over the shared options.
  changeLearner(name) {
    const before = this.chosen;
    this.chosen = {};
    for (const choice of name === "loss" ? ["loss"] : ["loss", "kernel"]) if (choice in before) this.chosen[choice] = before[choice];
    for (const { name: option, choices } of this.shown) {
      if (SHARED.has(option) && option in before && (!choices.length || choices.includes(before[option]))) this.chosen[option] = before[option];
    }
    this.build();
    this.form.elements[name].focus();
  }
  field(control) {
    const value = this.chosen[control.name] ?? control.default, isBox = control.kind === "bool";
    const input = isBox ? element("input", { type: "checkbox", checked: value }) : control.kind === "choice" ? select(control, value) : textField(control, value);
    input.name = control.name;
    input.title = control.help;
    input.setAttribute("aria-describedby", "control-help");
    input.addEventListener("focus", () => { this.help.textContent = `${capitalised(control.label)} (${control.name}). ${control.help}`; });
    input.addEventListener("change", () => {
      this.set(control, parse(control, isBox ? input.checked : input.value));
      if (control.name === "loss" || control.name === "kernel") this.changeLearner(control.name);
      this.onChange();
    });
    const name = control.label === control.name ? [] : [element("small", { textContent: ` ${control.name}`, className: "muted" })];
    return element("label", isBox ? { className: "box" } : {}, element("span", {}, control.label, ...name), input);
  }
}

function parse(control, value) {
  if (control.kind === "bool") return value === true || value === "true";
  if (control.choices.includes(value)) return value;
  const text = String(value).trim();
  if (text === "") return undefined;
  return Number.isFinite(Number(text)) ? Number(text) : text; // the server says what is wrong with a word
}
const capitalised = (text) => text[0].toUpperCase() + text.slice(1);
function select(control, value) {
  return element("select", {}, ...control.choices.map((choice) => new Option(control.choice_labels[choice], choice, false, choice === value)));
}
function textField(control, value) {
  const takesWords = control.choices.length > 0;
  const field = element("input", { type: takesWords ? "text" : "number", value: value ?? "", step: control.kind === "float" ? "any" : 1 });
  if (!takesWords && control.minimum !== null) field.min = control.minimum;
  if (takesWords) field.placeholder = `a number, or ${control.choices.join(", ")}`;
  return field;
}
