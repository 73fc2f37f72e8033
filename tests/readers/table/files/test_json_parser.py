"""The native parser of JSON lines against its slow twin: random objects, damaged lines, every instruction set."""

import json
import os
import random
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from rosenblatt import native
from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.input_file import InputFile
from rosenblatt.readers.table.bad_rows import BadLine
from rosenblatt.readers.table.files.json_lines import JsonLines
from tests import child
from tests.slow_twins.readers import json_lines as twin

NUMBERS = (
    "0", "-0", "-0.0", "0.0", "7", "-12", "1234567", "12345678", "123456789012345678901234567890", "9007199254740993",
    "18446744073709551616", "-9223372036854775809", "0.1", "2.5", "3.14159265358979", "0.30000000000000004", "1e400",
    "-1e400", "1e-400", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1.7976931348623159e308",
    "1E5", "1e+5", "1.5e-7", "1234567.1234567", "1234567.12345678", "0.1234567890123456", "0.12345678901234567",
    "0.123456789012345678", "0.1234567890123456789", "12.34567890123456789", "9999999.99999999999999999", "NaN",
    "Infinity", "-Infinity", "1e15", "1e16", "123456789012345680.0", "1e21", "1e-5", "0.0001", "0.00012345", "100.0",
    "1" + "0" * 400, "0." + "0" * 30 + "1",
)  # fmt: skip
NO_NUMBERS = (
    "01",
    "-",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e+",
    "-NaN",
    "0x1",
    "1_000",
    "\u0661",
    "--1",
    "1.2.3",
    "9" * 4301,
    "Nan",
)
STRINGS = (
    "", "a", 'New \\"York\\"', "\\\\", "tab\\t", "\\/", "\\b\\f\\n\\r", "\\u00e9", "é", "漢字", "😀", "\\ud83d\\ude00",
    "\\ud83d", "\\ude00", "\\ud83d\\ud83d\\ude00", "\\ud83dx", "\\u0000", "x" * 15, "x" * 16, "x" * 31, "x" * 32,
    "x" * 63, "x" * 64, "x" * 65, "x" * 200 + "\\n", "é" * 40, "NA", "null", "\\uD83D\\uDE00", "a\\u0022b",
)  # fmt: skip
NO_STRINGS = ("\\x", "\\u12", "\\u12g4", "\t", "\x00", "\\")
RAW = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xf0\x80")


def value(random_: random.Random, depth: int = 0) -> str:
    choice = random_.randrange(12 if depth < 3 else 8)
    if choice < 3:
        return random_.choice(NUMBERS)
    if choice < 6:
        return f'"{random_.choice(STRINGS)}"'
    if choice < 8:
        return random_.choice(("true", "false", "null"))
    space = random_.choice(("", " ", "\t", "  "))
    items = [value(random_, depth + 1) for _ in range(random_.randrange(4))]
    if choice < 10:
        return "[" + space + f"{space},{space}".join(items) + space + "]"
    pairs = [f'"{random_.choice("abcd")}"{space}:{space}{item}' for item in items]
    return "{" + space + f",{space}".join(pairs) + "}"


def item(random_: random.Random) -> str:
    return random_.choice((f'"{random_.choice(STRINGS)}"', random_.choice(NUMBERS), "null", "true"))


# Each key mostly holds the same kind of value, so that most lines are rows.
KINDS: dict[str, Any] = {
    "n": lambda r: r.choice(NUMBERS),
    "m": lambda r: repr(r.gauss(0, 1)),
    "i": lambda r: str(r.randrange(-1000, 10**r.randrange(1, 18))),
    "w": lambda r: f'"{r.choice(STRINGS)}"',
    "f": lambda r: r.choice(("true", "false")),
    "t": lambda r: "[" + ", ".join(item(r) for _ in range(r.randrange(5))) + "]",
    "o": lambda r: f'{{"x": {r.choice(NUMBERS)}, "deep": {{"y": "{r.choice(STRINGS)}"}}}}',
    "long key " * 8: lambda r: r.choice(NUMBERS),
    "\\u00e9": lambda r: r.choice(NUMBERS),
}  # fmt: skip


