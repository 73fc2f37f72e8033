"""Slow twin of the native words: text to hashed features in plain Python."""

import math
import unicodedata
from collections.abc import Iterator

K0, K1, K2, K3 = 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1
MASK = 2**64 - 1
ALONE = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA")


CLUSTERS = ("THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "AHOM ")


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
    return [word for run in runs(data) for word in run]


def runs(data: bytes) -> list[list[bytes]]:
    """The words of a text; characters side by side that are each a word are in one list, all other words alone.

    Invisible characters are dropped, then marks composed, then the text is cut; the native code does all at once.
    """
    letters = [(newer_kind(letter), letter.lower()[0]) for letter in characters(data)]
    letters = [(kind, letter) for kind, letter in letters if kind != "invisible"]
    composed: list[tuple[str, str]] = []
    for kind, letter in letters:
        one = ""
        if kind == "mark" and composed and composed[-1][0] != "separator":
            one = unicodedata.normalize("NFC", composed[-1][1] + letter)
        if len(one) == 1:
            composed[-1] = composed[-1][0], one
        else:
            composed.append((kind, letter))
    cut: list[list[str]] = []
    before = "separator"  # the kind of what the last word is made of
    for kind, letter in composed:
        if kind == "mark" and before != "separator":
            cut[-1][-1] += letter
            continue
        kind = "joining" if kind == "mark" else kind
        if kind == "joining" == before:
            cut[-1][-1] += letter
        elif kind == "alone" == before:
            cut[-1].append(letter)
        elif kind != "separator":
            cut.append([letter])
        before = kind
    return [[word.encode() for word in run] for run in cut]


def newer_kind(letter: str) -> str:
    category, name = unicodedata.category(letter), unicodedata.name(letter, "")
    if (category == "Cf" and letter != "\u200b") or "VARIATION SELECTOR" in name:
        return "invisible"
    if category[0] == "M" or ord(letter) in range(0x1161, 0x1176) or ord(letter) in range(0x11A8, 0x11C3):
        return "mark"
    if category[0] == "L" and name.startswith(CLUSTERS):
        return "alone"
    return kind(letter)


def grams(run: list[bytes], shortest: int, longest: int, seed: int = 0) -> Iterator[tuple[bytes, int]]:
    """The character n-grams of a run of words, as they are shown, with their hashes."""
    text = " " + b"".join(run).decode() + " "
    for n in range(shortest, longest + 1):
        for i in range(len(text) - n + 1):
            gram = text[i : i + n]
            if gram not in (" ", text):
                shown = gram[1:] if i == 0 else "*" + gram
                shown = shown[:-1] if i + n == len(text) else shown + "*"
                yield shown.encode(), hashed(gram.encode(), seed ^ K3)


def plain_words(data: bytes) -> list[bytes]:
    """The first splitting, of old models."""
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


def features(
    data: bytes, bits: int, ngrams: int, value: str, unit: bool, chars: tuple[int, int] | None = None
) -> dict[int, float]:
    """Column -> value, in order of first appearance."""
    counts: dict[int, int] = {}
    parts = [part for run in runs(data) for part in grams(run, *chars)] if chars else []
    for _, code in [*phrases(words(data), ngrams), *parts]:
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
