"""Evaluate a model on a file of examples with known labels."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rosenblatt.available_cores import core_count
from rosenblatt.errors import DataError, option
from rosenblatt.evaluate.label_scores import LabelTally
from rosenblatt.evaluate.number_scores import NumberTally
from rosenblatt.evaluate.scores import Tally
from rosenblatt.learn.files.labels.labels_to_classes import UNKNOWN_LABEL, class_codes
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model import Model
from rosenblatt.model.predict import predict_source
from rosenblatt.model.several_labels import label_truth
from rosenblatt.model.warnings.drift import Watch
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions, Source
from rosenblatt.records import FeatureSpace, Floats, Label

OpenSource: TypeAlias = Callable[[Paths, ReadOptions, FeatureSpace], Source]  # may read with the workers of an engine


def evaluate_labels_of_file(
    model: MultiLabelModel,
    path: Paths,
    reading: ReadOptions,
    threads: int | None = None,
    open_: OpenSource = open_source,
) -> LabelTally:
    """Count the labels that a model of several labels gives to the examples of a file; an example may have none."""
    tally, watch = LabelTally(tuple(model.classes)), Watch(model)
    source = open_(path, reading._replace(classes=()), model.space)
    for block in predict_source(model, source, threads or core_count()):
        watch.add(block)
        truth, unknown = label_truth(model.classes, source, block.truth)
        probabilities = np.asarray(model.probabilities(block.scores)) if model.gives_probabilities else None
        tally.add(block.decided, truth, block.weights, probabilities, unknown)
    if not source.label_sets:
        raise _no_labels(source.name)
    tally.drift, tally.new_words = watch.drift(), watch.new_words
    tally.reading_warnings = source.warnings()
    tally.unknown_labels = _unknown(model, source)
    return tally


def evaluate_numbers_of_file(
    model: NumberModel, path: Paths, reading: ReadOptions, threads: int | None = None, open_: OpenSource = open_source
) -> NumberTally:
    """Sum the errors of the numbers that a model predicts; rows without a target are left out."""
    interval = model.interval
    tally = NumberTally(model.levels, None if interval is None else interval.confidence)
    source = open_(path, reading._replace(classes=()), model.space)
    unlabelled, watch = 0, Watch(model)
    for block in predict_source(model, source, threads or core_count()):
        watch.add(block)
        labelled = block.truth >= 0
        unlabelled += int(np.count_nonzero(~labelled))
        predicted: Floats = np.asarray(block.buffers[0])[labelled]
        tally.add(
            block.targets[labelled],
            predicted,
            None if block.weights is None else block.weights[labelled],
            model.answers(block.scores)[labelled] if model.levels else None,
            None if tally.confidence is None else model.bounds(predicted),
        )
    if tally.examples == 0:
        raise _no_labels(source.name)
    tally.drift, tally.new_words = watch.drift(), watch.new_words
    tally.reading_warnings = _with_unlabelled(source, unlabelled, tally.examples)
    return tally


def evaluate_file(
    model: Model, path: Paths, reading: ReadOptions, threads: int | None = None, open_: OpenSource = open_source
) -> Tally:
    """Count the predictions of a model for the examples of a file; those without a label are left out.

    A label that the model never saw is an error like any other.
    """
    tally = Tally(tuple(model.classes))
    ranked_jointly = model.loss == "logistic" and model.scheme == "joint"
    gives_probabilities = model.gives_probabilities
    source = open_(path, reading._replace(classes=()), model.space)
    unlabelled, watch = 0, Watch(model)
    for block in predict_source(model, source, threads or core_count()):
        watch.add(block)
        labelled = block.truth != -1
        unlabelled += int(np.count_nonzero(~labelled))
        truth = np.where(block.truth == UNKNOWN_LABEL, len(model.classes), block.truth)[labelled]
        weights = None if block.weights is None else block.weights[labelled]
        probabilities = np.asarray(model.probabilities(block.scores))[labelled] if gives_probabilities else None
        # A shift changes no ranking, and margins are counted from the threshold.
        scores = model.class_scores(block.scores)[labelled] - (model.boundary if len(model.classes) == 2 else 0.0)
        scores = joint_scores(scores) if ranked_jointly else scores
        tally.add(scores, block.decided[labelled], truth, weights, probabilities)
    if tally.examples == 0:
        raise _no_labels(source.name)
    tally.drift, tally.new_words = watch.drift(), watch.new_words
    tally.reading_warnings = _with_unlabelled(source, unlabelled, tally.examples)
    tally.unknown_labels = _unknown(model, source)
    return tally


def _with_unlabelled(source: Source, unlabelled: int, judged: int) -> list[str]:
    """The warnings of a source, and how many of its rows were not judged."""
    if not unlabelled:
        return source.warnings()
    what = "label" if source.task != "number" else "number as their label"
    of_all = f"{unlabelled:,} of {unlabelled + judged:,} rows"
    return [*source.warnings(), f"{source.name}: {of_all} have no {what}: they are not judged."]


def _no_labels(name: str) -> DataError:
    return DataError(
        f"{name}: has no labels to compare with; name their column with {option('label')} or their file "
        f"with {option('labels_from')}.",
        file=name,
    )


def _unknown(model: Model, source: Source) -> list[Label]:
    """The labels of a source that the model never saw."""
    codes = class_codes(model.classes, source.labels)
    return [label for label, code in zip(source.labels, codes, strict=True) if code == UNKNOWN_LABEL]


def joint_scores(scores: Floats) -> Floats:
    """Scores that can be ranked across examples: those that decide jointly mean something only within one example, so
    they become logarithms of their softmax."""
    if len(scores) == 0:
        return scores
    highest = scores.max(axis=1, keepdims=True)
    log_probabilities: Floats = scores - highest - np.log(np.exp(scores - highest).sum(axis=1, keepdims=True))
    return log_probabilities
