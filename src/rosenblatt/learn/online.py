"""A learner for event loops: one example at a time, microseconds per call, without scikit-learn."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rosenblatt import options
from rosenblatt.errors import DataError, LearningOverflowError, ParameterError
from rosenblatt.learn.settings import Settings
from rosenblatt.records import Floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_MAX_FEATURES = 2**31
_MAX_VARIANCES = 2**26  # where a learner grows: arow writes one for every feature up to the largest index
_INDEX, _VALUE = np.dtype(np.int64), np.dtype(np.float64)  # arrays of these types need no conversion

Row: TypeAlias = "ArrayLike | tuple[ArrayLike, ArrayLike]"


@options.described_by(options.LEARNER)
class Learner:
    """One unit that learns online, bit for bit like the estimators do.

    An example is a dense row, or a pair (indices, values) of the features that are not zero. With `keep="average"`
    scores come from the average weights; with `forget` what was learned of an example counts half after so many more.

    Parameters
    ----------
    n_features : int, optional
        How many features there are; by default the learner grows with those of the examples.

    Examples
    --------
    >>> learner = Learner(2)
    >>> learner.learn([1.0, 2.0], +1), learner.learn([2.0, -1.0], -1)
    (True, True)
    >>> learner.score([1.0, 2.0])
    5.0
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        loss: str = options.loss.default,
        learning_rate: str = options.learning_rate.default,
        eta0: float = options.eta0.default,
        margin: float = options.margin.default,
        r: float = options.r.default,
        keep: str = "last",
        forget: float = options.forget.default,
        fit_intercept: bool = options.fit_intercept.default,
    ) -> None:
        chosen: dict[str, Any] = {
            "loss": loss,
            "learning_rate": learning_rate,
            "eta0": eta0,
            "margin": margin,
            "r": r,
            "keep": keep,
            "forget": forget,
            "fit_intercept": fit_intercept,
        }
        if n_features is not None and not (isinstance(n_features, Integral) and n_features > 0):
            raise ParameterError(
                "The 'n_features' parameter of Learner must be None or an int of at least 1. "
                f"Got {n_features!r} instead."
            )
        options.check("Learner", chosen, options.LEARNER)
        options.check_together("Learner", chosen)
        if keep not in ("last", "average"):
            raise ParameterError(f"The 'keep' parameter of Learner must be 'last' or 'average'. Got {keep!r} instead.")
        self.settings = Settings(**chosen)
        self.n_features = n_features
        self._average = keep == "average"
        most = _MAX_VARIANCES if learning_rate == "arow" else _MAX_FEATURES
        self._limit = most if n_features is None else int(n_features)
        self._native = self.settings.learner(n_features or 0, np.ones(2))

    def learn(self, x: Row, y: int, weight: float = 1.0) -> bool:
        """Visit one example.

        Parameters
        ----------
        x : array-like, or a pair of them
            The features, or the indices and values of those that are not zero.
        y : int or bool
            Its class: +1 or True, -1, 0 or False.
        weight : float, default=1.0
            How much it counts.

        Returns
        -------
        bool
            Whether it was a mistake.
        """
        try:
            positive = bool(y == 1)
            if not (positive or y == -1 or y == 0):
                raise DataError(f"The class of an example is +1 or True, -1, 0 or False. Got {y!r} instead.")
            if not 0.0 <= weight < np.inf:
                raise DataError(f"The weight of an example is a finite number of at least 0. Got {weight!r} instead.")
            if type(x) is tuple:
                return self._native.learn_sparse(*self._pair(x), positive, weight, self._limit)
            return self._native.learn_dense(self._dense(x), positive, weight)
        except OverflowError as error:
            raise LearningOverflowError(str(error)) from None
        except (TypeError, ValueError) as error:
            raise DataError(str(error)) from None

    def score(self, x: Row) -> float:
        """The score of a row, w.x + b.

        Parameters
        ----------
        x : array-like, or a pair of them
            The features, or the indices and values of those that are not zero.

        Returns
        -------
        float
            Above 0 the class +1 is predicted.
        """
        try:
            if type(x) is tuple:
                return self._native.score_sparse(*self._pair(x), self._average, self._limit)
            return self._native.score_dense(self._dense(x), self._average)
        except (TypeError, ValueError) as error:
            raise DataError(str(error)) from None

    def predict(self, x: Row) -> int:
        """The class of a row.

        Parameters
        ----------
        x : array-like, or a pair of them
            The features, or the indices and values of those that are not zero.

        Returns
        -------
        int
            +1 when the score is above 0, else -1.
        """
        return 1 if self.score(x) > 0 else -1

    def _dense(self, x: Any) -> Floats:
        row: Floats = x if type(x) is np.ndarray and x.dtype is _VALUE else _numbers(x, np.float64, "values")
        if row.ndim != 1 or (self.n_features is not None and len(row) != self.n_features):
            expected = "one row of features" if self.n_features is None else f"a row of {self.n_features} features"
            raise DataError(f"An example must be {expected}. Got an array of shape {row.shape} instead.")
        return row

    def _pair(self, x: tuple[Any, ...]) -> tuple[Any, Floats]:
        if len(x) != 2:
            raise DataError(f"A sparse example is a pair (indices, values). Got {len(x)} parts instead.")
        indices, values = x
        if not (type(indices) is type(values) is np.ndarray and indices.dtype is _INDEX):
            x = indices, values = _numbers(indices, np.int64, "indices"), _numbers(values, np.float64, "values")
        if not (indices.ndim == values.ndim == 1 and len(indices) == len(values)):
            raise DataError(f"Indices and values must be rows of one length. Got {indices.shape} and {values.shape}.")
        return x

    @property
    def coef(self) -> Floats:
        """The weights; with keep='average' their average over the examples visited."""
        coef: Floats = np.asarray(self._native.final_weights(self._average)[0])[0]
        return coef

    @property
    def intercept(self) -> float:
        """The bias, likewise."""
        return float(self._native.final_weights(self._average)[1][0])

    @property
    def t(self) -> int:
        """Examples visited."""
        return self._native.t

    @property
    def n_mistakes(self) -> int:
        """Mistakes made."""
        return self._native.mistakes

    def __getstate__(self) -> dict[str, Any]:
        stored = {name: self._native.get(name) for name in ("weights", "drift", "scale")}
        # Native memory cannot be pickled.
        parts = {name: part and tuple(np.array(numbers) for numbers in part) for name, part in stored.items()}
        values = {name: value for name, value in vars(self).items() if name != "_native"}
        features = self._native.features
        return values | {"parts": parts, "counters": self._native.counters(), "features": features}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values = dict(state)
        parts, counters, features = values.pop("parts"), values.pop("counters"), values.pop("features")
        vars(self).update(values)
        self._native = self.settings.learner(features, np.ones(2))
        for name, part in parts.items():
            if part is not None:
                self._native.put(name, *part)
        self._native.restore(counters)


def _numbers(numbers: Any, dtype: type[np.generic], name: str) -> NDArray[Any]:
    """An array of real numbers; of whole numbers where they are indices."""
    try:
        array = np.asarray(numbers)
        if array.dtype.kind == "c" or (array.dtype.kind == "f" and array.size and dtype is np.int64):
            raise ValueError(f"got {array.dtype}")
        return array.astype(dtype)
    except (TypeError, ValueError, OverflowError) as error:
        kind = "whole numbers" if name == "indices" else "numbers"
        raise DataError(f"The {name} of an example must be {kind}: {error}.") from None
