"""An alarm when a model begins to err more often than it used to: the test of Page and Hinkley.

The sum of error - mean - tolerance over the examples stays near its least value while errors come as before; an alarm
is raised when it has risen above that by more than the threshold.
E. S. Page, Continuous inspection schemes, Biometrika 41 (1954).
"""

from __future__ import annotations

from typing import Any, NamedTuple

TOLERANCE = 0.01  # a rise of the error that is not worth an alarm
_FEWEST_ERRORS = 30.0  # beyond those expected, that raise an alarm
# Chance alone, of independent examples, raises the sum by h once in s^2 / (2 d^2) * exp(2 d h / s^2) examples, where
# s^2 is the variance of an error and d the tolerance (Siegmund 1985, Sequential Analysis, as for a Brownian motion).
# With this exponent that is once in 10^9 where a quarter of all examples is predicted wrong.
_EXPONENT = 14.0
_FEWEST = 500  # examples before the first alarm


class Alarm(NamedTuple):
    """At which version the error rose, from and to which share."""

    version: int
    before: float
    after: float


class PageHinkley:
    """The test for the share of wrong predictions, given group by group."""

    def __init__(self) -> None:
        self._restart()

    def _restart(self) -> None:
        self.examples = self.errors = 0.0
        self._sum = self._least = 0.0
        self._at_least: tuple[float, float] = (0.0, 0.0)  # examples and errors when the sum was least

    def add(self, version: int, wrong: float, weighed: float) -> Alarm | None:
        """The alarm that this group raises, if any; after one, the count starts again.

        `weighed` is the total weight of the group's examples, `wrong` that of those predicted wrong.
        """
        if weighed <= 0:
            return None
        mean = self.errors / self.examples if self.examples else wrong / weighed
        self.examples += weighed
        self.errors += wrong
        self._sum += wrong - (mean + TOLERANCE) * weighed
        if self._sum <= self._least:
            self._least, self._at_least = self._sum, (self.examples, self.errors)
        if self.examples < _FEWEST or self._sum - self._least <= self._threshold:
            return None
        examples, errors = self._at_least
        before = errors / examples if examples else 0.0
        after = (self.errors - errors) / max(self.examples - examples, 1e-300)
        self._restart()
        return Alarm(version, before, after)

    @property
    def _threshold(self) -> float:
        """How many errors beyond the expected ones raise an alarm: more if they vary more by chance."""
        examples, errors = self._at_least
        share = errors / examples if examples else 0.5
        return max(_FEWEST_ERRORS, _EXPONENT * share * (1.0 - share) / (2.0 * TOLERANCE))

    def state(self) -> dict[str, Any]:
        return {"examples": self.examples, "rise": self._sum - self._least, "threshold": self._threshold}


class DistanceDrift(PageHinkley):
    """The same for numbers: an error is the distance as a share of four times the mean distance so far, at most 1."""

    _FACTOR = 4.0

    def __init__(self) -> None:
        super().__init__()
        self._distance = self._weighed = 0.0

    def add(self, version: int, wrong: float, weighed: float) -> Alarm | None:
        if weighed <= 0:
            return None
        mean = self._distance / self._weighed if self._weighed else wrong / weighed
        self._distance += wrong
        self._weighed += weighed
        unit = self._FACTOR * mean
        share = min(wrong / (weighed * unit), 1.0) if unit > 0 else float(wrong > 0)
        alarm = super().add(version, share * weighed, weighed)
        if alarm is None:
            return None
        self._distance = self._weighed = 0.0
        return alarm._replace(before=alarm.before * unit, after=alarm.after * unit)


def drift_of(predicts_number: bool) -> PageHinkley:
    return DistanceDrift() if predicts_number else PageHinkley()
