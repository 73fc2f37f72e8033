"""The lessons, each followed in a real browser: its check is false before its task is done, and true after."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from rosenblatt.studio.lesson_results import read_results
from rosenblatt.studio.lessons.markdown import read_markdown
from rosenblatt.studio.lessons.registry import all_lessons, read_lesson
from rosenblatt.studio.questions.lessons.linear_unit import linear_unit
from tests.studio.chromium import MISSING, PROGRAM, Chromium
from tests.studio.lessons.test_lesson_texts import documented_lesson

LESSONS = all_lessons()
KEYS = [lesson.key for lesson in LESSONS]
if PROGRAM is None:
    pytest.skip(MISSING, allow_module_level=True)


def fill(page: Any, **entries: str) -> None:
    for name, text in entries.items():
        page.fill(f"#lesson [name='{name.replace('_', ' ').strip()}']", text)


def press(page: Any, place: str, key: str, times: int = 1) -> None:
    page.focus(place)
    for _ in range(times):
        page.keyboard.press(key)


def do_unit(page: Any) -> None:
    fill(page, b="-0.5", w1="1", w2="1")


def with_the_origin_on_the_line(page: Any) -> None:
    """A score of 0 is not above 0, so the unit is silent there."""
    fill(page, b="0", w1="1", w2="1")


def do_rule(page: Any) -> None:
    fill(page, score="1", weights="[−6, −2, −5]")


def do_and(page: Any) -> None:
    for k, weights in enumerate(("-1 0 0", "0 1 1", "-1 1 1", "-2 1 0", "-1, 2, 1"), start=1):
        page.fill(f"#lesson [name='{k}']", weights)


def do_theorem(page: Any) -> None:
    press(page, "#plane", "n", 5)
    page.keyboard.press("Delete")
    press(page, "#plane", "n", 5)
    page.keyboard.press("Delete")


def do_scale(page: Any) -> None:
    page.check("#lesson [name=scaled]")


def do_calibration(page: Any) -> None:
    press(page, "#lesson [name=temperature]", "ArrowRight", 8)


def do_losses(page: Any) -> None:
    press(page, "#lesson [name=margin]", "ArrowRight", 6)


def do_subgradients(page: Any) -> None:
    press(page, "#lesson [name=slope]", "ArrowLeft", 4)


def start_at_0(page: Any, rate: str) -> None:
    page.locator("#lesson-status", has_text="near enough").wait_for()
    page.select_option("#lesson [name=rate]", rate)
    page.click("button:text('Start at 0')")
    page.locator("#lesson-status", has_text="The rule is at w = 0").wait_for()


def do_number(page: Any) -> None:
    press(page, "#lesson [name=w0]", "ArrowRight", 20)
    press(page, "#lesson [name=w1]", "ArrowRight", 8)
    start_at_0(page, "0.02")
    for words in ("After 10 steps", "After 20 steps", "✓ Done."):
        page.click("button:text('Ten times')")
        page.locator("#lesson-status", has_text=words).wait_for()


def do_inseparable(page: Any) -> None:
    fill(page, positive="3 and 2", positive_middle="(1/2, 0.5)", negative="1, 4", negative_middle="0.5 0.5")


def do_features(page: Any) -> None:
    page.fill("#controls [name=degree]", "2")
    page.keyboard.press("Tab")


def do_kernels(page: Any) -> None:
    page.fill("#controls [name=gamma]", "2")
    page.keyboard.press("Tab")


def do_gates(page: Any) -> None:
    page.fill("#expression", "(a | b) & ~(a & b)")
    page.locator("#inputs label", has_text="a").locator("input").check()


def do_networks(page: Any) -> None:
    fill(page, units="2")
    page.click("#lesson-tool button")


def do_multiclass(page: Any) -> None:
    page.select_option("#controls [name=multi_class]", "ovo")


def do_spam(page: Any) -> None:
    fill(page, message="Click here to claim your free money now, absolutely no cost!")
    page.click("#lesson-tool button")


def do_logistic(page: Any) -> None:
    for name in ("Adaline", "logistic unit", "maximum margin"):
        page.locator("#relatives label", has_text=name).locator("input").check()
    page.locator("#tools label", has_text="Erase").click()
    for _ in range(2):
        page.locator("#layer-points .point").last.click()


TASKS: dict[str, Callable[[Any], None]] = {
    name.removeprefix("do_"): work for name, work in list(globals().items()) if name.startswith("do_")
}


def status(page: Chromium, begins: str) -> str:
    page.until(f"document.getElementById('lesson-status')?.textContent.startsWith('{begins}')")
    return str(page.page.text_content("#lesson-status"))


def test_a_unit_is_silent_where_its_score_is_0(page: Chromium, address: str) -> None:
    page.open(f"{address}#lesson=unit")
    status(page, "Not yet.")
    with_the_origin_on_the_line(page.page)
    assert status(page, "✓ Done.")


@pytest.mark.parametrize("key", KEYS)
def test_a_lesson_can_be_done_by_following_it(page: Chromium, address: str, key: str) -> None:
    page.open(f"{address}#lesson={key}")
    assert status(page, "Not yet.").endswith(".")
    TASKS[key](page.page)
    lesson = LESSONS[KEYS.index(key)]
    assert status(page, "✓ Done.") == f"✓ Done. {lesson.when_done}"
    page.until(f"new URLSearchParams(location.hash.slice(1)).get('done') === '{key}'")
    assert page.page.text_content("#lesson-place") == f"{KEYS.index(key) + 1} of {len(KEYS)}: {lesson.title} ✓"


def choose(page: Any, name: str, value: str) -> None:
    """Another value of a control of the learner."""
    field = page.locator(f"#controls [name={name}]")
    if field.evaluate("(field) => field.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)
        page.keyboard.press("Tab")


def say(page: Any, message: str) -> None:
    fill(page, message=message)
    page.click("#lesson-tool button")


def learn(page: Any, units: str) -> None:
    fill(page, units=units)
    page.click("#lesson-tool button")


def switch_on_three(page: Any) -> None:
    for name in ("Adaline", "logistic unit", "maximum margin"):
        page.locator("#relatives label", has_text=name).locator("input").check()


def erase_all_but(page: Any, n_points: int) -> None:
    page.locator("#tools label", has_text="Erase").click()
    while page.locator("#layer-points .point").count() > n_points:
        page.locator("#layer-points .point").first.click()


def cross_the_classes(page: Any) -> None:
    """The second point, of the other class, goes beyond the points of the first."""
    press(page, "#plane", "n", 2)
    page.keyboard.press("m")
    press(page, "#plane", "Shift+ArrowLeft", 12)


def put_the_line_right(page: Any) -> None:
    page.fill("#lesson [name=w0]", "6")
    page.fill("#lesson [name=w1]", "0.8")


def visit_rows(page: Any, n_rows: int) -> None:
    for row in range(n_rows):
        page.click("#lesson button:text('Row ▸')")
        page.locator("#lesson-tool", has_text=f"Row {row % 8 + 1}: s =").wait_for()


# What goes wrong in each lesson, one thing after the other, and the words that say why.
WRONG: dict[str, list[tuple[Callable[[Any], None], str]]] = {
    "unit": [
        (
            lambda page: fill(page, b="0", w1="1", w2="0"),
            "wrong at 1 corner. At (0, 1) the score is 0, and it should fire",
        ),
    ],
    "rule": [
        (lambda page: fill(page, score="6"), "The bias is missing"),
        (lambda page: fill(page, score="-1"), "the target does not enter the score"),
        (lambda page: fill(page, score="1 1"), "A score is one number."),
        (
            lambda page: fill(page, score="1", weights="-4 2 7"),
            "1 of 2 right, 1 not. You added the row: its target is −1",
        ),
        (lambda page: fill(page, weights="-6 -5 -2"), "the right numbers in another order"),
        (lambda page: fill(page, weights="-5 -2 -5"), "The bias changes too"),
    ],
    "and": [
        (
            lambda page: page.fill("#lesson [name='1']", "0 0 0"),
            "Nothing has changed yet, but this row is a mistake: its score is 0",
        ),
        (
            lambda page: page.fill("#lesson [name='1']", "1 0 0"),
            "0 of 5 right, 1 not. Epoch 1, row 1 (0, 0): You added the row",
        ),
        (lambda page: page.fill("#lesson [name='1']", "1"), "Write three numbers: the bias first"),
    ],
    "theorem": [
        (lambda page: None, "R/γ is 12.247 and must be at most 3.3. R is 2.449, because of row 1; γ is 0.2"),
        (cross_the_classes, "No line separates these points, so γ does not exist"),
        (lambda page: erase_all_but(page, 3), "Too few points are left: two of each class are needed."),
    ],
    "scale": [
        (lambda page: None, "a mistake changes the weight of the height by thousands"),
        (
            lambda page: (page.check("#lesson [name=scaled]"), choose_hidden(page, "max_iter", "1")),
            "the learner has other options now",
        ),
    ],
    "losses": [
        (lambda page: None, "At m = −1 the row is a mistake, because m is below 0: it costs the perceptron 1"),
        (lambda page: press(page, "#lesson [name=margin]", "ArrowRight", 4), "At m = 0 the row is on the boundary"),
        (
            lambda page: press(page, "#lesson [name=margin]", "ArrowRight", 4),
            "At m = 1 the row is right, but the hinge loss is 0",
        ),
    ],
    "subgradients": [
        (lambda page: None, "at m = 1 it is at 1.5, and the curve at 1"),
        (lambda page: press(page, "#lesson [name=slope]", "ArrowLeft", 2), "With g = 1 the line lies on the right arm"),
        (lambda page: press(page, "#lesson [name=slope]", "Home"), "at m = −1 it is at 2, and the curve at 1"),
    ],
    "number": [
        (
            lambda page: None,
            "The error of your line is 38. It is too flat: it lies higher above the points on the left than",
        ),
        (lambda page: press(page, "#lesson [name=w1]", "ArrowRight", 8), "the line is too low on the whole"),
        (lambda page: page.click("button:text('Start at 0')"), "First by hand"),
        (put_the_line_right, "near enough. Now start at 0"),
        (
            lambda page: (start_at_0(page, "0.05"), page.click("button:text('Ten times')")),
            "It grows: with all rows at once",
        ),
        (lambda page: (page.click("button:text('Start at 0')"), visit_rows(page, 2)), "This row's step made it larger"),
        (lambda page: page.click("button:text('Start at 0')"), "The rule is at w = 0"),
        (lambda page: (page.select_option("#lesson [name=rate]", "0.1"), visit_rows(page, 14)), "Row by row it goes"),
    ],
    "inseparable": [
        (lambda page: fill(page, positive="0 1"), "0 of 4 right, 1 not. Rows are counted from 1."),
        (lambda page: fill(page, positive="1 4"), "These are the rows of the other class."),
        (lambda page: fill(page, positive="2"), "There are 2 rows of each class"),
        (lambda page: fill(page, positive="2 3", positive_middle="1 1"), "the sum of the two points"),
        (lambda page: fill(page, positive_middle="1"), "A point has two numbers"),
        (lambda page: fill(page, positive_middle="0 1"), "average x1, then x2"),
    ],
    "features": [
        (lambda page: None, "no line runs round the inner ring"),
        (lambda page: choose(page, "degree", "4"), "the rule ends, but a lower degree will do"),
        (lambda page: choose(page, "kernel", "rbf"), "That is a kernel"),
    ],
    "kernels": [
        (lambda page: None, "A hill of gamma 0.1 has half its height still at a distance of 2.633"),
        (lambda page: choose(page, "kernel", "poly"), "That is the kernel poly, which has no hills"),
        (lambda page: choose(page, "kernel", "none"), "No kernel is chosen"),
    ],
    "gates": [
        (lambda page: None, "With a = 0 and b = 1 one input is true, so it must fire."),
        (
            lambda page: page.fill("#expression", "a | b"),
            "With a = 1 and b = 1 it must be silent: both inputs are true.",
        ),
        (lambda page: page.fill("#expression", "a & b & c"), "XOR has two inputs, and this has 3"),
        (lambda page: page.fill("#expression", "a xor b"), "with a sign of its own"),
        (lambda page: page.fill("#expression", "(a | b) & ~(a & b)"), "with these inputs it is silent"),
    ],
    "networks": [
        (lambda page: None, "Nothing has been learned yet"),
        (lambda page: learn(page, "1"), "one hidden unit has one line"),
        (lambda page: learn(page, "4"), "4 lines are more than it takes"),
    ],
    "multiclass": [
        (lambda page: None, "ovr: 6 errors on 12 points; the unit of B would need A and C together"),
        (lambda page: (choose(page, "max_iter", "1"), choose(page, "multi_class", "ovo")), "not in so few epochs"),
    ],
    "spam": [
        (lambda page: say(page, "free money"), "These are 2 words: write at least five."),
        (lambda page: say(page, "blorb snarg frumious hello snicker"), "The unit knows only 1 of these words"),
        (lambda page: say(page, "Hi Anna, see you at the meeting on Monday"), "speak most against it"),
    ],
    "logistic": [
        (lambda page: None, "Still to be switched on: Adaline, logistic unit, maximum margin."),
        (switch_on_three, "Adaline makes 3 errors. It gives row 11 a score of"),
        (lambda page: erase_all_but(page, 7), "Too few points are left: three of each class are needed."),
    ],
    "calibration": [
        (lambda page: None, "they are too sure"),
        (lambda page: press(page, "#lesson [name=temperature]", "End"), "they are not sure enough"),
    ],
}


def choose_hidden(page: Any, name: str, value: str) -> None:
    """A control in a tab that the lesson has not opened."""
    page.click("#h-learner")
    choose(page, name, value)


@pytest.mark.parametrize("key", KEYS)
def test_a_wrong_answer_says_why_it_is_wrong(page: Chromium, address: str, key: str) -> None:
    page.open(f"{address}#lesson={key}")
    for mistake, words in WRONG[key]:
        mistake(page.page)
        page.until(f"document.getElementById('lesson-status').textContent.includes({words!r})")
        assert status(page, "Not yet.")


def test_the_line_is_dragged_and_its_squares_follow(page: Chromium, address: str) -> None:
    """An end moves while the other stays; dragged between its ends, the line keeps its slope."""
    page.open(f"{address}#lesson=number")
    status(page, "Not yet. The error of your line is 38.")
    unit = "(([a, b]) => Math.abs(b - a) / 2)([...document.querySelectorAll('.line-picture .tick')].map("
    scale = float(page.value(f"{unit}(tick) => tick.getBoundingClientRect().x).slice(0, 2))"))

    def drag(selector: str, units: float) -> None:
        box = page.page.locator(f".line-picture {selector}").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2 + 0.3 * box["width"] * (selector == ".whole"), box["y"] + box["height"] / 2
        page.click(x, y, to=(x, y - units * scale))

    def areas() -> list[float]:
        return [float(side) ** 2 / 32**2 for side in page.value(f"{SQUARES}.map((e) => e.getAttribute('width'))")]

    drag(".whole", 2)
    page.until("document.querySelector('.line-sum').textContent.includes('d²/2\\u00a0=\\u00a022')")
    assert sum(areas()) == pytest.approx(44)
    drag("[data-end='1']", 4)
    page.until("document.querySelector('.line-controls').textContent.includes('w = [8,\u00a00.4]')")
    assert sum(areas()) / 2 == pytest.approx(linear_unit({"weights": [8, 0.4]})["error"])


SQUARES = "[...document.querySelectorAll('.error-square')]"


def test_the_way_through_the_lessons(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    place = page.page.locator("#lesson-place")
    assert place.text_content() == f"{len(KEYS)} short lessons"
    press(page.page, "#lesson-index", "Enter")
    assert page.page.locator("#lesson li").count() == len(KEYS)
    assert page.value("document.activeElement.id") == "lesson-title"
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")
    assert place.text_content() == f"1 of {len(KEYS)}: One unit"
    for lesson in LESSONS[1:]:
        page.page.click("#lesson-next")
        assert page.page.text_content("#lesson-title") == f"{LESSONS.index(lesson) + 1}. {lesson.title}"
        assert page.page.is_visible("#plane") == lesson.has_plane
    assert page.page.is_disabled("#lesson-next")
    page.page.click("#lesson-index")
    page.page.locator("#lesson li button").last.click()
    assert page.value("scrollY") == 0, "the title is seen, although the last of the list was far below"
    page.page.click("#lesson-previous")
    assert place.text_content() == f"{len(KEYS) - 1} of {len(KEYS)}: {LESSONS[-2].title}"
    page.page.click("#lesson-index")
    page.page.get_by_role("button", name="Close the lessons").click()
    assert page.page.is_hidden("#lesson")
    assert page.page.is_visible("#plane")


@pytest.mark.parametrize("key", ["rule", "and"])
@pytest.mark.parametrize("control", [("kernel", "rbf"), ("batch", "3")], ids=str)
def test_a_run_of_another_kind_is_noticed(page: Chromium, address: str, key: str, control: tuple[str, str]) -> None:
    page.open(f"{address}#lesson={key}")
    status(page, "Not yet.")
    name, value = control
    page.value(
        f"(() => {{ const field = document.querySelector('#controls [name={name}]'); field.value = '{value}';"
        "field.dispatchEvent(new Event('change')); })()"
    )
    status(page, "Not yet. This is not the run of the lesson")


def test_results_are_saved_with_the_checksum_that_is_read(page: Chromium, address: str, tmp_path: Path) -> None:
    page.open(f"{address}#example=AND&done=unit.rule")
    page.page.click("#lesson-index")
    page.page.fill("[name=student]", "Åda Lovelace")
    with page.page.expect_download() as saved:
        page.page.click("text=Save my results")
    assert saved.value.suggested_filename == "results-åda-lovelace.json"
    saved.value.save_as(tmp_path / "results.json")
    (results,) = read_results(tmp_path)
    assert (results.name, results.done, results.problem) == ("Åda Lovelace", ("unit", "rule"), None)


def test_a_link_of_another_machine_is_opened_here(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&tab=export")
    page.page.fill("[name=link]", "http://elsewhere.example:9/token/#example=XOR&at=2&tab=data")
    page.page.click("text=Open it here")
    page.until("document.getElementById('moment')?.textContent.startsWith('Epoch 1, row 2')")
    assert page.page.input_value("#example") == "XOR"


def test_a_link_restores_a_lesson_where_it_was_left(page: Chromium, address: str) -> None:
    page.open(f"{address}#lesson=theorem&done=unit.rule.nonsense")
    do_theorem(page.page)
    status(page, "✓ Done.")
    page.open(str(page.value("location.href")))
    status(page, "✓ Done.")
    assert page.page.locator("#layer-points .point").count() == 4
    page.page.click("#lesson-index")
    done = page.page.locator("#lesson li", has_text="✓").all_text_contents()
    assert done == ["One unit ✓ done", "The rule ✓ done", "The theorem ✓ done"]


def test_a_link_restores_the_network(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&tab=logic")
    page.page.fill("#expression", "(a | b) & ~c")
    page.page.select_option("#build", "learned")
    page.until("new URLSearchParams(location.hash.slice(1)).get('build') === 'learned'")
    page.until("document.querySelectorAll('#inputs input').length === 3")
    page.open(str(page.value("location.href")))
    assert page.page.input_value("#expression") == "(a | b) & ~c"
    assert page.page.input_value("#build") == "learned"
    page.page.locator("#inputs input").first.check()
    assert str(page.page.text_content("#announcement")).startswith("The output u1 ")


def test_a_network_is_watched_as_it_grows(page: Chromium, address: str) -> None:
    page.open(f"{address}#lesson=gates")
    page.page.select_option("#build", "learned")
    page.page.fill("#expression", "a xor b xor c")
    page.until("document.getElementById('growth-text').textContent.startsWith('Step 1 of 3')")
    grown, more = page.page.locator("#growth-text"), page.page.locator("#unit-more")
    assert grown.text_content() == "Step 1 of 3: u1 learns the table by itself; 3 rows are still wrong."
    assert page.page.locator("#network td", has_text="wrong").count() == 3
    for units, words in ((2, "u2 holds back u1; 1 row is still wrong."), (3, "u3 holds back u2; every row is right.")):
        more.click()
        assert page.page.locator("#network circle.unit-box").count() == units
        assert grown.text_content() == f"Step {units} of 3: {words}"
    assert more.is_disabled()
    page.page.fill("#expression", "a xor")
    page.until("!document.getElementById('logic-error').hidden")
    assert "^" in str(page.page.text_content("#logic-error"))
    page.console[:] = [line for line in page.console if "422" not in line]


def test_every_lesson_has_a_task_here() -> None:
    assert sorted(TASKS) == sorted(KEYS)


def test_the_lesson_of_a_teacher_is_checked_by_its_settings(page: Chromium, address: str, tmp_path: Path) -> None:
    path = tmp_path / "own.md"
    path.write_text(documented_lesson(), encoding="utf-8")
    lesson = asdict(read_markdown(path))
    page.page.route("**/api/lessons", lambda route: route.fulfill(json={"lessons": [lesson]}))
    try:
        page.open(f"{address}#lesson=own")
        assert "Wanted: bound ≤ 20; it is " in status(page, "Not yet.")
        fill(page.page, answer_1="77")
        assert "It is written under the slider" in status(page, "Not yet. Mistakes that the rule made:")
        page.page.locator("#tools label", has_text="Erase").click()
        for k in page.value(NEAR_OR_FAR):
            page.page.locator("#layer-points .point").nth(k).click(force=True)
        page.until("!document.getElementById('lesson-status').textContent.includes('bound')")
        n_mistakes = str(page.page.text_content("#theorem")).split(" mistake")[0].split(" of ")[1]
        fill(page.page, answer_1=n_mistakes)
        assert status(page, "✓ Done.").endswith("depends on it.")
    finally:
        page.page.unroute("**/api/lessons")


# The points to erase, the last first: all but the ten of each cloud that are next to its middle.
NEAR_OR_FAR = """(() => {
  const points = [...document.querySelectorAll('#layer-points .point')];
  const places = points.map((e, i) => ({ i, c: e.classList[1], m: e.getCTM() }));
  const nearest = new Set();
  for (const c of ['c0', 'c1']) {
    const own = places.filter((p) => p.c === c), mean = (f) => own.reduce((s, p) => s + f(p), 0) / own.length;
    const x = mean((p) => p.m.e), y = mean((p) => p.m.f);
    const away = (p) => Math.hypot(p.m.e - x, p.m.f - y);
    own.sort((a, b) => away(a) - away(b)).slice(0, 10).forEach((p) => nearest.add(p.i));
  }
  return places.map((p) => p.i).filter((i) => !nearest.has(i)).reverse();
})()"""

TOY = '''
title = "A toy"
text = """
One paragraph
on two lines.

