"""The notes on exercises: sheets and the answers to them."""

from __future__ import annotations

from germane.tables.note_code import NoteCode

NOTES_ON_EXERCISES = (
    NoteCode(
        "no-answers",
        "students who have a sheet, and no answers in any file",
        "Give the files with their answers, too; without them none of their answers is right.",
        ("exercise check",),
    ),
    NoteCode(
        "sheet-changed",
        "a sheet on which a table is not as it was made",
        "Answers are checked with the sheet as it was made, whatever it says now: make another sheet for other data.",
        ("exercise check",),
    ),
)
