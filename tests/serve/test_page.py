"""The page in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

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
        page.locator("#numbers", has_text="3,600").wait_for()
        about = service.http.get("/v1/models/mail").json()
        assert page.inner_text("#drift").startswith("Drift: at version ")
        assert f"{100 * about['error']['all']:.1f}%" in page.inner_text("#errors")
        assert page.locator("#error-chart svg").get_attribute("aria-label").startswith("Errors in each minute")
        assert page.locator("#calibration-chart circle").count() == len(about["reliability"]) > 2
        assert "free" in page.inner_text("#weights")
        assert "50" in page.inner_text("#rates")
        service.post("mail/learn", examples[:200])
        page.locator("#weights td", has_text=re.compile("^[+−]0")).first.wait_for()  # weights have moved
        assert page.inner_text("#problems") == "none"
        assert service.post("mail/learn", {"text": "a", "label": "eggs"}).status_code == 422
        page.locator("#problems", has_text="refused: 'eggs' is not a class").wait_for()
        for width in (1280, 390):
            for theme in ("light", "dark", "projector"):
                page.set_viewport_size({"width": width, "height": 800})
                page.select_option("#theme", theme)
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
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
