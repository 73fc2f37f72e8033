"""Evaluate a model on a file of examples with known labels."""

import os

import numpy as np

from rosenblatt.errors import DataError, option
from rosenblatt.evaluate.scores import Tally
from rosenblatt.learn.files.labels_to_classes import UNKNOWN_LABEL, class_codes
from rosenblatt.model.model import Model
from rosenblatt.model.predict import predict_source
from rosenblatt.model.warnings.drift import Watch
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Floats


def evaluate_file(model: Model, path: Paths, reading: ReadOptions, threads: int | None = None) -> Tally:
    """Count the predictions of a model for the examples of a file; those without a label are left out.

    A label that the model never saw is an error like any other.
    """
    tally = Tally(tuple(model.classes))
    ranked_jointly = model.loss == "logistic" and model.scheme == "joint"
    gives_probabilities = model.probability_map is not None
    source = open_source(path, reading._replace(classes=()), model.space)
    unlabelled, watch = 0, Watch(model)
    for block in predict_source(model, source, threads or os.cpu_count() or 1):
        watch.add(block)
        labelled = block.truth != -1
        unlabelled += int(np.count_nonzero(~labelled))
        truth = np.where(block.truth == UNKNOWN_LABEL, len(model.classes), block.truth)[labelled]
        weights = None if block.weights is None else block.weights[labelled]
        probabilities = np.asarray(model.probabilities(block.scores))[labelled] if gives_probabilities else None
        # A shift changes no ranking, and margins are counted from the threshold.
        scores = model.class_scores(block.scores)[labelled] - (model.decides_above if len(model.classes) == 2 else 0.0)
        scores = joint_scores(scores) if ranked_jointly else scores
        tally.add(scores, block.decided[labelled], truth, weights, probabilities)
    if tally.examples == 0:
        raise DataError(
            f"{source.name}: has no labels to compare with; name their column with {option('label')} or their file "
            f"with {option('labels_from')}.",
            file=source.name,
        )
    tally.drift, tally.new_words = watch.drift(), watch.new_words
    tally.reading_warnings = source.warnings()
    if unlabelled:
        of_all = f"{unlabelled:,} of {unlabelled + tally.examples:,} rows"
        tally.reading_warnings.append(f"{source.name}: {of_all} have no label: they are not judged.")
    codes = class_codes(model.classes, source.labels)
    tally.unknown_labels = [label for label, code in zip(source.labels, codes, strict=True) if code == UNKNOWN_LABEL]
    return tally


def joint_scores(scores: Floats) -> Floats:
    """Scores that can be ranked across examples: those that decide jointly mean something only within one example, so
    they become logarithms of their softmax."""
    if len(scores) == 0:
        return scores
    highest = scores.max(axis=1, keepdims=True)
    log_probabilities: Floats = scores - highest - np.log(np.exp(scores - highest).sum(axis=1, keepdims=True))
    return log_probabilities
