"""`rosenblatt certify`: can a hyperplane tell the classes apart? The answer, its proof, and a check of a proof."""

import os
import sys
from typing import TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli import common, declared
from rosenblatt.cli.exits import DONE, NO
from rosenblatt.cli.invocation import UsageError

if TYPE_CHECKING:
    from rosenblatt.certificates.certificate import Certificate
    from rosenblatt.certificates.classes import ClassAnswer, ClassTable


@declared.command(
    "certify",
    "  rosenblatt certify people.csv --label income --save proof.json",
    "  rosenblatt certify people.csv --label income --check proof.json",
    "  rosenblatt certify flowers.csv --pairs",
)
@common.data_argument
@declared.option(options.pairs)
@declared.option(options.one_vs_rest)
@declared.option(options.time_limit)
@declared.option(options.gap)
@declared.option(options.save_proof)
@declared.option(options.check_proof)
@declared.option(options.plot)
@declared.option(options.columns, metavar="I,J")
@declared.option(options.theme)
@declared.option(options.certify_jobs)
@common.reading_options
@common.output_options
def command(data: str, as_json: bool, **asked: Any) -> int:
    """Can a hyperplane tell the classes of DATA apart without a single error? Exit code 0: yes, and here is the widest;
    1: no, or not known in the time given. Either answer comes with a proof that --save keeps and --check checks again.
    """
    from rosenblatt.readers.read import read

    if asked["check"] and (asked["save"] or asked["pairs"] or asked["one_vs_rest"]):
        raise UsageError("--check looks at one certificate: leave out --save, --pairs and --one-vs-rest.")
    examples = read(data, **_reading(asked))
    X, y = examples
    asked["columns"] = common.two_columns(asked["columns"], examples.space.columns, X.shape[1])
    if asked["check"]:
        return _check(asked["check"], data, X, y, as_json)
    if asked["pairs"] or asked["one_vs_rest"]:
        return _classes(data, X, y, asked, as_json)
    _refuse_many(data, y)
    return _two(data, X, y, asked, as_json)


def _refuse_many(data: str, y: Any) -> None:
    from rosenblatt.errors import DataError

    count = len(set(y.tolist())) if y is not None else 0
    if count > 2:
        raise DataError(
            f"{data}: has {count} classes, and separability is about two; ask for every pair with --pairs, or for each "
            "class against the others with --one-vs-rest."
        )


def _reading(asked: dict[str, Any]) -> dict[str, Any]:
    from dataclasses import fields

    reading = common.reading(asked)
    return {field.name: getattr(reading, field.name) for field in fields(reading)}


def _two(data: str, X: Any, y: Any, asked: dict[str, Any], as_json: bool) -> int:
    from rosenblatt.certificates.search import certify

    if asked["plot"] and not asked["columns"] and X.shape[1] != 2:
        raise UsageError(f"--plot draws two columns, and DATA has {X.shape[1]:,}: choose with --columns I,J.")
    with _Patience() as patience:
        answer = certify(X, y, time_limit=asked["time_limit"], gap=asked["gap"], on_progress=patience.search)
    if asked["save"]:
        answer.save(asked["save"])
        common.say(f"certificate: {asked['save']}")
    _draw(answer, X, y, asked)
    if as_json:
        common.as_json({"data": data, **answer.to_dict()})
    else:
        common.data(answer.explain())
    return DONE if answer.kind == "separable" else NO


def _check(path: str, data: str, X: Any, y: Any, as_json: bool) -> int:
    from rosenblatt.certificates.file import load_certificate
    from rosenblatt.certificates.points import points_of
    from rosenblatt.errors import DataError

    certificate, reason = load_certificate(path), None
    points = points_of(X, y)
    try:
        certificate.check(points)
    except DataError as error:
        reason = str(error)
    if as_json:
        said = {"data": data, "check": path, "kind": certificate.kind, "holds": reason is None, "reason": reason}
        common.as_json(said)
    elif reason is None:
        common.data(f"The certificate holds, checked anew on {data}.\n{certificate.explain()}")
    else:
        common.data(f"The certificate does not hold: {reason}")
    return DONE if reason is None else NO


