"""Short texts after a label are text; a table of two columns is a table."""

import pytest

from rosenblatt.readers.formats.first_lines import looks_like_text

SHORT = [f"{'spam' if k % 3 else 'ham'}\tbuy item{k}" for k in range(30)]


@pytest.mark.parametrize(
    ("lines", "is_text"),
    [
        (SHORT, True),
        (["ham\tsee you at noon", "spam\tfree money for you"], True),
        ([f"New York {k}\tapple" for k in range(30)], False),  # the label is last
        ([f"red\tNew York {k % 3}" for k in range(30)], True),  # three words
        ([f"red\tNew York{k % 3}" for k in range(30)], False),  # two, which repeat
        ([f"name {k}\tNew York{k}" for k in range(30)], False),  # nothing repeats: which one is the label?
        ([f"red\t{k} {k + 1}" for k in range(30)], False),  # numbers
        ([f"{line}\tmore" for line in SHORT], False),  # three fields
    ],
)
def test_two_fields_are_text_or_a_table(lines: list[str], is_text: bool) -> None:
    assert looks_like_text(lines) == is_text
