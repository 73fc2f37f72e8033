// The page: it sends what the user does to the server, and shows what the server answers. No algorithm is here.

import { draw, element, find, number, paragraph, rememberFold } from "./dom.js";
import { picturePng, pictureSvg, readText, saveFile } from "./files.js";
import { Lessons } from "./lessons/lessons.js";
import { DEFAULT_COLUMNS, MAX_POINTS as MAX_LINK_POINTS, linkText, readLink, withDone } from "./link.js";
import { Controls } from "./panels/controls.js";
import { LogicPanel } from "./panels/logic.js";
import { showErrorHistory, showLossHistory } from "./panels/loss_history.js";
import { showRelatives } from "./panels/relatives.js";
import { showRows } from "./panels/rows.js";
import { Tabs } from "./panels/tabs.js";
import { showTheorem } from "./panels/theorem.js";
import { degreeButton, showVerdict } from "./panels/verdict.js";
import { Curves, fetchWidestMargin } from "./plane/curves.js";
import { PlaneEditor } from "./plane/editor.js";
import { followLegend, nameClasses } from "./plane/legend.js";
import { drawMark } from "./plane/marks.js";
import { Player } from "./run/player.js";
import { Split, testRows } from "./run/split.js";
import { ask, isRecording, isReplaced, openingFragment } from "./server.js";

const state = {
  table: null, // as it was opened, with all its columns
  example: null, // its name, as long as the points are unchanged
  run: null,
  verdict: null,
  relatives: null,
  switchedOn: new Set(), // names of relatives
  dashedLines: [], // of hidden units
  csv: null,
  testShare: 0, // of the rows, kept aside for testing
  split: null, // the rows that the run on the screen has learned
  startAt: null, // the frame to begin with, from a link or a lesson
  theme: null, // light, dark, projector, or null for the system's
  version: 0, // counts changes, so that answers to an older state are dropped
  fresh: false, // everything shown belongs to the current version
  errors: 0,
  errorsBefore: 0, // at the last change
  markTheorem: () => {}, // these four show a frame in their panels
  markErrors: () => {},
  markLosses: () => {},
  markRows: () => {},
  maxBytes: Infinity,
};
const plane = new PlaneEditor(find("plane"), { onChange: pointsEdited, announce, showError });
const player = new Player({ showFrame, fetchVisits });
const curves = new Curves(plane, readRequest, showError);
rememberFold(find("own-table"), "own table");
const tabs = new Tabs(find("tabs"), drawExtras);
followLegend(find("plane"), find("legend"));
let controls, lessons, logic;

function announce(text) { find("announcement").textContent = text; } // for screen readers
// The points are a copy: they may be dragged while the server works.
function newSplit() { return new Split(plane.points, plane.labels, state.testShare); }
function readRequest(split = newSplit()) { return { ...split.request, classes: plane.classes, columns: plane.columns, options: controls.options }; }
async function fetchVisits(since, updatesOnly = false) {
  const { split } = state, answer = await ask("visits", { ...curves.request, since, updates_only: updatesOnly }, { slot: `visits ${updatesOnly}` });
  return { ...answer, visits: split.moments(answer.visits) };
}
function showError(error) {
  if (error && isReplaced(error)) return;
  if (error) state.errors += 1;
  find("error").hidden = !error;
  find("error").textContent = error?.message ?? "";
}
async function orShowError(work) {
  try { return await work(); } catch (error) { showError(error); return null; }
}

// -- from the server to the page ------------------------------------------------------------------------------------

