"""The Probability Ranking Principle: costs, the choice of documents that is best of all, calibrated probabilities."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from germane.errors import GermaneError
from germane.retrieval.probability.ranking_principle import BAYES, Costs, Decision, decide
from germane.retrieval.probability.relevance_probability import (
    Calibration,
    Sigmoid,
    calibrate,
    logistic_sigmoid,
    normalised,
)
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

THRESHOLDS = [
    # C    C′   missed  threshold     why
    (-1,   1,   0,      0.5,          "gain 1, cost 1: more probable than not"),
    (0,    1,   1,      0.5,          "Bayes: every error costs 1"),
    (-3,   1,   0,      0.25,         "a relevant document is worth three others"),
    (-1,   3,   0,      0.75,         "looking at one that is not relevant costs three times the gain"),
    (1,    1,   4,      0.25,         "every look costs 1, a missed relevant document 4"),
    (-1,   0,   0,      0.0,          "looking costs nothing: all that may be relevant"),
    (0.5,  1,   0,      2.0,          "no gain at all: nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("C", "C_", "missed", "threshold", "why"), THRESHOLDS)
def test_thresholds(C: float, C_: float, missed: float, threshold: float, why: str) -> None:
    assert Costs(C, C_, missed).threshold == pytest.approx(threshold), why


def expected_cost(p: list[float], returned: tuple[int, ...], costs: Costs) -> float:
    """By the definition: each returned document by C and C′, each other by what is missed."""
    total = 0.0
    for i, probability in enumerate(p):
        if i in returned:
            total += costs.relevant * probability + costs.non_relevant * (1 - probability)
        else:
            total += costs.missed * probability
    return total


def best_cost(p: list[float], costs: Costs) -> float:
    """The lowest expected cost of all sets of documents."""
    subsets = itertools.chain.from_iterable(itertools.combinations(range(len(p)), k) for k in range(len(p) + 1))
    return min(expected_cost(p, subset, costs) for subset in subsets)


def is_dearer(decision: Decision, p: list[float]) -> bool:
    """Whether some other set of documents would have cost less, or the decision's own sum is not right."""
    returned = tuple(decision.order[: decision.num_returned].tolist())
    own = expected_cost(p, returned, decision.costs)
    return own > best_cost(p, decision.costs) + 1e-9 or abs(own - decision.expected_cost) > 1e-9


probabilities = st.lists(st.floats(0, 1), max_size=7)
costs = st.tuples(st.floats(-5, 5), st.floats(0.01, 5), st.floats(0, 5)).map(
    lambda given: Costs(given[0], given[0] + given[1], given[2])
)


@given(probabilities, costs)
def test_no_other_set_of_documents_costs_less(p: list[float], costs: Costs) -> None:
    assert not is_dearer(decide(p, costs), p)


@given(probabilities)
def test_bayes_rule_makes_the_fewest_errors(p: list[float]) -> None:
    decision = decide(p)
    assert decision.num_returned == sum(x > 0.5 for x in p)
    assert decision.expected_cost == pytest.approx(sum(min(x, 1 - x) for x in p))


def test_the_law_of_least_cost_catches_a_threshold_that_is_too_low() -> None:
    p = [0.9, 0.4, 0.3]
    right = decide(p)
    wrong = Decision(**{**vars(right), "num_returned": 2})
    assert is_dearer(wrong, p)


def test_the_next_document_is_never_dearer_than_a_later_one() -> None:
    ranked = decide([0.2, 0.7, 0.7, 0.1], Costs(-2, 1))
    assert ranked.order.tolist() == [1, 2, 0, 3]
    assert (np.diff(ranked.cost_of_returning) >= 0).all()


