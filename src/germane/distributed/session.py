"""A session of Spark for one command: the one that is there, or one of its own that is stopped afterwards."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, MissingExtraError

LOCAL = "local"


@contextmanager
def spark_session(master: str | None = None) -> Iterator[Any]:
    """A session with this master; without one, as Spark is configured, which is all cores of this machine by default.

    Its log is quiet; where standard error is a terminal, Spark shows there how far it is.
    """
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("evaluating on Spark", "spark") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        if master is not None and active.conf.get("spark.master", master) != master:
            found = active.conf.get("spark.master")
            raise GermaneError(f"expected no session of Spark, or one with master {master}, found one with {found}")
        yield active
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        try:
            session = _new_session(SparkSession.builder, master)
        except PySparkException as error:
            reason = str(error).splitlines()[0]
            hint = "Spark needs Java, 17 for Spark 4: is it on the path, or in JAVA_HOME? Does the master exist?"
            raise GermaneError(f"no session of Spark could be started: {reason}", hint=hint) from error
        try:
            session.sparkContext.setLogLevel("OFF")
            yield session
        finally:
            session.stop()


def _new_session(builder: Any, master: str | None) -> Any:
    # Executors on this machine run what this process runs; those elsewhere have a Python and a germane of their own.
    if master is None or master.startswith(LOCAL):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        folder = str(Path(__file__).parents[2])
        builder = builder.config("spark.executorEnv.PYTHONPATH", folder)
    if master is not None:
        builder = builder.master(master)
    shown = "true" if sys.stderr.isatty() else "false"
    settings = {"spark.log.level": "OFF", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": shown}
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.appName("germane").getOrCreate()
