"""Predicted numbers and densities of items in clusters: copies of an item carry no information of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.errors import GermaneError

CHANCE = np.random.default_rng(8)
TRUTH = CHANCE.normal(size=24)
MODELS = {"old": TRUTH + CHANCE.normal(0.2, 1, size=24), "new": TRUTH + CHANCE.normal(0, 0.5, size=24)}
QUANTILES = {0.1: MODELS["new"] - 0.7, 0.9: MODELS["new"] + 0.7}
ASKED = ["MSE", "RMSE", "MAE", "bias", "pinball(quantile=0.9)"]


def ends(found: Any) -> dict[str, tuple[float, float, float]]:
    return {name: (each.value, each.low, each.high) for name, each in found.overall.items()}


def repeated(column: Any, times: int = 3) -> Any:
    return np.repeat(column, times)


def test_clusters_of_one_item_give_the_intervals_of_independent_items() -> None:
    how: dict[str, Any] = {"task": "regression", "measures": ASKED}
    plain = ge.classify(TRUTH, MODELS, **how)
    alone = ge.classify(TRUTH, MODELS, cluster=np.arange(24), **how)
    for one, other in zip(plain, alone, strict=True):
        assert ends(other) == {name: pytest.approx(each) for name, each in ends(one).items()}
    assert plain.comparison is not None
    assert alone.comparison is not None
    for pair, clustered in zip(plain.comparison.pairs, alone.comparison.pairs, strict=True):
        assert (clustered.low, clustered.high) == pytest.approx((pair.low, pair.high))
        assert (clustered.difference, clustered.p) == pytest.approx((pair.difference, pair.p))
        assert clustered.test == f"{pair.test}, clusters"


def test_copies_in_one_cluster_change_no_interval() -> None:
    how: dict[str, Any] = {"task": "regression", "cluster": np.arange(24)}
    tripled: dict[str, Any] = {"task": "regression", "cluster": repeated(np.arange(24))}
    many = {name: repeated(column) for name, column in MODELS.items()}
    once, thrice = ge.classify(TRUTH, MODELS, **how), ge.classify(repeated(TRUTH), many, **tripled)
    for name in (*ASKED[:4], "R2", "explained_variance"):
        one, other = once[1][name], thrice[1][name]
        assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high)), name
    assert once.comparison is not None
    assert thrice.comparison is not None
    assert thrice.comparison.pairs[0].p == pytest.approx(once.comparison.pairs[0].p)
    independent = ge.classify(repeated(TRUTH), many, task="regression")
    width = [found[1]["MAE"].high - found[1]["MAE"].low for found in (thrice, independent)]
    assert width[0] > 1.5 * width[1]


def test_coverage_of_intervals_counts_clusters() -> None:
    shares = {share: repeated(column) for share, column in QUANTILES.items()}
    (once,) = ge.classify(TRUTH, task="regression", quantiles=QUANTILES)
    (thrice,) = ge.classify(repeated(TRUTH), task="regression", quantiles=shares, cluster=repeated(np.arange(24)))
    for name in ("interval_coverage(level=0.8)", "interval_width(level=0.8)", "interval_score(level=0.8)"):
        one, other = once[name], thrice[name]
        assert other.value == pytest.approx(one.value), name
        assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=0.02, nan_ok=True), name


def test_whole_weights_are_not_repetition_where_there_are_clusters() -> None:
    weights = np.tile([1, 2, 1], 8)
    (found,) = ge.classify(
        TRUTH, MODELS["new"], sample_weight=weights, task="regression", cluster=np.arange(24), measures=["MAE", "R2"]
    )
    assert found["MAE"].value == pytest.approx(np.average(np.abs(MODELS["new"] - TRUTH), weights=weights))
    assert found["MAE"].method == "t, log, clusters"
    assert not found["R2"].has_interval


def test_densities_and_few_clusters() -> None:
    table = {"a": [-1.0, -2.0, -1.5, -1.0], "b": [-1.1, -1.0, -1.2, -1.3], "speaker": [1, 1, 2, 2]}
    found = ge.classify(table, task="densities", score=["a", "b"], cluster="speaker")
    assert found[0]["log_likelihood"].method == "t, clusters"
    assert "few-clusters" in {note.code for note in found.notes}
    assert found.comparison is not None
    assert found.comparison.pairs[0].test == "t, clusters"


ERRORS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: ge.classify(TRUTH, MODELS, task="regression", cluster=np.arange(24), test="sign"),
        "`test='sign'` is not supported with clusters",
    ),
    (lambda: ge.classify(TRUTH, MODELS, task="regression", cluster=[1, 2]), "expected a cluster for each of 24 items"),
    (lambda: ge.classify([1, 2], [1, 2], task="clusters", cluster=[1, 2]), "--cluster cannot be combined with --task"),
    (lambda: ge.classify(TRUTH, MODELS, task="regression", slices=TRUTH), "--slices cannot be combined with --task"),
]


@pytest.mark.parametrize(("call", "said"), ERRORS, ids=[said for _, said in ERRORS])
def test_wrong_input_is_an_error(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        call()
