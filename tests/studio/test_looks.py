"""How the page looks and is used: sizes, themes, contrast, names, keys; measured in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from rosenblatt.studio.lessons.registry import all_lessons
from tests.studio.chromium import MISSING, PROGRAM, Chromium

if PROGRAM is None:
    pytest.skip(MISSING, allow_module_level=True)
SIZES = ((390, 844), (1280, 800), (1920, 1080))

LOOKS = Path(__file__).with_name("looks.js").read_text(encoding="utf-8").partition("\n")[2]
ROLES = ("button", "checkbox", "radio", "combobox", "slider", "spinbutton", "textbox", "link", "application", "image")


def overlaps(boxes: list[dict[str, Any]], slack: float) -> list[tuple[str, str]]:
    """The pairs of boxes that cover a part of each other."""
    pairs = []
    for k, box in enumerate(boxes):
        left, top, right, bottom = box["box"]
        for other in boxes[k + 1 :]:
            l2, t2, r2, b2 = other["box"]
            if min(right, r2) - max(left, l2) > slack and min(bottom, b2) - max(top, t2) > slack:
                pairs.append((box["text"], other["text"]))
    return pairs


@pytest.mark.parametrize("key", ["", *(lesson.key for lesson in all_lessons())])
def test_nothing_overlaps_and_everything_is_legible(page: Chromium, address: str, key: str) -> None:
    page.page.set_viewport_size({"width": 1280, "height": 800})
    page.open(f"{address}#lesson={key}" if key else f"{address}#example=AND")
    if key == "spam":
        page.page.locator("#lesson-tool .contribution").first.wait_for()
    unnamed = [role for role, name in page.roles() if role in ROLES and not name.strip()]
    assert unnamed == []
    for width, height in SIZES:
        page.page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark", "projector"):
            page.page.select_option("#theme", theme)
            check_looks(page.value(LOOKS), width, f"{key} {width}x{height} {theme}", 7 if theme == "projector" else 4.5)


def check_looks(looks: dict[str, Any], width: int, where: str, contrast: float) -> None:
    written, ids = looks["written"], looks["ids"]
    assert looks["width"] <= width, where
    assert len(ids) == len(set(ids)), where
    assert len(written) > 15, where
    assert [(text["text"], text["contrast"]) for text in written if text["contrast"] < contrast] == [], where
    beside = [text for text in written if not text["plane"]]
    assert overlaps([text for text in beside if not text["drawn"]], slack=3) == [], where
    assert overlaps([text for text in beside if text["drawn"]], slack=4) == [], where
    assert overlaps(looks["used"], slack=0.5) == [], where


def test_the_tab_key_reaches_everything_in_the_order_of_the_page(page: Chromium, address: str) -> None:
    page.page.set_viewport_size({"width": 1280, "height": 800})
    page.open(f"{address}#lesson=networks")
    wanted = (
        "[...document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex=\"0\"]')]"
        ".filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !(e.type === 'radio' && !e.checked))"
        ".map((e) => e.id || e.name || e.textContent)"
    )
    expected = page.value(wanted)
    here = "(() => { const e = document.activeElement; return e.id || e.name || e.textContent; })()"
    reached = []
    for _ in expected:
        page.page.keyboard.press("Tab")
        reached.append(page.value(here))
    assert reached == expected
    assert len(expected) > 25


def test_the_keyboard_moves_points(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    page.page.focus("#plane")
    for key in ("n", "m", "Shift+ArrowRight", "m"):
        page.page.keyboard.press(key)
    page.until("document.getElementById('announcement').textContent.startsWith('Put down at')")
    page.until("location.hash.startsWith('#data=')")
    first = str(page.value("new URLSearchParams(location.hash.slice(1)).get('data')")).split(";")[0]
    assert float(first.split(",")[0]) > 0.05
    assert first.split(",")[1:] == ["0", "0"]


def test_reduced_motion_is_respected(page: Chromium, address: str) -> None:
    page.page.emulate_media(reduced_motion="reduce")
    page.open(f"{address}#example=AND&at=0")
    page.page.click("#play")
    page.page.wait_for_timeout(400)
    assert page.value("document.getAnimations().length") == 0
    moving = "[...document.querySelectorAll('*')].filter((e) => parseFloat(getComputedStyle(e).transitionDuration) > 0)"
    assert page.value(f"{moving}.length") == 0
    page.page.click("#play")
    page.page.emulate_media(reduced_motion="no-preference")


def test_the_theme_can_be_chosen(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&theme=dark")
    dark = page.value("getComputedStyle(document.body).backgroundColor")
    assert page.page.input_value("#theme") == "dark"
    page.page.select_option("#theme", "light")
    assert page.value("getComputedStyle(document.body).backgroundColor") != dark
    assert "theme=light" in str(page.value("location.hash"))
    assert page.page.get_by_role("alert").count() == 0
