// The learner's controls, made from the options of the engine: their names, defaults, choices and help.

export class Controls {
  constructor(form, told, changed) {
    Object.assign(this, { form, told, changed, chosen: {} });
    form.addEventListener("submit", (event) => event.preventDefault());
    this.make();
  }
  get loss() { return this.chosen.loss ?? this.told.loss.default; }
  // The controls that are shown: the loss, the kernel of the perceptron, and the options of that learner.
  get shown() {
    const own = this.told.losses[this.chosen.kernel ? "kernel" : this.loss], first = [this.told.loss];
    if (this.loss === this.told.loss.default) first.push(this.told.kernel);
    return [...first, ...Object.values(own)];
  }
  // Only what differs from the default is said.
  get options() { return { ...this.chosen }; }
  restore(chosen) {
    this.chosen = {};
    for (const name of ["loss", "kernel", ...Object.keys(chosen).filter((one) => one !== "loss" && one !== "kernel")]) {
      const control = this.shown.find((one) => one.name === name);
      if (control && name in chosen) this.set(control, read(control, chosen[name]));
    }
    this.make();
  }
  set(control, value) {
    if (value === undefined || value === control.default) delete this.chosen[control.name];
    else this.chosen[control.name] = value;
  }
  make() {
    this.form.replaceChildren();
    for (const control of this.shown) this.form.append(this.field(control));
    this.help = document.createElement("p");
    this.help.className = "help muted";
    this.help.id = "control-help";
    this.help.textContent = "Each control says here what it means.";
    this.form.append(this.help);
  }
  // Another learner: of the other options it keeps those that it has too, with the same meaning.
  turnTo(name) {
    const before = this.chosen;
    this.chosen = {};
    for (const one of name === "loss" ? ["loss"] : ["loss", "kernel"]) if (one in before) this.chosen[one] = before[one];
    for (const one of this.shown) if (KEPT.has(one.name) && one.name in before && (!one.choices.length || one.choices.includes(before[one.name]))) this.chosen[one.name] = before[one.name];
    this.make();
    this.form.elements[name].focus();
  }
  field(control) {
    const label = document.createElement("label"), value = this.chosen[control.name] ?? control.default;
    const input = control.kind === "bool" ? checkbox(value) : onlyChoices(control) ? select(control, value) : entry(control, value);
    input.name = control.name;
    input.title = control.help;
    input.setAttribute("aria-describedby", "control-help");
    input.addEventListener("focus", () => { this.help.textContent = `${control.name}: ${control.help}`; });
    input.addEventListener("change", () => {
      this.set(control, read(control, control.kind === "bool" ? input.checked : input.value));
      if (control.name === "loss" || control.name === "kernel") this.turnTo(control.name);
      this.changed();
    });
    label.append(control.name, " ", input);
    return label;
  }
}

const KEPT = new Set(["order", "keep", "max_iter", "fit_intercept", "random_state"]);
const onlyChoices = (control) => control.kind === "choice";
function read(control, value) {
  if (control.kind === "bool") return value === true || value === "true";
  if (control.choices.includes(value)) return value;
  const text = String(value).trim();
  if (text === "") return undefined;
  return Number.isFinite(Number(text)) ? Number(text) : text; // the engine says what is wrong with a word
}
function checkbox(value) {
  return Object.assign(document.createElement("input"), { type: "checkbox", checked: value });
}
function select(control, value) {
  const made = document.createElement("select");
  for (const choice of control.choices) made.add(new Option(choice, choice, false, choice === value));
  return made;
}
function entry(control, value) {
  const words = control.choices.length > 0;
  const made = Object.assign(document.createElement("input"), { type: words ? "text" : "number", value: value ?? "", step: control.kind === "float" ? "any" : 1 });
  if (!words && control.least !== null) made.min = control.least;
  if (words) made.placeholder = `a number, or ${control.choices.join(", ")}`;
  return made;
}
