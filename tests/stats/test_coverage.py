"""Intervals cover about as often as they say; what they replace does not. The tables are printed by the modules."""

from __future__ import annotations

import pytest

from tests.stats.agreement_coverage import DESIGNS, Design, coverage
from tests.stats.bounded_coverage import LOSSES, auc_coverage, loss_coverage
from tests.stats.clustered_coverage import QUANTITIES
from tests.stats.clustered_coverage import coverage as coverage_of_clusters

TRIALS = 300
ENOUGH = [design for design in DESIGNS if design.documents >= 30]


@pytest.mark.slow
@pytest.mark.parametrize("design", ENOUGH, ids=str)
def test_the_interval_of_alpha_covers(design: Design) -> None:
    found = coverage(design, "alpha_nominal", TRIALS, resamples=200)
    assert abs(found.mean - design.truth) < 0.03
    assert found.covered_if_given > 0.95 - 3 * 0.0145  # three standard errors of a share of 300, and some bias
    assert found.contradicted == 0


@pytest.mark.slow
def test_fifteen_documents_are_too_few_which_is_why_a_note_warns() -> None:
    [few] = [design for design in DESIGNS if design.documents < 30]
    found = coverage(few, "alpha_nominal", TRIALS, resamples=200)
    assert found.covered < 0.92


@pytest.mark.slow
def test_the_mean_of_kappas_does_not_cover() -> None:
    """The specimen: what was the headline."""
    found = coverage(Design(200, 20, 2), "kappa", 30, resamples=100)
    assert found.mean < 0.5 < Design(200, 20, 2).truth
    assert found.covered < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSES)
def test_losses_within_their_bounds_cover_more_often_than_beyond(name: str) -> None:
    plain, bounded = (loss_coverage(name, 10, 2_000, bounded=which) for which in (False, True))
    assert bounded > plain
    assert bounded > 0.89


@pytest.mark.slow
@pytest.mark.parametrize("auc", [0.7, 0.85, 0.95])
def test_the_logit_interval_of_an_area_covers(auc: float) -> None:
    plain, logit = (auc_coverage(auc, 30, 1_000, scale) for scale in ("plain", "logit"))
    assert logit > 0.925
    assert logit > plain - 0.005


@pytest.mark.slow
@pytest.mark.parametrize("name", QUANTITIES)
def test_intervals_of_clusters_cover_and_those_of_independent_items_do_not(name: str) -> None:
    trials = 200 if "bootstrap" in name else 1_000
    found = coverage_of_clusters(name, 30, 0.5, trials)
    assert found.clustered > 0.91
    assert found.naive < found.clustered - 0.04
    independent = coverage_of_clusters(name, 30, 0.0, trials)
    assert independent.clustered > 0.91
