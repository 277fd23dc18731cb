"""Runs on Spark, and how to recognise one: without importing Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class SparkRun:
    """A frame with one run or, if its tag column has several values, one run for each of them."""

    frame: Any
    path: str | None = None
    """Path it was read from."""
    has_text: bool = False
    """Whether its numbers are still text, as in a CSV file."""
    folder: str | None = None
    """Folder of runs that it belongs to, if one was given."""


def is_spark_frame(data: object) -> bool:
    """Whether this is a Spark data frame, classic or Connect; Spark itself is not imported.

    >>> is_spark_frame({"qid": ["q1"]})
    False
    """
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql") for kind in type(data).__mro__
    )


def lies_on_spark(data: object) -> bool:
    """Whether this is a run on a cluster."""
    return isinstance(data, SparkRun) or is_spark_frame(data)
