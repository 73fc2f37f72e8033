// Asks the service every two seconds, and draws what it says.

import { lineChart, reliabilityChart } from "./charts.js";

const EVERY = 2000, $ = (id) => document.getElementById(id);
let token = sessionStorage.getItem("token") ?? "", chosen = null, before = null, firstWeights = null, timer = 0, latest = 0;

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

async function ask(path) {
  const answer = await fetch(path, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  const content = await answer.json();
  if (answer.ok) return content;
  throw Object.assign(new Error(content.error), { status: answer.status });
}

const percent = (share) => share === null || share === undefined ? "–" : `${(100 * share).toFixed(share < 0.1 ? 2 : 1)}%`;
const count = (number) => Math.round(number).toLocaleString("en");
const shown = (number) => number === null || number === undefined ? "–" : Number(number.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
const clock = (seconds) => new Date(1000 * seconds).toLocaleString();

function list(id, pairs) {
  $(id).replaceChildren(...pairs.map(([name, value]) => element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))));
}

function showModel(model, now) {
  const since = model.since_start, error = model.error;
  $("title").textContent = model.name;
  const isNumber = model.predicts === "number", errorText = isNumber ? shown : percent, root = error.measure === "RMSE" ? Math.sqrt : (mean) => mean;
  const decides = isNumber ? "predicts a number" : `decides between ${model.classes.slice(0, 8).join(", ")}${model.classes.length > 8 ? ", …" : ""}`;
  $("about").textContent = `Reads ${model.reads}, learns by ${model.rule}, ${decides}.`;
  $("error-about").textContent = `Each example is predicted before it is learned: ${isNumber ? `how far off, as the ${error.measure}` : "the share that was wrong"}.`;
  list("numbers", [["version", count(model.version)], ["examples learned", count(model.examples)], [["text", "vw"].includes(model.reads) ? "columns that words are hashed to" : "features", count(model.features)], ["waiting", count(model.waiting)]]);
  list("errors", [["last hour", errorText(error.hour)], ["last day", errorText(error.day)], ["all time", errorText(error.all)]]);
  const elapsed = before && before.name === model.name ? (now - before.time) / 1000 : 0;
  const rate = (key) => elapsed > 0 ? count(Math.max(0, since[key] - before[key]) / elapsed) : "–";
  list("rates", [["learned a second", rate("learned")], ["predicted a second", rate("predicted")], ["learned since the start", count(since.learned)], ["predicted", count(since.predicted)], ["learned before, left out", count(since.duplicates)], ["refused", count(since.refused)]]);
  before = { name: model.name, time: now, learned: since.learned, predicted: since.predicted };
  showDrift(model.drift, model.damage, isNumber);
  const minutes = model.minutes.slice(-60), at = (row) => row[0];
  const complete = minutes.length > 1 ? minutes.filter((row) => at(row) < Math.floor(Date.now() / 60000)) : minutes; // of this minute some is still to come
  const alarms = model.drift.alarms.map((alarm) => alarm.time / 60);
  $("error-chart").replaceChildren(...lineChart("Errors in each minute of the last hour", [{ name: error.measure, points: minutes.filter((row) => row[3] > 0).map((row) => [at(row), root(Math.max(0, row[2]) / row[3])]) }], errorText, alarms));
  $("rate-chart").replaceChildren(...lineChart("Examples in each minute of the last hour", [{ name: "learned", points: complete.map((row) => [at(row), row[1]]) }, { name: "predicted", points: complete.map((row) => [at(row), row[4]]) }], count, []));
  $("calibration-title").textContent = isNumber ? "Intervals" : "Calibration";
  $("calibration").textContent = isNumber ? intervalText(model.interval) : model.calibration ? `Probabilities by ${model.calibration.kind}, fitted to the scores of ${count(model.calibration.examples)} examples that it had not learned.` : "It gives no probabilities yet: it has learned too few examples to calibrate by.";
  $("calibration-chart").replaceChildren(...reliabilityChart(model.reliability));
  const problems = model.errors.slice(-10).reverse();
  $("problems").replaceChildren(...(problems.length ? problems.map((one) => element("li", { textContent: `${clock(one.time)}: ${one.error}` })) : [element("li", { textContent: "none", className: "muted" })]));
}

function intervalText(interval) {
  if (!interval || interval.half_width === null) return "It gives no intervals yet: it has predicted too few numbers to measure them by.";
  return `A prediction is off by at most ${shown(interval.half_width)} in ${percent(interval.confidence)} of all cases: ${percent(interval.coverage)} of ${count(interval.examples)} that it had not learned.`;
}

