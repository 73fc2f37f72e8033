"""`rosenblatt explain`: what a model has learned, and why it decides as it does."""

from typing import TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli import common, declared

if TYPE_CHECKING:
    from rosenblatt.model.linear import LinearModel


@declared.command(
    "explain",
    "  rosenblatt explain mail.model --top 20",
    "  rosenblatt explain mail.model --example 'you have won a prize'",
    "  rosenblatt explain people.model --example 'age=39, job=clerk'",
)
@common.model_argument
@declared.option(options.top)
@declared.option(options.example, metavar="TEXT")
@common.output_options
def command(model: str, top: int, example: str | None, as_json: bool) -> None:
    """Show the features that speak for each class of MODEL, by name and weight; with --example, what each feature of
    one example adds to its score.
    """
    from rosenblatt.model.file import load_scorer, with_weights
    from rosenblatt.model.network import NetworkModel

    loaded = load_scorer(model)
    if isinstance(loaded, NetworkModel):
        _network(loaded, model, example, as_json)
        return
    found = with_weights(loaded, model, "explained by features")
    record = _of_example(found, example) if example is not None else _of_model(found, top)
    if as_json:
        common.as_json({"model": model, **record})
        return
    for line in _told(found, model, record, top):
        common.data(line)


def _network(found: Any, path: str, example: str | None, as_json: bool) -> None:
    """A network is explained by its units."""
    from rosenblatt.report.text import network as networks

    record = networks.network_record(found) if example is None else networks.network_example(found, example)
    if as_json:
        common.as_json({"model": path, **record})
        return
    told = networks.network_lines(found, path) if example is None else networks.network_example_lines(record)
    for line in told:
        common.data(line)


def _of_model(model: "LinearModel", top: int) -> dict[str, Any]:
    from rosenblatt.report.json_records import model_record

    return model_record(model, top)


def _of_example(model: "LinearModel", example: str) -> dict[str, Any]:
    from rosenblatt.report.one_example import explained

    return explained(model, example)


def _told(model: "LinearModel", path: str, record: dict[str, Any], top: int) -> Any:
    from rosenblatt.report.text import terminal

    if "contributions" in record:
        yield terminal.line("decided", f"{record['label']}, score {record['score']:.4g}")
        yield ""
        yield from terminal.contribution_lines(record["contributions"], record["bias"], top or 10)
        return
    yield from terminal.model_lines(model, path)
    yield ""
    yield from terminal.table_lines((str(side["class"]), side["weights"]) for side in record["top"])
