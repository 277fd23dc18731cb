"""A session of Spark, and what goes between driver and cluster: what every task needs goes there once, small tables
come back.
"""

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


@contextmanager
def broadcast(frame: Any, value: Any) -> Iterator[Any]:
    """The value, sent to each executor once; with Connect, which cannot do that, it travels with the function."""
    session = frame.sparkSession
    if type(session).__module__.startswith("pyspark.sql.connect"):
        yield value
        return
    sent = session.sparkContext.broadcast(value)
    try:
        yield sent
    finally:
        sent.destroy()


def collected(frame: Any) -> Any:
    """The rows of a small frame as an Arrow table. What goes wrong on the cluster is an error of ours, in one line."""
    from pyspark.errors import PySparkException

    try:
        return frame.toArrow()
    except PySparkException as error:
        reason = _reason(str(error).partition("JVM stacktrace")[0])
        if reason.startswith("ModuleNotFoundError"):
            hint = "install germane and pyarrow where the executors run; PYSPARK_PYTHON says which Python that is"
            raise GermaneError(f"the executors lack a library: {reason}", hint=hint) from error
        raise GermaneError(f"Spark could not do it: {reason}") from error


def _reason(text: str) -> str:
    """The line that says what is wrong: the last one of a Python traceback, or else the first.

    >>> _reason("An exception was thrown:\\nTraceback (most recent call last):\\n  File ...\\nValueError: no")
    'ValueError: no'
    """
    lines = [line for line in text.splitlines() if line.strip()] or ["no reason was given"]
    return lines[-1 if any(line.startswith("Traceback") for line in lines) else 0]
