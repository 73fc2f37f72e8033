"""A record is a frozen dataclass in all that can be seen of it."""

import pickle
from copy import copy
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from rosenblatt import frozen
from rosenblatt.frozen import record
from rosenblatt.records import FeatureSpace


def declared(field: Any) -> type:
    class Same:
        name: str
        size: int = 3
        hidden: list[int] = field(default_factory=list, repr=False, compare=False)

        @cached_property
        def double(self) -> int:
            return 2 * self.size

    return Same


Ours: Any = record(declared(frozen.field))
Theirs: Any = dataclass(frozen=True)(declared(field))


def test_it_looks_compares_and_hashes_like_a_frozen_dataclass() -> None:
    for arguments in (("a",), ("a", 4), ("b", 3, [1])):
        ours, theirs = Ours(*arguments), Theirs(*arguments)
        assert repr(ours) == repr(theirs)
        assert hash(ours) == hash(theirs)
        assert asdict(ours) == asdict(theirs) == frozen.asdict(ours)
    assert [one.name for one in fields(Ours)] == [one.name for one in fields(Theirs)]
    assert Ours("a") == Ours("a", 3, [1]) != Ours("b")
    assert Ours("a") != Theirs("a")
    assert signature(Ours) == signature(Theirs)
    assert replace(Ours("a"), size=5) == Ours("a", 5) == frozen.replace(Ours("a"), size=5)
    assert Ours("a", 4).double == 8


def test_nothing_of_it_can_be_changed() -> None:
    one = Ours("a")
    for name in ("name", "size", "other"):
        with pytest.raises(FrozenInstanceError, match=name):
            setattr(one, name, 1)
    with pytest.raises(FrozenInstanceError, match="size"):
        del one.size


def test_a_field_takes_after_that_of_the_class_before_it() -> None:
    class Longer(Ours):  # type: ignore[misc]
        size: float = 0.5
        more: str = "x"

    longer = record(Longer)("a")
    assert [one.name for one in fields(Longer)] == ["name", "size", "hidden", "more"]
    assert asdict(longer) == {"name": "a", "size": 0.5, "hidden": [], "more": "x"}
    assert longer.hidden is not record(Longer)("a").hidden
    assert asdict(longer) == frozen.asdict(longer)


@pytest.mark.parametrize(
    ("values", "given", "said"),
    [
        ((), {}, "needs a value for 'name'"),
        (("a", 1, [], 4), {}, "takes 3 values, and was given 4"),
        (("a",), {"name": "b"}, "two values for 'name'"),
        (("a",), {"sise": 1}, "the unknown 'sise'"),
    ],
)
def test_it_takes_each_field_once(values: Any, given: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Ours(*values, **given)
    with pytest.raises(TypeError):
        Theirs(*values, **given)


def test_who_inherits_from_it_by_a_dataclass_has_its_fields() -> None:
    @dataclass(frozen=True)
    class More(Ours):  # type: ignore[misc]
        more: str = "x"

    assert asdict(More("a", 4)) == {"name": "a", "size": 4, "hidden": [], "more": "x"}
    match Ours("a", 4):
        case Ours(name, size):
            assert (name, size) == ("a", 4)


def test_a_list_is_no_default() -> None:
    class Shared:
        words: list[str] = []  # noqa: RUF012 - that is the fault

    for made in (record, dataclass(frozen=True)):
        with pytest.raises(ValueError, match="mutable default"):
            made(Shared)


def test_modules_of_records_keep_annotations_as_they_stand() -> None:
    """From Python 3.14 on others are evaluated when a record is declared, and some names only the checker knows."""
    modules = [path.read_text() for path in Path(frozen.__file__).parent.rglob("*.py")]
    assert sum("@record" in text for text in modules) > 10
    assert all("from __future__ import annotations" in text for text in modules if "\n@record" in text)


def test_records_within_are_told_like_those_outside() -> None:
    inner = Ours("a", hidden=[1])
    assert frozen.asdict(Ours(inner, hidden=[inner, {"k": (inner,)}])) == asdict(
        Ours(inner, hidden=[inner, {"k": (inner,)}])
    )


def test_it_is_copied_and_pickled() -> None:
    space = FeatureSpace("index", index_base=1, settings={"features": 3})
    assert copy(space) == space == pickle.loads(pickle.dumps(space))


def test_what_a_class_says_itself_stays() -> None:
    class Loud:
        word: str

        def __repr__(self) -> str:
            return self.word.upper()

    assert repr(record(Loud)("hey")) == "HEY"  # type: ignore[call-arg]
