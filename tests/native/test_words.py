"""Words in native code and in plain Python: the same words, hashes, columns and values, for any number of threads."""

import time
import unicodedata
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt import native
from rosenblatt.readers.hashing.column_names import collisions, column_names
from tests.slow_twins.readers import words as slow

same_unicode = pytest.mark.skipif(
    unicodedata.unidata_version != native.unicode_version(), reason="this Python has tables of another Unicode"
)
texts = st.one_of(
    st.text(max_size=300).map(lambda text: text.encode("utf-8", errors="surrogatepass")),
    st.binary(max_size=300),
    st.text("aZ_9 .é\u0301Σ漢カ😀\t", max_size=300).map(str.encode),
    st.text("ae\u0301\u0323\u0302 か\u3099ท\u0e35\u0e48ក\u17d2\u1112\u1161\u11ab\u00ad\ufe0f\u200b❤", max_size=100).map(
        str.encode
    ),
)
lengths = st.one_of(st.none(), st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda pair: (pair[0], sum(pair))))


def hashing(
    bits: int = 20,
    ngrams: int = 1,
    value: str = "count",
    unit: bool = False,
    first: int = 0,
    chars: tuple[int, int] | None = None,
    splitting: int = 2,
) -> Any:
    return native.Hashing(
        bits=bits, ngrams=ngrams, value=value, unit=unit, first=first, chars=chars, splitting=splitting
    )


def parse(data: bytes, hashing_options: Any, kind: str = "plain", names: Any = None, skip: bool = False) -> Any:
    parsed, candidates = native.parse_text(
        data, 0, len(data), kind=kind, hashing=hashing_options, names=names, skip=skip
    )
    return (*(np.asarray(part) for part in parsed[:4]), *parsed[4:]), candidates


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, WORLD!", ["hello", "world"]),
        ("ÉCOLE Straße İstanbul", ["école", "straße", "istanbul"]),
        ("e\u0301t\u0301", ["ét\u0301"]),
        ("e\u0302\u0323 e\u0323\u0302", ["ệ", "ệ"]),  # Vietnamese, in either order of the marks
        ("\u1112\u1161\u11ab글", ["한글"]),  # Hangul in parts
        ("ที่นี่ ok", ["ที่", "นี่", "ok"]),  # Thai: a letter with its vowel and tone
        ("ភាសាខ្មែរ", ["ភា", "សា", "ខ្", "មែ", "រ"]),
        ("か\u3099き", ["が", "き"]),
        ("a❤\ufe0f漢b", ["a", "❤", "漢", "b"]),
        ("co\u00adop می\u200cدل ไทย\u200bลาว", ["coop", "میدل", "ไ", "ท", "ย", "ล", "า", "ว"]),
        ("ПРИВЕТ مرحبا שלום", ["привет", "مرحبا", "שלום"]),
        ("ΣΊΣΥΦΟΣ", ["σίσυφοσ"]),
        ("日本語テスト", list("日本語テスト")),
        ("so 😀👍 good", ["so", "😀", "👍", "good"]),
        ("don't x_1 3.14", ["don", "t", "x_1", "3", "14"]),
        ("Ⱥ" * 40, ["ⱥ" * 40]),  # three bytes in lower case, two in upper case
        ("K", ["k"]),  # the kelvin sign: one byte in lower case, three in upper case
        ("नमस्ते", ["नमस्ते"]),
        ("", []),
        ("a" * 5000, ["a" * 5000]),
    ],
)
def test_words_of_many_scripts(text: str, words: list[str]) -> None:
    assert [word.decode() for word in native.split_words(text.encode())] == words


