// The run as frames: the start, each moment at which the weights moved, and the end. It goes by mistake, row or epoch.

import { length, number, vector } from "./geometry.js";

export class Player {
  constructor({ shown, visitsOf }) {
    Object.assign(this, { shown, visitsOf, frames: [], at: 0, frame: null, timer: null, rate: 3 });
  }

  load(run, points, { at = null } = {}) {
    this.pause();
    Object.assign(this, { run, points, visited: new Map() });
    const start = { kind: "start", t: -1, k: 0, epoch: 0, row: null, moved: [], before: run.start, after: run.start };
    const ends = run.moments.at(-1)?.after ?? run.start, last = run.epochs.at(-1)?.after ?? ends;
    const end = { ...(run.moments.at(-1) ?? start), kind: "end", t: run.t - 1, k: run.n_updates, row: null, moved: [], before: last, after: last, epoch: run.n_iter, kept: run.kept.keep === "last" ? null : run.kept.weights };
    this.frames = [start, ...run.moments.map((moment) => ({ kind: run.moments[0].moved.length ? "update" : "epoch", ...moment })), end];
    this.longest = Math.max(1e-300, ...this.frames.flatMap((frame) => frame.after.map(length)));
    this.go(at === null ? this.frames.length - 1 : Math.min(at, this.frames.length - 1));
  }
  unload() {
    this.pause();
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

  nextMistake() {
    const next = this.frames.findIndex((frame, i) => i > 0 && (frame.t > this.frame.t || frame.kind === "end"));
    this.go(next < 0 ? this.frames.length - 1 : next);
  }
  previousMistake() {
    const before = this.frames.findLastIndex((frame) => frame.t < this.frame.t || (this.atEnd && frame.kind !== "end"));
    this.go(Math.max(0, before));
  }
  // Rows are asked for an epoch at a time; of a long epoch only the first are told, and then the next mistake follows.
  async nextRow() {
    const t = this.frame.t + 1, run = this.run;
    if (t >= run.t) return this.go(this.frames.length - 1);
    const epoch = run.epochs.find((end) => end.t > t)?.epoch ?? run.n_iter;
    if (!this.visited.has(epoch)) this.visited.set(epoch, (await this.visitsOf(epoch)).visits);
    if (run !== this.run) return;
    const visit = this.visited.get(epoch).find((one) => one.t === t);
    if (!visit) return this.nextMistake();
    this.show({ kind: "visit", ...visit }, this.frames.findLastIndex((frame) => frame.t <= t && frame.kind !== "end"));
  }
  nextEpoch() {
    const end = this.run.epochs.find((one) => one.t - 1 > this.frame.t);
    if (!end || end === this.run.epochs.at(-1)) return this.go(this.frames.length - 1);
    const at = this.frames.findLastIndex((frame) => frame.t < end.t && frame.kind !== "end");
    const told = { kind: "epoch", t: end.t - 1, k: end.k, epoch: end.epoch, row: null, moved: [], before: end.after, after: end.after };
    this.show({ ...told, margin: end.margin, errors: end.errors }, at);
  }
  play() {
    if (!this.frames.length) return;
    if (this.atEnd) this.go(0);
    const tick = () => {
      this.nextMistake();
      if (this.atEnd) this.pause();
      else this.timer = setTimeout(tick, 1000 / this.rate);
    };
    this.timer = setTimeout(tick, 1000 / this.rate);
    this.shown(this.frame);
  }
  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.frame) this.shown(this.frame);
  }

  // -- in words -------------------------------------------------------------------------------------------------------

  words() {
    const frame = this.frame, run = this.run;
    if (frame.kind === "start") return `Start: w = [b, w1, w2] = ${all(frame.after)}. No row has been looked at yet.`;
    if (frame.kind === "end") return `End, ${run.words}. w = ${all(frame.after)}.`;
    if (frame.kind === "epoch") return `End of epoch ${frame.epoch}: ${run.mistakes[frame.epoch - 1] ?? 0} mistakes in it. w = ${all(frame.after)}.`;
    const place = `(${this.points[frame.row].map((v) => number(v)).join(", ")})`;
    const [one] = frame.moved.filter((move) => move.mistake).concat(frame.moved);
    const head = `Epoch ${frame.epoch}, row ${frame.row} ${place}`;
    if (run.units.length > 1) {
      const wrong = frame.moved.filter((move) => move.mistake).map((move) => run.units[move.unit][1]);
      return `${head}: ${wrong.length ? `a mistake for ${wrong.join(", ")}` : "no mistake"}.`;
    }
    const sign = one.target > 0 ? "+1" : "−1", said = `target ${sign}, score ${number(one.score)}`;
    if (!one.mistake && one.coefficient === 0) return `${head}: ${said}. No mistake, nothing moves.`;
    return `${head}: ${said}. ${one.mistake ? "A mistake" : "An update"}: w ${vector(frame.before[0])} → ${vector(frame.after[0])}.`;
  }
  numbers() {
    const frame = this.frame, run = this.run;
    const parts = [`update ${number(frame.k)} of ${number(run.n_updates)}`, `visit ${number(frame.t + 1)} of ${number(run.t)}`];
    if (frame.errors !== undefined) parts.push(`${number(frame.errors)} training ${frame.errors === 1 ? "error" : "errors"}`);
    if (frame.margin > 0) parts.push(`margin ${number(frame.margin, 3)}`);
    if (frame.kind === "end" && run.kept.keep !== "last" && run.units.length === 1) parts.push(`kept${run.kept.weights ? " (dotted)" : ""}: ${run.kept.keep}, ${number(run.kept.errors)} ${run.kept.errors === 1 ? "error" : "errors"}`);
    return parts.join(" · ");
  }
}

const all = (units) => (units.length > 3 ? `${units.length} units` : units.map(vector).join(" "));
