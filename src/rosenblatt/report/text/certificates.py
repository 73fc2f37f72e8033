"""The certificates of many classes as a table."""

from rosenblatt.certificates.certify_classes import ClassTable


def class_table_text(table: ClassTable) -> str:
    """A line for each pair of classes, or for each class against the rest, and the number of answers of each kind."""
    lines = [f"{'class':>12}  {'against':>12}  {'answer':12} {'margin':>10}  {'rows of proof':>13}  checked"]
    rows = table.to_rows()
    for row in rows:
        margin = f"{row['margin']:10.4g}" if row["answer"] == "separable" else f"{'-':>10}"
        proof = "-" if row["rows"] is None else f"{row['rows']:,}"
        first, second = str(row["first"])[:12], str(row["second"])[:12]
        lines.append(f"{first:>12}  {second:>12}  {row['answer']:12} {margin}  {proof:>13}  {row['verified']}")
    answers = [row["answer"] for row in rows]
    counts = ", ".join(f"{answers.count(answer)} {answer}" for answer in dict.fromkeys(answers))
    return "\n".join([*lines, f"{counts}.", ""])
