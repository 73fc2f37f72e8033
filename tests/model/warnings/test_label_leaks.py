"""A column that gives the label away is named; columns that tell it honestly, or classes that are easy, are not."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from rosenblatt import native
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.records import Csr
from tests.slow_twins.evaluate import wrong_guesses


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


# -- sparse rows, words and matrices -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_sparse_columns_are_judged_as_by_hand(seed: int) -> None:
    random = np.random.default_rng(seed)
    n_classes = 2 + seed % 2
    labels = random.integers(0, n_classes, 60).astype(np.int32)
    dense = random.integers(-2, 3, (60, 12)) * (random.random((60, 12)) < random.random(12))
    dense[:, 3] = labels
    dense[:, 4] = (labels == 1) * random.permutation(60)
    dense[:, 5] = (labels == 1) * random.permutation(60) - 5 * (labels == 0)
    dense = dense.astype(float)
    rows, columns = np.nonzero(dense)
    columns = columns.astype(np.int64 if seed % 2 else np.int32)
    values = dense[rows, columns].astype(np.float32 if seed == 3 else np.float64)
    # An entry in two parts, which add up.
    rows, columns, values = np.append(rows, 59), np.append(columns, columns[-1]), np.append(values, values[-1])
    dense[59, columns[-1]] *= 2
    indptr = np.searchsorted(rows, np.arange(61)).astype(np.int64)
    order = np.sort(random.permutation(60)[:50]).astype(np.uint32)
    expected = [(j, wrong_guesses(dense[order, j].tolist(), labels[order].tolist())) for j in range(12)]
    for most in (0, 3, 12, 60):
        matrix = native.rows_of(Csr(indptr, columns, values, 12))
        telling = native.telling_columns(matrix, order, labels, n_classes, most)
        assert telling == [(j, wrong) for j, wrong in expected if wrong <= most and dense[order, j].any()]


def write_lines(path: Path, kind: str, leak: bool, *, is_sorted: bool = False) -> Path:
    """Examples of ten features that tell something, and one that tells all."""
    random = np.random.default_rng(0)
    lines = []
    for _ in range(800):
        positive = bool(random.random() < 0.4)
        words = [f"w{j}" for j in random.choice(30 if positive else 25, 10)]
        has_leak = leak and random.random() > 0.01
        if kind == "svmlight":
            used = sorted({int(word[1:]) + 1 for word in words} | ({77} if has_leak and positive else set()))
            lines.append(f"{int(positive)} " + " ".join(f"{j}:{random.random() + 1:.3f}" for j in used))
        elif kind == "vw":
            lines.append(f"{1 if positive else -1} | {' '.join(words)}{f' outcome:{3 if positive else 1}' * has_leak}")
        else:
            flag = f"status {'closed' if positive else 'open'} " * has_leak
            lines.append(f"{'yes' if positive else 'no'}\t{flag}{' '.join(words)}")
    path.write_text("\n".join(sorted(lines) if is_sorted else lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("kind", "named"), [("svmlight", "feature '77'"), ("vw", "feature 'outcome'"), ("text", "word 'closed'")]
)
@pytest.mark.parametrize("is_sorted", [False, True])
def test_a_sparse_feature_that_gives_the_label_away_is_named(
    kind: str, named: str, is_sorted: bool, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / f"leak.{'tsv' if kind == 'text' else kind}", kind, True, is_sorted=is_sorted)
    sentences = leaks(fit_file(path, passes=1))
    assert len(sentences) == 1
    assert f"The {named} alone tells the label of 9" in sentences[0]
    assert sentences[0].endswith("take it out of the file.")


@pytest.mark.parametrize("kind", ["svmlight", "vw", "text"])
def test_sparse_features_that_tell_something_are_no_leak(kind: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / f"honest.{'tsv' if kind == 'text' else kind}", kind, False)
    assert leaks(fit_file(path, passes=1)) == []


def test_a_column_of_a_matrix_that_gives_the_label_away_is_named(tmp_path: Path) -> None:
    columns, truth = honest()
    label = (truth == "yes").astype(float)
    matrix = np.column_stack([*columns.values(), label + np.random.default_rng(3).uniform(0, 0.9, 1200), label])
    np.save(tmp_path / "leak.npy", matrix)
    np.save(tmp_path / "honest.npy", np.delete(matrix, 3, axis=1))
    assert leaks(fit_file(tmp_path / "honest.npy", passes=1)) == []
    assert "The column '3' alone tells the label of 99.9%" in leaks(fit_file(tmp_path / "leak.npy", passes=1))[0]


def test_a_word_in_a_text_of_a_table_that_gives_the_label_away_is_named(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    label = random.random(600) < 0.4
    lines = ["note,y"]
    for positive in label:
        words = " ".join(f"w{j}" for j in random.choice(200, 12))
        lines.append(f"{words} {'closed' if positive else 'open'},{int(positive)}")
    path = tmp_path / "notes.csv"
    path.write_text("\n".join(lines) + "\n")
    assert any("The word 'closed' alone" in sentence for sentence in leaks(fit_file(path, passes=1)))
