"""Predict with a linear model of Rosenblatt, in plain Python: this file needs nothing but the standard library.

predict(example) gives the label, scores(example) the score of the second class or of every class, and
probabilities(example) the probability of every class by its label. If an example may have several labels, predict
gives a list of them, and each label has a score and a probability of its own. If the model predicts a number, predict
gives the number, and scores a list with this number, or with its quantiles in ascending order. An example is

- for a table: a dict from the names of columns to cells, as text or as Python values; None and '' are missing;
- for text: a string; for VW text: a line of it;
- for numbered features: a dict from feature numbers to values, a list of values, or a line of svmlight.

As a program it reads examples from standard input, like `rosenblatt predict`, and prints one label per line; a table
begins with the names of its columns. Scores are the same as Rosenblatt's, bit for bit; a text is split into words by
the Unicode tables of this Python.
"""

from __future__ import annotations

import csv
import datetime
import json
import math
import os
import re
import sys
import unicodedata
from typing import Any

MODEL: dict[str, Any] = json.loads("{}")

_SEVERAL = MODEL.get("scheme") == "multi-label"
_NUMBER = MODEL.get("scheme") == "number"

_MASK = 2**64 - 1
_K0, _K1, _K2, _K3 = 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1
_ALONE = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "HIRAGANA", "KATAKANA")
_CLUSTERS = ("THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "AHOM ")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_EPOCH = datetime.datetime(1970, 1, 1)
_MICROSECOND = datetime.timedelta(microseconds=1)
_DAY = 86_400_000_000  # microseconds


def predict(example: Any) -> Any:
    """The label of an example, or a list of its labels, or its number."""
    if _NUMBER:
        return scores(example)[MODEL["target"]["median"]]
    if _SEVERAL:
        rows = zip(MODEL["classes"], scores(example), MODEL["above"], strict=True)
        return [label for label, score, above in rows if score > above]
    return MODEL["classes"][_decided(scores(example))]


def scores(example: Any) -> list[float]:
    """The score of the second of two classes, or the score of every class, or the number and its quantiles."""
    units = _unit_scores(_features(example))
    if _NUMBER:
        return sorted(score * MODEL["target"]["width"] + MODEL["target"]["centre"] for score in units)
    return _votes(units) if MODEL["scheme"] == "ovo" else units


def probabilities(example: Any) -> dict[Any, float]:
    """The probability of every class."""
    return dict(zip(MODEL["classes"], _probabilities(scores(example)), strict=True))


# -- from features to a decision --------------------------------------------------------------------------------------


def _unit_scores(features: list[tuple[int, float]]) -> list[float]:
    """w.x + b of every unit, summed in eight lanes by column, as Rosenblatt sums on every machine."""
    by_column: dict[int, float] = {}
    for column, value in features:
        by_column[column] = by_column[column] + value if column in by_column else value
    totals = []
    for unit, intercept in enumerate(MODEL["intercept"]):
        lane = [0.0] * 8
        for column in sorted(by_column):
            weights = MODEL["weights"].get(str(column))
            if weights is not None:
                lane[column % 8] += weights[unit] * by_column[column]
        total = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
        totals.append(total + intercept)
    return totals


def _votes(units: list[float]) -> list[float]:
    """A vote for the winner of each pair; summed scores, scaled to less than half a vote, break ties."""
    n_classes = len(MODEL["classes"])
    votes, sums, unit = [0.0] * n_classes, [0.0] * n_classes, 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            votes[j if units[unit] > 0 else i] += 1.0
            sums[i] -= units[unit]
            sums[j] += units[unit]
            unit += 1
    return [vote + total / (3.0 * (abs(total) + 1.0)) for vote, total in zip(votes, sums, strict=True)]


def _decided(scores: list[float]) -> int:
    if len(scores) == 1:
        return int(scores[0] > MODEL["above"])
    return scores.index(max(scores))


def _probabilities(scores: list[float]) -> list[float]:
    if MODEL["probabilities"] is None:
        raise ValueError("this model gives no probabilities")
    if _SEVERAL:
        maps = zip(MODEL["probabilities"], scores, strict=True)
        return [_positive_probability(kind, numbers, score) for (kind, numbers), score in maps]
    kind, numbers = MODEL["probabilities"]
    n, doubt = len(scores), 0.0
    if n == 1:
        positive = _positive_probability(kind, numbers, scores[0])
        return [1.0 - positive, positive]
    if kind == "temperature":
        z = [numbers[0] * max(score - max(scores), -numbers[1]) for score in scores]
        doubt = sum(numbers[2:])
    else:
        clipped = [min(max(score, numbers[-2]), numbers[-1]) for score in scores]
        z = [numbers[k] * score + numbers[n + k] for k, score in enumerate(clipped)]
    grown = [math.exp(one - max(z)) for one in z]
    return [(1.0 - doubt) * (one / sum(grown)) + doubt / n for one in grown]


def _positive_probability(kind: str, numbers: list[float], score: float) -> float:
    if kind == "isotonic":
        return _interpolated(numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :], score)
    if kind == "temperature":
        return _sigmoid(numbers[0] * min(max(score, -numbers[1]), numbers[1]))
    z = numbers[0] * min(max(score, numbers[-2]), numbers[-1]) + numbers[1]
    if kind == "beta":
        u, v, c = numbers[2:5]
        z = c + v * _softplus(z) - u * _softplus(-z)
    return _sigmoid(z)


