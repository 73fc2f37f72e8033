// The page: what the user does goes to the engine, and what it answers is shown. No algorithm lives here.

import { ask, overtaken, whatHappened } from "./api.js";
import { Controls } from "./controls.js";
import { Curves, widest } from "./curves.js";
import { mark, draw, number } from "./geometry.js";
import { keepLegend } from "./legend.js";
import { Logic } from "./logic.js";
import { Lessons } from "./lessons.js";
import * as link from "./link.js";
import { showCosts } from "./losses.js";
import { offerDegree, paragraph, showRelatives, showTheorem, showVerdict } from "./panels.js";
import { Plane } from "./plane.js";
import { Player } from "./player.js";
import { textOf } from "./upload.js";

const find = (id) => document.getElementById(id);
const state = { table: null, example: null, verdict: null, run: null, relatives: null, on: new Set(), theme: null, marks: () => {}, costs: () => {}, at: null, dashed: [], logic: null, fresh: false, turn: 0, errors: 0, before: 0 };
const plane = new Plane(find("plane"), { changed: edited, spoken, refused: (error) => tell(error) });
const player = new Player({ shown: showFrame, visitsOf: (since, moved = false) => ask("visits", { ...curves.told, since, moved }, { as: `visits ${moved}` }) });
const curves = new Curves(plane, request, tell);
keepLegend(find("plane"), find("legend"));
let controls, lessons;

function spoken(words) { find("spoken").textContent = words; }
function request() {
  const points = plane.points.map((point) => [...point]); // as they are now, whatever is dragged while the engine works
  return { points, labels: [...plane.labels], classes: plane.classes, options: controls.options };
}
function tell(error) {
  if (error && overtaken(error)) return;
  if (error) state.errors += 1;
  find("error").hidden = !error;
  find("error").textContent = error ? whatHappened(error) : "";
}
async function tried(work) {
  try { return await work(); } catch (error) { tell(error); return null; }
}

// -- from the engine to the page ------------------------------------------------------------------------------------

