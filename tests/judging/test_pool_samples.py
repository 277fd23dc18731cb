"""Samples: inclusion probabilities are sampling fractions, and what is inferred from a sample is what it says."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from germane.errors import GermaneError, MeasureError
from germane.judging.pooling import POOLING
from germane.judging.pooling.assembly import sampled_items, topic_items
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.queue import SampledOrder
from germane.measures.rankings.average_precision import average_precision
from germane.measures.rankings.incomplete import extended_inferred_average_precision as xinfap
from germane.measures.rankings.incomplete import inferred_average_precision as infap
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.matching import match
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from germane.tables.truth.pool import PoolItem

F = Fraction
e = F(1, 100_000)
EIGHT = TopicLists.of(["a b c d e f g h"])


def items_of(method: str, lists: TopicLists, budget: int | None = None, seed: int = 0) -> list[list[PoolItem]]:
    return [
        sorted(part, key=lambda item: item.doc)
        for part in topic_items(POOLING.parse(method), lists, seed, budget, None, 1)
    ]


def test_a_stratified_sample_by_hand() -> None:
    drawn, left = items_of("stratified(strata=2:1/6:0.5)", EIGHT)
    assert [(item.doc, item.stratum, item.inclusion) for item in drawn[:2]] == [("a", "1-2", 1.0), ("b", "1-2", 1.0)]
    assert [(item.stratum, item.inclusion) for item in drawn[2:]] == [("3-6", 0.5)] * 2
    assert {item.doc for item in drawn + left} == set("abcdef")  # g and h are below the last stratum: not pooled
    assert [(item.stratum, item.inclusion) for item in left] == [("3-6", 0.5)] * 2


SIZES = [
    # method, budget, drawn by stratum, why
    ("stratified(strata=2:1/8:0.5)", None, {"1-2": 2, "3-8": 3}, "2 * 1 and 6 * 0.5"),
    ("stratified(strata=2:1/8:0.01)", None, {"1-2": 2, "3-8": 1}, "at least one of each stratum"),
    ("stratified(strata=4:1/8:0.5)", 3, {"1-4": 2, "5-8": 1}, "in proportion: 4 * 1 to 4 * 0.5"),
    ("stratified(strata=4:1/8:0.5)", 8, {"1-4": 4, "5-8": 4}, "all, when the budget allows"),
    ("sample(rate=0.25)", None, {"all": 2}, "8 * 0.25"),
    ("sample(rate=0.25)", 5, {"all": 5}, "a budget overrules the rate"),
]


@pytest.mark.parametrize(("method", "budget", "expected", "why"), SIZES)
def test_how_many_are_drawn(method: str, budget: int | None, expected: dict[str, int], why: str) -> None:
    drawn, left = items_of(method, EIGHT, budget)
    assert Counter(item.stratum for item in drawn) == expected, why
    size = Counter(item.stratum for item in drawn + left)
    assert all(item.inclusion == expected[item.stratum] / size[item.stratum] for item in drawn + left)


def often_drawn(method: str, seeds: int) -> dict[str, float]:
    """How often each document was drawn, as a share of its inclusion probability."""
    counts: Counter[str] = Counter()
    chance: dict[str, float] = {}
    for seed in range(seeds):
        drawn, left = items_of(method, EIGHT, seed=seed)
        counts.update(item.doc for item in drawn)
        chance |= {item.doc: item.inclusion for item in drawn + left}
    return {doc: counts[doc] / seeds / chance[doc] for doc in chance}


def test_documents_are_drawn_as_often_as_their_inclusion_probability_says() -> None:
    often = often_drawn("stratified(strata=2:1/8:0.5)", 400)
    assert len(often) == 8
    assert all(abs(share - 1) < 0.2 for share in often.values())  # four standard errors


def test_a_sample_of_the_collection() -> None:
    lists = TopicLists.of(["a b"], collection=[f"d{i}" for i in range(50)])
    drawn, left = items_of("uniform(size=5)", lists)
    assert len(drawn) == 5
    assert {item.inclusion for item in drawn} == {0.1}
    assert left == []
    assert len(items_of("uniform(size=5)", lists, budget=20)[0]) == 20


def test_a_budget_too_small_for_the_strata_is_refused() -> None:
    queue = POOLING.parse("stratified").start(TopicLists.of([" ".join(f"d{i}" for i in range(30))]), Draws(0, "q1"))
    assert isinstance(queue, SampledOrder)
    with pytest.raises(GermaneError, match="too small to draw from 2 strata"):
        sampled_items("q1", queue, 1)


def sampled(ranking: str, missed: str = "") -> JudgedRun:
    """A judged run in which each document is written as its stratum and its grade: ``A1 B-1``; ``-`` is unlisted."""
    listed = [(f"d{i:03}", word) for i, word in enumerate(f"{ranking} {missed}".split())]
    rows = [(doc, word[0], float(word[1:])) for doc, word in listed if word != "-"]
    docs, strata, grades = zip(*rows, strict=True)
    qrels = Qrels.from_columns(["q"] * len(docs), docs, grades, stratum=strata)
    run = Run.from_columns(
        ["q"] * len(ranking.split()),
        [doc for doc, _ in listed[: len(ranking.split())]],
        -np.arange(float(len(ranking.split()))),
    )
    return match(qrels, run)


one = (1 + e) / (1 + 2 * e)  # the share relevant where all that was judged is: one of one
two = (2 + e) / (2 + 2 * e)
none = e / (1 + 2 * e)
# fmt: off
XINFAP_BY_HAND = [
    ("A1", "", F(1), "all of it"),
    ("A1 B1 B-1 B1", "",
     (1 + F(3, 2) * (F(1, 2) + F(1, 2) * one) + F(3, 2) * (F(1, 4) + F(1, 4) * (one + 2 * one))) / 4,
     "each of B stands for 3/2, R is 1 + 2 * 3/2; above the last: one of A, two of B, all judged ones relevant"),
    ("A0 B-1 A1", "", F(1, 3) + F(1, 3) * (none + F(1, 2)), "nothing of B is judged: as likely as not"),
    ("- A1", "B1 B-1", F(1, 2) / 3, "what was missed stands for 2, so R is 3; outside the pool is not relevant"),
    ("A1 A1 B0 B-1", "B1",
     (1 + F(1, 2) + F(1, 2) * one) / F(7, 2), "R = 2 + 3/2: a relevant document of B that nobody retrieved"),
]
# fmt: on


@pytest.mark.parametrize(("ranking", "missed", "expected", "why"), XINFAP_BY_HAND, ids=lambda value: str(value)[:20])
def test_xinfap_by_hand(ranking: str, missed: str, expected: Fraction, why: str) -> None:
    assert xinfap(sampled(ranking, missed)) == pytest.approx([float(expected)], rel=1e-13), why


def random_run(seed: int, *, unjudged: float) -> JudgedRun:
    generator = np.random.default_rng(seed)
    words = []
    for _ in range(30):
        grade = -1 if generator.random() < unjudged else int(generator.random() < 0.4)
        words.append("-" if generator.random() < 0.2 else f"{'ABC'[generator.integers(3)]}{grade}")
    return sampled(" ".join(words), "A1 B0 C1 B1")


def far_from_ap(estimate: object, seeds: int = 20) -> list[int]:
    """Where the estimate from complete judgments is not AP, but for the smoothing."""
    runs = [random_run(seed, unjudged=0.0) for seed in range(seeds)]
    return [
        seed
        for seed, run in enumerate(runs)
        if abs(estimate(run)[0] - average_precision(run)[0]) > 3 * float(e)  # type: ignore[operator]
    ]


def test_with_everything_judged_xinfap_is_ap() -> None:
    assert far_from_ap(xinfap) == []


def test_the_law_catches_an_estimate_that_forgets_what_was_not_pooled() -> None:
    assert far_from_ap(lambda run: infap(run, unlisted="pooled")) != []


def test_with_one_stratum_xinfap_is_infap() -> None:
    for seed in range(20):
        run = random_run(seed, unjudged=0.5)
        bare = replace(run, qrels=replace(run.qrels, sampling=None))
        assert xinfap(bare) == pytest.approx(infap(run), rel=1e-12)
        assert seed > 3 or xinfap(run) != pytest.approx(infap(run), rel=1e-6)


def test_estimates_from_stratified_samples_lie_around_ap() -> None:
    docs = [f"d{i:02}" for i in range(60)]
    relevant = {doc for i, doc in enumerate(docs) if i % 3 == 0 or i < 4}
    run = Run.from_columns(["q1"] * 60, docs, -np.arange(60.0))
    lists = TopicLists.of([" ".join(docs)])
    truth = Qrels.from_dict({"q1": {doc: float(doc in relevant) for doc in docs}})
    estimates = []
    for seed in range(150):
        drawn, left = items_of("stratified(strata=10:1/60:0.2)", lists, seed=seed)
        qrels = Qrels.from_columns(
            ["q1"] * len(drawn + left),
            [item.doc for item in drawn + left],
            [float(item.doc in relevant) for item in drawn] + [-1.0] * len(left),
            stratum=[item.stratum for item in drawn + left],
            inclusion=[item.inclusion for item in drawn + left],
        )
        estimates.append(xinfap(match(qrels, run))[0])
    [exact] = average_precision(match(truth, run))
    assert abs(np.mean(estimates) - exact) < 0.02
    assert np.std(estimates) > 0.01


def test_a_sample_that_does_not_list_what_was_left_out_is_refused() -> None:
    qrels = Qrels.from_columns(["q", "q"], ["d1", "d2"], [1, 0], inclusion=[0.5, 0.5])
    run = match(qrels, Run.from_dict({"q": {"d1": 1.0}}))
    with pytest.raises(MeasureError, match="a sampled stratum does not list its unjudged documents"):
        xinfap(run)
