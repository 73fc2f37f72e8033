"""The parameters of LinearSeparator: those of learning from a file, by the names that scikit-learn uses for them."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.estimators.learner import forget, n_jobs, random_state
from rosenblatt.options.fit_file import (
    features,
    fit_file_class_weight,
    fit_file_order,
    holdout,
    passes,
    patience,
    rule,
    threshold,
)
from rosenblatt.options.option import Option, by_name
from rosenblatt.options.reading import (
    as_,
    bits,
    chars,
    cross,
    drop,
    keep_columns,
    multi_label,
    ngrams,
    scale,
    text,
    unit,
    value,
    words,
)

separator_keep = keep_columns.but(
    help="A column of a table to learn from although it looks like an id, is constant or repeats another; * keeps all.",
)
separator_class_weight = fit_file_class_weight.but(
    help="How much the examples of each class count: all the same (None), each class the same in total ('balanced': by "
    "the examples of each class so far), or a weight for each class.",
)
separator_multi_label = multi_label.but(
    help="A row may have several labels, or none: y is an indicator matrix of 0 and 1, or a list of the labels of each "
    "row; predict gives an indicator matrix, whose columns are those of classes_.",
)
separator_n_jobs = n_jobs.but(default=-1)

# How rows are read; in `fit_file` these options are in `reading`.
SEPARATOR_READING: Mapping[str, Option[Any]] = by_name(
    [scale, drop, separator_keep, as_, text, words, cross, bits, ngrams, chars, value, unit, separator_multi_label]
)
SEPARATOR_LEARNING: Mapping[str, Option[Any]] = by_name(
    [rule, passes, holdout, patience, fit_file_order, features, separator_class_weight, threshold, forget]
)
LINEAR_SEPARATOR: Mapping[str, Option[Any]] = by_name(
    [
        *SEPARATOR_LEARNING.values(),
        *SEPARATOR_READING.values(),
        separator_n_jobs,
        random_state,
    ]
)
