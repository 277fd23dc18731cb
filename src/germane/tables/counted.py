"""How many of what, in words that fit the number."""

from __future__ import annotations

from germane.tables.scores import Note


def counted(number: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "judge"), counted(1204, "judge")
    ('1 judge', '1,204 judges')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def counted_note(code: str, count: int, one: str, many: str, examples: tuple[str, ...] = ()) -> Note:
    """A note on so many things; `one` is said of a single one.

    >>> counted_note("not-judged", 1, "document has no grade", "documents have no grade").message
    '1 document has no grade'
    """
    return Note(code, f"{count:,}", one if count == 1 else many, None, count, examples)
