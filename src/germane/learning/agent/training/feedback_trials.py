"""Choice of an agent's feedback method, by simulated users on the residual collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.knowledge.calibration import ScoreCalibration
from germane.learning.agent.training.choices import RERANKING_WEIGHTS, WEIGHTS, against_none, choose_addition, p_value
from germane.learning.agent.training.material import Material, combined, refined_ranking
from germane.learning.agent.utility import measure_values
from germane.learning.strategies.strategy import Strategy
from germane.retrieval.feedback import Feedback
from germane.retrieval.feedback_evaluation.views import residual
from germane.retrieval.indexes.index import Index
from germane.retrieval.search import Ranking
from germane.stats.intervals.means import mean_interval
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.qrels import Qrels


@dataclass(frozen=True, eq=False)
class FeedbackChoice:
    """The chosen method (None if none beats not learning), the weights of evidence and re-ranking model after it, and
    P(R|d)."""

    method: Feedback | None
    weight: float
    reranking_weight: float
    calibration: ScoreCalibration | None
    record: dict[str, Any]


@dataclass(eq=False)
class Tried:
    """A method with its refined rankings, by query index, and what can be added to their scores."""

    method: Feedback
    refined: dict[int, Ranking]
    first: Sequence[Ranking]
    evidence: dict[int, FloatArray]
    opinions: dict[int, FloatArray]
    value: Callable[[Sequence[Ranking]], FloatArray]
    alpha: float
    _mixed: dict[tuple[float, float], tuple[list[Ranking], FloatArray]] = field(default_factory=dict)

    def mixed(self, weights: tuple[float, float]) -> tuple[list[Ranking], FloatArray]:
        """Return all rankings with evidence and re-ranking by these weights, and their values by query; cached."""
        if weights not in self._mixed:
            own = list(self.first)
            for place, ranking in self.refined.items():
                given = weights[0] * self.evidence[place] + weights[1] * self.opinions[place]
                own[place] = combined(ranking, given, 1.0 if any(weights) else 0.0)
            self._mixed[weights] = own, self.value(own)
        return self._mixed[weights]

    def weights(self, rows: IntArray) -> tuple[float, float]:
        """Return the best weights on these queries; the evidence weight is chosen first."""
        by_evidence = np.asarray([self.mixed((weight, 0.0))[1][rows] for weight in WEIGHTS])
        evidence = WEIGHTS[choose_addition(by_evidence, self.alpha)]
        by_opinion = np.asarray([self.mixed((evidence, weight))[1][rows] for weight in RERANKING_WEIGHTS])
        return evidence, RERANKING_WEIGHTS[choose_addition(by_opinion, self.alpha)]


def choose_feedback(
    material: Material,
    strategy: Strategy,
    first: Sequence[Ranking],
    methods: Sequence[Feedback],
    *,
    judged: int,
    alpha: float,
) -> FeedbackChoice:
    """Choose a method by simulated users who judge the top `judged` of the first ranking; compare on the residual.

    `first` are the rankings before feedback. Evidence and re-ranking estimates of each query are learned from the other
    folds. Method and weights are also chosen without each fold in turn, and tested on it; the strategy is given, and
    was chosen on all training queries.
    """
    seen = [ranking.docs[:judged] for ranking in first]
    left = residual_judgments(material.index, material.scorer.qrels, seen, material.rel)
    kept = np.flatnonzero(left.num_relevant(material.rel) > 0)
    if len(kept) < 2 or judged == 0:
        reason = "too few queries with unseen relevant documents to compare feedback methods; feedback is not used"
        return FeedbackChoice(None, 0.0, 0.0, None, {"judged": judged, "reason": reason, "trials": [], "refused": []})
    measure = material.utility.ranking_measure

    def value(rankings: Sequence[Ranking]) -> FloatArray:
        unseen = [without(rankings[place], seen[place]) for place in kept.tolist()]
        return measure_values(material.index, unseen, left.take(kept), measure)

    before = value(first)
    rows, made, weights, refused = [before], [], [(0.0, 0.0)], []
    for method in methods:
        try:
            refined = _refined(material, strategy, method, seen)
        except GermaneError as problem:
            refused.append(f"{method} is not supported: {problem.message}")
            continue
        evidence: dict[int, FloatArray] = {}
        opinions: dict[int, FloatArray] = {}
        for own, others in material.turns(material.everything):
            here = own[[place in refined for place in own.tolist()]]
            evidence |= material.evidence(refined, here, others)
            opinions |= material.opinions(strategy, refined, here, others)
        tried = Tried(method, refined, first, evidence, opinions, value, alpha)
        weights.append(tried.weights(np.arange(len(kept))))
        rows.append(tried.mixed(weights[-1])[1])
        made.append(tried)
    values = np.asarray(rows)
    chosen = int(np.argmax(values.mean(axis=1)))
    record = {"judged": judged, **_record(material, values, kept, made, weights, chosen), "refused": refused}
    if chosen == 0:
        return FeedbackChoice(None, 0.0, 0.0, None, record)
    taken = made[chosen - 1]
    rankings, _ = taken.mixed(weights[chosen])
    calibration = _calibrated(material, {place: rankings[place] for place in taken.refined}, seen)
    return FeedbackChoice(taken.method, *weights[chosen], calibration, record)


def residual_judgments(index: Index, qrels: Qrels, seen: Sequence[IntArray], rel: float) -> Qrels:
    """Return the judgments without the documents seen for each query."""
    ids = {query: [index.doc_id(int(doc)) for doc in docs] for query, docs in zip(qrels.queries, seen, strict=True)}
    return residual({}, {}, qrels, ids, rel).qrels


def without(ranking: Ranking, docs: IntArray) -> Ranking:
    """Return a ranking without some documents."""
    kept = ~np.isin(ranking.docs, docs)
    return Ranking(ranking.docs[kept], ranking.scores[kept])


def _refined(material: Material, strategy: Strategy, method: Feedback, seen: Sequence[IntArray]) -> dict[int, Ranking]:
    """Return the refined ranking of each query with a relevant document among those seen; others are unchanged."""
    found = {}
    for place, docs in enumerate(seen):
        good = np.isin(docs, material.relevant[place])
        if good.any():
            judged = docs[good].tolist(), docs[~good].tolist()
            query = material.asked[place]
            found[place] = refined_ranking(material.index, strategy, method, query, judged, material.depth)
    return found


def _calibrated(
    material: Material, rankings: Mapping[int, Ranking], seen: Sequence[IntArray]
) -> ScoreCalibration | None:
    """Fit P(R|d) after feedback, on unseen documents of the queries that had feedback to learn from."""
    scores, relevant = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for place, ranking in rankings.items():
        unseen = without(ranking, seen[place])
        scores.append(unseen.scores)
        relevant.append(np.isin(unseen.docs, material.relevant[place]))
    try:
        return ScoreCalibration.fit(np.concatenate(scores), np.concatenate(relevant))
    except GermaneError:  # no relevant document was left: use P(R|d) from before feedback
        return None


def _record(
    material: Material,
    values: FloatArray,
    kept: IntArray,
    made: Sequence[Tried],
    weights: Sequence[tuple[float, float]],
    chosen: int,
) -> dict[str, Any]:
    """Return what was tried, and the cross-validated value of the choice."""
    held = np.zeros(len(kept))
    for fold in np.unique(material.fold[kept]):
        here = material.fold[kept] == fold
        others = np.flatnonzero(~here)
        rows = [values[0], *(each.mixed(each.weights(others))[1] for each in made)]
        pick = int(np.argmax([row[others].mean() for row in rows])) if len(others) else 0
        held[here] = rows[pick][here]
    gain = held - values[0]
    interval = mean_interval(gain)
    names = ["none", *(str(tried.method) for tried in made)]
    reason = f"{names[chosen]} has the highest mean on the residual collection"
    if not chosen:
        reason = "no method has a higher mean on the residual collection than no feedback"
    return {
        "measure": str(material.utility.ranking_measure),
        "num_queries": len(kept),
        "trials": [
            {"method": name, "weight": evidence, "reranking_weight": opinion, **against_none(own, values[0])}
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
