"""A retrieval result: the run, and the record of its costs (time and size, where lower is better).

The run's file and its record each appear under their final names only when complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from germane.arguments import checked
from germane.errors import InputError
from germane.formats.files.addresses import place
from germane.formats.files.file_lock import only_writer
from germane.formats.files.json_text import require_checksum, with_checksum
from germane.formats.files.sources import COMPRESSIONS, STDIN
from germane.formats.files.targets import open_target, require_new
from germane.formats.rankings.detect import known_format
from germane.formats.rankings.entry import Format
from germane.formats.rankings.ranking_files import format_for, write_run
from germane.retrieval.engines.protocol import Ranked
from germane.tables.columns.ids import Ids
from germane.tables.notes.note import Note
from germane.tables.rankings.run import Run
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

VERSION = 2
MEND = "retrieve again, or delete the record"
MEASURES = (F("measure", "name"), F("value", "count"), F("unit", "name"), F("better", "text"))
QUERIES = (F("query", "name"), F("documents", "count"), F("seconds", "value"))
ENDING = ".json"
"""Appended to the run's full file name: the record of run.gz is run.gz.json."""


@dataclass(frozen=True, eq=False)
class Retrieval(Result):
    """A run and how it was retrieved.

    `seconds` has the time of each query that was sent; a query without text is not sent. `wall_seconds` is the elapsed
    time of all queries, with `threads` at a time. `topics` has the file, its SHA-256 and the field used.
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
        """Return the costs, then size and time of each query's ranking."""
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
        """Return how the run was retrieved and what it cost, as in the record beside its file."""
        return {**self.facts(), "measures": self.measures()}

    @property
    def queries_per_second(self) -> float:
        """Queries answered per second of elapsed time; NaN if none was sent."""
        return len(self.seconds) / self.wall_seconds if self.seconds and self.wall_seconds > 0 else float("nan")

    def seconds_at(self, percent: float) -> float:
        """Return a percentile of the time per query, in seconds (linear interpolation)."""
        return float(np.percentile(list(self.seconds.values()), percent)) if self.seconds else float("nan")

    def measures(self) -> dict[str, dict[str, Any]]:
        """Return time and size with unit and better direction; None where unknown."""
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
    """Return the path of a run's record.

    >>> record_path("runs/bm25.run.gz").name
    'bm25.run.gz.json'
    """
    path = Path(run_path)
    if not path.name:
        raise InputError("run", None, f"expected a file name, found {str(run_path)!r}")
    return path.with_name(path.name + ENDING)


@checked
def read_record(run_path: str | Path) -> dict[str, Any] | None:
    """Read the record beside a run, or return None; a record that belongs to another file is an error."""
    path = record_path(run_path)
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        found = record["germane_retrieval"]
        its_run = record["run"]["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        problem = "expected a record written by `germane retrieve`, found something else"
        raise InputError(path, None, problem, hint=MEND) from None
    if found != VERSION:
        raise InputError(path, None, f"expected a record of version {VERSION}, found {found!r}", hint=MEND)
    require_checksum(record, path, "the record of a run", hint=MEND)
    if _sha256(run_path) != its_run:
        hint = f"the run was changed or replaced; {MEND}"
        raise InputError(path, None, f"the record does not match {run_path}", hint=hint)
    return record  # type: ignore[no-any-return]


def _sha256(path: str | Path) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Target:
    """A file to write a run to, validated before retrieval starts, so that a bad name fails early."""

    path: str
    format: Format
    overwrite: bool = False

    @classmethod
    def of(cls, path: str | Path, *, overwrite: bool = False) -> Target:
        """Return the target at a path. A name without a format extension, such as ``run.gz``, means TREC format."""
        text = str(path)
        endings = [suffix[1:].lower() for suffix in Path(path).suffixes]
        has_own = any(ending not in COMPRESSIONS for ending in endings)
        entry = format_for(path, None, "run") if has_own else known_format("trec")
        where = place(path)
        if text != STDIN and isinstance(where, Path) and not where.parent.is_dir():
            raise InputError(
                path, None, f"no such folder: {str(where.parent)!r}", hint="create it, or choose another path"
            )
        target = cls(text, entry, overwrite)
        target._require_new()
        return target

    def _require_new(self) -> None:
        if not self.overwrite and self.path != STDIN:
            for path in (self.path, record_path(self.path)):
                require_new(path, hint="choose another name, or use `overwrite=True`")

    def accept_topics(self, topics: Iterable[str]) -> None:
        """Reject query ids that the format cannot hold."""
        self.format.reject_ids({"query id": Ids.of(topics)})

    def accept(self, found: Ranked) -> None:
        """Reject document ids that the format cannot hold, on the first answer that has one."""
        self.format.reject_ids({"document id": Ids.of(found.ids)})

    def write(self, retrieval: Retrieval, version: str) -> None:
        """Write the run, then its record; a run on standard output has no record."""
        if self.path == STDIN:
            self._write_run(retrieval)
            return
        # One process at a time, or the record of one might describe the run of another.
        with only_writer(self.path):
            self._require_new()
            self._write_run(retrieval)
            with open_target(record_path(self.path)) as target:
                record = with_checksum(self._record(retrieval, version))
                text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
                target.write(text.encode("utf-8", "backslashreplace") + b"\n")

    def _write_run(self, retrieval: Retrieval) -> None:
        # Most formats have no line for a query without documents; evaluation scores it as an empty ranking.
        write_run(retrieval.run, self.path, self.format.name, lossy=True)

    def _record(self, retrieval: Retrieval, version: str) -> dict[str, Any]:
        run = retrieval.run
        sizes = np.bincount(run.query, minlength=len(run.queries))
        empty = [run.queries[int(place)] for place in np.flatnonzero(sizes == 0)]
        return {
            "germane_retrieval": VERSION,
            "germane": version,
            "run": {
                "file": Path(self.path).name,
                "format": self.format.name,
                "sha256": _sha256(self.path),
                "tag": run.tag,
                "topics": len(run.queries),
                "documents": len(run.docs),
                "empty": empty,
            },
            **retrieval.document(),
            "notes": [{"code": note.code, "message": note.message, "count": note.count} for note in retrieval.notes],
        }
