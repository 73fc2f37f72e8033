"""A linear model of several labels at once: a unit for each, which decides by itself whether its label applies.

Each label has its own map from scores to probabilities and its own threshold.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from rosenblatt import native
from rosenblatt.errors import ModelError
from rosenblatt.learn.state.run_state import unpack_run
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model import unpack_provenance
from rosenblatt.model.probabilities.calibration import Calibration, check_map
from rosenblatt.model.probabilities.choose_threshold import Threshold, unpack_threshold
from rosenblatt.model.probabilities.honest_sample import unpack_sample
from rosenblatt.readers.several_labels import UNIT
from rosenblatt.readers.stored_feature_space import unpack_classes, unpack_space
from rosenblatt.records import Label
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors, read_buffer

_PARAMETERS, _ENDS = "labels.parameters", "labels.ends"
_MEMBERS, _SET_ENDS = "sample.members", "sample.ends"
_SEPARATORS = (",", ";", "|")  # of predicted labels, if the data had no separator


@dataclass(frozen=True, eq=False)
class MultiLabelModel(LinearModel):
    """A linear model whose `classes` are labels: an example has any number of them."""

    kind: ClassVar[str] = "multi-label model"
    what_it_is: ClassVar[str] = "a model of several labels"

    calibrations: tuple[Calibration, ...] = ()  # of each label
    thresholds: tuple[Threshold, ...] = ()  # of each label
    sample_sets: tuple[tuple[int, ...], ...] = ()  # the label sets, to which the truth of the sample refers by number

    @property
    def separator(self) -> str:
        """The text between the labels of an example."""
        separator = self.space.settings.get("label_separator")
        if separator not in (None, UNIT):
            return str(separator)
        names = list(map(str, self.classes))
        return next((mark for mark in _SEPARATORS if not any(mark in name for name in names)), _SEPARATORS[0])

    @property
    def why_no_confidence(self) -> str | None:
        return "decides about several labels, each by itself"

    @cached_property
    def decides_above_each(self) -> array[float]:
        """The score above which each label applies."""
        return array("d", [threshold.score for threshold in self.thresholds] or [0.0] * len(self.classes))

    def decided(self, unit_scores: Any) -> memoryview:
        """Whether each label applies, 0 or 1: a row per example, a column per label."""
        return native.labels_above(unit_scores, self.decides_above_each)

    def labels_of(self, decided: Sequence[int]) -> list[Label]:
        """The labels that apply to an example, from its row of `decided`."""
        return [label for label, applies in zip(self.classes, decided, strict=True) if applies]

    @property
    def gives_probabilities(self) -> bool:
        return bool(self.calibrations)

    def probabilities(self, unit_scores: Any) -> memoryview:
        """The probability that each label applies: a row per example, a column per label."""
        if not self.calibrations:
            raise ModelError("This model gives no probabilities: learn it from a file with rosenblatt fit.")
        kinds = [calibration.kind for calibration in self.calibrations]
        parameters = [calibration.parameters for calibration in self.calibrations]
        return native.label_probabilities(kinds, parameters, unit_scores)

    def pack(self, tensors: Tensors) -> dict[str, Any]:
        header = super().pack(tensors)
        parameters, ends = array("d"), array("q")
        for calibration in self.calibrations:
            parameters.extend(calibration.parameters)
            ends.append(len(parameters))
        tensors |= {_PARAMETERS: parameters, _ENDS: ends}
        if self.sample is not None:
            members, set_ends = array("q"), array("q")
            for labels in self.sample_sets:
                members.extend(labels)
                set_ends.append(len(members))
            tensors |= {_MEMBERS: members, _SET_ENDS: set_ends}
        header["labels"] = {
            "kinds": [calibration.kind for calibration in self.calibrations],
            "examples": self.calibrations[0].examples if self.calibrations else 0,
            "measured_on": self.calibrations[0].measured_on if self.calibrations else "",
            "thresholds": [threshold.pack() for threshold in self.thresholds],
        }
        return header


def unpack_multi_label_model(header: Header, tensors: Tensors) -> MultiLabelModel:
    classes = unpack_classes(header.section("classes"), fewest=1)
    space = unpack_space(header.section("space"), tensors)
    labels = header.section("labels")
    thresholds = tuple(unpack_threshold(section, 2) for section in labels.sections("thresholds"))
    if len(thresholds) not in (0, len(classes)):
        raise damaged("it does not have a threshold for each label")
    run = unpack_run(header.section("run"), tensors, "run.", len(classes), compact=bool(space.bits))
    if not run.settings.multi_label:
        raise damaged("its rule decides for one class, and not about several labels")
    sets = _unpack_sets(tensors, len(classes)) if "sample" in header else ()
    return MultiLabelModel(
        classes=classes,
        space=space,
        run=run,
        provenance=unpack_provenance(header),
        estimator=dict(header.section("estimator").values) if "estimator" in header else None,
        calibrations=_unpack_calibrations(labels, tensors, len(classes)),
        thresholds=thresholds,
        sample=unpack_sample(header.section("sample"), tensors, run.learner.units, len(sets)) if sets else None,
        sample_sets=sets,
    )


def _unpack_sets(tensors: Tensors, n_labels: int) -> tuple[tuple[int, ...], ...]:
    members, ends = (read_buffer(tensors, name, "int64").tolist() for name in (_MEMBERS, _SET_ENDS))
    starts = [0, *ends[:-1]]
    in_order = all(start <= end for start, end in zip(starts, ends, strict=True)) and ends[-1:] in ([], [len(members)])
    if not in_order or not all(0 <= label < n_labels for label in members):
        raise damaged("the sets of labels that it was calibrated by are not of its labels")
    return tuple(tuple(members[start:end]) for start, end in zip(starts, ends, strict=True))


def _unpack_calibrations(header: Header, tensors: Tensors, n_labels: int) -> tuple[Calibration, ...]:
    kinds = header.items("kinds")
    if not kinds:
        return ()
    ends = read_buffer(tensors, _ENDS, "int64", (n_labels,)).tolist()
    parameters = read_buffer(tensors, _PARAMETERS, "float64")
    starts = [0, *ends[:-1]]
    if len(kinds) != n_labels or any(start > end for start, end in zip(starts, ends, strict=True)):
        raise damaged("it does not have a map from scores to probabilities for each label")
    examples, measured_on = header.count("examples"), header.text("measured_on")
    return tuple(
        Calibration(check_map(kind, parameters[start:end], 2), parameters[start:end], 2, examples, measured_on)
        for kind, start, end in zip(kinds, starts, ends, strict=True)
    )
