"""`rosenblatt compare`: the perceptron and its relatives on the same folds."""

from typing import TYPE_CHECKING, Any

from rosenblatt import options
from rosenblatt.cli import common, declared
from rosenblatt.cli.invocation import UsageError

if TYPE_CHECKING:
    from rosenblatt.learn.replay.trace_rows import Gathered
    from rosenblatt.records import FeatureSpace


@declared.command(
    "compare",
    "  rosenblatt compare people.csv --label income --scale",
    "  rosenblatt compare points.csv --plot lines.png --no-questions",
)
@common.data_argument
@declared.option(options.folds)
@declared.option(options.trace_passes)
@declared.option(options.max_rows)
@declared.option(options.seed)
@declared.option(options.questions)
@declared.option(options.plot)
@declared.option(options.columns, metavar="I,J")
@declared.option(options.theme)
@common.reading_options
@common.output_options
def command(data: str, as_json: bool, **asked: Any) -> None:
    """Learn DATA by every method on the same folds: the perceptron with each of its answers, Adaline, the logistic
    unit, the widest separator, LogisticRegression and LinearSVC. One table: test error with its 95% interval, training
    margin, time, and whether it converged and why; then six questions answered by measuring.
    """
    from rosenblatt.comparison.compare import compare, record_of
    from rosenblatt.report.text.comparison import comparison_lines
    from rosenblatt.report.text.terminal import width

    scale = asked["scale"]
    table, space = _gathered(data, asked)
    names, (X, y) = space.columns, _matrix(table)
    if space.bits and not asked["plot"]:
        X = _met(X)
    columns = _columns_to_draw(X.shape[1], names, asked) if asked["plot"] else None
    found = compare(
        X,
        y,
        folds=asked["folds"],
        scale=_numbers(space, X.shape[1]) if scale else (),
        max_iter=asked["passes"],
        max_rows=asked["max_rows"],
        questions=asked["questions"],
        random_state=asked["seed"],
    )
    if as_json:
        common.as_json({"data": data, **record_of(found)})
    else:
        for line in comparison_lines(found, max(width(), 90)):
            common.data(line)
    if asked["plot"]:  # last: what was measured is not lost where the figure cannot be written
        _draw(found, X, y, columns, names, asked)


def _gathered(data: str, asked: dict[str, Any]) -> tuple["Gathered", "FeatureSpace"]:
    """The whole table, and what its columns mean."""
    from rosenblatt.learn.replay.trace_rows import gather
    from rosenblatt.readers.open import open_source

    source = open_source(data, common.reading(asked))
    return gather(list(source.blocks()), source.labels, data), source.space


def _numbers(space: "FeatureSpace", width: int) -> list[int]:
    """The columns of numbers, which come first. They are scaled by the part of each fold that is learned from: what the
    reader has made of them by all rows is undone by that."""
    return list(range(len(space.settings.get("numbers", range(width)))))


def _matrix(table: "Gathered") -> tuple[Any, Any]:
    from rosenblatt.records import Csr

    values, labels = table.block.values, _named(table)
    if isinstance(values, Csr):
        from scipy.sparse import csr_array

        return csr_array((values.values, values.indices, values.indptr), shape=values.shape), labels
    return values, labels


def _met(X: Any) -> Any:
    """Without the columns that no row has: they move no weight, and of hashed words they are nearly all."""
    import numpy as np

    return X[:, np.unique(X.indices)] if hasattr(X, "indices") else X


def _named(table: "Gathered") -> Any:
    """The labels themselves; numbers and words together as words."""
    import numpy as np

    classes = table.classes.tolist()
    alike = len({type(label) for label in classes}) == 1
    return np.array(classes if alike else list(map(str, classes)))[table.block.labels]


def _columns_to_draw(width: int, names: tuple[str, ...], asked: dict[str, Any]) -> tuple[int, int] | None:
    """The columns asked for; refused before anything is learned where they cannot be drawn."""
    columns = common.two_columns(asked["columns"], names, width)
    if columns is None and width != 2:
        raise UsageError(f"--plot draws two columns, and DATA has {width:,}: choose with --columns I,J.")
    return columns


def _draw(
    found: Any, X: Any, y: Any, columns: tuple[int, int] | None, names: tuple[str, ...], asked: dict[str, Any]
) -> None:
    from rosenblatt.report.figures import plot_comparison

    figure = plot_comparison(found, X, y, columns=columns, names=names or None, theme=asked["theme"] or "light")
    try:
        figure.savefig(asked["plot"], facecolor=figure.get_facecolor())
    except ValueError as error:
        raise UsageError(f"--plot {asked['plot']}: {error}.") from None
    common.say(f"figure: {asked['plot']}")
