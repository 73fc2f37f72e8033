"""`fit --from --new-labels`: a class is taken in with its first example, and decided for none before it."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt import native
from rosenblatt.cli import main
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.learn.files.rule_choice.portfolio import RULES
from rosenblatt.learn.multiclass_schemes import predicted_classes
from rosenblatt.learn.settings import Settings
from rosenblatt.learn.state.grown_run import units_for_one_more, units_in_order, with_units
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model
from rosenblatt.model.predict import predict_file

FEATURES = 40
OVO = Settings(learning_rate="arow", r=0.1, multi_class="ovo")
RULES_TRIED: dict[str, Any] = {name: name for name in RULES} | {"one-vs-one": OVO}


def svmlight(seed: int, count: int, labels: str) -> str:
    random_ = random.Random(99)
    centre = {label: [random_.gauss(0, 1) for _ in range(FEATURES)] for label in "abcdefgh"}
    random_ = random.Random(seed)
    lines = []
    for _ in range(count):
        label = random_.choice(labels)
        row = {j: round(centre[label][j] + random_.gauss(0, 1), 3) for j in random_.sample(range(FEATURES), 12)}
        lines.append(f"{ord(label) - 96} " + " ".join(f"{j + 1}:{x}" for j, x in sorted(row.items())))
    return "\n".join(lines) + "\n"


def texts(seed: int, count: int, labels: tuple[str, ...]) -> str:
    random_ = random.Random(seed)
    lines = []
    for _ in range(count):
        label = random_.choice(labels)
        words = [random_.choice([label * 2, "so", "it", "goes", "on", f"w{random_.randrange(50)}"]) for _ in range(6)]
        lines.append(f"{label}\t{' '.join(words)} {label * 2}")
    return "\n".join(lines) + "\n"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def decided(model: LinearModel, path: Path) -> list[Any]:
    return [model.classes[k] for block in predict_file(model, path) for k in np.asarray(block.decided).tolist()]


def error_on(model: LinearModel, path: Path) -> float:
    blocks = list(predict_file(model, path))
    return float(np.mean(np.concatenate([np.asarray(block.decided) != np.asarray(block.truth) for block in blocks])))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("rule", RULES_TRIED)
def test_a_class_more_changes_no_decision_before_its_first_example(rule: str, n_classes: int, tmp_path: Path) -> None:
    path = write(tmp_path / "1.svm", svmlight(1, 600, "abcdefgh"[:n_classes]))
    run = rosenblatt.fit_file(path, rule=RULES_TRIED[rule], passes=1).model.run
    rows = native.rows_of(rosenblatt.read(path).X.toarray())
    multi_class = run.settings.multi_class
    scores = run.final_weights.scores(rows)
    before = predicted_classes(run.final_weights.scheme, scores, n_classes)
    units = units_for_one_more(multi_class, n_classes)
    grown = with_units(run, units, n_classes + 1)
    assert grown.classes == n_classes + 1
    assert grown.learner.units == grown.settings.n_units(n_classes + 1)
    new = grown.final_weights.scores(rows)
    np.testing.assert_allclose(new, units.scores(scores), rtol=1e-9, atol=1e-9)
    assert predicted_classes(grown.final_weights.scheme, new, n_classes + 1).tolist() == before.tolist()
    # And in any other order the same classes are decided.
    order = list(range(n_classes + 1))
    random.Random(3).shuffle(order)
    moved = with_units(grown, units_in_order(multi_class, order), n_classes + 1)
    other = moved.final_weights.scores(rows)
    after = predicted_classes(moved.final_weights.scheme, other, n_classes + 1)
    assert [order[k] for k in after.tolist()] == before.tolist()


@pytest.mark.parametrize("rule", ["perceptron", "arow", "logistic", "hinge", "one-vs-one"])
@pytest.mark.parametrize("known", ["bc", "bcf"])
def test_new_classes_are_learned(rule: str, known: str, tmp_path: Path) -> None:
    first = write(tmp_path / "1.svm", svmlight(1, 1500, known))
    second = write(tmp_path / "2.svm", svmlight(2, 300, known) + svmlight(3, 2500, known + "ae"))
    save_model(rosenblatt.fit_file(first, rule=RULES_TRIED[rule], passes=1).model, tmp_path / "m.model")
    fitted = rosenblatt.fit_file(second, from_=tmp_path / "m.model", new_labels=True)
    classes = tuple(sorted(ord(label) - 96 for label in known + "ae"))
    assert fitted.model.classes == classes
    assert fitted.model.threshold is None
    assert sum(fitted.class_counts) == 2800
    assert fitted.class_counts[0] > 300  # of 'a', which comes first and was met last
    save_model(fitted.model, tmp_path / "m.model")
    model = load_linear_model(tmp_path / "m.model")
    fresh = write(tmp_path / "4.svm", svmlight(4, 1000, known + "ae"))
    assert error_on(model, fresh) < 0.2
    at_once = rosenblatt.fit_file([first, second], rule=RULES_TRIED[rule], passes=1)
    assert error_on(model, fresh) < error_on(at_once.model, fresh) + 0.05
    scores = np.concatenate([np.asarray(block.scores) for block in predict_file(model, fresh)])
    probabilities = np.asarray(model.probabilities(np.ascontiguousarray(scores)))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    again = rosenblatt.fit_file(fresh, from_=tmp_path / "m.model")
    assert again.model.classes == classes


def test_where_a_block_begins_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class is taken in exactly at its first example, from a pipe as well: in memory, block by block, or at once."""
    first = write(tmp_path / "1.tsv", texts(1, 800, ("ham", "spam")))
    second = write(tmp_path / "2.tsv", texts(2, 100, ("ham", "spam")) + texts(3, 900, ("eggs", "ham", "spam", "bacon")))
    lines = second.read_text().splitlines(keepends=True)
    cuts = range(0, len(lines), 7)
    parts = [write(tmp_path / f"part-{k:04}.tsv", "".join(lines[k : k + 7])) for k in cuts]
    save_model(rosenblatt.fit_file(first, rule="logistic", passes=1).model, tmp_path / "m.model")
    one = rosenblatt.fit_file(second, from_=tmp_path / "m.model", new_labels=True)
    many = rosenblatt.fit_file(parts, from_=tmp_path / "m.model", new_labels=True)
    model = tmp_path / "days.model"
    save_model(load_linear_model(tmp_path / "m.model"), model)
    for part in parts:
        save_model(rosenblatt.fit_file(part, from_=model, new_labels=True).model, model)
    days = load_linear_model(model)
    assert one.model.classes == many.model.classes == days.classes == ("bacon", "eggs", "ham", "spam")
    assert one.model.coef.tobytes() == many.model.coef.tobytes()
    np.testing.assert_allclose(days.coef, one.model.coef, atol=1e-8)  # the softmax adds classes in another order