let refreshTimer = null;
function pointsEdited() {
  forgetExample();
  forgetNetwork();
  describeOwnPoints();
  refreshSoon();
}
// How many points there are of each class that has any, its name, and its index.
function namedCounts() {
  return plane.classes.map((name, k) => [plane.labels.filter((label) => label === k).length, String(name).replace("-", "−"), k]).filter(([many]) => many);
}
// The description above the plane is about the points that are there now.
function describeOwnPoints() {
  const counts = namedCounts();
  find("description").textContent = counts.length ? `Your own points: ${counts.map(([many, name]) => `${number(many)} of ${name}`).join(", ")}.` : "No points yet: click in the plane to add some.";
  listRows();
}
function listRows() {
  const { points, labels, classes, columns } = plane;
  plane.testRows = state.testShare ? testRows(labels, state.testShare) : new Set();
  state.markRows = showRows(find("rows"), { points, labels, classes, columns, test: plane.testRows });
}
function forgetExample() {
  state.example = null;
  find("example").value = "";
}
// From now on, what is shown or still to be answered belongs to an older state.
function startNewVersion() {
  state.fresh = false;
  state.version += 1;
  state.errorsBefore = state.errors;
}
function refreshSoon() {
  startNewVersion();
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(refresh, 60);
}
async function refresh() {
  const { startAt, version } = state;
  state.startAt = null;
  if (new Set(plane.labels).size < 2) return showNothingLearned(version);
  const split = newSplit(), request = readRequest(split), points = plane.points.map((point) => [...point]);
  const learned = ask("learn", request), judged = ask("verdict", request);
  judged.catch(() => {}); // shown below, after the run
  await step(version, () => learned, (answer) => {
    const run = { ...answer, moments: split.moments(answer.moments), n_rows: split.learnedRows.length, n_test_rows: split.test.size };
    Object.assign(state, { run, split });
    if (state.errors === state.errorsBefore) showError(null); // keep an error that came after the change
    curves.load(run);
    player.load(run, points, { at: startAt });
    state.markErrors = showErrorHistory(find("error-history"), run);
    state.markRows(player.frame, run);
  });
  const learnedRun = await learned.catch(() => null);
  if (!learnedRun) return finish(version, false); // refused: the other questions would be too
  await step(version, () => judged, async (answer) => {
    const verdict = split.verdict(answer);
    state.verdict = verdict;
    showVerdict(find("verdict"), verdict);
    if (verdict.kind === "separable" && verdict.degree > 1) verdict.curves = await fetchWidestMargin(verdict, { ...request, ...curves.picture });
    drawProof();
    state.markTheorem = showTheorem(find("theorem"), state.run, verdict);
    if (player.frame) state.markTheorem(player.frame);
  });
  await step(version, () => ask("loss_history", request), (history) => {
    state.markLosses = showLossHistory(find("loss-history"), history);
    if (player.frame) state.markLosses(player.frame, state.run);
  });
  await step(version, () => ask("reproduce", request), ({ python, command, csv }) => {
    find("python").value = python;
    find("command").value = command ?? "The command line has no such option; use the Python code.";
    state.csv = csv;
  });
  await step(version, () => ask("relatives", { ...request, ...curves.picture }), (relatives) => {
    state.relatives = relatives;
    showRelatives(find("relatives"), relatives, state.switchedOn, drawRelatives);
    drawRelatives();
  });
  await step(version, () => askFurther(request), (parts) => find("verdict-further").replaceChildren(...parts));
  finish(version, true);
}
function showNothingLearned(version) {
  player.unload(); // first: it shows the empty frame, and reads the run for that
  Object.assign(state, { run: null, verdict: null, relatives: null });
  curves.load(null);
  plane.drawProof(null);
  plane.drawRelatives([]);
  showVerdict(find("verdict"), null);
  find("verdict-further").replaceChildren();
  showTheorem(find("theorem"), null);
  state.markLosses = showLossHistory(find("loss-history"), null);
  state.markErrors = showErrorHistory(find("error-history"), null);
  showRelatives(find("relatives"), null);
  finish(version, true);
}
// One question and its answer, both skipped once the state has changed.
async function step(version, question, show) {
  if (version !== state.version) return;
  try {
    const answer = await question();
    if (version === state.version) await show(answer);
  } catch (error) {
    if (version === state.version) showError(error);
  }
}
function finish(version, fresh) {
  if (version !== state.version) return;
  state.fresh = fresh; // not after a refusal: the run on the screen is still the one before
  document.documentElement.dataset.ready = "yes";
  updateLink();
}
// Beyond two columns and a line: the lowest degree that separates the classes, and the verdict on all columns.
async function askFurther(request) {
  const { table, verdict } = state, parts = [];
  if (verdict?.kind === "inseparable" && !controls.chosen.kernel) {
    const { degree } = await ask("lowest_degree", request);
    if (degree) parts.push(degreeButton(degree, () => { controls.restore({ ...controls.options, degree }); refreshSoon(); }));
  }
  if (verdict && table.columns.length > 2 && !plane.undoStack.length && plane.points.length === table.rows.length) {
    const { explanation } = await ask("all_columns", { rows: table.rows, labels: table.labels, classes: table.classes });
    parts.push(paragraph(explanation, "line"));
  }
  return parts;
}
// The proof is drawn beside the panels that are about it, so that the plane begins with one line.
function showsProof() { return ["verdict", "theorem"].includes(tabs.current) && find("show-proof").checked; }
function drawProof() {
  plane.drawProof(showsProof() ? state.verdict : null);
  plane.showsBand = showsProof();
}
// What is drawn depends on the panel beside the plane.
function drawExtras() {
  drawProof();
  if (player.frame) showFrame(player.frame);
  updateLink();
}
function drawRelatives() {
  const lines = (state.relatives?.lines ?? []).map((line, style) => ({ ...line, style })).filter((line) => state.switchedOn.has(line.name));
  plane.drawRelatives([...lines, ...state.dashedLines.map((weights) => ({ weights, style: 4, name: "line of a hidden unit" }))]);
  updateLink();
}
function showFrame(frame) {
  plane.showsKept = ["learner", "relatives"].includes(tabs.current);
  plane.drawFrame(frame, state.run, player.longest);
  if (frame) curves.show(frame, player.nextFrames);
  find("play-text").textContent = player.timer ? "Pause" : "Play";
  find("play").firstElementChild.textContent = player.timer ? "❚❚" : "▶";
  find("moment").setAttribute("aria-live", player.timer ? "off" : "polite");
  find("scrub").max = Math.max(0, player.frames.length - 1);
  find("scrub").value = player.at;
  find("moment").textContent = frame ? player.sentence() : "Add points of two classes, and the perceptron learns to separate them.";
  find("numbers").textContent = frame ? player.statistics(plane.showsKept) + outsideNote(frame) : "";
  if (frame) {
    find("scrub").setAttribute("aria-valuetext", player.sentence());
    state.markTheorem(frame);
    state.markLosses(frame, state.run);
    state.markRows(frame, state.run);
    state.markErrors(frame);
  }
  if (!player.timer) updateLink();
}
function outsideNote(frame) {
  if (state.run.curved || state.run.scheme === "joint") return "";
  const isOutside = frame.after.some((weights) => (weights[1] !== 0 || weights[2] !== 0) && !plane.view.segment(weights));
  return isOutside ? " · a boundary lies outside the picture" : "";
}
function updateLink() {
  if (!logic) return;
  if (!isRecording) history.replaceState(null, "", `#${fragment()}`);
  lessons?.update();
}
function fragment() {
  const at = player.frame && !player.atEnd ? player.at : null, { example, theme } = state;
  return linkText({ example, points: plane.points, labels: plane.labels, classes: plane.classes, columns: plane.columns ?? DEFAULT_COLUMNS, options: controls.options, at, testShare: state.testShare, theme, tab: tabs.current === tabs.default ? null : tabs.current, switchedOn: [...state.switchedOn], lesson: lessons?.current?.key, done: [...(lessons?.finished ?? [])], ...logic.changes });
}

