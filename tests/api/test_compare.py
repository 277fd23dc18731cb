import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

import germane as ge
from germane.errors import GermaneError
from germane.stats.intervals.ranks import rank_intervals

GENERATOR = np.random.default_rng(7)
QUERIES = [f"q{i:02d}" for i in range(30)]
EASY = GENERATOR.uniform(0.2, 0.6, 30)
VALUES = {
    name: dict(zip(QUERIES, (EASY + shift + GENERATOR.normal(0, 0.05, 30)).tolist(), strict=True))
    for name, shift in (("a", 0.0), ("b", 0.06), ("c", 0.061))
}


Values = np.ndarray[tuple[int], np.dtype[np.float64]]


def column(name: str) -> Values:
    return np.array([VALUES[name][q] for q in QUERIES])


def test_the_default_is_a_paired_t_with_bonferroni_over_all_pairs() -> None:
    comparison = ge.compare(VALUES)
    raw = [scipy_stats.ttest_rel(column(b), column(a)).pvalue for a, b in combinations("abc", 2)]
    assert [pair.p for pair in comparison.pairs] == pytest.approx(raw)
    assert [pair.p_adjusted for pair in comparison.pairs] == pytest.approx([min(1, 3 * p) for p in raw])
    assert (comparison.simultaneous, comparison.matches, comparison.level) == (True, True, 0.95)


def test_holm_steps_down_over_all_pairs_and_its_intervals_are_unadjusted() -> None:
    comparison = ge.compare(VALUES, correction="holm")
    assert (comparison.simultaneous, comparison.matches) == (False, False)
    assert comparison.intervals_in_words == "95% t interval, unadjusted"
    raw = [pair.p for pair in comparison.pairs]
    # Holm by hand: the smallest times 3, the next times 2 but no less, the last times 1 but no less.
    first, second, third = sorted(raw)
    expected = {first: 3 * first, second: max(3 * first, 2 * second), third: max(3 * first, 2 * second, third)}
    assert [pair.p_adjusted for pair in comparison.pairs] == pytest.approx([min(1, expected[p]) for p in raw])
    assert (comparison.num_tests, comparison.family) == (3, "3 pairs of systems × 1 measure")


def test_a_pair_says_how_large_and_how_sure() -> None:
    pair = ge.compare(VALUES, baseline="a")["value", "a", "b"]
    difference = column("b") - column("a")
    half = scipy_stats.t.ppf(1 - 0.025 / 2, 29) * difference.std(ddof=1) / math.sqrt(30)
    assert pair.difference == pytest.approx(difference.mean())
    assert (pair.low, pair.high) == pytest.approx((difference.mean() - half, difference.mean() + half))
    assert pair.effect["d_z"] == pytest.approx(difference.mean() / difference.std(ddof=1))
    assert (pair.wins, pair.ties, pair.losses) == ((difference > 0).sum(), 0, (difference < 0).sum())
    for (query, change), place in ((pair.gained[0], difference.argmax()), (pair.lost[0], difference.argmin())):
        assert query == QUERIES[int(place)]
        assert change == pytest.approx(difference[place])


def test_a_baseline_makes_a_smaller_family() -> None:
    comparison = ge.compare(VALUES, baseline="b")
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [("b", "a"), ("b", "c")]
    assert comparison.letters == {}


def test_letters_join_what_cannot_be_told_apart() -> None:
    letters = ge.compare(VALUES).letters["", "value"]
    assert letters["b"] == letters["c"] == "a"
    assert letters["a"] == "b"


ORACLES: list[tuple[str, Callable[[Values, Values], float]]] = [
    ("wilcoxon", lambda a, b: float(scipy_stats.wilcoxon(b, a).pvalue)),
    ("sign", lambda a, b: float(scipy_stats.binomtest(int(np.sum(np.greater(b, a))), 30).pvalue)),
]


@pytest.mark.parametrize(("test", "oracle"), ORACLES)
def test_other_tests_are_scipys(test: str, oracle: Callable[[Values, Values], float]) -> None:
    pair = ge.compare(VALUES, baseline="a", test=test)["value", "a", "b"]
    assert pair.p == pytest.approx(oracle(column("a"), column("b")), rel=1e-6)


