"""The engine protocol: answer a query text with documents and scores, and describe the engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray
from germane.tables.notes.note import Note


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranking: document ids with their scores, best first."""

    ids: tuple[str, ...]
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.ids)


NOTHING_FOUND = Ranked((), np.zeros(0))


@runtime_checkable
class Engine(Protocol):
    """A search engine.

    `name` is used in error messages and holds no password. `threads` is the default number of concurrent queries. A
    subclass overrides only the methods for which it has something to report.
    """

    name: str
    threads: int

    def search(self, query: str, k: int) -> Ranked:
        """Return the best k documents for a query text; fewer if fewer match."""
        ...

    def describe(self) -> dict[str, Any]:
        """Describe the engine as JSON: ``engine`` and ``model`` at least, never a password."""
        ...

    def num_docs(self) -> int | None:
        """Return the number of searchable documents; None if the engine does not report it."""
        return None

    def index_bytes(self) -> int | None:
        """Return the size of the index in bytes; None if the engine does not report it."""
        return None

    def notes(self) -> list[Note]:
        """Return notes for readers of the run or of its timings."""
        return []

    def close(self) -> None:
        """Release connections and files, if any."""
        return


def ranked(pairs: Iterable[tuple[Any, Any]], k: int) -> Ranked:
    """Return (id, score) pairs as a checked ranking; invalid pairs are an error, never dropped or repaired.

    >>> ranked([("d2", 1.5), ("d1", 1)], k=10).ids
    ('d2', 'd1')
    >>> ranked([("d1", 2.0), ("d1", 1.0)], k=10)
    Traceback (most recent call last):
    germane.errors.GermaneError: duplicate document 'd1' in the answer
    Hint: return each document once
    """
    try:
        rows = [(doc, score) for doc, score in pairs]
    except (TypeError, ValueError):
        raise GermaneError(
            "expected (document id, score) pairs, found something else",
            hint="return a list of pairs, or a dict of scores",
        ) from None
    if len(rows) > k:
        hint = "raise -k, or make the engine return at most k documents"
        raise GermaneError(f"expected at most {k:,} documents, found {len(rows):,}", hint=hint)
    seen: set[str] = set()
    for place, (doc, score) in enumerate(rows, start=1):
        if not isinstance(doc, str) or not doc:
            found = "nothing" if doc in ("", None) else f"{doc!r} ({type(doc).__name__})"
            raise GermaneError(f"expected a document id (text) at rank {place}, found {found}")
        if doc in seen:
            raise GermaneError(f"duplicate document {doc!r} in the answer", hint="return each document once")
        seen.add(doc)
        if isinstance(score, bool | str | bytes) or not _is_finite(score):
            raise GermaneError(f"expected a finite number as the score of document {doc!r}, found {score!r}")
    return Ranked(tuple(doc for doc, _ in rows), np.asarray([float(score) for _, score in rows], dtype=np.float64))


def _is_finite(score: Any) -> bool:
    try:
        return bool(np.isfinite(float(score)))
    except (TypeError, ValueError, OverflowError):
        return False