// -- data -----------------------------------------------------------------------------------------------------------

function openTable(table) {
  state.table = table;
  forgetNetwork();
  const [across, up] = table.axes ?? [0, 1];
  find("axes").hidden = table.columns.length <= 2;
  for (const [id, chosen] of [["across", across], ["up", up]]) {
    find(id).replaceChildren(...table.columns.map((name, j) => new Option(name, j, false, j === chosen)));
  }
  find("description").textContent = table.description || `${number(table.rows.length)} points.`;
  showColumns();
}
function openOwnTable(table) {
  forgetExample();
  openTable(table);
}
function showColumns() {
  const { table } = state, { classes } = table, [across, up] = [Number(find("across").value), Number(find("up").value)];
  const areLetters = classes.length <= 2 && classes[0] === "A"; // then further letters can be drawn as well
  plane.undoStack = [];
  plane.testRows = state.testShare ? testRows(table.labels, state.testShare) : new Set();
  plane.show(table.rows.map((row) => [row[across], row[up]]), [...table.labels], classes.length > 1 && !areLetters ? classes : ["A", "B", "C", "D", "E"], [table.columns[across], table.columns[up]]);
  showTools();
  listRows();
  refreshSoon();
}
function showTools() {
  const tools = [...plane.classes.slice(0, 10).map((name, k) => [k, String(name).replace("-", "−")]), ["erase", "Erase"]];
  if (plane.tool !== "erase" && plane.tool >= plane.classes.length) plane.tool = 0;
  find("tools").replaceChildren(...tools.map(([tool, name]) => {
    const input = element("input", { type: "radio", name: "tool", value: tool, checked: tool === plane.tool }), label = element("label", {}, input);
    input.addEventListener("change", () => { plane.tool = tool; });
    if (tool !== "erase") drawMark(tool, [8, 8], 6.5, draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, label));
    label.append(name);
    return label;
  }));
}
async function openExample(name, { at = state.startAt } = {}) {
  const table = await orShowError(() => ask("example", { name }));
  if (!table) return;
  state.startAt = at;
  state.example = name;
  find("example").value = name;
  openTable(table);
}
async function openText(text) {
  const table = await orShowError(() => ask("table", { text }));
  if (!table) return;
  showError(null);
  openOwnTable(table);
}

