"""svmlight features are read eight at a time with AVX-512: every form of number in every position, valid or not."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from rosenblatt import native
from tests.slow_twins.readers import readers as reference_read

SHAPES = [
    f"{sign}{'1234567890123'[:before]}{point}{'9876543210987'[:after]}"
    for sign in ("", "-")
    for before in range(10)
    for after in range(10)
    for point in (("", ".") if after == 0 else (".",))
    if before + after > 0
]
WRONG = [
    "",
    ".",
    "-",
    "-.",
    "1.2.3",
    "1..2",
    "--1",
    "1-2",
    "1;2",
    "1/2",
    "x",
    "0.1x",
    "1:2",
    "12345.67:",
    "123456789.12:",
]


def parsed(text: str, base: int = 1, limit: int = 2**31) -> Any:
    """The result of native.parse_svmlight, without bad rows."""
    content = text.encode()
    return native.parse_svmlight(content, 0, len(content), base=base, guess_base=False, limit=limit, skip=True)


@pytest.mark.parametrize("digits", range(1, 10))
@pytest.mark.parametrize("among", ["1", "0.25", "-0.0625", "123456.789012"])
def test_every_shape_of_number_in_every_place(digits: int, among: str) -> None:
    lines, indices, values = [], [], []
    for number, shape in enumerate(SHAPES):
        place, length = number % 8, 8 + number % 5
        row = [(7, among)] * place + [(int("987654321"[:digits]), shape)] + [(2147483, among)] * (length - place - 1)
        lines.append("1 " + " ".join(f"{index}:{value}" for index, value in row) + "\n")
        indices += [index - 1 for index, _ in row]
        values += [float(value).hex() for _, value in row]
    _, found_indices, found_values, *_, bad_count, _, _ = parsed("".join(lines))
    assert bad_count == 0
    assert found_indices.tolist() == indices
    assert [value.hex() for value in found_values.tolist()] == values


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("among", ["1", "0.25", "123456.789012"])
def test_a_wrong_value_is_refused_in_every_place(wrong: str, among: str) -> None:
    for length in range(1, 18):
        for place in range(length):
            words = [f"{i}:{wrong if i == place + 1 else among}" for i in range(1, length + 1)]
            starts, indices, *_, bad, bad_count, _, _ = parsed("1 " + " ".join(words) + "\n1 5:5\n")
            assert (starts.tolist(), indices.tolist(), bad_count) == ([0, 1], [4], 1)
            column = 2 + len(" ".join(words[:place])) + (place > 0)
            assert column < bad[0][2] <= column + len(words[place]) + 1


@pytest.mark.parametrize("among", ["1", "123456.789012"])
def test_columns_below_the_base_and_beyond_the_limit(among: str) -> None:
    for length in range(1, 18):
        row = [f"{i}:{among}" for i in range(1, length + 1)]
        _, indices, values, *_, bad_count, _, _ = parsed("1 " + " ".join(row) + "\n", limit=5)
        assert (indices.tolist(), bad_count) == (list(range(min(length, 5))), 0)
        assert values.tolist() == [float(among)] * min(length, 5)
        for place in range(length):
            zero = [*row[:place], f"0:{among}", *row[place + 1 :]]
            assert parsed("1 " + " ".join(zero) + "\n")[10] == 1


STYLES = [
    lambda draw: f"0.{draw.randrange(10_000):04}",
    lambda draw: f"{draw.choice(['', '-'])}{draw.random() * 10 ** draw.randrange(3):.{draw.randrange(1, 4)}f}",
    lambda draw: repr(draw.gauss(0, 1)),
    lambda draw: draw.choice(["1e-3", "+2", "123456789012345", ".5", "5.", "1"]),
    lambda draw: "1",
]
BAD = ["1 7", "1 a:1", "1 3:x", "1,2 3:4", "1 2:nan", "x" * 1002 + " 5:5"]


def some_rows(draw: random.Random) -> str:
    """Rows of a few styles, most of them ascending, with some bad rows between them."""
    styles, length = draw.choices(STYLES, k=2), draw.choice([1, 7, 8, 9, 16, 40, 65])
    ascending, bad, labels = draw.random() < 0.6, draw.choice([0, 0, 0.05]), draw.choice(["+1 -1", "a b c d e f g"])
    between, end = draw.choice([" ", " ", " ", "  ", "\t"]), draw.choice(["", "", " ", "\r", "  ", " # 1:1", " \r"])
    lines = []
    for _ in range(draw.choice([1, 5, 300])):
        columns = [
            draw.randrange(1, 10 ** draw.randrange(2, 6)) for _ in range(max(0, round(draw.gauss(length, length / 5))))
        ]
        columns = sorted(set(columns)) if ascending or draw.random() < 0.99 else columns
        row = [f"{column}:{draw.choice(styles)(draw)}" for column in columns]
        line = draw.choice(BAD) if draw.random() < bad else between.join([draw.choice(labels.split()), *row])
        lines.append(line + (end if draw.random() < 0.9 else ""))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(120))
def test_rows_are_what_the_slow_reader_reads_and_said_to_be_what_a_look_finds(seed: int) -> None:
    draw = random.Random(seed)
    text, limit = some_rows(draw), draw.choice([2**31, 2**31, 3000, 50])
    native_rows = parsed(text, limit=limit)
    starts, indices, values = (np.asarray(part) for part in native_rows[:3])
    rows = [row.features for row in reference_read.svmlight(text)[0] if len(row.label or "") <= 1000]
    expected = [[(index - 1, value) for index, value in row if index <= limit] for row in rows]
    assert starts.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert list(zip(indices.tolist(), values.tolist(), strict=True)) == [entry for row in expected for entry in row]
    looked = native.Rows.csr(starts, indices, values, native_rows[7] + 1)
    assert looked.check() is None
    assert native_rows[7] == max((index for row in expected for index, _ in row), default=-1)
    assert (native_rows[-1].largest, native_rows[-1].canonical) == (looked.largest, looked.canonical)


@pytest.mark.parametrize("odd", ["1", "-2", "1234567.5", "1e-3", "1\t"])
@pytest.mark.parametrize("among", ["1", "0.25", "-0.0625", "123456.789012", "1e-3"])
def test_one_column_out_of_order_is_seen_in_every_place(among: str, odd: str) -> None:
    for length in range(2, 20):
        ascending = [*range(10, 10 + length)]
        for place in range(1, length):
            for column in (1, ascending[place - 1]):  # also a repeat of the one before
                entries = [f"{other}:{among}" for other in ascending]
                row = " ".join(["1", *entries[:place], f"{column}:{odd}", *entries[place + 1 :]]) + "\n"
                right = "1 " + " ".join(f"{column}:{among}" for column in ascending) + "\n"
                assert parsed(right + right)[-1].canonical
                assert not parsed(right + row + right)[-1].canonical
        beyond = [column if column % 3 else 50 for column in ascending]  # beyond the limit, so left out
        text = "1 " + " ".join(f"{column}:{among}" for column in beyond) + "\n"
        assert parsed(right + text + right, limit=40)[-1].canonical
        last = "1 " + " ".join(f"{column}:{among}" for column in [*beyond, 50, 10 + length, 11]) + "\n"
        assert not parsed(right + last + right, limit=40)[-1].canonical


def test_what_was_seen_of_a_row_that_is_left_out_does_not_count() -> None:
    row = "1 " + " ".join(f"{column}:0.5" for column in range(1, 20)) + "\n"
    for wrong in ("1 9:700 8:1 99:1 3:x\n", "x" * 1002 + " 9:700 8:1 99:1\n"):
        native_rows = parsed(row + wrong + row)
        assert (native_rows[7], native_rows[-1].largest, native_rows[-1].canonical) == (18, 0.5, True)
