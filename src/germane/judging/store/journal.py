"""A second copy of all events beside the database: JSON lines, readable without germane.

It is written after the commit and before the acknowledgement. What a crash kept out of it is added at the next start
(`catch_up`), and a line that a crash cut short is removed then: the database has that event. Processes write one after
the other; an event that one of them catches up with while another is about to write it may be there twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from germane.errors import InputError
from germane.formats.file_lock import only_writer


class Journal:
    """An append-only file of events."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, events: Iterable[Mapping[str, object]]) -> None:
        """Append events and wait until the disk has them."""
        lines = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
        if lines:
            with only_writer(self.path):
                self._append(lines)

    def _append(self, lines: str) -> None:
        with self.path.open("ab", buffering=0) as file:
            file.write(lines.encode())
            os.fsync(file.fileno())

    def catch_up(self, events: Iterable[Mapping[str, object]]) -> int:
        """Append those of all the events that are missing here; how many there were."""
        with only_writer(self.path):  # what another process is just writing is not a torn line
            self._remove_torn_line()
            known = set(self.event_ids())
            missing = [json.dumps(event, ensure_ascii=False) + "\n" for event in events if event["event"] not in known]
            if missing:
                self._append("".join(missing))
        return len(missing)

    def event_ids(self) -> Iterator[str]:
        """The ids of the events that are here."""
        if self.path.exists():
            with self.path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    yield self._event_id(number, line)

    def _event_id(self, number: int, line: bytes) -> str:
        try:
            event = json.loads(line)["event"]
        except (ValueError, LookupError, TypeError, RecursionError):
            event = None
        if not isinstance(event, str):
            hint = "it is a copy of the events in the database: put it aside, and a new one is written"
            raise InputError(self.path, number, "expected an event of the journal, found something else", hint=hint)
        return event

    def _remove_torn_line(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            end = size
            while end > 0:
                start = max(0, end - 65536)
                file.seek(start)
                cut = file.read(end - start).rfind(b"\n")
                if cut >= 0:
                    end = start + cut + 1
                    break
                end = start
            if end < size:
                file.truncate(end)
