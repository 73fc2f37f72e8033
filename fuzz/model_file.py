"""``python -m fuzz.model_file [seconds]``: damaged model files must raise a ModelError, or load unchanged.

Bytes are flipped, ranges cut, doubled, zeroed and swapped; half of the files get a correct checksum,
so that the checks behind it are tested too.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ModelError
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_scorer


def flipped(content: bytes, place: int, by: int) -> bytes:
    """One byte changed."""
    changed = bytearray(content)
    changed[place] ^= by
    return bytes(changed)


def loads_or_refuses(content: bytes, path: Path) -> str:
    """'refused', or the weights or scores that were loaded; any other exception is a finding."""
    path.write_bytes(content)
    try:
        scorer = load_scorer(path)
    except ModelError:
        return "refused"
    if isinstance(scorer, LinearModel):
        return scorer.coef.tobytes().hex()
    try:
        return scorer.scores(np.eye(3)).tobytes().hex()
    except DataError:  # it was learned from other columns, or its scores overflow
        return "refused"


def mutated(content: bytes, draw: np.random.Generator) -> bytes:
    """The content with a few random changes."""
    changed = bytearray(content)
    for _ in range(int(draw.integers(1, 5))):
        at, length = int(draw.integers(0, len(changed) + 1)), int(draw.integers(1, 64))
        match int(draw.integers(0, 5)):
            case 0:
                changed[at : at + 1] = bytes([int(draw.integers(256))])
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = changed[at : at + length]
            case 3:
                changed[at : at + length] = bytes(len(changed[at : at + length]))
            case _:
                changed[at : at + length] = draw.bytes(length)
    return bytes(changed)


def signed(header: Any, tensors: dict[str, Any]) -> bytes:
    """A model file of this header and these tensors, with a correct checksum."""
    from safetensors.numpy import save

    from rosenblatt.storage.container import canonical, checksum

    return save(tensors, {"rosenblatt": canonical(header | {"checksum": checksum(header, tensors)})})


ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    2**70,
    0.5,
    -1e308,
    "",
    "arow",
    [],
    {},
    [[]],
    {"a": 1},
    [None],
)


def odd_header(content: bytes, draw: np.random.Generator) -> bytes:
    """One value of the header replaced by another kind of value, or one tensor by another, and signed again."""
    from safetensors.numpy import load

    length = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["rosenblatt"])
    del header["checksum"]
    tensors = load(content)
    for _ in range(int(draw.integers(1, 3))):
        if draw.random() < 0.3:
            name = str(draw.choice(sorted(tensors)))
            other = tensors[str(draw.choice(sorted(tensors)))]
            tensors[name] = other if draw.random() < 0.5 else tensors[name][: len(tensors[name]) // 2].copy()
            continue
        place: Any = header
        while True:
            keys = list(place) if isinstance(place, dict) else range(len(place))
            if not len(keys):
                break
            key = keys[int(draw.integers(len(keys)))]
            if isinstance(place[key], dict | list) and place[key] and draw.random() < 0.8:
                place = place[key]
                continue
            place[key] = deepcopy(ODD[int(draw.integers(len(ODD)))])
            break
    return signed(header, tensors)


def seeds(folder: Path) -> list[bytes]:
    """Small model files of several kinds."""
    from rosenblatt import KernelPerceptron, LogisticUnit, Perceptron, ThresholdNetwork, save

    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(12, 3)), draw.integers(0, 3, 12)
    contents = []
    units = Perceptron(keep="vote", record=True), Perceptron(keep="pocket", batch=5), LogisticUnit()
    kernels = KernelPerceptron(kernel="poly"), KernelPerceptron(kernel="rbf", keep="vote")
    for unit in (*units, *kernels):
        save(unit.set_params(max_iter=2).fit(X, y), folder / "seed")
        contents.append((folder / "seed").read_bytes())
    save(ThresholdNetwork().fit((X > 0).astype(float), (X > 0).sum(axis=1) % 2), folder / "seed")
    return [*contents, (folder / "seed").read_bytes()]


def main(seconds: float) -> None:
    """Run until the time is over; the first finding is left in the folder and raised."""
    draw, end, runs, loaded = np.random.default_rng(), time.monotonic() + seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path, contents = Path(folder) / "tried", seeds(Path(folder))
        while time.monotonic() < end:
            content = contents[runs % len(contents)]
            tried = mutated(content, draw) if runs // len(contents) % 2 else odd_header(content, draw)
            try:
                loaded += loads_or_refuses(tried, path) != "refused"
            except Exception:
                Path("finding.model").write_bytes(tried)
                print(f"finding after {runs} files: kept as finding.model")
                raise
            runs += 1
    print(f"{runs} files in {seconds:g} s, {loaded} of them harmless, the others refused; no findings")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
