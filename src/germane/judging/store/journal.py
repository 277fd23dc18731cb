"""A second copy of all events beside the database: JSON lines, readable without germane.

It is written after the commit and before the acknowledgement. What a crash kept out of it is added at the next start
(`catch_up`), and a line that a crash cut short is removed then: the database has that event. The two copies are
compared then, too, so that damage to one of them is noticed. Processes write one after the other; an event that one of
them catches up with while another is about to write it may be there twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from germane.errors import InputError
from germane.formats.file_lock import only_writer

MEND = "the journal is a copy of the events in the database: put it aside, and a new one is written"


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
        """Append those of all the events that are missing here; how many there were. One that differs is an error."""
        with only_writer(self.path):  # what another process is just writing is not a torn line
            self._remove_torn_line()
            missing = {str(event["event"]): event for event in events}
            known = dict(missing)
            for number, event in self._events():
                name = str(event["event"])
                if name in known and known[name] != event:
                    problem = (
                        f"expected event {name!r} as the database has it, found another: one of the two is damaged"
                    )
                    raise InputError(self.path, number, problem, hint=f"{MEND}; or go back to a backup of the database")
                missing.pop(name, None)
            if missing:
                self._append("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in missing.values()))
        return len(missing)

    def event_ids(self) -> Iterator[str]:
        """The ids of the events that are here."""
        return (str(event["event"]) for _, event in self._events())

    def _events(self) -> Iterator[tuple[int, Mapping[str, object]]]:
        """The events that are here, with the numbers of their lines."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    event = json.loads(line)
                    is_event = isinstance(event["event"], str)
                except (ValueError, LookupError, TypeError, RecursionError):
                    is_event = False
                if not is_event:
                    problem = "expected an event of the journal, found something else"
                    raise InputError(self.path, number, problem, hint=MEND)
                yield number, event

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
