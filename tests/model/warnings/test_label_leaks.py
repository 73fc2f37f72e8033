"""A column that gives the label away is named; columns that tell it honestly, or classes that are easy, are not."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from rosenblatt.model.fit_file import Fitted, fit_file


def fitted(path: Path, columns: dict[str, np.ndarray], truth: np.ndarray) -> Fitted:
    names = [*columns, "y"]
    rows = zip(*(column.tolist() for column in columns.values()), truth.tolist(), strict=True)
    path.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return fit_file(path, passes=1)


def leaks(one: Fitted) -> list[str]:
    return [str(caution) for caution in one.warnings if caution.kind == "leak"]


def honest(rows: int = 1200, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 3)).round(3)
    truth = np.where(x[:, 0] + x[:, 1] + random.normal(0, 1, rows) > 0.5, "yes", "no")
    return {"a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}, truth


def test_columns_that_tell_something_are_no_leak(tmp_path: Path) -> None:
    assert leaks(fitted(tmp_path / "t.csv", *honest())) == []


@pytest.mark.parametrize("kind", ["number", "words", "mostly zero", "mapped"])
def test_a_column_that_gives_the_label_away_is_named(kind: str, tmp_path: Path) -> None:
    columns, truth = honest()
    random = np.random.default_rng(1)
    positive = truth == "yes"
    columns["leak"] = {
        "number": np.where(positive, 5.0, 1.0) + random.uniform(0, 3, 1200).round(4),
        "words": np.where(positive, "closed", random.choice(["open", "new"], 1200)),
        "mostly zero": np.where(positive, random.exponential(10, 1200).round(4), 0),
        "mapped": np.where(random.random(1200) < 0.01, "other", np.where(positive, "B", "A")),
    }[kind]
    sentences = leaks(fitted(tmp_path / "t.csv", columns, truth))
    assert len(sentences) == 1
    assert "The column 'leak' alone tells the label of" in sentences[0]
    assert sentences[0].endswith("leave it out with drop='leak'.")


def test_words_that_first_occur_in_later_rows_do_no_harm(tmp_path: Path) -> None:
    columns, truth = honest(70_000)
    columns["word"] = np.array([f"w{row // 1000}" for row in range(70_000)])
    assert leaks(fitted(tmp_path / "t.csv", columns, truth)) == []


def test_a_code_for_many_classes_is_named(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    label = random.integers(0, 5, 1000)
    columns = {"x": random.normal(size=1000).round(3) + label, "code": np.array(list("pqrst"))[label]}
    assert len(leaks(fitted(tmp_path / "t.csv", columns, np.array(list("abcde"))[label]))) == 1


def test_classes_that_are_easy_to_tell_are_no_leak(tmp_path: Path) -> None:
    """Setosa differs from the others in every column of the table."""
    x, target = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    columns = {f"x{j}": x[order, j] for j in range(4)}
    assert leaks(fitted(tmp_path / "t.csv", columns, np.where(target[order] == 0, "setosa", "other"))) == []


def test_too_few_rows_say_nothing(tmp_path: Path) -> None:
    columns, truth = honest(60)
    columns["leak"] = np.where(truth == "yes", 1, 0)
    assert leaks(fitted(tmp_path / "t.csv", columns, truth)) == []