def _sigmoid(z: float) -> float:
    small = math.exp(-abs(z))
    return (1.0 if z > 0 else small) / (1.0 + small)


def _softplus(z: float) -> float:
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


def _interpolated(knots: list[float], values: list[float], score: float) -> float:
    right = sum(knot <= score for knot in knots)
    if right in (0, len(knots)):
        return values[0] if right == 0 else values[-1]
    part = (score - knots[right - 1]) / (knots[right] - knots[right - 1])
    return values[right - 1] + part * (values[right] - values[right - 1])


# -- from an example to features --------------------------------------------------------------------------------------


def _features(example: Any) -> list[tuple[int, float]]:
    """(column, value) of every feature of the example that the model may know."""
    kind = MODEL["kind"]
    if kind == "table":
        features = _table_features(example)
    elif kind == "text":
        features = _text_features([(str(example), 0)])
    elif kind == "vw":
        features = _vw_features(example)
    else:
        features = _numbered_features(example)
    return features if MODEL["degree"] == 1 else _products(dict(features))


def _products(values: dict[int, float]) -> list[tuple[int, float]]:
    products = []
    for column, factors in MODEL["factors"].items():
        product = 1.0
        for k, factor in enumerate(reversed(factors)):
            value = values.get(factor, 0.0)
            product = value if k == 0 else value * product
        products.append((int(column), product))
    return products


def _numbered_features(example: Any) -> list[tuple[int, float]]:
    base = MODEL["index_base"]
    if isinstance(example, str):
        words = (word for word in example.partition("#")[0].split() if ":" in word and not word.startswith("qid:"))
        example = {int(word.partition(":")[0]): float(word.partition(":")[2]) for word in words}
    elif not isinstance(example, dict):
        example = {base + i: value for i, value in enumerate(example)}
    values = {number - base: float(value) for number, value in example.items()}
    shift, scale = MODEL["shift"], MODEL["scale"]
    for j in range(len(shift)):
        values[j] = (values.get(j, 0.0) - shift[j]) * scale[j]
    return list(values.items())


