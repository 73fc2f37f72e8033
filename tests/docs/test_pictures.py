"""Every picture that a page shows is there, and some page shows the code that draws it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {page: page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}


def test_every_picture_is_drawn_by_the_code_of_a_page() -> None:
    drawn = set(re.findall(r'savefig\("(.+?)"\)', "".join(PAGES.values())))
    shown = {page.parent / name for page, text in PAGES.items() for name in re.findall(r"!\[.+?\]\((.+?)\)", text)}
    assert len(shown) >= 6
    for picture in shown:
        assert picture.read_bytes()[:4] == b"\x89PNG", picture
        assert picture.name in drawn, picture
