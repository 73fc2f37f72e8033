// The tabs beside the plane: one panel is shown at a time. The arrow keys go from tab to tab, as in any tab list.

import { find } from "../dom.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Tabs {
  constructor(list, onChange) {
    this.tabs = [...list.querySelectorAll("[role=tab]")];
    this.onChange = onChange;
    for (const tab of this.tabs) {
      tab.setAttribute("aria-controls", `p-${nameOf(tab)}`);
      tab.addEventListener("click", () => this.choose(nameOf(tab)));
      tab.addEventListener("keydown", (event) => this.onKey(event));
    }
    this.show(this.default);
  }
  get names() { return this.tabs.map(nameOf); }
  get default() { return nameOf(this.tabs[0]); }
  choose(name) {
    if (name === this.current) return;
    this.show(name);
    this.onChange();
  }
  show(name) {
    this.current = this.names.includes(name) ? name : this.default;
    document.querySelector("main").dataset.tab = this.current; // for the style sheet
    for (const tab of this.tabs) {
      const isCurrent = nameOf(tab) === this.current;
      tab.setAttribute("aria-selected", String(isCurrent));
      tab.tabIndex = isCurrent ? 0 : -1;
      find(`p-${nameOf(tab)}`).hidden = !isCurrent;
    }
  }
  onKey(event) {
    const visible = this.tabs.filter((tab) => !tab.hidden), at = visible.indexOf(event.target);
    const next = { Home: 0, End: visible.length - 1 }[event.key] ?? (STEPS[event.key] ? (at + STEPS[event.key] + visible.length) % visible.length : null);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation(); // Home and End also move the run
    visible[next].focus();
    this.choose(nameOf(visible[next]));
  }
}

const nameOf = (tab) => tab.id.slice(2); // h-NAME is the tab, p-NAME its panel
