"""Interactive loops: read lines and answer them; an error is printed and the loop continues."""

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
from germane.progress import stop_listening
from germane.tables.results.result import Result

LEAVING = (":quit", ":q", ":exit")
NARROWEST, WIDEST = 40, 100
"""Minimum and maximum width of answers, in columns."""


class Conversation:
    """A loop over lines from the keyboard or from a pipe; lines from a pipe are echoed as if they were typed."""

    commands: Mapping[str, Callable[[str], str]]
    """Handlers of lines such as ``:show 3``, by their first word."""
    coloured = False

    @property
    def prompt(self) -> str:
        """The prompt."""
        raise NotImplementedError

    def answer(self, line: str) -> str:
        """Answer a line that is not a command."""
        raise NotImplementedError

    def run(self) -> None:
        """Read lines until the input ends, or until a line such as :quit."""
        stop_listening()
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="surrogateescape")  # a line that is not UTF-8 is an error, not the end
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
                click.echo("\nstopped; type :quit to leave")

    def reply(self, line: str) -> str:
        """Answer a line."""
        if not line.startswith(":"):
            return self.answer(line)
        name, _, rest = line[1:].partition(" ")
        if name not in self.commands:
            raise GermaneError(
                f"unknown command :{name}{did_you_mean(name, self.commands)}", hint="type :help for a list"
            )
        return self.commands[name](rest.strip())

    def as_typed(self, result: Result, **view: Any) -> str:
        """Render a result for a terminal, with its notes below."""
        width = min(WIDEST, max(NARROWEST, shutil.get_terminal_size((WIDEST, 24)).columns))
        shown = render(result, "table", width=width, color=self.coloured, **view)
        return shown + "".join(printable(f"note: {line}\n") for line in notes_in_words(result.notes))

    def _read(self) -> str | None:
        """Read the next line; None after the last."""
        try:
            line = input(self.prompt).strip()
        except EOFError:
            click.echo()
            return None
        if not sys.stdin.isatty():
            click.echo(printable(line))
        return require_text(line)


def require_text(text: str) -> str:
    """Return the text, unless it has bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        byte = ord(text[problem.start]) & 0xFF
        raise GermaneError(f"expected text in UTF-8, found the byte 0x{byte:02x}") from None
    return text


def ranks_in(text: str, example: str, *, hint: str | None = None) -> list[int]:
    """Parse ranks of results."""
    try:
        ranks = [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        ranks = []
    if not ranks:
        raise GermaneError(f"expected ranks, as in {example}, found {text.strip()!r}", hint=hint)
    return ranks


def one_number(text: str, example: str) -> int:
    """Parse a single number."""
    if not text.isdigit():
        raise GermaneError(f"expected one number, as in {example}, found {text!r}")
    return int(text)


def size_in(text: str) -> int:
    """Parse the number of results, as in ``:k 20``."""
    size = one_number(text, ":k 20")
    if size < 1:
        raise GermaneError(f"expected at least 1 result, found {size}")
    return size
