"""Counts with their nouns, and notes that start with a count."""

from __future__ import annotations

from collections.abc import Sequence

from germane.tables.notes.note import Note

EXAMPLES = 5
"""Maximum number of ids that a note gives as examples."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "run"), counted(1204, "run"), counted(0, "query")
    ('1 run', '1,204 runs', '0 queries')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a noun.

    >>> plural("query"), plural("topic")
    ('queries', 'topics')
    """
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def counted_note(code: str, count: int, one: str, many: str, examples: tuple[str, ...] = ()) -> Note:
    """Return a note on a count; `one` is the text for a single thing, `many` for several or none.

    >>> counted_note("unjudged", 1, "document has no grade", "documents have no grade").message
    '1 document has no grade'
    """
    return Note(code, f"{count:,}", one if count == 1 else many, None, count, examples)


def notes_on_ids(code: str, ids: Sequence[str], noun: str, what: str, run: str | None = None) -> list[Note]:
    """Return a note on things with ids, the first of them as examples; no note where there are none.

    >>> [note] = notes_on_ids("missing-queries", ["q1", "q2"], "topic", "without documents")
    >>> note.message, note.examples
    ('2 topics without documents', ('q1', 'q2'))
    """
    return [Note(code, counted(len(ids), noun), what, run, len(ids), tuple(ids[:EXAMPLES]))] if ids else []
