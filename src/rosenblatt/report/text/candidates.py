"""The rules that a fit tried, as a table with their errors, the chosen one marked."""

from collections.abc import Iterator, Sequence

from rosenblatt.model.fit.fitted import Candidate, Fitted
from rosenblatt.report.summary import errors_of
from rosenblatt.report.text.layout import bold, dim


def candidate_rows(fitted: Fitted, candidates: Sequence[Candidate], spec: str, column_width: int) -> Iterator[str]:
    """A heading, and a line for each rule; errors are written by `spec`."""
    wide = max(len(candidate.rule) for candidate in candidates) + 2
    names = [name for name, _ in errors_of(candidates[0], fitted)]
    yield dim(f"    {'rules tried':{wide}}" + "".join(f"{name:>{column_width}}" for name in names))
    for candidate in candidates:
        mark = "*" if candidate.rule == fitted.chosen else " "
        errors = [error for _, error in errors_of(candidate, fitted)]
        row = f"  {mark} {candidate.rule:{wide}}"
        row += "".join(f"{'' if error is None else format(error, spec):>{column_width}}" for error in errors)
        if candidate.given_up and fitted.choice is None:
            row += f"  given up after {candidate.given_up:,} (the best: {candidate.best_then:{spec}})"
        yield bold(row) if mark == "*" else row
