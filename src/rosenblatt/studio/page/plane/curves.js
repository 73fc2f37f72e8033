// Draws boundaries that are not straight lines, and regions decided by votes: paths that the server computes.
// Paths are cached, and while the run plays those of the next moments are fetched ahead of time.

import { draw } from "../dom.js";
import { ask, isReplaced } from "../server.js";
import { HEIGHT, WIDTH } from "./view.js";

const FETCH_AHEAD = 12, MAX_CACHED = 400;

export class Curves {
  constructor(plane, readRequest, showError) {
    Object.assign(this, { plane, readRequest, showError, cache: new Map(), pending: new Set(), run: null, fetching: false });
  }
  // What the server needs to know of the picture.
  get picture() {
    const [[left, high], , [right, low]] = this.plane.view.corners;
    return { box: [left, right, low, high], size: [WIDTH, HEIGHT] };
  }
  load(run) {
    const needed = run && (run.curved || (run.units.length > 1 && run.scheme === "ovo"));
    Object.assign(this, { run: needed ? run : null, cache: new Map(), pending: new Set(), fixed: null, current: null, request: run && { ...this.readRequest(), ...this.picture } });
    if (this.run?.curved) this.fetchFixed();
  }
  timeOf(frame) { return frame.kind === "end" ? this.run.t : frame.t + 1; }
  // Draws a frame once its paths are here; until then the picture before it stays. While the run plays, the boundary
  // before an update is drawn only if it is cached.
  show(frame, nextFrames = []) {
    if (!this.run) return;
    const time = this.timeOf(frame), timeBefore = frame.steps.some((step) => step.coefficient) ? frame.t : time;
    this.current = { time, timeBefore: nextFrames.length ? time : timeBefore, frame };
    if (this.isReady) this.paint();
    const missing = (times) => [...new Set(times)].filter((t) => !this.cache.has(t) && !this.pending.has(t));
    const due = missing([this.current.timeBefore, time]), next = missing(nextFrames.map((later) => this.timeOf(later))).slice(0, FETCH_AHEAD);
    if (due.length) this.fetch([...due, ...next], "regions");
    else if (next.length >= FETCH_AHEAD / 2 && !this.fetching) this.fetch(next, "regions ahead");
  }
  get isReady() { return this.current && this.cache.has(this.current.time) && this.cache.has(this.current.timeBefore); }
  async fetch(times, slot) {
    const run = this.run;
    times.forEach((t) => this.pending.add(t));
    this.fetching = true;
    try {
      const { pictures } = await ask("regions", { ...this.request, times }, { slot });
      if (run !== this.run) return;
      if (this.cache.size > MAX_CACHED) this.cache.clear();
      for (const picture of pictures) this.cache.set(picture.time, picture);
      if (this.isReady) this.paint();
    } catch (error) {
      if (!isReplaced(error)) this.showError(error);
    } finally {
      if (run === this.run) times.forEach((t) => this.pending.delete(t));
      this.fetching = false;
    }
  }
  // The boundary of what was kept, which is the same throughout the run.
  async fetchFixed() {
    const run = this.run;
    try {
      const fixed = await ask("fixed_curves", this.request);
      if (run !== this.run) return;
      this.fixed = fixed;
      if (this.current) this.show(this.current.frame);
    } catch (error) { if (!isReplaced(error)) this.showError(error); }
  }
  paint() {
    if (this.plane.network) return; // a network is shown instead of the run
    const { regions, band, lines } = this.plane.layer, after = this.cache.get(this.current.time), before = this.cache.get(this.current.timeBefore);
    regions.replaceChildren();
    for (const [label, d] of Object.entries(after.regions)) draw("path", { d, class: `region c${label}${this.run.units.length > 1 ? " cell" : ""}`, "fill-rule": "evenodd" }, regions);
    if (!this.run.curved) return;
    band.replaceChildren();
    lines.replaceChildren();
    lines.dataset.time = after.time;
    if (after.band && this.plane.showsBand) draw("path", { d: after.band, class: "band", "fill-rule": "evenodd" }, band);
    if (before !== after && before.boundary) draw("path", { d: before.boundary, class: "before curve-before" }, lines);
    if (this.run.scheme !== "joint") after.units.forEach((d, unit) => { if (d) draw("path", { d, class: `unit s${this.run.scheme === "ovo" ? unit % 5 : this.run.classes[unit]}` }, lines); });
    if (after.boundary) draw("path", { d: after.boundary, class: "boundary" }, lines);
    if (this.current.frame.kind === "end" && this.fixed?.kept && this.plane.showsKept) draw("path", { d: this.fixed.kept, class: "kept" }, lines);
  }
}

// The widest margin where it is curved: the boundary, and the two curves through the nearest points.
export async function fetchWidestMargin(verdict, request) {
  const [, ...w] = verdict.weights, level = verdict.margin * Math.hypot(...w);
  return (await ask("fixed_curves", { ...request, weights: verdict.weights, levels: [-level, 0, level] }, { slot: "widest margin" })).levels;
}
