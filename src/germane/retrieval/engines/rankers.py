"""What an index of germane's own answers by: a model (with feedback), Boolean matching, or what past queries taught."""

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
"""What may be named in a model's place."""
RANKERS.put(Entry("BII", BII))


@dataclass(frozen=True, eq=False)
class Found:
    """Documents by number, best first, with their scores, and what is to be said of this query."""

    docs: IntArray
    scores: FloatArray
    remarks: tuple[str, ...] = ()


@runtime_checkable
class Ranker(Protocol):
    """Something that answers queries on an index. `subject` is what its remarks are about."""

    subject: str

    def rank(self, index: Index, query: str, k: int) -> Found:
        """The best k documents for the text of a query."""
        ...

    def describe(self) -> dict[str, str]:
        """Its ``model``, and whatever else there is to say."""
        ...


@dataclass(frozen=True)
class ByModel:
    """A ranking model; with feedback, the query is changed by the top of its first ranking and asked again."""

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
    """Boolean retrieval: every match scores 1. Where there are more than k, the first of the index are taken."""

    subject = "boolean"

    def rank(self, index: Index, query: str, k: int) -> Found:
        matches = match_boolean(index, query)
        cut = (f"more matches than k, {k:,}: the first of the index are taken",)
        return Found(matches.docs[:k], matches.scores[:k], matches.notes + cut * (len(matches.docs) > k))

    def describe(self) -> dict[str, str]:
        return {"model": "boolean"}


@dataclass(frozen=True, eq=False)
class Learned:
    """Binary Independence Indexing: it answers once it has learned from past queries and their judgments."""

    how: BII
    documents: IndexedDocuments | None = None
    subject = "BII"

    def rank(self, index: Index, query: str, k: int) -> Found:
        if self.documents is None:
            raise GermaneError("BII learns from past queries with judgments, and has not learned from any yet")
        return Found(*self.documents.rank(as_query(query, index), k))

    def describe(self) -> dict[str, str]:
        return {"model": str(self.how)}

    def learning(self, index: Index, queries: Mapping[str, str], qrels: Qrels, rel: float) -> Learned:
        """The same after it learned from these queries, by their ids."""
        asked = {id_: as_query(text, index) for id_, text in queries.items()}
        return Learned(self.how, IndexedDocuments(index, self.how.fit(index, asked, qrels, rel=rel)))


def ranker_of(model: str | Model | BII | Ranker, feedback: str | Feedback | None = None) -> Ranker:
    """What a person named: a model, ``boolean``, or ``BII`` with its parameters.

    >>> [ranker_of(name).describe()["model"] for name in ("bm25(b=.4)", "Boolean", "bii(prior_weight=2)")]
    ['BM25(b=0.4)', 'boolean', 'BII(prior_weight=2)']
    """
    method = None if feedback is None else FEEDBACK.parse(feedback)
    if isinstance(model, str):
        if (name := RANKERS.read(model).name) in RANKERS:
            model = RANKERS.parse(model)  # type: ignore[assignment]
        elif name not in MODELS:
            known = [*MODELS.names, *RANKERS.names]
            raise unknown("model", name, known, hint=f"choose from {', '.join(known)}; BII learns from past queries")
    if isinstance(model, str | Model):
        return ByModel(MODELS.parse(model), method)
    ranker = Learned(model) if isinstance(model, BII) else model
    if method is not None:
        about = ranker.describe()["model"]
        raise GermaneError(f"feedback is not for {about}", hint="it changes the weights of a ranking model's query")
    return ranker