// -- lessons --------------------------------------------------------------------------------------------------------

// What the check of a lesson looks at.
function readPage() {
  const { example, fresh, run, verdict, relatives, switchedOn } = state;
  return { example, fresh, run, verdict, relatives, switchedOn, logic, picture: plane.view && curves.picture, points: plane.points, labels: plane.labels, classes: plane.classes, columns: plane.columns, options: controls.options };
}
// Sets the page up for a lesson; with `keepPoints` only the options or lines in `setup` change.
function arrange(setup, { keepPoints = false } = {}) {
  if (keepPoints) {
    state.dashedLines = setup.dashedLines ?? state.dashedLines;
    if ("regions" in setup) showRegions(setup.regions);
    if (!setup.options) return drawRelatives();
    controls.restore({ ...controls.options, ...setup.options });
    state.startAt = setup.at ?? null;
    return refreshSoon();
  }
  state.dashedLines = [];
  if (setup.expression) logic.write(setup.expression, setup.build);
  if (!setup.example && !setup.points) return;
  controls.restore(setup.options ?? {});
  state.startAt = setup.at ?? null;
  state.switchedOn = new Set();
  setTestShare(0);
  find("show-proof").checked = setup.proof ?? true;
  if (setup.example) {
    startNewVersion(); // until the example has arrived
    openExample(setup.example);
  } else openOwnTable({ rows: setup.points.map(([x, y]) => [x, y]), labels: setup.points.map((point) => point[2]), classes: setup.classes, columns: setup.columns ?? DEFAULT_COLUMNS, description: "" });
}

