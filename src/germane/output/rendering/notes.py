"""Notes about numbers, in words."""

from __future__ import annotations

from collections.abc import Sequence

import click

from germane.tables.notes.note import Note

SHOWN_RUNS = 4


def print_notes(notes: Sequence[Note | str]) -> None:
    """Notes away from the results, on standard error."""
    for line in notes_in_words(notes):
        click.echo(f"note: {line}", err=True)


def notes_in_words(notes: Sequence[Note | str]) -> list[str]:
    """One line for what is the same in several runs."""
    alike: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        if isinstance(note, str):
            alike[note, ""] = []
        else:
            alike.setdefault((note.code, note.what), []).append(note)
    return [
        code if not group else _one(group[0]) if len(group) == 1 else f"{what}: {_several(group)}"
        for (code, what), group in alike.items()
    ]


def _one(note: Note) -> str:
    run = f"{note.run}: " if note.run else ""
    examples = f" ({', '.join(note.examples)}{', …' if (note.count or 0) > len(note.examples) else ''})"
    return f"{run}{note.message}{examples if note.examples else ''}"


def _several(notes: Sequence[Note]) -> str:
    most = sorted(notes, key=lambda note: -(note.share or note.count or 0))[:SHOWN_RUNS]
    rest = f" and {len(notes) - SHOWN_RUNS} more" if len(notes) > SHOWN_RUNS else ""
    return ", ".join(f"{note.run} {note.amount}".strip() for note in most) + rest
