"""Law: an interval that claims to match its test excludes 0 exactly where the pair is significant.

It runs over every test and every correction. Where they have no such intervals, the result must say "unadjusted".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import germane as ge
from germane.api.comparisons.family_intervals import INVERTIBLE_CORRECTIONS, INVERTIBLE_TESTS
from germane.api.comparisons.test_family import MANY_SYSTEM_TESTS, MAX_T_CORRECTIONS
from germane.errors import GermaneError
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import Scores

ALL_CORRECTIONS = [*CORRECTIONS.names, *MAX_T_CORRECTIONS, "none"]
PAIRED = list(itertools.product([*PAIRED_TESTS.names, *MANY_SYSTEM_TESTS], ALL_CORRECTIONS))
UNPAIRED = list(itertools.product(UNPAIRED_TESTS.names, [*CORRECTIONS.names, "none"]))
ALPHAS = (0.001, 0.05, 0.3)


def contradictions(comparison: SystemComparison) -> Iterator[str]:
    """Pairs of which the interval says one thing and the mark another; none where it is not said that they match."""
    if not comparison.matches:
        if "unadjusted" not in comparison.intervals_in_words:
            yield f"{comparison.test} × {comparison.correction}: neither matching nor called unadjusted"
        return
    for pair in comparison.pairs:
        excludes = pair.low > 0 or pair.high < 0
        if not np.isnan(pair.p_adjusted) and excludes != pair.significant(comparison.alpha):
            yield (
                f"{comparison.test} × {comparison.correction}, {pair.a} and {pair.b}: {pair.low} to {pair.high}, "
                f"adjusted p {pair.p_adjusted}"
            )


def drawn(seed: int, queries: int, systems: int = 5, *, steps: int | None = None) -> Scores:
    """Scores of systems that differ by little; with few steps of value there are many ties."""
    rng = np.random.default_rng(seed)
    easy = rng.uniform(0, 0.6, queries)
    table = {}
    for system in range(systems):
        values = np.clip(easy + 0.03 * system + rng.normal(0, 0.1, queries), 0, 1)
        values = values if steps is None else np.round(values * steps) / steps
        table[f"s{system}"] = {f"q{i:03d}": float(v) for i, v in enumerate(values)}
    return Scores.of(table)


SAMPLES = {
    "few": drawn(1, 8),
    "some": drawn(2, 40),
    "many ties": drawn(3, 30, steps=2),
    "two systems": drawn(4, 25, systems=2),
    "seven systems": drawn(5, 60, systems=7),
}
TWELVE = drawn(5, 60, systems=12)


@pytest.mark.parametrize(("test", "correction"), PAIRED)
def test_an_interval_agrees_with_its_mark(test: str, correction: str) -> None:
    alphas = ALPHAS if test != "tukey" else (0.05,)  # scipy takes seconds for each studentised range
    for scores, alpha, baseline in itertools.product(SAMPLES.values(), alphas, (None, "s0")):
        try:
            found = ge.compare(
                scores, test=test, correction=correction, alpha=alpha, baseline=baseline, resamples=999, seed=1
            )
        except GermaneError:  # this test has its own correction, or this correction its own test
            assert test in MANY_SYSTEM_TESTS or correction in MAX_T_CORRECTIONS
            continue
        assert list(contradictions(found)) == []
        assert found.level == pytest.approx(1 - alpha)
        assert found.matches == (
            test in INVERTIBLE_TESTS and (correction in INVERTIBLE_CORRECTIONS or found.num_tests == 1)
        )


@pytest.mark.parametrize(("test", "correction"), UNPAIRED)
def test_an_interval_of_two_groups_agrees_with_its_mark(test: str, correction: str) -> None:
    for scores, alpha in itertools.product((SAMPLES["some"], SAMPLES["many ties"]), ALPHAS):
        groups = {query: "ab"[i % 3 == 0] for i, query in enumerate(scores.queries)}
        found = ge.compare(scores, groups=groups, test=test, correction=correction, alpha=alpha, resamples=999)
        assert list(contradictions(found)) == []
        assert found.matches == (test in INVERTIBLE_TESTS and correction in INVERTIBLE_CORRECTIONS)


@pytest.mark.parametrize("test", ["t", "tukey", "randomised-tukey"])
def test_measures_and_slices_are_in_the_family_of_the_intervals_too(test: str) -> None:
    rng = np.random.default_rng(6)
    queries = [f"q{i:02d}" for i in range(40)]
    qrels = {query: {f"d{n}": int(n < 4) for n in range(20)} for query in queries}
    runs = {
        f"s{skill}": {q: {f"d{n}": float(rng.normal(-n * skill / 8, 3)) for n in range(20)} for q in queries}
        for skill in range(4)
    }
    slices = {query: f"slice {i % 3}" for i, query in enumerate(queries)}
    scores = ge.evaluate(qrels, runs, ["AP", "RR", "P@5"], slices=slices)
    found = ge.compare(scores, test=test, resamples=999)
    assert found.num_tests == 6 * 3 * 4
    assert {pair.significant(0.05) for pair in found.pairs} == {True, False}
    assert list(contradictions(found)) == []


def test_folds_have_intervals_that_agree() -> None:
    found = ge.compare(SAMPLES["few"], folds=(90, 10))
    assert (found.interval, found.matches, found.simultaneous) == ("corrected t", True, True)
    assert list(contradictions(found)) == []


def test_a_test_without_an_answer_is_not_counted_in_interval_or_p() -> None:
    values = {q: 0.1 * i for i, q in enumerate(SAMPLES["few"].queries)}
    rng = np.random.default_rng(8)
    table = {"a": values, "b": {q: v + 0.5 for q, v in values.items()}}
    table["c"] = {q: v + float(rng.normal(0.16, 0.2)) for q, v in values.items()}
    for alpha in np.linspace(0.01, 0.6, 60):
        found = ge.compare(table, baseline="a", alpha=float(alpha))
        assert found.pairs[0].verdict(0.05) == "not tested"
        assert list(contradictions(found)) == []


def test_the_law_catches_unadjusted_intervals_that_claim_to_match() -> None:
    holm = ge.compare(TWELVE, correction="holm")
    assert list(contradictions(replace(holm, matches=True))) != []


def test_the_law_catches_bonferroni_intervals_beside_holms_marks() -> None:
    """A plain Bonferroni interval does not agree with Holm's verdicts."""
    holm, bonferroni = (ge.compare(TWELVE, correction=name) for name in ("holm", "bonferroni"))
    mixed = [replace(h, low=b.low, high=b.high) for h, b in zip(holm.pairs, bonferroni.pairs, strict=True)]
    assert list(contradictions(replace(holm, pairs=tuple(mixed), matches=True))) != []


def test_the_law_catches_intervals_without_a_label() -> None:
    class Silent(SystemComparison):
        @property
        def intervals_in_words(self) -> str:
            return "95% t interval"

    assert list(contradictions(Silent(**vars(ge.compare(SAMPLES["few"], test="sign"))))) != []


def test_a_level_that_contradicts_alpha_is_refused() -> None:
    with pytest.raises(GermaneError, match=r"expected level 1 - alpha = 0.95 .*, found 0.9\n.*use `alpha=0.1`"):
        ge.compare(SAMPLES["few"], level=0.9)
    groups = {query: "ab"[i % 2] for i, query in enumerate(SAMPLES["few"].queries)}
    with pytest.raises(GermaneError, match=r"use `alpha=0.1`, or `interval='t'`"):
        ge.compare(SAMPLES["few"], groups=groups, level=0.9)
    unadjusted = ge.compare(SAMPLES["few"], level=0.9, interval="t")
    assert unadjusted.intervals_in_words == "90% t interval, unadjusted"
