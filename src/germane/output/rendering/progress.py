"""The progress line on standard error: only on a terminal, only after a second, and removed before any output.

    reading bm25.run  ━━━━━━━━━━━━━━━━━━━━━━━━━━──────────────  65%  0:04 left

A command shows what `germane.progress` hears of: the outermost step whose total is known, with what is done now. Where
nothing is known, the command's name and the time so far show that it still works.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event, RLock, Thread
from typing import Any, TextIO

from germane.progress import Step, Steps, is_listening, listening, step

PROGRESS_DELAY = 1.0
"""Seconds before a progress line appears: so long people wait without wondering."""
INTERVAL = 0.1
"""Seconds between two drawings."""
STALLED = 2.0
"""Seconds without a byte after which a file counts as read: what is made of it takes the time now."""
BAR = 30
"""Width of the bar, in characters."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Yield a function to call with the number of units done and in total, if known; None if nobody listens.

    >>> with progress("runs") as advance:
    ...     advance is None                         # a test has no terminal
    True
    """
    with step(what) as own:
        yield own.reach if is_listening() else None


@contextmanager
def shown_progress(name: str) -> Iterator[None]:
    """Show the progress of a command within this context, if standard error is a terminal that somebody watches."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb" or os.environ.get("CI"):
        yield
        return
    steps = Steps()
    steps.on_stop = (line := ProgressLine(name, steps, sys.stderr)).close
    with listening(steps):
        screens = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (_Screen(each, line) if each.isatty() else each for each in screens)
        thread = Thread(target=line.draw_until_closed, daemon=True)
        thread.start()
        try:
            yield
        finally:
            line.close()
            thread.join()
            sys.stdout, sys.stderr = screens


class ProgressLine:
    """One line of a terminal, redrawn at intervals; whatever else is written there erases it first."""

    def __init__(self, name: str, steps: Steps, terminal: TextIO) -> None:
        self._name, self._steps, self._terminal = name, steps, terminal
        self._whole: Step | None = Step(name)
        self._quiet_since = time.monotonic()
        self._at_margin = True
        self._width = 0
        self._closed = Event()
        self._lock = RLock()
        self._turns = count()

    def draw_until_closed(self) -> None:
        """Draw the line at intervals; for a thread of its own."""
        while not self._closed.wait(INTERVAL):
            try:
                with self._lock:
                    self._draw()
            except (OSError, ValueError):  # the terminal is gone
                return

    def close(self) -> None:
        """Remove the line for good: what follows is a conversation, a server, or the end."""
        with self._lock:
            self._closed.set()
            self._erase()

    @contextmanager
    def aside(self, text: Any) -> Iterator[None]:
        """Remove the line while something else is written; bytes end it, since nobody knows where they leave off."""
        with self._lock:
            self._erase()
            if isinstance(text, str):
                self._at_margin = text.endswith("\n")
            else:
                self._closed.set()
            yield
            self._whole, self._quiet_since = None, time.monotonic()

    def _draw(self) -> None:
        text = ""
        if self._at_margin and time.monotonic() - self._quiet_since > PROGRESS_DELAY:
            text = self._text()
        if text or self._width:
            self._erase()
            self._terminal.write(text)
            self._terminal.flush()
            self._width = _width(text)

    def _erase(self) -> None:
        if self._width:
            self._terminal.write(f"\r{' ' * self._width}\r")
            self._terminal.flush()
            self._width = 0

    def _text(self) -> str:
        """Return the line, without what does not fit; empty if nothing has lasted long enough."""
        now, under_way = time.monotonic(), self._steps.open()
        counted = next((each for each in under_way if _can_be_drawn(each, now)), None)
        shown = list(dict.fromkeys(each for each in (counted, *under_way[-1:]) if each is not None))
        if self._whole is not None:
            shown = shown or [self._whole]
        elif not any(now - each.begin > PROGRESS_DELAY for each in shown):
            return ""
        what = " · ".join(map(str, shown))
        if counted is None:
            text = f"{what}  {'|/-'[next(self._turns) % 3]}  {_clock(now - shown[0].begin)}"
        else:
            share = _share(counted, shown[-1])
            full, empty = ("━", "─") if "utf" in (self._terminal.encoding or "").lower() else ("#", ".")
            left = f"  {_clock((now - counted.begin) * (1 - share) / share)} left" if share > 0 else ""
            text = f"{what}  {(full * round(BAR * share)).ljust(BAR, empty)}  {share:4.0%}{left}"
        return _fitting(text, self._terminal)


def _can_be_drawn(step: Step, now: float) -> bool:
    """Whether a bar says something of a step: of one unit, only the part of it does."""
    if step.share is None or step.total == 1:
        return False
    return not step.in_bytes or now - step.moved < STALLED


def _share(counted: Step, current: Step) -> float:
    """Return the share of a step that is done, with the part of its present unit that is done."""
    part = 0.0 if current is counted else current.share or 0.0
    return min(1.0, (counted.done + part) / (counted.total or 1))


def _clock(seconds: float) -> str:
    """Format a duration.

    >>> _clock(7.2), _clock(75), _clock(4000)
    ('0:07', '1:15', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _fitting(text: str, terminal: TextIO) -> str:
    """Return what fits on one line, with ? for what the terminal cannot show, such as a line break in a file's name."""
    from rich.cells import set_cell_size

    encoding = terminal.encoding or "ascii"
    shown = "".join(each if each.isprintable() else "?" for each in text).encode(encoding, "replace").decode(encoding)
    return set_cell_size(shown, min(_width(shown), _columns(terminal) - 1))


def _width(text: str) -> int:
    """Return the columns that a text takes: two for a Chinese character."""
    from rich.cells import cell_len

    return cell_len(text)


def _columns(terminal: TextIO) -> int:
    """Return the width of the terminal: a line that is folded could not be erased."""
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


class _Screen:
    """Standard output or error on the terminal of a progress line, which it removes before it writes."""

    def __init__(self, stream: TextIO, line: ProgressLine) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        if not text:  # click asks so whether a stream takes text or bytes
            return self._stream.write(text)
        with self._line.aside(text):
            return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        for text in lines:
            self.write(text)

    @property
    def buffer(self) -> Any:
        with self._line.aside(None):
            return self._stream.buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
