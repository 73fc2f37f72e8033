"""svmlight features are read eight at a time where the processor can: every shape in every place, and no wrong one."""

from __future__ import annotations

from typing import Any

import pytest

from rosenblatt import kernels

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
    """What kernels.parse_svmlight gives, bad rows left out."""
    content = text.encode()
    return kernels.parse_svmlight(content, 0, len(content), base=base, guess_base=False, limit=limit, skip=True)


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
            assert parsed("1 " + " ".join(zero) + "\n")[9] == 1
