// Boundaries that are no straight lines, and regions that votes decide: the engine sends them as paths.
// What was sent once is kept, and while the run plays the next moments are asked for ahead of time.

import { ask, overtaken } from "./api.js";
import { HEIGHT, WIDTH, draw } from "./geometry.js";

const AHEAD = 12, MOST = 400;

export class Curves {
  constructor(plane, request, failed) {
    Object.assign(this, { plane, request, failed, known: new Map(), asked: new Set(), run: null, fetching: false });
  }
  // The picture as the server needs to know it.
  get picture() {
    const [[left, high], , [right, low]] = this.plane.view.corners;
    return { box: [left, right, low, high], size: [WIDTH, HEIGHT] };
  }
  load(run) {
    const needed = run && (run.curved || (run.units.length > 1 && run.scheme === "ovo"));
    Object.assign(this, { run: needed ? run : null, known: new Map(), asked: new Set(), still: null, wanted: null, told: run && { ...this.request(), ...this.picture } });
    if (this.run?.curved) this.askStill();
  }
  at(frame) { return frame.kind === "end" ? this.run.t : frame.t + 1; }
  // Draw a frame as soon as its paths are here; until then the picture before it stays. While the run plays, the
  // boundary before an update is drawn only where it is known already.
  show(frame, ahead = []) {
    if (!this.run) return;
    const at = this.at(frame), was = frame.moved.some((one) => one.coefficient) ? frame.t : at;
    this.wanted = { at, was: ahead.length ? at : was, frame };
    if (this.here) this.paint();
    const missing = (list) => [...new Set(list)].filter((one) => !this.known.has(one) && !this.asked.has(one));
    const due = missing([this.wanted.was, at]), next = missing(ahead.map((one) => this.at(one))).slice(0, AHEAD);
    if (due.length) this.fetch([...due, ...next], "surfaces");
    else if (next.length >= AHEAD / 2 && !this.fetching) this.fetch(next, "surfaces ahead");
  }
  get here() { return this.wanted && this.known.has(this.wanted.at) && this.known.has(this.wanted.was); }
  async fetch(at, as) {
    const run = this.run;
    at.forEach((one) => this.asked.add(one));
    this.fetching = true;
    try {
      const { surfaces } = await ask("surfaces", { ...this.told, at }, { as });
      if (run !== this.run) return;
      if (this.known.size > MOST) this.known.clear();
      for (const one of surfaces) this.known.set(one.at, one);
      if (this.here) this.paint();
    } catch (error) {
      if (!overtaken(error)) this.failed(error);
    } finally {
      if (run === this.run) at.forEach((one) => this.asked.delete(one));
      this.fetching = false;
    }
  }
  async askStill() {
    const run = this.run;
    try {
      const found = await ask("still", this.told);
      if (run !== this.run) return;
      this.still = found;
      if (this.wanted) this.show(this.wanted.frame);
    } catch (error) { if (!overtaken(error)) this.failed(error); }
  }
  paint() {
    const { regions, band, lines } = this.plane.layer, now = this.known.get(this.wanted.at), was = this.known.get(this.wanted.was);
    regions.replaceChildren();
    for (const [label, d] of Object.entries(now.regions)) draw("path", { d, class: `region c${label}${this.run.units.length > 1 ? " cell" : ""}`, "fill-rule": "evenodd" }, regions);
    if (!this.run.curved) return;
    band.replaceChildren();
    lines.replaceChildren();
    lines.dataset.at = now.at;
    if (now.band) draw("path", { d: now.band, class: "band", "fill-rule": "evenodd" }, band);
    if (was !== now && was.boundary) draw("path", { d: was.boundary, class: "was curve-was" }, lines);
    if (this.run.scheme !== "joint") now.units.forEach((d, unit) => { if (d) draw("path", { d, class: `unit s${this.run.scheme === "ovo" ? unit % 5 : this.run.classes[unit]}` }, lines); });
    if (now.boundary) draw("path", { d: now.boundary, class: "boundary" }, lines);
    if (this.wanted.frame.kind === "end" && this.still?.kept) draw("path", { d: this.still.kept, class: "kept" }, lines);
  }
}

// The widest margin where it is curved: the boundary and the two curves that touch the nearest points.
export async function widest(verdict, told) {
  const [, ...w] = verdict.weights, far = verdict.margin * Math.hypot(...w);
  return (await ask("still", { ...told, weights: verdict.weights, levels: [-far, 0, far] }, { as: "widest" })).levels;
}
