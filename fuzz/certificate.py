"""``python -m fuzz.certificate [seconds]``: a damaged certificate is refused, fails its check, or is still a proof.

What is accepted is compared with the truth, which is known for these four rows.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.files import mutated, odd_json
from rosenblatt import certify, load_certificate
from rosenblatt.errors import DataError

ROWS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
LABELS = {"separable": np.array([0, 0, 0, 1]), "inseparable": np.array([0, 1, 1, 0])}  # AND, XOR


def verdict(path: Path, kind: str) -> str:
    """What a file is taken for: refused, rejected or accepted; any other exception, or a false proof, is a finding."""
    try:
        certificate = load_certificate(path)
        if not certificate.verify(ROWS, LABELS[kind]):
            return "rejected"
    except DataError:
        return "refused"
    if not is_true(certificate, kind):
        raise AssertionError(f"a false proof was accepted: {certificate!r}")
    return "accepted"


def is_true(certificate: Any, kind: str) -> bool:
    if certificate.kind == "undecided":  # it claims a bracket of the least number of errors
        return bool(certificate.bracket[0] <= (kind == "inseparable") <= certificate.bracket[1])
    if certificate.kind != kind:
        return False
    if kind == "inseparable":
        return bool(set(certificate.rows) <= set(range(len(ROWS))))
    w, b = [Fraction(float(value)) for value in certificate.w], Fraction(float(certificate.b))
    scores = [w[0] * int(x[0]) + w[1] * int(x[1]) + b for x in ROWS]
    return all((score > 0) == bool(label) for score, label in zip(scores, LABELS[kind], strict=True))


def main(seconds: float) -> None:
    """Run until the time is over; the first finding is left in the folder and raised."""
    draw, end, outcomes = random.Random(), time.monotonic() + seconds, Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        path, seeds = Path(folder) / "tried", {}
        for kind, labels in LABELS.items():
            certify(ROWS, labels).save(path)
            seeds[kind] = path.read_bytes()
        while time.monotonic() < end:
            kind = draw.choice(list(seeds))
            path.write_bytes(draw.choice((mutated, odd_json))(seeds[draw.choice(list(seeds))], draw))
            try:
                outcomes[verdict(path, kind)] += 1
            except Exception:
                Path("finding.json").write_bytes(path.read_bytes())
                print(f"finding after {outcomes.total()} files: kept as finding.json, tried as {kind}")
                raise
    print(f"{outcomes.total()} files in {seconds:g} s: {dict(outcomes)}; no findings")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
