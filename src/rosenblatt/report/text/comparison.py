"""The comparison of methods as text."""

import textwrap
from collections.abc import Iterator

from rosenblatt.comparison.compare import Comparison, Method


def comparison_lines(comparison: Comparison, width: int = 100) -> Iterator[str]:
    """The table, the six questions with their measured answers, and the notes."""
    classes = ", ".join(map(str, comparison.classes[:6])) + (", ..." if len(comparison.classes) > 6 else "")
    size = f"{comparison.rows:,} rows, {comparison.features:,} features"
    yield f"{size}, classes {classes}; {comparison.folds} folds, the same for all"
    yield ""
    yield f"{'method':22} {'test error':>10} {'95% interval':>17} {'margin':>10} {'seconds':>8}  converged"
    for method in comparison.methods:
        yield from _method_lines(method, width)
    if comparison.answers:
        yield ""
        for number, answer in enumerate(comparison.answers, 1):
            yield from _wrapped(f"{number}. {answer.question} {'TRUE' if answer.verdict else 'FALSE'}", width, "")
            yield from _wrapped(answer.measured, width, "   ")
    if comparison.notes:
        yield ""
        for note in comparison.notes:
            yield from _wrapped(note, width, "")


def comparison_text(comparison: Comparison, width: int = 100) -> str:
    """The lines of the comparison as one text."""
    return "\n".join(comparison_lines(comparison, width))


def _method_lines(method: Method, width: int) -> Iterator[str]:
    error = method.error
    margin = "-" if method.margin is None else f"{method.margin:.3g}"
    interval = f"{100 * error.low:.2f} - {100 * error.high:.2f}%"
    head = f"{method.name:22} {100 * error.value:9.2f}% {interval:>17} {margin:>10} {method.seconds:8.3f}  "
    words = ("yes: " if method.converged else "no: ") + method.why
    lines = textwrap.wrap(words, max(width - len(head), 24))
    yield head + lines[0]
    for line in lines[1:]:
        yield " " * len(head) + line


def _wrapped(words: str, width: int, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(words, width, initial_indent=indent, subsequent_indent=indent)
