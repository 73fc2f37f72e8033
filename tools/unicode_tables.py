"""Writes cpp/words/unicode_tables.hpp: which characters make words, and their lower case, as ranges.

    python tools/unicode_tables.py > cpp/words/unicode_tables.hpp

A character is of one of three kinds. Joining: letters, marks, numbers (categories L, M, N), the underscore; words are
runs of them. Alone: a word by itself: Han, Hiragana and Katakana characters, which are written without spaces, and
symbols of category So, among them the emoji. Everything else separates. Since the second splitting, letters of other
scripts without spaces are alone too (clusters); marks stay with the character before them, and compose with it where
Unicode has one character for both; invisible characters are left out. Hashed models depend on these tables: one made by
a newer Unicode may read a few rare characters differently, so the version is part of the header.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterator
from itertools import groupby

LAST = 0x10FFFF
ALONE = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA")
CLUSTERS = ("THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "AHOM ")
ZERO_WIDTH_SPACE = 0x200B  # a space, for scripts that show none
HANGUL = range(0xAC00, 0xD7A4)
JAMO = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))  # the second and third parts of a syllable
WIDTH = 118


def kind(code: int) -> str:
    """'' for a separator, 'joining' or 'alone'."""
    letter = chr(code)
    category = unicodedata.category(letter)
    if category == "So":
        return "alone"
    if category[0] in "LMN":
        name = unicodedata.name(letter, "").removeprefix("HALFWIDTH ").removeprefix("VERTICAL ")
        return "alone" if category[0] != "M" and name.startswith(ALONE) else "joining"
    return "joining" if letter == "_" else ""


def lower_difference(code: int) -> int:
    """The simple lower case, one character for one: of the one that becomes two, the first."""
    return ord(chr(code).lower()[0]) - code


def compositions() -> list[tuple[int, int, int]]:
    """(first, second, the one character that is equal to both), without Hangul, sorted."""
    parts = [unicodedata.decomposition(chr(code)).split() for code in range(LAST + 1)]
    pairs = [[int(part, 16) for part in both] for both in parts if len(both) == 2 and not both[0].startswith("<")]
    firsts = {first for first, _ in pairs}
    firsts |= {code for code, both in enumerate(parts) if both and not both[0].startswith("<")}
    seconds = {second for _, second in pairs}
    composed = (
        (first, second, unicodedata.normalize("NFC", chr(first) + chr(second)))
        for first in sorted(firsts - {*HANGUL})
        for second in sorted(seconds)
    )
    return [(first, second, ord(one)) for first, second, one in composed if len(one) == 1]


COMPOSING = {second for _, second, _ in compositions()} | {*JAMO}


def newer_kind(code: int) -> str:
    """What the second splitting does otherwise: '', 'cluster', 'mark', 'composing' or 'invisible'."""
    letter = chr(code)
    category, name = unicodedata.category(letter), unicodedata.name(letter, "")
    if (category == "Cf" and code != ZERO_WIDTH_SPACE) or "VARIATION SELECTOR" in name:
        return "invisible"
    if code in COMPOSING:
        return "composing"
    if category[0] == "M":
        return "mark"
    return "cluster" if category[0] == "L" and name.startswith(CLUSTERS) else ""


def ranges(kind: Callable[[int], str]) -> Iterator[tuple[int, int, str]]:
    for name, run in groupby(range(LAST + 1), kind):
        codes = list(run)
        if name:
            yield codes[0], codes[-1], name


def shifts() -> list[list[int]]:
    """Runs [first, last, stride, difference] of characters whose lower case is equally far away."""
    runs: list[list[int]] = []
    for code in range(128, LAST + 1):
        difference = lower_difference(code)
        if difference == 0:
            continue
        last = runs[-1] if runs else None
        if last and last[3] == difference:
            stride = code - last[1]
            if last[0] == last[1] and stride <= 2:
                last[1:3] = [code, stride]
                continue
            if last[2] == stride and last[0] != last[1]:
                last[1] = code
                continue
        runs.append([code, code, 1, difference])
    return runs


def listed(items: list[str]) -> str:
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join([*lines, line])


def shown(kind: Callable[[int], str], wanted: str) -> list[str]:
    return [f"{{0x{first:X}, 0x{last:X}}}" for first, last, name in ranges(kind) if name == wanted]


def main() -> None:
    joining, alone = (listed(shown(kind, name)) for name in ("joining", "alone"))
    newer = "\n\n".join(
        f"inline constexpr Range {name}_ranges[] = {{\n{listed(shown(newer_kind, name))}\n}};"
        for name in ("cluster", "mark", "composing", "invisible")
    )
    pairs = listed([f"{{0x{a:X}, 0x{b:X}, 0x{one:X}}}" for a, b, one in compositions()])
    lowers = [f"{{0x{a:X}, 0x{b:X}, {stride}, {delta}}}" for a, b, stride, delta in shifts()]
    version = unicodedata.unidata_version
    sys.stdout.write(f"""// Generated by tools/unicode_tables.py from Unicode {version}; do not edit.
#pragma once

#include <cstdint>

namespace rosenblatt::unicode {{

// The last three are used only by the second version of splitting texts into words.
enum Kind : std::uint8_t {{ separator, joining, alone, mark, composing, invisible }};

struct Range {{
    std::uint32_t first, last;
}};

// Characters first, first + stride, ..., last have their lower case at `difference` from themselves.
struct Shift {{
    std::uint32_t first, last, stride;
    std::int32_t difference;
}};

// Two characters that are canonically equal to one.
struct Pair {{
    std::uint32_t first, second, composed;
}};

inline constexpr char version[] = "{version}";

inline constexpr Range joining_ranges[] = {{
{joining}
}};

inline constexpr Range alone_ranges[] = {{
{alone}
}};

{newer}

inline constexpr Pair pairs[] = {{
{pairs}
}};

inline constexpr Shift shifts[] = {{
{listed(lowers)}
}};

}}  // namespace rosenblatt::unicode
""")


if __name__ == "__main__":
    main()
