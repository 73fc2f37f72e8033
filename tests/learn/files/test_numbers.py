"""Numbers learned from files: one answer however they are read, errors in their unit, and nothing lost on the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import LinearPredictor, native
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.files import passes
from rosenblatt.learn.files.numbers.scaled_targets import TargetScale, scale_of
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import Csr, logs_of
from tests import child
from tests.slow_twins.learn.squared_minimum import squared_minimum

PLACES = {"town": 900.0, "village": -500.0, "coast": 2000.0}


def houses(count: int = 600, seed: int = 0, noise: float = 300.0) -> tuple[list[str], Any]:
    """Rows of a table, and their prices: a linear function of two numbers and a word, with noise."""
    draw = np.random.default_rng(seed)
    area, age = draw.normal(100, 30, count).round(1), draw.integers(0, 90, count)
    place = draw.choice(list(PLACES), count)
    price = 50 * area - 20 * age + np.array([PLACES[word] for word in place]) + noise * draw.normal(size=count)
    return [f"{a},{b},{c}" for a, b, c in zip(area, age, place, strict=True)], price.round(2)


def table(folder: Path, count: int = 600, seed: int = 0, name: str = "houses.csv") -> Path:
    rows, prices = houses(count, seed)
    lines = [f"{row},{price}\n" for row, price in zip(rows, prices.tolist(), strict=True)]
    (folder / name).write_text("area,age,place,price\n" + "".join(lines))
    return folder / name


def numbered(folder: Path, count: int, seed: int = 0, columns: int = 12) -> Path:
    """The same as svmlight, too many to be learned more than once where the file is said to be large."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(count, columns)).round(3)
    y = (X @ np.random.default_rng(1).normal(size=columns) * 10 + 70 + draw.normal(size=count)).round(3)
    lines = [
        f"{target} {' '.join(f'{j + 1}:{x}' for j, x in enumerate(row))}\n"
        for target, row in zip(y.tolist(), X.tolist(), strict=True)
    ]
    (folder / "rows.svm").write_text("".join(lines))
    return folder / "rows.svm"


def learn(path: Path | str, **options: Any) -> Fitted:
    """A fit of the price, or of what stands first in lines of svmlight."""
    label = None if str(path).endswith(".svm") else "price"
    return fit_file(path, **{"reading": ReadOptions(label=label), **options})


def weights_of(fitted: Fitted) -> bytes:
    model = fitted.model
    assert isinstance(model, NumberModel)
    return model.coef.tobytes() + model.intercept.tobytes() + repr(model.target).encode()


# -- the minimum ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_products", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("alpha", [0.5, 1e-3, 0.0])
def test_the_minimum_is_that_of_ridge_regression(alpha: float, weighted: bool, by_products: bool) -> None:
    draw = np.random.default_rng(3)
    X = (draw.normal(size=(40, 1)) + 0.3 * draw.normal(size=(40, 6))).round(2)
    y, order = (X @ [3.0, -2.0, 0.0, 1.0, 5.0, -4.0] + 7 + draw.normal(size=40)).round(2), np.arange(5, 40)
    weights = draw.integers(1, 5, 40).astype(float) if weighted else None
    examples = native.rows_of(X), order.astype(np.uint32), y, weights
    products = native.column_products(*examples) if by_products else None
    coef, bias, visits = native.squared_minimum(*examples, alpha, 500, None, 0.0, products)
    v = np.ones(40) if weights is None else weights
    expected = squared_minimum(X[order].tolist(), y[order].tolist(), v[order].tolist(), alpha)
    np.testing.assert_allclose([*np.asarray(coef)[0], bias[0]], expected, rtol=1e-5, atol=1e-6)
    assert visits > 3


def test_the_products_of_columns_are_the_weighted_means() -> None:
    draw = np.random.default_rng(8)
    X, y = draw.integers(-9, 9, (30, 5)).astype(float), draw.integers(-9, 9, 30).astype(float)
    order, weights = np.arange(3, 19), np.where(np.arange(30) % 5 == 0, 0.0, 2.0 ** -(np.arange(30) % 3))
    weights[3] += 16.0 - weights[order].sum()  # so that every share, product and sum is exact
    products = native.column_products(native.rows_of(X), order.astype(np.uint32), y, weights)
    rows = np.column_stack([X, np.ones(30)])[order]
    with_targets = np.column_stack([rows, y[order]])
    assert np.array_equal(np.asarray(products), with_targets.T @ (weights[order, None] / 16.0 * rows))


