"""From a file to decisions by the command line: fit, predict, evaluate, explain and export, with every way to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tools.golden.case import Case, Parts
from tools.golden.command_line import command
from tools.golden.data.places import computes_all, data, fresh
from tools.golden.normalise import json_text, model_file

PEOPLE = ("people.csv", "people-test.csv")
PERSON = "age=3,height=2,code=1,day=sun,shop=bank"
NOTED = PERSON + ",note=free money here"
# name: (file to learn from, file to evaluate on, options of fit, example to explain)
SCENARIOS: dict[str, tuple[str, str, str, str]] = {
    "svmlight": ("rows.svm", "test.svm", "", "3:1 7:-0.5"),
    "svmlight-base-0": ("zero.svm", "zero.svm", "--index-base 0", "0:1 7:-0.5"),
    "svmlight-base-1": ("rows.svm", "test.svm", "--index-base 1 --rule arow", "3:1"),
    "svmlight-many": ("many.svm", "many.svm", "--passes 3", "3:1 7:-0.5"),
    "svmlight-skip": ("bad.svm", "test.svm", "--on-bad-row skip --rule pa1", "3:1"),
    "svmlight-piped": ("-rows.svm", "test.svm", "--format svmlight --rule perceptron", "3:1"),
    "svmlight-classes": ("-rows.svm", "test.svm", "--format svmlight --classes -1,1 --rule hinge", "3:1"),
    "svmlight-holdout": ("rows.svm", "test.svm", "--holdout 0.2 --passes 6 --patience 2", "3:1"),
    "svmlight-shuffled": ("sorted.svm", "test.svm", "--order shuffle --seed 5 --rule logistic", "3:1"),
    "vw": ("words.vw", "test.vw", "--bits 10", "|day mon |shop bank"),
    "vw-default-bits": ("words.vw", "test.vw", "--rule perceptron", "|day mon |shop bank"),
    "vw-crossed": ("words.vw", "test.vw", "--bits 12 --cross day:shop --passes 4", "|day mon |shop bank"),
    "vw-crossed-twice": ("words.vw", "test.vw", "--bits 12 --cross day:shop,rain:day", "|day mon |rain wind:2"),
    "vw-many": ("many.vw", "many.vw", "--bits 10 --passes 2", "|day mon"),
    "vw-skip": ("bad.vw", "test.vw", "--bits 10 --on-bad-row skip", "|day mon"),
    "vw-gz": ("words.vw.gz", "test.vw", "--bits 9 --rule logistic", "|day mon"),
    "text": ("mail.txt", "test.txt", "--bits 12", "free money at noon"),
    "text-words": ("mail.txt", "test.txt", "--bits 12 --ngrams 1", "free money at noon"),
    "text-long": ("mail.txt", "test.txt", "--bits 13 --ngrams 4 --rule arow-bold", "free money at noon"),
    "text-count": ("mail.txt", "test.txt", "--bits 12 --value count --no-unit --rule perceptron", "free money money"),
    "text-binary": ("mail.txt", "test.txt", "--bits 12 --value binary", "free money money"),
    "text-sqrt-no-unit": ("mail.txt", "test.txt", "--bits 12 --value sqrt --no-unit --rule pa2", "free money money"),
    "text-labels-from": ("raw.txt", "test.txt", "--bits 12 --format text --labels-from labels.txt", "free money"),
    "text-headed": ("headed.txt", "test.txt", "--bits 12 --header", "free money"),
    "text-many": ("topics.txt", "topics.txt", "--bits 12 --passes 2", "code review"),
    "text-skip": ("bad.txt", "test.txt", "--bits 12 --on-bad-row skip", "free money"),
    "text-xz": ("mail.txt.xz", "test.txt", "--bits 12 --rule last", "free money"),
    "text-bz2-piped": ("-mail.txt.bz2", "test.txt", "--format text --bits 12", "free money"),
    "csv": (*PEOPLE, "", PERSON),
    "csv-scaled": (*PEOPLE, "--scale --rule perceptron --passes 4", PERSON),
    "csv-crossed": (*PEOPLE, "--cross day:shop --cross age:day --passes 2", PERSON),
    "csv-crossed-scaled": (*PEOPLE, "--scale --cross age:height,age:day", PERSON),
    "csv-words": (*PEOPLE, "--words code --rule arow", PERSON),
    "csv-label": (*PEOPLE, "--label day --passes 3", "age=3,height=2,code=1,shop=bar,income=low"),
    "csv-label-first": ("first.csv", "first.csv", "--label 0 --rule pa1", "age=3,height=2"),
    "csv-notes": ("notes.csv", "notes-test.csv", "--bits 10", NOTED),
    "csv-text": ("notes.csv", "notes-test.csv", "--bits 10 --text note --value count --ngrams 1", NOTED),
    "csv-numbers": ("numbers.csv", "numbers-test.csv", "--scale", "age=3,height=2,code=1"),
    "csv-poly": ("three.csv", "three.csv", "--features poly2 --scale --rule perceptron --passes 3", "low=1,wide=2"),
    "csv-headless": ("headless.csv", "headless.csv", "--no-header --rule arow", "column0=3,column1=2,column2=1"),
    "csv-skip": ("bad.csv", "numbers-test.csv", "--on-bad-row skip --rule perceptron", "age=3,height=2,code=1"),
    "csv-three": ("three.csv", "three.csv", "--passes 4", "low=1,wide=2"),
    "csv-semicolons": ("semicolons.csv", "semicolons.csv", "", PERSON),
    "tsv": ("people.tsv", "people-test.csv", "--rule perceptron", PERSON),
    "parquet": ("people.parquet", "people.parquet", "--label income", ""),
    "parquet-scaled": ("people.parquet", "people.parquet", "--label income --scale --cross day:shop", ""),
    "arrow": ("people.arrow", "people.arrow", "--label income", ""),
    "npy": ("matrix.npy", "matrix.npy", "", ""),
    "npy-label": ("narrow.npy", "narrow.npy", "--label 0", ""),
    "npy-poly": ("matrix.npy", "matrix.npy", "--features poly3 --rule pa1", ""),
    "npz": ("named.npz", "named.npz", "", ""),
    "npz-label": ("other.npz", "other.npz", "--label wide --passes 2", ""),
    "npz-sparse": ("sparse.npz", "sparse.npz", "--labels-from sparse-labels.txt", ""),
}


def cases() -> Iterator[Case]:
    for name in SCENARIOS:
        yield Case(f"scenarios/{name}", lambda name=name: _scenario(name))


def as_written(file: str, *, scale: bool) -> list[str]:
    """Options that make fit learn all columns of a table as they are, unscaled unless `scale`."""
    if not file.endswith((".csv", ".tsv", ".parquet", ".arrow")):
        return [] if scale else ["--no-scale"]
    typed = ["--as", "number:since"] if file.endswith((".parquet", ".arrow")) else []
    return [*typed, "--keep", "*", *([] if scale else ["--no-scale"])]


def _file(name: str) -> tuple[str, bytes]:
    """A file by its path, or, where its name begins with a dash, its bytes for standard input."""
    if not name.startswith("-"):
        return data(name), b""
    with open(data(name[1:]), "rb") as file:
        return "-", file.read()


def _scenario(name: str) -> Parts:
    training_file, test_file, fit_options, example = SCENARIOS[name]
    model = str(fresh("scenario.model"))
    options = [data(word) if word.endswith("labels.txt") else word for word in fit_options.split()]
    options += as_written(training_file, scale="--scale" in options)
    path, standard_input = _file(training_file)
    once = [] if "--passes" in options else ["--passes", "1"]
    fit = command("fit", path, *options, *once, "-o", model, "--json", standard_input=standard_input)
    parts = Parts()
    parts["fit"] = [fit.code, json_text.steady(fit.output)]
    parts["model"] = model_file.content(model)
    reading = _reading(name, fit_options)
    scored = command("predict", model, data(test_file), "--scores", *reading)
    parts["predict-scores"] = [scored.code, scored.output]
    if computes_all():
        parts |= {**_decisions(model, data(test_file), reading), **_explained(model, example), **_exported(model)}
    return parts


def _reading(name: str, fit_options: str) -> list[str]:
    """The reading options that are not stored in a model, so that predict needs them again."""
    if name == "npz-sparse":
        return ["--labels-from", data("sparse-labels.txt")]
    listed = fit_options.split()
    options = []
    for option in ("--label", "--index-base"):
        if option in listed:
            options += [option, listed[listed.index(option) + 1]]
    return [*options, "--no-header"] if "--no-header" in listed else options


def _decisions(model: str, test_file: str, reading: list[str]) -> dict[str, Any]:
    plain = command("predict", model, test_file, *reading)
    objects = command("predict", model, test_file, "--json", *reading)
    evaluated = command("evaluate", model, test_file, "--json", *reading)
    return {
        "predict": [plain.code, plain.output],
        "predict-json": [objects.code, json_text.lines(objects.output, 15)],
        "evaluate": [evaluated.code, json_text.steady(evaluated.output) if not evaluated.code else None],
    }


def _explained(model: str, example: str) -> dict[str, Any]:
    explained = command("explain", model, "--json", "--top", "7")
    parts: dict[str, Any] = {"explain": [explained.code, json_text.steady(explained.output)]}
    if example:
        of_one = command("explain", model, "--json", "--example", example)
        parts["explain-example"] = [of_one.code, json_text.steady(of_one.output) if not of_one.code else None]
    return parts


def _exported(model: str) -> dict[str, Any]:
    as_json = command("export", model, "--to", "json")
    as_sql = command("export", model, "--to", "sql", "--table", "flowers")
    graph = fresh("scenario.onnx")
    as_onnx = command("export", model, "-o", str(graph), "--json")
    answer = json_text.steady(as_onnx.output) if not as_onnx.code else None
    return {
        "export-json": [as_json.code, as_json.output],
        "export-sql": [as_sql.code, as_sql.output],
        "export-onnx": [as_onnx.code, answer, onnx_content(str(graph)) if not as_onnx.code else None],
    }


def onnx_content(path: str) -> Any:
    """The contents of the graph, not its bytes, which another version of onnx may write differently."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path)
    return {
        "opset": [entry.version for entry in graph.opset_import],
        "metadata": {entry.key: entry.value for entry in graph.metadata_props},
        "inputs": [entry.name for entry in graph.graph.input],
        "outputs": [entry.name for entry in graph.graph.output],
        "operations": [node.op_type for node in graph.graph.node],
        "numbers": [np.asarray(numpy_helper.to_array(entry)) for entry in graph.graph.initializer],
    }
