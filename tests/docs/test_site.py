"""The site: every page has its place in it, and every program in learn/ and gallery/ runs and draws."""

import re
import runpy
from pathlib import Path

import pytest
from matplotlib.figure import Figure

DOCS = Path(__file__).parents[2] / "docs"
SECTIONS = ("README", "start", "do", "reference", "explain", "benchmarks")
PROGRAMS = sorted([*DOCS.glob("learn/plot_*.py"), *DOCS.glob("gallery/*/plot_*.py")])


def rows(section: str) -> list[str]:
    """The pages that the rows of a section's tables name first: the menu of the site, as docs/conf.py builds it."""
    text = (DOCS / f"{section}.md").read_text(encoding="utf-8")
    return re.findall(r"^\| \[[^]]+\]\(([\w/-]+)\.md\)", text, flags=re.MULTILINE)


def test_every_page_is_in_the_menu() -> None:
    """A new page needs a row in the table of start.md, do.md, reference.md, explain.md or benchmarks.md."""
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")} - {"README"}
    assert {page for section in SECTIONS for page in rows(section)} == pages


def test_the_menu_is_as_the_site_builds_it() -> None:
    configuration = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert f"SECTIONS = {SECTIONS[1:]!r}".replace("'", '"') in configuration


def test_the_reference_names_everything_public() -> None:
    """`make docs`, or docs/reference.py alone, writes the page."""
    page = runpy.run_path(str(DOCS / "reference.py"))
    assert (DOCS / "python.md").read_text(encoding="utf-8") == page["public_names"]()
    assert (DOCS / "http.md").read_text(encoding="utf-8") == page["http"]()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_of_the_site_draws(path: Path) -> None:
    assert isinstance(runpy.run_path(str(path))["figure"], Figure)


def test_the_gallery_has_25_pictures() -> None:
    assert len([path for path in PROGRAMS if path.parents[1].name == "gallery"]) >= 25


def test_every_benchmark_says_when_on_what_and_how() -> None:
    text = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    row = r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| `python -m bench ?(\w*).*` \|$"
    tables = re.findall(row, text, flags=re.MULTILINE)
    assert len(tables) >= 5
    for table, date, machine, name in tables:
        assert re.fullmatch(r"\d+ \w+ 20\d\d", date), table
        assert re.match(r"\d+ cores?, ", machine), table
        source = (DOCS.parent / "bench" / "__main__.py").read_text(encoding="utf-8")
        assert f'"{name}"' in source or not name, table
