"""Which feedback method an agent takes: judgments play people, and what these saw does not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.knowledge.calibration import ScoreCalibration
from germane.learning.agent.refinement import refined_ranking
from germane.learning.agent.training.choices import RERANKING_WEIGHTS, WEIGHTS, choose_addition, p_value
from germane.learning.agent.training.material import Material, combined
from germane.learning.agent.utility import measure_values
from germane.learning.strategies.strategy import Strategy
from germane.retrieval.feedback import Feedback
from germane.retrieval.feedback_evaluation.views import residual
from germane.retrieval.search import Ranking
from germane.stats.intervals.means import mean_interval
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.qrels import Qrels

EvidenceOf = Callable[[IntArray], FloatArray]
"""The evidence that past queries give to documents, or what a re-ranking model thinks of them, for one query."""


@dataclass(frozen=True, eq=False)
class FeedbackChoice:
    """The method, or None where none is better than not to learn; how much evidence and the opinion of a re-ranking
    model count after it; and P(R|d)."""

    method: Feedback | None
    weight: float
    reranking_weight: float
    calibration: ScoreCalibration | None
    record: dict[str, Any]


@dataclass(eq=False)
class Tried:
    """A method with its rankings (None where it had nothing to learn from), and what can be added to their scores."""

    method: Feedback
    refined: list[Ranking | None]
    first: Sequence[Ranking]
    evidence: Sequence[EvidenceOf]
    opinions: Sequence[EvidenceOf]
    value: Callable[[Sequence[Ranking]], FloatArray]
    _mixed: dict[tuple[float, float], tuple[list[Ranking], FloatArray]] = field(default_factory=dict)

    @property
    def learned(self) -> list[int]:
        """The queries that it changed."""
        return list(self._given)

    def mixed(self, weights: tuple[float, float]) -> tuple[list[Ranking], FloatArray]:
        """All rankings, with evidence and opinion by these weights, and what they come to by query; made once."""
        if weights not in self._mixed:
            own = list(self.first)
            for place, (ranking, evidence, opinion) in self._given.items():
                given = weights[0] * evidence + weights[1] * opinion
                own[place] = combined(ranking, given, 1.0 if any(weights) else 0.0)
            self._mixed[weights] = own, self.value(own)
        return self._mixed[weights]

    @cached_property
    def _given(self) -> dict[int, tuple[Ranking, FloatArray, FloatArray]]:
        """By query that it changed, the ranking, and evidence and opinion for its documents."""
        return {
            place: (each, self.evidence[place](each.docs), self.opinions[place](each.docs))
            for place, each in enumerate(self.refined)
            if each is not None
        }

    def weights(self, alpha: float, rows: IntArray) -> tuple[float, float]:
        """The weights that suit it, by these of the queries: that of the evidence first."""
        by_evidence = np.asarray([self.mixed((weight, 0.0))[1][rows] for weight in WEIGHTS])
        evidence = WEIGHTS[choose_addition(by_evidence, alpha)]
        by_opinion = np.asarray([self.mixed((evidence, weight))[1][rows] for weight in RERANKING_WEIGHTS])
        return evidence, RERANKING_WEIGHTS[choose_addition(by_opinion, alpha)]


def choose_feedback(
    material: Material,
    strategy: Strategy,
    first: Sequence[Ranking],
    methods: Sequence[Feedback],
    *,
    judged: int,
    alpha: float,
    out_of_fold: Sequence[EvidenceOf],
    opinions: Sequence[EvidenceOf],
) -> FeedbackChoice:
    """Let the judgments of each query judge the top `judged` of its first ranking, and compare on the residual.

    `first` are the rankings before feedback, `out_of_fold` what evidence each query has, by documents, and `opinions`
    what a re-ranking model thinks of them: none of these learned from that query. Method and weights are chosen again
    without each fold in turn, and tried on it; the strategy is given, and was chosen on all training queries.
    """
    seen = [ranking.docs[:judged] for ranking in first]
    left, kept = residual_judgments(material, seen)
    if len(kept) < 2 or judged == 0:
        reason = "nothing is left to compare feedback on: it is not used"
        return FeedbackChoice(None, 0.0, 0.0, None, {"judged": judged, "reason": reason, "trials": [], "refused": []})
    measure = material.utility.ranking_measure

    def value(rankings: Sequence[Ranking]) -> FloatArray:
        unseen = [without(rankings[place], seen[place]) for place in kept.tolist()]
        return measure_values(material.index, unseen, left.take(kept), measure)

    before = value(first)
    rows, made, weights, refused = [before], [], [(0.0, 0.0)], []
    for method in methods:
        try:
            refined = [_after(material, strategy, method, seen[place], place) for place in range(len(first))]
        except GermaneError as problem:
            refused.append(f"{method} cannot be used: {problem.message}")
            continue
        tried = Tried(method, refined, first, out_of_fold, opinions, value)
        weights.append(tried.weights(alpha, np.arange(len(kept))))
        rows.append(tried.mixed(weights[-1])[1])
        made.append(tried)
    values = np.asarray(rows)
    chosen = int(np.argmax(values.mean(axis=1)))
    record = {**_record(material, values, kept, made, weights, chosen, judged, alpha), "refused": refused}
    if chosen == 0:
        return FeedbackChoice(None, 0.0, 0.0, None, record)
    taken = made[chosen - 1]
    rankings, _ = taken.mixed(weights[chosen])
    return FeedbackChoice(taken.method, *weights[chosen], _calibrated(material, rankings, taken.learned, seen), record)


def residual_judgments(material: Material, seen: Sequence[IntArray]) -> tuple[Qrels, IntArray]:
    """The judgments without what was seen, and the queries that have relevant documents left."""
    index = material.index
    ids = {
        query: [index.doc_id(int(doc)) for doc in docs]
        for query, docs in zip(material.scorer.queries, seen, strict=True)
    }
    left = residual({}, {}, material.scorer.qrels, ids, material.rel).qrels
    return left, np.flatnonzero(left.num_relevant(material.rel) > 0)


def without(ranking: Ranking, docs: IntArray) -> Ranking:
    """A ranking less some documents."""
    kept = ~np.isin(ranking.docs, docs)
    return Ranking(ranking.docs[kept], ranking.scores[kept])


def _after(material: Material, strategy: Strategy, method: Feedback, seen: IntArray, place: int) -> Ranking | None:
    """The ranking after a person judged what was seen; None where nothing of that is relevant: all stays as it was."""
    good = np.isin(seen, material.relevant[place])
    if not good.any():
        return None
    relevant, other = seen[good].tolist(), seen[~good].tolist()
    return refined_ranking(material.index, strategy, method, material.asked[place], relevant, other, material.depth)


def _calibrated(
    material: Material, rankings: Sequence[Ranking], learned: Sequence[int], seen: Sequence[IntArray]
) -> ScoreCalibration | None:
    """P(R|d) after feedback, from the documents not seen, of the queries that had something to learn from."""
    scores, relevant = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for place in learned:
        unseen = without(rankings[place], seen[place])
        scores.append(unseen.scores)
        relevant.append(np.isin(unseen.docs, material.relevant[place]))
    try:
        return ScoreCalibration.fit(np.concatenate(scores), np.concatenate(relevant))
    except GermaneError:  # nothing relevant was left to find: P(R|d) as before feedback
        return None


def _record(
    material: Material,
    values: FloatArray,
    kept: IntArray,
    made: Sequence[Tried],
    weights: Sequence[tuple[float, float]],
    chosen: int,
    judged: int,
    alpha: float,
) -> dict[str, Any]:
    """What was tried, and what the choice is worth by cross-validation."""
    held = np.zeros(len(kept))
    for fold in np.unique(material.fold[kept]):
        here = material.fold[kept] == fold
        others = np.flatnonzero(~here)
        rows = [values[0], *(each.mixed(each.weights(alpha, others))[1] for each in made)]
        pick = int(np.argmax([row[others].mean() for row in rows])) if len(others) else 0
        held[here] = rows[pick][here]
    gain = held - values[0]
    interval = mean_interval(gain)
    names = ["none", *(str(tried.method) for tried in made)]
    reason = (
        f"{names[chosen]} has the highest mean on the residual collection"
        if chosen
        else "no method has a higher mean on the residual collection than doing nothing"
    )
    return {
        "judged": judged,
        "measure": str(material.utility.ranking_measure),
        "num_queries": len(kept),
        "trials": [
            {
                "method": name,
                "weight": evidence,
                "reranking_weight": opinion,
                "mean": float(own.mean()),
                "difference": float((own - values[0]).mean()),
                "p": p_value(own - values[0]),
            }
            for name, (evidence, opinion), own in zip(names, weights, values, strict=True)
        ],
        "held_out": {
            "mean": float(held.mean()),
            "difference": float(gain.mean()),
            "low": float(interval.low),
            "high": float(interval.high),
            "p": p_value(gain),
        },
        "reason": reason,
    }
