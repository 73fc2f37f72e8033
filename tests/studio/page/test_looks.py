"""How the page looks and is used: sizes, themes, contrast, names, keys; measured in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from rosenblatt.studio.lessons.markdown import PANELS
from rosenblatt.studio.lessons.registry import all_lessons
from tests.studio.chromium import MISSING, PROGRAM, Chromium

if PROGRAM is None:
    pytest.skip(MISSING, allow_module_level=True)
SIZES = ((390, 844), (1280, 800), (1920, 1080))

LOOKS = Path(__file__).with_name("looks.js").read_text(encoding="utf-8").partition("\n")[2]
ROLES = ("button", "checkbox", "radio", "combobox", "slider", "spinbutton", "textbox", "link", "application", "image")
CONTAINERS = ("tab", "tabpanel", "radiogroup", "tablist", "region", "table", "navigation", "list")


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


FOCUSABLE = """[...document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0)
  .filter((e) => e.type !== "radio" || e.checked).map((e) => e.id || e.name || e.textContent)"""
# What has the focus; whether that is seen, in the window and by an outline (a tool by that of its label).
FOCUSED = """(() => {
  const e = document.activeElement, seen = e.matches("#tools input") ? e.parentElement : e;
  const box = seen.getBoundingClientRect();
  const look = getComputedStyle(seen), isOutlined = look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2;
  return [e.id || e.name || e.textContent, isOutlined && box.width > 0 && box.bottom > 0 && box.top < innerHeight];
})()"""
SCREENS = [f"example=iris: all three&tab={tab}" for tab in PANELS] + ["lesson=networks", "lesson=gates", "lesson=spam"]


def test_everything_has_a_name_and_the_tab_key_reaches_it_in_order(page: Chromium, address: str) -> None:
    page.page.set_viewport_size({"width": 1280, "height": 800})
    total = 0
    for screen in SCREENS:
        page.open(f"{address}#{screen}")
        page.value("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        unnamed = [role for role, name in page.roles() if role in (*ROLES, *CONTAINERS) and not name.strip()]
        assert unnamed == [], screen
        expected, reached = page.value(FOCUSABLE), []
        for _ in expected:
            page.page.keyboard.press("Tab")
            name, is_seen = page.value(FOCUSED)
            assert is_seen, (screen, name)
            reached.append(name)
        assert reached == expected, screen
        page.page.keyboard.press("Tab")  # no trap: after the last comes the first, or the browser's own bar
        assert page.value("document.activeElement.matches('body, .skip')"), screen
        total += len(expected)
    assert total > 200


RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
OF_COLOURS = ["color-contrast"]  # the only rule on which a theme, which changes colours alone, has any bearing


@pytest.mark.parametrize(("theme", "rules"), [("light", RULES), ("dark", OF_COLOURS), ("projector", OF_COLOURS)])
def test_the_rules_for_accessible_pages_are_kept(page: Chromium, address: str, theme: str, rules: list[str]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for screen in (*SCREENS, "example=XOR&tab=verdict", "lesson=number"):
        page.open(f"{address}#{screen}&theme={theme}")
        page.value("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        result = Axe().run(page.page, options={"runOnly": rules})
        assert result.violations_count == 0, f"{screen}: {result.generate_report()}"


def test_the_keys_play_the_run_and_the_sentence_is_announced(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&at=0")
    live = "document.getElementById('moment').getAttribute('aria-live')"
    expected = {
        ".": "Epoch 1, row 1",
        "r": "Epoch 1, row 2",
        "e": "End of epoch 1",
        ",": "Epoch 1, row 1",
        "End": "End, separated",
        "Home": "Start",
    }
    for key, words in expected.items():
        page.page.keyboard.press(key)
        page.until(f"document.getElementById('moment').textContent.startsWith('{words}')")
        assert page.value(live) == "polite"
        assert ("slider", "Position in the mistake log") in page.roles()
        assert str(page.page.get_attribute("#scrub", "aria-valuetext")).startswith(words)
    page.page.select_option("#speed", "30")
    page.page.focus("#plane")
    page.page.keyboard.press(" ")
    page.until("document.getElementById('play-text').textContent === 'Pause'")
    assert page.value(live) == "off", "while it plays, a sentence would interrupt the one before"
    page.until("document.getElementById('moment').textContent.startsWith('End, separated')")
    assert page.value(live) == "polite"


def test_a_screen_reader_is_told_what_is_drawn(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&tab=theorem")
    roles = page.roles()
    assert ("application", "The plane: 3 of -1, 1 of 1") in roles
    images = [name for role, name in roles if role == "image"]
    assert any(name.startswith("Mistakes in each epoch.: 2, 3, ") for name in images), images


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
