"""The pictures on docs/figures.md are there, and are those that the page draws."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_pictures_of_the_page_are_drawn_on_it() -> None:
    text = (DOCS / "figures.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[.+?\]\((.+?)\)", text)
    assert len(shown) >= 4
    for picture in shown:
        assert (DOCS / picture).read_bytes()[:4] == b"\x89PNG"
        assert f'savefig("{Path(picture).name}")' in text
