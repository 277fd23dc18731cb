"""``docs/reference/notes.md``: what every note means, what to do about it, and which commands say it."""

from __future__ import annotations

from docs.reference_pages.markdown import GENERATED, escaped
from germane.tables.note_code import NoteCode
from germane.tables.note_codes import NOTE_CODES, all_note_codes

INTRO = """\
A note is something that a reader of the numbers must know: what was counted, left out, guessed or not judged. Notes
stand below the numbers (`note: …`), in the notes of a report, under `notes` in [JSON](json.md), and as `germane.Note`
in Python. The words of a note may change; its code, by which it is listed here, does not. `--format json` shows the
codes. A K in a code is a number, as in `unjudged@10`.

In Python `note.amount` and `note.what` are the two parts of `note.message`; `run`, `count`, `share` and `examples`
say of which run, how many, of how many, and which, for instance.
"""


def notes_page() -> str:
    """Every code with its meaning, what to do about it, and who says it."""
    parts = ["# Notes\n\n", GENERATED, INTRO]
    for heading, entries in NOTE_CODES.items():
        parts.append(f"\n## {heading}\n")
        parts += [_section(entry) for entry in entries]
    return "".join(parts)


def _section(entry: NoteCode) -> str:
    commands = ", ".join(f"`germane {command}`" for command in entry.said_by)
    return (
        f"\n### {entry.code}\n\n{escaped(_sentence(entry.meaning))}\n\n"
        f"- What to do: {_linked(entry.advice)}\n- Said by: {commands}\n"
    )


def _sentence(text: str) -> str:
    """With a capital, unless it begins with code, and a full stop."""
    return text[:1].upper() + text[1:] + "."


def _linked(text: str) -> str:
    """Advice is Markdown already: it may have links."""
    return text if "](" in text else escaped(text)


def codes_table(command: str, *, less_those_of: str | None = None) -> str:
    """The codes that a command says, as a table for the contract of JSON; less those that another one says too."""
    chosen = [
        entry
        for entry in all_note_codes().values()
        if command in entry.said_by and (less_those_of is None or less_those_of not in entry.said_by)
    ]
    rows = [f"| [`{entry.code}`](notes.md#{_anchor(entry.code)}) | {escaped(entry.meaning)} |" for entry in chosen]
    return "\n".join(["| code | meaning |", "| --- | --- |", *rows]) + "\n"


def _anchor(code: str) -> str:
    return code.lower().replace("@", "")