// The regions of a network in the place of those of the run, until the points change.
async function showNetwork(network) {
  const answer = await orShowError(() => ask("network_regions", { ...network, ...curves.picture }));
  if (answer) showRegions(answer.regions);
}
function showRegions(regions) {
  plane.network = regions;
  if (regions) plane.drawNetwork();
  else if (player.frame) showFrame(player.frame);
}
function forgetNetwork() {
  plane.network = null;
  if (logic) logic.inPlane = false;
}

// -- buttons and keys -----------------------------------------------------------------------------------------------

const STEPS = {
  first: () => player.go(0), back: () => player.previousMistake(), mistake: () => orShowError(() => player.nextMistake()),
  row: () => orShowError(() => player.nextRow()), epoch: () => player.nextEpoch(), last: () => player.goToEnd(),
};
for (const [id, go] of Object.entries(STEPS)) {
  find(id).addEventListener("click", () => { if (player.frame) { plane.network = null; player.pause(); go(); } });
}
find("play").addEventListener("click", () => {
  plane.network = null;
  if (player.timer) player.pause();
  else player.play();
});
find("scrub").addEventListener("input", (event) => {
  const at = Number(event.target.value); // read first: pausing shows the current frame, which moves the slider back
  player.pause();
  player.go(at);
});
find("by").addEventListener("change", (event) => { player.by = event.target.value; });
find("speed").addEventListener("change", (event) => { player.rate = Number(event.target.value); });
find("test-share").addEventListener("change", (event) => {
  setTestShare(Number(event.target.value));
  listRows();
  plane.drawPoints();
  refreshSoon();
});
function setTestShare(share) {
  const [chosen] = [...find("test-share").options].filter((option) => Number(option.value) === share);
  state.testShare = chosen ? share : 0;
  find("test-share").value = String(state.testShare);
}
find("undo").addEventListener("click", () => plane.undo());
find("clear").addEventListener("click", () => plane.clear());
find("show-proof").addEventListener("change", drawExtras);
find("example").addEventListener("change", (event) => {
  if (event.target.value) openExample(event.target.value, { at: 0 });
  else plane.clear();
});
for (const axis of ["across", "up"]) find(axis).addEventListener("change", () => { state.example = null; showColumns(); });
find("paste").addEventListener("click", () => openText(find("text").value));
find("upload").addEventListener("change", (event) => orShowError(async () => {
  const [file] = event.target.files;
  event.target.value = ""; // so that the same file, corrected, can be uploaded again
  if (file) await openText(await readText(file, state.maxBytes));
}));
find("svg").addEventListener("click", () => saveFile("studio.svg", pictureSvg(find("plane")), "image/svg+xml"));
find("png").addEventListener("click", () => orShowError(async () => saveFile("studio.png", await picturePng(find("plane")))));
find("csv").addEventListener("click", () => { if (state.csv) saveFile("studio.csv", state.csv, "text/csv"); });
for (const kind of ["page", "gif", "model"]) {
  find(kind).addEventListener("click", async (event) => {
    const button = event.target, text = button.textContent;
    Object.assign(button, { disabled: true, textContent: `${text}…` });
    const file = await orShowError(() => ask("download", { ...readRequest(), ...(kind === "page" ? readScreen() : {}), kind }, { slot: kind }));
    Object.assign(button, { disabled: false, textContent: text });
    if (file) saveFile(file.name, Uint8Array.from(atob(file.content), (letter) => letter.charCodeAt(0)), file.type);
  });
}
// What a page that is saved shows besides the run.
function readScreen() {
  const { points: rows, labels, columns } = plane, description = find("description").textContent;
  return { ...curves.picture, table: { rows, labels, columns, description }, fragment: fragment(), expression: logic.isInvalid ? "a xor b" : logic.expression, build: find("build").value };
}
find("link").addEventListener("click", () => orShowError(async () => {
  updateLink();
  if (!state.example && plane.points.length > MAX_LINK_POINTS) throw new Error(`A link holds up to ${MAX_LINK_POINTS} points, and these are ${number(plane.points.length)}: save the CSV instead.`);
  await navigator.clipboard.writeText(`${location.href.split("#")[0]}#${withDone(fragment(), [])}`);
  announce("The link is copied.");
  find("link").textContent = "Copied ✓";
  setTimeout(() => { find("link").textContent = "Copy link"; }, 2000);
}));
// The state is in the fragment, so a link from another machine can be opened here.
find("open-link").addEventListener("submit", (event) => {
  event.preventDefault();
  const [, shared] = find("open-link").elements.link.value.trim().split("#");
  if (!shared) return showError(new Error("This is not a link of the studio: it has no # with the state of a screen behind it."));
  location.hash = withDone(shared, [...(lessons?.finished ?? [])]);
  location.reload();
});
find("theme").addEventListener("change", (event) => {
  setTheme(event.target.value);
  updateLink();
});
function setTheme(theme) {
  state.theme = ["light", "dark", "projector"].includes(theme) ? theme : null;
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
  find("theme").value = state.theme ?? "";
  if (plane.view) plane.drawPoints();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (plane.view) plane.drawPoints(); });

