"""The engines by name, and by the objects of the libraries that they adapt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.cluster.engine import Engine
from rosenblatt.errors import ParameterError, option


def _processes(address: str | None, client: Any) -> Engine:
    from rosenblatt.cluster.engines.processes import Processes

    if address is not None and not (address.isdecimal() and int(address) > 0):
        raise ParameterError(
            f"{option('on', f'processes:{address}')} must name a number of workers, such as processes:4."
        )
    return Processes(None if address is None else int(address))


def _dask(address: str | None, client: Any) -> Engine:
    from rosenblatt.cluster.engines.dask import Dask

    return Dask(address, client)


def _ray(address: str | None, client: Any) -> Engine:
    from rosenblatt.cluster.engines.ray import Ray

    return Ray(address)


def _spark(address: str | None, client: Any) -> Engine:
    from rosenblatt.cluster.engines.spark import Spark

    return Spark(address, client)


# By name: the function that makes an engine from an address, or from an existing client.
ENGINES: Mapping[str, Callable[[str | None, Any], Engine]] = {
    "processes": _processes,
    "dask": _dask,
    "ray": _ray,
    "spark": _spark,
}
_PACKAGES = {"distributed": "dask", "pyspark": "spark"}  # by the package of a client
_FRAMES = {"dask": "dask", "dask_expr": "dask", "pyspark": "spark", "ray": "ray"}  # by the package of a data frame


def is_frame(data: object) -> bool:
    """Whether an engine holds these rows: a Dask DataFrame or bag, a Spark DataFrame, a Ray Dataset."""
    return _package(data) in _FRAMES


def engine_for(data: Any, engine: object) -> object:
    """The given engine; by default the one that holds the data, or processes on this machine."""
    if engine is not None:
        return engine
    name = _FRAMES.get(_package(data), "processes")
    client = data.sparkSession if name == "spark" else _current_client() if name == "dask" else None
    return ENGINES[name](None, client)


def _current_client() -> Any:
    from distributed import get_client

    try:
        return get_client()
    except ValueError:
        return None  # Dask starts one


def _package(data: object) -> str:
    return type(data).__module__.partition(".")[0]


def open_engine(engine: Engine | str | object) -> Engine:
    """The engine for a name, with or without an address, or for a client; an engine itself is returned as it is."""
    if isinstance(engine, str):
        name, _, address = engine.partition(":")
        if name in ENGINES:
            return ENGINES[name](address.removeprefix("//") or None, None)
        raise ParameterError(
            f"{option('on', engine)} names no engine: use {', '.join(ENGINES)}, or one with its address, such as "
            "dask://host:8786."
        )
    package = _package(engine)
    if package in _PACKAGES:
        return ENGINES[_PACKAGES[package]](None, engine)
    if hasattr(engine, "in_order"):
        return engine  # type: ignore[return-value]
    raise ParameterError(
        f"An engine is a name ({', '.join(ENGINES)}), a client of one, or an object with in_order. Got "
        f"{type(engine).__name__} instead."
    )