def _table_features(row: dict[str, Any]) -> list[tuple[int, float]]:
    """Numbers, then words, indicators of missing numbers, products of crossed columns, and hashed texts."""
    row = {**dict.fromkeys(MODEL["optional"]), **row}
    lacking = [column for column in (*MODEL["numbers"], *MODEL["words"], *MODEL["texts"]) if column not in row]
    if lacking:
        raise KeyError(f"the example has no column {lacking[0]!r}")
    present: dict[str, list[tuple[str, float]]] = {}  # column -> its features, for products
    features = []
    for j, column in enumerate(MODEL["numbers"]):
        raw = _number(row[column], column)
        is_missing = raw is None or math.isnan(raw)
        value = 0.0 if raw is None or is_missing else _scaled(raw, column, j)
        features.append((j, value))
        present[column] = [(column, value)]
        if is_missing and _has_indicator(column):
            present[column].append((f"{column}=missing", 1.0))
    for column in MODEL["words"]:
        word = _word(row[column])
        word = _whole_number(word) if word is not None and column in MODEL.get("names", ()) else word
        present[column] = [] if word is None else [(f"{column}={word}", 1.0)]
    for column, (form, has_hours, _) in MODEL["dates"].items():
        micros = None if _number(row[column], column) is None else _micros(row[column], form)
        if micros is not None:
            present[f"{column} weekday"] = [(f"{column} weekday={_WEEKDAYS[(micros // _DAY + 3) % 7]}", 1.0)]
            if has_hours:
                present[f"{column} hour"] = [(f"{column} hour={micros % _DAY // 3_600_000_000:02}", 1.0)]
    named = [(name, value) for names in present.values() for name, value in names if name not in MODEL["numbers"]]
    for a, b in MODEL["cross"]:
        for left, x in present.get(a, ()):
            named += [(f"{left} ^ {right}", x * y) for right, y in present.get(b, ())]
    features += [(column, value) for name, value in named if (column := _column(name)) is not None]
    if MODEL["texts"]:
        alone = MODEL["texts"] if len(MODEL["texts"]) == 1 else [MODEL["first_text"]]
        texts = [(_text(row[name]), 0 if name in alone else _hash(name.encode(), 0)) for name in MODEL["texts"]]
        features += _text_features(texts)
    return features


def _has_indicator(column: str) -> bool:
    if not MODEL["texts"]:
        return f"{column}=missing" in MODEL["columns"]
    return MODEL["indicators"] is None or column in MODEL["indicators"]


def _column(name: str) -> int | None:
    if MODEL["texts"]:
        return int((_hash(name.encode(), 0) >> (64 - MODEL["bits"])) + len(MODEL["numbers"]))
    column: int | None = MODEL["columns"].get(name)
    return column


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in MODEL["missing"])


def _number(cell: Any, column: str) -> float | None:
    """A cell of a column of numbers; a date as the days since 1970."""
    if isinstance(cell, str) and column in MODEL["written"]:
        cell = _plain(cell, *MODEL["written"][column])
    if _is_missing(cell):
        return None
    if column in MODEL["dates"]:
        micros = _micros(cell, MODEL["dates"][column][0])
        return None if micros is None else micros / float(_DAY)
    if isinstance(cell, str) and cell.strip().lower() in ("true", "false"):
        return float(cell.strip().lower() == "true")
    return float(cell)


def _plain(
    cell: str, pattern: str, decimal: str, thousands: str, _before: str, _after: str, _brackets: bool, missing: Any
) -> str | None:
    """A number written like ($1,234.50), as plain digits."""
    cell = re.sub("[\u00a0\u2009\u202f]", " ", cell).replace("\u2212", "-").strip()
    if cell.lower() in missing:
        return None
    match = re.match(pattern, cell)
    if match is None or not re.search("[0-9]", match["number"]):
        return cell
    negative = bool(match["open"]) != ((match["sign"] + match["second"]) == "-")
    number = match["number"].replace(thousands, "") if thousands else match["number"]
    return ("-" if negative else "") + number.replace(decimal, ".")


def _scaled(value: float, column: str, j: int) -> float:
    if column in MODEL["logs"]:
        centre, width = MODEL["logs"][column]
        distance = (value - centre) / width
        mantissa, exponent = math.frexp(1.0 + abs(distance))
        value = math.copysign(exponent + 2.0 * mantissa - 2.0, distance)
    return (value - MODEL["shift"][j]) * MODEL["scale"][j] if MODEL["shift"] else value


