"""A run <-> the parts of a model file: a JSON section and named tensors, enough to go on with the same bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rosenblatt import native, options
from rosenblatt.errors import LearningOverflowError, ParameterError
from rosenblatt.lazy import NDArray, np
from rosenblatt.learn.run import PARTS, Run
from rosenblatt.learn.settings import Settings
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import (
    Tensors,
    all_finite,
    expand_small,
    put_matrix,
    put_small,
    put_sparse,
    read_array,
    read_buffer,
    read_entries,
    read_matrix,
    refuse_too_large,
)

_LOG = {"t": "uint64", "row": "uint64", "unit": "uint32", "coefficient": "float64"}
_STATUSES = ("separated", "validated", "budget", "open", "interrupted")
_COUNTS = ("random", "split_seed", "position", "rows_in_epoch", "epochs_waited", "t_before_epoch")
ADDED_LATER = ("alpha", "l1", "forget")  # settings that older files lack: they are 0
WRITTEN_WHERE_SET = (*ADDED_LATER, "multi_label", "task", "quantiles", "width")  # only where they are not the default
NUMBER_COUNTERS = ("squared_error", "absolute_error", "pinball_error", "largest_target")
MAX_FEATURES = 2**31
MAX_COMPACT = 2**31
MAX_UNITS = 2**20


def pack_run(run: Run, tensors: Tensors, prefix: str, *, small: bool = False) -> dict[str, Any]:
    """The section of a run; its arrays are added to the tensors under the prefix.

    `small`: store two bytes per weight, because the run came from a small model.
    """
    state = run.counts()
    if not all(map(math.isfinite, [*state["loss"], *state["counters"]["loss"]])):
        raise LearningOverflowError(
            "The loss overflowed while learning, so the run is not saved: lower eta0 or scale the features."
        )
    parts = {name: section for name in PARTS if (section := _pack_part(run, name, tensors, prefix)) is not None}
    if small:
        parts["weights"] = _pack_small(run, tensors, f"{prefix}weights")
    tensors[f"{prefix}class_weight"] = run.weight_of_class
    if run.settings.record:
        columns = zip(*run.log, strict=True) if run.log else ([np.empty(0, t)] for t in _LOG.values())
        for name, column in zip(_LOG, columns, strict=True):
            tensors[f"{prefix}log.{name}"] = np.concatenate(list(column))
    section = {name: state[name] for name in (*_COUNTS, "batch_before_epoch", "best_accuracy", "status", "dense")}
    return section | {
        "settings": pack_settings(run.settings),
        "features": state["features"],
        "before_epoch": state["before_epoch"],
        "mistakes": state["mistakes"],
        "loss": state["loss"],
        "counters": _pack_counters(state["counters"]),
        "parts": parts,
        "votes": _pack_votes(run, tensors, f"{prefix}votes."),
    }


def _pack_small(run: Run, tensors: Tensors, key: str) -> dict[str, Any]:
    weights, _ = run.weights()
    for name in ("", ".index", ".value"):
        tensors.pop(f"{key}{name}", None)
    positions = np.flatnonzero(weights).astype(np.uint32)
    return put_small(tensors, key, weights.shape, positions, weights.ravel()[positions])


def _pack_part(run: Run, name: str, tensors: Tensors, prefix: str) -> dict[str, Any] | None:
    """One part of the weights. Its copy, as large as the part, is freed before the next is made."""
    learner, key = run.learner, f"{prefix}{name}"
    usual = run.settings.rate.per_feature_start if name == "scale" else 0.0
    if (sparse := learner.entries_other_than(name, usual)) is not None:
        index, value, tensors[f"{key}.bias"] = sparse
        return put_sparse(tensors, key, (learner.units, learner.features), (index, value), usual)
    part = learner.get(name)
    if part is None:
        return None
    weights, tensors[f"{key}.bias"] = part
    return put_matrix(tensors, key, weights, usual)


def _pack_votes(run: Run, tensors: Tensors, prefix: str) -> dict[str, Any] | None:
    if run.votes is None:
        return None
    from rosenblatt.learn.state.vote_state import pack_votes

    return pack_votes(run.votes, tensors, prefix)


def unpack_run(header: Header, tensors: Tensors, prefix: str, classes: int, *, compact: bool = False) -> Run:
    """The run of a section; ModelError if its parts do not fit together.

    `compact`: if few of many columns have occurred, only those get weights; the run then takes only sparse rows.
    """
    settings = unpack_settings(header.section("settings"))
    class_weight = read_buffer(tensors, f"{prefix}class_weight", "float64", (classes,))
    if not (all_finite(class_weight, 0.0) and any(class_weight)):
        raise damaged("the class weights are not finite numbers of at least 0")
    units, features = settings.n_units(classes), header.count("features", MAX_FEATURES + 1)
    if units > MAX_UNITS:
        raise damaged(f"{units} units are more than a model has")
    for name, part in header.section("parts").values.items():
        if name in PARTS and isinstance(part, dict) and "exponent" in part:
            expand_small(tensors, f"{prefix}{name}", header.section("parts").section(name))
    least = settings.rate.per_feature_least
    sparse = compact and not header.flag("dense") and settings.keep != "vote" and 0 < features < MAX_COMPACT
    columns = _columns(header.section("parts"), tensors, prefix, features) if sparse else None
    if columns is not None:
        refuse_too_large(units * len(columns))
    unpack_part = _unpack_entries if columns is not None else _unpack_matrix
    parts = _unpack_parts(header.section("parts"), tensors, prefix, (units, features), least, unpack_part)
    # With 0 features, because `restore` allocates the weights.
    run = Run(settings, 0, class_weight.tolist(), 0, dense=header.flag("dense"))
    if "weights" not in parts or any((run.learner.get(name) is None) == (name in parts) for name in PARTS):
        raise damaged("it does not hold the parts that its settings need")
    section: dict[str, Any] = {name: header.count(name) for name in _COUNTS}
    votes = header.section("votes") if "votes" in header else None
    if (votes is None) == (settings.keep == "vote"):
        raise damaged("its settings and its votes do not agree on whether it votes")
    state = run.counts() | section
    state |= {
        "features": features,
        "batch_before_epoch": header.flag("batch_before_epoch"),
        "best_accuracy": header.number("best_accuracy"),
        "before_epoch": header.counts("before_epoch"),
        "mistakes": header.counts("mistakes"),
        "loss": header.numbers("loss"),
        "status": _status(header),
        "log": _unpack_log(tensors, prefix) if settings.record else [],
        "parts": parts,
        "counters": _unpack_counters(header.section("counters"), units, settings.batch),
        "votes": None,
    }
    if votes is not None:
        from rosenblatt.learn.state.vote_state import unpack_votes

        shape = (units, features)
        state["votes"] = unpack_votes(votes, tensors, f"{prefix}votes.", settings, run.class_weight, shape)
    if len(state["before_epoch"]) not in (0, units):
        raise damaged("the mistakes before the epoch are not one number per unit")
    try:
        run.restore(state, columns)
    except ValueError as error:
        raise damaged(str(error)) from None
    return run


def _columns(header: Header, tensors: Tensors, prefix: str, features: int) -> native.Columns | None:
    """The columns that occur in any part; None if a part is stored with all its columns."""
    if not all("usual" in header.section(name) for name in header.values):
        return None
    columns = native.Columns()
    for name in header.values:
        columns.add_entries(read_buffer(tensors, f"{prefix}{name}.index", "uint32"), features)
    return columns


def pack_settings(settings: Settings) -> dict[str, Any]:
    """Settings as JSON values. Those that older files lack are written only if they differ from their default."""
    values, defaults = settings._asdict(), Settings._field_defaults
    written = [name for name in values if name not in WRITTEN_WHERE_SET or values[name] != defaults[name]]
    return {name: _scalar(values[name]) for name in written}


def unpack_settings(header: Header) -> Settings:
    """The settings, checked as options are, each alone and all together."""
    names = [name for name in Settings._fields if name in header or name not in WRITTEN_WHERE_SET]
    values = {name: header.raw(name) for name in names}
    number = values.get("task") == "number"
    try:
        if number:
            options.check("the model file", values, {**options.LABEL_SETS, **options.NUMBER_LEARNER})
            options.check_number_together("the model file", values)
        else:
            options.check("the model file", values, {**options.LEARNER, **options.LABEL_SETS})
            options.check_together("the model file", values)
    except ParameterError as error:
        raise damaged(str(error)) from None
    settings = Settings(**values)
    if bool(settings.quantiles) != (settings.loss == "quantile"):
        raise damaged("its quantiles and its loss do not agree")
    return settings._replace(quantiles=tuple(settings.quantiles))


def _unpack_parts(
    header: Header,
    tensors: Tensors,
    prefix: str,
    shape: tuple[int, int],
    least: float,
    unpack: Callable[[Header, Tensors, str, tuple[int, int], memoryview], tuple[tuple[Any, ...], memoryview]],
) -> dict[str, Any]:
    if not set(header.values) <= set(PARTS):
        raise damaged("it has weights of an unknown kind")
    parts: dict[str, Any] = dict.fromkeys(PARTS)
    for name in header.values:
        bias = read_buffer(tensors, f"{prefix}{name}.bias", "float64", shape[:1])
        parts[name], weights = unpack(header.section(name), tensors, f"{prefix}{name}", shape, bias)
        if not all_finite(bias) or (name == "scale" and not all_finite(weights, least)):
            raise damaged(f"{name} holds an invalid value")
    return {name: part for name, part in parts.items() if part is not None}


def _unpack_matrix(
    header: Header, tensors: Tensors, key: str, shape: tuple[int, int], bias: memoryview
) -> tuple[tuple[Any, ...], memoryview]:
    weights = read_matrix(tensors, key, header, shape)
    return (weights, bias), weights


def _unpack_entries(
    header: Header, tensors: Tensors, key: str, shape: tuple[int, int], bias: memoryview
) -> tuple[tuple[Any, ...], memoryview]:
    index, value, usual = read_entries(tensors, key, header, shape)
    return (index, value, usual, bias), value


def _unpack_log(tensors: Tensors, prefix: str) -> list[tuple[NDArray[Any], ...]]:
    columns = tuple(read_array(tensors, f"{prefix}log.{name}", dtype) for name, dtype in _LOG.items())
    if len({len(column) for column in columns}) != 1:
        raise damaged("the columns of the mistake log differ in length")
    return [columns]


def _status(header: Header) -> str:
    status = header.text("status")
    if status not in _STATUSES:
        raise damaged(f"{status!r} is not a status of a run")
    return status


def _pack_counters(counters: dict[str, Any]) -> dict[str, Any]:
    pockets = [
        [run, best, None if math.isinf(errors) else errors, judged, filled]
        for run, best, errors, judged, filled in counters["pockets"]
    ]
    return counters | {"pockets": pockets}


def _unpack_counters(header: Header, units: int, batch: int | str) -> dict[str, Any]:
    loss, pockets = header.numbers("loss"), []
    for pocket in header.items("pockets"):
        if not isinstance(pocket, list) or len(pocket) != 5 or not {type(flag) for flag in pocket[3:]} <= {bool}:
            raise damaged("a pocket is not two counts, a number of errors and two flags")
        errors = math.inf if pocket[2] is None else header.checked_number(pocket[2], "pockets")
        run, best = (header.checked_count(count, "pockets") for count in pocket[:2])
        pockets.append((run, best, errors, pocket[3], pocket[4]))
    for_all_units = not isinstance(header.raw("bound"), list)  # in older files one number stands for all units
    bound = [header.number("bound")] * units if for_all_units else header.numbers("bound")
    if not len(loss) == len(pockets) == len(bound) == units:
        raise damaged("the counters are not one per unit")
    counters: dict[str, Any] = {name: header.count(name) for name in ("t", "step", "in_batch")}
    if counters["in_batch"] > counters["t"] or (isinstance(batch, int) and counters["in_batch"] >= batch):
        raise damaged("its unfinished batch holds more examples than a batch does")
    if "unit" in header:  # of a run that forgets
        counters |= {"unit": header.number("unit"), "recent": header.number("recent")}
        if not (2.0**-512 <= counters["unit"] <= 1 and 0 <= counters["recent"] <= counters["t"]):
            raise damaged("its counts of what it has forgotten do not fit what it has learned")
    if "largest_target" in header:  # of a run that predicts a number
        counters |= {name: header.number(name) for name in NUMBER_COUNTERS}
    return counters | {
        "wrong": header.number("wrong"),
        "weighed": header.number("weighed"),
        "bound": bound,
        "mistakes": header.counts("mistakes", units),
        "loss": loss,
        "pockets": pockets,
    }


def _scalar(value: Any) -> Any:
    """A number as a Python type: users may pass numpy numbers."""
    if isinstance(value, tuple | list):
        return [_scalar(part) for part in value]
    return value if type(value) in (bool, int, float, str) else value.item()