def test_randomisation_is_near_the_t_test_and_repeats() -> None:
    first, again, other = (
        ge.compare(VALUES, test="randomisation", resamples=20_000, seed=seed).pairs[2].p for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert first == pytest.approx(ge.compare(VALUES).pairs[2].p, abs=0.02)


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey", "nemenyi"])
def test_many_systems_cover_their_pairs_and_bonferroni_the_measures(test: str) -> None:
    comparison = ge.compare(VALUES, test=test, resamples=2_000)
    assert [pair.p_adjusted for pair in comparison.pairs] == [pair.p for pair in comparison.pairs]
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"e": 1}}
    runs = {
        "x": {"q1": {"d": 2.0}, "q2": {"e": 2.0, "d": 1.0}, "q3": {"e": 1.0}},
        "y": {"q1": {"e": 2.0}, "q2": {"d": 1.0}, "q3": {"d": 2.0, "e": 1.0}},
        "z": {"q1": {"e": 2.0, "d": 1.0}, "q2": {"e": 1.0}, "q3": {"e": 1.0}},
    }
    several = ge.compare(ge.evaluate(qrels, runs, ["RR", "P@1"]), test=test, resamples=2_000)
    assert several.correction == f"the {test} test, bonferroni over measures"
    assert [pair.p_adjusted for pair in several.pairs] == pytest.approx(
        [min(1.0, 2 * pair.p) for pair in several.pairs]
    )


def test_tukeys_intervals_hold_together_and_agree_with_its_p() -> None:
    comparison = ge.compare(VALUES, test="tukey")
    assert comparison.intervals_in_words == "simultaneous 95% tukey interval"
    for pair in comparison.pairs:
        assert pair.low < pair.difference < pair.high
        assert (pair.low > 0 or pair.high < 0) == (pair.p < 0.05)
        single = ge.compare(VALUES, correction="none")["value", pair.a, pair.b]
        assert pair.high - pair.low > 2 * (pair.difference - single.low) * 0.9


def test_nemenyi_comes_with_friedman() -> None:
    [friedman] = ge.compare(VALUES, test="nemenyi").friedman
    expected = scipy_stats.friedmanchisquare(*(column(name) for name in "abc"))
    assert (friedman.chi_squared, friedman.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert sum(friedman.mean_ranks.values()) == pytest.approx(6)


def test_max_t_lies_between_raw_and_bonferroni() -> None:
    raw, adjusted, bonferroni = (
        [pair.p_adjusted for pair in ge.compare(VALUES, correction=c, resamples=20_000).pairs]
        for c in ("none", "max-t", "bonferroni")
    )
    assert all(r <= m + 0.01 and m <= b + 0.01 for r, m, b in zip(raw, adjusted, bonferroni, strict=True))


def test_equivalence_margin_and_power_come_when_asked() -> None:
    plain = ge.compare(VALUES, baseline="b")["value", "b", "c"]
    assert (plain.p_equivalent, plain.p_noninferior, plain.queries_needed) == (None, None, None)
    asked = ge.compare(VALUES, baseline="b", equivalence=0.2, margin=0.2, difference=0.05)["value", "b", "c"]
    assert asked.p_equivalent is not None
    assert asked.p_equivalent < 1e-6
    assert asked.p_noninferior is not None
    assert asked.p_noninferior <= asked.p_equivalent
    assert asked.queries_needed is not None
    assert asked.minimum_detectable is not None
    assert (asked.queries_needed <= 30) == (asked.minimum_detectable <= 0.05)


def test_where_less_is_better_the_winner_is_the_lower_one() -> None:
    qrels = {f"q{i}": {"d": 1} for i in range(4)}
    good = {f"q{i}": {"d": 1.0} for i in range(4)}
    bad = {f"q{i}": {"e": 2.0, "d": 1.0} if i else {"d": 1.0} for i in range(4)}
    pair = ge.compare(ge.evaluate(qrels, {"bad": bad, "good": good}, "E@1")).pairs[0]
    assert pair.difference < 0
    assert (pair.wins, pair.ties, pair.losses) == (3, 1, 0)
    assert pair.effect["dominance"] == pytest.approx(0.75)
    assert pair.effect["d_z"] > 0


def test_folds_get_the_corrected_t() -> None:
    folds = {"a": dict(zip("12345", [0.80, 0.82, 0.78, 0.81, 0.79], strict=True)),
             "b": dict(zip("12345", [0.83, 0.84, 0.80, 0.82, 0.83], strict=True))}  # fmt: skip
    plain, corrected = ge.compare(folds).pairs[0].p, ge.compare(folds, folds=(80, 20)).pairs[0].p
    difference = np.array([0.03, 0.02, 0.02, 0.01, 0.04])
    t = difference.mean() / math.sqrt((1 / 5 + 20 / 80) * difference.var(ddof=1))
    assert corrected == pytest.approx(2 * scipy_stats.t.sf(t, 4))
    assert corrected > plain
    pair = ge.compare(folds, folds=(80, 20)).pairs[0]
    half = scipy_stats.t.ppf(0.975, 4) * math.sqrt((1 / 5 + 20 / 80) * difference.var(ddof=1))
    assert (pair.low, pair.high) == pytest.approx((0.024 - half, 0.024 + half))
    assert pair.minimum_detectable is None


def test_slices_are_part_of_the_family() -> None:
    qrels = {q: {"d": 1} for q in QUERIES}
    runs = {name: {q: {"d": 1.0} if VALUES[name][q] > 0.45 else {"e": 1.0} for q in QUERIES} for name in VALUES}
    slices = {q: "odd" if int(q[1:]) % 2 else "even" for q in QUERIES}
    comparison = ge.compare(ge.evaluate(qrels, runs, "RR", slices=slices), baseline="a")
    assert comparison.num_tests == 6
    assert [pair.num_queries for pair in comparison.pairs] == [30, 30, 15, 15, 15, 15]


def test_two_groups_of_queries() -> None:
    qrels = {q: {"d": 1} for q in QUERIES}
    run = {q: {"e": 2.0, "d": 1.0} if i % (3 if i < 15 else 5) else {"d": 1.0} for i, q in enumerate(QUERIES)}
    groups = {q: "control" if i < 15 else "treatment" for i, q in enumerate(QUERIES)}
    scores = ge.evaluate(qrels, run, "RR")
    pair = ge.compare(scores, groups=groups).pairs[0]
    values = np.array(list(scores["run", "RR"].values()))
    assert (pair.a, pair.b) == ("run [control]", "run [treatment]")
    assert pair.p == pytest.approx(scipy_stats.ttest_ind(values[15:], values[:15], equal_var=False).pvalue)
    interval = scipy_stats.ttest_ind(values[15:], values[:15], equal_var=False).confidence_interval()
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))


