"""`fit`: `fit_file` with its reading done by the workers of an engine."""

from __future__ import annotations

from typing import Any

from rosenblatt import options
from rosenblatt.cluster.engine import Engine
from rosenblatt.cluster.engines.registry import engine_for, open_engine
from rosenblatt.cluster.open_data import open_data
from rosenblatt.errors import ParameterError, option
from rosenblatt.model.fit.fitted import Fitted
from rosenblatt.model.fit_file import fit_file, plan_of_call
from rosenblatt.readers.inputs.input_file import Paths
from rosenblatt.readers.source import ReadOptions

_ONE_MACHINE = {
    "from_": "learns on from a model",
    "keep_cache": "keeps what is read beside the file",
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

    Workers read, parse, hash and pack; the packed rows arrive in the order of the files, a bounded number at a time, at
    one learner. So the answer is that of one machine, for any engine, any number of workers, and whichever of them die.

    Parameters
    ----------
    data : path, or several, or a data frame of an engine
        Files as in `fit_file`; every worker must see the same ones under the same names. Or a Dask DataFrame, a Dask
        bag of dicts, a Spark DataFrame, a Ray Dataset: its rows in the order of its partitions.
    engine : str or object
        May be left out where the data live in one. Else
        'processes' (of this machine), 'dask', 'dask://host:port', 'ray', 'ray://host:port', 'spark', or 'spark://host:port';
        or a Dask `Client`, a `SparkSession`, or whatever has `in_order`.
    shards : int, optional
        Where one learner is too slow: the examples are divided over so many shards, which workers learn apart; their
        weights are mixed after each pass, and logistic regression is polished over all of them. The bits depend on the
        number of shards, and on that of the workers they do not.
    reading : ReadOptions, optional
        How to read, where the file does not tell.
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
            raise ParameterError(f"{option(name)} {what}, which an engine does not do yet: leave one of them out.")
    if shards is not None and (learning.get("resume") or learning.get("forget")):
        raise ParameterError(
            f"{option('resume')} and {option('forget')} are for one learner: leave them, or {option('shards')}, out."
        )
    decided = (reading or ReadOptions())._replace(decide=True)
    with open_engine(engine_for(data, engine)) as running:
        source = open_data(data, decided, running)
        if shards is None:
            return fit_file(source, reading=reading, **learning)
        from rosenblatt.cluster.mix.fit import fit_mixed

        options.shards.check(shards, "fit")
        return fit_mixed(source, plan_of_call(reading, **learning), running, shards, learning.get("test"))
