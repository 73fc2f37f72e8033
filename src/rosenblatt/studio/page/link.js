// What the screen shows, in the fragment of its address. The names in it stay as they are: links are shared.

const OWN_KEYS = new Set(["example", "data", "classes", "columns", "at", "theme", "tab", "test", "on", "lesson", "done", "gates", "build"]); // the others are options

export const MAX_POINTS = 500, DEFAULT_COLUMNS = ["x1", "x2"];

export function readLink(text) {
  const fragment = new URLSearchParams(text), at = fragment.has("at") ? Number(fragment.get("at")) : NaN;
  return {
    options: Object.fromEntries([...fragment].filter(([name]) => !OWN_KEYS.has(name))),
    example: fragment.get("example"),
    theme: fragment.get("theme"),
    tab: fragment.get("tab"),
    testShare: Number(fragment.get("test") ?? 0),
    at: Number.isInteger(at) ? at : null,
    switchedOn: fragment.get("on")?.split(";") ?? [],
    lesson: fragment.get("lesson"),
    done: fragment.get("done")?.split(".") ?? [],
    expression: fragment.get("gates"),
    build: fragment.get("build"),
    ...(fragment.has("data") ? readPoints(fragment) : {}),
  };
}

// The table in a link, or `damaged` where it was cut off or changed on its way.
function readPoints(fragment) {
  const rows = fragment.get("data").split(";").filter(Boolean).map((row) => row.split(",").map(Number)), classes = readNames(fragment.get("classes") ?? '["A","B","C","D","E"]');
  const isValid = ([x, y, label]) => Number.isFinite(x) && Number.isFinite(y) && Number.isInteger(label) && label >= 0 && label < classes.length;
  if (!classes || !rows.every((row) => row.length === 3 && isValid(row))) return { damaged: true };
  return { table: { rows: rows.map(([x, y]) => [x, y]), labels: rows.map((row) => row[2]), classes, columns: readNames(fragment.get("columns")) ?? DEFAULT_COLUMNS, description: "Points from a link." } };
}
function readNames(text) {
  try {
    const names = JSON.parse(text);
    return Array.isArray(names) ? names : null;
  } catch { return null; }
}

// A link for somebody else, without the lessons that are done here; and one from somebody else, with those done here.
export function withDone(fragment, done) {
  const keys = new URLSearchParams(fragment);
  keys.delete("done");
  if (done.length) keys.set("done", done.join("."));
  return String(keys);
}

export function linkText({ example, points, labels, classes, columns, options, at, testShare, theme, tab, switchedOn, lesson, done, expression, build }) {
  const fragment = new URLSearchParams();
  if (example) fragment.set("example", example);
  else if (points.length && points.length <= MAX_POINTS) {
    fragment.set("data", points.map((point, i) => `${point[0]},${point[1]},${labels[i]}`).join(";"));
    fragment.set("classes", JSON.stringify(classes));
    if (columns.join() !== DEFAULT_COLUMNS.join()) fragment.set("columns", JSON.stringify(columns));
  }
  for (const [name, value] of Object.entries(options)) fragment.set(name, value);
  if (at !== null) fragment.set("at", at);
  if (switchedOn.length) fragment.set("on", switchedOn.join(";"));
  if (expression !== null) fragment.set("gates", expression);
  if (build !== null) fragment.set("build", build);
  if (testShare) fragment.set("test", testShare);
  if (theme) fragment.set("theme", theme);
  if (tab) fragment.set("tab", tab);
  if (lesson) fragment.set("lesson", lesson);
  if (done.length) fragment.set("done", done.join("."));
  return String(fragment);
}
