"""Score densities: areas of 1, and scipy's kernel estimate."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from germane.errors import GermaneError
from germane.measures.decisions.scores.score_densities import bandwidth, score_densities
from germane.tables.decisions.decisions import Decisions


@pytest.mark.parametrize("n", [50, 6_000], ids=["few scores", "gathered in cells"])
def test_densities_are_those_of_numpy_and_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    truth = rng.random(n) < 0.4
    score = rng.normal(2.0 * truth)
    spread = score_densities(Decisions.of(truth, score), bins=20)
    for held, smooth, side in (
        (spread.positive, spread.smooth_positive, truth),
        (spread.negative, spread.smooth_negative, ~truth),
    ):
        width = bandwidth(np.sort(score[side])[::-1], np.ones(side.sum()))
        np.testing.assert_allclose(held, np.histogram(score[side], spread.edges, density=True)[0])
        assert (held * np.diff(spread.edges)).sum() == pytest.approx(1)
        kernel = stats.gaussian_kde(score[side], bw_method=width / score[side].std(ddof=1))
        np.testing.assert_allclose(smooth, kernel(spread.grid), atol=2e-5)


def test_silverman_by_hand() -> None:
    # Quartiles 8 and 1 of (9, 8, 1, 0): IQR/1.34 = 5.22 and s = 4.65, so that s decides.
    s = math.sqrt(((9 - 4.5) ** 2 + 3.5**2) * 2 / 3)
    assert bandwidth(np.asarray([9.0, 8, 1, 0]), np.asarray([1, 1, 1, 1])) == pytest.approx(0.9 * s * 4**-0.2)
    assert bandwidth(np.asarray([9.0, 0]), np.asarray([1, 9])) == pytest.approx(0.9 * math.sqrt(8.1) * 10**-0.2)


def test_what_has_no_spread_or_no_end_is_said() -> None:
    spread = score_densities(Decisions.of([True, True, False], [0.5, 0.5, math.inf]), bins=4)
    assert spread.infinite == 1
    assert spread.positive.tolist() == [0, 0, 4, 0]
    assert np.isnan(spread.negative).all()
    assert np.isnan(spread.smooth_positive).all()
    with pytest.raises(GermaneError, match="at least 1 bin"):
        score_densities(Decisions.of([True], [0.5]), bins=0)
