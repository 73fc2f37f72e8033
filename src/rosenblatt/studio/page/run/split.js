// Which rows are kept aside for testing: spread evenly over the table, and the same ones each time, so that a link shows
// the same run. Every class keeps a row to learn from.

const GOLDEN = 0.6180339887498949; // its multiples are spread evenly between 0 and 1

export function testRows(labels, share) {
  const chosen = new Set(labels.map((_, i) => i).filter((i) => (((i + 1) * GOLDEN) % 1) < share));
  for (const label of new Set(labels)) {
    const rows = labels.map((other, i) => (other === label ? i : -1)).filter((i) => i >= 0);
    if (rows.every((i) => chosen.has(i))) chosen.delete(rows[0]);
  }
  return chosen;
}

// The answers of the server count the rows that were learned; these count the rows of the table.
export class Split {
  constructor(points, labels, share) {
    this.test = share ? testRows(labels, share) : new Set();
    const rows = points.map((_, i) => i), of = (list, keep) => rows.filter(keep).map((i) => list[i]);
    this.learnedRows = rows.filter((i) => !this.test.has(i));
    const learned = (i) => !this.test.has(i), copies = points.map((point) => [...point]);
    this.request = { points: of(copies, learned), labels: of(labels, learned) };
    if (this.test.size) Object.assign(this.request, { learned_rows: this.learnedRows, test_points: of(copies, (i) => !learned(i)), test_labels: of(labels, (i) => !learned(i)) });
  }
  row(i) { return i === null || i === undefined ? i : this.learnedRows[i]; }
  moments(list) { return this.test.size ? list.map((moment) => ({ ...moment, row: this.row(moment.row) })) : list; }
  verdict(verdict) {
    if (!this.test.size) return verdict;
    const inTable = (rows) => rows?.map((i) => this.row(i));
    return { ...verdict, rows: inTable(verdict.rows), support: inTable(verdict.support), hulls: verdict.hulls?.map(inTable) };
  }
}
