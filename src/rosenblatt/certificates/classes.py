"""More than two classes: every pair of them, or each against the rest, certified side by side."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt import options
from rosenblatt.certificates import drawing
from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided
from rosenblatt.certificates.hull_search import Clock
from rosenblatt.certificates.points import Points, labels_of, values_of
from rosenblatt.certificates.search import decide
from rosenblatt.errors import DataError
from rosenblatt.records import Csr

Answered: TypeAlias = Callable[[int, int, "ClassAnswer"], None]
REST = "rest"


@dataclass(frozen=True)
class ClassAnswer:
    """One question and its answer: `first` against `second`, which is 'rest' for all the others together.

    The certificate speaks of the rows of the two sides only, numbered in their order; `rows` are their numbers in all
    the data, so `rows[certificate.rows]` are those of a proof.
    """

    first: Any
    second: Any
    certificate: Separable | Inseparable | Undecided
    rows: NDArray[np.intp] = field(repr=False)
    seconds: float = 0.0

    @property
    def kind(self) -> str:
        return self.certificate.kind

    @property
    def margin(self) -> float:
        """The widest margin; not a number where there is none."""
        return self.certificate.margin if isinstance(self.certificate, Separable) else float("nan")


@dataclass(frozen=True)
class ClassTable:
    """The answers about all the classes, in order."""

    classes: tuple[Any, ...]
    scheme: str
    answers: tuple[ClassAnswer, ...]

    def __iter__(self) -> Iterator[ClassAnswer]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, pair: Any) -> Separable | Inseparable | Undecided:
        """The certificate of a pair (in either order), or of a class against the rest."""
        for answer in self.answers:
            if pair in ((answer.first, answer.second), (answer.second, answer.first)):
                return answer.certificate
            if answer.second == REST and not isinstance(pair, tuple) and pair == answer.first:
                return answer.certificate
        raise KeyError(pair)

    def to_rows(self) -> list[dict[str, Any]]:
        """One plain record an answer: for a DataFrame, a CSV file, or JSON."""
        return [
            {
                "first": answer.first,
                "second": answer.second,
                "answer": answer.kind,
                "margin": answer.margin,
                "rows": len(answer.certificate.rows) if isinstance(answer.certificate, Inseparable) else None,
                "verified": answer.certificate.verified,
                "seconds": answer.seconds,
            }
            for answer in self.answers
        ]

    def plot(self, ax: Any = None, *, theme: str = "light") -> Any:
        """The pairs as a heat map."""
        if self.scheme != "ovo":
            raise DataError("Only the table of pairs is drawn as a map: ask for scheme='ovo'.")
        place = {label: at for at, label in enumerate(self.classes)}
        kinds = np.full((len(place), len(place)), None, dtype=object)
        margins = np.full(kinds.shape, np.nan)
        for answer in self.answers:
            for i, j in ((answer.first, answer.second), (answer.second, answer.first)):
                kinds[place[i], place[j]], margins[place[i], place[j]] = answer.kind, answer.margin
        return drawing.figures().plot_pairs(self.classes, kinds, margins, ax, theme=theme)


def certify_classes(
    X: Any,
    y: Any,
    *,
    scheme: str = options.scheme.default,
    time_limit: float | None = options.time_limit.default,
    gap: float = options.gap.default,
    exact: bool = options.exact.default,
    n_jobs: int | None = options.n_jobs.default,
    on_answer: Answered | None = None,
) -> ClassTable:
    """Which classes can a hyperplane tell apart? Every pair (ovo) or each against the rest (ovr), each with its proof.

    `time_limit` is for each question. `on_answer(done, total, answer)` is called as the answers come in.

    >>> table = certify_classes([[0], [1], [2]], ["a", "b", "c"], scheme="ovr")
    >>> [(answer.first, answer.kind) for answer in table]
    [('a', 'separable'), ('b', 'inseparable'), ('c', 'separable')]
    """
    chosen = {"scheme": scheme, "time_limit": time_limit, "gap": gap, "exact": exact, "n_jobs": n_jobs}
    options.check("certify_classes", chosen, options.CERTIFY_CLASSES)
    values = values_of(X)
    labels = labels_of(y, values.shape[0])
    classes = np.unique(labels)
    if len(classes) < 2:
        raise DataError(f"y has {len(classes)} class, and separability is about two or more.")
    questions = _questions(classes, scheme)
    done, turn = [0], Lock()

    def ask(question: tuple[Any, Any]) -> ClassAnswer:
        answer = _answer(values, labels, question, Clock.of(time_limit, None), gap, exact)
        with turn:
            done[0] += 1
            if on_answer is not None:
                on_answer(done[0], len(questions), answer)
        return answer

    with ThreadPoolExecutor(_workers(n_jobs)) as pool:
        answers = tuple(pool.map(ask, questions))
    return ClassTable(tuple(classes.tolist()), scheme, answers)


def _workers(n_jobs: int | None) -> int:
    jobs = 1 if n_jobs is None else int(n_jobs)
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def _questions(classes: NDArray[Any], scheme: str) -> list[tuple[Any, Any]]:
    if scheme == "ovr" and len(classes) > 2:
        return [(label, None) for label in classes]
    return list(combinations(classes, 2))


def _answer(
    values: NDArray[Any] | Csr, labels: NDArray[Any], question: tuple[Any, Any], clock: Clock, gap: float, exact: bool
) -> ClassAnswer:
    start = time.perf_counter()
    first, second = question
    if second is None:
        rows = np.arange(len(labels))
        points = Points(values, np.where(labels == first, 1, -1).astype(np.int8), (REST, _plain(first)))
    else:
        rows = np.flatnonzero((labels == first) | (labels == second))
        everything = Points(values, np.where(labels == second, 1, -1).astype(np.int8), (_plain(first), _plain(second)))
        points = Points(everything.rows(rows), everything.signs[rows], everything.labels)
    certificate = decide(points, clock, gap=gap, exact=exact)
    other = REST if second is None else _plain(second)
    return ClassAnswer(_plain(first), other, certificate, rows, time.perf_counter() - start)


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label