def _classes(data: str, X: Any, y: Any, asked: dict[str, Any], as_json: bool) -> int:
    from rosenblatt.certificates.classes import certify_classes

    tables, limits = [], {"time_limit": asked["time_limit"], "gap": asked["gap"]}
    for scheme in [name for name, wanted in (("ovo", asked["pairs"]), ("ovr", asked["one_vs_rest"])) if wanted]:
        with _Patience() as patience:
            told = {"n_jobs": asked["jobs"], "on_answer": patience.answer}
            tables.append(certify_classes(X, y, scheme=scheme, **limits, **told))
    if asked["save"]:
        _save_all(tables, asked["save"])
    _draw_map(tables, asked["plot"], asked["theme"] or "light")
    answers = [row for table in tables for row in table.to_rows()]
    if as_json:
        common.as_json({"data": data, "classes": list(tables[0].classes), "answers": answers})
    else:
        for table in tables:
            common.data(_table(table))
    return DONE if all(row["answer"] == "separable" for row in answers) else NO


def _table(table: "ClassTable") -> str:
    lines = [f"{'class':>12}  {'against':>12}  {'answer':12} {'margin':>10}  {'rows of proof':>13}  checked"]
    for row in table.to_rows():
        margin = f"{row['margin']:10.4g}" if row["answer"] == "separable" else f"{'-':>10}"
        proof = "-" if row["rows"] is None else f"{row['rows']:,}"
        first, second = str(row["first"])[:12], str(row["second"])[:12]
        lines.append(f"{first:>12}  {second:>12}  {row['answer']:12} {margin}  {proof:>13}  {row['verified']}")
    kinds = [row["answer"] for row in table.to_rows()]
    said = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return "\n".join([*lines, f"{said}.", ""])


def _save_all(tables: "list[ClassTable]", folder: str) -> None:
    """One file an answer, in a folder."""
    os.makedirs(folder, exist_ok=True)
    for table in tables:
        for answer in table:
            answer.certificate.save(os.path.join(folder, f"{answer.first}-{answer.second}.json".replace(os.sep, "_")))
    common.say(f"certificates: {folder}; each is about the rows of its own classes only")


def _draw(answer: "Certificate", X: Any, y: Any, asked: dict[str, Any]) -> None:
    if asked["plot"]:
        _write_figure(answer.plot(X, y, columns=asked["columns"], theme=asked["theme"] or "light"), asked["plot"])


def _draw_map(tables: "list[ClassTable]", path: str | None, theme: str) -> None:
    if not path:
        return
    pairs = next((table for table in tables if table.scheme == "ovo"), None)
    if pairs is None:
        raise UsageError("--plot draws a map of pairs: ask for --pairs.")
    _write_figure(pairs.plot(theme=theme), path)


def _write_figure(figure: Any, path: str) -> None:
    try:
        figure.savefig(path, facecolor=figure.get_facecolor())
    except ValueError as error:
        raise UsageError(f"--plot {path}: {error}.") from None
    common.say(f"figure: {path}")


class _Patience:
    """One line on a terminal that says where the search is; gone when it is done."""

    def __init__(self) -> None:
        self.shown, self.written = common.on_terminal() and not common.quiet(), False

    def __enter__(self) -> "_Patience":
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")

    def search(self, now: Any) -> None:
        self._write(f"{now.stage}: step {now.steps:,}, {now.rows:,} rows in hand")

    def answer(self, done: int, total: int, answer: "ClassAnswer") -> None:
        self._write(f"{done} of {total}: {answer.first} against {answer.second}, {answer.kind}")

    def _write(self, words: str) -> None:
        if self.shown and (words or self.written):
            sys.stderr.write(f"\r\x1b[K{words}")
            sys.stderr.flush()
            self.written = bool(words)
