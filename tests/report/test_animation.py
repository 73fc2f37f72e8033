"""Animations: every frame shows what the trace contains."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rosenblatt import animate, errors, trace
from rosenblatt.report.animation.moments import film_of, vectors
from rosenblatt.report.animation.page import _pixel, film_page
from tests.learn.replay.test_trace import AND, CORNERS


@pytest.fixture(scope="module")
def and_run() -> Any:
    return trace(CORNERS, AND)


def film_in(html: str) -> Any:
    match = re.search(r"const film = (\{.*\});\n", html)
    assert match is not None
    return json.loads(match[1])


def test_the_film_starts_updates_and_ends(and_run: Any) -> None:
    moments = film_of(and_run, 0, None, 60).moments
    assert len(moments) == 1 + 18 + 1
    assert moments[0].words == "w = [0, 0, 0], no boundary"
    assert moments[18].title == "update 18 · epoch 8 · row 2"
    assert moments[18].words == "target −1, score 0: [−3, 3, 3] → [−4, 3, 2]"
    assert (moments[-1].title, moments[-1].row) == ("separated after 9 epochs", None)
    assert moments[-1].after.tolist() == [-4, 3, 2]
    for moment, following in pairwise(moments):
        assert moment.after.tolist() == following.before.tolist()


def test_a_boundary_outside_the_picture_is_mentioned(and_run: Any) -> None:
    seventh = film_of(and_run, 0, None, 60).moments[7]
    assert seventh.after.tolist() == [-3, 1, 0]  # x1 = 3
    assert seventh.words.endswith("boundary outside the picture")


def test_the_arrow_of_w_starts_on_a_boundary(and_run: Any) -> None:
    film = film_of(and_run, 0, None, 60)
    starts = 0
    for moment in film.moments:
        for start, _, role in vectors(film, moment):
            if role == "after":
                scores = [line[0] + line[1:] @ start for line in (moment.after, moment.before)]
                assert min(map(abs, scores)) < 1e-9
                starts += 1
    assert starts > 10


def test_the_axes_have_the_names_of_the_columns(and_run: Any) -> None:
    assert film_in(film_page(film_of(and_run, 0, None, 3)))["axes"] == ["x1", "x2"]
    assert film_in(film_page(film_of(and_run, 0, (1, 0), 3, ["rain", "sun"])))["axes"] == ["sun", "rain"]


def test_nothing_in_a_gif_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Titles and legend stay within the picture, with long numbers and long names."""
    draw = np.random.default_rng(0)
    X = np.round(draw.normal(size=(30, 2)) + np.array([40, 0]), 3)
    run = trace(X, np.array(["a class with a rather long name", "another one with a long name"])[(X[:, 1] > 0) * 1])
    places = []

    def measured(canvas: Any, ax: Any, moment: Any, points: Any) -> Any:
        moment(ax)
        canvas.draw()
        boxes = [ax.title.get_window_extent(), ax.get_legend().get_window_extent()]
        places.extend((box.x0, box.y0, box.x1, box.y1) for box in boxes)
        return Image.new("RGB", (4, 4))

    monkeypatch.setattr("rosenblatt.report.animation.gif._picture", measured)
    animate(run, tmp_path / "run.gif", most=5)
    left, low, right, high = np.array(places).T
    assert min(left.min(), low.min()) >= 0
    assert right.max() <= 600
    assert high.max() <= 520


def test_long_runs_are_thinned_from_first_to_last() -> None:
    draw = np.random.default_rng(0)
    noisy = trace(draw.normal(size=(80, 2)), draw.random(80) < 0.5, max_iter=20)
    moments = film_of(noisy, 0, None, 10).moments
    assert len(moments) == 12
    assert moments[1].title.startswith("update 1 ·")
    assert moments[10].title.startswith(f"update {len(noisy)} ·")