let waiting = null;
function edited() {
  state.example = null;
  find("example").value = "";
  soon();
}
// What is shown, and what is still on its way, belongs to the state before.
function outdated() {
  state.fresh = false;
  state.turn += 1;
  state.before = state.errors;
}
function soon() {
  outdated();
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 60);
}
async function refresh() {
  const { at, turn } = state;
  state.at = null;
  if (new Set(plane.labels).size < 2) {
    player.unload(); // it shows its last frame once more, and needs the run for that
    Object.assign(state, { run: null, verdict: null, relatives: null });
    curves.load(null);
    plane.proof(null);
    plane.relatives([]);
    showVerdict(find("verdict"), null);
    find("beyond").replaceChildren();
    showTheorem(find("theorem"), null);
    state.costs = showCosts(find("costs"), null);
    showRelatives(find("relatives"), null);
    return settled(turn, true);
  }
  const asked = request(), learned = ask("learn", asked), judged = ask("verdict", asked);
  judged.catch(() => {}); // told below, after the run
  let run = null;
  await step(turn, () => learned, (answer) => {
    state.run = run = answer;
    if (state.errors === state.before) tell(null); // what went wrong after the change is still to be read
    curves.load(run);
    player.load(run, [...plane.points], { at }); // a copy: its frames speak of the points as they were
  });
  if (!run) return settled(turn, false); // refused: the rest would be too
  await step(turn, () => judged, async (verdict) => {
    state.verdict = verdict;
    showVerdict(find("verdict"), verdict);
    if (verdict.kind === "separable" && verdict.degree > 1) verdict.curves = await widest(verdict, { ...asked, ...curves.picture });
    drawProof();
    state.marks = showTheorem(find("theorem"), state.run, verdict);
    if (player.frame) state.marks(player.frame);
  });
  await step(turn, () => ask("costs", asked), (costs) => {
    state.costs = showCosts(find("costs"), costs);
    if (player.frame) state.costs(player.frame, state.run);
  });
  await step(turn, () => ask("takeaway", asked), (made) => {
    find("python").value = made.python;
    find("command").value = made.command ?? "The command line has no such option; the Python code has.";
    state.csv = made.csv;
  });
  await step(turn, () => ask("relatives", { ...asked, ...curves.picture }), (relatives) => {
    state.relatives = relatives;
    showRelatives(find("relatives"), relatives, state.on, drawRelatives);
    drawRelatives();
  });
  await step(turn, () => lookBeyond(asked), (parts) => find("beyond").replaceChildren(...parts));
  settled(turn, run !== null);
}
// One question and its answer; neither is of use once the state is another one.
async function step(turn, asking, show) {
  if (turn !== state.turn) return;
  try {
    const answer = await asking();
    if (turn === state.turn) await show(answer);
  } catch (error) {
    if (turn === state.turn) tell(error);
  }
}
function settled(turn, learned) {
  if (turn !== state.turn) return;
  state.fresh = learned; // after a refusal the run that is shown is still the one before
  document.documentElement.dataset.ready = "yes";
  remember();
}
// What lies beyond two columns and a line: the lowest degree that can, and what all columns of a wider table can.
async function lookBeyond(asked) {
  const { table, verdict } = state, parts = [];
  if (verdict?.kind === "inseparable" && !controls.chosen.kernel) {
    const { degree } = await ask("lowest", asked);
    if (degree) parts.push(offerDegree(degree, (value) => { controls.restore({ ...controls.options, degree: value }); soon(); }));
  }
  if (verdict && table.columns.length > 2 && !plane.past.length && plane.points.length === table.rows.length) {
    const { words } = await ask("whole", { rows: table.rows, labels: table.labels, classes: table.classes });
    parts.push(paragraph(words, "line"));
  }
  return parts;
}
function drawProof() { plane.proof(find("show-verdict").checked ? state.verdict : null); }
function drawRelatives() {
  const lines = state.relatives?.lines ?? [];
  const shown = lines.map((line, i) => ({ ...line, kind: `s${i}` })).filter((line) => state.on.has(line.name));
  plane.relatives([...shown, ...state.dashed.map((weights) => ({ weights, kind: "s4" }))]);
  remember();
}
function showFrame(frame) {
  plane.frame(frame, state.run, player.longest);
  if (frame) curves.show(frame, player.ahead);
  find("play").textContent = player.timer ? "Pause" : "Play";
  find("moment").setAttribute("aria-live", player.timer ? "off" : "polite");
  find("scrub").max = Math.max(0, player.frames.length - 1);
  find("scrub").value = player.at;
  find("moment").textContent = frame ? player.words() : "Add points of two classes, and the perceptron learns to tell them apart.";
  find("numbers").textContent = frame ? player.numbers() + unseen(frame) : "";
  if (frame) {
    find("scrub").setAttribute("aria-valuetext", player.words());
    state.marks(frame);
    state.costs(frame, state.run);
  }
  if (!player.timer) remember();
}
function unseen(frame) {
  if (state.run.curved || state.run.scheme === "joint") return "";
  const lost = frame.after.filter((weights) => weights[1] !== 0 || weights[2] !== 0).some((weights) => !plane.view.segment(weights));
  return lost ? " · a boundary lies outside the picture" : "";
}
function remember() {
  if (!state.logic) return;
  const at = player.frame && !player.atEnd ? player.at : null;
  link.write({ example: state.example, points: plane.points, labels: plane.labels, classes: plane.classes, options: controls.options, at, theme: state.theme, on: [...state.on], lesson: lessons?.now?.key, done: [...(lessons?.finished ?? [])], ...state.logic.own });
  lessons?.look();
}

// -- data -----------------------------------------------------------------------------------------------------------

