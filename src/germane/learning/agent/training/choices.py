"""The agent's choices, each by expected utility on training queries, and each with Occam's razor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.learning.agent.training.material import Material, combined
from germane.learning.agent.utility import Marked, measure_values
from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.choices import choose_best
from germane.retrieval.search import Ranking
from germane.stats.intervals.means import mean_interval
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.tables.columns.ids import FloatArray, IntArray

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Candidate weights of evidence from past queries, relative to a ranking's standard scores."""
RERANKING_WEIGHTS = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Candidate weights of P(R|features) of the re-ranking model; 1 adds at most one standard deviation."""
LEAST_TO_TEST = 2


def choose_within(values: FloatArray, level: IntArray, rows: IntArray, margin: float) -> int:
    """Return the best of the simplest strategies that are shown to be as good as the best.

    As good: the lower end of the 95% interval of the mean difference (paired t, over the queries `rows`) is at least
    -margin. A non-significant difference would not be enough: with few queries no difference is significant, however
    large.

    >>> values = np.array([[0.30, 0.50, 0.40, 0.60], [0.301, 0.501, 0.402, 0.60], [0.6, 0.1, 0.4, 0.5]])
    >>> rows = np.arange(4)
    >>> choose_within(values, np.array([0, 1, 0]), rows, 0.01), choose_within(values, np.array([0, 1, 0]), rows, 0.0)
    (0, 1)
    """
    best = choose_best(values, level, rows)
    if len(rows) < LEAST_TO_TEST:
        return best
    differences = values[:, rows] - values[best, rows]
    near = np.flatnonzero(mean_interval(differences.T).low >= -margin)
    simple = near[level[near] == level[near].min()]
    return choose_best(values, level, rows, simple)


def choose_addition(values: FloatArray, alpha: float) -> int:
    """Return the best row if it beats row 0 (adding nothing) significantly (paired t-test), else 0.

    >>> choose_addition(np.array([[0.1, 0.2, 0.3], [0.2, 0.31, 0.4], [0.9, 0.0, 0.0]]), 0.05)
    1
    """
    best = int(np.argmax(values.mean(axis=1)))
    if best == 0 or values.shape[1] < LEAST_TO_TEST:
        return 0
    return best if p_value(values[best] - values[0]) < alpha else 0


def p_value(differences: FloatArray) -> float:
    """Return the two-sided p-value of a paired t-test; 1 if nothing differs, 0 if all differ by the same amount."""
    if len(differences) < LEAST_TO_TEST or not differences.any():
        return 1.0
    p = float(PAIRED_TESTS["t"](differences).p)
    return 0.0 if np.isnan(p) else p


def against_none(values: FloatArray, none: FloatArray) -> dict[str, float]:
    """Return the mean of a trial, and its difference to adding nothing."""
    return {"mean": float(values.mean()), "difference": float((values - none).mean()), "p": p_value(values - none)}


def utilities(material: Material, rankings: list[Ranking], places: IntArray, among: IntArray) -> FloatArray:
    """Return the utility of rankings (with standard scores) of the queries `places`, by query.

    Costs require P(R|d): for a query among `among` it is learned from their other folds, for another query from all of
    them.
    """
    if material.utility.measure is not None:
        qrels = material.scorer.qrels.take(places)
        return measure_values(material.index, [rankings[place] for place in places], qrels, material.utility.measure)
    return cost_utilities(material, rankings, places, among)


def cost_utilities(material: Material, rankings: list[Ranking], places: IntArray, among: IntArray) -> FloatArray:
    """Return the negative costs of returning the documents worth it, by query."""
    marked = Marked.of(rankings, material.relevant, standard=False)
    probabilities = marked.out_of_fold(material.fold, among)
    others = np.setdiff1d(places, among)
    if len(others):
        learned = marked.calibration(among)
        for place in others.tolist():
            probabilities[place] = learned.probabilities(marked.scores[place])
    costs = material.utility.costs
    return np.asarray([-marked.costs(place, probabilities[place], costs) for place in places.tolist()])


def strategy_values(material: Material, strategy: Strategy) -> FloatArray:
    """Return the utility of a strategy by (fold held out) × query; row 0 holds out nothing.

    A measure needs no training, so all rows are equal; costs require P(R|d), which must not have seen the fold that is
    held out.
    """
    num_folds = int(material.fold.max()) + 1
    rankings, everything = material.rankings(strategy), material.everything
    whole = utilities(material, rankings, everything, everything)
    if material.utility.measure is not None:
        return np.tile(whole, (num_folds + 1, 1))
    held = [
        cost_utilities(material, rankings, everything, np.flatnonzero(material.fold != f)) for f in range(num_folds)
    ]
    return np.stack([whole, *held])


@dataclass(frozen=True, eq=False)
class WeightTrial:
    """Utility of each weight of an addition on the queries it was tried on, and the weight chosen."""

    weights: tuple[float, ...]
    values: FloatArray
    """Utility by weight × query."""
    chosen: float
    rankings: list[Ranking]
    """Rankings with the chosen weight; those of other queries are unchanged."""


def try_additions(
    material: Material, strategy: Strategy, among: IntArray, alpha: float
) -> tuple[WeightTrial, WeightTrial]:
    """Test whether evidence from past queries, and then a re-ranking model in addition, help the queries `among`, each
    scored by what was learned from their other folds."""
    rankings = material.rankings(strategy)
    evidences: dict[int, FloatArray] = {}
    opinions: dict[int, FloatArray] = {}
    for own, others in material.turns(among):
        evidences |= material.evidence(rankings, own, others)
    evidence = try_weights(material, rankings, evidences, among, alpha, WEIGHTS)
    for own, others in material.turns(among):
        opinions |= material.opinions(strategy, evidence.rankings, own, others)
    return evidence, try_weights(material, evidence.rankings, opinions, among, alpha, RERANKING_WEIGHTS)


def try_weights(
    material: Material,
    rankings: list[Ranking],
    given: dict[int, FloatArray],
    among: IntArray,
    alpha: float,
    weights: tuple[float, ...],
) -> WeightTrial:
    """Test whether adding the `given` values to the scores of each ranking helps the queries `among`."""
    values, mixed = [], []
    for weight in weights:
        own = list(rankings)
        for place in among.tolist():
            own[place] = combined(rankings[place], given[place], weight)
        values.append(utilities(material, own, among, among))
        mixed.append(own)
    found = np.asarray(values)
    best = choose_addition(found, alpha)
    return WeightTrial(weights, found, weights[best], mixed[best])
