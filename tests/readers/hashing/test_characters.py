"""Character n-grams and words of many scripts, from the option to the model, its file and its exports."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from rosenblatt import native
from rosenblatt.cli.app import main
from rosenblatt.errors import ModelError, ParameterError
from rosenblatt.model.export.export import export_model
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.formats.registry import FORMATS
from rosenblatt.readers.open import open_source
from rosenblatt.readers.source import ReadOptions
from tests.slow_twins.readers import words as slow

RANDOM = np.random.default_rng(3)
PARTS = [
    "unhappy",
    "happily",
    "Straße",
    "การเมือง",
    "機械学習",
    "e\u0323\u0302",
    "हिन्दी",
    "\u1112\u1161\u11ab",
    "👍\ufe0f",
    "x_1",
]
TEXTS = [" ".join(RANDOM.choice(PARTS[i % 2 :], RANDOM.integers(3, 9))) for i in range(80)]
LABELS = ["no" if "happ" in text else "yes" for text in TEXTS]


def fitted(path: Path, content: str, **reading: Any) -> Any:
    path.write_text(content, encoding="utf-8")
    return fit_file(path, rule="arow", reading=ReadOptions(bits=14, chars="2-4", **reading)).model


def lines(between: str, before: str = "") -> str:
    return "".join(f"{before}{label}{between}{text}\n" for label, text in zip(LABELS, TEXTS, strict=True))


def test_every_format_gives_the_same_bits(tmp_path: Path) -> None:
    import json

    import pyarrow as pa
    from pyarrow import parquet

    text = fitted(tmp_path / "a.txt", lines("\t"))
    fast = fitted(tmp_path / "b.txt", lines(" ", "__label__"))
    assert text.space.settings["chars"] == [2, 4]
    assert text.coef.tobytes() == fast.coef.tobytes()
    assert {"un*", "*appi*", "*ily"} <= set(text.space.names.values())
    how = {"text": ("note",), "label": "y"}
    csv = fitted(tmp_path / "a.csv", "y,note\n" + lines(","), **how)
    rows = [json.dumps({"y": y, "note": text}) + "\n" for y, text in zip(LABELS, TEXTS, strict=True)]
    assert fitted(tmp_path / "a.jsonl", "".join(rows), **how).coef.tobytes() == csv.coef.tobytes()
    parquet.write_table(pa.table({"y": LABELS, "note": TEXTS}), tmp_path / "a.parquet")
    columns = fit_file(tmp_path / "a.parquet", rule="arow", reading=ReadOptions(bits=14, chars=(2, 4), **how)).model
    assert columns.coef.tobytes() == csv.coef.tobytes()
    memory = rosenblatt.LinearSeparator(rule="arow", bits=14, chars=(2, 4), text=("note",)).fit({"note": TEXTS}, LABELS)
    assert memory.coef_.tobytes() == csv.coef.tobytes()


def test_a_saved_model_predicts_and_exports_as_it_was_learned(tmp_path: Path) -> None:
    model = fitted(tmp_path / "a.txt", lines("\t"))
    save_model(model, tmp_path / "a.model")
    loaded = load_model(tmp_path / "a.model")
    assert loaded.space.settings == model.space.settings
    new = [text[::-1] for text in TEXTS] + [*PARTS, "", "ok漢a\u0301👍b"]
    (tmp_path / "new.txt").write_text("".join(f"{text}\n" for text in new), encoding="utf-8")
    expected = [block.scores.ravel() for block in predict_file(loaded, tmp_path / "new.txt")]
    module: dict[str, Any] = {"__name__": "exported"}
    exec(compile(export_model(loaded, "python", "data"), "model", "exec"), module)
    assert [module["scores"](text)[0] for text in new] == np.concatenate(expected).tolist()
    assert '"chars": [\n   2,\n   4\n  ]' in export_model(loaded, "json", "data").decode()
    with pytest.raises(ModelError, match="hashes words into weights"):
        export_model(loaded, "sql", "data")


def test_a_model_that_names_no_splitting_goes_on_as_it_was_learned(tmp_path: Path) -> None:
    """Its columns are the hashes of the words of the first splitting."""
    from dataclasses import replace

    model = fitted(tmp_path / "a.txt", lines("\t"))
    settings = {key: value for key, value in model.space.settings.items() if key not in ("splitting", "chars")}
    old = replace(model.space, ngrams=1, settings=settings)
    thai = "การเมือง ไทย"
    (tmp_path / "new.txt").write_text(f"{thai}\n", encoding="utf-8")
    (block,) = open_source(str(tmp_path / "new.txt"), ReadOptions(format="text"), old).blocks()
    columns = sorted(slow.hashed(word) >> 50 for word in slow.plain_words(thai.encode()))
    assert block.values.indices.tolist() == columns
    assert len(columns) == 2
    (block,) = open_source(
        str(tmp_path / "new.txt"), ReadOptions(format="text"), replace(old, settings=settings | {"splitting": 2})
    ).blocks()
    assert len(block.values.indices) > 2
    newer = replace(model, space=replace(model.space, settings=settings | {"splitting": native.latest_splitting() + 1}))
    save_model(newer, tmp_path / "newer.model")
    with pytest.raises(ModelError, match="install a newer rosenblatt"):
        load_model(tmp_path / "newer.model")


@pytest.mark.parametrize("chars", ["5-3", "0-2", "3-99", "three", "", (3,), 0, 2.5])
def test_lengths_that_make_no_sense_are_refused_with_a_sentence(tmp_path: Path, chars: Any) -> None:
    (tmp_path / "a.txt").write_text(lines("\t"), encoding="utf-8")
    with pytest.raises(ParameterError, match="must be None or a length from 1 to 12, or the shortest and the longest"):
        fit_file(tmp_path / "a.txt", reading=ReadOptions(chars=chars))


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(lines("\t"), encoding="utf-8")
    assert main(["fit", "a.txt", "--chars", "5-3"]) == 2
    assert "'5-3' is not a length from 1 to 12" in capsys.readouterr().err
    assert main(["fit", "a.txt", "--chars", "3", "--ngrams", "1", "--quiet"]) == 0
    assert main(["explain", "a.model", "--example", "unhappy"]) == 0
    assert "*app*" in capsys.readouterr().out
    Path("a.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    assert main(["fit", "a.svm", "--chars", "3"]) == 2
    assert "--chars" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["機械学習モデルを保存しました", "保存模型失败请重试一次", "เกิดข้อผิดพลาดขณะบันทึกแบบจำลอง"]
)
def test_text_without_spaces_is_recognised(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.tsv").write_text("".join(f"a\t{text}{i}\n" for i in range(30)), encoding="utf-8")
    assert FORMATS["text"].looks_like is not None
    source = open_source(str(tmp_path / "a.tsv"), ReadOptions())
    assert source.space.settings["format"] == "text"
    (tmp_path / "a.csv").write_text("y,note\n" + "".join(f"a,{text}{i}\n" for i in range(30)), encoding="utf-8")
    source = open_source(str(tmp_path / "a.csv"), ReadOptions(label="y"))
    assert source.space.settings["texts"] == ["note"]


def test_names_of_places_in_chinese_are_words(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,city\n" + "a,北京\nb,上海\nb,西安\n" * 10, encoding="utf-8")
    assert open_source(str(tmp_path / "a.csv"), ReadOptions(label="y", decide=True)).space.settings["words"] == ["city"]


def test_a_word_of_many_thousand_characters_takes_no_minutes(tmp_path: Path) -> None:
    # Each of its n-grams was named by walking through the whole word: this took hours.
    word = "".join(RANDOM.choice(list("abcdefgh"), 200_000))
    model = fitted(tmp_path / "a.txt", f"yes\tthe word {word}\nno\tthe word {word[::-1]}\n")
    grams = {name for name in model.space.names.values() if "*" in name}
    assert {f"{word[:3]}*", f"*{word[-1:]}"} <= grams
    assert len(grams) > 500
    words = "the", "word", word, word[::-1]
    for gram in grams:
        part = gram.strip("*")
        is_part = str.__contains__ if gram == f"*{part}*" else str.startswith if gram == f"{part}*" else str.endswith
        assert any(is_part(each, part) for each in words), gram
