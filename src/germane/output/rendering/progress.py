"""A progress bar on standard error for long work: only on a terminal, and only after a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PROGRESS_DELAY = 1.0
"""Seconds before a progress bar appears."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Yield a function to call with the number of steps done and in total, if known; None if there is no terminal.

    >>> with progress("runs") as advance:
    ...     advance is None                         # a test has no terminal
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
        if bar is None and done != total and time.monotonic() - start > PROGRESS_DELAY:
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
