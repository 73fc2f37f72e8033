"""Every picture on a page exists, and some page has the code that draws it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {page: page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]}


def test_every_picture_is_drawn_by_the_code_of_a_page() -> None:
    saved = set(re.findall(r'savefig\("(.+?)"\)', "".join(PAGES.values())))
    pictures = {page.parent / name for page, text in PAGES.items() for name in re.findall(r"!\[.+?\]\((.+?)\)", text)}
    assert len(pictures) >= 6
    for picture in pictures:
        assert picture.read_bytes()[:4] == b"\x89PNG", picture
        assert picture.name in saved, picture