def _word(cell: Any) -> str | None:
    if _is_missing(cell):
        return None
    return str(cell).lower() if isinstance(cell, bool) else str(cell).strip()


def _whole_number(word: str) -> str:
    """A whole number in the form that the model knows: 7 for 007 and 7.0."""
    try:
        value = math.nan if "_" in word else float(word)
    except ValueError:
        return word
    return str(int(value)) if abs(value) < 2.0**53 and value == int(value) else word


def _text(cell: Any) -> str:
    return "" if cell is None or cell in MODEL["missing"] else str(cell)


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    number: int | None = MODEL["months"].get(text.lower())
    if number is None:
        raise ValueError(f"expected the name of a month, found {text!r}")
    return number


def _micros(cell: Any, form: str) -> int | None:
    """Microseconds since 1970, in UTC."""
    if _is_missing(cell):
        return None
    if isinstance(cell, datetime.datetime):
        moment = cell.astimezone(datetime.UTC).replace(tzinfo=None) if cell.tzinfo else cell
        return (moment - _EPOCH) // _MICROSECOND
    if isinstance(cell, datetime.date):
        return (cell - _EPOCH.date()).days * _DAY
    match = re.match(MODEL["patterns"][form], str(cell).strip())
    if match is None:
        raise ValueError(f"expected a date ({form}), found {cell!r}")
    day = datetime.date(int(match["year"]), _month(match["month"]), int(match["day"]))
    micros = (day - _EPOCH.date()).days * _DAY
    if match["time"]:
        hour, minute, *second = match["time"][1:].split(":")
        whole, _, fraction = second[0].partition(".") if second else ("0", "", "")
        micros += ((int(hour) * 60 + int(minute)) * 60 + int(whole)) * 1_000_000 + int(fraction[:6].ljust(6, "0"))
    zone = match["zone"]
    if zone not in ("", "Z"):
        minutes = int(zone[1:3]) * 60 + int(zone[-2:])
        micros -= (-minutes if zone[0] == "-" else minutes) * 60_000_000
    return micros


# -- hashed words -----------------------------------------------------------------------------------------------------


def _mix(a: int, b: int) -> int:
    product = a * b
    return (product & _MASK) ^ (product >> 64)


def _hash(data: bytes, seed: int) -> int:
    s, rest = seed ^ _K0, data
    while len(rest) > 16:
        s = _mix(int.from_bytes(rest[:8], "little") ^ _K1, int.from_bytes(rest[8:16], "little") ^ s)
        rest = rest[16:]
    rest = rest.ljust(16, b"\0")
    s = _mix(int.from_bytes(rest[:8], "little") ^ _K1, int.from_bytes(rest[8:], "little") ^ s)
    return _mix(s ^ len(data), _K2)


def _join(phrase: int, word: int) -> int:
    return _mix((phrase + _K3) & _MASK, word ^ _K1)


def _kind(letter: str) -> str:
    category, name = unicodedata.category(letter), unicodedata.name(letter, "")
    if MODEL["splitting"] > 1:
        if (category == "Cf" and letter != "\u200b") or "VARIATION SELECTOR" in name:
            return "invisible"
        if category[0] == "M" or "\u1161" <= letter <= "\u1175" or "\u11a8" <= letter <= "\u11c2":
            return "mark"
        if category[0] == "L" and name.startswith(_CLUSTERS):
            return "alone"
    if category == "So":
        return "alone"
    if category[0] not in "LMN":
        return "joining" if letter == "_" else "separator"
    name = name.removeprefix("HALFWIDTH ").removeprefix("VERTICAL ")
    return "alone" if category[0] != "M" and name.startswith(_ALONE) else "joining"


