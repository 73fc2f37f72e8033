// The run as frames: the start, each moment at which the weights moved, and the end. It goes by mistake, row or epoch.

import { length } from "./geometry.js";
import * as words from "./words.js";

const WINDOW = 24; // visits before the last known one at which the next are asked for

export class Player {
  constructor({ shown, visitsOf }) {
    Object.assign(this, { shown, visitsOf, frames: [], at: 0, frame: null, timer: null, rate: 3, by: "mistake" });
  }

  load(run, points, { at = null } = {}) {
    this.stop(); // without another look at the frame before, which is of another run
    Object.assign(this, { frame: null, run, points, visited: new Map(), asking: new Map(), following: null });
    const start = { kind: "start", t: -1, k: 0, epoch: 0, row: null, moved: [], before: run.start, after: run.start, ...run.begins };
    const ends = run.moments.at(-1)?.after ?? run.start, last = run.epochs.at(-1)?.after ?? ends;
    const end = { ...(run.moments.at(-1) ?? start), kind: "end", t: run.t - 1, k: run.n_updates, row: null, moved: [], before: last, after: last, epoch: run.n_iter, kept: run.kept.keep === "last" ? null : run.kept.weights };
    this.frames = [start, ...run.moments.map((moment) => ({ kind: run.moments[0].moved.length ? "update" : "epoch", ...moment })), end];
    this.longest = this.frames.reduce((most, frame) => Math.max(most, ...(run.curved ? [] : frame.after.map(length))), 1e-300);
    this.go(at === null ? this.frames.length - 1 : Math.min(at, this.frames.length - 1));
  }
  unload() {
    this.stop();
    Object.assign(this, { frames: [], frame: null, run: null });
    this.shown(null);
  }
  show(frame, at = this.at) {
    this.at = at;
    this.frame = { ...frame, wrong: frame.moved.some((one) => one.mistake) };
    this.shown(this.frame);
  }
  go(at) {
    if (this.frames.length) this.show(this.frames[Math.max(0, Math.min(this.frames.length - 1, at))], Math.max(0, Math.min(this.frames.length - 1, at)));
  }
  get atEnd() { return this.frame?.kind === "end"; }

  // Of a long run only some moments are played; pressed by hand, no mistake is left out.
  async nextMistake() {
    const { run, frame } = this, batches = run.moments[0]?.moved.length === 0;
    if (run.whole || batches || this.timer || frame.t + 1 >= run.t) return this.nextMoment();
    const told = (list) => list?.since <= frame.t + 1 && list.visits.find((one) => one.t > frame.t);
    if (!told(this.following)) {
      const found = await this.visitsOf(frame.t + 1, true);
      if (run !== this.run || this.frame !== frame) return;
      this.following = found;
    }
    const next = told(this.following);
    if (!next) return this.go(this.frames.length - 1);
    this.show({ kind: "update", ...next }, this.frames.findLastIndex((one) => one.t <= next.t && one.kind !== "end"));
  }
  nextMoment() {
    const next = this.frames.findIndex((frame, i) => i > 0 && (frame.t > this.frame.t || frame.kind === "end"));
    this.go(next < 0 ? this.frames.length - 1 : next);
  }
  previousMistake() {
    const before = this.frames.findLastIndex((frame) => frame.t < this.frame.t || (this.atEnd && frame.kind !== "end"));
    this.go(Math.max(0, before));
  }
  // Rows are told some at a time, and the next before they are needed.
  async nextRow() {
    const t = this.frame.t + 1, run = this.run;
    if (t >= run.t) return this.go(this.frames.length - 1);
    if (!this.visited.has(t)) await this.look(t);
    if (run !== this.run || this.frame.t + 1 !== t) return;
    const visit = this.visited.get(t);
    this.show({ kind: "visit", ...visit }, this.frames.findLastIndex((frame) => frame.t <= t && frame.kind !== "end"));
    const later = t + WINDOW;
    if (later < run.t && !this.visited.has(later)) this.look(this.firstUnknown(t)).catch(() => {}); // asked again when it is needed
  }
  firstUnknown(t) {
    while (this.visited.has(t)) t++;
    return t;
  }
  look(since) {
    const run = this.run;
    if (!this.asking.has(since)) this.asking.set(since, this.visitsOf(since).then(({ visits }) => {
      if (run !== this.run) return;
      if (this.visited.size > 5000) this.visited.clear();
      for (const visit of visits) this.visited.set(visit.t, visit);
    }).finally(() => { if (run === this.run) this.asking.delete(since); }));
    return this.asking.get(since);
  }
  nextEpoch() {
    const end = this.run.epochs.find((one) => one.t - 1 > this.frame.t);
    if (!end || end === this.run.epochs.at(-1)) return this.go(this.frames.length - 1);
    const at = this.frames.findLastIndex((frame) => frame.t < end.t && frame.kind !== "end");
    const told = { kind: "epoch", t: end.t - 1, k: end.k, epoch: end.epoch, row: null, moved: [], before: end.after, after: end.after };
    this.show({ ...told, margin: end.margin, errors: end.errors }, at);
  }
  step() {
    return { mistake: () => this.nextMoment(), row: () => this.nextRow(), epoch: () => this.nextEpoch() }[this.by]();
  }
  // What will be shown next, for whoever must ask for it in time.
  get ahead() { return this.timer && this.by === "mistake" ? this.frames.slice(this.at + 1, this.at + 25) : []; }
  play() {
    if (!this.frames.length) return;
    if (this.atEnd) this.go(0);
    const tick = async () => {
      const own = this.timer;
      try { await this.step(); } catch { return this.pause(); }
      if (this.timer !== own) return; // paused, or another run, meanwhile
      if (this.atEnd) this.pause();
      else this.timer = setTimeout(tick, 1000 / this.rate);
    };
    this.timer = setTimeout(tick, 1000 / this.rate);
    this.shown(this.frame);
  }
  stop() {
    clearTimeout(this.timer);
    this.timer = null;
  }
  pause() {
    this.stop();
    if (this.frame) this.shown(this.frame);
  }

  words() { return words.sentence(this.frame, this.run, this.points); }
  numbers() { return words.numbers(this.frame, this.run); }
}
