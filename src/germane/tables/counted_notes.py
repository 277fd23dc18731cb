"""Notes that count something."""

from __future__ import annotations

from collections.abc import Sequence

from germane.tables.counted import counted
from germane.tables.scores import Note

EXAMPLES = 5
"""So many are named."""


def counted_note(code: str, count: int, one: str, many: str, examples: tuple[str, ...] = ()) -> Note:
    """A note on so many things; `one` is said of a single one.

    >>> counted_note("not-judged", 1, "document has no grade", "documents have no grade").message
    '1 document has no grade'
    """
    return Note(code, f"{count:,}", one if count == 1 else many, None, count, examples)


def notes_on_ids(code: str, ids: Sequence[str], noun: str, what: str, run: str | None = None) -> list[Note]:
    """A note on things that have names, with the first of them as examples; none where there are none.

    >>> [note] = notes_on_ids("missing-topics", ["q1", "q2"], "topic", "without documents")
    >>> note.message, note.examples
    ('2 topics without documents', ('q1', 'q2'))
    """
    return [Note(code, counted(len(ids), noun), what, run, len(ids), tuple(ids[:EXAMPLES]))] if ids else []
