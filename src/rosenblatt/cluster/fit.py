"""`fit`: `fit_file` with its reading done by the workers of an engine."""

from __future__ import annotations

from typing import Any

from rosenblatt import options
from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.engines.choose_engine import engine_for, open_engine
from rosenblatt.cluster.open_data import open_data
from rosenblatt.errors import ParameterError, option
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file, plan_of_call
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.source import ReadOptions

_ONE_MACHINE = {
    "from_": "continues learning from a model",
    "keep_cache": "stores what is read next to the file",
}


def fit(
    data: Paths | Any,
    engine: Engine | str | object = None,
    *,
    shards: int | None = None,
    reading: ReadOptions | None = None,
    **learning: Any,
) -> Fitted:
    """Learn examples that the workers of an engine read: the model of `fit_file`, bit for bit.

    Workers read, parse, hash and pack; one learner receives the packed rows in the order of the files, a bounded number
    at a time. So the result is that of one machine, for any engine and any number of workers, even if some of them die.

    Parameters
    ----------
    data : path, or several, or a data frame of an engine
        Files as in `fit_file`, which must have the same paths on every worker. Or a Dask DataFrame, a Dask bag of
        dicts, a Spark DataFrame or a Ray Dataset, whose rows are learned in the order of its partitions.
    engine : str or object
        'processes' (on this machine), 'dask', 'dask://host:port', 'ray', 'ray://host:port', 'spark' or
        'spark://host:port'; a Dask `Client`, a `SparkSession`, or any object with `in_order`. By default the engine
        that holds the data, or processes on this machine.
    shards : int, optional
        If one learner is too slow: divide the examples into this many shards, which workers learn separately; their
        weights are mixed after each pass, and logistic regression is then polished over all shards. The result
        depends on the number of shards, but not on that of the workers.
    reading : ReadOptions, optional
        How to read the data; by default found from their names and content.
    **learning
        The parameters of `fit_file`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "and.svm"
    ...     _ = file.write_text("0 1:0 2:0\\n0 2:1\\n0 1:1\\n1 1:1 2:1\\n")
    ...     fitted = fit(file, "processes:1", rule="perceptron", passes=20)
    >>> fitted.status, fitted.rows
    ('separated', 4)
    """
    for name, what in _ONE_MACHINE.items():
        if learning.get(name) not in (None, False):
            raise ParameterError(
                f"{option(name)} {what}, which engines do not support yet: leave it or the engine out."
            )
    if shards is not None and (learning.get("resume") or learning.get("forget")):
        raise ParameterError(
            f"{option('resume')} and {option('forget')} need one learner: leave them or {option('shards')} out."
        )
    decided = (reading or ReadOptions())._replace(decide=True)
    with open_engine(engine_for(data, engine)) as running:
        source = open_data(data, decided, running)
        if shards is None:
            return fit_file(source, reading=reading, **learning)
        from rosenblatt.cluster.mix.fit import fit_mixed

        options.shards.check(shards, "fit")
        return fit_mixed(source, plan_of_call(reading, **learning), running, shards, learning.get("test"))