def test_the_minimum_has_the_same_bits_in_every_layout() -> None:
    draw = np.random.default_rng(4)
    X = draw.normal(size=(60, 9)).round(2) * (draw.random((60, 9)) < 0.5)
    y, order = draw.normal(size=60), draw.permutation(60)[:50].astype(np.uint32)
    starts = np.concatenate([[0], np.cumsum((X != 0).sum(axis=1))])
    columns = np.nonzero(X)[1]
    layouts = (
        X,
        np.asfortranarray(X),
        Csr(starts.astype(np.int64), columns.astype(np.int32), X[X != 0], 9),
        Csr(starts.astype(np.int64), columns.astype(np.int64), X[X != 0], 9),
    )
    answers = set()
    for rows in map(native.rows_of, layouts):
        products = native.column_products(rows, order, y, None)
        minima = [native.squared_minimum(rows, order, y, None, 0.01, 30, None, 0.5, by) for by in (None, products)]
        answers.add((bytes(products), *(bytes(part) for coef, bias, _ in minima for part in (coef, bias))))
    assert len(answers) == 1


MINIMUM = """
import numpy as np
from rosenblatt import native
draw = np.random.default_rng(0)
X, y = draw.normal(size=(70, 11)), draw.normal(size=70)
examples = native.rows_of(X), np.arange(70, dtype=np.uint32), y, None
products = native.column_products(*examples)
minima = [native.squared_minimum(*examples, 0.01, 50, None, 0.0, by) for by in (None, products)]
print(native.instruction_set(), "".join(bytes(part).hex() for minimum in minima for part in minimum[:2]))
"""


def test_the_minimum_has_the_same_bits_on_every_instruction_set() -> None:
    assert len(child.outputs_by_instruction_set(MINIMUM)) == 1


def test_the_minimum_refuses_what_does_not_belong_together() -> None:
    rows, order, y = native.rows_of(np.eye(4)), np.arange(4, dtype=np.uint32), np.arange(4.0)
    good: tuple[Any, ...] = (order, y, None, 0.1, 5, None, 0.0, native.column_products(rows, order, y, None))
    assert native.squared_minimum(rows, *good)[2] > 0
    wrong = {0: order + 1, 1: y[:3], 2: np.ones(3), 3: -1.0, 5: np.zeros(3), 7: np.zeros((5, 5))}
    for position, value in wrong.items():
        with pytest.raises(ValueError, match=r"expected|must|alpha"):
            native.squared_minimum(rows, *good[:position], value, *good[position + 1 :])


# -- the scale of the target ----------------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50))
def test_the_scale_puts_targets_near_zero_and_comes_back(targets: list[float]) -> None:
    scale, numbers = scale_of(targets), np.array(targets)
    inside = scale.inside(numbers)
    assert abs(inside.mean()) <= 1.5 or numbers.std() <= 1e-6 * np.abs(numbers).max()
    assert np.abs(scale.outside(inside) - numbers).max() <= 1e-6 * max(1.0, np.abs(numbers).max())


def test_targets_of_any_unit_are_learned_alike(tmp_path: Path) -> None:
    """A unit that is a power of two as large gives predictions as large, to the bit."""
    rows, prices = houses()
    predicted = []
    for unit in (1.0, 2.0**40, 2.0**-40):
        path = tmp_path / "units.csv"
        lines = [f"{row},{price * unit!r}\n" for row, price in zip(rows, prices.tolist(), strict=True)]
        path.write_text("area,age,place,price\n" + "".join(lines))
        model = fit_file(path, reading=ReadOptions(label="price")).model
        assert isinstance(model, NumberModel)
        assert isinstance(model.target.scale, TargetScale)
        predicted.append(np.concatenate([block.decided for block in predict_file(model, path)]) / unit)
    assert predicted[0].tolist() == predicted[1].tolist() == predicted[2].tolist()


# -- one answer -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"passes": 1}, {"error": "absolute"}, {"quantiles": (0.2, 0.5, 0.8)}])
def test_one_answer_for_any_number_of_threads_and_from_a_cache(options: dict[str, Any], tmp_path: Path) -> None:
    path = table(tmp_path)
    one = learn(path, threads=1, **options)
    assert weights_of(one) == weights_of(learn(path, threads=5, **options))
    cached = [learn(path, keep_cache=True, **options) for _ in range(2)]
    assert [fitted.cache.state for fitted in cached if fitted.cache] == ["made", "reused"]
    assert {weights_of(fitted) for fitted in cached} == {weights_of(one)}


