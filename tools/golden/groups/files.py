"""Learning from files in Python: every rule, what is kept, passes, held-out rows, threads, caches, going on."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rosenblatt
from rosenblatt.readers.source import ReadOptions
from tools.golden.case import Case, Parts, named, product, refusal
from tools.golden.data.places import data, fresh
from tools.golden.normalise import model_file

RULES = ("auto", "perceptron", "arow", "arow-bold", "logistic", "logistic-bold", "hinge", "pa1", "pa2", "last")


def facts(fitted: Any) -> dict[str, Any]:
    """What a fit says of itself, the seconds left out, and the model that it saves."""
    path = fresh("kept.model")
    rosenblatt.save(fitted, path)
    return {
        "rows": fitted.rows,
        "features": fitted.features,
        "passes": fitted.passes,
        "status": fitted.status,
        "mistakes": [fitted.n_mistakes, list(fitted.mistakes)],
        "progressive_error": fitted.progressive_error,
        "holdout": [fitted.holdout_error, fitted.holdout_rows],
        "test": [fitted.test_error, fitted.test_rows],
        "candidates": [
            [tried.rule, tried.progressive_error, tried.holdout_error, tried.failed, tried.given_up, tried.best_then]
            for tried in fitted.candidates
        ],
        "chosen": fitted.chosen,
        "skipped": [fitted.skipped, len(fitted.bad_rows)],
        "order": [fitted.order, fitted.grouped],
        "resumed": fitted.resumed,
        "cache": None if fitted.cache is None else fitted.cache.state,
        "classes": list(fitted.model.classes),
        "model": model_file.content(path),
    }


def fit_as_written(file: str, path: str | None = None, **options: Any) -> Any:
    """Learn from the columns of a table as they are written."""
    reading = ReadOptions(scale=False)
    if ".csv" in file or file.endswith((".tsv", ".parquet", ".arrow")):
        typed = file.endswith((".parquet", ".arrow"))
        reading = reading._replace(keep=("*",), **({"as_": ("number:since",), "label": "income"} if typed else {}))
    return rosenblatt.fit_file(path or data(file), reading=reading, **options)


def _fit(file: str, **options: Any) -> Case:
    name = f"files/{file}/{named(**options)}"
    if "test" in options:
        options["test"] = data(options["test"])
    options = {"passes": 1, **options}
    return Case(name, lambda: facts(fit_as_written(file, **options)))


def cases() -> Iterator[Case]:
    yield from _rules()
    yield from _formats()
    yield from _large()
    yield from _caches()
    yield from _resumed()
    yield from _refused()


def _rules() -> Iterator[Case]:
    for options in product(rule=RULES, keep=(None, "last", "average"), passes=(1, 3)):
        yield _fit("rows.svm", **options)
        yield _fit("rows.svm", **options, holdout=0.2)
        yield _fit("many.svm", **options)
    for options in product(rule=RULES, passes=(8,), holdout=(0.25,), patience=(1, 2)):
        yield _fit("rows.svm", **options)
    for options in product(rule=RULES, order=("given", "shuffle"), passes=(1, 3)):
        yield _fit("rows.svm", **options)
        yield _fit("sorted.svm", **options)
    for options in product(rule=RULES, test=("test.svm",)):
        yield _fit("rows.svm", **options)
    for options in product(rule=("auto", "pa1"), order=("shuffle",), seed=(1, 2, 3), holdout=(0.0, 0.3)):
        yield _fit("rows.svm", **options)
    for options in product(rule=RULES, features=("poly2", "poly3")):
        yield _fit("matrix.npy", **options)
    for options in product(rule=RULES, threads=(1, 2, 4)):
        yield _fit("many.svm", **options)


def _formats() -> Iterator[Case]:
    small = [f"rows.svm.{ending}" for ending in ("gz", "bz2", "xz", "zst")]
    small += ["zero.svm", "spaced.svm", "sorted.svm"]
    small += ["people.csv", "numbers.csv", "people.tsv", "semicolons.csv", "headless.csv", "three.csv"]
    small += [f"people.csv.{ending}" for ending in ("gz", "bz2", "xz", "zst")]
    small += ["people.parquet", "people.arrow", "matrix.npy", "fortran.npy", "named.npz", "other.npz"]
    for file in small:
        for options in product(rule=("auto", "perceptron", "arow", "logistic"), passes=(1, 3)):
            yield _fit(file, **options)
    hashed = ["words.vw", "many.vw", "mail.txt", "headed.txt", "topics.txt", "words.vw.gz", "mail.txt.zst", "notes.csv"]
    for file in hashed:
        for options in product(rule=("auto", "perceptron", "logistic-bold"), passes=(1, 3)):
            yield _fit(file, **options)


def _large() -> Iterator[Case]:
    """A file of several pieces, which several threads parse at once."""
    for options in product(rule=("auto", "perceptron", "arow"), threads=(1, 2, 4)):
        yield _fit("large.svm", **options)
    for options in product(rule=("pa1",), passes=(3,), holdout=(0.0, 0.1), threads=(1, 4)):
        yield _fit("large.svm", **options)
    yield _fit("large.svm", rule="perceptron", order="shuffle", passes=2)


def _caches() -> Iterator[Case]:
    for file in ("rows.svm", "people.csv", "mail.txt", "words.vw", "matrix.npy"):
        for rule in ("auto", "perceptron"):
            yield Case(f"files/cache/{file}/{rule}", lambda file=file, rule=rule: _cached(file, rule))
            yield Case(f"files/kept-cache/{file}/{rule}", lambda file=file, rule=rule: _persistent_cache(file, rule))


def _cached(file: str, rule: str) -> Any:
    folder = Path("cache")
    folder.mkdir(exist_ok=True)
    result = facts(fit_as_written(file, rule=rule, passes=3, cache=str(folder)))
    return [result, sorted(os.listdir(folder))]


def _persistent_cache(file: str, rule: str) -> Any:
    """Made, used again, and made anew after the file has changed."""
    copy = Path("copied-" + file)
    shutil.copyfile(data(file), copy)
    states = []
    for change in (False, False, True):
        if change:
            content = copy.read_bytes()
            last_line = content[content.rindex(b"\n", 0, -1) + 1 :]
            copy.write_bytes(content if file == "matrix.npy" else content + last_line)
            os.utime(copy, ns=(10**18, 10**18))
        states.append(facts(fit_as_written(file, str(copy), rule=rule, passes=2, keep_cache=True)))
    for path in Path.cwd().glob("copied-*"):
        path.unlink()
    return states


def _resumed() -> Iterator[Case]:
    for file in ("rows.svm", "people.csv", "matrix.npy"):
        for options in product(rule=("auto", "perceptron", "arow", "logistic", "pa2"), holdout=(0.0, 0.2), stop=(1, 3)):
            name = f"files/resumed/{file}/{named(**options)}"
            yield Case(name, lambda file=file, options=options: _broken_off(file, **options))
    yield Case(
        "files/resumed/rows.svm/patience",
        lambda: _broken_off("rows.svm", rule="auto", holdout=0.2, stop=2, patience=3),
    )


def _broken_off(file: str, *, stop: int, **options: Any) -> Any:
    """Ctrl-C at the end of a pass, then the same call with resume."""
    checkpoint = fresh("state.checkpoint")

    def press(progress: Any) -> None:
        if progress.rows == 0 and progress.pass_ == stop + 1:  # between two passes; the clock has no say in it
            os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    shared = {"passes": 5, "checkpoint": str(checkpoint), **options}
    try:
        fit_as_written(file, on_progress=press, **shared)
        stopped = False
    except KeyboardInterrupt:
        stopped = True
    was_there = checkpoint.exists()
    result = facts(fit_as_written(file, resume=True, **shared))
    return Parts(ending=[stopped, was_there, result.pop("resumed"), checkpoint.exists()], model=result)


def _refused() -> Iterator[Case]:
    attempts: dict[str, tuple[str, dict[str, Any]]] = {
        "bad-svmlight": ("bad.svm", {}),
        "bad-csv": ("bad.csv", {}),
        "bad-vw": ("bad.vw", {}),
        "bad-text": ("bad.txt", {}),
        "missing": ("no-such-file.svm", {}),
        "rule": ("rows.svm", {"rule": "no-such-rule"}),
        "passes": ("rows.svm", {"passes": 0}),
        "patience": ("rows.svm", {"patience": 2}),
        "resume": ("rows.svm", {"resume": True}),
        "poly-of-sparse": ("rows.svm", {"features": "poly2"}),
        "holdout": ("rows.svm", {"holdout": 1.0}),
    }
    for name, (file, options) in attempts.items():
        yield Case(
            f"files/refused/{name}",
            lambda file=file, options=options: refusal(lambda: rosenblatt.fit_file(data(file), **options)),
        )
