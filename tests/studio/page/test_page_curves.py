"""The page with curved boundaries and long runs: the paths, the losses and the visits that it shows."""

import json
from typing import Any

import pytest

from rosenblatt.studio.questions.run.learn import learn, visits
from rosenblatt.studio.questions.run.loss_history import loss_history
from rosenblatt.studio.questions.run.regions import regions
from tests.studio.chromium import MISSING, PROGRAM, Chromium
from tests.studio.requests import example_points

if PROGRAM is None:
    pytest.skip(MISSING, allow_module_level=True)


def request_of(page: Chromium, name: str, **options: Any) -> dict[str, Any]:
    """The request of the page, with the part of the plane that its picture shows."""
    body = example_points(name)
    corners = f"import('./plane/view.js').then((m) => JSON.stringify(new m.View({json.dumps(body['points'])}).corners))"
    (left, high), _, (right, low), _ = json.loads(str(page.value(corners)))
    return body | {"options": options, "box": [left, right, low, high], "size": [640, 480]}


def text(page: Chromium, place: str) -> str:
    return str(page.value(f"document.getElementById('{place}').textContent"))


def drawn(page: Chromium, kind: str, at: int) -> Any:
    """The path of the boundary once it is that after so many visits."""
    page.until(f"document.getElementById('layer-lines').dataset.time === '{at}'")
    return page.value(f"document.querySelector('{kind}')?.getAttribute('d') ?? ''")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("XOR", {"degree": 2}),
        ("rings", {"degree": 2}),
        ("moons", {"kernel": "rbf", "gamma": 4}),
        ("rings", {"kernel": "poly", "degree": 2}),
    ],
    ids=str,
)
def test_a_curve_is_the_servers_at_every_step(page: Chromium, address: str, name: str, options: dict[str, Any]) -> None:
    page.open(f"{address}#example={name}&" + "&".join(f"{key}={value}" for key, value in options.items()))
    body = request_of(page, name, **options)
    run = learn(body)
    assert (run["status"], run["ending"] in text(page, "moment")) == ("separated", True)
    (last,) = regions(body | {"times": [run["t"]]})["pictures"]
    assert drawn(page, ".boundary", run["t"]) == last["boundary"]
    for label in ("0", "1"):
        assert drawn(page, f".region.c{label}", run["t"]) == last["regions"][label]
    for at in (len(run["moments"]) // 2, len(run["moments"]) - 1):
        moment = run["moments"][at]
        page.value(
            f"(() => {{ const slider = document.getElementById('scrub'); slider.value = {at + 1};"
            "slider.dispatchEvent(new Event('input')); })()"
        )
        (then,) = regions(body | {"times": [moment["t"] + 1]})["pictures"]
        assert drawn(page, ".boundary", moment["t"] + 1) == then["boundary"]
        assert f"row {moment['row'] + 1} " in text(page, "moment")
        assert f"{moment['errors']} training error" in text(page, "numbers")


def test_the_widest_margin_is_a_curve_too(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=rings&degree=2&tab=verdict")
    assert text(page, "verdict").startswith("Yes: a curve of degree 2 tells")
    assert page.value("document.querySelectorAll('path.widest').length") == 3
    assert page.value("document.querySelectorAll('#plane .support').length") == 5
    page.open(f"{address}#example=moons&degree=2&tab=verdict")
    assert text(page, "verdict").startswith("No: a curve of degree 2")
    assert page.value("document.querySelectorAll('#plane .proof-row').length") > 2


def test_the_degree_that_can_is_offered_and_taken(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=XOR")
    page.until("document.getElementById('offer')?.textContent === 'A curve of degree 2 can: try it'")
    page.value("document.getElementById('offer').click()")
    page.until("document.getElementById('verdict').textContent.startsWith('Yes: a curve of degree 2')")
    assert page.value("document.querySelector('#controls [name=degree]').value") == "2"
    assert "degree=2" in str(page.value("location.hash"))


def test_a_kernel_brings_its_own_controls(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=moons")
    names = "[...document.querySelectorAll('#controls [name]')].map((field) => field.name)"
    assert "gamma" not in page.value(names)
    page.value(
        "(() => { const field = document.querySelector('#controls [name=kernel]'); field.value = 'rbf';"
        "field.dispatchEvent(new Event('change')); })()"
    )
    page.until("document.getElementById('verdict').textContent.startsWith('Yes: the rbf kernel')")
    assert page.value(names)[:4] == ["loss", "kernel", "gamma", "order"]
    assert not {"degree", "coef0"} & set(page.value(names)), "rbf has none of them"
    assert "eta0" not in page.value(names)
    page.until("document.getElementById('python').value.includes(\"KernelPerceptron(kernel='rbf'\")")


def test_after_a_kernel_comes_a_line_again(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=moons&kernel=rbf&gamma=4")
    page.value(
        "(() => { const field = document.querySelector('#example'); field.value = 'XOR';"
        "field.dispatchEvent(new Event('change')); })()"
    )
    page.value(
        "(() => { const field = document.querySelector('#controls [name=kernel]'); field.value = '';"
        "field.dispatchEvent(new Event('change')); })()"
    )
    page.until("document.getElementById('numbers').textContent.includes('visit 0 of 200')")
    page.value("document.getElementById('last').click()")
    page.until("document.getElementById('moment').textContent.includes('200 mistakes in 200 visits')")
    page.until("document.documentElement.dataset.ready === 'yes'")
    assert page.value("document.getElementById('error').hidden")


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "joint"])
def test_five_classes_have_a_region_each(page: Chromium, address: str, scheme: str) -> None:
    page.open(f"{address}#example=five+classes&multi_class={scheme}")
    page.until("document.querySelectorAll('.region.cell').length === 5")
    units = {"ovr": 5, "ovo": 10, "joint": 0}[scheme]
    assert page.value("document.querySelectorAll('#layer-lines .unit').length") == units


def test_each_loss_follows_the_moment(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=AND")
    history = loss_history(request_of(page, "AND"))
    page.until("document.querySelectorAll('.loss-list output').length === 6")
    shown = "[...document.querySelectorAll('.loss-list output')].map((output) => output.textContent)"
    assert page.value(shown)[0] == "0"
    page.value("document.getElementById('first').click()")
    values = [loss["values"][0] for loss in history["losses"]] + [0.0]
    assert [float(value) for value in page.value(shown)] == pytest.approx(values, rel=1e-2)


def test_rows_are_shown_from_anywhere_in_a_long_run(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=two+blobs&order=shuffle&kernel=rbf")
    body = request_of(page, "two blobs", order="shuffle", kernel="rbf")
    page.value("document.getElementById('epoch').click()")
    page.value("document.getElementById('first').click()")
    expected = visits(body | {"since": 0})["visits"] + visits(body | {"since": 64})["visits"]
    for visit in expected[:70]:
        page.value("document.getElementById('row').click()")
        page.until(f"document.getElementById('numbers').textContent.includes('visit {visit['t'] + 1} of')")
        assert f"row {visit['row'] + 1} " in text(page, "moment")


def test_a_run_plays_by_rows_to_its_end(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=OR&at=0")
    page.value(
        "(() => { for (const [id, value] of [['by', 'row'], ['speed', '30']]) {"
        "const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event('change')); }"
        "document.getElementById('play').click(); })()"
    )
    page.until("document.getElementById('moment').textContent.startsWith('End')")
    assert text(page, "play-text") == "Play"


def test_all_columns_of_a_wider_table_are_judged_too(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=wrap-around+patterns")
    page.until("document.getElementById('verdict-further').textContent.startsWith('With all 8 columns: No: ')")
    page.open(f"{address}#example=iris%3A+all+three")
    page.until(
        "document.getElementById('verdict-further').textContent.includes('separates 2 of the 3 pairs of classes.')"
    )


def test_by_hand_no_mistake_of_a_long_run_is_left_out(page: Chromium, address: str) -> None:
    page.open(f"{address}#example=rings")
    body = request_of(page, "rings")
    run = learn(body)
    assert not run["complete"]
    page.value("document.getElementById('first').click()")
    expected = visits(body | {"since": 0, "updates_only": True})["visits"]
    for visit in expected[:20]:
        page.value("document.getElementById('mistake').click()")
        page.until(f"document.getElementById('numbers').textContent.startsWith('update {visit['k']} of')")
        assert f"row {visit['row'] + 1} " in text(page, "moment")
