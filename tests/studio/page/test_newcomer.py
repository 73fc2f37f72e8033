"""What a newcomer might stumble over, in a real browser: unnamed lines, files that are not tables, dead keys."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.studio.chromium import MISSING, PROGRAM, Chromium

if PROGRAM is None:
    pytest.skip(MISSING, allow_module_level=True)


@pytest.fixture
def page(browser: Chromium) -> Iterator[Chromium]:
    """Refusals are tested here, and the browser logs each of them."""
    browser.page.set_viewport_size({"width": 1280, "height": 800})
    browser.console.clear()
    yield browser
    assert [line for line in browser.console if "422" not in line] == []


def named(page: Chromium) -> str:
    return str(
        page.value("[...document.querySelectorAll('#legend li:not([hidden])')].map((e) => e.textContent).join()")
    )


def test_what_is_drawn_is_named_and_nothing_else(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&at=6")
    expected = "boundary,before,normal w,added to w,a mistake"
    listed = "[...document.querySelectorAll('#legend li:not([hidden])')].map((e) => e.textContent).join()"
    page.until(f"{listed} === '{expected}'")
    page.page.click("#h-theorem")
    page.until(f"{listed} === '{expected.replace('a mistake', 'widest margin,nearest rows,a mistake')}'")
    page.open(f"{address}#example=XOR&at=0&tab=verdict")
    page.until(
        "[...document.querySelectorAll('#legend li:not([hidden])')].some((e) => e.textContent === 'on both sides')"
    )
    assert named(page) == "between rows,on both sides"
    page.open(f"{address}#example=two+blobs&tab=relatives&on=Adaline;maximum+margin")
    page.until("document.querySelectorAll('#legend li[data-name]').length === 2")
    assert named(page) == "boundary,normal w,kept,Adaline,maximum margin"
    page.page.locator("#relatives label", has_text="Adaline").locator("input").uncheck()
    page.until("document.querySelectorAll('#legend li[data-name]').length === 1")


def test_samples_of_the_legend_look_like_what_they_name(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=two+blobs&test=0.3&tab=verdict&theme=dark")
    samples = {
        item.text_content(): item.locator("svg > *").evaluate("(e) => [getComputedStyle(e).fill, e.outerHTML]")
        for item in page.page.locator("#legend li:not([hidden])").all()
    }
    ink = page.value("getComputedStyle(document.body).color")
    assert samples["normal w"][0] == ink, "its head is filled, in the dark too"
    assert "h1" in samples["nearest rows"][1], "a ring round a point"
    assert "h1" not in samples["kept for testing"][1], "an outline"


def test_the_hint_of_a_control_is_seen_where_the_control_is(page: Chromium, address: str) -> None:
    for width, height in ((390, 844), (1280, 720)):
        page.page.set_viewport_size({"width": width, "height": height})
        page.open(f"{address}#example=AND&tab=learner")
        page.page.focus("#controls [name=eta0]")
        hint = page.page.locator("#control-help")
        assert str(hint.text_content()).startswith("Learning rate (eta0). ")
        top, bottom, window = hint.evaluate(
            "(e) => [...['top', 'bottom'].map((side) => e.getBoundingClientRect()[side]), innerHeight]"
        )
        assert 0 <= top < bottom <= window, (width, height)
        assert page.value("document.activeElement.getBoundingClientRect().bottom") <= top + 1, (width, height)


def test_choices_are_not_cut_off(page: Chromium, address: str) -> None:
    """Every choice of every control, measured as text, fits into its field."""
    measure = """(select) => {
      const pen = document.createElement("canvas").getContext("2d"), look = getComputedStyle(select);
      pen.font = look.font;
      const room = select.clientWidth - parseFloat(look.paddingLeft) - parseFloat(look.paddingRight) - 18; // the arrow
      return [...select.options].map((option) => option.text).filter((text) => pen.measureText(text).width > room);
    }"""
    for width, height in ((390, 844), (1024, 768), (1280, 720)):
        page.page.set_viewport_size({"width": width, "height": height})
        for tab in ("learner", "logic", "data"):
            page.open(f"{address}#example=AND&tab={tab}")
            page.value("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
            for select in page.page.locator("select:visible").all():
                name = select.get_attribute("name") or select.get_attribute("id")
                assert select.evaluate(measure) == [], (width, tab, name)
    page.value("sessionStorage.clear()")  # it remembers the folds


def test_the_page_opens_at_the_start_of_and_and_play_moves_it(page: Chromium, address: str) -> None:
    page.open(f"{address}#theme=light")
    assert str(page.page.text_content("#moment")).startswith("Start: "), "a link without points opens there too"
    page.open(address)
    assert page.page.input_value("#example") == "AND"
    assert str(page.page.text_content("#moment")).replace("\xa0", " ").startswith("Start: w = [b, w1, w2] = [0, 0, 0].")
    assert named(page) == "", "no line is drawn yet"
    page.page.select_option("#speed", "30")
    page.page.click("#play")
    page.until("document.getElementById('moment').textContent.startsWith('End, separated: epoch 9 was clean')")
    page.until("document.querySelectorAll('#legend li:not([hidden])').length === 2")
    assert named(page) == "boundary,normal w"


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (1024, 768), (390, 844)], ids=str)
@pytest.mark.parametrize("theme", ["light", "projector"])
def test_plane_controls_and_sentence_are_seen_together(
    page: Chromium, address: str, size: tuple[int, int], theme: str
) -> None:
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    page.open(f"{address}#example=iris:+versicolor,+virginica&theme={theme}")
    assert page.value("document.getElementById('moment').getBoundingClientRect().bottom") <= size[1], "a long sentence"
    page.open(f"{address}#example=AND&at=6&theme={theme}")
    boxes = [page.value(f"document.getElementById('{id}').getBoundingClientRect().toJSON()") for id in SEEN_TOGETHER]
    assert all(box["top"] >= 0 and box["bottom"] <= size[1] for box in boxes)
    assert all(box["left"] >= 0 and box["right"] <= size[0] for box in boxes)
    plane, play, _, moment = boxes
    if size[0] < 500:
        assert plane["bottom"] <= play["top"] < moment["top"], "on a phone: plane, controls, sentence"
    else:
        tools = page.value("document.getElementById('drawing').getBoundingClientRect().bottom")
        assert tools <= size[1], "the tools for drawing are not cut in half by the end of the window"
    assert plane["width"] * plane["height"] > (0.24 if theme == "projector" else 0.3) * size[0] * size[1]


SEEN_TOGETHER = ("plane", "play", "last", "moment")


def test_the_arrow_keys_go_from_tab_to_tab(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&at=3")
    page.page.focus("#h-data")
    for key, tab in (("ArrowRight", "learner"), ("End", "export"), ("ArrowRight", "data"), ("ArrowLeft", "export")):
        page.page.keyboard.press(key)
        assert page.value("document.activeElement.id") == f"h-{tab}"
        assert page.value("[...document.querySelectorAll('[role=tabpanel]')].filter((e) => !e.hidden).length") == 1
        assert page.page.is_visible(f"#p-{tab}")
    assert "at=3" in str(page.value("location.hash")), "Home and End did not move the run"
    page.page.reload()
    page.page.locator("#p-export").wait_for()


def test_what_is_above_the_plane_follows_the_points(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    assert "lectures" in str(page.page.text_content("#description"))
    page.page.focus("#plane")
    for key in ("2", "Enter"):
        page.page.keyboard.press(key)
    assert page.page.text_content("#description") == "Your own points: 3 of −1, 2 of 1."
    assert page.page.locator("#rows tbody tr").count() == 5
    page.page.click("#clear")
    assert page.page.text_content("#description") == "No points yet: click in the plane to add some."
    page.page.click("#undo")
    assert page.page.text_content("#description") == "Your own points: 3 of −1, 2 of 1."


def test_nothing_jumps_during_steps_or_on_an_error(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&at=0")
    places = "['legend', 'scrub', 'undo', 'h-learner'].map((id) => document.getElementById(id).offsetTop).join()"
    layouts = {page.value(places)}
    for _ in range(19):
        page.page.click("#mistake")
        layouts.add(page.value(places))
    page.page.click("summary:has-text('Paste')")
    opened = page.value(places)
    page.page.click("#paste")
    page.until("!document.getElementById('error').hidden")
    assert page.value(places) == opened
    assert len(layouts) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\xff", "is not text in UTF-8"),
        ("x1,x2,kind\n1,2,\xe9\n3,4,b\n".encode("latin-1"), "is not text in UTF-8"),
        (b"x1,x2,kind\n" + b"1,2,A\n" * 700_000, "is larger than 4 MB"),
        (b"x1,x2,kind\n1,2,A\n3,4", "the table:3: expected 3 columns, found 2"),
        (b"x1,x2,kind\n1,1e200,A\n3,4,B\n", "too large"),
    ],
    ids=["picture", "latin-1", "huge", "half a line", "far away"],
)
def test_a_file_that_is_not_a_table_gets_a_sentence(page: Chromium, address: str, content: bytes, words: str) -> None:
    page.open(f"{address}#example=AND")
    page.page.set_input_files("#upload", {"name": "table.csv", "mimeType": "text/csv", "buffer": content})
    page.until(f"document.getElementById('error').textContent.includes('{words}')")
    assert page.value("document.querySelectorAll('#layer-points .point').length") == 4, "the points before stay"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_with_x_and_y_is_read_with_its_class_last(page: Chromium, address: str, encoding: str) -> None:
    page.open(f"{address}#example=AND")
    content = "x,y,class\n1,2,gr\xfcn\n3,4,rot\n".encode(encoding)
    page.page.set_input_files("#upload", {"name": "table.csv", "mimeType": "text/csv", "buffer": content})
    page.until("document.querySelectorAll('#layer-points .point').length === 2")
    assert (
        page.value("[...document.querySelectorAll('#tools label')].map((e) => e.textContent).join()")
        == "gr\xfcn,rot,Erase"
    )


@pytest.mark.parametrize("link", ["data=1,2,0;3,4,1&classes=[%22A%22,%22B", "data=1,2,0;3,4,7", "data=1,2,0;3"])
def test_a_damaged_link_gets_a_sentence_and_the_page_opens(page: Chromium, address: str, link: str) -> None:
    page.open(f"{address}#{link}")
    page.until("document.getElementById('error').textContent.startsWith('This link is damaged')")
    assert "update 0 of 18 · visit 0 of 36" in str(page.page.text_content("#numbers"))
    page.open(f"{address}#example=AND&at=once")
    assert page.value("document.getElementById('error').hidden")


def test_copying_a_link_is_confirmed_or_refused(page: Chromium, address: str) -> None:
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.open(f"{address}#example=AND&tab=export")
    page.page.click("#link")
    page.until("document.getElementById('link').textContent === 'Copied ✓'")
    rows = "Array.from({ length: 501 }, (_, i) => `${i},${i % 7},${i % 2}`)"
    page.value(f"document.getElementById('text').value = 'x1,x2,kind\\n' + {rows}.join('\\n')")
    page.value("document.getElementById('paste').click()")
    page.until("document.getElementById('description').textContent === '501 points.'")
    page.page.click("#link")
    page.until("document.getElementById('error').textContent.startsWith('A link holds up to 500 points')")


def test_a_link_carries_the_screen_but_not_the_lessons_that_are_done(page: Chromium, address: str) -> None:
    """Else a student who opens the link of another would save the results of both."""
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.open(f"{address}#example=XOR&tab=export&done=unit.rule")
    page.page.click("#link")
    page.until("document.getElementById('link').textContent === 'Copied ✓'")
    copied = str(page.value("navigator.clipboard.readText()"))
    assert "example=XOR" in copied
    assert "done" not in copied
    page.page.fill("#open-link [name=link]", "http://other.example/#example=OR&done=and.theorem")
    page.page.get_by_text("Open it here").click()
    page.until("document.getElementById('example')?.value === 'OR'")
    page.until("new URLSearchParams(location.hash.slice(1)).get('done') === 'unit.rule'")


def test_the_keys_work_while_a_button_has_the_focus(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND&at=0")
    page.page.click("#mistake")
    page.page.keyboard.press("e")
    page.until("document.getElementById('moment').textContent.startsWith('End of epoch 1')")
    page.page.click("#h-logic")
    page.page.focus("#expression")
    page.page.keyboard.press("e")
    assert "e" in str(page.value("document.getElementById('expression').value"))
    assert "End of epoch 1" in str(page.page.text_content("#moment"))


def test_every_key_of_a_link_is_read_and_written_again(page: Chromium, address: str) -> None:
    """Links are shared, so these names stay."""
    keys = {
        "data": "0,0,0;0,1,0;1,0,0;1,1,1",
        "classes": "[-1,1]",
        "eta0": "0.5",
        "at": "3",
        "on": "Adaline;logistic unit",
        "gates": "a & ~b",
        "build": "learned",
        "theme": "dark",
        "tab": "relatives",
        "lesson": "theorem",
        "done": "unit.rule",
    }
    page.open(f"{address}#{urlencode(keys)}")
    page.until("document.getElementById('moment').textContent.startsWith('Epoch 2, row 1')")
    assert page.value("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))") == keys
    assert page.page.locator("#relatives input:checked").count() == 2
    assert page.page.input_value("#controls [name=eta0]") == "0.5"
    assert page.page.input_value("#expression") == "a & ~b"
    assert page.page.text_content("#lesson-title") == "4. The theorem"
    page.open(f"{address}#example=XOR")
    assert page.page.input_value("#example") == "XOR"
