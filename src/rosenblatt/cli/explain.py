"""`rosenblatt explain`: what a model has learned, and why it decides as it does."""

from typing import TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli import common

if TYPE_CHECKING:
    from rosenblatt.learn import Model


@common.command("explain")
@common.model_argument
@common.option(options.top)
@common.option(options.example, metavar="TEXT")
@common.output_options
def command(model: str, top: int, example: str | None, as_json: bool) -> None:
    """Show the features that speak for each class of MODEL, by name and weight; with --example, what each feature of
    one example adds to its score.
    """
    from rosenblatt.learn import load_model

    found = load_model(model)
    record = _of_example(found, example) if example is not None else _of_model(found, top)
    if as_json:
        common.as_json({"model": model, **record})
        return
    for line in _told(found, model, record, top):
        common.data(line)


def _of_model(model: "Model", top: int) -> dict[str, Any]:
    from rosenblatt.report.answers import model_record

    return model_record(model, top)


def _of_example(model: "Model", example: str) -> dict[str, Any]:
    from rosenblatt.report.example import explained

    return explained(model, example)


def _told(model: "Model", path: str, record: dict[str, Any], top: int) -> Any:
    from rosenblatt.report import terminal

    if "contributions" in record:
        yield terminal.line("decided", f"{record['label']}, score {record['score']:.4g}")
        yield ""
        yield from terminal.contribution_lines(record["contributions"], record["bias"], top or 10)
        return
    yield from terminal.model_lines(model, path)
    yield ""
    yield from terminal.table_lines((str(side["class"]), side["weights"]) for side in record["top"])
