"""How an agent answers: a ranking with P(R|d) for every document, cut where the costs say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from germane.learning.agent.calibration import standardised
from germane.learning.agent.evidence import Evidence
from germane.learning.agent.material import combined
from germane.learning.agent.refining import refined_ranking
from germane.learning.agent.reranking import Reranker
from germane.learning.agent.state import AgentState
from germane.retrieval.index import Index
from germane.retrieval.query import Query
from germane.retrieval.ranking_principle import Costs, decide
from germane.retrieval.search import Ranking
from germane.retrieval.unspaced import remarks_on_query
from germane.tables.ids import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ranked:
    """Documents by number, best first, with score and P(R|d); `learned` says that judgments for this query counted."""

    docs: IntArray
    scores: FloatArray
    probabilities: FloatArray
    learned: bool = False

    def __len__(self) -> int:
        return len(self.docs)


@dataclass(frozen=True)
class AnswerLine:
    """A document that is returned; `judged` is what somebody said of it for this query, None if nobody did."""

    rank: int
    doc: str
    score: float
    probability: float
    judged: bool | None


@dataclass(frozen=True)
class Answer:
    """What an agent returns, and how many documents the costs justify; `expected_cost` is that of this answer.

    `best_left` is the highest P(R|d) of what is not returned, None where nothing is left.
    """

    query: str
    results: tuple[AnswerLine, ...]
    num_worth: int
    num_found: int
    threshold: float
    expected_cost: float
    best_left: float | None
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def ranked(
    state: AgentState,
    index: Index,
    evidence: Evidence,
    reranker: Reranker | None,
    query: Query,
    marks: Mapping[int, bool],
) -> Ranked:
    """All that the agent would say of a query, with what was judged for it so far, by document number.

    While nothing relevant was judged for it, it is the strategy that asks; evidence of past queries and the re-ranking
    model add to its scores, each by its weight. A document that was judged for this query is known: its probability is
    1 or 0.
    """
    good, bad = ([doc for doc, relevant in marks.items() if relevant is kind] for kind in (True, False))
    learned = bool(good) and state.feedback is not None
    found: Ranking | None = None
    if learned and state.feedback is not None:
        ranking = refined_ranking(index, state.strategy, state.feedback, query, good, bad, state.depth)
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
    """Return as many documents as the costs justify, or `k`: by P(R|d), equal ones as they are ranked."""
    decision = decide(found.probabilities, costs)
    size = decision.num_returned if k is None else min(k, len(found))
    lines = [
        AnswerLine(
            rank,
            index.doc_id(int(found.docs[place])),
            float(found.scores[place]),
            float(found.probabilities[place]),
            marks.get(int(found.docs[place])),
        )
        for rank, place in enumerate(decision.order[:size].tolist(), start=1)
    ]
    cost = float(decision.cost_so_far[size - 1]) if size else decision.cost_of_nothing
    words = {text[start:end]: term for start, end, term in index.analyser.spans(text) if term is not None}
    return Answer(
        query=text,
        results=tuple(lines),
        num_worth=decision.num_returned,
        num_found=len(found),
        threshold=costs.threshold,
        expected_cost=cost,
        best_left=float(decision.probability[size]) if size < len(found) else None,
        unknown=tuple(word for word, term in words.items() if not index.statistics(term).df),
        notes=remarks_on_query(text, index.analyser),
    )


def probability_of(found: Ranked, docs: IntArray) -> FloatArray:
    """P(R|d) of documents by number; one that is not ranked has that of the last which is (0 where none is)."""
    lowest = float(found.probabilities[-1]) if len(found) else 0.0
    place = {doc: at for at, doc in enumerate(found.docs.tolist())}
    return np.asarray(
        [found.probabilities[place[doc]] if doc in place else lowest for doc in docs.tolist()], np.float64
    )
