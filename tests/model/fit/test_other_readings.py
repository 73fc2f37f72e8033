"""Few examples are read in other ways, too, and the rows left out decide: the same from every door."""

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rosenblatt import LinearSeparator, fit_file
from rosenblatt.cli import main
from rosenblatt.learn.files.passes import Fitting
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit.other_readings import OtherReading
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import logs_of

ROWS, WORDS = 900, 30
Text = tuple[str, str]  # the label and the words


def words_decide(seed: int) -> list[Text]:
    """Words in random order, each of which speaks for a class or against it."""
    rng = np.random.default_rng(seed)
    speaks_for = rng.normal(size=WORDS)
    drawn = [rng.integers(0, WORDS, 6) for _ in range(ROWS)]
    decided = [speaks_for[words].sum() + rng.normal(0, 0.5) > 0 for words in drawn]
    return [("yes" if y else "no", _text(words)) for words, y in zip(drawn, decided, strict=True)]


def _text(words: np.ndarray[Any, Any]) -> str:
    return " ".join(f"w{word}" for word in words)


def order_decides(seed: int) -> list[Text]:
    """The same words in both classes; which of two comes first tells the class."""
    rng = np.random.default_rng(seed)
    texts = []
    for y in rng.random(ROWS) < 0.5:
        words = [f"w{word}" for word in rng.integers(0, WORDS, 8)]
        place = int(rng.integers(0, 8))
        texts.append(
            ("yes" if y else "no", " ".join([*words[:place], *(["up", "down"][:: 1 if y else -1]), *words[place:]]))
        )
    return texts


def as_lines(texts: list[Text], path: Path) -> Path:
    path.write_text("".join(f"{label}\t{text}\n" for label, text in texts))
    return path


def bits(fitted: Fitted) -> tuple[Any, ...]:
    model = fitted.model
    return model.coef.tobytes(), model.intercept.tobytes(), model.space.ngrams, fitted.chosen, fitted.passes


@pytest.mark.parametrize(("texts", "ngrams"), [(words_decide, 1), (order_decides, 2)])
def test_the_better_reading_is_learned_to_the_bit(
    texts: Callable[[int], list[Text]], ngrams: int, tmp_path: Path
) -> None:
    path = as_lines(texts(1), tmp_path / "a.tsv")
    fitted = fit_file(path)
    (tried,) = fitted.other_readings
    assert (tried.kind, tried.is_better) == ("single words", ngrams == 1)
    named = fit_file(path, reading=ReadOptions(ngrams=ngrams))
    assert not named.other_readings  # nothing was to be chosen
    assert bits(fitted) == bits(named)


def test_a_table_of_every_format_and_texts_in_memory_decide_alike(tmp_path: Path) -> None:
    texts = words_decide(2)
    table = pa.table({"label": [label for label, _ in texts], "comment": [text for _, text in texts]})
    pq.write_table(table, tmp_path / "a.parquet")
    csv = "label,comment\n" + "".join(f"{label},{text}\n" for label, text in texts)
    (tmp_path / "a.csv").write_text(csv)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(csv.encode()))
    models = [fit_file(tmp_path / name) for name in ("a.csv", "a.csv.gz", "a.parquet")]
    models.append(fit_file(table, reading=ReadOptions(label="label")))
    assert len({bits(fitted) for fitted in models}) == 1
    assert models[0].model.space.ngrams == 1
    lines = fit_file(as_lines(texts, tmp_path / "a.tsv"))
    separator = LinearSeparator().fit([text for _, text in texts], [label for label, _ in texts])
    assert separator.coef_.tobytes() == lines.model.coef.tobytes()
    assert separator.model_.space.ngrams == lines.model.space.ngrams == 1


def test_many_classes_of_texts_decide_with_fewer_columns(tmp_path: Path) -> None:
    texts = [(f"{label}{k % 2}", text) for k, (label, text) in enumerate(words_decide(3))]
    path = as_lines(texts, tmp_path / "a.tsv")
    fitted = fit_file(path)
    named = fit_file(path, reading=ReadOptions(ngrams=fitted.model.space.ngrams))
    assert fitted.other_readings
    assert fitted.model.space.bits == named.model.space.bits == 20
    assert bits(fitted) == bits(named)


@pytest.mark.parametrize(
    "options", [{"passes": 1}, {"rule": "logistic", "passes": 2}, {"reading": ReadOptions(ngrams=2)}], ids=str
)
def test_nothing_is_tried_where_something_else_was_asked_for(options: dict[str, Any], tmp_path: Path) -> None:
    fitted = fit_file(as_lines(words_decide(4), tmp_path / "a.tsv"), **options)
    assert not fitted.other_readings
    assert fitted.model.space.ngrams == 2


