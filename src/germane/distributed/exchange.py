"""Between driver and cluster: what every task needs goes there once, small tables come back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from germane.errors import GermaneError


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
