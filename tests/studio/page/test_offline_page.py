"""A page that was saved: one file which replays the screen without a server."""

import re
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.studio.offline import recording
from rosenblatt.studio.offline.bundle import bundle, page_parts
from rosenblatt.studio.offline.recording import MAX_BYTES, offline_page
from tests.studio.chromium import MISSING, PROGRAM, Chromium
from tests.studio.requests import cloud

SCREENS = {
    "a line": "example=AND&at=6&tab=theorem&theme=dark",
    "a proof": "example=XOR&at=3&tab=verdict&gates=a+%26+b",
    "a curve": "example=rings&degree=2&at=4&tab=verdict",
    "a kernel": "example=moons&kernel=rbf&at=9&on=Adaline",
    "pairs": "example=five+classes&multi_class=ovo&at=5&test=0.3&tab=losses",
}
SHOWN = """(() => ({
  drawn: [...document.querySelectorAll('#plane :is(line, path, polygon, circle)')].map((e) => e.outerHTML).sort(),
  written: ['moment', 'numbers', 'verdict', 'theorem', 'loss-history', 'relatives', 'rows', 'description', 'network']
    .map((id) => document.getElementById(id).textContent),
  tab: document.querySelector('[aria-selected=true]').id, theme: document.documentElement.dataset.theme ?? null,
}))()"""

NAMES = """[...document.querySelectorAll('#tools label')]
  .filter((e) => document.querySelector(`#layer-points .c${e.querySelector('input').value}`))
  .map((e) => e.textContent)"""
STEP = """[document.getElementById('moment').textContent,
  [...document.querySelectorAll('#layer-lines *')].map((e) => e.getAttribute('d') ?? e.outerHTML).join()]"""


@pytest.mark.skipif(PROGRAM is None, reason=MISSING)
@pytest.mark.parametrize("name", list(SCREENS))
def test_a_saved_page_shows_the_screen_and_replays_it(page: Chromium, address: str, tmp_path: Path, name: str) -> None:
    page.page.set_viewport_size({"width": 1280, "height": 800})
    page.open(f"{address}#{SCREENS[name]}")
    drawing = "document.getElementById('layer-lines').dataset.time !== undefined || !location.hash.includes('=rings')"
    page.until(drawing)
    live = settled(page, SHOWN)  # curves arrive after the run
    names = page.value(NAMES)
    with page.page.expect_download() as saved:
        page.value("document.getElementById('page').click()")
    saved.value.save_as(tmp_path / "studio.html")
    steps = ("mistake", "row", "epoch", "last")
    then = [(page.value(f"document.getElementById('{step}').click()"), settled(page, STEP))[1] for step in steps]
    assert (tmp_path / "studio.html").stat().st_size < MAX_BYTES

    urls: list[str] = []
    page.page.on("request", lambda request: urls.append(request.url))
    page.page.context.set_offline(True)
    try:
        page.open(f"file://{tmp_path}/studio.html")
        assert settled(page, SHOWN) == live
        assert page.page.locator("#legend .class-name").all_inner_texts() == names
        for step, expected in zip(steps, then, strict=True):
            page.value(f"document.getElementById('{step}').click()")
            assert settled(page, STEP) == expected, step
        assert page.value("document.getElementById('error').hidden")
        page.page.locator("#plane").click(position={"x": 30, "y": 30})
        assert page.value("document.querySelectorAll('#layer-points .point').length") == live_points(live)
        assert [url for url in urls if not url.startswith(("file:", "about:", "blob:"))] == []
    finally:
        page.page.context.set_offline(False)


def settled(page: Chromium, script: str) -> Any:
    """What a script gives once no answer is waited for and nothing has changed for a moment."""
    last = None
    for _ in range(200):
        page.page.wait_for_timeout(250)
        shown = None if page.requests_under_way else page.value(script)
        if shown is not None and shown == last:
            return shown
        last = shown
    raise AssertionError("the page does not settle")


def live_points(live: dict[str, Any]) -> int:
    return sum('class="point' in shape for shape in live["drawn"])


# -- without a browser ------------------------------------------------------------------------------------------------


def screen(body: dict[str, Any], **options: Any) -> dict[str, Any]:
    table = {"rows": body["points"], "labels": body["labels"], "columns": ["x1", "x2"], "description": "</script>"}
    own = {"fragment": "at=0", "expression": "a xor b", "box": [-4, 8, -4, 8], "size": [640, 480]}
    return body | own | {"table": table, "options": options}


def test_everything_is_in_the_file() -> None:
    before, after = page_parts()
    assert not re.search(r'(src|href)="(?!#)', before + after)
    assert "import {" not in after
    assert "export " not in after
    assert set(re.findall(r"https?://[^\"']+", before + after)) == {"http://www.w3.org/2000/svg"}
    assert bundle("main.js").count('modules["dom.js"] =') == 1


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf", "max_iter": 5}, {"degree": 3, "max_iter": 5}], ids=str)
def test_a_large_run_is_thinned_until_it_fits(options: dict[str, Any]) -> None:
    html = offline_page(screen(cloud(900, 3), **options))
    assert len(html.encode()) < MAX_BYTES
    assert html.count("</script>") == 2, "what the user wrote cannot end the script"


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as smaller:
        smaller.setattr(recording, "MAX_BYTES", 100_000)
        with pytest.raises(DataError, match="larger than 100,000 bytes"):
            offline_page(screen(cloud(10)))
    with pytest.raises(ParameterError, match="'table'"):
        offline_page(screen(cloud(10)) | {"table": None})
    with pytest.raises(ParameterError, match="'fragment'"):
        offline_page(screen(cloud(10)) | {"fragment": 3})
