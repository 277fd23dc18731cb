"""A progress bar for long work: only on a terminal, only after a second, and never among the results."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0
"""Seconds that people wait without wondering."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Yields a function to be called with (done, of how many if that is known); None where nobody is watching.

    >>> with progress("runs") as advance:
    ...     advance is None                         # a test is no terminal
    True
    """
    if not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()
    bar: Any = None
    task: Any = None

    def advance(done: int, total: int | None) -> None:
        nonlocal bar, task
        if bar is None and done != total and time.monotonic() - start > PATIENCE:
            bar = _bar()
            bar.start()
            task = bar.add_task(what, total=total)
        if bar is not None:
            bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
