"""The entries of ``docs/reference/notes.md``, which is written by hand, and the tables of codes in that of JSON."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from docs.reference_pages.markdown import ROOT

PAGE = "docs/reference/notes.md"
ENTRY = re.compile(r"^### (\S+)\n\n(\S.*?)\n\n- What to do: (\S.*?)\n- Given by: (\S.*?)$(?=\n\n|\n?\Z)", re.M | re.S)


class NoteEntry(NamedTuple):
    """What the page says of one code: its meaning, what to do about it, and the commands that give such a note."""

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
    """Return the entries of the reference by their code; a family such as ``ties@K`` is one entry."""
    return {entry.code: entry for entry in read_entries((ROOT / PAGE).read_text(encoding="utf-8"))}


def entry_code(code: str) -> str:
    """Return the code under which the page explains that of a note.

    >>> entry_code("unjudged@10"), entry_code("ties")
    ('unjudged@K', 'ties')
    """
    return re.sub(r"@\d+$", "@K", code)


def codes_table(command: str, *, less_those_of: str | None = None) -> str:
    """Return the codes that a command gives as a table of Markdown, less those that another command gives too."""
    chosen = [
        entry
        for entry in note_entries().values()
        if command in entry.given_by and (less_those_of is None or less_those_of not in entry.given_by)
    ]
    rows = [f"| [`{entry.code}`](notes.md#{_anchor(entry.code)}) | {entry.meaning} |" for entry in chosen]
    return "\n".join(["| code | meaning |", "| --- | --- |", *rows]) + "\n"


def _anchor(code: str) -> str:
    return code.lower().replace("@", "")