def test_a_gif_has_a_frame_for_each_moment(and_run: Any, tmp_path: Path) -> None:
    assert animate(and_run, tmp_path / "and.gif", most=3) == tmp_path / "and.gif"
    with Image.open(tmp_path / "and.gif") as film:
        assert film.n_frames == 5
        assert film.size[0] == 600
        durations, pictures = [], []
        for k in range(5):
            film.seek(k)
            durations.append(film.info["duration"])
            pictures.append(np.asarray(film.convert("RGB")))
    assert durations[-1] > durations[0]  # the last frame stays longer
    assert len({picture.tobytes() for picture in pictures}) == 5


def test_the_page_needs_nothing_else(and_run: Any, tmp_path: Path) -> None:
    html = animate(and_run, tmp_path / "and.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=|@import|url\(|fetch\(", html)
    assert set(re.findall(r"https?://[^\"']+", html)) == {"http://www.w3.org/2000/svg"}
    assert "/*" not in html
    assert len(html) < 40_000


def test_the_page_draws_the_runs_lines(and_run: Any) -> None:
    film = film_of(and_run, 0, None, 60)
    page_film = film_in(film_page(film))
    left, top, right, bottom = page_film["box"]
    for moment, page_moment in zip(film.moments, page_film["moments"], strict=True):
        assert (page_moment["title"], page_moment["words"], page_moment["row"]) == (
            moment.title,
            moment.words,
            moment.row,
        )
        for role, (x1, y1, x2, y2) in page_moment["lines"].items():
            for x, y in ((x1, y1), (x2, y2)):
                share = np.array([(x - left) / (right - left), (bottom - y) / (bottom - top)])
                b, *w = getattr(moment, role)
                assert b + (film.view.low + share * film.view.size) @ w == pytest.approx(0, abs=0.02)
    x, y, target = page_film["points"][3]
    assert ([x, y], target) == (_pixel(film.view, CORNERS[3]), 1)
    for axis in (0, 1):
        assert [text for _, text in page_film["ticks"][axis]].count("0") == 1


def test_the_page_can_be_used_by_keyboard_and_read_aloud(and_run: Any) -> None:
    html = film_page(film_of(and_run, 0, None, 60))
    for part in (
        'aria-live="polite"',
        'aria-label="Moment of the run"',
        "ArrowRight",
        "prefers-reduced-motion",
        'lang="en"',
    ):
        assert part in html
    assert html.count("<button") == 3


@pytest.mark.parametrize(("theme", "attribute"), [(None, 'data-theme=""'), ("dark", 'data-theme="dark"')])
def test_the_page_follows_the_system_unless_told(and_run: Any, theme: Any, attribute: str) -> None:
    assert attribute in film_page(film_of(and_run, 0, None, 60), theme=theme)
    with pytest.raises(errors.ParameterError, match="'light' or 'dark'"):
        film_page(film_of(and_run, 0, None, 60), theme="sepia")


@pytest.mark.parametrize("name", ["</script><b>", "<!--<script>", "<!--"])
def test_class_names_cannot_leave_the_script(name: str) -> None:
    html = film_page(film_of(trace(CORNERS, np.array([name, name, name, "yes"])), 0, None, 60))
    assert html.count("</script>") == 1
    assert name not in html
    assert film_in(html)["names"] == [name, "yes"]


@pytest.mark.parametrize("name", ["and.mp4", "and"])
def test_other_endings_are_refused(and_run: Any, tmp_path: Path, name: str) -> None:
    with pytest.raises(errors.ParameterError, match=r"written as .gif or .html"):
        animate(and_run, tmp_path / name)


def test_many_columns_must_be_chosen(tmp_path: Path) -> None:
    wide = trace(np.random.default_rng(0).normal(size=(20, 4)), np.arange(20) % 2, max_iter=3)
    with pytest.raises(errors.DataError, match=r"choose two of 0 to 3 with columns=\(i, j\)"):
        animate(wide, tmp_path / "wide.html")
    page_film = film_in(animate(wide, tmp_path / "wide.html", columns=(1, 3)).read_text(encoding="utf-8"))
    assert page_film["axes"] == ["x2", "x4"]
