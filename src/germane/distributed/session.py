"""A Spark session, and transfers between driver and cluster: task data is sent once, small tables come back."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, MissingExtraError

LOCAL = "local"
ERROR_CLASS = re.compile(r"\[[A-Z][A-Z0-9_.]+\] .*")
CAUSE = re.compile(r"^(?:Caused by)?: [\w.$]+: (.*)", re.MULTILINE)
"""How Spark and Java write the problem in a stack trace."""


@contextmanager
def spark_session(master: str | None = None) -> Iterator[Any]:
    """Yield a session with this master, or as Spark is configured (by default, all local cores).

    Its log is off; if standard error is a terminal, Spark shows its progress there.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("evaluating on Spark", "spark") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        if master is not None and active.conf.get("spark.master", master) != master:
            found = active.conf.get("spark.master")
            problem = f"expected a Spark session with master {master}, found an active one with {found}"
            raise GermaneError(problem, hint="stop the active session, or remove `master=`")
        yield active
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        try:
            session = _new_session(SparkSession.builder, master)
        except failures() as error:
            hint = "install Java (17 for Spark 4) on the PATH or in JAVA_HOME, and check the master"
            raise GermaneError(f"could not start a Spark session: {reason_of(error)}", hint=hint) from error
        try:
            session.sparkContext.setLogLevel("OFF")
            yield session
        finally:
            session.stop()


def _new_session(builder: Any, master: str | None) -> Any:
    # Local executors use this Python; others have their own Python and germane.
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


def active_session() -> Any:
    """Return the active session of this thread, or the default one; an error if there is none."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError("a Spark data frame", "spark") from None
    try:
        return SparkSession.active()
    except PySparkException as error:
        hint = "start one first: SparkSession.builder.getOrCreate()"
        raise GermaneError("expected an active Spark session, found none", hint=hint) from error


def frame_of_arrow(table: Any) -> Any:
    """Return a small Arrow table as a data frame of the active session."""
    import pyarrow as pa

    session = active_session()
    # Spark cannot store columns without a type: these are lists that are all missing.
    fields = [
        field.with_type(pa.list_(pa.string())) if pa.types.is_null(field.type) else field for field in table.schema
    ]
    return session.createDataFrame(table.cast(pa.schema(fields)))


def is_connect(frame: Any) -> bool:
    """Whether a frame or a session is one of Spark Connect, which has no Spark context."""
    return type(frame).__module__.startswith("pyspark.sql.connect")


@contextmanager
def broadcast(frame: Any, value: Any) -> Iterator[Any]:
    """Yield the value, broadcast to each executor once; with Spark Connect, it travels with the function."""
    if is_connect(frame):
        yield value
        return
    sent = frame.sparkSession.sparkContext.broadcast(value)
    try:
        yield sent
    finally:
        sent.destroy()


def collected(frame: Any) -> Any:
    """Return the rows of a small frame as an Arrow table."""
    with clear_failures():
        return frame.toArrow()


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that Spark raises: its own, and those of Java where Spark runs in it."""
    from pyspark.errors import PySparkException

    return PySparkException, getattr(sys.modules.get("py4j.protocol"), "Py4JJavaError", PySparkException)


@contextmanager
def clear_failures() -> Iterator[None]:
    """Turn a failure on the cluster into a one-line error."""
    try:
        yield
    except failures() as error:
        reason = reason_of(error)
        if reason.startswith("ModuleNotFoundError"):
            hint = "install germane and pyarrow for the Python of the executors, set by PYSPARK_PYTHON"
            raise GermaneError(f"the executors are missing a library: {reason}", hint=hint) from error
        raise GermaneError(f"Spark job failed: {reason}") from error


def reason_of(error: Exception) -> str:
    """Return the line that states the problem: the last of a Python traceback, or that of Spark with the first cause.

    >>> python = "An exception was thrown:\\nTraceback (most recent call last):\\n  File ...\\nValueError: no"
    >>> java = "Error in o3.load.\\n: java.io.Gone: no x\\n\\tat A.b"
    >>> spark = "Error in o3.load.\\n: a.B: [IO] cannot read\\n\\tat A.b\\nCaused by: java.io.Gone: no x"
    >>> [reason_of(Exception(text)) for text in (python, java, spark)]
    ['ValueError: no', 'no x', '[IO] cannot read (no x)']
    """
    text = str(error).partition("JVM stacktrace")[0]
    lines = [line for line in text.splitlines() if line.strip()] or ["no reason given"]
    if any(line.startswith("Traceback") for line in lines):
        return lines[-1]
    found = ERROR_CLASS.findall(text)[:1] + CAUSE.findall(text)[-1:]
    problem, *cause = dict.fromkeys(each.partition(" SQLSTATE:")[0].strip() for each in found or lines[:1])
    return f"{problem} ({cause[0]})" if cause else problem