function open(table) {
  state.table = table;
  const [across, up] = table.axes ?? [0, 1], wide = table.columns.length > 2;
  find("axes").hidden = !wide;
  for (const [id, chosen] of [["across", across], ["up", up]]) {
    find(id).replaceChildren(...table.columns.map((name, j) => new Option(name, j, false, j === chosen)));
  }
  find("about").textContent = table.words || `${number(table.rows.length)} points.`;
  showColumns();
}
function showColumns() {
  const { table } = state, [across, up] = [Number(find("across").value), Number(find("up").value)];
  const classes = table.classes.length > 1 && (table.classes.length > 2 || typeof table.classes[0] !== "string" || table.classes[0] !== "A") ? table.classes : ["A", "B", "C", "D", "E"];
  plane.past = [];
  plane.show(table.rows.map((row) => [row[across], row[up]]), [...table.labels], classes, [table.columns[across], table.columns[up]]);
  makeTools();
  soon();
}
function makeTools() {
  const tools = [...plane.classes.slice(0, 10).map((name, k) => [k, String(name).replace("-", "−")]), ["erase", "Erase"]];
  if (plane.tool !== "erase" && plane.tool >= plane.classes.length) plane.tool = 0;
  find("tools").replaceChildren(...tools.map(([value, name]) => {
    const label = document.createElement("label"), input = Object.assign(document.createElement("input"), { type: "radio", name: "tool", value, checked: value === plane.tool });
    input.addEventListener("change", () => { plane.tool = value; });
    label.append(input);
    if (value !== "erase") mark(value, [8, 8], 6.5, draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, label));
    label.append(name);
    return label;
  }));
}
async function openExample(name) {
  const table = await tried(() => ask("example", { name }));
  if (!table) return;
  state.example = name;
  find("example").value = name;
  open(table);
}
async function openText(text) {
  const table = await tried(() => ask("table", { text }));
  if (!table) return;
  tell(null);
  state.example = null;
  find("example").value = "";
  open(table);
}

// -- lessons --------------------------------------------------------------------------------------------------------

// What a lesson's check looks at.
function seen() {
  const { example, fresh, run, verdict, relatives, on, logic } = state;
  return { example, fresh, run, verdict, relatives, on, logic, points: plane.points, labels: plane.labels, classes: plane.classes, options: controls.options };
}
// Puts the studio into the state of a lesson; with `same`, the points stay and only what is named changes.
function arrange(to, { all = true, same = false } = {}) {
  if (all && to.gates) state.logic.write(to.gates, to.build);
  if (all && to.example) outdated(); // until the example is here
  state.dashed = to.dashed ?? (same ? state.dashed : []);
  if (same && !to.options) return drawRelatives();
  if (same || (all && (to.example || to.data))) {
    controls.restore({ ...(same ? controls.options : {}), ...to.options });
    state.at = to.at ?? null;
  }
  if (same) return soon();
  if (!all) return;
  if (to.example || to.data) {
    state.on = new Set();
    find("show-verdict").checked = to.proof ?? true;
  }
  if (to.example) openExample(to.example);
  else if (to.data) own({ rows: to.data.map(([x, y]) => [x, y]), labels: to.data.map((row) => row[2]), classes: to.classes, columns: ["x1", "x2"], words: "" });
}
function own(table) {
  state.example = null;
  find("example").value = "";
  open(table);
}

// -- what can be pressed --------------------------------------------------------------------------------------------

