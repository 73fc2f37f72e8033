"""Engines that are started because the program has none: a cluster of Dask, a Ray, a session of Spark."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

from rosenblatt.available_cores import core_count
from rosenblatt.cluster.engines.child_processes import without_main_module
from rosenblatt.cluster.engines.reachable import refuse_unreachable
from rosenblatt.errors import DataError

_PATIENCE = 10  # seconds that a scheduler of Dask may take to answer
_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
# Dask makes its workers give memory back to the system after each piece. The next piece needs as much: without this
# setting a quarter of their time goes into page faults.
_GIVES_MEMORY_BACK = "MALLOC_TRIM_THRESHOLD_"
_PROFILE = "distributed.worker.profile.enabled"  # which samples the workers' stacks, for a page that is not served
_ATTEMPTS = 4  # of a task of Spark; the default on a cluster, but not for a local master


def start_dask() -> Any:
    """A cluster on this machine."""
    import dask
    from distributed import LocalCluster

    environment = dict(dask.config.get(_ENVIRONMENT, {}))
    environment.pop(_GIVES_MEMORY_BACK, None)
    free_port = "127.0.0.1:0"  # Dask serves its state over HTTP; its usual port may be taken
    try:
        with dask.config.set({_ENVIRONMENT: environment, _PROFILE: False}), without_main_module():
            return LocalCluster(
                n_workers=core_count(),
                threads_per_worker=1,
                dashboard_address=free_port,
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.ERROR,
            )
    except RuntimeError as error:
        raise DataError(f"dask: no workers could be started on this machine: {error}") from error


def connect_dask(cluster: Any, address: str | None) -> Any:
    """A client of a cluster on this machine, or of the scheduler at an address."""
    from distributed import Client

    try:
        return Client(cluster or f"tcp://{address}", timeout=_PATIENCE)
    except OSError as error:
        raise DataError(f"dask://{address}: no scheduler answers at this address: {error}.") from None


def start_ray(address: str | None) -> None:
    """Ray on this machine, or a connection to the one at an address."""
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        ray.init(num_cpus=core_count(), include_dashboard=False, **quiet)
        return
    refuse_unreachable("ray", address)
    try:
        ray.init(f"ray://{address}", **quiet)
    except ConnectionError as error:
        raise DataError(f"ray://{address}: no Ray answers at this address: {error}.") from None


def start_spark(address: str | None) -> Any:
    """A session on this machine, or of the master at an address."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("rosenblatt").config("spark.ui.showConsoleProgress", "false")
    if address is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the default is the python3 of the system
        builder = builder.master(f"local[{core_count()},{_ATTEMPTS}]").config("spark.log.level", "OFF")
    else:
        refuse_unreachable("spark", address)
        builder = builder.master(f"spark://{address}")
    try:
        return builder.getOrCreate()
    except Exception as error:  # from py4j, pyspark or, without Java, another package
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise DataError(f"spark: no session could be started: {reason}. Is there a Java runtime?") from error
