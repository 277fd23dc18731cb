"""A run in its file and its record beside it: each appears under its name only once it is complete."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from germane.errors import InputError
from germane.formats.files.file_lock import only_writer
from germane.formats.files.json_text import with_checksum
from germane.formats.files.sources import COMPRESSIONS, STDIN
from germane.formats.files.targets import open_target, require_new
from germane.formats.rankings.detect import known_format
from germane.formats.rankings.entry import Format
from germane.formats.rankings.ranking_files import format_for, write_run
from germane.retrieval.engines.protocol import Ranked
from germane.retrieval.engines.record import VERSION, Retrieval, record_path
from germane.tables.columns.ids import Ids


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
        with Path(self.path).open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        sizes = np.bincount(run.query, minlength=len(run.queries))
        empty = [run.queries[int(place)] for place in np.flatnonzero(sizes == 0)]
        return {
            "germane_retrieval": VERSION,
            "germane": version,
            "run": {
                "file": Path(self.path).name,
                "format": self.format.name,
                "sha256": sha256,
                "tag": run.tag,
                "topics": len(run.queries),
                "documents": len(run.docs),
                "empty": empty,
            },
            **retrieval.document(),
            "notes": [{"code": note.code, "message": note.message, "count": note.count} for note in retrieval.notes],
        }