const PRESSED = {
  first: () => player.go(0), back: () => player.previousMistake(), mistake: () => tried(() => player.nextMistake()),
  row: () => tried(() => player.nextRow()), epoch: () => player.nextEpoch(), last: () => player.go(player.frames.length - 1),
};
for (const [id, work] of Object.entries(PRESSED)) {
  find(id).addEventListener("click", () => { if (player.frame) { player.pause(); work(); } });
}
find("play").addEventListener("click", () => (player.timer ? player.pause() : player.play()));
find("scrub").addEventListener("input", (event) => {
  const at = Number(event.target.value); // read before the pause is shown, which moves the slider back
  player.pause();
  player.go(at);
});
find("by").addEventListener("change", (event) => { player.by = event.target.value; });
find("speed").addEventListener("change", (event) => { player.rate = Number(event.target.value); });
find("undo").addEventListener("click", () => plane.undo());
find("clear").addEventListener("click", () => plane.clear());
find("show-verdict").addEventListener("change", drawProof);
find("example").addEventListener("change", (event) => openExample(event.target.value));
find("across").addEventListener("change", () => { state.example = null; showColumns(); });
find("up").addEventListener("change", () => { state.example = null; showColumns(); });
find("paste").addEventListener("click", () => openText(find("text").value));
find("upload").addEventListener("change", (event) => tried(async () => {
  const [file] = event.target.files;
  event.target.value = ""; // so that the same file, mended, can be brought again
  if (file) await openText(await textOf(file, state.mostBytes));
}));
find("svg").addEventListener("click", () => link.save("studio.svg", link.picture(find("plane")), "image/svg+xml"));
find("png").addEventListener("click", () => tried(async () => link.save("studio.png", await link.png(find("plane")))));
find("csv").addEventListener("click", () => { if (state.csv) link.save("studio.csv", state.csv, "text/csv"); });
for (const kind of ["html", "gif", "model"]) {
  find(kind).addEventListener("click", async (event) => {
    const button = event.target, words = button.textContent;
    Object.assign(button, { disabled: true, textContent: `${words}…` });
    const made = await tried(() => ask("file", { ...request(), kind }, { as: kind }));
    Object.assign(button, { disabled: false, textContent: words });
    if (made) link.save(made.name, Uint8Array.from(atob(made.content), (letter) => letter.charCodeAt(0)), made.type);
  });
}
find("link").addEventListener("click", () => tried(async () => {
  remember();
  if (!state.example && plane.points.length > link.MOST) throw new Error(`A link holds up to ${link.MOST} points, and these are ${number(plane.points.length)}: take the CSV along instead.`);
  await navigator.clipboard.writeText(location.href);
  find("spoken").textContent = "The link is copied.";
  find("link").textContent = "Copied ✓";
  setTimeout(() => { find("link").textContent = "Copy link"; }, 2000);
}));
find("theme").addEventListener("click", () => {
  themed({ light: "dark", dark: null }[state.theme] ?? (state.theme === null ? "light" : null));
  remember();
});
function themed(theme) {
  state.theme = ["light", "dark"].includes(theme) ? theme : null;
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
  find("theme").textContent = `Theme: ${state.theme ?? "system"}`;
  if (plane.view) plane.repoint();
}
// What the place that has the focus does with the key itself: text is written, a button pressed, a slider moved.
function ownKey({ target, key }) {
  if (target.matches("select, textarea, input:not([type=checkbox], [type=radio], [type=range])")) return true;
  return target.matches("[type=range]") ? ["Home", "End"].includes(key) : key === " " && target.matches("button, summary, input, a");
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || ownKey(event)) return;
  const keys = { " ": "play", ".": "mistake", ",": "back", r: "row", e: "epoch", Home: "first", End: "last" };
  if (!keys[event.key]) return;
  event.preventDefault();
  find(keys[event.key]).click();
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (plane.view) plane.repoint(); });

// -- start ----------------------------------------------------------------------------------------------------------

async function start() {
  const linked = link.read();
  themed(linked.theme);
  const [told, listed] = await Promise.all([ask("controls"), ask("lessons")]);
  controls = new Controls(find("controls"), told, soon);
  controls.restore(linked.options);
  plane.most = told.limits.points;
  state.mostBytes = told.limits.bytes;
  find("example").replaceChildren(new Option("your own", "", true), ...told.examples.map((name) => new Option(name, name)));
  state.logic = new Logic(told.builds, own, { changed: () => lessons && remember(), spoken });
  state.logic.write(linked.gates ?? "a xor b", linked.build in told.builds ? linked.build : "written");
  Object.assign(state, { on: new Set(linked.on), at: linked.at });
  const fresh = !linked.table && !linked.example;
  lessons = new Lessons(listed.lessons, { seen, arrange, changed: remember });
  if (lessons.restore({ ...linked, fresh }) && fresh && (lessons.now.state.example || lessons.now.state.data)) return;
  const given = linked.table ?? (linked.example ? null : await ask("given"));
  if (given) open(given);
  else await openExample(told.examples.includes(linked.example) ? linked.example : told.examples[0]);
  if (linked.broken) tell(new Error("This link is damaged, and its points cannot be read: ask for it once more."));
}
tried(start);
