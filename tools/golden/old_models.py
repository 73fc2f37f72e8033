"""Write the small model files of `tests/model/old_models`: what an earlier version wrote must open in every later one.

`python -m tools.golden.old_models FOLDER`. They are made once. Run it again only into an empty folder, to add the files
of a new kind of model beside the old ones; a file that is there is never made anew.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import rosenblatt
from tools.golden.data.files import make_files
from tools.golden.data.tables import binary, boolean, many

# name: the file to learn, and the options
LEARNED = {
    "svmlight-auto": ("rows.svm", "--passes 2"),
    "svmlight-arow": ("rows.svm", "--rule arow --holdout 0.2 --passes 3"),
    "svmlight-many": ("many.svm", "--rule perceptron --passes 2"),
    "svmlight-logistic-many": ("many.svm", "--rule logistic"),
    "vw": ("words.vw", "--bits 6 --rule pa1"),
    "vw-crossed": ("words.vw", "--bits 7 --cross day:shop --rule perceptron"),
    "text": ("mail.txt", "--bits 7 --rule perceptron"),
    "csv-scaled-crossed": ("people.csv", "--scale --cross day:shop --rule perceptron --passes 3"),
    "csv-notes": ("notes.csv", "--bits 6 --rule perceptron"),
    "csv-products": ("three.csv", "--features poly2 --rule perceptron --passes 2"),
}
# how many lines of each data file are kept
LINES = {
    "rows.svm": 40,
    "many.svm": 40,
    "words.vw": 40,
    "mail.txt": 30,
    "people.csv": 41,
    "notes.csv": 31,
    "three.csv": 41,
}


def estimators() -> dict[str, Any]:
    """Estimators of every kind that can be saved, learned from a few rows."""
    Perceptron, Kernel, Network = rosenblatt.Perceptron, rosenblatt.KernelPerceptron, rosenblatt.ThresholdNetwork
    two, four, bits = binary(30, 4, kind="grid"), many(40, 4, 4, kind="grid"), boolean(16, 4)
    linear = {
        **{f"perceptron-{keep}": Perceptron(keep=keep, max_iter=3) for keep in ("last", "average", "vote", "pocket")},
        "perceptron-recorded": Perceptron(record=True, learning_rate="pa1", max_iter=2),
        "perceptron-products": Perceptron(degree=2, max_iter=3, learning_rate="arow"),
        "adaline": rosenblatt.Adaline(max_iter=3),
        "logistic": rosenblatt.LogisticUnit(max_iter=3, class_weight={0: 0.5, 1: 2.0}),
    }
    schemes = {f"perceptron-{scheme}": Perceptron(multi_class=scheme, max_iter=3) for scheme in ("ovr", "ovo", "joint")}
    kernels = {
        "kernel-linear": Kernel(kernel="linear", max_iter=3, record=True),
        "kernel-poly-vote": Kernel(kernel="poly", gamma=0.25, max_iter=3, keep="vote"),
        "kernel-rbf": Kernel(kernel="rbf", max_iter=3),
        "kernel-budget": Kernel(kernel="rbf", budget=5, keep="last", max_iter=3),
    }
    return {
        **{name: unit.fit(*two) for name, unit in {**linear, **kernels}.items()},
        **{name: unit.fit(*four) for name, unit in schemes.items()},
        "network-learned": Network().fit(*bits),
        "network-expression": Network.from_expression("~(a & b) & (a | c) ^ d"),
    }


def write_proofs() -> None:
    """A proof of each kind, and the points that it is about."""
    for kind, table in {
        "separable": binary(24, 3, kind="grid", noise=0),
        "inseparable": binary(30, 2, kind="grid", noise=5),
    }.items():
        X, y = table
        rows = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
        Path(f"proof-{kind}.csv").write_text("\n".join(rows) + "\n")
        proof = rosenblatt.certify(X, y)
        if proof.kind != kind:
            raise SystemExit(f"the points are {proof.kind}")
        proof.save(f"proof-{kind}.json")
        if kind == "separable":
            Path("proof-undecided.json").write_text(json.dumps(_undecided(proof.to_dict()), indent=1) + "\n")


def _undecided(known: dict[str, Any]) -> dict[str, Any]:
    """What is known when the time is up, here the upper end of a margin; small data is always decided in time."""
    names = ("format", "version", "labels", "n_rows", "n_features", "digest")
    widest = known["geometric"]
    evidence = {"bracket": [0.0, widest["upper"]], "hardest": widest["rows"], "shares": widest["weights"]}
    return {**{name: known[name] for name in names}, "kind": "undecided", **evidence}


def write_data(folder: Path) -> None:
    """The first lines of some data files."""
    with tempfile.TemporaryDirectory() as temporary:
        make_files(Path(temporary) / "data")
        for name, count in LINES.items():
            lines = (Path(temporary) / "data" / name).read_bytes().splitlines(keepends=True)
            (folder / name).write_bytes(b"".join(lines[:count]))


def write_checkpoint(path: str) -> None:
    """A fit that was interrupted after its second pass."""

    def press(progress: Any) -> None:
        if progress.rows == 0 and progress.pass_ == 3:
            os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        rosenblatt.fit_file("rows.svm", rule="arow", passes=4, checkpoint=path, on_progress=press)
    except KeyboardInterrupt:
        return
    raise SystemExit("the fit was not interrupted")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "rows.svm").exists():
        write_data(folder)
    os.chdir(folder)
    for name, (file, options) in LEARNED.items():
        if not Path(f"{name}.model").exists():
            words = ["fit", file, *options.split(), "-o", f"{name}.model", "--quiet"]
            subprocess.run([sys.executable, "-m", "rosenblatt", *words], check=True)
    for name, unit in estimators().items():
        if not Path(f"{name}.model").exists():
            rosenblatt.save(unit, f"{name}.model")
    if not Path("proof-undecided.json").exists():
        write_proofs()
    if not Path("interrupted.checkpoint").exists():
        write_checkpoint("interrupted.checkpoint")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