Another one.
"""
task = "Write the number of mistakes."
when_done = "Right."
setup = { example = "AND" }
fields = { mistakes = "Mistakes" }
'''
TOY_CHECK = """
import { checkFields, isWritten } from "./answers.js";
export function check({ run, filled }) { return checkFields([isWritten(filled.mistakes, [run.n_mistakes])]); }
"""


def test_a_lesson_is_added_with_a_text_and_a_check(page: Chromium, address: str, tmp_path: Path) -> None:
    """As CONTRIBUTING.md shows; here the test itself serves the two files."""
    (tmp_path / "toy.toml").write_text(TOY, encoding="utf-8")
    lesson = read_lesson(tmp_path / "toy.toml")
    assert (lesson.key, lesson.text) == ("toy", ("One paragraph on two lines.", "Another one."))
    page.page.route("**/api/lessons", lambda route: route.fulfill(json={"lessons": [asdict(lesson)]}))
    page.page.route("**/checks/toy.js", lambda route: route.fulfill(body=TOY_CHECK, content_type="text/javascript"))
    try:
        page.open(f"{address}#lesson=toy")
        assert status(page, "Not yet.") == "Not yet. 0 of 1 right."
        fill(page.page, mistakes="17")
        assert status(page, "Not yet. 0 of 1 right, 1")
        fill(page.page, mistakes="18")
        assert status(page, "✓ Done.") == "✓ Done. Right."
    finally:
        page.page.unroute("**/api/lessons")
        page.page.unroute("**/checks/toy.js")
