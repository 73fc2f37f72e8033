"""The parts of every report page: sections, tables, and the table of scores."""

from collections.abc import Sequence
from html import escape
from typing import Any

from rosenblatt.evaluate.label_scores import LabelScores
from rosenblatt.evaluate.number_scores import NumberScores
from rosenblatt.evaluate.scores import Scores
from rosenblatt.report.summary import examples_words, named_scores


def section(title: str, content: str, note: str = "", *, wide: bool = False) -> str:
    after = f'<p class="note">{escape(note)}</p>' if note else ""
    return f"<section{' class=wide' if wide else ''}><h2>{escape(title)}</h2>{content}{after}</section>\n"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], chosen: int | None = None) -> str:
    top = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
    body = "".join(
        f"<tr{' class=chosen' if number == chosen else ''}>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in row)
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def scores_table(scores: Scores | LabelScores | NumberScores, *, of_learned_data: bool) -> str:
    rows = [
        (name, f"{estimate.value:{spec}}", f"{estimate.low:{spec}} to {estimate.high:{spec}}")
        for name, estimate, spec in named_scores(scores)
        if estimate is not None
    ]
    note = examples_words(scores.examples, of_learned_data=of_learned_data)
    return table(["", "value", "95% interval"], rows) + f'<p class="note">{note}</p>'
