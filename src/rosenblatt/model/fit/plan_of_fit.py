"""The plan of a fit from its options, and errors for options that do not suit its labels."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt import options
from rosenblatt.available_cores import core_count
from rosenblatt.errors import ParameterError, option
from rosenblatt.learn.files.plan import Plan, Progress
from rosenblatt.learn.files.rule_choice.portfolio import candidates, fold_candidates, number_candidates
from rosenblatt.learn.settings import Settings
from rosenblatt.readers.source import ReadOptions


def plan_of(chosen: Mapping[str, Any], reading: ReadOptions, on_progress: Callable[[Progress], None] | None) -> Plan:
    """The plan of a fit with the options chosen for `fit_file`."""
    rule, features, checkpoint = chosen["rule"], chosen["features"], chosen["checkpoint"]
    degree = 1 if features is None else int(features.removeprefix("poly"))
    same_names = ("passes", "holdout", "patience", "cache", "seed", "checkpoint_every", "class_weight", "threshold")
    same = chosen, degree, reading.multi_label
    levels = () if chosen["quantiles"] is None else options.levels_of(chosen["quantiles"]) or ()
    return Plan(
        candidates=_adjusted(candidates(rule), *same),
        fold_candidates=_adjusted(fold_candidates(rule, words=False), *same),
        word_candidates=_adjusted(fold_candidates(rule, words=True), *same),
        number_candidates=_adjusted(number_candidates(rule, chosen["error"], levels), chosen, degree, False),
        error=chosen["error"],
        quantiles=levels,
        degree=degree,
        order=chosen["order"] or ("auto" if "auto" in (rule, chosen["passes"]) else "given"),
        scale_to_length=isinstance(rule, str),
        threads=chosen["threads"] or core_count(),
        reading=reading,
        size=options.size_of(chosen["size"]),
        checkpoint=None if checkpoint is None else os.fspath(checkpoint),
        on_progress=on_progress,
        **{name: chosen[name] for name in same_names},
    )


def refuse_with_number(plan: Plan, name: str | None = None) -> None:
    """Refuse options about classes if a number is predicted."""
    reading = plan.reading
    about_classes = {
        "class_weight": plan.class_weight,
        "threshold": plan.threshold,
        "multi_label": reading.multi_label,
        "classes": ",".join(map(str, reading.classes)),
        "size": plan.size,
    }
    prefix = "" if name is None else f"{name}: "
    for unfit, value in about_classes.items():
        if value:
            raise ParameterError(
                f"{prefix}a number is predicted, and {option(unfit)} is for classes: leave it out, or say that the "
                f"labels are classes with {option('task', 'classes')}."
            )
    if not plan.number_candidates:
        rules = ", ".join(options.NUMBER_RULE_NAMES)
        raise ParameterError(
            f"{prefix}a number is predicted, and {option('rule')} names a rule that decides between classes: name one "
            f"of {rules}, or leave it out."
        )


def refuse_with_classes(plan: Plan, name: str) -> None:
    """Refuse options about numbers if the labels are classes."""
    number = option("task", "number")
    for unfit, default in (("error", "squared"), ("quantiles", ())):
        if getattr(plan, unfit) != default:
            raise ParameterError(
                f"{name}: its labels are classes, and {option(unfit)} is for a number: leave it out, or say that the "
                f"label is a number with {number}."
            )
    if not plan.candidates:
        raise ParameterError(
            f"{name}: its labels are classes, and {option('rule')} names a rule that predicts a number: name one of "
            f"{', '.join(options.RULE_NAMES)}, or say that the label is a number with {number}."
        )


def refuse_with_several_labels(chosen: Mapping[str, Any]) -> None:
    """Refuse options that make no sense if an example may have several labels."""
    if chosen["class_weight"] == "balanced":
        raise ParameterError(
            f"{option('class_weight', 'balanced')} weighs examples by their one class, and with "
            f"{option('multi_label')} an example has several labels: name a weight for each label, or choose how "
            f"often each is given with {option('threshold', 'f1')}."
        )
    if chosen["size"] is not None:
        raise ParameterError(
            f"{option('size')} measures its cost by the one class of an example: learn with {option('multi_label')} "
            f"first, and make the model small with rosenblatt export {option('size')}."
        )
    if chosen["keep_cache"]:
        raise ParameterError(
            f"{option('keep_cache')} stores one label per example: leave it or {option('multi_label')} out."
        )


def _adjusted(
    rules: Mapping[str, Settings], chosen: Mapping[str, Any], degree: int, multi_label: bool
) -> dict[str, Settings]:
    """The rules with the options that were chosen for all of them."""
    changes: dict[str, Any] = {name: chosen[name] for name in ("keep", "forget") if chosen[name]}
    changes["multi_label"] = multi_label
    if degree > 1:
        changes["degree"] = degree
    adjusted = {name: settings._replace(**changes) for name, settings in rules.items()}
    for settings in adjusted.values():
        if settings.predicts_number:
            options.check_number_together("fit_file", settings._asdict())
        else:
            options.check_together("fit_file", settings._asdict())
    return adjusted