function showDrift({ alarms, rise, threshold }, damage, isNumber) {
  const last = alarms.at(-1), node = $("drift");
  node.className = last && Date.now() / 1000 - last.time < 86400 ? "alarm" : "muted";
  node.textContent = last
    ? `Drift: at version ${count(last.version)}, ${clock(last.time)}, it began to ${isNumber ? `be off by ${shown(last.after)} on new examples instead of ${shown(last.before)}` : `err on ${percent(last.after)} of new examples instead of ${percent(last.before)}`}. ${alarms.length > 1 ? `${alarms.length} alarms in all.` : ""}`
    : `No drift: ${rise.toFixed(1)}${isNumber ? "" : " errors"} more than expected; the alarm is at ${threshold.toFixed(0)}.`;
  for (const one of damage) node.append(element("span", { className: "alarm", textContent: ` ${count(one.lost)} examples of the log were lost to a damaged file; ${count(one.saved)} were saved.` }));
}

function showWeights(name, { weights }, isNumber) {
  if (!firstWeights || firstWeights.name !== name) firstWeights = { name, of: new Map() };
  $("weights").replaceChildren(...Object.entries(weights).slice(0, 6).map(([label, rows]) => {
    const body = element("tbody", {}, ...rows.map((row) => {
      const key = `${label} ${row.feature}`, first = firstWeights.of.get(key) ?? row.weight, change = row.weight - first;
      firstWeights.of.set(key, first);
      const moved = change === 0 ? "" : `${change > 0 ? "+" : "−"}${Math.abs(change).toPrecision(2)}`;
      return element("tr", {}, element("th", { scope: "row", textContent: row.feature, title: row.feature }), element("td", { textContent: shown(row.weight) }), element("td", { textContent: moved, className: "muted" }));
    }));
    return element("table", {}, element("caption", { textContent: isNumber ? `what ${label}` : `for ${label}` }), body);
  }));
}

function showBeginning() {
  const url = location.origin;
  $("begin-new").textContent = `curl -X PUT --json '{"classes": ["ham", "spam"]}' ${url}/v1/models/mail\ncurl --json '{"text": "win a free prize", "label": "spam"}' ${url}/v1/models/mail/learn\ncurl --json '{"text": "notes of the meeting", "label": "ham"}' ${url}/v1/models/mail/learn\ncurl --json '{"text": "a free meeting"}' ${url}/v1/models/mail/predict`;
  $("begin-file").textContent = `rosenblatt fit mail.tsv -o mail.model\ncurl -X PUT -H 'content-type: application/octet-stream' --data-binary @mail.model ${url}/v1/models/mail`;
}

function showChoice(names, name) {
  chosen = name;
  if ([...$("model").options].map((option) => option.value).join() !== names.join()) $("model").replaceChildren(...names.map((name) => element("option", { value: name, textContent: name })));
  $("model").value = chosen;
  $("choice").hidden = names.length === 0;
}

// All that is shown is of one model, and nothing is shown before it is filled.
async function refresh() {
  clearTimeout(timer);
  const mine = ++latest;
  try {
    const { models, failed } = await ask("v1/models");
    const names = models.map((model) => model.name), name = names.includes(chosen) ? chosen : names[0] ?? null;
    const [model, weights] = name ? await Promise.all([ask(`v1/models/${name}`), ask(`v1/models/${name}/weights?top=10`)]) : [];
    if (mine !== latest) return; // another model was chosen meanwhile
    showChoice(names, name);
    if (model) {
      showModel(model, performance.now());
      showWeights(name, weights, model.predicts === "number");
    }
    $("begin").hidden = models.length > 0;
    $("watch").hidden = models.length === 0;
    const broken = Object.entries(failed);
    $("error").hidden = broken.length === 0;
    $("error").textContent = broken.map(([name, why]) => `${name} is not served: ${why}`).join(" ");
    $("token-form").hidden = true;
    $("state").textContent = `as of ${new Date().toLocaleTimeString()}`;
  } catch (error) {
    if (mine !== latest) return;
    $("token-form").hidden = ![401, 403].includes(error.status);
    $("error").hidden = false;
    $("error").textContent = error.status ? error.message : "The service does not answer: it may have stopped.";
  }
  timer = setTimeout(refresh, EVERY);
}

$("model").addEventListener("change", (event) => { chosen = event.target.value; refresh(); });
$("token-form").addEventListener("submit", (event) => { event.preventDefault(); token = $("token").value.trim(); sessionStorage.setItem("token", token); refresh(); });
const theme = $("theme");
theme.value = localStorage.getItem("theme") ?? "";
const setTheme = () => { if (theme.value) document.documentElement.dataset.theme = theme.value; else delete document.documentElement.dataset.theme; localStorage.setItem("theme", theme.value); };
theme.addEventListener("change", setTheme);
setTheme();
showBeginning();
refresh();
