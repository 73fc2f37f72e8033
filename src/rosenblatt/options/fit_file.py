"""The parameters of learning from a file or a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.learner import keep, order
from rosenblatt.options.option import Option, table
from rosenblatt.rules import RULES

RULE_NAMES = tuple(RULES)

rule: Option[str] = Option(
    name="rule",
    default="auto",
    choices=("auto", *RULE_NAMES),
    help="How to learn: several rules side by side, the best of them kept (auto), or one by its name.",
)
passes: Option[int] = Option(
    name="passes",
    default=1,
    kind="int",
    low=1,
    help="The most times the examples are visited; a rule that makes no mistake in a pass stops earlier.",
)
holdout: Option[float] = Option(
    name="holdout",
    default=0.0,
    kind="float",
    low=0,
    below=1,
    help="The share of the rows that is not learned but judged by: 0.1 holds out one row in ten, by chance.",
)
patience: Option[int | None] = Option(
    name="patience",
    default=None,
    kind="int",
    low=1,
    none_allowed=True,
    help="Stop when the error on the held-out rows has not fallen for this many passes, and keep the best pass.",
)
threads: Option[int | None] = Option(
    name="threads",
    default=None,
    kind="int",
    low=1,
    none_allowed=True,
    help="How many threads parse the file; all cores when not given. The answer is the same for any number.",
)
features: Option[str | None] = Option(
    name="features",
    default=None,
    choices=("poly2", "poly3", "poly4", "poly5", "poly6"),
    none_allowed=True,
    help="Learn on all products of up to so many columns of a table of numbers, made row by row and never stored.",
)
seed: Option[int] = Option(
    name="seed",
    default=0,
    kind="int",
    help="The seed of all that is drawn at random; a file learned in its own order draws nothing.",
)
checkpoint_every: Option[float | None] = Option(
    name="checkpoint_every",
    default=None,
    kind="float",
    above=0,
    none_allowed=True,
    help="Also write the checkpoint after every so many seconds.",
)

checkpoint: Option[str | None] = Option(
    name="checkpoint",
    default=None,
    none_allowed=True,
    kind="path",
    help="Where Ctrl-C writes the state of the run; it is removed when the run is complete.",
)
resume: Option[bool] = Option(
    name="resume",
    default=False,
    kind="bool",
    help="Continue from the checkpoint to the same bits as an unbroken run; begin anew where there is none.",
)
cache: Option[str | None] = Option(
    name="cache",
    default=None,
    none_allowed=True,
    kind="path",
    help="The folder for the cache, which later passes read instead of the data; beside the data when not given. It is "
    "removed at the end unless it is kept.",
)
keep_cache: Option[bool] = Option(
    name="keep_cache",
    default=False,
    kind="bool",
    help="Keep the cache, so that the next fit with --keep-cache need not parse the file again; made anew when the "
    "file or how it is read has changed. The model is the same, to the bit.",
)
test: Option[str | None] = Option(
    name="test",
    default=None,
    none_allowed=True,
    kind="path",
    help="A file of other examples to judge the model by.",
)
# A stream cannot count errors over all its examples, nor keep those that moved it.
fit_file_keep: Option[Any] = keep.but(
    default=None,
    none_allowed=True,
    choices=("last", "average"),
    help="Which weights are the answer: those at the end (last), or their average over every example visited "
    "(average); what suits the rule when not given.",
)
fit_file_order: Option[Any] = order.but(
    default=None,
    none_allowed=True,
    choices=("given", "shuffle"),
    help="The order of the examples: as they come (given), or a new permutation for each pass, for which all of them "
    "are read first (shuffle). When not given: as they come, but with rule auto a file sorted by label is shuffled.",
)

FIT_FILE: Mapping[str, Option[Any]] = table(
    [
        rule,
        passes,
        holdout,
        patience,
        threads,
        features,
        seed,
        checkpoint,
        checkpoint_every,
        resume,
        cache,
        keep_cache,
        test,
        fit_file_keep,
        fit_file_order,
    ]
)
