"""Messages on standard error: folded between words at the width of a terminal, unchanged in a pipe."""

from __future__ import annotations

import sys
from typing import IO, Any

import click


def print_message(text: str, *, label: str = "", file: IO[Any] | None = None) -> None:
    """Print a message with a label; lines that a terminal would break go on below the text, not below the label."""
    for line in text.splitlines() or [""]:
        click.echo(_folded(line, label, file or sys.stderr), file=file, err=file is None)
        label = " " * len(label)


def _folded(line: str, label: str, stream: IO[Any]) -> str:
    if not stream.isatty():
        return label + line
    import shutil
    import textwrap

    width = shutil.get_terminal_size().columns
    indent = " " * len(label)
    lines = textwrap.wrap(
        line, width, initial_indent=label, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines or [label])
