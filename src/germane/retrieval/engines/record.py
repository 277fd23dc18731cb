"""What retrieving gave: the run, and beside it what it cost. Times and sizes are measures too, and less is better."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from germane.arguments import checked
from germane.errors import InputError
from germane.formats.files.json_text import require_checksum
from germane.tables.notes.note import Note
from germane.tables.rankings.run import Run
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

VERSION = 2
MEND = "retrieve again, or delete the record"
MEASURES = (F("measure", "name"), F("value", "count"), F("unit", "name"), F("better", "text"))
QUERIES = (F("query", "name"), F("documents", "count"), F("seconds", "value"))
ENDING = ".json"
"""After the whole name of the run's file: run.gz has its record in run.gz.json."""


@dataclass(frozen=True, eq=False)
class Retrieval(Result):
    """A run and how it came about.

    `seconds` has each topic that was asked; a topic without words was not. `wall_seconds` is how long all of them took
    together, with `threads` of them asked at a time. `topics` says which file, its sha256, and which part of it.
    """

    run: Run
    engine: Mapping[str, Any]
    k: int
    seconds: Mapping[str, float]
    wall_seconds: float
    threads: int
    topics: Mapping[str, Any]
    num_docs: int | None = None
    index_bytes: int | None = None
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "retrieve/1"
    fact_names: ClassVar[str] = "engine num_docs topics k threads"

    def tables(self) -> Iterator[Table]:
        """What it cost, then the size and the time of each topic's ranking."""
        costs = self.measures()
        times = {f"time per query, {key}": costs["time_per_query"][key] for key in ("mean", "median", "p95", "max")}
        rows = [{**costs["time_per_query"], "measure": name, "value": value} for name, value in times.items()]
        rows += [{**costs[key], "measure": key.replace("_", " ")} for key in ("queries_per_second", "index_size")]
        yield table("measures", MEASURES, rows)
        sizes = np.bincount(self.run.query, minlength=len(self.run.queries)).tolist()
        queries = [
            {"query": query, "documents": size, "seconds": self.seconds.get(query)}
            for query, size in zip(self.run.queries, sizes, strict=True)
        ]
        yield table("queries", QUERIES, queries)

    def document(self) -> dict[str, Any]:
        """How the run came about and what it cost, as in the record beside its file."""
        return {**self.facts(), "measures": self.measures()}

    @property
    def queries_per_second(self) -> float:
        """How many answers came in a second; NaN where nothing was asked."""
        return len(self.seconds) / self.wall_seconds if self.seconds and self.wall_seconds > 0 else float("nan")

    def seconds_at(self, percent: float) -> float:
        """The time within which so many percent of the queries were answered (linear between neighbours)."""
        return float(np.percentile(list(self.seconds.values()), percent)) if self.seconds else float("nan")

    def measures(self) -> dict[str, dict[str, Any]]:
        """What it cost, each with its unit and with the direction that is better; None where it is not known."""
        times = list(self.seconds.values())
        of_queries = {
            "mean": sum(times) / len(times) if times else None,
            "median": self.seconds_at(50) if times else None,
            "p95": self.seconds_at(95) if times else None,
            "max": max(times, default=None),
            "by_query": dict(self.seconds),
        }
        rate = self.queries_per_second if times and self.wall_seconds > 0 else None
        return {
            "time_per_query": {"unit": "s", "better": "lower", **of_queries},
            "queries_per_second": {"unit": "1/s", "better": "higher", "value": rate},
            "index_size": {"unit": "bytes", "better": "lower", "value": self.index_bytes},
        }

    def __repr__(self) -> str:
        return f"<retrieval: {self.run!r}, median {self.seconds_at(50) * 1000:.3g} ms per query>"


def record_path(run_path: str | Path) -> Path:
    """Where the record of a run lies.

    >>> record_path("runs/bm25.run.gz").name
    'bm25.run.gz.json'
    """
    path = Path(run_path)
    if not path.name:
        raise InputError("run", None, f"expected the name of a file, found {str(run_path)!r}")
    return path.with_name(path.name + ENDING)


@checked
def read_record(run_path: str | Path) -> dict[str, Any] | None:
    """The record beside a run; None where there is none. One that belongs to another file is an error."""
    import hashlib

    path = record_path(run_path)
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        found = record["germane_retrieval"]
        its_run = record["run"]["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            path, None, "expected the record that `germane retrieve` writes, found something else", hint=MEND
        ) from None
    if found != VERSION:
        raise InputError(path, None, f"expected a record of version {VERSION}, found {found!r}", hint=MEND)
    require_checksum(record, path, "the record of a run", hint=MEND)
    with Path(run_path).open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != its_run:
        hint = f"the run was changed or replaced; {MEND}"
        raise InputError(path, None, f"the record belongs to another file than {run_path}", hint=hint)
    return record  # type: ignore[no-any-return]
