"""How many of what, in words that fit the number."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "judge"), counted(1204, "judge"), counted(0, "query")
    ('1 judge', '1,204 judges', '0 queries')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """More than one of something.

    >>> plural("query"), plural("topic")
    ('queries', 'topics')
    """
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
