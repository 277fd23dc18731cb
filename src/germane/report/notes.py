"""Notes about numbers, on standard error or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from germane.tables.scores import Note


def print_notes(notes: Sequence[Note]) -> None:
    """One line each, away from the results."""
    for note in notes:
        run = f"{note.run}: " if note.run else ""
        examples = f" (such as {', '.join(note.examples)})" if note.examples else ""
        click.echo(f"note: {run}{note.message}{examples}", err=True)


def note_as_dict(note: Note) -> dict[str, Any]:
    """What a program reads: the code is stable, the message is not."""
    full = {
        "code": note.code,
        "run": note.run,
        "count": note.count,
        "share": note.share,
        "examples": list(note.examples),
        "message": note.message,
    }
    return {key: value for key, value in full.items() if value not in (None, [])}
