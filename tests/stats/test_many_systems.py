"""Many systems at once: worked on paper, against statsmodels and scipy, and by simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from germane.errors import GermaneError
from germane.stats.significance.columns import mid_ranks
from germane.stats.significance.many_systems import Pairs, friedman, nemenyi, randomised_tukey, tukey_hsd, two_way_anova
from germane.stats.significance.studentised_range import critical_range
from germane.tables.columns.ids import FloatArray

# Four queries, three systems. System means 2, 3, 7; query means 3, 4, 5, 4; grand mean 4.
ON_PAPER = np.array([[1, 2, 6], [2, 4, 6], [3, 3, 9], [2, 3, 7]], dtype=np.float64)


def test_two_way_anova_on_paper() -> None:
    anova = two_way_anova(ON_PAPER)

    # Systems: 4 queries × ((2-4)² + (3-4)² + (7-4)²) = 4 × (4 + 1 + 9) = 56, with 3 - 1 = 2 degrees of freedom.
    assert (anova.systems.sum_of_squares, anova.systems.df, anova.systems.mean_square) == (56, 2, 28)
    # Queries: 3 systems × ((3-4)² + 0 + (5-4)² + 0) = 6, with 4 - 1 = 3 degrees of freedom.
    assert (anova.queries.sum_of_squares, anova.queries.df, anova.queries.mean_square) == (6, 3, 2)
    # In all: 1+4+36 + 4+16+36 + 9+9+81 + 4+9+49 = 258, less 12 × 4² = 192, is 66. What is left: 66 - 56 - 6 = 4.
    assert anova.residual.sum_of_squares == pytest.approx(4)
    assert anova.residual.df == 6
    assert anova.residual_sd == pytest.approx((4 / 6) ** 0.5)
    # F: 28 / (2/3) = 42 and 2 / (2/3) = 3.
    assert [anova.systems.f, anova.queries.f] == pytest.approx([42, 3])
    # With 2 degrees of freedom above, P(F > f) = (1 + 2f/6)^(-6/2) = (1 + 14)^-3.
    assert anova.systems.p == pytest.approx(15**-3)
    # The table has 4.76 for 5 % of F with 3 and 6.
    assert anova.queries.p == pytest.approx(stats.f.sf(3, 3, 6))
    assert anova.queries.p > 0.05


def test_blocked_tukey_on_paper() -> None:
    tukey = tukey_hsd(ON_PAPER)

    # The standard error of a mean is sqrt((2/3) / 4) = sqrt(1/6). Differences 1, 5 and 4 are so many of them:
    q = {(1, 0): 1 * 6**0.5, (2, 0): 5 * 6**0.5, (2, 1): 4 * 6**0.5}  # 2.449, 12.247, 9.798
    # The table of the studentised range has 4.339 (5 %) and 6.331 (1 %) for 3 means and 3 × 2 = 6 degrees of freedom.
    for (i, j), in_standard_errors in q.items():
        assert tukey.difference[i, j] / (1 / 6) ** 0.5 == pytest.approx(in_standard_errors)
        assert tukey.p[i, j] == tukey.p[j, i] == pytest.approx(stats.studentized_range.sf(in_standard_errors, 3, 6))
    assert tukey.p[1, 0] > 0.05, "2.449 < 4.339"
    assert max(tukey.p[2, 0], tukey.p[2, 1]) < 0.01, "9.798 > 6.331"
    assert np.diag(tukey.p).tolist() == [1, 1, 1]
    # All differences hold within 4.339 × sqrt(1/6) = 1.771.
    assert tukey.critical_difference == pytest.approx(1.771, abs=0.0005)
    assert (tukey.low[2, 1], tukey.high[2, 1]) == (
        pytest.approx(4 - 1.7714, abs=1e-4),
        pytest.approx(4 + 1.7714, abs=1e-4),
    )


def scores(n: int, k: int, seed: int, *, query_sd: float = 0.25, gains: tuple[float, ...] = ()) -> FloatArray:
    """Systems that are alike (but for their gains) on queries that are not: the null hypothesis as practice has it."""
    rng = np.random.default_rng(seed)
    noise: FloatArray = rng.normal(0, 0.05, size=(n, k))
    return rng.normal(0.5, query_sd, size=(n, 1)) + (np.array(gains or (0.0,)) + noise)


def test_anova_equals_that_of_statsmodels() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    X = scores(9, 4, seed=1, gains=(0, 0.01, 0.02, 0.05))
    query, system = np.indices(X.shape)
    table = anova_lm(
        ols(
            "value ~ C(system) + C(query)",
            pd.DataFrame({"value": X.ravel(), "query": query.ravel(), "system": system.ravel()}),
        ).fit()
    )
    anova = two_way_anova(X)
    for name, source in [("C(system)", anova.systems), ("C(query)", anova.queries)]:
        ours = [source.df, source.sum_of_squares, source.mean_square, source.f, source.p]
        assert ours == pytest.approx(table.loc[name].tolist(), rel=1e-9)
    ours = [anova.residual.df, anova.residual.sum_of_squares, anova.residual_sd**2]
    assert ours == pytest.approx(table.loc["Residual"].tolist()[:3])


def test_two_systems_are_the_paired_t_test() -> None:
    X = scores(12, 2, seed=2)
    t = stats.ttest_rel(X[:, 0], X[:, 1])
    assert two_way_anova(X).systems.f == pytest.approx(t.statistic**2)
    assert two_way_anova(X).systems.p == pytest.approx(t.pvalue)
    tukey, interval = tukey_hsd(X), t.confidence_interval(0.95)
    assert tukey.p[0, 1] == pytest.approx(t.pvalue)
    assert (tukey.low[0, 1], tukey.high[0, 1]) == (pytest.approx(interval.low), pytest.approx(interval.high))


def unpaired_tukey(X: FloatArray) -> Pairs:
    """The broken specimen, as other tools ship it: the spread of the queries is taken for noise."""
    n, k = X.shape
    mean_square = float(np.mean(np.var(X, axis=0, ddof=1)))
    difference = X.mean(axis=0)[:, None] - X.mean(axis=0)
    critical = critical_range(0.95, k, k * (n - 1)) * np.sqrt(mean_square / n)
    return Pairs(difference, np.where(np.abs(difference) > critical, 0.0, 1.0), critical, 0.95)


def test_the_specimen_is_what_other_tools_do() -> None:
    X = scores(10, 3, seed=3, query_sd=0.05, gains=(0, 0.05, 0.2))
    theirs = stats.tukey_hsd(*X.T)
    assert ((theirs.pvalue < 0.05) == (unpaired_tukey(X).p < 0.05)).all()
    assert (theirs.pvalue < 0.05).any()


def test_blocking_finds_what_the_unpaired_test_overlooks() -> None:
    X = scores(50, 4, seed=4, gains=(0, 0, 0, 0.05))
    assert stats.tukey_hsd(*X.T).pvalue[0, 3] > 0.5
    assert tukey_hsd(X).p[0, 3] < 0.001
    assert randomised_tukey(X, 999).p[0, 3] == 0.001


def level_of(test: Callable[[FloatArray], Pairs], *, experiments: int, n: int, k: int) -> float:
    """How often a test at 5 % finds any difference among systems that are alike."""
    found = [bool(test(scores(n, k, seed=1000 + e)).p.min() <= 0.05) for e in range(experiments)]
    return sum(found) / experiments


# The standard error of 5 % in 800 experiments is .0077. Twelve systems have pairs enough to share one table of p.


def test_blocked_tukey_rejects_as_often_as_it_says() -> None:
    assert abs(level_of(tukey_hsd, experiments=800, n=10, k=12) - 0.05) <= 3 * 0.0077


def test_the_unpaired_specimen_is_caught_being_conservative() -> None:
    assert level_of(unpaired_tukey, experiments=800, n=10, k=12) < 0.005


def test_randomised_tukey_rejects_as_often_as_it_says() -> None:
    assert abs(level_of(lambda X: randomised_tukey(X, 199), experiments=800, n=8, k=4) - 0.05) <= 3 * 0.0077


def test_a_test_that_forgets_the_other_pairs_is_caught_rejecting_too_often() -> None:
    def best_against_worst(X: FloatArray) -> Pairs:
        best, worst = X.mean(axis=0).argmax(), X.mean(axis=0).argmin()
        return randomised_tukey(X[:, [best, worst]], 199)

    assert level_of(best_against_worst, experiments=200, n=8, k=4) > 0.05 + 3 * 0.0154


def test_randomised_tukey_comes_near_tukey_on_normal_scores() -> None:
    X = scores(40, 5, seed=6)
    blocked, randomised = tukey_hsd(X), randomised_tukey(X, 5_000, seed=1)
    assert randomised.p == pytest.approx(blocked.p, abs=0.03)
    assert randomised.critical_difference == pytest.approx(blocked.critical_difference, rel=0.1)
    assert randomised_tukey(X, 5_000, seed=1).p.tolist() == randomised.p.tolist()


@pytest.mark.parametrize("permutations", [19, 99, 500])
def test_beyond_the_critical_difference_lies_what_is_significant(permutations: int) -> None:
    for seed in range(20):
        pairs = randomised_tukey(scores(6, 4, seed, gains=(0, 0.02, 0.04, 0.08)), permutations, seed)
        assert ((np.abs(pairs.difference) > pairs.critical_difference * (1 + 1e-9)) == (pairs.p <= 0.05)).all()


def test_randomised_tukey_over_all_shuffles_of_two_queries() -> None:
    # Two systems, three queries, differences 1, 2 and 3: of 8 orders, 2 make the means differ by 2 or more.
    pairs = randomised_tukey([[1, 0], [2, 0], [3, 0]], 20_000)
    assert pairs.p[0, 1] == pytest.approx(2 / 8, abs=0.01)


# Demšar, JMLR 2006, table 6: the ranks of four variants of C4.5 on 14 data sets.
# fmt: off
DEMSAR = np.array([
    [4, 3, 2, 1],         [1, 2, 3, 4],     [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1],
    [1, 2.5, 4, 2.5],     [3, 2, 4, 1], [2.5, 2.5, 4, 1], [4, 3, 2, 1],
    [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3], [3, 1, 4, 2],
])
# fmt: on


def test_friedman_and_nemenyi_as_published() -> None:
    result = friedman(-DEMSAR)
    assert result.mean_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=0.0005)
    # The paper's 9.28 does not correct for ties: three of two systems (2³-2 = 6 each) and one of four (4³-4 = 60).
    assert result.chi_squared * (1 - 78 / (14 * 4 * 15)) == pytest.approx(9.28, abs=0.005)
    # "The critical difference is 2.569 sqrt(4·5 / (6·14)) = 1.25", and at 10 % "2.291 ... = 1.12".
    assert nemenyi(-DEMSAR).critical_difference == pytest.approx(1.25, abs=0.005)
    tenth = nemenyi(-DEMSAR, level=0.9)
    assert tenth.critical_difference == pytest.approx(1.12, abs=0.005)
    # "C4.5 is significantly worse than C4.5+m and C4.5+m+cf" at 10 %, and nothing else can be said.
    assert np.argwhere(np.triu(tenth.p <= 0.1)).tolist() == [[0, 1], [0, 3]]
    assert np.argwhere(np.triu(nemenyi(-DEMSAR).p <= 0.05)).tolist() == []
    assert tenth.difference[0, 1] == pytest.approx(3.143 - 2.000, abs=0.001)


@given(arrays(np.float64, st.integers(1, 30), elements=st.integers(0, 5).map(float)))
def test_mid_ranks_equal_those_of_scipy(values: FloatArray) -> None:
    assert mid_ranks(values).tolist() == stats.rankdata(values).tolist()


def test_friedman_equals_that_of_scipy() -> None:
    X = np.random.default_rng(7).integers(0, 4, size=(15, 5)).astype(np.float64)  # with many ties
    theirs = stats.friedmanchisquare(*X.T)
    ours = friedman(X)
    assert [ours.chi_squared, ours.p] == pytest.approx([float(theirs.statistic), float(theirs.pvalue)])
    assert ours.df == 4


ALL_PAIRS: dict[str, Callable[[FloatArray], Pairs]] = {
    "tukey": tukey_hsd,
    "randomised": lambda X: randomised_tukey(X, 50),
    "nemenyi": nemenyi,
}


@pytest.mark.parametrize("name", ALL_PAIRS)
def test_systems_that_are_all_alike_have_no_p(name: str) -> None:
    pairs = ALL_PAIRS[name](np.tile([[0.1], [0.7], [0.3]], 3) + np.array([0, 1e-17, 0]))
    assert np.isnan(pairs.p).all()
    assert np.isnan(pairs.critical_difference)


def test_systems_a_constant_apart_leave_nothing_to_compare_with() -> None:
    X = np.add.outer([0.1, 0.7, 0.3], [0, 0.1, 0.3])
    anova = two_way_anova(X)
    assert anova.residual_sd == 0
    assert np.isnan([anova.systems.f, anova.systems.p, anova.queries.p]).all()
    assert np.isnan(tukey_hsd(X).p).all()
    assert np.isnan(friedman(np.ones((3, 3))).p)


@pytest.mark.parametrize("name", ["anova", "friedman", *ALL_PAIRS])
@pytest.mark.parametrize(
    ("X", "word"),
    [
        (np.ones((5, 1)), "two systems"),
        (np.ones((1, 5)), "two queries"),
        (np.ones(5), "rows for queries"),
        (np.array([[1.0, 2.0], [np.nan, 1.0], [0.0, 1.0]]), "1 of 3 queries have no score"),
    ],
)
def test_what_cannot_be_compared_gets_a_clear_word(name: str, X: FloatArray, word: str) -> None:
    test: Callable[[FloatArray], object] = {"anova": two_way_anova, "friedman": friedman, **ALL_PAIRS}[name]
    with pytest.raises(GermaneError, match=word):
        test(X)


def test_levels_and_draws_that_cannot_be() -> None:
    with pytest.raises(GermaneError, match=r"for example 0\.95"):
        tukey_hsd(ON_PAPER, level=95)
    with pytest.raises(GermaneError, match="level between 0 and 1"):
        nemenyi(ON_PAPER, level=0)
    with pytest.raises(GermaneError, match="expected at least 1 resample"):
        randomised_tukey(ON_PAPER, 0)


@settings(max_examples=25, deadline=None)
@given(arrays(np.float64, (5, 4), elements=st.integers(0, 9).map(float)), st.permutations(range(4)))
def test_pairs_permute_with_the_systems_and_ignore_what_queries_add(X: FloatArray, order: list[int]) -> None:
    for test in (tukey_hsd, nemenyi):
        pairs, permuted = test(X), test(X[:, order] + np.arange(5)[:, None])
        assert permuted.p == pytest.approx(pairs.p[np.ix_(order, order)], rel=1e-6, nan_ok=True)
        assert pairs.p == pytest.approx(pairs.p.T, nan_ok=True)
