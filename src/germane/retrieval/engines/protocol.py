"""What an engine is: it answers the text of a query with documents and scores, and can describe itself."""

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
    """An answer: ids of documents with their scores, best first."""

    ids: tuple[str, ...]
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.ids)


NOTHING_FOUND = Ranked((), np.zeros(0))


@runtime_checkable
class Engine(Protocol):
    """Something that can be searched.

    `name` is how errors call it, without passwords. `threads` is how many queries it may answer at once unless somebody
    says otherwise. An engine that inherits from this one need not say what it does not know.
    """

    name: str
    threads: int

    def search(self, query: str, k: int) -> Ranked:
        """The best k documents for the text of a query; fewer, or none, where it finds no more."""
        ...

    def describe(self) -> dict[str, Any]:
        """What answers, as JSON can hold it: ``engine`` and ``model`` at least, and never a secret."""
        ...

    def num_docs(self) -> int | None:
        """How many documents can be found; None where the engine does not tell."""
        return None

    def index_bytes(self) -> int | None:
        """How many bytes the index takes; None where the engine does not tell."""
        return None

    def notes(self) -> list[Note]:
        """What a reader of the run or of its times must know."""
        return []

    def close(self) -> None:
        """Let go of connections and files, where it holds any."""
        return


def ranked(pairs: Iterable[tuple[Any, Any]], k: int) -> Ranked:
    """An answer made of (id, score) pairs, checked: nothing is repaired, and nothing is left out.

    >>> ranked([("d2", 1.5), ("d1", 1)], k=10).ids
    ('d2', 'd1')
    >>> ranked([("d1", 2.0), ("d1", 1.0)], k=10)
    Traceback (most recent call last):
    germane.errors.GermaneError: expected each document once, found 'd1' twice
    """
    try:
        rows = [(doc, score) for doc, score in pairs]
    except (TypeError, ValueError):
        raise GermaneError("expected pairs of a document's id and its score, found something else") from None
    if len(rows) > k:
        hint = "ask for more with -k, or let the engine return no more than it is asked for"
        raise GermaneError(f"expected at most {k:,} documents, found {len(rows):,}", hint=hint)
    seen: set[str] = set()
    for place, (doc, score) in enumerate(rows, start=1):
        if not isinstance(doc, str) or not doc:
            found = "nothing" if doc in ("", None) else f"{doc!r} ({type(doc).__name__})"
            raise GermaneError(f"expected the id of a document as text at rank {place}, found {found}")
        if doc in seen:
            raise GermaneError(f"expected each document once, found {doc!r} twice")
        seen.add(doc)
        if isinstance(score, bool | str | bytes) or not _is_finite(score):
            raise GermaneError(f"expected a finite number as the score of document {doc!r}, found {score!r}")
    return Ranked(tuple(doc for doc, _ in rows), np.asarray([float(score) for _, score in rows], dtype=np.float64))


def _is_finite(score: Any) -> bool:
    try:
        return bool(np.isfinite(float(score)))
    except (TypeError, ValueError, OverflowError):
        return False
