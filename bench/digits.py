"""``python -m bench digits``: is each pair of MNIST's digits separable, and each digit from the rest? With proofs.

All 45 pairs of digits, and each of the 10 digits against the rest, for the training images, the test images and both
together; each proof must be exact. The table is saved in bench/results/digits.json. ROSENBLATT_DATA names the folder
with mnist/ in it.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.workloads.certify import digits

RESULTS = Path(__file__).parent / "results" / "digits.json"


def main(arguments: list[str]) -> None:
    if arguments:
        raise SystemExit("python -m bench digits takes no arguments.")
    train, test = digits("train"), digits("t10k")
    if train is None or test is None:
        raise SystemExit("Set ROSENBLATT_DATA to a folder with mnist/ in it.")
    both = tuple(np.concatenate(parts) for parts in zip(train, test, strict=True))
    table = {name: answers(*images) for name, images in (("train", train), ("test", test), ("both", both))}
    RESULTS.write_text(json.dumps(table, indent=1) + "\n")
    print(markdown(table))


def answers(X: Any, y: Any) -> dict[str, Any]:
    """The answer to each question, and the seconds for all of them together, with one job per core."""
    from rosenblatt.certificates.certify_classes import certify_classes

    start = time.perf_counter()
    pairs = [pair for scheme in ("ovo", "ovr") for pair in certify_classes(X, y, scheme=scheme, n_jobs=-1)]
    seconds = time.perf_counter() - start
    rows = []
    for pair in pairs:
        certificate = pair.certificate
        if certificate.verified != "exact":
            raise RuntimeError(f"{pair.first} against {pair.second}: {certificate} is not exact")
        evidence = (
            {"margin": certificate.margin} if certificate.kind == "separable" else {"rows": len(certificate.rows)}
        )
        question = f"{pair.first} against {pair.second}"
        rows.append({"question": question, "answer": certificate.kind, **evidence})
    return {"images": len(y), "seconds": round(seconds, 1), "answers": rows}


def markdown(table: dict[str, Any]) -> str:
    """A table of how many questions are answered yes, and one with each answer for the training images."""
    lines = [
        "| images | pairs that can be separated | digits that can be separated from the rest | s |",
        "|" + "---|" * 4,
    ]
    for name, part in table.items():
        yes = [row["question"] for row in part["answers"] if row["answer"] == "separable"]
        n_rest = sum(question.endswith("rest") for question in yes)
        lines.append(
            f"| {name}, {part['images']:,} | {len(yes) - n_rest} of 45 | {n_rest} of 10 | {part['seconds']:.0f} |"
        )
    cells = {row["question"]: _cell(row) for row in table["train"]["answers"]}
    others = [*map(str, range(1, 10)), "rest"]
    lines += ["", f"| | {' | '.join(others)} |", "|" + "---|" * 11]
    for digit in range(10):
        row = " | ".join(cells.get(f"{digit} against {other}", "") for other in others)
        lines.append(f"| {digit} | {row} |")
    return "\n".join(lines)


def _cell(row: dict[str, Any]) -> str:
    return f"{row['margin']:.2f}" if row["answer"] == "separable" else f"✗ {row['rows']}"
