"""What the tests made germane say: each error and each note that was made, and each option that was given.

With GERMANE_EXERCISED=FOLDER in the environment every test process writes there what it saw, one line each, and
`.ci/exercised.py` (a step of .ci/run) holds it against all errors, notes and options there are. A line is JSON:

    {"error": "src/germane/formats/text.py", "line": 101, "says": "expected a number, found 'x'"}
    {"note": "missing-topics", "command": "eval"}
    {"option": "measure", "command": "pool simulate"}
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click
import pytest

from germane.cli import group
from germane.errors import GermaneError
from germane.tables.scores import Note

PACKAGE = Path(sys.modules["germane"].__path__[0]).resolve()
ROOT = PACKAGE.parents[1]
"""Paths are written from here on."""
ENOUGH = 100
"""How many different messages of one place are written down."""


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
        self.messages: Counter[tuple[str, int]] = Counter()

    def begin(self) -> None:
        """Listen where errors and notes are made and options are read."""
        make_error, make_note, consume_value = GermaneError.__init__, Note.__init__, click.Option.consume_value

        def recorded_error(error: GermaneError, *args: Any, **kwargs: Any) -> None:
            make_error(error, *args, **kwargs)
            self.add_error(error.message)

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

    def add_error(self, message: str) -> None:
        """Where an error was made and what it says; only that of germane's own source is of interest."""
        path, line = _where_made()
        if path.is_relative_to(PACKAGE):
            name = path.relative_to(ROOT).as_posix()
            if self.messages[name, line] < ENOUGH and self.add({"error": name, "line": line, "says": message}):
                self.messages[name, line] += 1

    def add(self, what: dict[str, Any]) -> bool:
        """Write it down, unless it was; a process that was forked off writes nothing."""
        line = json.dumps(what)
        is_new = line not in self.seen and os.getpid() == self.process
        if is_new:
            self.seen.add(line)
            self.file.write(line + "\n")
            self.file.flush()
        return is_new


def command_path(context: click.Context | None) -> str:
    """The command as a person calls it, without `germane`; empty outside of any."""
    names: list[str] = []
    while context is not None:
        if context.command is not group:
            names.insert(0, context.command.name or "")
        context = context.parent
    return " ".join(names)


def _where_made() -> tuple[Path, int]:
    """File and line of the call that makes an error: the nearest one that is not in an error's own `__init__`."""
    frame = sys._getframe(3)
    while isinstance(frame.f_locals.get("self"), GermaneError) and frame.f_back is not None:
        frame = frame.f_back
    return Path(frame.f_code.co_filename).resolve(), frame.f_lineno
