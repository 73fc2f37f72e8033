"""Writes cpp/words/unicode_tables.hpp: which characters make words, and their lower case, as ranges.

    python tools/unicode_tables.py > cpp/words/unicode_tables.hpp

A character is of one of three kinds. Joining: letters, marks, numbers (categories L, M, N), the underscore; words are
runs of them. Alone: a word by itself: Han, Hiragana and Katakana characters, which are written without spaces, and
symbols of category So, among them the emoji. Everything else separates. Hashed models depend on these tables: one made
by a newer Unicode may read a few rare characters differently, so the version is part of the header.
"""

import sys
import unicodedata
from collections.abc import Iterator
from itertools import groupby

LAST = 0x10FFFF
ALONE = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA")
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


def ranges() -> Iterator[tuple[int, int, str]]:
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


def main() -> None:
    joining, alone = (
        [f"{{0x{a:X}, 0x{b:X}}}" for a, b, name in ranges() if name == kind_name] for kind_name in ("joining", "alone")
    )
    lowers = [f"{{0x{a:X}, 0x{b:X}, {stride}, {delta}}}" for a, b, stride, delta in shifts()]
    version = unicodedata.unidata_version
    sys.stdout.write(f"""// Made by tools/unicode_tables.py from Unicode {version}; not to be edited.
#pragma once

#include <cstdint>

namespace rosenblatt::unicode {{

enum Kind : std::uint8_t {{ separator, joining, alone }};

struct Range {{
    std::uint32_t first, last;
}};

// Characters first, first + stride, ..., last have their lower case at `difference` from themselves.
struct Shift {{
    std::uint32_t first, last, stride;
    std::int32_t difference;
}};

inline constexpr char version[] = "{version}";

inline constexpr Range joining_ranges[] = {{
{listed(joining)}
}};

inline constexpr Range alone_ranges[] = {{
{listed(alone)}
}};

inline constexpr Shift shifts[] = {{
{listed(lowers)}
}};

}}  // namespace rosenblatt::unicode
""")


if __name__ == "__main__":
    main()
