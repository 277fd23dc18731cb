"""Answers of an agent: a ranking with P(R|d) for every document, cut at the threshold of the costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from germane.learning.agent.knowledge.calibration import standardised
from germane.learning.agent.knowledge.evidence import Evidence
from germane.learning.agent.knowledge.reranking import Reranker
from germane.learning.agent.state import AgentState
from germane.learning.agent.training.material import combined, refined_ranking
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.ranking_principle import Costs, decide
from germane.retrieval.query import Query
from germane.retrieval.search import Ranking
from germane.retrieval.texts.unspaced import remarks_on_query
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result


@dataclass(frozen=True, eq=False)
class Ranked:
    """Documents by number, best first, with score and P(R|d); `learned` is set if judgments of the query were used."""

    docs: IntArray
    scores: FloatArray
    probabilities: FloatArray
    learned: bool = False

    def __len__(self) -> int:
        return len(self.docs)


LINES = (
    F("rank", "count"),
    F("doc", "name", "document"),
    F("score", "value", people=False),
    F("probability", "value", "P(R|d)"),
    F("judged", "flag"),
    F("title", "text", nested=False),
)
LONGEST_TITLE = 70
"""Maximum number of characters of a title."""


@dataclass(frozen=True)
class AnswerLine:
    """A returned document; `judged` is its judgment for this query, None if unjudged."""

    rank: int
    doc: str
    score: float
    probability: float
    judged: bool | None
    title: str = ""


@dataclass(frozen=True)
class Answer(Result):
    """An agent's answer, and how many documents the costs justify; `expected_cost` is that of this answer.

    `best_unreturned` is the highest P(R|d) of the documents not returned, None if all are returned.
    """

    query: str
    results: tuple[AnswerLine, ...]
    num_worth: int
    num_found: int
    threshold: float
    expected_cost: float
    best_unreturned: float | None
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    strategy: str = ""

    schema: ClassVar[str] = "agent-search/1"
    fact_names: ClassVar[str] = "strategy query num_worth num_found threshold expected_cost best_unreturned unknown"

    def tables(self) -> Iterator[Table]:
        """Return the table of returned documents."""
        fields = [replace(each, digits=self.digits) if each.key == "probability" else each for each in LINES]
        yield table("results", fields, self.results)

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Return the documents, then a line on their number."""
        if self.results:
            yield self.table()
        yield "".join(f"{line}\n" for line in self.words)

    @property
    def digits(self) -> int:
        """Number of decimals, at least 3, at which no printed probability crosses the printed threshold."""
        shown = [line.probability for line in self.results]
        shown += [] if self.best_unreturned is None else [self.best_unreturned]
        for digits in range(3, 17):
            limit = round(self.threshold, digits)
            if all((round(p, digits) > limit) == (p > self.threshold) for p in shown):
                return digits
        return 17

    @property
    def words(self) -> list[str]:
        """Lines on how many documents are worth returning, and on unknown words."""
        lines = ["no documents found"]
        if self.num_found:
            best, digits = self.best_unreturned, self.digits
            rest = "" if best is None else f"; the best of the others has {best:.{digits}f}"
            worth = f"{self.num_worth} of {self.num_found} documents are worth returning"
            lines = [f"{worth}: P(R|d) above {self.threshold:.{digits}f}{rest}"]
        return [*lines, f"in no document: {', '.join(self.unknown)}"] if self.unknown else lines


def ranked(
    state: AgentState,
    index: Index,
    evidence: Evidence,
    reranker: Reranker | None,
    query: Query,
    marks: Mapping[int, bool],
) -> Ranked:
    """Rank the documents for a query by all that the agent knows, given judgments by document number.

    Until a relevant document is judged for the query, the strategy ranks; evidence from past queries and the re-ranking
    model are added to its scores with their weights. A document judged for this query has probability 1 or 0.
    """
    good, bad = ([doc for doc, relevant in marks.items() if relevant is kind] for kind in (True, False))
    learned = bool(good) and state.feedback is not None
    found: Ranking | None = None
    if learned and state.feedback is not None:
        ranking = refined_ranking(index, state.strategy, state.feedback, query, (good, bad), state.depth)
        weight, calibration = state.weight_after, state.calibration_after or state.calibration
        opinion_weight = reranker.model.weight_after if reranker is not None else 0.0
    else:
        found = state.strategy.rank(index, [query], state.depth, threads=1)[0]
        ranking = Ranking(found.docs, standardised(found.scores))
        weight, calibration = state.evidence_weight, state.calibration
        opinion_weight = reranker.model.weight if reranker is not None else 0.0
    if weight:
        ranking = combined(ranking, evidence.of(query, ranking.docs), weight)
    if opinion_weight and reranker is not None:
        ranking = combined(ranking, reranker.of(query, ranking.docs, found), opinion_weight)
    probabilities = calibration.probabilities(ranking.scores)
    for doc, relevant in marks.items():
        probabilities[ranking.docs == doc] = float(relevant)
    return Ranked(ranking.docs, ranking.scores, probabilities, learned)


def answer(index: Index, text: str, found: Ranked, marks: Mapping[int, bool], costs: Costs, k: int | None) -> Answer:
    """Return as many documents as the costs justify, or `k`, by P(R|d); ties keep their order in the ranking."""
    decision = decide(found.probabilities, costs)
    size = decision.num_returned if k is None else min(k, len(found))
    lines = []
    for rank, place in enumerate(decision.order[:size].tolist(), start=1):
        doc, score, probability = int(found.docs[place]), float(found.scores[place]), float(found.probabilities[place])
        lines.append(AnswerLine(rank, index.doc_id(doc), score, probability, marks.get(doc), _title(index, doc)))
    cost = float(decision.cost_so_far[size - 1]) if size else decision.cost_of_nothing
    words = {text[start:end]: term for start, end, term in index.analyser.spans(text) if term is not None}
    return Answer(
        query=text,
        results=tuple(lines),
        num_worth=decision.num_returned,
        num_found=len(found),
        threshold=costs.threshold,
        expected_cost=cost,
        best_unreturned=float(decision.probability[size]) if size < len(found) else None,
        unknown=tuple(word for word, term in words.items() if not index.statistics(term).df),
        notes=remarks_on_query(text, index.analyser),
    )


def _title(index: Index, doc: int) -> str:
    """Return the title of a document, or the beginning of its text."""
    stored = index.stored(doc)
    text = " ".join((stored.title or stored.text[:200]).split())
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"


def probability_of(found: Ranked, docs: IntArray) -> FloatArray:
    """Return P(R|d) of documents by number; an unranked one gets that of the last ranked (0 if there is none)."""
    lowest = float(found.probabilities[-1]) if len(found) else 0.0
    known = dict(zip(found.docs.tolist(), found.probabilities.tolist(), strict=True))
    return np.asarray([known.get(doc, lowest) for doc in docs.tolist()], np.float64)
