"""`rosenblatt certify`: can a hyperplane separate the classes? The answer with its proof, and a check of a proof."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt import options
from rosenblatt.available_cores import core_count
from rosenblatt.cli.exits import DONE, NO
from rosenblatt.cli.output import check_output, say, write, write_json
from rosenblatt.cli.parameters import data_argument, option, output_options, reading_options, sectioned_command
from rosenblatt.cli.plot_option import check_picture, check_two_columns, column_names, save_plot, two_columns
from rosenblatt.cli.progress import StatusLine
from rosenblatt.extras import require
from rosenblatt.readers.source import ReadOptions

if TYPE_CHECKING:
    from rosenblatt.certificates.certificate import Certificate
    from rosenblatt.certificates.certify_classes import ClassTable
    from rosenblatt.certificates.points.points import Points
    from rosenblatt.readers.stored_examples import StoredExamples


@dataclass(frozen=True)
class _Data:
    """The examples of DATA in memory."""

    path: str
    X: Any
    y: Any
    names: tuple[str, ...] | None  # of the columns


@sectioned_command(
    "certify",
    "rosenblatt certify people.csv --label income --save proof.json",
    "rosenblatt certify people.csv --label income --check proof.json",
    "rosenblatt certify flowers.csv --pairs",
    "rosenblatt certify prices.csv --label price --task number",
)
@data_argument
@option(options.certify_task)
@option(options.pairs)
@option(options.one_vs_rest)
@option(options.time_limit)
@option(options.gap)
@option(options.save_proof)
@option(options.check_proof)
@option(options.plot)
@option(options.columns, metavar="I,J")
@option(options.theme)
@option(options.certify_jobs)
@reading_options
@output_options
def command(data: str, reading: ReadOptions, columns: str | None, as_json: bool, **settings: Any) -> int:
    """Can a hyperplane separate the classes of DATA without a single error? Exit code 0: yes, and here is the widest;
    1: no, or not decided within the time limit. Either answer comes with a proof: --save keeps it, --check verifies it.
    With --task number the label is a number, and the question is whether some linear function of the columns gives it
    in every row.
    """
    from rosenblatt.certificates.points.check_input import check_points
    from rosenblatt.readers.stored_examples import IN_MEMORY, StoredExamples, read_or_store

    many = settings["pairs"] or settings["one_vs_rest"]
    if settings["check"] and (settings["save"] or many):
        raise click.UsageError("--check verifies one certificate: leave out --save, --pairs and --one-vs-rest.")
    of_number = settings["task"] == "number" or (settings["check"] and _is_about_a_number(settings["check"]))
    if of_number and (many or settings["plot"]):
        raise click.UsageError("--task number has one answer and no picture: no --pairs, --one-vs-rest or --plot.")
    check_picture(settings["plot"], data, settings["save"])
    if not settings["check"]:
        require("certify")
    if settings["save"] and many:
        os.makedirs(settings["save"], exist_ok=True)
    else:
        check_output(settings["save"], data)
    settings["theme"] = settings["theme"] or "light"
    in_memory = sys.maxsize if many or of_number or settings["plot"] else IN_MEMORY
    with (
        StatusLine() as line,
        read_or_store(data, reading, threads=core_count(), in_memory=in_memory, on_bytes=line.reading) as examples,
    ):
        if isinstance(examples, StoredExamples):
            return _certify_stored(examples, line, settings, as_json)
        line.erase()
        X, y = examples
        if of_number:
            return _certify_number(data, X, y, settings, as_json)
        table = _Data(data, X, y, column_names(examples.space.columns, X.shape[1]))
        settings["columns"] = two_columns(columns, table.names or (), table.X.shape[1])
        if settings["check"]:
            return _check(settings["check"], data, check_points(*examples), as_json)
        return (_certify_classes if many else _certify)(table, settings, as_json)


def _certify(data: _Data, settings: dict[str, Any], as_json: bool) -> int:
    from rosenblatt.certificates.certify import certify

    _refuse_many_classes(data.path, len(set(data.y.tolist())) if data.y is not None else 0)
    if settings["plot"]:
        check_two_columns(settings["columns"], data.X.shape[1])
    with StatusLine() as line:
        certificate = certify(
            data.X, data.y, time_limit=settings["time_limit"], gap=settings["gap"], on_progress=line.search
        )
    if settings["plot"]:
        figure = certificate.plot(
            data.X, data.y, columns=settings["columns"], names=data.names, theme=settings["theme"]
        )
        save_plot(figure, settings["plot"])
    return _print(certificate, data.path, settings["save"], as_json)


def _is_about_a_number(certificate: str) -> bool:
    from rosenblatt.certificates.certificate_file import load_certificate
    from rosenblatt.certificates.exact_fit.answers import FitCertificate

    return isinstance(load_certificate(certificate), FitCertificate)


def _certify_number(data: str, X: Any, y: Any, settings: dict[str, Any], as_json: bool) -> int:
    """Does some linear function meet every target?"""
    from rosenblatt.certificates.exact_fit.equations import check_equations, targets_of_file
    from rosenblatt.certificates.exact_fit.fits_exactly import fit_equations
    from rosenblatt.errors import DataError, option

    if y is None:
        raise DataError(f"{data}: has no targets; name their column with {option('label')}.", file=data)
    equations = check_equations(X, targets_of_file(y))
    if settings["check"]:
        return _check(settings["check"], data, equations, as_json)
    return _print(fit_equations(equations), data, settings["save"], as_json)


def _certify_stored(examples: StoredExamples, line: StatusLine, settings: dict[str, Any], as_json: bool) -> int:
    """The same, or the check of a proof, for examples that are too many for memory."""
    from rosenblatt.certificates.certify_stored import certify_stored
    from rosenblatt.certificates.points.stored_points import StoredPoints
    from rosenblatt.certificates.search.hull_search import SearchMonitor

    _refuse_many_classes(examples.name, len(examples.labels))
    monitor = SearchMonitor.start(settings["time_limit"], line.search)
    points = StoredPoints(examples)
    if settings["check"]:
        line.erase()
        return _check(settings["check"], examples.name, points, as_json)
    certificate = certify_stored(points, monitor, gap=settings["gap"])
    line.erase()
    return _print(certificate, examples.name, settings["save"], as_json)


def _print(certificate: Certificate, data: str, save: str | None, as_json: bool) -> int:
    if save:
        certificate.save(save)
        say(f"certificate: {save}")
    if as_json:
        write_json({"data": data, **certificate.to_dict()})
    else:
        write(certificate.explain(count_from=1))
    return DONE if certificate.kind in ("separable", "exact fit") else NO


def _refuse_many_classes(data: str, n_classes: int) -> None:
    from rosenblatt.errors import DataError, option

    if n_classes > 2:
        raise DataError(
            f"{data}: has {n_classes} classes, and separability is about two; ask for every pair with "
            f"{option('pairs')}, or for each class against the others with {option('one_vs_rest')}."
        )


def _check(path: str, data: str, points: Points, as_json: bool) -> int:
    from rosenblatt.certificates.certificate_file import load_certificate
    from rosenblatt.errors import DataError

    certificate, reason = load_certificate(path), None
    try:
        certificate.check(points)
    except DataError as error:
        reason = error.spelled(options.as_flag)
    holds = reason is None
    if as_json:
        write_json({"data": data, "check": path, "kind": certificate.kind, "holds": holds, "reason": reason})
    elif holds:
        write(f"The certificate holds, verified on {data}.\n{certificate.explain(count_from=1)}")
    else:
        write(f"The certificate does not hold: {reason}")
    return DONE if holds else NO


def _certify_classes(data: _Data, settings: dict[str, Any], as_json: bool) -> int:
    from rosenblatt.certificates.certify_classes import certify_classes
    from rosenblatt.report.text.certificates import class_table_text

    schemes = [scheme for scheme, name in (("ovo", "pairs"), ("ovr", "one_vs_rest")) if settings[name]]
    limits = {"time_limit": settings["time_limit"], "gap": settings["gap"], "n_jobs": settings["jobs"]}
    tables = []
    for scheme in schemes:
        with StatusLine() as line:
            tables.append(certify_classes(data.X, data.y, scheme=scheme, on_answer=line.answer, **limits))
    if settings["save"]:
        _save_all(tables, settings["save"])
    if settings["plot"]:
        if "ovo" not in schemes:
            raise click.UsageError("--plot draws a map of pairs: add --pairs.")
        save_plot(tables[0].plot(theme=settings["theme"]), settings["plot"])
    answers = [row for table in tables for row in table.to_rows()]
    if as_json:
        write_json({"data": data.path, "classes": list(tables[0].classes), "answers": answers})
    else:
        for table in tables:
            write(class_table_text(table))
    return DONE if all(row["answer"] == "separable" for row in answers) else NO


def _save_all(tables: list[ClassTable], folder: str) -> None:
    """Write one file for each answer into a folder."""
    for table in tables:
        for answer in table:
            name = f"{answer.first}-{answer.second}.json".replace(os.sep, "_")
            answer.certificate.save(os.path.join(folder, name))
    say(f"certificates: {folder}; each is about the rows of its own classes only")
