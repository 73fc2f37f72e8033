"""From file to saved model, timed as whole processes: against Vowpal Wabbit, LIBLINEAR and scikit-learn."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.records import Limit, Machine, Race, Row, Side, Size, Target
from bench.timing import run
from bench.workloads.write_files import write_json, write_rows, write_text

ROOT = Path(__file__).parents[2]
FIT = """
import sys
from rosenblatt import fit_file; from rosenblatt.model.model_file import save_model
save_model(fit_file(sys.argv[1], rule=sys.argv[3], passes=int(sys.argv[4])).model, sys.argv[2])
"""
WABBIT = """
import sys
from vowpalwabbit import Workspace
rule = " ".join(["--quiet -b 18 --loss_function hinge --sgd --power_t 0 -l 0.5", *sys.argv[3:]])
Workspace(f"-d {sys.argv[1]} -f {sys.argv[2]} {rule}").finish()
"""
SQUARED_WABBIT = """
import sys
from vowpalwabbit import Workspace
Workspace(f"-d {sys.argv[1]} -f {sys.argv[2]} --quiet -b 18 --loss_function squared").finish()
"""
PANDAS = """
import sys, pandas
pandas.read_json(sys.argv[1], lines=True)
"""
SKLEARN = """
import pickle, sys
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
X, y = load_svmlight_file(sys.argv[1])
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
pickle.dump(Perceptron(max_iter=1, tol=None).fit(X, y), open(sys.argv[2], "wb"))
"""
HASHING = """
import pickle, sys
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
hashed, model, labels, texts = HashingVectorizer(n_features=2**22, alternate_sign=False), SGDClassifier(), [], []
def learn():
    model.partial_fit(hashed.transform(texts), labels, classes=["ham", "spam"])
    labels.clear(); texts.clear()
for line in open(sys.argv[1]):
    label, text = line.split("\\t", 1)
    labels.append(label); texts.append(text)
    if len(texts) == 5_000: learn()
if texts: learn()
pickle.dump(model, open(sys.argv[2], "wb"))
"""
# Not getrusage: its peak of a process includes the memory of the parent at the time of the fork.
PEAK = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"


def process(name: str, code: str, *words: object) -> Side:
    """A new interpreter that runs some code; start-up is included."""
    return command(name, "-c", code, *words)


def command(name: str, *words: object) -> Side:
    """A new interpreter with these command-line arguments."""
    command = [sys.executable, *map(str, words)]

    def work() -> str:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} failed:\n{done.stderr}")
        return done.stdout

    return Side(name, work)


def ours(file: Path, rule: str = "perceptron", passes: int = 1) -> Side:
    """`rosenblatt fit`, as a shell runs it."""
    options = ["--rule", rule, *([] if rule == "auto" else ["--passes", passes])]  # auto learns so many rows once
    words = ["--ngrams", 1] if file.suffix == ".tsv" else []  # single words, like the peer
    fit = ["-m", "rosenblatt", "fit", file, *options, *words, "--quiet", "-o", file.parent / "ours"]
    return command(" ".join(map(str, ["fit", *options])), *fit)


def reading(file: Path) -> Limit:
    """The time to count the lines: the least work of anything that looks at every byte."""
    side = Side("wc", lambda: subprocess.run(["wc", "-l", str(file)], capture_output=True, check=True))
    from bench.timing import seconds

    return Limit(min(seconds(side) for _ in range(3)), f"wc -l of {file.stat().st_size / 1e6:,.0f} MB")


def rows(size: Size, machine: Machine) -> Iterator[Row]:
    """The rows about files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder, size.rows(1_200_000), "large")  # about 1 GB
        write_rows(folder, size.rows(200_000), "medium")
        write_rows(folder, size.rows(24_000), "small")
        yield from svmlight(folder, size)
        yield from passes(folder, size)
        yield from memory(folder, size)
        write_text(folder / "text.tsv", 10 if size.quick else 250)
        yield from text(folder, size)


def svmlight(folder: Path, size: Size) -> Iterator[Row]:
    large, medium, small = (folder / f"{name}.svm" for name in ("large", "medium", "small"))
    wabbit = process("vw hinge, one pass", WABBIT, large.with_suffix(".vw"), folder / "theirs")
    megabytes = f"{large.stat().st_size / 1e6:,.0f} MB svmlight"
    limit = reading(large)
    yield run(Race("file", f"{megabytes} to a model", ours(large), wabbit, limit, Target(10.0), unit="file"), size)
    race = Race(
        "file-portfolio", f"{megabytes}, whole portfolio", ours(large, "auto"), wabbit, limit, Target(5.0), unit="file"
    )
    yield run(race, size)
    train = shutil.which("liblinear-train") or shutil.which("train")
    if train is not None:
        command = [train, "-s", "3", "-q", str(large), str(folder / "theirs")]
        liblinear = Side("LIBLINEAR train -s 3", lambda: subprocess.run(command, capture_output=True, check=True))
        yield run(
            Race("file-liblinear", f"{megabytes} to a model", ours(large), liblinear, limit, Target(25.0), unit="file"),
            size,
        )
    sklearn = process("scikit-learn load_svmlight_file + Perceptron", SKLEARN, medium, folder / "theirs")
    words = f"{medium.stat().st_size / 1e6:,.0f} MB svmlight to a model"
    yield run(Race("file-sklearn", words, ours(medium), sklearn, reading(medium), Target(40.0), unit="file"), size)
    wabbit = process("vw hinge, one pass", WABBIT, small.with_suffix(".vw"), folder / "theirs")
    words = f"{small.stat().st_size / 1e6:,.0f} MB svmlight, start-up counts"
    yield run(Race("file-small", words, ours(small), wabbit, reading(small), Target(2.0), unit="file"), size)


