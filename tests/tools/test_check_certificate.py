"""The separate checker accepts every certificate that is printed, and refuses one that claims a little more."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import certify, certify_classes
from tests import child
from tools import check_certificate

TOOL = Path(check_certificate.__file__)


def rows_of(X: Any) -> list[dict[int, Any]]:
    return [{j: x for j, x in enumerate(row) if x} for row in np.asarray(X).tolist()]


def proof_of(X: Any, y: Any) -> dict[str, Any]:
    proof: dict[str, Any] = json.loads(json.dumps(certify(X, y).to_dict()))
    return proof


def table(seed: int) -> tuple[Any, Any]:
    """Integers, floats, floats of all sizes or large integers; every other table is separable by its first column."""
    random = np.random.default_rng(seed)
    shape = random.integers(2, 25), random.integers(1, 6)
    X: Any = {
        0: lambda: random.integers(-3, 4, size=shape),
        1: lambda: random.normal(size=shape),
        2: lambda: random.normal(size=shape) * 10.0 ** random.integers(-200, 200, size=shape[1]),
        3: lambda: random.integers(-(2**62), 2**62, size=shape),
        4: lambda: random.normal(size=shape).astype(np.float32),
    }[seed // 2 % 5]()
    y = (X[:, 0] > np.median(X[:, 0])).astype(int) if seed % 2 else random.integers(0, 2, size=shape[0])
    y[:2] = (0, 1)
    return X, y


@given(st.integers(0, 10**6))
def test_every_certificate_is_accepted(seed: int) -> None:
    X, y = table(seed)
    check_certificate.check(proof_of(X, y), rows_of(X), y.tolist())


def test_pairs_and_one_against_the_rest() -> None:
    random = np.random.default_rng(3)
    X, y = random.normal(size=(60, 3)), random.integers(0, 3, size=60)
    for scheme in ("ovo", "ovr"):
        for answer in certify_classes(X, y, scheme=scheme):
            check_certificate.check(answer.certificate.to_dict(), rows_of(X), y.tolist())


AND = ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
XOR = (AND[0], [0, 1, 1, 0])


@pytest.mark.parametrize(
    ("claim", "factor"),
    [
        ("geometric margin", 1.001),
        ("augmented margin", 1.001),
        ("geometric upper", 0.999),
        ("augmented upper", 0.999),
        ("geometric b", 1.001),
        ("radius", 0.999),
        ("mistake_bound", 0.999),
    ],
)
def test_a_claim_that_is_a_little_too_strong_is_refused(claim: str, factor: float) -> None:
    proof = proof_of(*AND)
    *outer, name = claim.split()
    part = proof[outer[0]] if outer else proof
    part[name] *= factor
    with pytest.raises(check_certificate.RefutedError):
        check_certificate.check(proof, rows_of(AND[0]), AND[1])


@pytest.mark.parametrize(
    "change",
    [
        {"weights": ["1/2", "1/2", "1/2", "1/3"]},
        {"weights": ["1/2", "1/2", "1/2", "0"]},
        {"weights": ["-1/2", "-1/2", "-1/2", "-1/2"]},
        {"rows": [0, 1, 2, 2]},
        {"rows": [0, 1, 2, 4]},
        {"rows": [0, 1, 2, -1]},
        {"rows": [], "weights": []},
        {"n_rows": 5},
    ],
)
def test_weights_that_prove_nothing_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(check_certificate.RefutedError):
        check_certificate.check(proof_of(*XOR) | change, rows_of(XOR[0]), XOR[1])


def test_from_files_without_the_package(tmp_path: Path) -> None:
    """The tool itself, on what `certify --save` writes for a table and for svmlight; -S: no installed package."""
    (tmp_path / "and.csv").write_text("y,a,b\nno,0,0\nno,0,1\nno,1,0\nyes,1,1\n")
    (tmp_path / "xor.svm").write_text("0\n1 2:1\n1 1:1 # a comment\n0 1:1 2:1\n")
    (tmp_path / "other.svm").write_text("0\n1 2:1\n0 1:1\n1 1:1 2:1\n")
    for data, label, kind in (("and.csv", ["--label", "y"], "separable"), ("xor.svm", [], "inseparable")):
        saved = ["--save", str(tmp_path / f"{kind}.json")]
        child.run([sys.executable, "-m", "rosenblatt", "certify", str(tmp_path / data), *label, *saved], check=False)
        command = [sys.executable, "-S", str(TOOL), str(tmp_path / f"{kind}.json"), str(tmp_path / data), *label[1:]]
        answer = child.run(command, capture_output=True, text=True, check=True)
        assert f"the proof holds: {kind}" in answer.stdout
    command = [sys.executable, "-S", str(TOOL), str(tmp_path / "inseparable.json"), str(tmp_path / "other.svm")]
    refused = child.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "does not hold: the two averages differ" in refused.stderr