def line(random_: random.Random) -> bytes:
    keys = [key for key in KINDS if random_.random() < 0.9]
    if random_.random() < 0.1:
        random_.shuffle(keys)
    pairs = [f'"{key}": {KINDS[key](random_) if random_.random() < 0.97 else "null"}' for key in keys]
    dice = random_.random()
    if dice < 0.03:
        pairs.append(f'"{random_.choice([*KINDS, "new"])}": {value(random_)}')  # a key twice, or a new one
    elif dice < 0.05:
        pairs.append(f'"n{random_.randrange(3)}": {random_.choice(NO_NUMBERS)}')
    elif dice < 0.06:
        pairs.append(f'"s": "{random_.choice(NO_STRINGS)}"')
    text = ("{" + ", ".join(pairs) + "}").encode()
    if dice > 0.98:
        at = random_.randrange(len(text))
        text = text[:at] + random_.choice((*RAW, b'"', b"}", b"{", b",", b"\\", b" ", b"\r", b"0", b"\x00")) + text[at:]
    elif dice > 0.96:
        text = random_.choice(
            (b"", b" \t\r", b"\x0b", b"[1]", b"3", twin.MARK + text, text[: len(text) // 2], text + text)
        )
    return text + random_.choice((b"\n", b"\r\n", b" \n", b"\n"))


def lines(seed: int, count: int) -> bytes:
    random_ = random.Random(seed)
    first = b'{"n": 1, "m": 2, "i": 3, "w": "w", "f": true, "t": [], "o": {"x": 1, "deep": {"y": "z"}}}\n'
    return first + b"".join(line(random_) for _ in range(count))


def bits(cell: Any) -> Any:
    if isinstance(cell, float):
        return "NaN" if cell != cell else struct.pack("d", cell)
    return cell


def check(path: Path, data: bytes) -> int:
    """The number of rows, all of which are as the twin reads them."""
    path.write_bytes(data)
    rows, left_out = twin.table(data)
    table = JsonLines(InputFile(path))
    bad: list[BadLine] = []
    batches = [batch for batch, _ in table.batches(bad.append)]
    for batch in batches:
        batch.validate(full=True)
    read = [row for batch in batches for row in batch.to_pylist()]
    assert table.places.left_out == left_out
    assert table.columns == (list(rows[0]) if rows else table.columns)
    for number, (ours, theirs) in enumerate(zip(read, rows, strict=True)):
        assert {key: bits(cell) for key, cell in ours.items()} == {k: bits(c) for k, c in theirs.items()}, number
    assert all(line.what for line in bad)
    return len(rows)


@pytest.mark.parametrize("seed", range(8))
def test_the_same_cells_as_the_slow_twin(seed: int, tmp_path: Path) -> None:
    assert check(tmp_path / "t.jsonl", lines(seed, 600)) > 300


def test_the_same_where_pieces_end(tmp_path: Path) -> None:
    """Pieces of 128 KB and blocks of 1 MB: lines, also long ones, lie across their ends."""
    random_ = random.Random(1)
    data = b"".join(b'{"w": "%s", "n": %d}\n' % (b"x" * random_.choice((3, 50, 5000, 140_000)), i) for i in range(60))
    assert check(tmp_path / "t.jsonl", data) == 60
    assert check(tmp_path / "t.jsonl", lines(3, 6000)) > 3000


_ALL = """
import sys
from pathlib import Path
from tests.readers.table.files.test_json_parser import check, lines
print(check(Path(sys.argv[1]), lines(11, 600)))
"""


@pytest.mark.parametrize("isa", native.instruction_sets())
def test_every_instruction_set(isa: str, tmp_path: Path) -> None:
    environment = os.environ | {"ROSENBLATT_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
    child.run([sys.executable, "-c", _ALL, tmp_path / "t.jsonl"], env=environment, check=True, capture_output=True)


def test_numbers_are_those_of_python(tmp_path: Path) -> None:
    random_ = random.Random(7)
    numbers = [
        f"{random_.choice(('', '-'))}{random_.randrange(10 ** random_.randrange(1, 12))}"
        f"{random_.choice(('', '.' + ''.join(random_.choices('0123456789', k=random_.randrange(1, 22)))))}"
        f"{random_.choice(('', '', '', f'e{random_.randrange(-330, 310)}'))}"
        for _ in range(20_000)
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"x": {number}, "t": [{number}]}}\n' for number in numbers))
    read = [row for batch, _ in JsonLines(InputFile(path)).batches(print) for row in batch.to_pylist()]
    for number, row in zip(numbers, read, strict=True):
        assert bits(row["x"]) == bits(float(number)), number
        assert row["t"] == [twin.word(json.loads(number) if number != "-0" else -0.0)], number


def test_deep_nesting_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    for deep in ("[" * 100_000, '{"a":' * 100_000, '{"a":' * 300 + "1" + "}" * 300):
        path.write_text('{"x": 1, "label": 0}\n{"x": 2, "label": 1}\n{"y": ' + deep + "}\n")
        bad: list[BadLine] = []
        batches = list(JsonLines(InputFile(path)).batches(bad.append))
        assert sum(batch.num_rows for batch, _ in batches) + len(bad) == 3
    path.write_text("[" * 100_000)
    with pytest.raises(DataError, match="its first objects have no keys with a value"):
        JsonLines(InputFile(path))
