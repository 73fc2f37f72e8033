// Plays the run as frames: the start, each moment at which the weights changed, and the end. It goes by mistake, row or
// epoch. A frame's t is the number of its visit, from 0; k is the number of updates so far.

import { norm } from "../plane/view.js";
import * as sentences from "./sentences.js";

const FETCH_BEFORE = 24; // visits before the last cached one at which the next are fetched
const MAX_CACHED = 5000;
const FRAMES_AHEAD = 24;

export class Player {
  constructor({ showFrame, fetchVisits }) {
    Object.assign(this, { showFrame, fetchVisits, frames: [], at: 0, frame: null, timer: null, rate: 3, by: "mistake" });
  }

  load(run, points, { at = null } = {}) {
    this.stopTimer(); // and do not show the current frame again, which belongs to another run
    Object.assign(this, { frame: null, run, points, visits: new Map(), pending: new Map(), nextUpdates: null });
    const start = { ...run.start, kind: "start", t: -1, k: 0, epoch: 0, row: null, steps: [], before: run.start.after };
    const lastMoment = run.moments.at(-1) ?? start, weights = run.epochs.at(-1)?.after ?? lastMoment.after;
    const end = { ...lastMoment, kind: "end", t: run.t - 1, k: run.n_updates, row: null, steps: [], before: weights, after: weights, epoch: run.n_iter, kept: run.kept.keep === "last" ? null : run.kept.weights };
    this.frames = [start, ...run.moments.map((moment) => ({ kind: run.moments[0].steps.length ? "update" : "epoch", ...moment })), end];
    this.longest = this.frames.reduce((longest, frame) => Math.max(longest, ...(run.curved ? [] : frame.after.map(norm))), 1e-300);
    this.go(at ?? this.frames.length - 1);
  }
  unload() {
    this.stopTimer();
    Object.assign(this, { frames: [], frame: null, run: null });
    this.showFrame(null);
  }
  show(frame, at = this.at) {
    this.at = at;
    this.frame = { ...frame, wrong: frame.steps.some((step) => step.mistake) };
    this.showFrame(this.frame);
  }
  go(at) {
    const index = Math.max(0, Math.min(this.frames.length - 1, at));
    if (this.frames.length) this.show(this.frames[index], index);
  }
  goToEnd() { this.go(this.frames.length - 1); }
  get atEnd() { return this.frame?.kind === "end"; }
  // The frame of the slider at or before visit t.
  frameIndexAt(t) { return this.frames.findLastIndex((frame) => frame.t <= t && frame.kind !== "end"); }

  // -- steps ----------------------------------------------------------------------------------------------------------

  // Only some moments of a long run are played; by hand no mistake is left out.
  async nextMistake() {
    const { run, frame } = this, byBatches = run.moments[0]?.steps.length === 0;
    if (run.complete || byBatches || this.timer || frame.t + 1 >= run.t) return this.nextMoment();
    const nextIn = (answer) => answer?.since <= frame.t + 1 && answer.visits.find((visit) => visit.t > frame.t);
    if (!nextIn(this.nextUpdates)) {
      const answer = await this.fetchVisits(frame.t + 1, true);
      if (run !== this.run || this.frame !== frame) return;
      this.nextUpdates = answer;
    }
    const next = nextIn(this.nextUpdates);
    if (!next) return this.goToEnd();
    this.show({ kind: "update", ...next }, this.frameIndexAt(next.t));
  }
  nextMoment() {
    const next = this.frames.findIndex((frame, i) => i > 0 && (frame.t > this.frame.t || frame.kind === "end"));
    this.go(next < 0 ? this.frames.length - 1 : next);
  }
  previousMistake() {
    this.go(this.frames.findLastIndex((frame) => frame.t < this.frame.t || (this.atEnd && frame.kind !== "end")));
  }
  // Visits are fetched in groups, the next group before it is needed.
  async nextRow() {
    const t = this.frame.t + 1, run = this.run;
    if (t >= run.t) return this.goToEnd();
    if (!this.visits.has(t)) await this.fetchGroup(t);
    if (run !== this.run || this.frame.t + 1 !== t) return;
    this.show({ kind: "visit", ...this.visits.get(t) }, this.frameIndexAt(t));
    const later = t + FETCH_BEFORE;
    if (later < run.t && !this.visits.has(later)) this.fetchGroup(this.firstMissing(t)).catch(() => {}); // tried again when it is needed
  }
  firstMissing(t) {
    while (this.visits.has(t)) t++;
    return t;
  }
  fetchGroup(since) {
    const run = this.run;
    if (!this.pending.has(since)) this.pending.set(since, this.fetchVisits(since).then(({ visits }) => {
      if (run !== this.run) return;
      if (this.visits.size > MAX_CACHED) this.visits.clear();
      for (const visit of visits) this.visits.set(visit.t, visit);
    }).finally(() => { if (run === this.run) this.pending.delete(since); }));
    return this.pending.get(since);
  }
  nextEpoch() {
    const end = this.run.epochs.find((epoch) => epoch.t - 1 > this.frame.t);
    if (!end || end === this.run.epochs.at(-1)) return this.goToEnd();
    const { k, epoch, after, margin, errors, test_errors } = end;
    this.show({ kind: "epoch", t: end.t - 1, k, epoch, row: null, steps: [], before: after, after, margin, errors, test_errors }, this.frameIndexAt(end.t - 1));
  }

  // -- playing --------------------------------------------------------------------------------------------------------

  // The frames that follow while it plays, so that what they need can be fetched in time.
  get nextFrames() { return this.timer && this.by === "mistake" ? this.frames.slice(this.at + 1, this.at + 1 + FRAMES_AHEAD) : []; }
  play() {
    if (!this.frames.length) return;
    if (this.atEnd) this.go(0);
    const tick = async () => {
      const timer = this.timer;
      try { await { mistake: () => this.nextMoment(), row: () => this.nextRow(), epoch: () => this.nextEpoch() }[this.by](); } catch { return this.pause(); }
      if (this.timer !== timer) return; // paused meanwhile, or another run was loaded
      if (this.atEnd) this.pause();
      else this.timer = setTimeout(tick, 1000 / this.rate);
    };
    this.timer = setTimeout(tick, 1000 / this.rate);
    this.showFrame(this.frame);
  }
  stopTimer() {
    clearTimeout(this.timer);
    this.timer = null;
  }
  pause() {
    this.stopTimer();
    if (this.frame) this.showFrame(this.frame);
  }

  sentence() { return sentences.sentence(this.frame, this.run, this.points); }
  statistics(showsKept) { return sentences.statistics(this.frame, this.run, showsKept); }
}
