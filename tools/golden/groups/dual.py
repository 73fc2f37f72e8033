"""Kernel perceptrons, networks of threshold units, and the widest margin."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import rosenblatt
from tools.golden.case import Case, named, product, refusal
from tools.golden.data.tables import LAYOUTS, Table, binary, boolean, holey, many
from tools.golden.groups.fits import KEEPS, ORDERS
from tools.golden.normalise.digest import rounded

SCHEMES = ("ovr", "ovo", "joint")


def product_kernel(X: Any, Z: Any) -> Any:
    """A kernel given as a function: the square of the inner product and a half."""
    return (np.asarray(X) @ np.asarray(Z).T + 0.5) ** 2


KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly-2": {"kernel": "poly", "degree": 2, "gamma": 0.25},
    "poly-3": {"kernel": "poly", "degree": 3, "coef0": 0.5},
    "poly-1-without-constant": {"kernel": "poly", "degree": 1, "coef0": 0.0},
    "rbf": {"kernel": "rbf"},
    "rbf-narrow": {"kernel": "rbf", "gamma": 0.5},
    "rbf-scale": {"kernel": "rbf", "gamma": "scale"},
    "function": {"kernel": product_kernel},
}


def cases() -> Iterator[Case]:
    yield from _kernels()
    yield from _networks()
    yield from _widest()


# Whole quarters: the inner products are exact, whichever library adds them up.
def _grid() -> Table:
    return binary(48, 8, kind="grid")


def _kernel_facts(unit: Any, probe: Any) -> Any:
    """The coefficients are exact; scores of an exponential kernel are not the same in every numerical library."""
    facts = {
        "classes": unit.classes_,
        "support": np.asarray(unit.support_),
        "coefficients": np.asarray(unit.dual_coef_) if unit.budget is None else rounded(np.asarray(unit.dual_coef_)),
        "intercept": rounded(np.asarray(unit.intercept_)),
        "status": unit.status_,
        "counts": [unit.n_iter_, unit.t_, unit.n_mistakes_, unit.mistakes_],
        "scores": rounded(np.asarray(unit.decision_function(probe)), 8),
        "labels": unit.predict(probe),
    }
    if unit.record:
        log = unit.trace_
        facts["log"] = [np.asarray(part) for part in (log.t, log.row, log.unit, log.coefficient)]
    return facts


def _kernel_fit(table: Table, layout: str, options: dict[str, Any], sample_weight: Any = None) -> Any:
    X, y = table
    unit = rosenblatt.KernelPerceptron(**{"max_iter": 8, **options}).fit(LAYOUTS[layout](X), y, sample_weight)
    return _kernel_facts(unit, LAYOUTS[layout](X[:11]))


def _kernels() -> Iterator[Case]:
    for kernel, chosen in KERNELS.items():
        for layout in ("c64", "f64", "c32", "csr32", "csr64") if kernel != "function" else ("c64",):
            for keep in KEEPS:
                options = {**chosen, "keep": keep}
                yield Case(
                    f"dual/kernel/{kernel}/{layout}/keep={keep}",
                    lambda layout=layout, options=options: _kernel_fit(_grid(), layout, options),
                )
        for options in product(multi_class=SCHEMES, keep=KEEPS):
            yield Case(
                f"dual/kernel/{kernel}/many/{named(**options)}",
                lambda chosen=chosen, options=options: _kernel_fit(
                    many(60, 8, kind="grid"), "c64", {**chosen, **options}
                ),
            )
        singles: dict[str, dict[str, Any]] = {
            "margin": {"margin": 0.5},
            "no-intercept": {"fit_intercept": False},
            "balanced": {"class_weight": "balanced"},
            "record": {"record": True},
            "no-cache": {"cache_mb": 0},
            "budget-5": {"budget": 5, "keep": "last"},
            "budget-12": {"budget": 12, "keep": "last"},
            **{f"order-{order}": {"order": order} for order in ORDERS},
            "seed-9": {"random_state": 9},
        }
        for name, single in singles.items():
            yield Case(
                f"dual/kernel/{kernel}/{name}",
                lambda chosen=chosen, single=single: _kernel_fit(_grid(), "c64", {**chosen, **single}),
            )
        yield Case(
            f"dual/kernel/{kernel}/sample-weight",
            lambda chosen=chosen: _kernel_fit(_grid(), "c64", chosen, np.arange(48) % 4 / 2.0),
        )
        yield Case(f"dual/kernel/{kernel}/warm-start", lambda chosen=chosen: _continued(chosen))
        if kernel != "rbf-scale":
            yield Case(f"dual/kernel/{kernel}/pieces", lambda chosen=chosen: _in_pieces(chosen))
    for keep in KEEPS:
        yield Case(f"dual/kernel/precomputed/keep={keep}", lambda keep=keep: _precomputed(keep))
    for layout in ("csr32", "c64"):
        yield Case(
            f"dual/kernel/holey/{layout}",
            lambda layout=layout: _kernel_fit(holey(), layout, {"kernel": "rbf", "gamma": 0.5}),
        )
    yield Case(
        "dual/kernel/refused/budget-average",
        lambda: refusal(lambda: rosenblatt.KernelPerceptron(budget=3, keep="average").fit(*_grid())),
    )


def _continued(chosen: dict[str, Any]) -> Any:
    X, y = _grid()
    unit = rosenblatt.KernelPerceptron(warm_start=True, max_iter=2, **chosen).fit(X, y)
    return _kernel_facts(unit.fit(X, y), X[:11])


def _in_pieces(chosen: dict[str, Any]) -> Any:
    X, y = _grid()
    unit = rosenblatt.KernelPerceptron(**chosen).partial_fit(X[:16], y[:16], classes=[0, 1])
    for row in range(16, 24):
        unit.partial_fit(X[row : row + 1], y[row : row + 1])
    return _kernel_facts(unit.partial_fit(X[24:], y[24:]), X[:11])


def _precomputed(keep: str) -> Any:
    X, y = _grid()
    products = X @ X.T
    unit = rosenblatt.KernelPerceptron(kernel="precomputed", keep=keep, max_iter=8).fit(products, y)
    return _kernel_facts(unit, products[:11])


def wires(unit: Any) -> list[Any]:
    """One unit of a network: what it hears, with which weights, and when it fires."""
    return [unit.name, unit.kind, list(unit.sources), unit.layer, list(unit.weights), unit.threshold]


def network_facts(network: Any, probe: Any) -> Any:
    """The units and wires of a network, and what it decides."""
    return {
        "classes": network.classes_,
        "status": network.status_,
        "units": [wires(unit) for unit in network.network_.units],
        "outputs": list(network.network_.outputs),
        "layers": network.layers_,
        "growth": [[step.unit, step.layer, step.errors] for step in network.growth_],
        "contradictions": network.contradictions_,
        "n_iter": network.n_iter_,
        "scores": network.decision_function(probe),
        "labels": network.predict(probe),
    }


def _network(table: Table, **options: Any) -> Any:
    X, y = table
    network = rosenblatt.ThresholdNetwork(**options).fit(X, y)
    return network_facts(network, X)


def _networks() -> Iterator[Case]:
    for columns, rows in ((2, 4), (3, 8), (4, 12), (4, 16), (5, 20), (6, 30), (7, 40)):
        for options in product(random_state=(0, 1), max_iter=(10, 100)):
            yield Case(
                f"dual/network/boolean-{columns}-{rows}/{named(**options)}",
                lambda columns=columns, rows=rows, options=options: _network(boolean(rows, columns), **options),
            )
    for most in (1, 2, 4):
        yield Case(f"dual/network/max-units-{most}", lambda most=most: _network(boolean(30, 6), max_units=most))
    yield Case("dual/network/grid", lambda: _network(binary(40, 4, kind="grid")))
    yield Case("dual/network/many", lambda: _network(many(30, 4, 3, kind="grid")))
    yield Case("dual/network/frame", lambda: _network((LAYOUTS["frame"](boolean()[0]), boolean()[1])))
    yield Case("dual/network/sparse", lambda: _network((LAYOUTS["csr32"](boolean()[0]), boolean()[1])))
    yield Case(
        "dual/network/contradiction",
        lambda: refusal(lambda: rosenblatt.ThresholdNetwork().fit([[0, 1], [0, 1]], [0, 1])),
    )


def _widest() -> Iterator[Case]:
    for name, table in {
        "separable": binary(40, 3, kind="grid", noise=0),
        "separable-wide": binary(20, 30, kind="grid", noise=0),
        "inseparable": binary(30, 3, kind="grid", noise=6),
        "many": many(24, 3, 3, kind="grid"),
    }.items():
        for layout in ("c64", "c32", "csr32"):
            yield Case(
                f"dual/max-margin/{name}/{layout}", lambda table=table, layout=layout: _margin_facts(table, layout)
            )


def _margin_facts(table: Table, layout: str) -> Any:
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unit = rosenblatt.MaxMargin().fit(LAYOUTS[layout](X), y)
    separable = unit.status_ == "separable"
    return {
        "classes": unit.classes_,
        "status": unit.status_,
        "kinds": [certificate.kind for certificate in unit.certificates_],
        "verified": [certificate.verified for certificate in unit.certificates_],
        "margins": rounded([unit.margin_, unit.augmented_margin_], 5),
        "labels": unit.predict(LAYOUTS[layout](X)) if separable else int((unit.predict(LAYOUTS[layout](X)) != y).sum()),
    }
