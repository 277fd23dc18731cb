"""Rankers of a germane index: a ranking model (with feedback), Boolean matching, or BII learned from past queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from germane.catalogue import Catalogue, Choice, Entry
from germane.errors import GermaneError, unknown
from germane.retrieval.boolean import match_boolean
from germane.retrieval.feedback import FEEDBACK, Feedback
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.probability.binary_independence_indexing import BII
from germane.retrieval.probability.binary_independence_ranking import IndexedDocuments
from germane.retrieval.search import as_query, search
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.qrels import Qrels

RANKERS: Catalogue[Entry, Choice] = Catalogue("ranker", Entry, Choice, example="boolean or BII(prior_weight=2)")
"""Rankers that can be named in place of a ranking model."""
RANKERS.put(Entry("BII", BII))


@dataclass(frozen=True, eq=False)
class Found:
    """Documents by number, best first, with their scores, and remarks on this query."""

    docs: IntArray
    scores: FloatArray
    remarks: tuple[str, ...] = ()


@runtime_checkable
class Ranker(Protocol):
    """Ranks documents of an index for a query. `subject` is the code of notes made from its remarks."""

    subject: str

    def rank(self, index: Index, query: str, k: int) -> Found:
        """Return the best k documents for a query text."""
        ...

    def describe(self) -> dict[str, str]:
        """Describe the ranker: its ``model`` and, where there is any, its ``feedback``."""
        ...


@dataclass(frozen=True)
class ByModel:
    """A ranking model; with pseudo-relevance feedback, the query is expanded from its first ranking and run again."""

    model: Model
    feedback: Feedback | None = None
    subject = "feedback"

    def rank(self, index: Index, query: str, k: int) -> Found:
        asked, model = as_query(query, index), self.model
        notes: tuple[str, ...] = ()
        if self.feedback is not None:
            refined = self.feedback.pseudo(index, model, asked)
            asked, model, notes = refined.query, refined.model, refined.notes
        ranking = search(index, asked, model, k)
        return Found(ranking.docs, ranking.scores, notes)

    def describe(self) -> dict[str, str]:
        feedback = {} if self.feedback is None else {"feedback": str(self.feedback)}
        return {"model": str(self.model), **feedback}


@RANKERS.add("boolean")
@dataclass(frozen=True)
class Boolean(Choice):
    """Boolean retrieval: every match scores 1. If more than k match, the first k in index order are returned."""

    subject = "boolean"

    def rank(self, index: Index, query: str, k: int) -> Found:
        matches = match_boolean(index, query)
        cut = (f"more than k = {k:,} matches; returning the first in index order",)
        return Found(matches.docs[:k], matches.scores[:k], matches.notes + cut * (len(matches.docs) > k))

    def describe(self) -> dict[str, str]:
        return {"model": "boolean"}


@dataclass(frozen=True, eq=False)
class Learned:
    """Binary Independence Indexing, which must learn from judged past queries before it can rank."""

    how: BII
    documents: IndexedDocuments | None = None
    subject = "BII"

    def rank(self, index: Index, query: str, k: int) -> Found:
        if self.documents is None:
            hint = "use `past_topics=…` and `past_qrels=…`"
            raise GermaneError("BII requires judged past queries to learn from, found none", hint=hint)
        return Found(*self.documents.rank(as_query(query, index), k))

    def describe(self) -> dict[str, str]:
        return {"model": str(self.how)}

    def learning(self, index: Index, queries: Mapping[str, str], qrels: Qrels, rel: float) -> Learned:
        """Return a ranker that has learned from these queries and judgments."""
        asked = {id_: as_query(text, index) for id_, text in queries.items()}
        return Learned(self.how, IndexedDocuments(index, self.how.fit(index, asked, qrels, rel=rel)))


def ranker_of(model: str | Model | BII | Ranker, feedback: str | Feedback | None = None) -> Ranker:
    """Return the ranker that a text names: a model, ``boolean``, or ``BII`` with its parameters.

    >>> [ranker_of(name).describe()["model"] for name in ("bm25(b=0.4)", "Boolean", "bii(prior_weight=2)")]
    ['BM25(b=0.4)', 'boolean', 'BII(prior_weight=2)']
    """
    method = None if feedback is None else FEEDBACK.parse(feedback)
    if isinstance(model, str):
        if (name := RANKERS.read(model).name) in RANKERS:
            model = RANKERS.parse(model)  # type: ignore[assignment]
        elif name not in MODELS:
            known = [*MODELS.names, *RANKERS.names]
            raise unknown("model", name, known, hint=f"choose from {', '.join(known)}; BII requires past queries")
    if isinstance(model, str | Model):
        return ByModel(MODELS.parse(model), method)
    ranker = Learned(model) if isinstance(model, BII) else model
    if method is not None:
        about = ranker.describe()["model"]
        raise GermaneError(f"feedback is not supported with {about}", hint="choose a ranking model, such as BM25")
    return ranker
