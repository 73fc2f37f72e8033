"""The native steps from Arrow's columns to rows, against the same in plain Python."""

import math
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt import native
from tests import child


def row_of(numbers: list[float], shift: Any, scale: Any, columns: Any, i: int) -> list[tuple[int, float]]:
    """A row as the slow twin makes it: the numbers, then the features of the columns, sorted; zeros are not stored."""
    entries, of_columns = [], []
    for j, x in enumerate(numbers):
        if not math.isnan(x):
            entries.append((j, x if shift is None else (x - float(shift[j])) * float(scale[j])))
    for codes, features, values in columns:
        feature = codes[i] if features is None or codes[i] < 0 else features[codes[i]]
        if feature >= 0:
            of_columns.append((int(feature), 1.0 if values is None else values[i]))
    of_columns.sort(key=lambda entry: entry[0])  # stable: a feature of two columns has its values in their order
    return [(feature, x) for feature, x in (*entries, *of_columns) if x != 0]


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_numbers_and_codes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(0, 40)), int(rng.integers(0, 6))
    numbers = rng.choice([0.0, -0.0, 1.5, -2.0, np.nan, 1e308, np.inf], (n, k))
    shift, scale = (None, None) if seed % 3 == 0 else (rng.choice([0.0, 1.5], k), rng.choice([1.0, 3.0], k))
    features = np.array([7, -1, 9], dtype=np.int32)
    columns = [
        (rng.integers(-1, 3, n).astype(np.int32), features, None),
        (rng.integers(-1, 50, n).astype(np.int32), None, rng.choice([0.0, -1.0, 2.5], n)),
    ]
    starts, indices, values = native.encode_table(numbers, shift, scale, columns)
    for i in range(n):
        at = slice(starts[i], starts[i + 1])
        ours = list(zip(indices[at].tolist(), values[at].tolist(), strict=True))
        assert ours == row_of(numbers[i].tolist(), shift, scale, columns, i)
    assert starts[n] == len(indices) == len(values)


def test_what_does_not_fit_is_refused() -> None:
    numbers, codes = np.zeros((2, 1)), np.array([0, 1], dtype=np.int32)
    for columns in ([(codes, np.zeros(1, np.int32), None)], [(codes[:1], None, None)], [(codes, None, np.zeros(3))]):
        with pytest.raises(ValueError, match=r"the same rows|no feature"):
            native.encode_table(numbers, None, None, columns)
    with pytest.raises(ValueError, match="shift and scale"):
        native.encode_table(numbers, np.zeros(2), np.zeros(2), [])
    with pytest.raises(ValueError, match="too few numbers"):
        native.put_numbers(numbers, [(0, pa.py_buffer(b"12345678"), None, 0)])
    with pytest.raises(ValueError, match="ascending"):
        native.encode_words(np.array([0, 5, 3], np.int32), pa.py_buffer(b"12345"), None, 0, 2, False)
    with pytest.raises(ValueError, match="too large"):
        native.codes_in_order(codes, 1)


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string()])
def test_words_are_numbered_in_order(type_: pa.DataType) -> None:
    random_ = random.Random(5)
    pool = ["", "a", "ab", "abc", "abcd", "Köln", "x" * 7, "x" * 8, "x" * 9, "x" * 16, "y" * 1000, None]
    pool += [f"word{i}" for i in range(3000)]
    cells = random_.choices(pool, k=9000)
    for start, stop in ((0, 9000), (7, 8001), (5, 5)):
        array = pa.array(cells, type_)[start:stop]
        valid, starts, data = array.buffers()
        wide = type_ == pa.large_string()
        codes, words = native.encode_words(starts, data, valid, array.offset, len(array), wide)
        assert [None if code < 0 else words[code] for code in codes] == cells[start:stop]
        assert words == list(dict.fromkeys(cell for cell in cells[start:stop] if cell is not None))
        order, counts = native.codes_in_order(codes, len(words))
        assert order.tolist() == list(range(len(words)))
        assert counts.tolist() == [cells[start:stop].count(word) for word in words]


def test_numbers_are_put_in_their_columns() -> None:
    rng = np.random.default_rng(1)
    cells = [None if x < -1.5 else math.inf if x > 2.8 else x for x in rng.standard_normal(1000).tolist()]
    array, other = pa.array(cells, pa.float64()), pa.array(np.arange(1000.0))
    for start, stop in ((0, 1000), (3, 900), (13, 14), (5, 5)):
        matrix = np.full((stop - start, 3), 7.0)
        part, plain = array[start:stop], other[start:stop]
        columns = [(2, part.buffers()[1], part.buffers()[0], start), (0, plain.buffers()[1], None, start)]
        infinite = native.put_numbers(matrix, columns)
        expected = [math.nan if cell is None else cell for cell in cells[start:stop]]
        np.testing.assert_array_equal(matrix[:, 2], expected)
        np.testing.assert_array_equal(matrix[:, 0], np.arange(start, stop))
        assert (matrix[:, 1] == 7).all()
        assert infinite == ([2] if math.inf in expected else [])


def test_a_fit_of_json_lines_imports_no_pandas(tmp_path: Path) -> None:
    """pyarrow imports it for many a conversion: a tenth of a second, which is more than most files take."""
    lines = [
        f'{{"x": {i % 7}, "w": "w{i % 5}", "ok": {"true" if i % 3 else "false"}, "label": {i % 2}}}' for i in range(99)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    code = "import sys, rosenblatt; rosenblatt.fit_file(sys.argv[1]); assert 'pandas' not in sys.modules"
    child.run([sys.executable, "-c", code, tmp_path / "t.jsonl"], check=True, stdout=subprocess.DEVNULL)
