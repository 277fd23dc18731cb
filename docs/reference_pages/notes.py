"""The reference page of notes, and the tables of codes in that of JSON."""

from __future__ import annotations

from germane.tables.notes.explanations import EXPLANATIONS, note_entries


def notes_page() -> str:
    """Return the page of notes: the text that ``--notes`` prints from."""
    return EXPLANATIONS.read_text(encoding="utf-8")


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
