"""The other commands, and what every command refuses: exit codes and the keys of their JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rosenblatt
from tools.golden.case import Case, Parts
from tools.golden.command_line import command
from tools.golden.data.places import data, fresh
from tools.golden.normalise import json_text, model_file
from tools.golden.normalise.digest import rounded

# What certify finds by search: another numerical library may find another proof, or the last digits of a margin.
SEARCHED = (
    "geometric",
    "augmented",
    "gap",
    "rows",
    "signs",
    "weights",
    "hardest",
    "shares",
    "bracket",
    "mistake_bound",
)


def cases() -> Iterator[Case]:
    yield Case("commands/demo", _demo)
    yield Case("commands/demo-message", _message)
    for name, words in CERTIFY.items():
        yield Case(f"commands/certify/{name}", lambda words=words: _certify(words))
    yield Case("commands/certify/saved-and-checked", _saved_proof)
    for name, words in TRACE.items():
        yield Case(f"commands/trace/{name}", lambda words=words: _trace(words))
    for name, words in COMPARE.items():
        yield Case(f"commands/compare/{name}", lambda words=words: _compare(words))
    for name, words in REFUSED.items():
        yield Case(f"commands/refused/{name}", lambda words=words: command(*_words(words)).code)
    for name in NETWORKS:
        yield Case(f"commands/network/{name}", lambda name=name: _network(name))
    for name in ("report", "checkpoint-resume", "keep-cache", "threads", "completion", "help"):
        yield Case(f"commands/{name}", lambda name=name: OTHERS[name]())


CERTIFY = {
    "separable": "certify @matrix.npy",
    "inseparable": "certify @numbers.csv",
    "crossed": "certify @people.csv --cross day:shop",
    "scaled": "certify @numbers.csv --scale",
    "words": "certify @words.vw --bits 10",
    "words-crossed": "certify @words.vw --bits 12 --cross day:shop",
    "text": "certify @mail.txt --bits 14",
    "svmlight": "certify @rows.svm",
    "pairs": "certify @three.csv --pairs",
    "pairs-svmlight": "certify @many.svm --pairs --jobs 1",
    "one-vs-rest": "certify @three.csv --one-vs-rest",
    "gap": "certify @matrix.npy --gap 0.01",
}
TRACE = {
    "plain": "trace @first.csv --label income --passes 2",
    "mistakes": "trace @matrix.npy --mistakes-only --passes 3",
    "totals": "trace @matrix.npy --totals --steps 40",
    "epochs": "trace @matrix.npy --epochs 2-3 --steps 90",
    "three": "trace @three.csv --passes 2 --multi-class joint",
    "pairs": "trace @three.csv --passes 1 --multi-class ovo",
    "sparse": "trace @rows.svm --passes 1 --steps 50",
    "sampled": "trace @matrix.npy --order sample --seed 4 --steps 60",
    "shuffled": "trace @matrix.npy --order shuffle --seed 4 --steps 60",
    "arow": "trace @matrix.npy --learning-rate arow --r 0.5 --steps 60",
    "pa1": "trace @matrix.npy --learning-rate pa1 --eta0 0.5 --steps 60",
    "adagrad": "trace @matrix.npy --learning-rate adagrad --steps 60",
    "hinge": "trace @matrix.npy --loss hinge --steps 60",
    "logistic": "trace @matrix.npy --loss logistic --steps 60 --no-intercept",
    "squared": "trace @matrix.npy --loss squared --eta0 0.01 --batch 5 --steps 60",
    "margin": "trace @matrix.npy --margin 1.5 --steps 60",
    "full": "trace @matrix.npy --batch full --steps 60",
}
COMPARE = {
    "numbers": "compare @numbers.csv --folds 3 --no-questions --passes 20",
    "matrix": "compare @matrix.npy --folds 3 --passes 10 --seed 3 --no-questions",
    "three": "compare @three.csv --folds 2 --no-questions --passes 10",
    "questions": "compare @matrix.npy --folds 2 --passes 10",
}
REFUSED = {
    "no-such-command": "learn @rows.svm",
    "no-command": "",
    "no-such-option": "fit @rows.svm --speed 3",
    "no-such-rule": "fit @rows.svm --rule magic",
    "patience-alone": "fit @rows.svm --patience 2",
    "negative-passes": "fit @rows.svm --passes -1",
    "no-such-file": "fit no-such-file.svm",
    "bad-svmlight": "fit @bad.svm -o refused.model",
    "bad-csv": "fit @bad.csv -o refused.model",
    "bad-vw": "fit @bad.vw -o refused.model",
    "bad-text": "fit @bad.txt -o refused.model",
    "wrong-label": "fit @people.csv --label nothing -o refused.model",
    "wrong-cross": "fit @people.csv --cross day:nothing -o refused.model",
    "cross-of-svmlight": "fit @rows.svm --cross a:b -o refused.model",
    "wrong-format": "fit @people.csv --format svmlight -o refused.model",
    "no-folder": "fit @rows.svm -o no/such/folder/a.model",
    "over-itself": "fit @rows.svm -o @rows.svm",
    "no-such-model": "predict no-such.model @rows.svm",
    "not-a-model": "predict @rows.svm @rows.svm",
    "evaluate-not-a-model": "evaluate @people.csv @people.csv",
    "explain-not-a-model": "explain @people.csv",
    "export-no-format": "export @people.csv",
    "certify-no-file": "certify no-such-file.csv",
    "certify-gap": "certify @matrix.npy --gap 7",
    "trace-loss": "trace @matrix.npy --loss magic",
    "trace-together": "trace @matrix.npy --learning-rate pa1 --batch 4",
    "compare-folds": "compare @matrix.npy --folds 1",
    "completion-shell": "completion tcsh",
    "bits": "fit @mail.txt --bits 40",
    "columns": "trace @matrix.npy --plot a.svg --columns 1",
}
NETWORKS = ("xor", "majority", "learned")


def _words(line: str) -> list[str]:
    return [data(word[1:]) if word.startswith("@") else word for word in line.split()]


def _demo() -> Parts:
    ended = command("demo", "--json", "-o", "demo-folder")
    model = Path("demo-folder/mail.model")
    train, test = "demo-folder/train.tsv.gz", "demo-folder/test.tsv.gz"
    scored = command("predict", str(model), test, "--scores")
    several = command(
        "fit", train, "--rule", "perceptron", "--passes", "3", "--bits", "16", "-o", "small.model", "--json"
    )
    return Parts(
        {
            "fit": [ended.code, json_text.steady(ended.output)],
            "model": model_file.content(model),
            "files": sorted(path.name for path in Path("demo-folder").iterdir()),
            "scores": [scored.code, scored.output],
            "perceptron": [several.code, json_text.steady(several.output), model_file.content("small.model")],
        }
    )


def _message() -> Any:
    ended = command("demo", "--json", "-o", "other-folder", "--message", "free money, click here")
    return [ended.code, json_text.steady(ended.output)]


def _certify(words: str) -> Any:
    ended = command(*_words(words), "--json")
    answer = json_text.steady(ended.output, 6)
    for part in answer.get("answers", [answer]):
        part.update({name: "..." for name in SEARCHED if name in part})
    return [ended.code, answer]


def _saved_proof() -> Any:
    """A proof is kept, read in Python, and checked on its data, on other data, and after it was changed."""
    codes, kinds = [], []
    for file in ("matrix.npy", "numbers.csv"):
        proof = fresh("proof.json")
        codes.append(command("certify", data(file), "--save", str(proof), "-q").code)
        kinds.append(rosenblatt.load_certificate(proof).kind)
        for other in ("matrix.npy", "numbers.csv"):
            checked = command("certify", data(other), "--check", str(proof), "--json")
            codes += [checked.code, json_text.steady(checked.output) if checked.output else None]
    return [codes, kinds]


def _trace(words: str) -> Parts:
    as_json = command(*_words(words), "--json")
    table = fresh("steps.csv")
    as_csv = command(*_words(words), "-o", str(table))
    # losses are logarithms, so the numbers are rounded
    cells = [[_number(cell) for cell in line.split(",")] for line in table.read_text("utf-8").splitlines()]
    return Parts({"json": [as_json.code, json_text.steady(as_json.output)], "csv": [as_csv.code, rounded(cells)]})


def _number(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell


def _compare(words: str) -> Any:
    """The counts of errors; the solvers of scikit-learn and margins that were searched for are left out."""
    ended = command(*_words(words), "--json")
    answer = json_text.steady(ended.output)
    methods = [method for method in answer["methods"] if set(method) == set(answer["methods"][0])]
    answer["methods"] = [[method["error"], method["converged"]] for method in methods[:6]]
    answer["answers"] = [[entry["verdict"], sorted(entry["numbers"])] for entry in answer["answers"]]
    return [ended.code, len(methods), answer]


def _network(name: str) -> Parts:
    network = rosenblatt.ThresholdNetwork
    rows = "a,b,c,label\n" + "".join(f"{n >> 2 & 1},{n >> 1 & 1},{n & 1},{(n * 5 + 1) // 3 % 2}\n" for n in range(8))
    Path("gates.csv").write_text(rows)
    path = str(fresh("network.model"))
    built = {
        "xor": lambda: network.from_expression("(a ^ b) & ~c"),
        "majority": lambda: network.from_truth_table("00010111"),
        "learned": lambda: network().fit([[n >> 2 & 1, n >> 1 & 1, n & 1] for n in range(8)], [0, 1, 1, 0, 1, 0, 0, 1]),
    }[name]()
    rosenblatt.save(built, path)
    parts = Parts({"model": model_file.content(path)})
    explained = command("explain", path, "--json")
    parts["explain"] = [explained.code, json_text.steady(explained.output)]
    if name == "xor":
        predicted = command("predict", path, "gates.csv", "--scores")
        evaluated = command("evaluate", path, "gates.csv", "--json")
        of_one = command("explain", path, "--json", "--example", "a=1,b=0,c=0")
        parts["predict"] = [predicted.code, predicted.output]
        parts["evaluate"] = [evaluated.code, json_text.steady(evaluated.output)]
        parts["explain-example"] = [of_one.code, json_text.steady(of_one.output)]
    parts["export"] = command("export", path, "--to", "json").code
    return parts


def _report() -> Any:
    """A page is written; its words and looks may change."""
    page, other = fresh("page.html"), fresh("other.html")
    as_written = ["--no-scale", "--passes", "1"]
    first = command("fit", data("people.csv"), *as_written, "-o", "paged.model", "--report", str(page), "--json")
    second = command("evaluate", "paged.model", data("people-test.csv"), "--report", str(other), "--json")
    pages_written = [path.exists() and path.stat().st_size > 5000 for path in (page, other)]
    return [first.code, second.code, json_text.steady(first.output), json_text.steady(second.output), pages_written]


def _resume() -> Any:
    """Nothing to go on from: the run begins anew."""
    words = ["--checkpoint", "none.checkpoint", "--resume", "--passes", "3", "-o", "again.model", "--json"]
    ended = command("fit", data("rows.svm"), *words)
    return [ended.code, json_text.steady(ended.output), model_file.content("again.model")]


def _keep_cache() -> Any:
    Path("cached.svm").write_bytes(Path(data("rows.svm")).read_bytes())
    words = ["fit", "cached.svm", "--keep-cache", "--passes", "2", "-o", "cached.model", "--json"]
    endings = [command(*words) for _ in range(2)]
    return [[ended.code, json_text.steady(ended.output)] for ended in endings]


def _threads() -> Any:
    results = []
    for threads in ("1", "2", "4"):
        words = ["--threads", threads, "-o", "threads.model", "--rule", "pa1", "--passes", "1", "-q"]
        ended = command("fit", data("large.svm"), *words)
        results.append([ended.code, ended.output, model_file.content("threads.model")])
    return results


def _completion() -> Any:
    return [command("completion", shell).code for shell in ("bash", "zsh", "fish")]


def _help() -> Any:
    names = ("demo", "fit", "predict", "evaluate", "explain", "export", "certify", "trace", "compare", "studio")
    return [command(name, "--help").code for name in names] + [command("--help").code, command("--version").code]


OTHERS = {
    "report": _report,
    "checkpoint-resume": _resume,
    "keep-cache": _keep_cache,
    "threads": _threads,
    "completion": _completion,
    "help": _help,
}
