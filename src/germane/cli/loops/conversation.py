"""Commands that go on: lines are read and answered; a mistake is told and nothing is lost."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from germane.errors import GermaneError, did_you_mean
from germane.output.rendering import render
from germane.output.rendering.notes import notes_in_words
from germane.output.rendering.terminal import printable
from germane.tables.results.result import Result

LEAVING = (":quit", ":q", ":exit")
NARROWEST, WIDEST = 40, 100
"""Columns of a terminal that answers are fitted to."""


class Conversation:
    """Lines from the keyboard or from a pipe; what a pipe says is printed as if it were typed."""

    commands: Mapping[str, Callable[[str], str]]
    """What is done for a line such as ``:show 3``, by its first word."""
    coloured = False

    @property
    def prompt(self) -> str:
        """What stands before a line that is typed."""
        raise NotImplementedError

    def answer(self, line: str) -> str:
        """What a line is answered with that is not a command."""
        raise NotImplementedError

    def run(self) -> None:
        """Read lines until there are no more, or one says to leave."""
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="surrogateescape")  # a line that is not UTF-8 is told, and the next one read
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):  # not on Windows
                import readline  # noqa: F401 - gives input() its history and editing
        while True:
            try:
                line = self._read()
                if line is None or line in LEAVING:
                    return
                click.echo(self.reply(line), nl=False)
            except GermaneError as problem:
                click.echo(printable(str(problem)))
            except KeyboardInterrupt:
                click.echo("\nstopped; :quit leaves")

    def reply(self, line: str) -> str:
        """What a line is answered with."""
        if not line.startswith(":"):
            return self.answer(line)
        name, _, rest = line[1:].partition(" ")
        if name not in self.commands:
            raise GermaneError(f"unknown command :{name}{did_you_mean(name, self.commands)}", hint=":help lists them")
        return self.commands[name](rest.strip())

    def as_typed(self, result: Result, **view: Any) -> str:
        """A result as somebody at a terminal reads it, with its notes below."""
        width = min(WIDEST, max(NARROWEST, shutil.get_terminal_size((WIDEST, 24)).columns))
        shown = render(result, "table", width=width, color=self.coloured, **view)
        return shown + "".join(printable(f"note: {line}\n") for line in notes_in_words(result.notes))

    def _read(self) -> str | None:
        """The next line, or None after the last."""
        try:
            line = input(self.prompt).strip()
        except EOFError:
            click.echo()
            return None
        if not sys.stdin.isatty():
            click.echo(printable(line))
        return require_text(line)


def require_text(text: str) -> str:
    """What was typed, unless it has bytes that are no characters."""
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        byte = ord(text[problem.start]) & 0xFF
        raise GermaneError(f"expected text in UTF-8, found the byte 0x{byte:02x}") from None
    return text


def ranks_in(text: str, example: str, *, hint: str | None = None) -> list[int]:
    """The numbers of results as they were typed."""
    try:
        ranks = [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        ranks = []
    if not ranks:
        raise GermaneError(f"expected numbers, as in {example}, found {text.strip()!r}", hint=hint)
    return ranks


def one_number(text: str, example: str) -> int:
    """The one number that was typed."""
    if not text.isdigit():
        raise GermaneError(f"expected one number, as in {example}, found {text!r}")
    return int(text)


def size_in(text: str) -> int:
    """How many results are wanted, of ``:k 20``."""
    size = one_number(text, ":k 20")
    if size < 1:
        raise GermaneError(f"expected 1 result or more, found {size}")
    return size
