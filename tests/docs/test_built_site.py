"""The site that `make docs` has built, in a browser: its search answers, it asks no other host, it is accessible.

ROSENBLATT_SITE names the folder; without it there is no site to test.
"""

import functools
import http.server
import os
import re
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.studio.chromium import MISSING, PROGRAM, Chromium

FOLDER = os.environ.get("ROSENBLATT_SITE")
if FOLDER is None:
    pytest.skip("ROSENBLATT_SITE names no built site; make docs does", allow_module_level=True)
SITE = Path(FOLDER)
PAGES = [page for page in sorted(SITE.rglob("*.html")) if "_static" not in page.parts]

# What a newcomer types, and the pages that answer it: one must be among the first three hits.
QUESTIONS = {
    "install": {"install"},
    "csv file": {"formats", "quick-start"},
    "missing values": {"formats"},
    "feature importance": {"quick-start"},
    "concept drift": {"going-on"},
    "unbalanced classes": {"do/clicks", "scores"},
    "probabilities": {"scores"},
    "save a model": {"_api/rosenblatt.save", "model-file"},
    "perfect separation": {"do/separation"},
    "is my data separable": {"certificates"},
    "multi label": {"several-labels", "do/moderation"},
    "vowpal wabbit": {"coming-from"},
    "exit codes": {"cli"},
    "kernel": {"kernels", "_learn/plot_6_maps_and_kernels"},
    "teach": {"do/teach"},
    "reproducible": {"explain/one-answer"},
    "http server": {"serve"},
    "idempotent": {"serve"},
    "regression": {"numbers"},
    "prediction interval": {"numbers"},
    "spark": {"cluster"},
    "distributed": {"cluster"},
    "class weights": {"do/clicks"},
    "grid search": {"explain/race"},
    "fasttext": {"coming-from"},
    "how do I install it without a compiler": {"install"},
    "my classes are unbalanced": {"do/clicks"},
    "why did it decide this": {"quick-start"},
    "predict a price": {"numbers"},
    "use the model in javascript": {"export"},
    "is it faster than vowpal wabbit": {"speed"},
    "data larger than memory": {"formats"},
    "can a line separate my data": {"certificates", "_learn/plot_5_inseparable"},
    "update the model every day": {"going-on"},
    "random forest": {"start"},
    "excel": {"formats"},
    "arow": {"explain/race"},
    "plot the decision boundary": {"figures"},
    "is it thread safe": {"threads"},
    "resume an interrupted fit": {"going-on"},
    "raspberry pi": {"install"},
    "what is the default learning rate": {"explain/race"},
    "why is my accuracy low": {"scores"},
    "read from s3": {"formats"},
    "api key": {"serve"},
}
LOOKED_AT = ["index", "do/spam", "_learn/index", "_learn/plot_2_rule", "_gallery/index", "python", "cli", "speed"]
SIZES = ((390, 844), (820, 1180), (1440, 900))
HITS = "[...document.querySelectorAll('#search-results ul.search > li > a')].map(a => a.getAttribute('href'))"
DONE = "/finished|did not match/.test(document.querySelector('#search-results')?.innerText ?? '')"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    if PROGRAM is None:
        pytest.skip(MISSING)
    with Chromium() as browser:
        yield browser


@pytest.mark.parametrize(("question", "answers"), QUESTIONS.items(), ids=QUESTIONS)
def test_the_search_answers(question: str, answers: set[str], chromium: Chromium, address: str) -> None:
    chromium.page.goto(f"{address}search.html?q={quote(question)}")
    chromium.until(DONE)
    hits = [urlsplit(hit).path.removesuffix(".html") for hit in chromium.value(HITS)]
    assert answers & set(hits[:3]), hits[:6]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=["phone", "tablet", "desk"])
def test_pages_are_accessible_and_fit(size: tuple[int, int], theme: Any, chromium: Chromium, address: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    chromium.page.set_viewport_size({"width": size[0], "height": size[1]})
    chromium.page.emulate_media(color_scheme=theme)
    for name in LOOKED_AT:
        chromium.page.goto(f"{address}{name}.html")
        chromium.until("document.readyState === 'complete' && document.getAnimations().length === 0")  # colours fade in
        result = Axe().run(chromium.page, options={"runOnly": RULES})
        assert result.violations_count == 0, f"{name}: {result.generate_report()}"
        wider = chromium.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, name


def test_pages_ask_nobody_else(chromium: Chromium, address: str) -> None:
    urls = list[str]()
    chromium.page.on("request", lambda request: urls.append(request.url))
    for name in LOOKED_AT:
        chromium.page.goto(f"{address}{name}.html")
    assert urls
    assert [url for url in urls if not url.startswith((address, "data:", "blob:"))] == []


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links, self.anchors = set[str](), set[str]()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and name in ("href", "src"):
                self.links.add(value)
            if value and name in ("id", "name"):
                self.anchors.add(value)


def test_every_link_within_the_site_leads_somewhere() -> None:
    pages = {page: Links(page) for page in PAGES}
    broken = []
    for page, parsed in pages.items():
        for link in parsed.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            fragment = unquote(parts.fragment)
            known = pages.get(target)
            if not target.exists() or (fragment and known is not None and fragment not in known.anchors):
                broken.append(f"{page.relative_to(SITE)}: {link}")
    assert len(pages) > 60
    assert not broken, broken[:10]


def test_every_picture_has_words_for_those_who_cannot_see_it() -> None:
    for page in PAGES:
        for picture in re.findall(r"<img [^>]*>", page.read_text(encoding="utf-8")):
            assert " alt=" in picture, f"{page}: {picture}"


def test_no_page_shows_a_character_by_its_number() -> None:
    for page in PAGES:
        assert not re.search(r"&amp;#\d+;", page.read_text(encoding="utf-8")), page
