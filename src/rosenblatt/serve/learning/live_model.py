"""A model in memory that learns lines in their order, and predicts at the same time.

Its version is the number of examples it has been given. Its answers depend only on the model that it began from and on
the lines so far, not on how these were grouped, nor on any clock. Replay relies on that.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from time import monotonic, perf_counter
from typing import Any, NamedTuple

from rosenblatt import native
from rosenblatt.errors import ModelError
from rosenblatt.lazy import np
from rosenblatt.learn.files.labels.class_weights import class_weights
from rosenblatt.learn.files.plan import Plan
from rosenblatt.learn.multiclass_schemes import class_scores
from rosenblatt.learn.progressive_scores import progressive_scores
from rosenblatt.model.fit.learn_on import criterion_of_threshold, refuse_unless_it_learns_on
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.probabilities.honest_sample import HonestSample, continued, merged, thinned
from rosenblatt.model.probabilities.prediction_intervals import prediction_interval
from rosenblatt.model.probabilities.with_probabilities import with_probabilities
from rosenblatt.records import Block, HonestScores, Label
from rosenblatt.serve.learning.example_lines import LineReader, ReadLines, line_reader
from rosenblatt.serve.limits import LIMITS, Limits
from rosenblatt.storage.container import canonical
from rosenblatt.storage.tensors import Tensors, contiguous_buffer

_SLICE = 1024  # examples that are learned before a waiting prediction gets its turn
_FEWEST_SCORES = 100  # to calibrate with
_GROWTH = 8  # it is calibrated again when it has learned an eighth more
_FIRST = 1000  # examples before the first calibration, and at least between two
_PARTS = 2  # numbers stored for each weight, at most: itself and its variance or its average
_LARGEST = sys.float_info.max
_CONFIDENCE = 0.9  # of the interval of a number, if the model has no interval yet
_DECIDES = ("classes", "run", "calibration", "threshold", "sample", "target", "interval")  # parts of a model file
_SERVED = "served"  # the key in the provenance of a snapshot


class LearnedGroup(NamedTuple):
    """How the examples of a group were predicted before they were learned."""

    wrong: float  # weight of those predicted wrong; for numbers, the sum of errors by the measure of the model
    weighed: float  # weight of all
    distance: float  # the same as `wrong`; for numbers, the sum of absolute errors


class Predictions(NamedTuple):
    """What one version of the model says about some rows."""

    version: int
    decided: Sequence[Any]  # positions in the classes, or the predicted numbers
    scores: list[list[float]]  # of each class; with two classes, of the second; for numbers, each quantile
    probabilities: list[list[float]] | None  # of each class
    bad: Mapping[int, str]  # rows that cannot be read; the lists leave them out
    half_width: float | None = None  # of the interval around a number


class _Published(NamedTuple):
    version: int
    scorer: native.Learner
    model: LinearModel
    reader: LineReader


class LiveModel:
    """`learn` is for one thread, `predict` for any."""

    def __init__(self, model: LinearModel, base_sample: HonestSample | None, limits: Limits = LIMITS) -> None:
        """`base_sample` is that of the model the log began with; `model` may be a snapshot of a later version."""
        if model.settings.multi_label:
            raise ModelError(
                "The model decides about several labels: the service learns models of one class for each example."
            )
        refuse_unless_it_learns_on(model, "The model")
        state = dict(model.provenance.get(_SERVED, {}))
        self.version: int = state.get("version", 0)
        self._calibrate_at: int = state.get("calibrate_at", _FIRST)
        self._limits = limits
        self._before = state.get("examples_before", model.summary.t if base_sample is None else base_sample.examples)
        self._base_sample = base_sample
        self.model, self.run = model, model.run
        self.run.status = "open"
        self.run.learner.count_errors(True)
        if model.sample is not None and (state or self._continues):
            model.sample.restore(self.run)
        self.turn = Lock()  # held while some examples are learned or scored
        self._counts = list(state.get("class_counts", model.provenance.get("class_counts", ())))
        self._weigh = self._class_weights()
        self.learning_reader = self._reader(grow=True)
        self._reader_now = self._reader(grow=False)
        settings = self.run.settings
        plain = settings.keep == "last" and not settings.forget and settings.batch == 1
        self._is_live = plain and not self.run.dense  # its learner scores as it is
        self._published: _Published | None = None
        self._published_at = self._publishing_took = 0.0
        self.publish()

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.model.classes

    @property
    def predicts_number(self) -> bool:
        return self.run.settings.predicts_number

    @property
    def is_squared(self) -> bool:
        """Whether errors of numbers are measured by their squares."""
        return self.predicts_number and self.run.settings.loss in ("squared", "huber")

    @property
    def label_type(self) -> Any:
        """The numpy type of the labels that `learn` takes and the log stores."""
        return np.float64 if self.predicts_number else np.int32

    @property
    def _continues(self) -> bool:
        """Whether the sample of scores that it was calibrated with continues, as in one pass."""
        return self._base_sample is not None and self._base_sample.stride > 0

    def _reader(self, *, grow: bool) -> LineReader:
        space = self.model.space if grow else self.learning_reader.space
        learner = self.run.learner
        dense = self.run.dense or self.run.settings.degree > 1
        known = learner.features
        room = self._limits.weights // (learner.units * _PARTS)
        most = known if dense else max(known, min(self._limits.largest_feature, room))

        def features() -> int:
            return learner.features if grow and self.run.settings.degree == 1 else known

        return line_reader(space, grow=grow and not dense, features=features, most=most)

    def _class_weights(self) -> Any:
        weight = self.model.provenance.get("class_weight")
        if weight is None:
            return None
        if not isinstance(weight, str):
            by_text = {str(label): label for label in self.classes}
            weight = {by_text[text]: number for text, number in weight.items()}
        return class_weights(weight, self.classes, "The model", self._counts)

    # -- learning ---------------------------------------------------------------------------------------------------

    def check(self, read: ReadLines) -> Mapping[int, str]:
        """What is wrong with rows whose values are too large to be learned, by their position."""
        largest = self._limits.largest_value
        rows = self.learning_reader.beyond(read, largest)
        return dict.fromkeys(rows, f"The example has a value beyond {largest:g}: scale it down.")

    def learn(self, read: ReadLines, labels: Any, weights: Any | None) -> LearnedGroup:
        """Learn examples that were read, each with the index of its class (int32), or its target (float64), and its
        weight (float64)."""
        values = self.learning_reader.values(read)
        rows = native.rows_of(values, degree=self.run.settings.degree)
        learner = self.run.learner
        targets = None
        if isinstance(self.model, NumberModel):
            targets, labels = self.model.target.scale.inside(np.asarray(labels)), np.zeros(rows.count, np.int32)
        before = self._errors()
        if self._weigh is not None:
            weights = self._weigh(labels, weights)
            self._counts = (np.bincount(labels, minlength=len(self.classes)) + self._padded_counts()).tolist()
        with self.turn:
            known = learner.features
            learner.grow(rows.features)
            if self.learning_reader.knows_more or learner.features != known:
                self._reader_now = self._reader(grow=False)
        at = 0
        while at < rows.count:
            # The calibration changes when the next example is learned, so that a version always has the same one.
            model = self._calibrated() if self.version >= self._calibrate_at else self.model
            stop = min(rows.count, at + _SLICE, at + self._calibrate_at - self.version)
            with self.turn:
                native.learn([learner], rows, labels, weights, None, None, at, stop, 1, targets=targets)
                self.version += stop - at
                self.model = model
            at = stop
        self.run.after_visits(Block(values, labels))
        return LearnedGroup(*(now - then for now, then in zip(self._errors(), before, strict=True)))

    def _errors(self) -> tuple[float, float, float]:
        """The sums of LearnedGroup over all examples so far."""
        learner, model = self.run.learner, self.model
        if not isinstance(model, NumberModel):
            return learner.wrong, learner.weighed, learner.wrong
        width, distance = model.target.scale.width, learner.absolute_error
        if self.is_squared:
            return learner.squared_error * width * width, learner.weighed, distance * width
        return (learner.pinball_error if model.levels else distance) * width, learner.weighed, distance * width

    def _padded_counts(self) -> Any:
        return np.array([*self._counts, *[0] * (len(self.classes) - len(self._counts))], dtype=np.int64)

    def _calibrated(self) -> LinearModel:
        """The model with its map to probabilities, and its threshold, fitted to the scores so far."""
        self._calibrate_at = self.version + max(self.version // _GROWTH, _FIRST)
        honest = self.honest_scores()
        if isinstance(self.model, NumberModel):
            return _with_interval(self.model, honest)
        if len(honest) < _FEWEST_SCORES or len(set(memoryview(honest.truth).tolist())) < 2:
            return self.model
        plan = Plan(
            candidates={},
            class_weight=self.model.provenance.get("class_weight"),
            threshold=criterion_of_threshold(self.model),
        )
        return with_probabilities(self.model, honest, plan)

    def honest_scores(self) -> HonestScores:
        """The scores of a sample of the examples, each from before it was learned; calibration uses them."""
        if self._continues:
            return progressive_scores(self.run, self._before + self.version)
        scores, truth, *_ = self.run.learner.score_sample()
        if self.predicts_number:
            return HonestScores(scores, self.run.learner.sample_targets(), "progressive")
        new = HonestScores(scores, truth, "progressive")
        if self._base_sample is None:
            return progressive_scores(self.run, self._before + self.version) if self._before == 0 else new
        return merged(self._base_sample, new, self.version)

    # -- predicting -------------------------------------------------------------------------------------------------

    def publish(self) -> None:
        """Let predictions use the newest weights, which takes a copy unless the learner can score while it learns."""
        if self._is_live:
            return
        began = perf_counter()
        copy = self.run.learner.scoring_copy(self.run.settings.keep == "average")
        with self.turn:
            self._published = _Published(self.version, copy, self.model, self._reader_now)
        self._publishing_took, self._published_at = perf_counter() - began, monotonic()

    @property
    def publish_in(self) -> float | None:
        """Seconds until the newest weights should be published; None if they are."""
        if self._is_live or (self._published is not None and self._published.version == self.version):
            return None
        return max(self._published_at + max(0.02, 10 * self._publishing_took) - monotonic(), 0.0)

    def is_published_quickly(self, seconds: float) -> bool:
        """Whether the last copy took at most this long."""
        return self._publishing_took <= seconds

    @property
    def reader(self) -> LineReader:
        """The reader that turns an example into its line."""
        return self._reader_now

    def predict(self, lines: Sequence[bytes], *, probabilities: bool = True) -> Predictions:
        """Predict all lines with the same version; those that cannot be read are left out, and listed in `bad`."""
        published = self._published
        if published is not None:
            reader, model = published.reader, published.model
            read = reader.read(lines)
            if read.batch is None:
                return Predictions(published.version, [], [], None, read.bad)
            rows = native.rows_of(reader.values(read), degree=model.settings.degree)
            version, scores = published.version, published.scorer.scores(rows)
        else:
            while True:
                reader = self._reader_now
                read = reader.read(lines)
                if read.batch is None:
                    return Predictions(self.version, [], [], None, read.bad)
                rows = native.rows_of(reader.values(read), degree=self.model.settings.degree)
                with self.turn:
                    if reader is self._reader_now:
                        version, model, scores = self.version, self.model, self.run.learner.scores(rows)
                        break
        overflows = _not_finite(scores, rows.count)
        if overflows:
            return self._predict_others(lines, read.bad, overflows, probabilities=probabilities)
        if isinstance(model, NumberModel):
            answers = model.answers(scores)
            half_width = None if model.interval is None else model.interval.half_width
            return Predictions(
                version, answers[:, model.median_unit].tolist(), answers.tolist(), None, read.bad, half_width
            )
        by_class = class_scores(model.scheme, scores, len(model.classes))
        decided: list[int] = native.argmax_rows(by_class, model.decides_above).tolist()
        of_classes: Any = memoryview(by_class).tolist()
        by_row: Any = model.probabilities(scores).tolist() if probabilities and model.gives_probabilities else None
        return Predictions(version, decided, of_classes, by_row, read.bad)

    def _predict_others(
        self, lines: Sequence[bytes], bad: Mapping[int, str], overflows: Sequence[int], *, probabilities: bool
    ) -> Predictions:
        """Predict without the rows whose score overflows; these are listed in `bad` too."""
        good = [k for k in range(len(lines)) if k not in bad]
        overflowing = {
            good[row]: "The example has values so large that its score overflows: scale them down." for row in overflows
        }
        remaining = [k for k in good if k not in overflowing]
        all_bad = {**bad, **overflowing}
        if not remaining:
            return Predictions(self.version, [], [], None, all_bad)
        predictions = self.predict([lines[k] for k in remaining], probabilities=probabilities)
        newly_bad = {remaining[k]: sentence for k, sentence in predictions.bad.items()}
        return predictions._replace(bad={**all_bad, **newly_bad})

    # -- snapshots -----------------------------------------------------------------------------------------------

    def snapshot(self) -> LinearModel:
        """The model as a file stores it: learning continues from it to the same bits."""
        served = {
            "version": self.version,
            "calibrate_at": self._calibrate_at,
            "examples_before": self._before,
            **({"class_counts": self._counts} if self._counts else {}),
        }
        return replace(self._current(), provenance={**self.model.provenance, _SERVED: served}, sample=self._sample())

    def named_model(self) -> LinearModel:
        """The model with the names of the columns added so far; call it in the thread that learns."""
        return self._current()

    def exported(self) -> LinearModel:
        """The model as `rosenblatt fit --from` would have left it."""
        provenance = {name: value for name, value in self.model.provenance.items() if name != _SERVED}
        if self._counts:
            provenance["class_counts"] = self._counts
        honest = self.honest_scores()
        sample = self._sample() if self._continues or not len(honest) else thinned(honest, self._before + self.version)
        return replace(self._current(), provenance=provenance, sample=sample)

    def _current(self) -> LinearModel:
        return replace(self.model, space=self.learning_reader.space)

    def _sample(self) -> HonestSample | None:
        scores, truth, before, stride = self.run.learner.score_sample()
        if self.predicts_number:
            truth = self.run.learner.sample_targets()
        return continued(scores, truth, before, stride, self._before + self.version) if len(truth) else None

    def digest(self) -> str:
        """A hash of every bit that affects how it predicts and continues to learn.

        The bound of the weights is left out. It is only an upper limit, which lets the core skip an exact score whose
        decision is the same for all weights within it, and it depends on which examples were learned together.
        """
        tensors: Tensors = {}
        header = self.snapshot().pack(tensors)
        del header["run"]["counters"]["bound"]
        decides = {name: header.get(name) for name in _DECIDES}
        hash_ = hashlib.sha256(canonical(decides).encode())
        hash_.update(canonical(header["provenance"][_SERVED]).encode())
        for name in sorted(tensors):
            if name.startswith(("run.", "calibration.", "sample.")):
                hash_.update(name.encode())
                hash_.update(contiguous_buffer(tensors[name]).cast("B"))
        return hash_.hexdigest()

    @property
    def progressive_error(self) -> float | None:
        wrong, weighed, _ = self._errors()
        return self.error_of(wrong, weighed) if weighed else None

    def error_of(self, wrong: float, weighed: float) -> float:
        """The share that was wrong; of numbers the RMSE, the mean absolute error or the mean pinball loss."""
        mean = max(wrong, 0.0) / weighed
        return math.sqrt(mean) if self.is_squared else mean


def _not_finite(scores: Any, n_rows: int) -> list[int]:
    """The rows with a score that is not finite."""
    if not native.first_outside(scores, -_LARGEST, _LARGEST) < 0:
        rows: list[int] = np.flatnonzero(~np.isfinite(np.asarray(scores)).reshape(n_rows, -1).all(axis=1)).tolist()
        return rows
    return []


def _with_interval(model: NumberModel, honest: HonestScores) -> NumberModel:
    """The model with its interval measured again, from the errors of predictions before their targets were learned."""
    if len(honest) < _FEWEST_SCORES:
        return model
    targets = model.target.scale.outside(np.asarray(honest.truth))
    residuals = (targets - model.predicted(np.asarray(honest.scores))).tolist()
    confidence = _CONFIDENCE if model.interval is None else model.interval.confidence
    return replace(model, interval=prediction_interval(residuals, confidence, honest.kind))


def values_of(weights: Sequence[float] | None) -> Any | None:
    """Weights as the native core reads them; None if all are 1."""
    if weights is None or all(weight == 1.0 for weight in weights):
        return None
    return np.array(weights, dtype=np.float64)


def checked_weight(weight: float, largest: float) -> str | None:
    """What is wrong with the weight of an example; None if nothing is."""
    if math.isfinite(weight) and 0 <= weight <= largest:
        return None
    return f"A weight is a number from 0 to {largest:g}."