def test_by_hand() -> None:
    # C = -3, C′ = 1: returning costs 1 - 4p; p = 0.9, 0.5, 0.25, 0.1
    ranked = decide([0.25, 0.9, 0.1, 0.5], Costs(-3, 1))
    assert ranked.cost_of_returning == pytest.approx([-2.6, -1.0, 0.0, 0.6])
    assert ranked.cost_so_far == pytest.approx([-2.6, -3.6, -3.6, -3.0])
    assert ranked.num_returned == 2  # the third costs as much returned as not
    assert ranked.expected_cost == pytest.approx(-3.6)
    assert str(ranked).splitlines()[2].split() == ["2", "0.5000", "-1.0000", "0.0000", "-3.6000", "yes"]


def test_nothing_to_decide() -> None:
    assert (decide([]).num_returned, decide([]).expected_cost) == (0, 0)
    assert decide([0.1, 0.2], BAYES).expected_cost == pytest.approx(0.3)


WRONG_COSTS = [(1, 1, 0), (2, 1, 0), (2, 1, 1), (float("nan"), 1, 0), (0, float("inf"), 0)]


@pytest.mark.parametrize("given", WRONG_COSTS)
def test_costs_that_would_turn_the_ranking_round_are_refused(given: tuple[float, float, float]) -> None:
    with pytest.raises(GermaneError, match="expected"):
        Costs(*given)


@pytest.mark.parametrize("given", [[1.5], [-0.1], [float("nan")]])
def test_what_is_no_probability_is_refused(given: object) -> None:
    with pytest.raises(GermaneError, match="expected probabilities between 0 and 1"):
        decide(given)  # type: ignore[arg-type]


# From scores to probabilities

RUN = Run.from_dict(
    {
        "q1": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0},
        "q2": {"a": 3.0, "e": 2.0, "f": 1.0},
        "unjudged query": {"a": 100.0},
    }
)
QRELS = Qrels.from_dict({"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "e": 0, "f": -1, "z": 1}})


def test_isotonic_by_hand() -> None:
    # scores 9 8 7 6 3 2 1, relevant 1 0 1 0 1 0 0: pooled into 1, 1/2 (8, 7), 1/2 (6, 3), 0 (2, 1)
    learned = calibrate(RUN, QRELS)
    assert (learned.num_relevant, learned.num_non_relevant) == (3, 4)
    assert learned.probabilities(np.array([9, 8, 5, 3, 2, 1])) == pytest.approx([1, 0.5, 0.5, 0.5, 0, 0])
    assert learned.probabilities(np.array([99, 8.5, 2.5, -1])) == pytest.approx([1, 0.75, 0.25, 0])


def test_documents_that_nobody_judged_may_be_left_out() -> None:
    # d and f (pooled, not judged) are gone: scores 9 8 7 3 2, relevant 1 0 1 1 0
    learned = calibrate(RUN, QRELS, unjudged="left out")
    assert (learned.num_relevant, learned.num_non_relevant) == (3, 2)
    assert learned.probabilities(np.array([9, 8, 3, 2])) == pytest.approx([1, 2 / 3, 2 / 3, 0])


def test_a_higher_grade_may_be_asked_for() -> None:
    assert calibrate(RUN, QRELS, rel=2).num_relevant == 1


def test_against_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=300)
    relevant = rng.random(300) < 1 / (1 + np.exp(-2 * scores))
    docs = [f"d{i}" for i in range(300)]
    run = Run.from_columns(["q"] * 300, docs, scores)
    qrels = Qrels.from_columns(["q"] * 300, docs, relevant.astype(float))
    new = rng.normal(size=50)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, relevant).predict(new)
    assert calibrate(run, qrels).probabilities(new) == pytest.approx(theirs)
    # Logistic regression on Platt's targets: each document counts as both, by the target and what it lacks to 1.
    n, m = relevant.sum(), (~relevant).sum()
    target = np.where(relevant, (n + 1) / (n + 2), 1 / (m + 2))
    theirs = LogisticRegression(C=1e10, tol=1e-10, max_iter=1000).fit(
        np.tile(scores, 2)[:, None], np.repeat([1, 0], 300), sample_weight=np.concatenate([target, 1 - target])
    )
    ours = calibrate(run, qrels, method="logistic")
    assert ours.probabilities(new) == pytest.approx(theirs.predict_proba(new[:, None])[:, 1], abs=1e-5)


