"""The fuzzers of fuzz/ build and find nothing in a second (`make fuzz SECONDS=600` runs longer); what they found."""

from pathlib import Path

import pytest

from rosenblatt import native
from rosenblatt.readers.formats.line_source import Parsed
from tests import child
from tests.native.programs.sanitized import built

FUZZ = Path(__file__).parents[2] / "fuzz"


@pytest.mark.compiles
@pytest.mark.parametrize("target", sorted(FUZZ.glob("*.cpp")), ids=lambda path: path.stem)
def test_a_short_run_finds_nothing(target: Path, tmp_path: Path) -> None:
    corpus = FUZZ / "corpus" / target.stem
    process = child.run([built(target, tmp_path), "1", "1", corpus], capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stdout.endswith("no findings\n")


@pytest.mark.parametrize("line", ["7\x0770:1", "1 2:1\x0770:1", "1 2:1 3:1\x0170:1 4:1"])
def test_a_control_character_separates_nothing_wherever_the_line_stands(line: str) -> None:
    # Found by the fuzzer: the parser looks for separators block by block, and noticed it only at block ends.
    for before in (*range(1960, 2060), *range(8100, 8200)):
        text = b"1 1:1\n#" + b"x" * before + b"\n" + line.encode() + b"\n-1 2:1\n"
        parsed = Parsed(*native.parse_svmlight(text, 0, len(text), base=0, guess_base=False, limit=2**31, skip=True))
        assert (parsed.bad_count, len(parsed.labels)) == (1, 2)