@pytest.mark.parametrize(
    "text", [b"a\xffb", b"a\xc3", b"a\xe2\x82b", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xf0\x9f\x98"]
)
def test_bytes_that_are_not_utf8_separate_words(text: bytes) -> None:
    assert native.split_words(text) == slow.words(text)


@same_unicode
def test_every_character_is_of_the_kind_and_case_its_tables_say() -> None:
    for start in range(0, 0x110000, 0x1000):
        block = "x".join(chr(code) for code in range(start, start + 0x1000) if not 0xD800 <= code < 0xE000)
        if start < 0x34000 or start == 0xE0000:
            assert native.split_words(block.encode()) == slow.words(block.encode()), hex(start)


@same_unicode
@given(texts)
@example(b"a " * 200)  # more words in sixty-four bytes than others have
@example(b"a" * 64 + b" " + b"b" * 63 + b" c")  # words that end with a block of bytes
def test_words_are_those_of_the_slow_twin(text: bytes) -> None:
    assert native.split_words(text) == slow.words(text)
    assert native.split_words(text, 1) == slow.plain_words(text)


@same_unicode
def test_pairs_of_characters_are_composed_as_unicode_says() -> None:
    composed = [chr(code) for code in range(0x80, 0x30000) if len(unicodedata.normalize("NFD", chr(code))) > 1]
    for form in ("NFD", "NFC"):
        text = " ".join(unicodedata.normalize(form, letter) for letter in composed).encode()
        assert native.split_words(text) == slow.words(text)
    latin = " ".join(
        letter for letter in composed if letter.isalpha() and (letter < "\u2000" or letter >= "\uac00")
    ).lower()
    parts = [unicodedata.normalize(form, latin).encode() for form in ("NFC", "NFD")]
    assert native.split_words(parts[0]) == native.split_words(parts[1])


def test_text_that_has_none_of_the_newer_rules_is_split_as_ever() -> None:
    text = "The naïve ΣΊΣΥΦΟΣ paid 3.14€ for 日本語テスト, नमस्ते 😀👍 don't x_1 Straße".encode() + b"\xff"
    assert native.split_words(text) == native.split_words(text, 1)
    every = " ".join(chr(code) for code in range(0x300) if chr(code) != "\u00ad").encode()
    assert native.split_words(every) == native.split_words(every, 1)


@given(st.binary(max_size=70), st.integers(0, 2**64 - 1))
def test_the_hash_is_that_of_the_slow_twin(data: bytes, seed: int) -> None:
    assert native.hash_name(data, seed) == slow.hashed(data, seed)


def test_the_hash_never_changes() -> None:
    """Saved models contain columns computed with it."""
    words = (b"", b"spam", b"perceptron", b"a word of more than 16 bytes")
    assert [native.hash_name(word, 0) for word in words] == [
        0x1EB244682E62CA05,
        0x9E20816BC4DD48DF,
        0x33CF5A1BA9349178,
        0x1E0681141F946113,
    ]


@same_unicode
@given(
    st.lists(texts.map(lambda text: text.replace(b"\n", b" ")), min_size=1, max_size=4),
    st.integers(1, 28),
    st.integers(1, 4),
    st.sampled_from(["count", "binary", "sqrt"]),
    st.booleans(),
    lengths,
)
def test_rows_are_those_of_the_slow_twin(
    lines: list[bytes], bits: int, ngrams: int, value: str, unit: bool, chars: tuple[int, int] | None
) -> None:
    how = hashing(bits, ngrams, value, unit, chars=chars)
    (starts, indices, values, *_), _ = parse(b"\n".join(lines) + b"\n", how)
    assert len(starts) == len(lines) + 1
    for i, line in enumerate(lines):
        row = slice(starts[i], starts[i + 1])
        expected = slow.features(line, bits, ngrams, value, unit, chars)
        assert list(zip(indices[row].tolist(), values[row].tolist(), strict=True)) == sorted(expected.items())


def test_the_character_n_grams_of_a_word_mark_where_it_begins_and_ends() -> None:
    names = native.NameDictionary(28, 1000)
    _, candidates = parse("Unseen a 我爱北京\n".encode(), hashing(28, 1, chars=(3, 5)), names=names)
    names.merge(candidates)
    shown = set(column_names(names).values())
    assert shown == {
        *("unseen", "a", "我", "爱", "北", "京"),
        *("un*", "*uns*", "*nse*", "*see*", "*een*", "*en"),
        *("uns*", "*unse*", "*nsee*", "*seen*", "*een"),
        *("unse*", "*unsee*", "*nseen*", "*seen"),
        *("我爱*", "*我爱北*", "*爱北京*", "*北京", "我爱北*", "*我爱北京*", "*爱北京", "我爱北京*", "*我爱北京"),
    }


@same_unicode
@given(st.lists(st.text("abcé 漢ท.", max_size=30), min_size=1, max_size=5), lengths, st.integers(1, 3))
def test_names_of_character_n_grams_are_those_of_the_slow_twin(
    rows: list[str], chars: tuple[int, int] | None, ngrams: int
) -> None:
    names = native.NameDictionary(20, 5000)
    texts = [row.encode() for row in rows]
    laid = [(b"".join(texts), np.cumsum([0, *map(len, texts)], dtype=np.int64), seed) for seed in (0, 7)]
    *_, candidates = native.hash_columns(laid, hashing(20, ngrams, chars=chars), names)
    names.merge(candidates)
    expected: dict[int, str] = {}
    for text in texts:
        for seed in (0, 7):
            runs = slow.runs(text)
            parts = [*slow.phrases(slow.words(text), ngrams, seed)]
            parts += [part for run in runs for part in slow.grams(run, *chars, seed)] if chars else []
            for name, code in parts:
                expected.setdefault(code >> 44, name.decode())
    assert dict(column_names(names)) == expected


@pytest.mark.parametrize("chars", [(0, 3), (4, 3), (3, 13)])
def test_lengths_of_character_n_grams_out_of_bounds_are_refused(chars: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="chars must be 1 to 12"):
        hashing(chars=chars)
    with pytest.raises(ValueError, match="splitting must be 1 or 2"):
        hashing(splitting=3)


def test_a_row_of_unit_length_has_unit_length() -> None:
    for value in ("count", "binary", "sqrt"):
        (_, _, values, *_), _ = parse(b"to be or not to be that is the question\n", hashing(22, 2, value, True))
        assert np.sum(values**2) == pytest.approx(1.0)


def test_a_long_row_among_short_ones() -> None:
    long = b" ".join(b"w%d" % (i % 7000) for i in range(50_000))
    (starts, indices, values, *_), _ = parse(b"a b a\n" + long + b"\nb a b\n", hashing(28))
    assert np.diff(starts).tolist() == [2, 7000, 2]
    assert values[:2].tolist() == values[-2:].tolist()[::-1]
    assert sorted(values[:2].tolist()) == [1.0, 2.0]
    assert indices[:2].tolist() == indices[-2:].tolist()
    assert all((np.diff(indices[starts[i] : starts[i + 1]]) > 0).all() for i in range(3))


@same_unicode
def test_a_row_of_megabytes_is_read_in_stretches_with_the_same_answer() -> None:
    """A phrase across a block border is found and named; no run of letters is cut."""
    few = [b"one", b"two", "caf\u00e9".encode(), b"x_1", b"y" * 2000]
    text = b"-".join(few[i % 5] + b" w%d" % (i % 900) for i in range(2700))
    assert len(text) > 1 << 20
    all_words = slow.words(text)
    first: dict[int, str] = {}
    for name, code in slow.phrases([b"a", b"b"], 3):
        first.setdefault(code >> 42, name.decode())
    for name, code in slow.phrases(all_words, 3):
        first.setdefault(code >> 42, name.decode()[:256])
    names = native.NameDictionary(22, 1 << 16)
    (starts, indices, values, *_), candidates = parse(b"a b\n" + text + b"\nb a\n", hashing(22, 3), names=names)
    names.merge(candidates)
    row = slice(starts[1], starts[2])
    counts = Counter(code >> 42 for _, code in slow.phrases(all_words, 3))
    assert list(zip(indices[row].tolist(), values[row].tolist(), strict=True)) == sorted(counts.items())
    named = dict(column_names(names))
    assert {column: named.get(column) for column in first} == first
    assert np.diff(starts)[[0, 2]].tolist() == [3, 3]


def columns_of(*texts: tuple[list[bytes], int], **how: Any) -> Any:
    laid = [(b"".join(cells), np.cumsum([0, *map(len, cells)], dtype=np.int64), seed) for cells, seed in texts]
    return native.hash_columns(laid, hashing(**how), None)


def test_columns_of_texts_are_hashed_like_lines_and_apart_by_their_seeds() -> None:
    cells = [b"one two", b"", b"three"]
    starts, indices, values, _ = columns_of((cells, 0), first=5)
    (line_starts, line_indices, line_values, *_), _ = parse(b"one two\n\nthree\n", hashing())
    assert starts.tolist() == line_starts.tolist()
    assert indices.tolist() == (line_indices + 5).tolist()
    assert values.tolist() == line_values.tolist()
    starts, _, _, _ = columns_of((cells, 1), (cells, 2), ngrams=2)
    assert np.diff(starts).tolist() == [6, 0, 2]  # a phrase does not reach from one text into the next


def test_a_long_text_before_another_column_keeps_its_phrases() -> None:
    # Over a megabyte: hashed in segments, and phrases begin with words of the previous one.
    words = [f"w{i}" for i in range(200_000)]
    text, names = " ".join(words).encode(), native.NameDictionary(22, 1 << 20)
    columns = [(text, np.array([0, len(text)]), 1), (b"short text", np.array([0, 10]), 2)]
    *_, candidates = native.hash_columns(columns, hashing(22, 2), names)
    names.merge(candidates)
    phrases = map(" ".join, pairwise(words))
    assert set(column_names(names).values()) <= {*words, *phrases, "short", "text", "short text"}


@pytest.mark.parametrize("starts", [[0, 3, 1], [0, 99, 99], [-1, 2, 3], []])
def test_starts_that_do_not_fit_are_refused(starts: list[int]) -> None:
    with pytest.raises(ValueError, match="starts of texts must be ascending"):
        native.hash_columns([(b"abc", np.array(starts, dtype=np.int64), 0)], hashing(), None)


def dictionary(chunks: list[bytes], limit: int, bits: int = 16, ngrams: int = 2, late: bool = False) -> Any:
    """`late`: all chunks are parsed before the first is merged, as by many threads."""
    names = native.NameDictionary(bits, limit)
    pending = []
    for chunk in chunks:
        _, candidates = parse(chunk, hashing(bits, ngrams), names=names)
        if late:
            pending.append(candidates)
        else:
            names.merge(candidates)
    for candidates in pending:
        names.merge(candidates)
    return names


@same_unicode
@given(st.lists(st.text("abcd é", max_size=40), min_size=1, max_size=6), st.integers(2, 30))
def test_names_are_the_first_in_file_order_and_the_same_for_any_number_of_threads(rows: list[str], limit: int) -> None:
    chunks = [row.encode() + b"\n" for row in rows]
    early, late = (dictionary(chunks, limit, late=late) for late in (False, True))
    assert (early.columns.tolist(), early.text) == (late.columns.tolist(), late.text)
    assert (early.exact, early.occupied, early.distinct) == (late.exact, late.occupied, late.distinct)
    met = {name: code >> 48 for row in rows for name, code in slow.phrases(slow.words(row.encode()), 2)}
    assert len(early.columns) <= limit
    if early.exact:
        assert early.occupied == len(set(met.values()))
        assert early.distinct == len(met)
        first: dict[int, str] = {}
        for name, column in met.items():
            first.setdefault(column, name.decode())
        assert dict(column_names(early)) == first


def test_the_number_of_names_is_estimated_beyond_the_bound() -> None:
    chunks = [b" ".join(b"w%d" % i for i in range(k, k + 500)) + b"\n" for k in range(0, 40_000, 500)]
    names = dictionary(chunks, limit=1000, ngrams=1)
    assert not names.exact
    assert names.distinct == pytest.approx(40_000, rel=0.1)
    report = collisions(names)
    assert report["names_kept"] == 1000
    assert report["columns_used"] == pytest.approx(65_536 * (1 - np.exp(-40_000 / 65_536)), rel=0.1)
    assert report["names_shared"] == pytest.approx(40_000 - 40_000 * np.exp(-40_000 / 65_536), rel=0.1)


def test_single_words_are_kept_when_phrases_have_filled_their_half() -> None:
    names = dictionary([b"a b a c b c a d b d c d\n"], limit=8)
    assert set(column_names(names).values()) == {"a", "b", "c", "d", "a b", "b a", "a c", "c b"}


def test_collisions_are_counted_exactly_while_all_names_are_kept() -> None:
    names = dictionary([b"a b c d e f g h i j k l m n o p\n"], limit=100, bits=2, ngrams=1)
    report = collisions(names)
    assert report["exact"] is True
    assert report["names"] == 16
    counts = np.bincount([slow.hashed(word) >> 62 for word in b"a b c d e f g h i j k l m n o p".split()])
    assert report["names_shared"] == int(counts[counts > 1].sum())


@pytest.mark.parametrize("first", [0, 7])
def test_names_by_column_are_those_met_first(first: int) -> None:
    names = dictionary([b"one two three\n", "zwei dr\u00e9i two one vier\n".encode()], limit=100, bits=3)
    begin, met = 0, {}
    for column, end in zip(names.columns.tolist(), names.ends.tolist(), strict=True):
        met.setdefault(first + column, names.text[begin:end].decode())
        begin = end
    assert len(met) < names.kept  # some share a column
    names_by_column = column_names(names, first)
    assert dict(names_by_column) == met
    assert list(names_by_column) == sorted(met)
    columns, ends, text = names.by_column(first, {})
    assert columns.tolist() == sorted(met)
    assert [text[a:b].decode() for a, b in pairwise([0, *ends])] == [met[column] for column in sorted(met)]
    assert names_by_column.get(99) is None
    assert dict(column_names(native.NameDictionary(3, 10))) == {}


def test_words_that_crowd_one_part_of_a_table_take_no_longer() -> None:
    """Their columns agree in the lowest bits, or in the highest; the tables are keyed by a secret number."""
    numbered = [(f"w{i:x}", native.hash_name(f"w{i:x}".encode(), 0) >> 44) for i in range(600_000)]
    low = [word for word, column in numbered if column % 1024 < 4][:2000]
    high = [word for word, column in numbered if column >> 10 < 4][:2000]
    seconds = {}
    for name, words in {"any": [word for word, _ in numbered[:2000]], "low": low, "high": high}.items():
        assert len(words) == 2000
        data, times = (" ".join(words) + "\n").encode() * 40, []
        for _ in range(5):
            start = time.process_time()
            (*_, rows), _ = native.parse_text(
                data, 0, len(data), kind="plain", hashing=hashing(), names=native.NameDictionary(20, 5000), skip=False
            )
            native.Columns().add(rows)
            times.append(time.process_time() - start)
        seconds[name] = min(times)
    print({name: f"{1000 * taken:.1f} ms" for name, taken in seconds.items()})
    assert max(seconds["low"], seconds["high"]) < 8 * seconds["any"]
