"""`rosenblatt compare`: the perceptron and its relatives on the same folds."""

from typing import Any

from rosenblatt import options
from rosenblatt.cli.output import write_json, write_lines
from rosenblatt.cli.parameters import data_argument, option, output_options, reading_options, sectioned_command
from rosenblatt.cli.plot_option import check_picture, check_two_columns, column_names, save_plot, two_columns
from rosenblatt.readers.source import ReadOptions


@sectioned_command(
    "compare",
    "rosenblatt compare people.csv --label income --scale",
    "rosenblatt compare points.csv --plot lines.png --no-questions",
)
@data_argument
@option(options.folds)
@option(options.trace_passes)
@option(options.max_rows)
@option(options.seed)
@option(options.questions)
@option(options.plot)
@option(options.columns, metavar="I,J")
@option(options.theme)
@reading_options
@output_options
def command(
    data: str,
    reading: ReadOptions,
    plot: str | None,
    columns: str | None,
    theme: str | None,
    passes: int,
    seed: int,
    as_json: bool,
    **settings: Any,
) -> None:
    """Learn DATA by every method on the same folds: the perceptron with each of its answers, Adaline, the logistic
    unit, the widest separator, LogisticRegression and LinearSVC. One table: test error with its 95% interval, training
    margin, time, and whether it converged and why; then six questions answered by measuring.
    """
    from rosenblatt.comparison.compare import compare, record_of
    from rosenblatt.comparison.read_examples import read_table
    from rosenblatt.report.text.comparison import comparison_lines
    from rosenblatt.report.text.layout import terminal_width

    check_picture(plot, data)
    table = read_table(data, reading, all_columns=plot is not None)
    names = column_names(table.space.columns, table.X.shape[1])
    drawn = None
    if plot is not None:
        drawn = two_columns(columns, names or (), table.X.shape[1])
        check_two_columns(drawn, table.X.shape[1])
    scale = table.number_columns if reading.scale else ()
    comparison = compare(table.X, table.y, scale=scale, max_iter=passes, random_state=seed, **settings)
    if as_json:
        write_json({"data": data, **record_of(comparison)})
    else:
        write_lines(comparison_lines(comparison, max(terminal_width(), 90)))
    if plot is not None:  # last: the measurements are not lost if the figure cannot be written
        from rosenblatt.report.figures import plot_comparison

        figure = plot_comparison(comparison, table.X, table.y, columns=drawn, names=names, theme=theme or "light")
        save_plot(figure, plot)
