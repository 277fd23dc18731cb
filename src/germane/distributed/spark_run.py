"""Runs that lie on Spark, and how to tell that one does: without Spark, and without what reads a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class SparkRun:
    """A frame that holds one run or, where its column of tags has several values, one run for each of them."""

    frame: Any
    path: str | None = None
    """Where it was read from."""
    has_text: bool = False
    """Its numbers are still text, as in a CSV file."""
    folder: str | None = None
    """The folder of runs that it lies in, where that was given."""


def is_spark_frame(data: object) -> bool:
    """Whether this is a data frame of Spark, be it classic or Connect; Spark itself is not imported for that.

    >>> is_spark_frame({"qid": ["q1"]})
    False
    """
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql") for kind in type(data).__mro__
    )


def lies_on_spark(data: object) -> bool:
    """Whether this is a run that lies on a cluster."""
    return isinstance(data, SparkRun) or is_spark_frame(data)