def test_the_losses_are_those_of_the_rows_left_out(tmp_path: Path) -> None:
    path = as_lines(words_decide(5), tmp_path / "a.tsv")
    (compared,) = fit_file(path).other_readings
    truth, losses = [], []
    for ngrams in (1, 2):
        honest = fit_file(path, reading=ReadOptions(ngrams=ngrams)).honest_scores
        assert honest is not None
        scores, truth = np.asarray(honest.scores)[:, 0], np.asarray(honest.truth)
        losses.append(_losses_at_the_best_scale(scores, truth))
    assert compared.loss == pytest.approx(losses[0].mean(), rel=0.01)
    assert compared.default_loss == pytest.approx(losses[1].mean(), rel=0.01)
    expected = (losses[1] - losses[0]).std(ddof=1) / math.sqrt(len(truth))
    assert compared.standard_error == pytest.approx(expected, rel=0.15)


def _losses_at_the_best_scale(scores: np.ndarray[Any, Any], truth: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    margins = np.where(truth == 1, scores, -scores)
    scales = [np.logaddexp(0, -scale * margins) for scale in np.geomspace(0.01, 100, 400)]
    return min(scales, key=lambda losses: float(losses.mean()))


def test_a_difference_within_chance_leaves_the_default() -> None:
    assert OtherReading("single words", (), 0.40, 0.45, 0.02).is_better
    assert not OtherReading("single words", (), 0.40, 0.43, 0.02).is_better
    assert not OtherReading("plain numbers", ("a",), 0.43, 0.40, 0.01).is_better


def incomes(seed: int, *, by_difference: bool) -> pa.Table:
    """Two incomes with a long tail; the label follows their difference, or the logarithm of one."""
    rng = np.random.default_rng(seed)
    others, own = np.exp(rng.normal(3, 1, ROWS)), np.exp(rng.normal(2, 1.5, ROWS)) * (rng.random(ROWS) < 0.6)
    household = others + own
    score = own - 2 if by_difference else np.log(household) - 3 + rng.logistic(0, 0.3, ROWS)
    return pa.table({"household": household, "others": others, "works": np.where(score > 0, "yes", "no")})


@pytest.mark.parametrize("by_difference", [True, False])
def test_logarithms_stay_unless_they_clearly_harm(by_difference: bool, tmp_path: Path) -> None:
    table, path = incomes(6, by_difference=by_difference), tmp_path / "a.parquet"
    pq.write_table(table, path)
    fitted = fit_file(path, reading=ReadOptions(label="works"))
    (tried,) = fitted.other_readings
    assert (tried.kind, tried.is_better) == ("plain numbers", by_difference)
    assert tried.columns == ("household", "others")
    kinds = tuple(f"number:{column}" for column in tried.columns)
    plain = fit_file(path, reading=ReadOptions(label="works", as_=kinds))
    assert (bits(fitted) == bits(plain)) == by_difference
    separator = LinearSeparator().fit(table.drop(["works"]), table["works"].to_pylist())
    assert separator.coef_.tobytes() == fitted.model.coef.tobytes()
    again = load_model(_saved(fitted, tmp_path))
    assert bool(logs_of(again.space)) != by_difference


def _saved(fitted: Fitted, folder: Path) -> Path:
    save_model(fitted.model, folder / "a.model")
    return folder / "a.model"


@pytest.mark.parametrize("is_short", [True, False])
def test_longer_passes_are_made_once(is_short: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    learn_by_folds = Fitting._learn_by_folds

    def learn(self: Fitting, interrupt: Any) -> None:
        learn_by_folds(self, interrupt)
        assert self.pass_is_short  # so few texts
        self.pass_is_short = is_short

    monkeypatch.setattr(Fitting, "_learn_by_folds", learn)
    fitted = fit_file(as_lines(words_decide(7), tmp_path / "a.tsv"))
    assert len(fitted.other_readings) == is_short


def test_what_was_read_otherwise_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = as_lines(words_decide(1), tmp_path / "a.tsv")
    assert main(["fit", str(path), "-o", str(tmp_path / "a.model")]) == 0
    assert "read single words only: pairs of neighbours did not help" in " ".join(capsys.readouterr().out.split())
    pq.write_table(incomes(6, by_difference=True), tmp_path / "a.parquet")
    arguments = ["fit", str(tmp_path / "a.parquet"), "--label", "works", "-o", str(tmp_path / "a.model")]
    assert main(arguments) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "read household, others as they are: logarithms did not help" in text
    assert main([*arguments, "--json"]) == 0
    (tried,) = json.loads(capsys.readouterr().out)["other_readings"]
    assert tried["is_better"]
    assert tried["loss"] < tried["default_loss"]
