"""What the tests made germane say: each error and each note that was made, and each option that was given.

With GERMANE_EXERCISED=FOLDER in the environment every test process writes there what it saw, one line each, and
`.ci/exercised.py` (a step of .ci/run) holds it against all errors, notes and options there are. A line is JSON:

    {"error": "src/germane/formats/rows/text.py", "line": 101}
    {"note": "missing-queries", "command": "eval"}
    {"option": "measure", "command": "pool simulate"}
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import click
import pytest

from germane.cli import group
from germane.errors import GermaneError
from germane.tables.notes.note import Note

PACKAGE = f"{sys.modules['germane'].__path__[0]}{os.sep}"
ROOT = Path(PACKAGE).parents[1]
"""Paths are written from here on."""
DEPTH = 6
"""Number of calls that are written down with an error: its own, and those of functions that make it for others."""


def pytest_configure(config: pytest.Config) -> None:
    """Begin to write down what is seen, where that was asked for."""
    if folder := os.environ.get("GERMANE_EXERCISED"):
        Record(Path(folder)).begin()


class Record:
    """A file of what this process has seen, each thing once."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = (folder / f"{os.getpid()}.jsonl").open("a", encoding="utf-8")
        self.process = os.getpid()
        self.seen: set[str] = set()

    def begin(self) -> None:
        """Listen where errors and notes are made and options are read."""
        make_error, make_note, consume_value = GermaneError.__init__, Note.__init__, click.Option.consume_value

        @wraps(make_error)
        def recorded_error(error: GermaneError, *args: Any, **kwargs: Any) -> None:
            make_error(error, *args, **kwargs)
            self.add_error()

        @wraps(make_note)
        def recorded_note(note: Note, *args: Any, **kwargs: Any) -> None:
            make_note(note, *args, **kwargs)
            self.add({"note": note.code, "command": command_path(click.get_current_context(silent=True))})

        def recorded_option(option: click.Option, ctx: click.Context, opts: Any) -> Any:
            value, source = consume_value(option, ctx, opts)
            if source is click.core.ParameterSource.COMMANDLINE:
                self.add({"option": option.name, "command": command_path(ctx)})
            return value, source

        GermaneError.__init__ = recorded_error  # type: ignore[assignment, method-assign]
        Note.__init__ = recorded_note  # type: ignore[assignment, method-assign]
        click.Option.consume_value = recorded_option  # type: ignore[assignment, method-assign]

    def add_error(self) -> None:
        """The calls in germane's own source that led to an error, the innermost ones."""
        frame = sys._getframe(2)
        for _ in range(DEPTH):
            if (path := frame.f_code.co_filename).startswith(PACKAGE):
                self.add({"error": Path(path).relative_to(ROOT).as_posix(), "line": frame.f_lineno})
            if frame.f_back is None:
                break
            frame = frame.f_back

    def add(self, what: dict[str, Any]) -> None:
        """Write it down, unless it was; a process that was forked off writes nothing."""
        line = json.dumps(what)
        if line not in self.seen and os.getpid() == self.process:
            self.seen.add(line)
            self.file.write(line + "\n")
            # Where a test makes the disk full, the line stays in the buffer and is written with a later one.
            with suppress(OSError):
                self.file.flush()


def command_path(context: click.Context | None) -> str:
    """The command as a person calls it, without `germane`; empty outside of any."""
    names: list[str] = []
    while context is not None:
        if context.command is not group:
            names.insert(0, context.command.name or "")
        context = context.parent
    return " ".join(names)