def nan_scores() -> ge.Scores:
    runs = {"a": {"q1": {"d": 1.0}}, "b": {"q2": {"d": 1.0}}}
    return ge.evaluate({"q1": {"d": 1}, "q2": {"d": 1}}, runs, "RR", topics="both")


WRONG: list[tuple[str, Callable[[], object], str]] = [
    ("one system", lambda: ge.compare({"a": {"q1": 1.0, "q2": 0.0}}), "at least two systems"),
    ("one query", lambda: ge.compare({"a": {"q1": 1.0}, "b": {"q1": 0.0}}), "at least two queries"),
    ("different queries", lambda: ge.compare({"a": {"q1": 1.0, "q2": 1.0}, "b": {"q1": 0.0}}), "b has no value"),
    ("topics=both", lambda: ge.compare(nan_scores()), "run on different queries; 2 are missing"),
    ("NaN", lambda: ge.compare({"a": {"1": math.nan, "2": 1.0}, "b": {"1": 0.0, "2": 1.0}}), "undefined for query '1'"),
    ("baseline", lambda: ge.compare(VALUES, baseline="d"), "unknown run 'd'"),
    ("test", lambda: ge.compare(VALUES, test="ttest"), "unknown test 'ttest'"),
    ("correction", lambda: ge.compare(VALUES, correction="holms"), "did you mean holm?"),
    ("interval", lambda: ge.compare(VALUES, interval="bcaa"), "bca"),
    ("max-t elsewhere", lambda: ge.compare(VALUES, correction="max-t", test="sign"), "max-t requires a two-sided t"),
    ("one-sided max-t", lambda: ge.compare(VALUES, correction="max-t", sides="less"), "two-sided t-test"),
    ("tukey with bh", lambda: ge.compare(VALUES, test="tukey", correction="bh"), "bh is not supported with tukey"),
    ("folds with another test", lambda: ge.compare(VALUES, test="sign", folds=(9, 1)), "corrected resampled t-test"),
    ("folds of one number", lambda: ge.compare(VALUES, folds=10), "with 2 entries as folds, found 10"),  # type: ignore[call-overload]
    ("alpha", lambda: ge.compare(VALUES, alpha=5), "expected alpha between 0 and 1"),
    ("nothing", lambda: ge.compare({}), "found 0"),
    ("no dicts", lambda: ge.compare({"a": 1.0, "b": 2.0}), "by system and query"),  # type: ignore[arg-type]
    ("text for values", lambda: ge.compare({"a": {"q": "x"}, "b": {"q": "y"}}),  # type: ignore[arg-type]
     "a number as value of a in every row"),
    ("the pair turned round", lambda: ge.compare(VALUES)["value", "b", "a"], "a comes before b"),
    ("one-sided tukey", lambda: ge.compare(VALUES, test="tukey", sides="less"), "two-sided"),
    ("three groups", lambda: ge.compare(nan_scores(), groups={"q1": "x"}), "expected two groups"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "message"), WRONG, ids=[name for name, _, _ in WRONG])
def test_wrong_input_gets_a_clear_word(name: str, call: Callable[[], object], message: str) -> None:
    with pytest.raises(GermaneError) as caught:
        call()
    assert message in str(caught.value), name


def test_the_same_system_twice_differs_nowhere() -> None:
    comparison = ge.compare({"a": VALUES["a"], "b": dict(VALUES["a"])})
    assert comparison.pairs[0].p == 1.0
    assert any(note.code == "unusual-p-values" and "no query differs" in note.message for note in comparison.notes)


