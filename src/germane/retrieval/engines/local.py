"""An index that germane made, as an engine: any model, Boolean queries, what was learned from past ones, feedback."""

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
    "all matches score 1; ranks, here and in evaluation, are by document id, descending, unless --ties says else"
)


class LocalEngine(Engine):
    """A folder that `germane index` made, or an `Index` in memory.

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
        self._said: list[str] = []
        self._unsplit: dict[str, str] = {}
        self._saying = threading.Lock()

    def search(self, query: str, k: int) -> Ranked:
        found = self.ranker.rank(self.index, query, k)
        with self._saying:
            self._said += found.remarks
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
        """All that the index keeps, the stored texts included; `describe` tells the parts apart."""
        return sum(self.index.size_in_bytes().values())

    def notes(self) -> list[Note]:
        """What was said of the queries, each thing once and counted: the words that it was said of, or the topics."""
        words: dict[str, list[str]] = {}
        for said in self._said:
            words.setdefault(_QUOTED.sub("…", said), []).append("".join(_QUOTED.findall(said)[:1]))
        notes = [_note(self.ranker.subject, said, of) for said, of in sorted(words.items())]
        notes += notes_on_queries(self._unsplit, self.index.analyser)
        return [Note("boolean-ties", "", BOOLEAN_TIES), *notes] if isinstance(self.ranker, Boolean) else notes

    def absent(self, docs: Iterable[str]) -> list[str]:
        """Which of these documents the index does not have."""
        return [doc for doc in docs if self.index.doc_number(doc) is None]


def _note(code: str, said: str, of: list[str]) -> Note:
    what = "word" if "…" in said else "topic"
    examples = sorted(set(filter(None, of)))
    count = len(examples) or len(of)
    return Note(code, f"{counted(count, what)}:", said, count=count, examples=tuple(examples[:3]))
