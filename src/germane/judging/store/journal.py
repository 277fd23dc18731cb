"""A second copy of all events beside the database: JSON lines, readable without germane.

It is written after the commit and before the acknowledgement. What a crash kept out of it is added at the next start
(`catch_up`), and a line that a crash cut short is removed then: the database has that event. The two copies are
compared then, too, so that damage to one of them is noticed. Processes write one after the other; an event that one of
them catches up with while another is about to write it may be there twice.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from germane.errors import InputError
from germane.formats.files.file_lock import only_writer

MEND = "move this file away; germane writes a new one from the database"


class Journal:
    """An append-only file of events."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._waiting = threading.local()

    def add(self, events: Iterable[Mapping[str, object]]) -> None:
        """Append events and wait until they are on disk; inside `later`, keep them until it ends."""
        lines = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
        waiting: list[str] | None = getattr(self._waiting, "lines", None)
        if waiting is not None:
            waiting.append(lines)
        elif lines:
            with only_writer(self.path):
                self._append(lines)

    @contextmanager
    def later(self) -> Iterator[None]:
        """Append what this thread adds inside at once when the block ends without an error, with one wait for the
        disk; drop it otherwise."""
        waiting = self._waiting.lines = []
        try:
            yield
        finally:
            self._waiting.lines = None
        if lines := "".join(waiting):
            with only_writer(self.path):
                self._append(lines)

    def _append(self, lines: str) -> None:
        with self.path.open("ab", buffering=0) as file:
            end, rest = file.seek(0, os.SEEK_END), memoryview(lines.encode())
            try:
                while rest:  # a disk that is nearly full takes a part, and says nothing
                    rest = rest[file.write(rest) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)  # the next event must not continue half a line
                raise

    def catch_up(self, events: Iterable[Mapping[str, object]]) -> int:
        """Append the missing ones of all events and return their number. An event that differs is an error."""
        with only_writer(self.path):  # what another process is just writing is not a torn line
            self._remove_torn_line()
            here: dict[str, tuple[int, int]] = {}
            for number, name, mark in self.events():
                if here.setdefault(name, (number, mark))[1] != mark:
                    raise self._differs(number, name)
            missing = []
            for event in events:
                name = str(event["event"])
                if name not in here:
                    missing.append(json.dumps(event, ensure_ascii=False) + "\n")
                elif here[name][1] != _mark(event):
                    raise self._differs(here[name][0], name)
            if missing:
                self._append("".join(missing))
        return len(missing)

    def events(self) -> Iterator[tuple[int, str, int]]:
        """Yield the line, the id and a fingerprint of each event in the journal."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    event = json.loads(line)
                    name, mark = event["event"], _mark(event)
                except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                    name, mark = None, 0
                if not isinstance(name, str):
                    problem = "this line is not an event of the journal"
                    raise InputError(self.path, number, problem, hint=MEND)
                yield number, name, mark

    def _differs(self, line: int, name: str) -> InputError:
        problem = f"event {name!r} differs from the one in the database; one of them is damaged"
        return InputError(self.path, line, problem, hint=f"restore the database from a backup, or {MEND}")

    def _remove_torn_line(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb+") as file:
            end = file.seek(0, os.SEEK_END)
            cut = -1
            while end > 0 and cut < 0:
                start = max(0, end - 65536)
                file.seek(start)
                cut = file.read(end - start).rfind(b"\n")
                end = start + cut + 1
            file.truncate(end)


def _mark(event: Mapping[str, object]) -> int:
    """Return a fingerprint that is equal for equal events, to compare many events in little memory."""
    return hash(frozenset(event.items()))