def test_a_constant_difference_has_no_p_and_says_why() -> None:
    shifted = {q: v + 0.25 for q, v in zip(QUERIES, np.linspace(0, 0.5, 30).tolist(), strict=True)}
    base = dict(zip(QUERIES, np.linspace(0, 0.5, 30).tolist(), strict=True))
    comparison = ge.compare({"a": base, "b": shifted})
    assert math.isnan(comparison.pairs[0].p)
    assert any("the variance is 0" in note.message for note in comparison.notes)


@pytest.mark.parametrize("method", ["normal", "t", "percentile", "bca", "studentised"])
def test_an_interval_for_each_mean(method: str) -> None:
    qrels = {q: {"d": 1} for q in QUERIES}
    run = {q: {"d": 1.0} if i % 3 else {"e": 1.0} for i, q in enumerate(QUERIES)}
    scores = ge.evaluate(qrels, run, ["RR", "NumRel"], interval=method, seed=3)
    assert scores.intervals is not None
    low, high = scores.intervals.low[0], scores.intervals.high[0]
    assert 0.4 < low[0] < 20 / 30 < high[0] < 0.9
    assert np.isnan([low[1], high[1]]).all()


@pytest.mark.shared
def test_all_pairs_of_the_robust_runs(shared: Path) -> None:
    folder = shared / "data" / "robust03"
    runs = sorted(map(str, (folder / "runs").iterdir()))
    scores = ge.evaluate(str(folder / "qrels.txt.gz"), runs, ["AP", "P@10", "nDCG@10"])
    comparison = ge.compare(scores, test="randomisation", resamples=10_000)
    assert comparison.num_tests == 3 * 17 * 16 / 2
    t = {(p.measure, p.a, p.b): p.p for p in ge.compare(scores).pairs}
    # On real topics randomisation and t agree, as the literature found; on P@10, which has few values, sums often tie
    # with the observed one and count, so its p may come out larger.
    gaps = {m: [p.p - t[p.measure, p.a, p.b] for p in comparison.pairs if p.measure == m] for m in ("AP", "P@10")}
    assert max(map(abs, gaps["AP"])) < 0.02
    assert max(gaps["P@10"]) > -min(gaps["P@10"])


def test_a_measure_that_says_how_much_makes_nobody_better() -> None:
    qrels = {f"q{n}": {"d": 1, "e": 0} for n in range(12)}
    judged = {query: {"d": 2.0, "e": 1.0} for query in qrels}
    other = {query: {"x": 3.0, "d": 2.0} for query in list(qrels)[:11]} | {"q11": {"d": 1.0, "e": 0.5}}
    scores = ge.evaluate(qrels, {"judged": judged, "other": other}, ["AP", "Unjudged@2"])
    comparison = ge.compare(scores, baseline="judged")
    assert 'no better direction for Unjudged@2; a "win" only means a higher value' in [
        note.message for note in comparison.notes
    ]
    table = comparison.to_latex()
    assert r"judged & \textbf{1.0000} & 0.0000 \\" in table
    assert r"other & 0.5417$^{-}$ & 0.4583 \\" in table


def many_systems(num_systems: int) -> dict[str, dict[str, float]]:
    """Systems whose means fall in their order, with noise by query."""
    random = np.random.default_rng(num_systems)
    noise = random.normal(0, 0.1, (num_systems, 30))
    return {f"s{i:02}": {f"q{q}": 0.9 - 0.01 * i + noise[i, q] for q in range(30)} for i in range(num_systems)}


def test_more_systems_than_letters_can_show_have_intervals_of_their_ranks() -> None:
    assert ge.compare(many_systems(20)).ranks == {}
    compared = ge.compare(many_systems(21), seed=7)
    ((key, ranks),) = compared.ranks.items()
    expected = rank_intervals(compared.scores.values[:, 0].T, seed=7)
    assert key == ("", compared.pairs[0].measure)
    assert list(ranks.values()) == list(zip(expected.low.tolist(), expected.high.tolist(), strict=True))
    assert compared.to_dict()["ranks"][0]["ranks"]["s00"] == list(ranks["s00"])


def test_tied_for_best_are_those_not_significantly_different_from_the_best() -> None:
    compared = ge.compare(many_systems(21))
    (measure,) = {pair.measure for pair in compared.pairs}
    means = compared.scores.mean()
    best = max(means, key=lambda name: means[name][measure])
    tied = compared.tied_for_best(measure)
    assert tied[0] == best
    apart = {*means} - {*tied}
    assert apart
    for pair in compared.pairs:
        if best in (pair.a, pair.b):
            assert ({pair.a, pair.b} - {best} <= apart) is (pair.p_adjusted <= 0.05)
    assert ge.compare(many_systems(21), baseline="s20").tied_for_best(measure) == []
