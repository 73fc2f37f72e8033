"""Tables whose rows have several labels: cells with a separator, lists, and columns of 0 and 1, all learned alike."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rosenblatt.errors import DataError
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.model_file import load_model, save_model
from rosenblatt.model.predict import predict_file
from rosenblatt.readers.source import ReadOptions

TAGS = ("obscene", "threat", "toxic")


def table(n: int = 300, seed: int = 0) -> dict[str, list[Any]]:
    draw = np.random.default_rng(seed)
    size = draw.normal(size=n).round(3)
    colour = draw.choice(["red", "green", "blue"], n)
    flags = np.stack([size > 0.5, (size < -0.8) | (colour == "blue"), colour == "red"], axis=1)
    flags &= draw.random((n, 3)) < 0.9
    labels = [[tag for tag, flag in zip(TAGS, row, strict=True) if flag] for row in flags.tolist()]
    return {"size": size.tolist(), "colour": colour.tolist(), "tags": labels}


def write(folder: Path, kind: str, rows: dict[str, list[Any]]) -> Path:
    path = folder / f"{kind}.{'parquet' if kind == 'parquet' else 'jsonl' if kind == 'jsonl' else 'csv'}"
    if kind == "parquet":
        pq.write_table(pa.table(rows), path)
    elif kind == "jsonl":
        lines = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    elif kind == "columns":
        lines = [f"size,colour,{','.join(TAGS)}"]
        for size, colour, labels in zip(*rows.values(), strict=True):
            lines.append(f"{size},{colour}," + ",".join(str(int(tag in labels)) for tag in TAGS))
        path.write_text("\n".join(lines) + "\n")
    else:
        lines = ["size,colour,tags"]
        for size, colour, labels in zip(*rows.values(), strict=True):
            lines.append(f'{size},{colour},"{kind.join(labels)}"')
        path = folder / f"cells{ord(kind)}.csv"
        path.write_text("\n".join(lines) + "\n")
    return path


def fit(path: Path, **changes: Any) -> Fitted:
    label = ",".join(TAGS) if path.stem == "columns" else "tags"
    reading = ReadOptions(multi_label=True, label=label, **changes)
    return fit_file(str(path), rule="arow", passes=1, order="given", reading=reading)


KINDS = ("|", ";", ",", "jsonl", "parquet", "columns")


def test_every_way_to_write_labels_gives_the_same_weights(tmp_path: Path) -> None:
    rows = table()
    fits = {kind: fit(write(tmp_path, kind, rows)) for kind in KINDS}
    expected = fits["|"].model
    for kind, fitted in fits.items():
        assert fitted.model.classes == TAGS, kind
        assert fitted.model.coef.tobytes() == expected.coef.tobytes(), kind
        assert fitted.label_counts == fits["|"].label_counts, kind
        assert isinstance(fitted.model, MultiLabelModel)
        assert fitted.model.separator == (kind if len(kind) == 1 else ",")
    assert fits["|"].label_counts is not None
    assert fits["|"].label_counts.without == sum(not labels for labels in rows["tags"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_reads_new_tables_with_labels_or_without(tmp_path: Path, kind: str) -> None:
    model: Any = fit(write(tmp_path, kind, table())).model
    save_model(model, tmp_path / "m.model")
    loaded = load_model(tmp_path / "m.model")
    others = table(60, seed=1)
    for other in KINDS:
        path = write(tmp_path, other, others)
        (block,) = list(predict_file(loaded, str(path)))
        right = [loaded.labels_of(row) == labels for row, labels in zip(block.decided, others["tags"], strict=True)]  # type: ignore[attr-defined]
        assert np.mean(right) > 0.5
    unlabelled = tmp_path / "bare.csv"
    unlabelled.write_text("colour,size\nred,0.9\nblue,-2\n")
    (block,) = list(predict_file(loaded, str(unlabelled)))
    assert [loaded.labels_of(row) for row in block.decided] == [["obscene", "toxic"], ["threat"]]  # type: ignore[attr-defined]


def test_columns_of_labels_hold_0_and_1_as_people_write_them(tmp_path: Path) -> None:
    path = tmp_path / "columns.csv"
    ways = [("1", "0", ""), ("true", "FALSE", "0.0"), ("1.0", "no", "yes")]
    rows = [f"{i % 7},{'red' if i % 2 else 'blue'},{','.join(ways[i % 3])}" for i in range(90)]
    path.write_text("size,colour,obscene,threat,toxic\n" + "\n".join(rows) + "\n")
    fitted = fit(path)
    assert (fitted.model.classes, fitted.class_counts) == (("obscene", "toxic"), (90, 30))
    path.write_text(path.read_text() + "1,red,2,0,0\n")
    with pytest.raises(DataError, match=r"column 'obscene' holds '2'.* must hold 0 or 1"):
        fit(path)


def test_refusals(tmp_path: Path) -> None:
    path = write(tmp_path, "columns", table())
    with pytest.raises(DataError, match="no label column 'insult'"):
        fit_file(str(path), reading=ReadOptions(multi_label=True, label="toxic,insult"))
    with pytest.raises(DataError, match=r"no label column 'toxic,threat'.*multi_label"):
        fit_file(str(path), reading=ReadOptions(label="toxic,threat"))
    with pytest.raises(DataError, match="every column is a label"):
        fit_file(str(path), reading=ReadOptions(multi_label=True, label="size,colour,obscene,threat,toxic"))
