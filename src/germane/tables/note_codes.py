"""The codes that notes have: what each one means, what to do about it, and which commands say it.

The reference of notes and the tables of codes in that of JSON are printed from here, and a note with another code
cannot be made. The entries are in files of their own, by what the notes are about.
"""

from __future__ import annotations

from functools import cache

from germane.errors import GermaneError, did_you_mean
from germane.tables.note_code import NoteCode
from germane.tables.notes_on_decisions import NOTES_ON_DECISIONS
from germane.tables.notes_on_exercises import NOTES_ON_EXERCISES
from germane.tables.notes_on_ground_truth import NOTES_ON_GROUND_TRUTH
from germane.tables.notes_on_learning import NOTES_ON_LEARNING
from germane.tables.notes_on_rankings import NOTES_ON_RANKINGS
from germane.tables.notes_on_retrieval import NOTES_ON_RETRIEVAL

NOTE_CODES: dict[str, tuple[NoteCode, ...]] = {
    "Rankings": NOTES_ON_RANKINGS,
    "Decisions": NOTES_ON_DECISIONS,
    "Ground truth": NOTES_ON_GROUND_TRUTH,
    "Retrieval": NOTES_ON_RETRIEVAL,
    "Learning": NOTES_ON_LEARNING,
    "Exercises": NOTES_ON_EXERCISES,
}
"""By what the notes are about, the codes in the order in which they are listed."""


@cache
def all_note_codes() -> dict[str, NoteCode]:
    """All entries by their code; a family such as ``ties@K`` is one entry."""
    return {entry.code: entry for entries in NOTE_CODES.values() for entry in entries}


def note_code(code: str) -> NoteCode:
    """The entry of a code; that of ``unjudged@10`` is ``unjudged@K``.

    >>> note_code("unjudged@10").code, note_code("ties").code
    ('unjudged@K', 'ties')
    >>> note_code("tied-scores")
    Traceback (most recent call last):
    germane.errors.GermaneError: no note has the code 'tied-scores'
    Hint: the codes are entries of germane.tables.note_codes
    """
    known = all_note_codes()
    stem, at, rank = code.partition("@")
    family = f"{stem}@K" if at and rank.isdecimal() else code
    if family not in known or (code == family and code.endswith("@K")):
        problem = f"no note has the code {code!r}{did_you_mean(code, known, likeness=0.8)}"
        raise GermaneError(problem, hint="the codes are entries of germane.tables.note_codes")
    return known[family]
