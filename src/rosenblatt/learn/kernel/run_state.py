"""A kernel run <-> header and tensors of its model file; docs/model-file.md says what each key is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rosenblatt import options
from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.lazy import np
from rosenblatt.learn.kernel.forgetron import Forgetron
from rosenblatt.learn.kernel.kernel_values import Kernel
from rosenblatt.learn.kernel.run import KernelRun, KernelSettings
from rosenblatt.learn.kernel.support import Updates, joined
from rosenblatt.records import Csr, Floats, Values
from rosenblatt.storage.checked_header import Header, damaged
from rosenblatt.storage.tensors import Tensors, dtype_name, read_array

_STATUS = ("separated", "budget", "open")
_KERNEL = ("name", "degree", "gamma", "coef0", "skips_zeros")
_LOG = {"support": np.int64, "unit": np.int32, "coefficient": np.float64, "when": np.int64}
_POCKET = {"run": np.uint64, "best_run": np.uint64, "judged": np.uint8, "held": np.uint8, "fewest": np.float64}


def pack_kernel_run(run: KernelRun, tensors: Tensors) -> dict[str, Any]:
    """The header of a run; its arrays go into the tensors."""
    if run.kernel.function is not None:
        raise ModelError("A kernel that is a function cannot be saved, because a model file holds no code: name one.")
    support = run.support
    tensors["origin"], tensors["class_weight"] = support.origin.astype(np.int64), run.class_weight
    tensors["coefficient"], tensors["drift"] = support.coefficient, support.drift
    layout = _pack_rows(support.rows.values, tensors) if len(support) else "none"
    log = joined(run.log)
    if len(log):
        tensors |= {f"log.{name}": getattr(log, name) for name in _LOG}
    if run.pocket is not None:
        tensors |= {f"pocket.{name}": getattr(run.pocket, name) for name in _POCKET}
        tensors["pocket.coefficient"] = run.pocket.answer(support.coefficient)
    if isinstance(run, Forgetron):
        tensors["damage"], tensors["unit_mistakes"] = run.damage, run.unit_mistakes
    return {
        "settings": {name: _scalar(value) for name, value in asdict(run.settings).items()},
        "kernel": {name: _scalar(getattr(run.kernel, name)) for name in _KERNEL},
        "rows": layout,
        "features": int(support.rows.values.shape[1]) if layout in ("dense", "sparse") else 0,
        "random": run.random,
        "t": run.t,
        "rows_streamed": run.rows_streamed,
        "n_mistakes": run.n_mistakes,
        "mistakes": list(run.mistakes),
        "status": run.status,
        "log": len(log),
        "pocketed": sorted(run.pocket.coefficient) if run.pocket is not None else [],
        "resting": run.resting if isinstance(run, Forgetron) else [],
        "largest": run.largest if isinstance(run, Forgetron) else 0.0,
    }


def unpack_kernel_run(header: Header, tensors: Tensors, classes: int) -> KernelRun:
    """The run that was saved; ModelError if its parts do not fit together."""
    settings, kernel = _settings(header.section("settings")), _kernel(header.section("kernel"))
    class_weight = _finite(tensors, "class_weight", (classes,))
    run_class = KernelRun if settings.budget is None else Forgetron
    run = run_class(settings, kernel, class_weight, header.count("random"))
    run.t, run.n_mistakes = header.count("t", 2**63), header.count("n_mistakes")
    run.rows_streamed, run.mistakes = header.count("rows_streamed"), header.counts("mistakes")
    status = header.text("status")
    if status not in _STATUS:
        raise damaged(f"{status!r} is not a status of a run")
    run.status = status  # type: ignore[assignment]
    _unpack_support(run, header, tensors)
    _unpack_log(run, header, tensors)
    if run.pocket is not None:
        _unpack_pocket(run, header, tensors)
    if isinstance(run, Forgetron):
        _unpack_budget(run, header, tensors)
    return run


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _settings(header: Header) -> KernelSettings:
    values = {name: header.raw(name) for name in KernelSettings.__dataclass_fields__}
    try:
        options.check("the model file", values, options.KERNEL_PERCEPTRON)
    except ParameterError as error:
        raise damaged(str(error)) from None
    if values["budget"] is not None and values["keep"] != "last":
        raise damaged("a run with a budget must keep its last coefficients")
    return KernelSettings(**values)


def _kernel(header: Header) -> Kernel:
    name, gamma, coef0 = header.text("name"), header.number("gamma"), header.number("coef0")
    degree = header.count("degree", 2**31)
    if name not in options.kernel.choices or gamma <= 0 or coef0 < 0 or degree < 1:
        raise damaged("its kernel is unknown, or its parameters are out of bounds")
    return Kernel(name, degree, gamma, coef0, skips_zeros=header.flag("skips_zeros"))


def _finite(tensors: Tensors, name: str, shape: tuple[int, ...] | None = None) -> Floats:
    numbers: Floats = read_array(tensors, name, np.float64, shape)
    if not np.isfinite(numbers).all():
        raise damaged(f"{name} holds a number that is not finite")
    return np.array(numbers)


def _pack_rows(values: Values, tensors: Tensors) -> str:
    if isinstance(values, Csr):
        tensors["support.indptr"] = values.indptr.astype(np.int64)
        tensors["support.indices"] = values.indices.astype(np.int64)
        tensors["support.values"] = values.values
        return "sparse"
    tensors["support"] = values
    return "places" if values.ndim == 1 else "dense"


def _unpack_rows(layout: str, header: Header, tensors: Tensors, count: int) -> Values:
    features = header.count("features", 2**32)
    dtype = np.dtype(dtype_name(tensors["support.values" if layout == "sparse" else "support"]))
    if layout == "places":
        places = read_array(tensors, "support", np.dtype(np.int64), (count,))
        if (places < 0).any():
            raise damaged("its support has a negative row number")
        return np.array(places, dtype=np.intp)
    if dtype not in (np.float32, np.float64):
        raise damaged("its support has an unknown type")
    if layout == "dense":
        return np.array(read_array(tensors, "support", dtype, (count, features)))
    indptr = read_array(tensors, "support.indptr", np.int64, (count + 1,))
    indices, values = read_array(tensors, "support.indices", np.int64), read_array(tensors, "support.values", dtype)
    ascending = bool((np.diff(indptr) >= 0).all()) and indptr[0] == 0 and indptr[-1] == len(indices) == len(values)
    if not ascending or (len(indices) and not (indices.min() >= 0 and indices.max() < features)):
        raise damaged("the parts of its sparse support do not fit together")
    return Csr(np.array(indptr), np.array(indices), np.array(values), features)


def _unpack_support(run: KernelRun, header: Header, tensors: Tensors) -> None:
    origin = read_array(tensors, "origin", np.int64)
    layout, count = header.text("rows"), len(origin)
    if (layout == "none") != (count == 0) or layout not in ("none", "dense", "sparse", "places"):
        raise damaged("its support and its number of rows do not agree")
    if (layout == "places") != (run.kernel.name == "precomputed" and count > 0):
        raise damaged("its support does not fit its kernel")
    if count:
        values = _unpack_rows(layout, header, tensors, count)
        if not isinstance(values, Csr) and not np.isfinite(values).all():
            raise damaged("its support holds a number that is not finite")
        run.support.extend(values, np.array(origin, dtype=np.intp))
    run.support.coefficient = _finite(tensors, "coefficient", (count, run.units))
    run.support.drift = _finite(tensors, "drift", (count, run.units))


def _unpack_log(run: KernelRun, header: Header, tensors: Tensors) -> None:
    count = header.count("log", 2**48)
    if count == 0:
        return
    columns = {name: np.array(read_array(tensors, f"log.{name}", dtype, (count,))) for name, dtype in _LOG.items()}
    support, unit, when = columns["support"], columns["unit"], columns["when"]
    fits = support.min() >= 0 and support.max() < len(run.support) and unit.min() >= 0 and unit.max() < run.units
    if not fits or not np.isfinite(columns["coefficient"]).all() or (np.diff(when) < 0).any():
        raise damaged("its log does not fit its support")
    if when[0] < 0 or when[-1] >= max(run.t, 1):
        raise damaged("its log is longer than its run")
    run.log = [Updates(**columns)]


def _unpack_pocket(run: KernelRun, header: Header, tensors: Tensors) -> None:
    assert run.pocket is not None
    deciders = 1 if run.joint else run.units
    for name, dtype in _POCKET.items():
        setattr(run.pocket, name, np.array(read_array(tensors, f"pocket.{name}", dtype, (deciders,))))
    pocketed = _finite(tensors, "pocket.coefficient", (len(run.support), run.units))
    for unit in header.counts("pocketed"):
        if unit >= run.units:
            raise damaged("its pocket names a unit that does not exist")
        run.pocket.coefficient[unit] = pocketed[:, unit].copy()


def _unpack_budget(run: Forgetron, header: Header, tensors: Tensors) -> None:
    run.damage = _finite(tensors, "damage", (run.units,))
    run.unit_mistakes = np.array(read_array(tensors, "unit_mistakes", np.int64, (run.units,)))
    run.largest = header.number("largest")
    resting = [list(map(int, places)) for places in header.items("resting")]
    known = all(0 <= place < len(run.support) for places in resting for place in places)
    if len(resting) != run.units or not known:
        raise damaged("its units use examples that do not exist")
    run.resting = resting
