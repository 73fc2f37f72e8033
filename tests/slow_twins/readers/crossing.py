"""Slow twins of crossing: the features of a row by name, multiplied in pairs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rosenblatt import native
from tests.slow_twins.readers.readers import vw_row

Pairs = Sequence[tuple[str, str]]
MASK, K1, K3 = 2**64 - 1, 0xBB67AE8584CAA73B, 0xA54FF53A5F1D36F1


def table_row(cells: Mapping[str, str], numbers: Sequence[str], pairs: Pairs) -> dict[str, float]:
    """Feature -> value of one row of a table whose other columns hold words; an empty cell is missing."""

    def features(column: str) -> dict[str, float]:
        cell = cells[column]
        if column in numbers:
            return {column: float(cell)} if cell else {f"{column}=missing": 1.0}
        return {f"{column}={cell}": 1.0} if cell else {}

    values = {name: value for column in cells for name, value in features(column).items()}
    for a, b in pairs:
        for left, x in features(a).items():
            for right, z in features(b).items():
                values[f"{left} ^ {right}"] = x * z
    return {name: value for name, value in values.items() if value != 0}


def vw_features(line: str, pairs: Pairs, bits: int) -> tuple[dict[int, float], dict[int, set[str]]]:
    """Column -> value, and column -> names, of one line; hashes as cpp/words/hash_function.hpp says."""
    row = vw_row(line)
    assert row is not None
    spelled = [(str(name).rpartition("^"), value) for name, value in row.features]
    features = [
        (space, f"{space}^{name}" if space else name, value, hashed(space, name)) for (space, _, name), value in spelled
    ]
    for a, b in pairs:
        features += [
            ("", f"{left[1]} ^ {right[1]}", left[2] * right[2], joined(left[3], right[3]))
            for left in [feature for feature in features if feature[0] == a]
            for right in [feature for feature in features if feature[0] == b]
        ]
    values: defaultdict[int, float] = defaultdict(float)
    names: defaultdict[int, set[str]] = defaultdict(set)
    for _, name, value, code in features:
        values[code >> (64 - bits)] += value
        names[code >> (64 - bits)].add(name)
    return dict(values), dict(names)


def hashed(space: str, name: str) -> int:
    return native.hash_name(name.encode(), native.hash_name(space.encode(), 0))


def joined(left: int, right: int) -> int:
    """The hash of a pair."""
    product = (left + K3 & MASK) * (right ^ K1)
    return product & MASK ^ product >> 64
