"""Proofs of separability: verdicts, what was verified exactly, and margins to a few digits.

Which proof is found may depend on the numerical library, so the rows of a proof are hashed only where there is only one
proof, or where integers decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

import rosenblatt
from tools.golden.case import Case, Parts, named, product, refusal
from tools.golden.data.places import fresh
from tools.golden.data.tables import LAYOUTS, Table, binary, boolean, holey, many
from tools.golden.normalise.digest import rounded

XOR: Table = ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])


def cases() -> Iterator[Case]:
    for name, table in _two_classes().items():
        for layout in ("c64", "c32", "f64", "csr32", "csr64", "int8", "lists"):
            yield Case(
                f"certificates/certify/{name}/{layout}",
                lambda table=table, layout=layout: facts(*_in_layout(table, layout)),
            )
        for options in product(gap=(1e-9, 0.1), exact=(True, False)):
            yield Case(
                f"certificates/certify/{name}/{named(**options)}",
                lambda table=table, options=options: facts(*table, **options),
            )
        yield Case(f"certificates/saved/{name}", lambda table=table: _saved(table))
        yield Case(f"certificates/bracket/{name}", lambda table=table: _bracket(table))
    for name, table in _many_classes().items():
        for options in product(scheme=("ovo", "ovr"), n_jobs=(1, 2)):
            yield Case(
                f"certificates/classes/{name}/{named(**options)}",
                lambda table=table, options=options: _classes(table, **options),
            )
    for name in ("grid", "wide", "sparse"):
        for options in product(order=("given", "shuffle", "sample"), random_state=(0, 5)):
            yield Case(
                f"certificates/theorem/{name}/{named(**options)}",
                lambda name=name, options=options: _theorem(_two_classes()[name], **options),
            )
    for bits in range(16):
        yield Case(f"certificates/gates/{bits:04b}", lambda bits=bits: _gate(bits))
    yield Case("certificates/refused/theorem", lambda: refusal(lambda: rosenblatt.theorem_run(*XOR)))
    yield Case("certificates/refused/one-class", lambda: refusal(lambda: rosenblatt.certify([[0.0], [1.0]], [1, 1])))
    yield Case("certificates/refused/three", lambda: refusal(lambda: rosenblatt.certify([[0.0]] * 3, [1, 2, 3])))


def _two_classes() -> dict[str, Table]:
    return {
        "grid": binary(40, 3, kind="grid", noise=0),
        "wide": binary(24, 30, kind="grid", noise=0),
        "sparse": holey(30, 80),
        "noisy": binary(36, 3, kind="grid", noise=6),
        "noisy-plane": binary(30, 2, kind="grid", noise=5),
        "boolean": boolean(24, 5),
        "boolean-few": boolean(10, 6),
        "real": binary(40, 4, noise=0),
        "real-noisy": binary(40, 4, noise=5),
    }


def _many_classes() -> dict[str, Table]:
    return {
        "four": many(40, 3, 4, kind="grid"),
        "three": many(30, 2, 3, kind="grid"),
        "wide": many(24, 20, 3, kind="grid"),
    }


def _in_layout(table: Table, layout: str) -> Table:
    return LAYOUTS[layout](np.asarray(table[0])), table[1]


def facts(X: Any, y: Any, **options: Any) -> Any:
    """The facts about the answer that are the same on every machine."""
    answer = rosenblatt.certify(X, y, **options)
    saved = answer.to_dict()
    facts_found = {
        "kind": answer.kind,
        "verified": answer.verified if options.get("exact", True) else "...",
        "keys": sorted(saved),
        "about": [saved[name] for name in ("format", "version", "labels", "n_rows", "n_features", "digest")],
        "holds": answer.verify(X, y),
    }
    if answer.kind == "separable":
        # Margins found with a wide gap may differ from machine to machine in their first digits.
        digits = 6 if options.get("gap", 1e-6) < 1e-5 else 0
        facts_found["radius"] = rounded(answer.radius, 9)
        facts_found["margins"] = rounded([answer.margin, answer.augmented_margin], digits) if digits else "..."
        facts_found["near"] = bool(answer.gap <= options.get("gap", 1e-6))
    if answer.kind == "inseparable":
        facts_found["sums"] = _sums(answer)
    return facts_found


def _sums(answer: Any) -> list[Fraction]:
    """The sum of the weights of each class: 1 and 1 if the proof is exact."""
    if answer.verified != "exact":
        return []
    return [sum(w for w, s in zip(answer.weights, answer.signs, strict=True) if s == side) for side in (-1, 1)]


def _saved(table: Table) -> Any:
    answer, path = rosenblatt.certify(*table), fresh("certificate.json")
    answer.save(path)
    again = rosenblatt.load_certificate(path)
    same = {name: again.to_dict()[name] == value for name, value in answer.to_dict().items()}
    other = np.asarray(LAYOUTS["c64"](np.asarray(table[0]))) + 1.0
    return [again.kind, same, again.verify(*table), again.verify(other, table[1])]


def _bracket(table: Table) -> Any:
    bracket = rosenblatt.error_bracket(*table, time_limit=None)
    return [bracket.lower, bracket.upper if bracket.exhausted else "...", bracket.verify(*table)]


def _classes(table: Table, **options: Any) -> Any:
    answers = rosenblatt.certify_classes(*table, **options)
    return [
        list(map(str, answers.classes)),
        answers.scheme,
        [[str(pair.first), str(pair.second), pair.kind, pair.certificate.verified, len(pair.rows)] for pair in answers],
        rounded([pair.margin for pair in answers if pair.kind == "separable"], 6),
        [sorted(row) for row in answers.to_rows()[:1]],
    ]


def _theorem(table: Table, **options: Any) -> Parts:
    run = rosenblatt.theorem_run(*table, **options)
    steps = [run.progress, run.progress_bound, run.norm_squared, run.norm_bound]
    return Parts(
        counts=[run.k, run.mistakes, run.status, run.holds],
        numbers=rounded([run.radius, run.margin, *(part[:: max(1, len(part) // 8)] for part in steps)], 5),
    )


def _gate(bits: int) -> Any:
    """Certify one of the 16 Boolean functions of two inputs. Only XOR and XNOR are inseparable, each with one proof."""
    y = [bits >> 3 & 1, bits >> 2 & 1, bits >> 1 & 1, bits & 1]
    if len(set(y)) == 1:
        return refusal(lambda: rosenblatt.certify(XOR[0], y))
    answer = rosenblatt.certify(XOR[0], y)
    if answer.kind == "inseparable":
        return [answer.rows, list(answer.weights), list(answer.signs), answer.verified]
    return [answer.kind, rounded([answer.margin, answer.augmented_margin, answer.radius, answer.mistake_bound], 5)]
