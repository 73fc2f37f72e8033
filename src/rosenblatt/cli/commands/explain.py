"""`rosenblatt explain`: what a model has learned, and why it decides as it does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import click

from rosenblatt import options
from rosenblatt.cli.output import write_json, write_lines
from rosenblatt.cli.parameters import (
    like_training_data,
    model_argument,
    new_data_options,
    option,
    output_options,
    sectioned_command,
)
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import SourceBlock

if TYPE_CHECKING:
    from rosenblatt.model.kinds.linear import LinearModel
    from rosenblatt.model.kinds.network import NetworkModel

Example: TypeAlias = "tuple[str | SourceBlock, int]"  # as it is written, or a block of a file; and its row there


@sectioned_command(
    "explain",
    "rosenblatt explain mail.model --top 20",
    "rosenblatt explain mail.model --example 'you have won a prize'",
    "rosenblatt explain people.model --example 'age=39, city=\"New York, NY\"'",
    "rosenblatt explain people.model others.csv --row 17",
    "rosenblatt explain mail.model --size",
)
@model_argument
@click.argument("data", metavar="[DATA]", type=click.Path(), required=False)
@option(options.row)
@option(options.top)
@option(options.example, metavar="TEXT")
@option(options.show_size)
@new_data_options
@output_options
def command(
    model: str,
    data: str | None,
    row: int | None,
    top: int,
    example: str | None,
    size: bool,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Show the features with the largest weights for each class of MODEL; with --example, or a --row of DATA, what
    each feature of one example adds to its score; with --size, what takes up the space in its file.

    An example of a table is written 'column=value, column=value', as a JSON object, or as a row of the table; columns
    that are left out count as missing.
    """
    from rosenblatt.model.model_file import load_scorer, with_weights

    if (data is None) != (row is None) or (row is not None and example is not None):
        raise click.UsageError("Give an --example, or a file and the number of a --row in it.")
    if size and (data is not None or example is not None):
        raise click.UsageError("--size is about the file of MODEL: leave the example out.")
    if size:
        return _explain_size(model, as_json)
    loaded = load_scorer(model)
    chosen: Example | None = None if example is None else (example, 0)
    if data is not None and row is not None:
        from rosenblatt.readers.in_memory.example import read_row

        chosen = read_row(data, like_training_data(reading, loaded)._replace(name_rows=True), loaded.space, row)
    if loaded.kind == "network":
        record, lines = _explain_network(cast("NetworkModel", loaded), model, chosen)
    else:
        record, lines = _explain_linear(with_weights(loaded, model, "explained by features"), model, chosen, top)
    if as_json:
        write_json({"model": model, **record})
    else:
        write_lines(lines)


def _explain_linear(
    model: LinearModel, path: str, example: Example | None, top: int
) -> tuple[dict[str, Any], Iterable[str]]:
    from rosenblatt.report.explanation import explain_example
    from rosenblatt.report.json_records import model_record
    from rosenblatt.report.text.explanation import example_lines, model_lines

    if example is None:
        return model_record(model, top), model_lines(model, path, top)
    record = explain_example(model, *example)
    return record, example_lines(record, model.classes, top)


def _explain_network(model: NetworkModel, path: str, example: Example | None) -> tuple[dict[str, Any], Iterable[str]]:
    from rosenblatt.report.explanation import explain_network_example
    from rosenblatt.report.json_records import network_record
    from rosenblatt.report.text.explanation import network_example_lines, network_lines

    if example is None:
        return network_record(model), network_lines(model, path)
    record = explain_network_example(model, *example)
    return record, network_example_lines(record, model.classes)


def _explain_size(model: str, as_json: bool) -> None:
    from rosenblatt.model.size_of_parts import room_in_file
    from rosenblatt.report.text.size_of_parts import room_lines

    room = room_in_file(model)
    if as_json:
        write_json({"model": model, **room.as_json()})
    else:
        write_lines(room_lines(model, room))
