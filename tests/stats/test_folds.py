"""Standard errors of differences over folds, and how often the tests that use them are wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from germane.stats.significance.effects import margin_tests
from germane.stats.significance.folds import Folds
from germane.stats.significance.paired_tests import corrected_resampled_t
from tests.stats.folds_type_one import error_rates

# fmt: off
ERRORS = [
    # differences       train test runs  variance of the mean                 why
    ([.1, .3, -.1, .2], 90,   10,  1,    (1 / 4 + 1 / 9) * .0875 / 3,         "all folds pooled"),
    ([.1, .3, -.1, .2], 50,   50,  2,    .15**2 / 2 / 2 + .0875 / 3,          "means of runs 0.2 and 0.05"),
    ([.1, .3, .3, .1],  50,   50,  2,    .04 / 3,                             "runs agree: only shared data are left"),
    ([.1, .3, -.1, .2], 1e12, 10,  1,    .0875 / 3 / 4,                       "no overlap: Student's"),
]
# fmt: on


@pytest.mark.parametrize(("differences", "train", "test", "runs", "variance", "why"), ERRORS)
def test_standard_errors_by_hand(
    differences: list[float], train: float, test: float, runs: int, variance: float, why: str
) -> None:
    (error,) = Folds(train, test, runs).standard_errors(differences)
    assert error == pytest.approx(math.sqrt(variance)), why
    found = corrected_resampled_t(differences, train, test, runs=runs)
    t = np.mean(differences) / math.sqrt(variance)
    assert (float(found.statistic), float(found.p)) == pytest.approx((t, 2 * stats.t.sf(t, 3))), why


def test_margins_of_folds_by_hand() -> None:
    a, b = [0.52, 0.61, 0.33, 0.74], [0.50, 0.60, 0.35, 0.73]
    differences = np.subtract(a, b)
    error = math.sqrt(differences.var(ddof=1) * (1 / 4 + 1 / 9))
    found = margin_tests(a, b, 0.05, Folds(90, 10))
    assert found.p_noninferior == pytest.approx(stats.t.sf((differences.mean() + 0.05) / error, 3))
    assert found.p_equivalent > margin_tests(a, b, 0.05).p_equivalent


def test_only_corrected_tests_keep_their_level() -> None:
    rates = error_rates(items=60, folds=5, runs=4, trials=150)
    assert rates["t, all folds"] > 0.2
    assert rates["t, means of runs"] > 0.2
    for test in ("corrected, one run", "corrected, all folds", "corrected, runs as clusters"):
        assert rates[test] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 150), test
