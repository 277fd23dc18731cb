"""Runs on Spark, and how to recognise one: without importing Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note

if TYPE_CHECKING:
    from germane.types import SparkFrame


@dataclass(frozen=True, eq=False)
class SparkRun:
    """A frame with one run or, if its tag column has several values, one run for each of them."""

    frame: SparkFrame
    path: str | None = None
    """Path it was read from."""
    has_text: bool = False
    """Whether its numbers are still text, as in a CSV file."""
    folder: str | None = None
    """Folder of runs that it belongs to, if one was given."""


@dataclass(frozen=True, eq=False)
class FusedFrame(SparkRun):
    """A fused run on Spark: `frame` has its rows (qid, docno, score, rank, tag), computed when they are used.

    It is a run like any other. `notes` and counts are known, since the fusion has been checked.
    """

    tag: str = ""
    notes: tuple[Note, ...] = ()
    num_queries: int = 0
    num_docs: int = 0

    def __repr__(self) -> str:
        return f"<{self.tag} on Spark: {counted(self.num_queries, 'query')}, {counted(self.num_docs, 'document')}>"


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
