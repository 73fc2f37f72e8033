"""The scores that a model was calibrated with, saved in its file. If it continues learning, it is calibrated with old
and new ones.

They are those of a bounded sample of the examples, each scored by weights that had not learned it.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.run import Run
from rosenblatt.records import HonestScores
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors, all_finite, read_buffer

_MOST = 4096  # examples of a sample that cannot be continued bit for bit
MOST_OF_LABELS = 1 << 20  # scores in a file, one for each label and example
_KINDS = ("out-of-fold", "held-out", "progressive")


class HonestSample(NamedTuple):
    """Scores of some examples, and how many examples these stand for.

    For a run in one pass they are those of every `stride`-th example from example `first` on, and the run continues
    to add to them as if it had not stopped. Otherwise the stride is 0.
    """

    scores: Any  # [example, unit], float64
    truth: Any  # [example], the index of the class, or of the set of labels, int32; or a target, scaled, float64
    kind: Any  # of HonestScores
    examples: int
    stride: int = 0
    first: int = 0

    def __reduce__(self) -> tuple[type[HonestSample], tuple[Any, ...]]:  # native memory cannot be pickled
        return HonestSample, tuple(self._replace(scores=np.asarray(self.scores), truth=np.asarray(self.truth)))

    def restore(self, run: Run, truth: Any = None) -> None:
        """Let the run continue this sample, if that is possible; give `truth` if its classes were renumbered."""
        if self.stride:
            before = array("Q", (self.first + k * self.stride for k in range(len(self.truth))))
            truth = self.truth if truth is None else truth
            if run.settings.predicts_number:
                run.learner.restore_sample(self.scores, array("i", bytes(4 * len(truth))), before, self.stride, truth)
            else:
                run.learner.restore_sample(self.scores, truth, before, self.stride)

    def pack(self, tensors: Tensors) -> dict[str, Any]:
        tensors["sample.scores"], tensors["sample.truth"] = self.scores, self.truth
        return {"kind": self.kind, "examples": self.examples, "stride": self.stride, "first": self.first}


def continued(scores: Any, truth: Any, before: Any, stride: int, examples: int) -> HonestSample:
    """The sample of a run in one pass, as its learner has it; `before` counts the examples before each of them."""
    return HonestSample(scores, truth, "progressive", examples, stride, before[0] if len(before) else 0)


def thinned(honest: HonestScores, examples: int, most: int | None = None) -> HonestSample:
    """A sample of scores that cannot be continued: at most `most` examples, evenly spread."""
    most = _MOST if most is None else min(most, _MOST)
    if len(honest) <= most:
        return HonestSample(honest.scores, honest.truth, honest.kind, examples)
    rows = _evenly(len(honest), most)
    scores, truth = np.asarray(honest.scores)[rows], np.asarray(honest.truth)[rows]
    return HonestSample(scores, truth.data, honest.kind, examples)


def merged(old: HonestSample, new: HonestScores, new_examples: int) -> HonestScores:
    """Old and new scores together. Some of the more closely spaced ones are left out, so that each score stands for
    the same number of examples."""
    if not len(new.truth):
        return HonestScores(old.scores, old.truth, old.kind)
    parts = (old.scores, old.truth, old.examples), (new.scores, new.truth, new_examples)
    widest = max(examples / max(len(truth), 1) for _, truth, examples in parts)
    rows = [_evenly(len(truth), round(examples / widest)) for _, truth, examples in parts]
    scores = [np.asarray(scores)[sampled] for (scores, _, _), sampled in zip(parts, rows, strict=True)]
    kind = np.asarray(old.truth).dtype
    truth = [np.asarray(truth, dtype=kind)[sampled] for (_, truth, _), sampled in zip(parts, rows, strict=True)]
    return HonestScores(np.concatenate(scores), np.concatenate(truth).data, new.kind)


def _evenly(count: int, n_rows: int) -> NDArray[np.intp]:
    """`n_rows` of `count` rows, evenly spread; at most all of them."""
    n_rows = min(max(n_rows, 1), count)
    return np.arange(n_rows) * count // max(n_rows, 1)


def unpack_sample(header: Header, tensors: Tensors, n_units: int, n_classes: int) -> HonestSample:
    """`n_classes` may be the number of sets of labels."""
    truth = read_buffer(tensors, "sample.truth", "int32")
    return _unpack(header, tensors, n_units, truth, all(0 <= k < n_classes for k in truth))


def unpack_number_sample(header: Header, tensors: Tensors, n_units: int) -> HonestSample:
    """The sample of a model that predicts numbers."""
    truth = read_buffer(tensors, "sample.truth", "float64")
    return _unpack(header, tensors, n_units, truth, all_finite(truth))


def _unpack(header: Header, tensors: Tensors, n_units: int, truth: Any, is_sound: bool) -> HonestSample:
    scores = read_buffer(tensors, "sample.scores", "float64", (len(truth), n_units))
    kind, stride = header.text("kind"), header.count("stride")
    sound = is_sound and all_finite(scores) and header.count("examples") >= len(truth)
    if kind not in _KINDS or not sound or (stride and stride & (stride - 1)):
        raise damaged("the scores that it was calibrated by are not those of its examples")
    return HonestSample(scores, truth, kind, header.count("examples"), stride, header.count("first"))