def test_logistic_settles_where_one_score_lies_far_below_all_others() -> None:
    scores = {"low": -3003.0, **{f"same{i}": 0.0 for i in range(43)}, "high": 54.0, "highest": 337.0}
    found = calibrate(
        Run.from_dict({"q1": scores}), Qrels.from_dict({"q1": {"high": 1, "highest": 1}}), method="logistic"
    )
    lowest, middle, highest = found.probabilities(np.array([-3003.0, 0.0, 337.0]))
    assert 0 <= lowest < middle < highest <= 1


def test_logistic_stays_finite_where_scores_divide_the_documents() -> None:
    fit = logistic_sigmoid(np.array([True] * 5 + [False] * 5), np.linspace(1e7, 1e6, 10))
    lowest, highest = fit.at(np.array([1e6, 1e7]))
    assert 0 < lowest < 0.3
    assert 0.7 < highest < 1
    same = logistic_sigmoid(np.array([True, False, False]), np.ones(3))
    assert same.at(np.array([1.0]))[0] == pytest.approx((2 / 3 + 2 / 4) / 3, abs=1e-6)  # the mean of Platt's targets


def test_normalisations_by_hand() -> None:
    scores = np.array([1.0, 3.0])
    assert normalised(scores, "none").tolist() == [1, 3]
    assert normalised(scores, "minmax").tolist() == [0, 1]
    assert normalised(scores, "zscore").tolist() == [-1, 1]
    assert normalised(np.array([2.0, 2.0]), "zscore").tolist() == [0, 0]
    assert normalised(np.zeros(0), "minmax").tolist() == []


def test_normalised_within_a_query_whatever_its_scores() -> None:
    learned = calibrate(RUN, QRELS, normalise="minmax")
    assert (
        learned.probabilities(np.array([5.0, 4, 3])).tolist()
        == learned.probabilities(np.array([50.0, 40, 30])).tolist()
    )


@pytest.mark.parametrize("method", ["isotonic", "logistic"])
def test_what_was_learned_is_plain_data(method: str) -> None:
    learned = calibrate(RUN, QRELS, method=method, normalise="zscore")  # type: ignore[arg-type]
    assert Calibration.from_json(json.loads(json.dumps(learned.to_json()))) == learned


def test_the_order_of_a_run_s_rows_does_not_matter() -> None:
    rows = [("q2", "e", 2.0), ("q1", "b", 8.0), ("q2", "a", 3.0), ("q1", "a", 9.0), ("q1", "d", 6.0), ("q2", "f", 1.0)]
    rows.append(("q1", "c", 7.0))
    query, doc, score = zip(*rows, strict=True)
    assert calibrate(Run.from_columns(query, doc, score), QRELS) == calibrate(RUN, QRELS)


def test_both_kinds_must_be_there() -> None:
    with pytest.raises(GermaneError, match="found 1 and 0"):
        calibrate(Run.from_dict({"q1": {"a": 1.0}}), QRELS)
    with pytest.raises(GermaneError, match="found 0 and 0"):
        calibrate(Run.from_dict({"q9": {"a": 1.0}}), QRELS)
    with pytest.raises(GermaneError, match="expected isotonic or logistic, found 'platt'"):
        calibrate(RUN, QRELS, method="platt")  # type: ignore[arg-type]


def test_from_scores_to_a_decision() -> None:
    p = Calibration(Sigmoid(-3, 1), "none", 1, 1).probabilities(np.array([5.0, 3.0, 1.0]))
    decision = decide(p, Costs(-1, 1))
    assert decision.num_returned == 1  # the second is even odds, and is not returned
    assert decision.probability == pytest.approx([1 / (1 + np.exp(-2)), 0.5, 1 / (1 + np.exp(2))])