// Whether the focused element handles the key itself: text is typed, a button pressed, a slider moved.
function isHandledByTarget({ target, key }) {
  if (target.matches("select, textarea, input:not([type=checkbox], [type=radio], [type=range])")) return true;
  return target.matches("[type=range]") ? ["Home", "End"].includes(key) : key === " " && target.matches("button, summary, input, a");
}
const KEYS = { " ": "play", ".": "mistake", ",": "back", r: "row", e: "epoch", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey || isHandledByTarget(event)) return;
  event.preventDefault();
  find(KEYS[event.key]).click();
});

// -- start ----------------------------------------------------------------------------------------------------------

async function start() {
  const link = readLink(await openingFragment());
  setTheme(link.theme);
  tabs.show(link.tab);
  setTestShare(link.testShare);
  const [lists, { lessons: allLessons }] = await Promise.all([ask("controls"), ask("lessons")]);
  controls = new Controls(find("controls"), lists, refreshSoon);
  controls.restore(link.options);
  plane.maxPoints = lists.limits.points;
  state.maxBytes = lists.limits.bytes;
  find("example").replaceChildren(new Option("your own", "", true), ...lists.examples.map((name) => new Option(name, name)));
  logic = new LogicPanel(lists.builds, openOwnTable, { showNetwork, onChange: () => lessons && updateLink(), announce });
  logic.write(link.expression, link.build);
  const hasData = link.table || link.example; // a link without points, such as #theme=dark, opens at the start too
  Object.assign(state, { switchedOn: new Set(link.switchedOn), startAt: link.at ?? (hasData ? null : 0) });
  lessons = new Lessons(allLessons, { readPage, arrange, tabs, onChange: drawExtras, showError });
  const inLesson = lessons.restore({ ...link, setUp: !hasData }), setup = lessons.current?.setup ?? {};
  if (link.tab) tabs.choose(link.tab);
  if (inLesson && !hasData && (setup.example || setup.points)) return; // the lesson opens its own data
  if (isRecording) freeze();
  const table = isRecording ? await ask("opening_table") : link.table ?? (link.example ? null : await ask("opening_table"));
  if (table) openTable(table);
  if (isRecording) nameClasses(find("legend"), namedCounts().map(([, name, label]) => [label, name]));
  else if (!table) await openExample(lists.examples.includes(link.example) ? link.example : lists.examples[0]);
  if (link.damaged) showError(new Error("This link is damaged and its points cannot be read: ask the sender for a new one."));
}
// A saved page replays one run: what would need another is switched off.
function freeze() {
  document.documentElement.dataset.recording = "yes"; // the style sheet hides what has no meaning there
  plane.isReadOnly = true;
  for (const field of [...find("controls").elements, find("test-share"), find("expression"), find("build")]) field.disabled = true;
}
orShowError(start);
