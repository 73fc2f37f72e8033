"""The page in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serve.running import Running, running
from tests.serve.streams import stream
from tests.studio.chromium import MISSING, PROGRAM, Chromium

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=MISSING)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Running]:
    with running(tmp_path / "data") as service:
        yield service


def test_the_page_shows_how_to_begin_and_then_what_is_learned(service: Running) -> None:
    with Chromium() as browser:
        page = browser.page
        page.goto(service.url)
        page.wait_for_selector("#begin:not([hidden])")
        command = page.inner_text("#begin-new").splitlines()[0]
        new = json.loads(command.split("'")[1])
        service.http.put("/v1/models/mail", json=new)
        page.wait_for_selector("#watch:not([hidden])")
        page.locator("#calibration", has_text=re.compile("^It gives no probabilities yet")).wait_for()
        examples = stream("text", 3000)
        flipped = [{**one, "label": "ham" if one["label"] == "spam" else "spam"} for one in stream("text", 600, seed=2)]
        for part in (examples[:1500], examples[1500:], flipped[:300], flipped[300:]):
            service.post("mail/learn", part)
        service.post("mail/predict", [{"text": "free"}] * 50)
        page.locator("#rates", has_text=re.compile("learned since the start\\s*3,600\\s*predicted\\s*50")).wait_for()
        page.locator("#drift", has_text=re.compile("^Drift: at version ")).wait_for()
        about = service.http.get("/v1/models/mail").json()
        page.locator("#errors", has_text=f"{100 * about['error']['all']:.1f}%").wait_for()
        page.locator("#weights", has_text="free").wait_for()
        assert page.locator("#error-chart svg").get_attribute("aria-label").startswith("Errors in each minute")
        assert page.locator("#calibration-chart circle").count() == len(about["reliability"]) > 2
        service.post("mail/learn", examples[:200])
        page.locator("#weights td", has_text=re.compile("^[+−]0")).first.wait_for()  # weights have moved
        page.locator("#problems", has_text=re.compile("^none$")).wait_for()
        assert service.post("mail/learn", {"text": "a", "label": "eggs"}).status_code == 422
        page.locator("#problems", has_text="refused: 'eggs' is not a class").wait_for()
        for width in (1280, 390):
            for theme in ("light", "dark", "projector"):
                page.set_viewport_size({"width": width, "height": 800})
                page.select_option("#theme", theme)
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert browser.console == []


# Which model is chosen, is named above its numbers, and has the weights, whenever something has changed.
RECORD_NAMES = """() => {
    window.names = [];
    const text = (id) => document.getElementById(id).textContent;
    const record = () => names.push([document.getElementById("model").value, text("title"),
        ["mail", "news"].filter((name) => text("weights").includes(name)).join()]);
    new MutationObserver(record).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


def test_everything_shown_is_of_the_model_that_was_chosen(service: Running) -> None:
    """The answers about the first model come when the second has been chosen."""
    for name, classes in (("mail", ["a", "b"]), ("news", ["c", "d"])):
        service.http.put(f"/v1/models/{name}", json={"classes": classes})
        service.post(f"{name}/learn", {"text": name, "label": classes[0]})
    with Chromium() as browser:
        page = browser.page
        page.goto(service.url)
        page.locator("#weights", has_text="mail").wait_for()
        late: list[Any] = []
        page.route("**/v1/models/mail**", lambda route: late.append(route))
        page.wait_for_event("request", lambda request: "/models/mail" in request.url)
        page.evaluate(RECORD_NAMES)
        page.select_option("#model", "news")
        page.locator("#weights", has_text="news").wait_for()
        for route in late:
            route.continue_()
        for _ in range(2):
            page.wait_for_event("response", lambda response: "/models/news/weights" in response.url)
        names = page.evaluate("names")
        assert names
        assert {tuple(each) for each in names} == {("news", "news", "news")}
        assert browser.console == []


def test_the_page_asks_for_a_token(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("a-token-for-the-page predict\n")
    tokens.chmod(0o600)
    with running(tmp_path / "data", "--tokens", tokens) as service, Chromium() as browser:
        page = browser.page
        page.goto(service.url)
        page.wait_for_selector("#token-form:not([hidden])")
        page.fill("#token", "a-token-for-the-page")
        page.press("#token", "Enter")
        page.wait_for_selector("#begin:not([hidden])")
        assert not page.is_visible("#error")
