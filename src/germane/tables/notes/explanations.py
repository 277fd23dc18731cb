"""Meaning of each note code and what to do about it, read from the text that is also the reference page of notes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

EXPLANATIONS = Path(__file__).with_suffix(".md")
ENTRY = re.compile(r"^### (\S+)\n\n(\S.*?)\n\n- What to do: (\S.*?)\n- Given by: (\S.*?)$(?=\n\n|\n?\Z)", re.M | re.S)


class NoteEntry(NamedTuple):
    """A note code, its meaning, advice, and the commands that give such a note."""

    code: str
    meaning: str
    advice: str
    given_by: tuple[str, ...]


def read_entries(page: str) -> list[NoteEntry]:
    """Read all entries of a page, with lines joined."""
    rows = ([" ".join(text.split()) for text in found] for found in ENTRY.findall(page))
    return [NoteEntry(code, meaning, advice, tuple(re.findall(r"`(.*?)`", by))) for code, meaning, advice, by in rows]


@cache
def note_entries() -> dict[str, NoteEntry]:
    """Return the entries by code; a family such as ``ties@K`` is one entry."""
    return {entry.code: entry for entry in read_entries(EXPLANATIONS.read_text(encoding="utf-8"))}


def entry_code(code: str) -> str:
    """Return the code of the entry that explains a note.

    >>> entry_code("unjudged@10"), entry_code("ties")
    ('unjudged@K', 'ties')
    """
    return re.sub(r"@\d+$", "@K", code)
