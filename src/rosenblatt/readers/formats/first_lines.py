"""What the first lines of a file look like: svmlight, VW, labelled text, or a table with a separator."""

import re
from collections.abc import Callable, Sequence

from rosenblatt.readers.inputs.input_file import HEAD

_LINES = 50  # lines that are looked at
_MAX_WORDS = 50  # words of a line that are looked at
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
# Not compiled on import: the names of most files tell their format.
_PAIR = rf"(?i:(?:\d+|qid):(?:{_NUMBER}|[+-]?(?:nan|inf\w*)))"
# Letters of scripts without spaces: on average two, or four, of them make a word.
_TWO_A_WORD = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_FOUR_A_WORD = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_BEFORE_BAR = rf"(?:{_NUMBER}\s+){{0,3}}(?:'[^\s|:]*\s*|[^\s|:]*)|{_NUMBER}\s+"


def sample_lines(head: bytes) -> list[str]:
    """The first lines that are neither blank nor comments, without the last one, which may be cut."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    if len(head) >= HEAD and len(lines) > 1:
        lines.pop()
    texts = (line[:4096].decode("utf-8", errors="replace") for line in lines)
    return [text for text in texts if text.strip() and not text.startswith("#")][:_LINES]


def _mostly(lines: Sequence[str], matches: Callable[[str], bool]) -> bool:
    """Most lines, not all: a bad row among them is refused later, with its line and column."""
    return sum(map(matches, lines)) * 3 > len(lines) * 2


def looks_like_json(lines: Sequence[str]) -> bool:
    """Whether the first line begins an object; a table of cells never begins like this."""
    return bool(lines) and lines[0].lstrip().startswith("{")


def looks_like_fasttext(lines: Sequence[str]) -> bool:
    """One line with a label is enough: where examples may have several, other lines may have none."""
    return any(line.lstrip().startswith("__label__") for line in lines)


def looks_like_svmlight(lines: Sequence[str]) -> bool:
    return any(re.search(_PAIR, line) for line in lines) and _mostly(lines, _is_svmlight_line)


def _is_svmlight_line(line: str) -> bool:
    words = line.split("#", 1)[0].split(None, _MAX_WORDS)[:_MAX_WORDS]
    return bool(words) and ":" not in words[0] and all(re.fullmatch(_PAIR, word) for word in words[1:])


def looks_like_vw(lines: Sequence[str]) -> bool:
    return bool(lines) and _mostly(lines, _is_vw_line)


def _is_vw_line(line: str) -> bool:
    before, bar, _ = line.partition("|")
    spaced = not before or " |" in line or len(before.split()) > 1 or before[-1].isspace() or before[0] == "'"
    return bool(bar) and spaced and re.fullmatch(_BEFORE_BAR, before) is not None


def looks_like_text(lines: Sequence[str]) -> bool:
    """`label<TAB>text`: two fields, and the second is running text, not a number or a word.

    Three words a text are enough; two where the first field repeats and the second does not.
    """
    pairs = [line.split("\t") for line in lines]
    if not _mostly(lines, lambda line: line.count("\t") == 1):
        return False
    first, second = {pair[0] for pair in pairs}, {pair[-1] for pair in pairs}
    enough = 2 if 2 * len(first) <= len(lines) and 10 * len(second) > 8 * len(lines) else 3
    n_words = [count_words(pair[1]) for pair in pairs if len(pair) == 2 and any(map(str.isalpha, pair[1]))]
    return 3 * len(n_words) > len(lines) and sum(n_words) >= enough * len(n_words)


def count_words(text: str) -> float:
    """About how many words a text has, also of scripts that have no spaces between them.

    >>> count_words("two words"), count_words("機械学習 2 冊"), count_words("ภาษาไทย")
    (2, 3.5, 1.75)
    """
    if text.isascii():
        return len(text.split())
    two, four = (len(re.findall(letters, text)) for letters in (_TWO_A_WORD, _FOUR_A_WORD))
    return len(re.sub(f"{_TWO_A_WORD}|{_FOUR_A_WORD}", " ", text).split()) + two / 2 + four / 4


def looks_like_tsv(lines: Sequence[str]) -> bool:
    return _is_separated_by("\t", lines)


def looks_like_csv(lines: Sequence[str]) -> bool:
    return _is_separated_by(",", lines) or _is_separated_by(";", lines)


def _is_separated_by(separator: str, lines: Sequence[str]) -> bool:
    def count(line: str) -> int:
        return re.sub(r'"[^"]*"', "", line).count(separator)

    counts = [count(line) for line in lines]
    usual = max(set(counts), key=counts.count, default=0)
    return usual > 0 and _mostly(lines, lambda line: count(line) == usual)
