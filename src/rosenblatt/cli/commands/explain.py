"""`rosenblatt explain`: what a model has learned, and why it decides as it does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from rosenblatt import options
from rosenblatt.cli.output import write_json, write_lines
from rosenblatt.cli.parameters import model_argument, option, output_options, sectioned_command

if TYPE_CHECKING:
    from rosenblatt.model.kinds.linear import LinearModel
    from rosenblatt.model.kinds.network import NetworkModel


@sectioned_command(
    "explain",
    "rosenblatt explain mail.model --top 20",
    "rosenblatt explain mail.model --example 'you have won a prize'",
    "rosenblatt explain people.model --example 'age=39, job=clerk'",
)
@model_argument
@option(options.top)
@option(options.example, metavar="TEXT")
@output_options
def command(model: str, top: int, example: str | None, as_json: bool) -> None:
    """Show the features with the largest weights for each class of MODEL; with --example, what each feature of
    one example adds to its score.
    """
    from rosenblatt.model.model_file import load_scorer, with_weights

    loaded = load_scorer(model)
    if loaded.kind == "network":
        record, lines = _explain_network(cast("NetworkModel", loaded), model, example)
    else:
        record, lines = _explain_linear(with_weights(loaded, model, "explained by features"), model, example, top)
    if as_json:
        write_json({"model": model, **record})
    else:
        write_lines(lines)


def _explain_linear(
    model: LinearModel, path: str, example: str | None, top: int
) -> tuple[dict[str, Any], Iterable[str]]:
    from rosenblatt.report.explanation import explain_example
    from rosenblatt.report.json_records import model_record
    from rosenblatt.report.text.explanation import example_lines, model_lines

    if example is None:
        return model_record(model, top), model_lines(model, path, top)
    record = explain_example(model, example)
    return record, example_lines(record, top)


def _explain_network(model: NetworkModel, path: str, example: str | None) -> tuple[dict[str, Any], Iterable[str]]:
    from rosenblatt.report.explanation import explain_network_example
    from rosenblatt.report.json_records import network_record
    from rosenblatt.report.text.explanation import network_example_lines, network_lines

    if example is None:
        return network_record(model), network_lines(model, path)
    record = explain_network_example(model, example)
    return record, network_example_lines(record)