def test_parts_of_a_file_are_learned_as_the_whole(tmp_path: Path) -> None:
    whole = table(tmp_path)
    header, *rows = whole.read_text().splitlines(keepends=True)
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(3):
        (folder / f"part{k}.csv").write_text(header + "".join(rows[k * 200 : (k + 1) * 200]))
    assert weights_of(learn(str(folder))) == weights_of(learn(whole))


def test_a_model_file_gives_the_same_predictions(tmp_path: Path) -> None:
    path = table(tmp_path)
    for options in ({}, {"quantiles": (0.1, 0.5, 0.9)}):
        fitted = learn(path, **options)  # type: ignore[arg-type]
        save_model(fitted.model, tmp_path / "m.model")
        loaded = load_model(tmp_path / "m.model")
        assert isinstance(loaded, NumberModel)
        assert isinstance(fitted.model, NumberModel)
        assert (loaded.target, loaded.interval, loaded.levels) == (
            fitted.model.target,
            fitted.model.interval,
            fitted.model.levels,
        )
        for mine, theirs in zip(predict_file(fitted.model, path), predict_file(loaded, path), strict=True):
            assert fitted.model.answers(mine.scores).tobytes() == loaded.answers(theirs.scores).tobytes()


def test_an_interrupted_fit_resumes_to_the_same_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "_REPORT_EVERY", 0.0)
    monkeypatch.setattr(passes, "_BATCH", 1000)
    path = numbered(tmp_path, 20_000)
    options: dict[str, Any] = {"passes": 2, "checkpoint": str(tmp_path / "c")}
    whole = learn(path, **options)

    def stop(progress: Any) -> None:
        if progress.rows > 7_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(path, on_progress=stop, checkpoint_every=1e-9, **options)
    assert (tmp_path / "c").exists()
    resumed = learn(path, resume=True, **options)
    assert resumed.resumed
    assert weights_of(resumed) == weights_of(whole)
    assert resumed.progressive_error == whole.progressive_error


# -- how good it is -------------------------------------------------------------------------------------------------


def test_errors_and_intervals_are_in_the_unit_of_the_target(tmp_path: Path) -> None:
    fitted = learn(table(tmp_path, 2000), holdout=0.2)
    number = fitted.number
    assert number is not None
    assert (number.target, number.measure) == ("price", "RMSE")
    for error in (fitted.fold_error, fitted.holdout_error):
        assert error is not None
        assert 270 < error < 330
    assert 1500 < number.baseline < 2300
    assert number.interval is not None
    assert 1.4 * 300 < number.interval.half_width < 2.0 * 300
    assert 0.85 < number.interval.coverage < 0.95
    rows, prices = houses(2000, seed=9)
    new = tmp_path / "new.csv"
    lines = [f"{row},{price}\n" for row, price in zip(rows, prices.tolist(), strict=True)]
    new.write_text("area,age,place,price\n" + "".join(lines))
    assert isinstance(fitted.model, NumberModel)
    inside = 0
    for block in predict_file(fitted.model, new):
        bounds = fitted.model.bounds(np.asarray(block.decided, dtype=np.float64))
        assert bounds is not None
        inside += int(((bounds[0] <= block.targets) & (block.targets <= bounds[1])).sum())
    assert 0.87 < inside / 2000 < 0.93


def test_quantiles_have_their_share_below_them(tmp_path: Path) -> None:
    levels = (0.1, 0.5, 0.9)
    fitted = learn(table(tmp_path, 3000), quantiles=levels)
    assert isinstance(fitted.model, NumberModel)
    new = table(tmp_path, 3000, seed=5, name="new.csv")
    below, rows = np.zeros(3), 0
    for block in predict_file(fitted.model, new):
        answers = fitted.model.answers(block.scores)
        assert (np.diff(answers, axis=1) >= 0).all()
        below += (block.targets[:, None] <= answers).sum(axis=0)
        rows += len(answers)
    np.testing.assert_allclose(below / rows, levels, atol=0.04)


def test_one_pass_over_many_rows_comes_near_to_least_squares(tmp_path: Path) -> None:
    path = numbered(tmp_path, 30_000)
    fitted = learn(path, passes=1)
    assert fitted.number is not None
    assert fitted.choice is None
    (test := tmp_path / "test").mkdir()
    tested = learn(path, passes=1, test=str(numbered(test, 5000, seed=2)))
    assert tested.test_error is not None
    assert tested.test_error < 1.02
    assert fitted.progressive_error < 1.3