def test_labels_of_another_type(tmp_path: Path) -> None:
    first = write(tmp_path / "1.csv", "x,label\n" + "1,0\n-1,1\n2,0\n-2,1\n" * 50)
    second = write(tmp_path / "2.csv", "x,label\n" + "1,0\n-1,1\n9,other\n" * 50)
    save_model(rosenblatt.fit_file(first, rule="arow", passes=1).model, tmp_path / "m.model")
    assert load_linear_model(tmp_path / "m.model").classes == (0, 1)
    fitted = rosenblatt.fit_file(second, from_=tmp_path / "m.model", new_labels=True)
    assert fitted.model.classes == ("0", "1", "other")
    assert set(decided(fitted.model, second)) == {"0", "1", "other"}


def test_without_the_option_the_label_its_row_and_the_option_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write(tmp_path / "1.tsv", texts(1, 800, ("ham", "spam")))
    second = write(tmp_path / "2.tsv", texts(2, 41, ("ham", "spam")) + "eggs\tso it goes\n" * 3)
    model = tmp_path / "m.model"
    save_model(rosenblatt.fit_file(first, rule="arow", passes=1).model, model)
    content = model.read_bytes()
    with pytest.raises(DataError, match=r"example 42 has the label 'eggs', .* with new_labels=True"):
        rosenblatt.fit_file(second, from_=model)
    assert main(["fit", "--from", str(model), str(second), "-o", str(model)]) == 3
    assert "with --new-labels." in capsys.readouterr().err
    assert model.read_bytes() == content
    with pytest.raises(ParameterError, match="new_labels is for continuing from a model: give it with from_"):
        rosenblatt.fit_file(second, new_labels=True)
    with pytest.raises(DataError, match="has a third class, 'eggs', and threshold is for two"):
        rosenblatt.fit_file(second, from_=model, new_labels=True, threshold="f1")


def test_a_chosen_threshold_becomes_part_of_the_units(tmp_path: Path) -> None:
    first = write(tmp_path / "1.svm", svmlight(1, 1500, "bbbbc"))
    second = write(tmp_path / "2.svm", svmlight(3, 1, "f"))
    fitted = rosenblatt.fit_file(first, rule="logistic", passes=1, threshold="recall>=0.99")
    save_model(fitted.model, tmp_path / "m.model")
    before = decided(fitted.model, first)
    after = rosenblatt.fit_file(second, from_=tmp_path / "m.model", new_labels=True).model
    same = np.mean([a == b for a, b in zip(before, decided(after, first), strict=True)])
    assert same > 0.97  # the one example of the new class has moved little
    assert np.mean([label == 3 for label in before]) > 0.25  # more than the share of the class


def test_balanced_classes_go_on_counting(tmp_path: Path) -> None:
    days = [write(tmp_path / f"{day}.svm", svmlight(day, 700, "bbbbcd")) for day in (1, 2, 3)]
    at_once = rosenblatt.fit_file(days, rule="arow", passes=1, class_weight="balanced")
    model = tmp_path / "m.model"
    save_model(rosenblatt.fit_file(days[0], rule="arow", passes=1, class_weight="balanced").model, model)
    for day in days[1:]:
        save_model(rosenblatt.fit_file(day, from_=model).model, model)
    after = load_linear_model(model)
    assert after.coef.tobytes() == at_once.model.coef.tobytes()
    assert after.provenance["class_counts"] == at_once.model.provenance["class_counts"]
