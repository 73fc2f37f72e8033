"""More than two classes: a certificate for every pair of them, or for each against the rest."""

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
from rosenblatt.certificates import figures_hook
from rosenblatt.certificates.certificate import Inseparable, Separable, Undecided
from rosenblatt.certificates.certify import certify_points
from rosenblatt.certificates.points.check_input import check_labels, check_values
from rosenblatt.certificates.points.points import Points
from rosenblatt.certificates.search.hull_search import SearchMonitor
from rosenblatt.errors import DataError, option
from rosenblatt.input_checks import plain_label, thread_count
from rosenblatt.records import Csr

AnswerCallback: TypeAlias = Callable[[int, int, "ClassAnswer"], None]
REST = "rest"


@dataclass(frozen=True)
class ClassAnswer:
    """The certificate of `first` against `second`, which is 'rest' for all the other classes together.

    The certificate counts only the rows of the two sides; `rows` are their positions in all the data, so
    `rows[certificate.rows]` are the rows of its proof.
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
        """The widest margin; NaN unless the classes are separable."""
        return self.certificate.margin if isinstance(self.certificate, Separable) else float("nan")


@dataclass(frozen=True)
class ClassTable:
    """The answers for all pairs of classes, or for each class against the rest."""

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
        """One plain record for each answer: for a DataFrame, a CSV file, or JSON."""
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
        """Draw the pairs as a heat map."""
        if self.scheme != "ovo":
            raise DataError(f"Only a table of pairs can be drawn as a heat map: use {option('scheme', 'ovo')}.")
        position = {label: k for k, label in enumerate(self.classes)}
        kinds = np.full((len(position), len(position)), None, dtype=object)
        margins = np.full(kinds.shape, np.nan)
        for answer in self.answers:
            for i, j in ((answer.first, answer.second), (answer.second, answer.first)):
                cell = position[i], position[j]
                kinds[cell], margins[cell] = answer.kind, answer.margin
        return figures_hook.load_figures().plot_pairs(self.classes, kinds, margins, ax, theme=theme)


@options.described_by(options.CERTIFY_CLASSES)
def certify_classes(
    X: Any,
    y: Any,
    *,
    scheme: str = options.scheme.default,
    time_limit: float | None = options.time_limit.default,
    gap: float = options.gap.default,
    exact: bool = options.exact.default,
    n_jobs: int | None = options.n_jobs.default,
    on_answer: AnswerCallback | None = None,
) -> ClassTable:
    """Which classes can a hyperplane separate? Every pair (ovo) or each against the rest (ovr), each with its proof.

    `time_limit` applies to each pair.

    Parameters
    ----------
    X : array or sparse matrix
        The examples, a row each.
    y : array
        Their labels, of any number of classes.
    on_answer : callable, optional
        `on_answer(done, total, answer)` is called whenever an answer is ready.

    Returns
    -------
    ClassTable
        A ClassAnswer for each pair, or for each class, with its certificate.

    Examples
    --------
    >>> table = certify_classes([[0], [1], [2]], ["a", "b", "c"], scheme="ovr")
    >>> [(answer.first, answer.kind) for answer in table]
    [('a', 'separable'), ('b', 'inseparable'), ('c', 'separable')]
    """
    chosen = {"scheme": scheme, "time_limit": time_limit, "gap": gap, "exact": exact, "n_jobs": n_jobs}
    options.check("certify_classes", chosen, options.CERTIFY_CLASSES)
    values = check_values(X)
    labels = check_labels(y, values.shape[0])
    classes = np.unique(labels)
    if len(classes) < 2:
        raise DataError("y has 1 class, and separability is about two or more. Add examples of another class.")
    pairs = _pairs(classes, scheme)
    n_done, lock = 0, Lock()

    def certify_pair(pair: tuple[Any, Any]) -> ClassAnswer:
        nonlocal n_done
        start = time.perf_counter()
        points, rows = _points_of_pair(values, labels, *pair)
        certificate = certify_points(points, SearchMonitor.start(time_limit), gap=gap, exact=exact)
        first, second = plain_label(pair[0]), REST if pair[1] is None else plain_label(pair[1])
        answer = ClassAnswer(first, second, certificate, rows, time.perf_counter() - start)
        with lock:
            n_done += 1
            if on_answer is not None:
                on_answer(n_done, len(pairs), answer)
        return answer

    with ThreadPoolExecutor(thread_count(n_jobs)) as pool:
        answers = tuple(pool.map(certify_pair, pairs))
    return ClassTable(tuple(classes.tolist()), scheme, answers)


def _pairs(classes: NDArray[Any], scheme: str) -> list[tuple[Any, Any]]:
    """The classes to separate; None stands for all the others."""
    if scheme == "ovr" and len(classes) > 2:
        return [(label, None) for label in classes]
    return list(combinations(classes, 2))


def _points_of_pair(
    values: NDArray[Any] | Csr, labels: NDArray[Any], first: Any, second: Any
) -> tuple[Points, NDArray[np.intp]]:
    """The points of two classes, or of one and the rest, and their positions in all the data."""
    if second is None:
        signs = np.where(labels == first, 1, -1).astype(np.int8)
        return Points(values, signs, (REST, plain_label(first))), np.arange(len(labels))
    rows = np.flatnonzero((labels == first) | (labels == second))
    signs = np.where(labels == second, 1, -1).astype(np.int8)
    everything = Points(values, signs, (plain_label(first), plain_label(second)))
    return everything.subset(rows), rows
