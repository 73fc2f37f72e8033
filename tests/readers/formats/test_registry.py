"""The registry of formats: one entry for each name that the options know, and each option of reading understood."""

from pathlib import Path

import pytest

from rosenblatt import options
from rosenblatt.errors import DataError
from rosenblatt.readers.formats.registry import FORMATS
from rosenblatt.readers.open import _EVERY_FORMAT, open_source
from rosenblatt.readers.source import ReadOptions


def test_the_registry_and_the_options_know_the_same_formats() -> None:
    assert sorted(FORMATS) == sorted(options.FORMATS)
    assert all(name == format.name for name, format in FORMATS.items())


def test_every_read_option_is_understood_by_some_format_and_every_format_names_only_those() -> None:
    understood = {name for format in FORMATS.values() for name in format.options} | set(_EVERY_FORMAT)
    # `decide`, `task`, `count_names` and `grow` are for `fit` alone; `with_` and `name_rows` are for predictions.
    others = {"decide", "task", "count_names", "grow", "with_", "name_rows"}
    assert understood == set(ReadOptions._fields) == {*options.READ, *options.LABEL_SETS, *others}


def test_a_format_crosses_its_features_or_says_why_not() -> None:
    assert all(("cross" in format.options) != bool(format.why_no_cross) for format in FORMATS.values())


@pytest.mark.parametrize(
    ("name", "content", "line", "column"),
    [("a.svm", "1 1:1\n-1 x:1\n", 2, 4), ("a.csv", "a,b,y\n1,2,p\n3,n\n", 3, None), ("a.vw", "1 |f a\n2\n", 2, 1)],
)
def test_the_error_of_a_bad_row_knows_its_place(
    name: str, content: str, line: int, column: int | None, tmp_path: Path
) -> None:
    path = str(tmp_path / name)
    Path(path).write_text(content)
    with pytest.raises(DataError) as caught:
        list(open_source(path, ReadOptions()).blocks())
    error = caught.value
    assert (error.file, error.line, error.column) == (path, line, column)
    assert str(error).startswith(f"{path}:{line}:" + (f"{column}:" if column else ""))
