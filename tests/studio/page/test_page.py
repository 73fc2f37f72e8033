"""The page in a real browser: it draws what the server answers, and is used by pointer and by keyboard."""

import json
import re

import pytest

from rosenblatt.studio.questions.example_tables import EXAMPLES
from rosenblatt.studio.questions.run.learn import learn
from tests.studio.chromium import MISSING, PROGRAM, Chromium
from tests.studio.requests import example_points

if PROGRAM is None:
    pytest.skip(MISSING, allow_module_level=True)


def weights(page: Chromium) -> list[float]:
    return [float(w) for w in str(page.value("document.querySelector('#plane .boundary').dataset.weights")).split()]


def words(page: Chromium, place: str) -> str:
    return str(page.value(f"document.getElementById('{place}').textContent"))


def press(page: Chromium, button: str) -> None:
    page.value(f"document.getElementById('{button}').click()")


def test_and_is_the_lectures(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    assert weights(page) == [-4, 3, 2]
    assert "epoch 9 was clean; 18 mistakes in 36 visits" in words(page, "moment")
    assert "(R/γ)² = 51" in words(page, "theorem")
    assert words(page, "verdict").startswith("Yes: a straight line tells −1 and 1 apart")
    press(page, "first")
    for expected in ("row 1 (0, 0): target −1, score 0. A mistake", "row 4 (1, 1): target +1, score −1. A mistake"):
        press(page, "mistake")
        assert expected in words(page, "moment")
    assert weights(page) == [0, 1, 1]
    for epoch, expected_weights in ((2, [-1, 2, 1]), (3, [-2, 2, 1]), (4, [-2, 2, 2])):
        press(page, "epoch")
        assert f"End of epoch {epoch}" in words(page, "moment")
        assert weights(page) == expected_weights


def test_visits_without_a_mistake_are_shown_too(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&at=1")
    press(page, "row")
    page.until("document.getElementById('moment').textContent.includes('row 2')")
    assert "score −1. No mistake, nothing changes." in words(page, "moment")
    assert weights_or_none(page) is None, "there is no line yet: the bias alone has moved"


def weights_or_none(page: Chromium) -> object:
    return page.value("document.querySelector('#plane .boundary')?.dataset.weights ?? null")


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_what_is_drawn_is_what_the_server_answers(page: Chromium, address: str, name: str) -> None:
    page.open(f"{address}#example={name.replace(' ', '+')}")
    body = example_points(name)
    run = learn(body)
    assert page.value("document.querySelectorAll('.point').length") >= len(body["points"])
    assert run["ending"] in words(page, "moment")
    if shown := weights_or_none(page):
        assert [float(w) for w in str(shown).split()] == run["epochs"][-1]["after"][0]


def test_xor_shows_its_proof(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=XOR&theme=dark&tab=verdict")
    assert words(page, "verdict").startswith("No: ")
    assert page.value("[...document.querySelectorAll('.proof-weight')].map((t) => t.textContent)") == [
        f"row {row}: 1/2" for row in (1, 2, 3, 4)
    ]
    assert page.value("document.querySelectorAll('#plane .meeting-point').length") == 1
    assert page.value("document.documentElement.dataset.theme") == "dark"


def test_points_are_drawn_dragged_and_erased(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=two+blobs")
    press(page, "clear")
    box = json.loads(str(page.value("JSON.stringify(document.getElementById('plane').getBoundingClientRect())")))
    at = [(box["x"] + box["width"] * u, box["y"] + box["height"] * v) for u, v in ((0.2, 0.5), (0.8, 0.5), (0.5, 0.2))]
    page.click(*at[0])
    page.value("document.querySelector('#tools input[value=\"1\"]').click()")
    page.click(*at[1])
    page.until("document.getElementById('verdict').textContent.startsWith('Yes')")
    before = weights(page)
    page.click(*at[1], to=at[2])
    page.until(f"document.querySelector('#plane .boundary').dataset.weights !== '{' '.join(map(str, before))}'")
    assert page.value("document.querySelectorAll('#layer-points .point').length") == 2
    page.value("document.querySelector('#tools input[value=\"erase\"]').click()")
    page.click(*at[2])
    page.until("document.querySelectorAll('#layer-points .point').length === 1")
    press(page, "undo")
    page.until("document.querySelectorAll('#layer-points .point').length === 2")


def test_rows_kept_aside_are_drawn_and_counted(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=two+blobs&test=0.3")
    aside = page.value("document.querySelectorAll('#layer-points .test').length")
    assert page.value("document.querySelectorAll('#rows tbody th').length") == 60
    assert len([row for row in page.page.locator("#rows tbody th").all_text_contents() if "test" in row]) == aside == 18
    assert "0 of 42 wrong in training, 0 of 18 in the test" in words(page, "numbers")
    press(page, "first")
    press(page, "mistake")
    row = int(re.findall(r"row (\d+) ", words(page, "moment"))[0]) - 1
    marked = "[...document.querySelectorAll('#rows tbody tr')].findIndex((line) => line.className === 'current')"
    assert page.value(marked) == row
    assert not page.value(f"document.querySelectorAll('#layer-points .point')[{row}].classList.contains('test')")
    page.page.select_option("#test-share", "0")
    page.until("document.getElementById('numbers').textContent.includes('training error')")


def test_a_network_is_shaded_in_the_plane_until_the_run_is_played(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&tab=logic&build=learned")
    page.page.click(".to-plane")
    page.until("document.querySelectorAll('#plane .network').length === 2")
    press(page, "first")
    assert page.value("document.querySelectorAll('#plane .network').length") == 0


def test_the_keyboard_does_it_too(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    page.value("document.getElementById('plane').focus()")
    page.press("2")
    page.press("ArrowRight")
    page.press("Enter", "\r")
    page.until("document.querySelectorAll('#layer-points .point').length === 5")
    assert "Point of 1 added" in words(page, "announcement")
    page.press("Delete")
    page.until("document.querySelectorAll('#layer-points .point').length === 4")


def test_controls_are_the_options_and_errors_are_shown(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&eta0=0.5")
    assert weights(page) == [-2, 1.5, 1]
    page.value(
        "(() => { const field = document.querySelector('#controls [name=eta0]'); field.value = '-1';"
        "field.dispatchEvent(new Event('change')); })()"
    )
    page.until("!document.getElementById('error').hidden")
    assert "must be a float greater than 0. Got -1 instead." in words(page, "error")
    page.console[:] = [line for line in page.console if "422" not in line]


def test_a_pasted_table_and_its_error(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    page.value("document.getElementById('text').value = 'a,b,c,kind\\n1,2,3,x\\n4,5,7,y\\n'")
    press(page, "paste")
    page.until("!document.getElementById('axes').hidden")
    assert page.value("document.querySelectorAll('#layer-points .point').length") == 2
    page.value("document.getElementById('text').value = 'a,b\\n1,2,3\\n'")
    press(page, "paste")
    page.until("document.getElementById('error').textContent.startsWith('the table:2')")
    page.console[:] = [line for line in page.console if "422" not in line]


def test_the_picture_can_be_saved(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=OR")
    svg = str(page.value("import('./files.js').then((m) => m.pictureSvg(document.getElementById('plane')))"))
    assert svg.startswith("<svg")
    assert "rgb(0, 114, 178)" in svg
    assert re.findall(r">([^<>]+)</text>", svg)[-4:] == ["−1", "1", "boundary", "normal w"], "the legend"
    size = page.value(
        "import('./files.js').then((m) => m.picturePng(document.getElementById('plane'))).then((b) => b.size)"
    )
    assert size > 5000
    assert "order='given'" in str(page.value("document.getElementById('python').value"))


def test_everything_that_can_be_used_has_a_name(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    used, kinds = set[tuple[str, str]](), ("button", "checkbox", "radio", "combobox", "slider", "tab", "textbox")
    for tab in page.page.locator("#tabs [role=tab]").all():
        tab.click()
        used.update((role, name) for role, name in page.roles() if role in kinds)
        assert ("tabpanel", tab.text_content()) in page.roles()
    assert len(used) > 50
    assert [role for role, name in used if not name.strip()] == []
    assert ("application", "The plane: 3 of -1, 1 of 1") in page.roles()


def test_a_network_is_lit_by_its_inputs(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    page.until("document.querySelectorAll('#network .unit-box').length === 4")
    assert "The output u2 is silent." in words(page, "network")
    page.value("document.querySelector('#inputs input').click()")
    assert "The output u2 fires." in words(page, "network")
    assert page.value("document.querySelectorAll('#network circle.on').length") == 1
    page.value("[...document.querySelectorAll('#network button')].at(-1).click()")
    page.until("document.getElementById('verdict').textContent.startsWith('No: a straight line cannot tell 0 and 1')")


def test_ten_thousand_points_stay_smooth(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    rows = "Array.from({ length: 10000 }, (_, i) => `${i % 100},${Math.floor(i / 100)},${i % 100 > 49 ? 'A' : 'B'}`)"
    page.value(f"document.getElementById('text').value = 'x1,x2,kind\\n' + {rows}.join('\\n')")
    press(page, "paste")
    page.until("document.querySelector('#layer-points image')?.dataset.points === '10000'")
    page.until("document.getElementById('verdict').textContent.includes('10,000 rows')")
    scrub = (
        "(async () => { const slider = document.getElementById('scrub'), start = performance.now();"
        "for (let i = 0; i < 20; i++) { slider.value = i; slider.dispatchEvent(new Event('input'));"
        "await new Promise(requestAnimationFrame); } return (performance.now() - start) / 20; })()"
    )
    # Milliseconds a frame, about 17 on an idle machine. Other work only adds to it, so the quickest of five counts.
    assert min(page.value(scrub) for _ in range(5)) < 100
