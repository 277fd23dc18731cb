"""What retrieving gave: the run, and beside it what it cost. Times and sizes are measures too, and less is better.

In files, run and record each appear under their name only once they are complete.
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
    path = record_path(run_path)
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        found = record["germane_retrieval"]
        its_run = record["run"]["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        problem = "expected the record that `germane retrieve` writes, found something else"
        raise InputError(path, None, problem, hint=MEND) from None
    if found != VERSION:
        raise InputError(path, None, f"expected a record of version {VERSION}, found {found!r}", hint=MEND)
    require_checksum(record, path, "the record of a run", hint=MEND)
    if _sha256(run_path) != its_run:
        hint = f"the run was changed or replaced; {MEND}"
        raise InputError(path, None, f"the record belongs to another file than {run_path}", hint=hint)
    return record  # type: ignore[no-any-return]


def _sha256(path: str | Path) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Target:
    """A file to write a run to, looked at before the work: a name that cannot be used should not cost it."""

    path: str
    format: Format
    overwrite: bool = False

    @classmethod
    def of(cls, path: str | Path, *, overwrite: bool = False) -> Target:
        """The target at a path. A name without an ending, such as ``run.gz``, means TREC's format."""
        text = str(path)
        endings = [suffix[1:].lower() for suffix in Path(path).suffixes]
        has_own = any(ending not in COMPRESSIONS for ending in endings)
        entry = format_for(path, None, "run") if has_own else known_format("trec")
        if text != STDIN and not Path(path).parent.is_dir():
            raise InputError(path, None, f"expected a folder {str(Path(path).parent)!r} to put the run in, found none")
        target = cls(text, entry, overwrite)
        target._require_new()
        return target

    def _require_new(self) -> None:
        if not self.overwrite and self.path != STDIN:
            for path in (self.path, record_path(self.path)):
                require_new(path, hint="choose another name, or use `overwrite=True`")

    def accept_topics(self, topics: Iterable[str]) -> None:
        """Refuse ids of topics that the format cannot hold."""
        self.format.reject_ids({"query id": Ids.of(topics)})

    def accept(self, found: Ranked) -> None:
        """Refuse ids of documents that the format cannot hold, as soon as the first of them comes."""
        self.format.reject_ids({"document id": Ids.of(found.ids)})

    def write(self, retrieval: Retrieval, version: str) -> None:
        """Write the run, then its record; the record of a run on standard output is lost, as everybody expects."""
        if self.path == STDIN:
            self._write_run(retrieval)
            return
        # Of two processes, one after the other: otherwise the record of one might describe the run of the other.
        with only_writer(self.path):
            self._require_new()
            self._write_run(retrieval)
            with open_target(record_path(self.path)) as target:
                record = with_checksum(self._record(retrieval, version))
                text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
                target.write(text.encode("utf-8", "backslashreplace") + b"\n")

    def _write_run(self, retrieval: Retrieval) -> None:
        # Topics without documents have no line in most formats; evaluation takes what is missing for an empty ranking.
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
