"""Report how far long work has come. Readers and loops report steps here; a command on a terminal shows them.

Whoever opens a file with `open_counted` (all text readers do) or counts units of work reports, and knows nothing of
terminals. Nobody listens to a library call, and then reporting costs nothing.

>>> with listening() as steps, step("resamples", total=2_000) as drawing:
...     drawing.advance(500)
...     [str(each) for each in steps.open()]
['resamples 500/2,000']
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, BinaryIO

_lock = RLock()  # the garbage collector may close a file, and so end its step, in a thread that holds the lock


class Step:
    """A part of the work: what is done, how much of it is done and, if known, of how much."""

    def __init__(self, what: str, total: int | None = None, *, in_bytes: bool = False) -> None:
        self.what, self.total, self.done, self.in_bytes = what, total, 0, in_bytes
        self.begin = self.moved = time.monotonic()

    def __str__(self) -> str:
        return self.what if self.in_bytes or not self.total else f"{self.what} {self.done:,}/{self.total:,}"

    @property
    def share(self) -> float | None:
        """The share that is done, if the total is known and not yet reached."""
        return self.done / self.total if self.total and self.done < self.total else None

    def advance(self, count: int = 1) -> None:
        """Count more units as done; from any thread."""
        with _lock:
            self.done += count
            self.moved = time.monotonic()

    def reach(self, done: int, total: int | None) -> None:
        """Set what is done, and the total."""
        self.done, self.total = done, total


class Steps:
    """The open steps, in the order in which they began."""

    def __init__(self) -> None:
        self.on_stop: Callable[[], None] = lambda: None
        self._open: list[Step] = []
        self._files: dict[str, tuple[Step, int]] = {}

    def open(self) -> list[Step]:
        """Return the steps under way, outermost first."""
        with _lock:
            return list(self._open)

    def begin(self, step: Step) -> None:
        with _lock:
            self._open.append(step)

    def end(self, step: Step) -> None:
        with _lock:
            self._open.remove(step)

    def begin_file(self, path: str, size: int) -> Step:
        """Return the step of a file; parts of a file that are read at the same time share it."""
        with _lock:
            step, readers = self._files.get(path) or (Step(f"reading {Path(path).name}", size, in_bytes=True), 0)
            if not readers:
                self._open.append(step)
            self._files[path] = step, readers + 1
            return step

    def end_file(self, path: str) -> None:
        with _lock:
            step, readers = self._files.pop(path)
            if readers > 1:
                self._files[path] = step, readers - 1
            else:
                self._open.remove(step)


_listeners: list[Steps] = []
"""Those who listen; only the last of them hears of new steps."""


@contextmanager
def listening(steps: Steps | None = None) -> Iterator[Steps]:
    """Collect the steps reported within this context, from all threads."""
    own = steps or Steps()
    _listeners.append(own)
    try:
        yield own
    finally:
        if own in _listeners:
            _listeners.remove(own)


def stop_listening() -> None:
    """Report nothing more to the present listener: what follows is a conversation or a server."""
    if _listeners:
        _listeners.pop().on_stop()


def is_listening() -> bool:
    """Return whether anybody listens."""
    return bool(_listeners)


@contextmanager
def step(what: str, total: int | None = None) -> Iterator[Step]:
    """Report a step within this context: a noun in the plural if it counts units (resamples), else what is done."""
    begun = Step(what, total)
    if not _listeners:
        yield begun
        return
    steps = _listeners[-1]
    steps.begin(begun)
    try:
        yield begun
    finally:
        steps.end(begun)


def open_counted(path: str | Path) -> BinaryIO:
    """Open a file to read its bytes, and report how many are read if anybody listens."""
    return io.BufferedReader(_Counted(path, _listeners[-1])) if _listeners else Path(path).open("rb")


class _Counted(io.FileIO):
    """A file that reports what is read of it."""

    def __init__(self, path: str | Path, steps: Steps) -> None:
        super().__init__(path, "rb")
        self._steps, self._path = steps, str(path)
        self._step = steps.begin_file(self._path, os.fstat(self.fileno()).st_size)

    def readinto(self, buffer: Any) -> int | None:
        count = super().readinto(buffer)
        self._step.advance(count or 0)
        return count

    def readall(self) -> bytes:
        data = super().readall()
        self._step.advance(len(data))
        return data

    def close(self) -> None:
        if not self.closed:
            self._steps.end_file(self._path)
        super().close()
