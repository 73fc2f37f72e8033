"""Counts of the current minute, which go to the log when it is over."""

from __future__ import annotations

import time


class Minute:
    """The counts of one minute: examples learned, their errors and weights, and predictions."""

    def __init__(self) -> None:
        self._began = int(time.time() // 60)
        self._learned, self._wrong, self._weighed, self._predicted_before = 0, 0.0, 0.0, 0

    def add(self, learned: int, wrong: float, weighed: float) -> None:
        self._learned += learned
        self._wrong += wrong
        self._weighed += weighed

    @property
    def is_over(self) -> bool:
        return int(time.time() // 60) != self._began

    def now(self, predicted: int) -> tuple[int, int, float, float, int]:
        return self._began, self._learned, self._wrong, self._weighed, predicted - self._predicted_before

    def take(self, predicted: int) -> tuple[int, int, float, float, int]:
        now = self.now(predicted)
        self.__init__()  # type: ignore[misc]
        self._predicted_before = predicted
        return now