def _runs(text: str) -> list[list[str]]:
    """The words of a text, each in a list of its own; adjacent characters that are words themselves share a list."""
    runs: list[list[str]] = []
    open_word = alone = False
    for letter in text:
        kind, lower = _kind(letter), letter.lower()[0]
        if kind == "invisible":
            continue
        if kind == "mark" and open_word:
            both = unicodedata.normalize("NFC", runs[-1][-1][-1] + lower)
            runs[-1][-1] = runs[-1][-1][:-1] + both if len(both) == 1 else runs[-1][-1] + lower
        elif kind == "alone" and open_word and alone:
            runs[-1].append(lower)
        elif kind == "joining" and open_word and not alone:
            runs[-1][-1] += lower
        elif kind != "separator":
            runs.append([lower])
            alone = kind == "alone"
        open_word = kind != "separator"
    return runs


def _grams(run: list[str]) -> list[bytes]:
    """The character n-grams of a word, with a space before and after it, except the whole of it."""
    shortest, longest = MODEL["chars"]
    marked = f" {''.join(run)} "
    grams = (
        marked[i : i + n]
        for n in range(shortest, min(longest, len(marked) - 1) + 1)
        for i in range(len(marked) - n + 1)
    )
    return [gram.encode() for gram in grams if gram != " "]


def _text_features(texts: list[tuple[str, int]]) -> list[tuple[int, float]]:
    """The words, phrases and character n-grams of texts, each text with the seed of its column, as one row."""
    codes: list[int] = []
    for text, seed in texts:
        runs = _runs(text.encode("utf-8", "replace").decode())
        hashes = [_hash(word.encode(), seed) for run in runs for word in run]
        for end in range(1, len(hashes) + 1):
            for length in range(1, min(MODEL["ngrams"], end) + 1):
                code = hashes[end - length]
                for word in hashes[end - length + 1 : end]:
                    code = _join(code, word)
                codes.append(code)
        if MODEL["chars"]:
            codes += [_hash(gram, seed ^ _K3) for run in runs for gram in _grams(run)]
    counts: dict[int, int] = {}
    for code in codes:
        column = (code >> (64 - MODEL["bits"])) + len(MODEL["numbers"])
        counts[column] = counts.get(column, 0) + 1
    value = MODEL["value"]
    squares = sum(n * n if value == "count" else n if value == "sqrt" else 1 for n in counts.values())
    over = float(squares) if MODEL["unit"] else 1.0
    if value == "sqrt":
        return [(column, math.sqrt(n / over)) for column, n in counts.items()]
    return [(column, (n if value == "count" else 1) / math.sqrt(over)) for column, n in counts.items()]


def _vw_features(line: str) -> list[tuple[int, float]]:
    """`[label] |namespace[:scale] name[:value] ...`, names hashed together with their namespaces."""
    spaces: list[tuple[str, list[tuple[int, float]]]] = []
    for part in line.partition("|")[2].split("|"):
        words = re.findall(r"[^ \t\r\n]+", part)
        named = bool(part) and part[0] not in " \t\r\n"
        space, scale = _name_and_value(words.pop(0)) if named else ("", 1.0)
        seed, features = _hash(space.encode(), 0), []
        for word in words:
            name, value = _name_and_value(word)
            features.append((_hash(name.encode(), seed), value * scale))
        spaces.append((space, features))
    products = []
    for a, b in MODEL["cross"]:
        left, right = (
            [feature for space, features in spaces if space == name for feature in features] for name in (a, b)
        )
        products += [(_join(one, other), x * y) for one, x in left for other, y in right]
    every = [*(feature for _, features in spaces for feature in features), *products]
    return [(code >> (64 - MODEL["bits"]), value) for code, value in every]


def _name_and_value(word: str) -> tuple[str, float]:
    name, colon, value = word.rpartition(":")
    return (name, float(value)) if colon else (word, 1.0)


def main() -> None:
    if MODEL["kind"] == "table":
        for row in csv.DictReader(sys.stdin, delimiter=MODEL["separator"]):
            _print(predict(row))
        return
    for line in sys.stdin:
        if line.strip():
            _print(predict(line.rpartition("\t")[2] if MODEL["kind"] == "text" else line))


def _print(label: Any) -> None:
    print(MODEL["label_separator"].join(map(str, label)) if _SEVERAL else label, flush=True)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # nobody reads the answers any more; nor shall the flush at exit complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
