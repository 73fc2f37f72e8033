"""Slow twin of the native words: text to hashed features in plain Python."""

import math
import unicodedata
from collections.abc import Iterator

K0, K1, K2, K3 = 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1
MASK = 2**64 - 1
ALONE = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA")


def characters(data: bytes) -> Iterator[str]:
    """The characters of UTF-8 text; each invalid byte becomes a space."""
    at = 0
    while at < len(data):
        for length in (1, 2, 3, 4):
            try:
                yield data[at : at + length].decode("utf-8")
                break
            except UnicodeDecodeError:
                continue
        else:
            length = 1
            yield " "
        at += length


def kind(letter: str) -> str:
    category = unicodedata.category(letter)
    if category == "So":
        return "alone"
    if category[0] not in "LMN":
        return "joining" if letter == "_" else "separator"
    name = unicodedata.name(letter, "").removeprefix("HALFWIDTH ").removeprefix("VERTICAL ")
    return "alone" if category[0] != "M" and name.startswith(ALONE) else "joining"


def words(data: bytes) -> list[bytes]:
    all_words, word = [], ""
    for letter in [*characters(data), " "]:
        letter_kind = kind(letter)
        if letter_kind == "joining":
            word += letter.lower()[0]
            continue
        if word:
            all_words.append(word.encode())
        word = ""
        if letter_kind == "alone":
            all_words.append(letter.lower()[0].encode())
    return all_words


def mix(a: int, b: int) -> int:
    product = a * b
    return (product & MASK) ^ (product >> 64)


def hashed(data: bytes, seed: int = 0) -> int:
    number = int.from_bytes
    s, rest = seed ^ K0, data
    while len(rest) > 16:
        s = mix(number(rest[:8], "little") ^ K1, number(rest[8:16], "little") ^ s)
        rest = rest[16:]
    rest = rest.ljust(16, b"\0")
    s = mix(number(rest[:8], "little") ^ K1, number(rest[8:], "little") ^ s)
    return mix(s ^ len(data), K2)


def phrases(all_words: list[bytes], ngrams: int, seed: int = 0) -> Iterator[tuple[bytes, int]]:
    """Each word and the phrases that end with it, shortest first, with their hashes."""
    for end in range(1, len(all_words) + 1):
        for length in range(1, min(ngrams, end) + 1):
            part = all_words[end - length : end]
            value = hashed(part[0], seed)
            for word in part[1:]:
                value = mix((value + K3) & MASK, hashed(word, seed) ^ K1)
            yield b" ".join(part), value


def features(data: bytes, bits: int, ngrams: int, value: str, unit: bool) -> dict[int, float]:
    """Column -> value, in order of first appearance."""
    counts: dict[int, int] = {}
    for _, code in phrases(words(data), ngrams):
        column = code >> (64 - bits)
        counts[column] = counts.get(column, 0) + 1
    square = {"count": lambda n: n * n, "binary": lambda n: 1, "sqrt": lambda n: n}[value]
    over = float(sum(map(square, counts.values()))) if unit else 1.0
    worth = {
        "count": lambda n: n / math.sqrt(over),
        "binary": lambda n: 1 / math.sqrt(over),
        "sqrt": lambda n: math.sqrt(n / over),
    }[value]
    return {column: worth(n) for column, n in counts.items()}