def passes(folder: Path, size: Size) -> Iterator[Row]:
    """The time of a later pass, and of predicting, both against one pass of learning."""
    large, model = folder / "large.svm", folder / "ours"
    one, five = ours(large), ours(large, passes=5)
    row = run(
        Race("file-passes", "each later pass, against the first", five, one, reading(large), None, unit="file"), size
    )
    later = (row.ours - row.peer) / 4
    yield Row(
        **{
            **vars(row),
            "ours": later,
            "value": row.peer / max(later, 1e-9),
            "target": Target(2.0),
            "ours_name": "a later pass",
        }
    )
    predict = command("predict", "-m", "rosenblatt", "predict", model, large, "--quiet", "-o", folder / "predicted")
    yield run(
        Race(
            "file-predict", "predict, against a learning pass", predict, one, reading(large), Target(1.0), unit="file"
        ),
        size,
    )


def text(folder: Path, size: Size) -> Iterator[Row]:
    file = folder / "text.tsv"
    peer = process("HashingVectorizer + partial_fit", HASHING, file, folder / "theirs")
    words = f"{file.stat().st_size / 1e6:,.0f} MB of label, tab, text"
    for rule in ("perceptron", "auto"):
        yield run(
            Race(f"text-{rule}", f"{words}, {rule}", ours(file, rule), peer, reading(file), Target(20.0), unit="file"),
            size,
        )


def json_lines(size: Size, machine: Machine) -> Iterator[Row]:
    """A table of 19 columns as JSON lines; pandas only reads it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_json(folder, size.rows(3_200_000), "large")  # about 1 GB
        write_json(folder, size.rows(800_000), "medium")
        large, medium = folder / "large.jsonl", folder / "medium.jsonl"
        wabbit = process("vw --json hinge, one pass", WABBIT, folder / "large.vwjson", folder / "theirs", "--json")
        pandas = process("pandas read_json(lines=True), no model", PANDAS, medium)
        for label, file, peer in (("json", large, wabbit), ("json-pandas", medium, pandas)):
            words = f"{file.stat().st_size / 1e6:,.0f} MB of JSON lines to a model"
            yield run(Race(label, words, ours(file), peer, reading(file), Target(5.0), unit="file"), size)


def numbers(size: Size, machine: Machine) -> Iterator[Row]:
    """Numbers to predict: against Vowpal Wabbit, and against a fit of classes with the same features."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder, size.rows(1_200_000), "classes")  # about 1 GB
        write_rows(folder, size.rows(1_200_000), "numbers", targets=True)
        classes, file = folder / "classes.svm", folder / "numbers.svm"
        wabbit = process("vw squared, one pass", SQUARED_WABBIT, file.with_suffix(".vw"), folder / "theirs")
        words, limit = f"{file.stat().st_size / 1e6:,.0f} MB svmlight of numbers to a model", reading(file)
        adagrad, auto = ours(file, "number-adagrad"), ours(file, "auto")
        yield run(Race("number", words, adagrad, wabbit, limit, Target(8.0), unit="file"), size)
        yield run(Race("number-portfolio", f"{words}, all rules", auto, wabbit, limit, None, unit="file"), size)
        words = f"{words}, all rules, against classes"
        most = Target(1 / 1.2)  # 1.2 times the time of a fit of classes
        yield run(Race("number-classes", words, auto, ours(classes, "auto"), limit, most, unit="file"), size)


def memory(folder: Path, size: Size) -> Iterator[Row]:
    """The peak memory of a whole portfolio: a file, and one about twenty times as large."""
    medium, endless = folder / "medium.svm", folder / "endless.svm"
    with endless.open("wb") as out:
        for _ in range(2 if size.quick else 24):
            with medium.open("rb") as part:
                shutil.copyfileobj(part, out)
    peak = {
        file: float(process("peak", FIT + PEAK, file, folder / "ours", "auto", 1).run()) * 1024
        for file in (medium, endless)
    }  # type: ignore[arg-type]
    most = max(peak.values())
    yield Row(
        name="file-memory",
        work=f"peak memory, whole portfolio, {endless.stat().st_size / 1e6:,.0f} MB",
        ours_name="fit",
        peer_name=f"fit of {medium.stat().st_size / 1e6:,.0f} MB",
        ours=peak[endless] / 250e6,
        peer=peak[medium] / 250e6,
        unit="share",
        value=100 * most / 250e6,
        target=Target(100.0, at_least=False),
        limit=Limit(
            most / 250e6, f"{json.dumps({file.name: round(value / 1e6) for file, value in peak.items()})} MB of 250"
        ),
        kind="memory",
    )
