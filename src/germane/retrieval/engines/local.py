"""A germane index as an engine: any ranking model, Boolean queries, BII learned from past queries, feedback."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from germane.retrieval.engines.protocol import Engine, Ranked
from germane.retrieval.engines.rankers import Boolean, Ranker, ranker_of
from germane.retrieval.feedback.method import Feedback
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import Model
from germane.retrieval.probability.binary_independence_indexing import BII
from germane.retrieval.texts.unspaced import needs_bigrams, notes_on_queries
from germane.tables.columns.threads import num_threads
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note

DEFAULT_MODEL = "BM25"
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"[^"]*\"""")
BOOLEAN_TIES = (
    "all matches score 1; ties are broken by document id, descending, here and in evaluation (--ties changes it there)"
)


class LocalEngine(Engine):
    """An index folder written by `germane index`, or an `Index` in memory.

    >>> engine = LocalEngine(Index.of({"d1": "red wine", "d2": "white wine and wine again"}, analyser="plain"))
    >>> engine.search("wine", k=10).ids
    ('d2', 'd1')
    """

    def __init__(
        self,
        index: Index | str | Path,
        *,
        model: str | Model | BII | Ranker = DEFAULT_MODEL,
        feedback: str | Feedback | None = None,
    ) -> None:
        self.ranker = ranker_of(model, feedback)
        self.index = index if isinstance(index, Index) else Index.open(index)
        self.name = "index in memory" if self.index.path is None else str(self.index.path)
        self.threads = num_threads()
        self._remarks: list[str] = []
        self._unsplit: dict[str, str] = {}
        self._lock = threading.Lock()

    def search(self, query: str, k: int) -> Ranked:
        found = self.ranker.rank(self.index, query, k)
        with self._lock:
            self._remarks += found.remarks
            if needs_bigrams(query, self.index.analyser):
                self._unsplit[query] = query
        return Ranked(tuple(self.index.ids_of(found.docs)), found.scores)

    def describe(self) -> dict[str, Any]:
        return {
            "engine": "germane",
            "index": None if self.index.path is None else self.index.path.name,
            **self.ranker.describe(),
            "analyser": self.index.analyser.name,
            "bytes_by_use": self.index.size_in_bytes(),
        }

    def num_docs(self) -> int | None:
        return self.index.collection.num_docs

    def index_bytes(self) -> int | None:
        """Total size of the index, including stored texts; `describe` lists the parts."""
        return sum(self.index.size_in_bytes().values())

    def notes(self) -> list[Note]:
        """Return the remarks on queries, one note per kind, counting the words or the queries concerned."""
        words: dict[str, list[str]] = {}
        for remark in self._remarks:
            words.setdefault(_QUOTED.sub("…", remark), []).append("".join(_QUOTED.findall(remark)[:1]))
        notes = [_note(self.ranker.subject, remark, of) for remark, of in sorted(words.items())]
        notes += notes_on_queries(self._unsplit, self.index.analyser)
        return [Note("boolean-ties", "", BOOLEAN_TIES), *notes] if isinstance(self.ranker, Boolean) else notes

    def absent(self, docs: Iterable[str]) -> list[str]:
        """Return those of these documents that are not in the index."""
        return [doc for doc in docs if self.index.doc_number(doc) is None]


def _note(code: str, remark: str, of: list[str]) -> Note:
    what = "word" if "…" in remark else "query"
    examples = sorted(set(filter(None, of)))
    count = len(examples) or len(of)
    return Note(code, f"{counted(count, what)}:", remark.removeprefix("…: "), count=count, examples=tuple(examples[:3]))