def test_an_absolute_error_is_hardly_moved_by_outliers(tmp_path: Path) -> None:
    rows, prices = houses(900)
    prices[::9] += 80_000.0
    path = tmp_path / "outliers.csv"
    lines = [f"{row},{price}\n" for row, price in zip(rows, prices.tolist(), strict=True)]
    path.write_text("area,age,place,price\n" + "".join(lines))
    fitted = learn(path, error="absolute")
    assert isinstance(fitted.model, NumberModel)
    _, clean = houses(900)
    predicted = np.concatenate([block.decided for block in predict_file(fitted.model, path)])
    assert np.median(np.abs(predicted - clean)) < 400


# -- what cannot be learned -----------------------------------------------------------------------------------------


def test_equal_targets_are_refused(tmp_path: Path) -> None:
    (tmp_path / "same.csv").write_text("a,y\n" + "".join(f"{k},7.5\n" for k in range(50)))
    with pytest.raises(
        DataError, match=r"every example has the target 7\.5, so there is nothing to learn; the label is"
    ):
        fit_file(tmp_path / "same.csv", reading=ReadOptions(task="number"))


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"class_weight": "balanced"}, "class_weight"),
        ({"threshold": 0.5}, "threshold"),
        ({"size": "1MB"}, "size"),
        ({"rule": "hinge"}, "rule"),
    ],
)
def test_options_about_classes_are_refused(options: dict[str, Any], word: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=word):
        learn(table(tmp_path), **options)


@pytest.mark.parametrize("options", [{"error": "absolute"}, {"quantiles": "0.5"}, {"rule": "number-average"}])
def test_options_about_numbers_are_refused_for_classes(options: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "classes.csv").write_text("a,label\n" + "".join(f"{k},{k % 2}\n" for k in range(50)))
    with pytest.raises(ParameterError, match="its labels are classes"):
        fit_file(tmp_path / "classes.csv", **options)


def test_noise_alone_is_no_better_than_the_mean(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    lines = [f"{a},{b}\n" for a, b in zip(draw.normal(size=200), draw.normal(50, 1, 200), strict=True)]
    (tmp_path / "noise.csv").write_text("a,y\n" + "".join(lines))
    fitted = fit_file(tmp_path / "noise.csv")
    assert [caution.kind for caution in fitted.warnings] == ["no better"]
    assert "always guessing the mean, 49.9" in str(fitted.warnings[0])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_many_dates_are_no_label_unless_they_are_called_classes(suffix: str, tmp_path: Path) -> None:
    days = [f"2024-{1 + k % 12:02}-{1 + k % 28:02}" for k in range(300)]
    frame = pd.DataFrame({"a": np.arange(300) % 7, "day": days})
    path = tmp_path / f"days.{suffix}"
    if suffix == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.assign(day=pd.to_datetime(frame["day"])).to_parquet(path)
    for task, says in ((None, "each date is a class"), ("number", "count the days")):
        with pytest.raises(DataError, match=f"column 'day', holds dates, .*{says}"):
            fit_file(path, reading=ReadOptions(label="day", decide=True, task=task))
    classes = ReadOptions(label="day", decide=True, task="classes")
    assert len(fit_file(path, reading=classes, passes=1).model.classes) == 84


@pytest.mark.parametrize("is_linear", [True, False])
def test_a_long_tail_is_tamed_unless_the_target_follows_it(is_linear: bool, tmp_path: Path) -> None:
    draw = np.random.default_rng(8)
    weight = draw.lognormal(0, 1.5, 800).round(4)
    cost = 5 * weight if is_linear else 5 * np.log(weight)
    frame = pd.DataFrame({"weight": weight, "age": draw.normal(size=800).round(3)})
    cost = (cost + 2 * frame["age"] + draw.normal(size=800)).round(3)
    frame.assign(cost=cost).to_csv(tmp_path / "costs.csv", index=False)
    fitted = fit_file(tmp_path / "costs.csv", reading=ReadOptions(label="cost"))
    assert ("weight" in logs_of(fitted.model.space)) is not is_linear
    assert fitted.fold_error is not None
    assert fitted.fold_error < (1.1 if is_linear else 0.5 * cost.std())
    in_memory = LinearPredictor().fit(frame, cost).model_
    assert in_memory.coef.tobytes() == fitted.model.coef.tobytes()
