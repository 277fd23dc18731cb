"""Clusters against classes and by their vectors, several side by side; densities compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn import metrics

import germane as ge
from germane.api.tasks import evaluation
from germane.cli import group
from germane.errors import GermaneError

CLASSES = ["a", "a", "b", "b", "b"]
VECTORS: Any = [[0.0, 0], [1, 0], [5, 5], [6, 5], [5, 6]]
ONE, OTHER = [1, 1, 2, 2, 2], [1, 2, 2, 2, 1]


def test_clusters_are_evaluated_by_their_vectors_with_or_without_classes() -> None:
    (both,) = ge.classify(CLASSES, OTHER, task="clusters", vectors=VECTORS)
    (alone,) = ge.classify(None, OTHER, task="clusters", vectors=np.asarray(VECTORS))
    assert list(alone.overall) == ["silhouette", "Davies_Bouldin", "Calinski_Harabasz"]
    assert "ARI" in both.overall
    assert both["silhouette"].value == pytest.approx(metrics.silhouette_score(VECTORS, OTHER), rel=1e-10)
    assert both["Davies-Bouldin"].value == alone["Davies_Bouldin"].value
    assert not any(each.has_interval for each in both.overall.values())
    (asked,) = ge.classify(None, OTHER, task="clusters", vectors=VECTORS, measures="silhouette(distance=manhattan)")
    theirs = metrics.silhouette_score(VECTORS, OTHER, metric="manhattan")
    assert asked["silhouette(distance=manhattan)"].value == pytest.approx(theirs, rel=1e-10)


def test_several_clusterings_stand_side_by_side_without_a_test() -> None:
    found = ge.classify(CLASSES, {"one": ONE, "other": OTHER}, task="clusters", vectors=VECTORS)
    assert [each.name for each in found] == ["one", "other"]
    assert [each["ARI"].value for each in found] == [1.0, metrics.adjusted_rand_score(CLASSES, OTHER)]
    assert found.comparison is None
    assert [note.code for note in found.notes] == ["not-compared"]
    assert "2 clusterings: 5 rows" in "".join(map(str, found.shown()))


def ari_of_resamples(num: int) -> float:
    """The mean ARI over resamples of items of two clusterings that have nothing in common."""
    chance = np.random.default_rng(3)
    truth, clusters = chance.integers(0, 3, (2, 30))
    rows = chance.integers(0, 30, (num, 30))
    return float(np.mean([metrics.adjusted_rand_score(truth[row], clusters[row]) for row in rows]))


def test_a_bootstrap_over_items_inflates_ari_which_is_why_there_is_none() -> None:
    chance = np.random.default_rng(3)
    truth, clusters = chance.integers(0, 3, (2, 30))
    assert ari_of_resamples(300) > metrics.adjusted_rand_score(truth, clusters) + 0.02


def test_the_silhouette_of_many_items_is_computed_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MOST_ITEMS_OF_PAIRS", 4)
    (usual,) = ge.classify(None, ONE, task="clusters", vectors=VECTORS)
    assert list(usual.overall) == ["Davies_Bouldin", "Calinski_Harabasz"]
    assert [note.code for note in usual.notes] == ["not-computed"]
    (asked,) = ge.classify(None, ONE, task="clusters", vectors=VECTORS, measures="silhouette")
    assert asked["silhouette"].value > 0.7


def test_a_command_takes_the_prefix_of_the_columns_of_vectors(tmp_path: Path) -> None:
    data = tmp_path / "clusters.csv"
    rows = zip(*np.transpose(VECTORS), ONE, OTHER, strict=True)
    data.write_text("x1,x2,one,other\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    call = ["classify", str(data), "--task", "clusters", "--predicted", "one", "--vectors", "x", "--format", "csv"]
    done = CliRunner().invoke(group, call)
    assert done.exception is None, done.output
    assert f"silhouette,{metrics.silhouette_score(VECTORS, ONE):.12f}"[:20] in done.stdout
    wide = pd.DataFrame({**{f"v{i}": np.arange(4.0) ** i for i in range(6)}, "k": [0, 0, 1, 1]})
    (found,) = ge.classify(wide, task="clusters", predicted="k", vectors="v")
    assert found.columns["vectors"] == "v0 … v5 (6 columns)"


LOGS = {"wide": [-1.2, -0.7, -2.1, -1.0], "narrow": [-0.9, -0.8, -1.5, -0.9]}


def test_densities_are_compared_by_the_log_likelihood_of_each_item() -> None:
    found = ge.classify(LOGS, task="densities", score=["wide", "narrow"])
    assert [each.name for each in found] == ["wide", "narrow"]
    assert found.comparison is not None
    (pair,) = found.comparison.pairs
    theirs = stats.ttest_rel(LOGS["narrow"], LOGS["wide"])
    ends = theirs.confidence_interval()
    assert (pair.measure, pair.a, pair.b) == ("log_likelihood", "wide", "narrow")
    assert (pair.difference, pair.p) == pytest.approx((0.225, theirs.pvalue))
    assert (pair.low, pair.high) == pytest.approx((ends.low, ends.high))
    assert found.comparison.family == "1 pair of density estimates × 1 measure"
    by_sign = ge.compare(found, test="randomisation").pairs[0]
    assert (by_sign.test, by_sign.p) == ("randomisation", 6 / 16)
    frame = ge.classify(pd.DataFrame(LOGS), task="densities", score=["wide", "narrow"])
    assert frame.comparison is not None
    assert frame.comparison.pairs == found.comparison.pairs


def test_an_impossible_item_leaves_nothing_to_test() -> None:
    found = ge.classify({"a": [-1.0, -math.inf], "b": [-1.0, -2.0]}, task="densities", score=["a", "b"])
    assert found.comparison is not None
    assert found.comparison.pairs[0].remark == "not finite for some items"


ERRORS: list[tuple[Callable[[], Any], str]] = [
    (lambda: ge.classify(None, [0, 1]), "missing true labels"),
    (lambda: ge.classify(None, ONE, task="clusters"), "expected classes or vectors beside the clusters, found neither"),
    (lambda: ge.classify(CLASSES, ONE, task="clusters", measures="silhouette"), "not a measure of task clusters"),
    (lambda: ge.classify(CLASSES, ONE, task="clusters", vectors=[[1.0]]), "found 1 vectors and 5 items"),
    (
        lambda: ge.classify(CLASSES, ONE, task="clusters", baseline="a"),
        "`baseline=` is not supported for task",
    ),
    (lambda: ge.classify(CLASSES, ONE, task="clusters", test="t"), "`test=` requires"),
    (lambda: ge.classify([0, 1], [0, 1], vectors=[[1], [2]]), "`vectors=` requires `task='clusters'`"),
    (
        lambda: ge.classify({"k": [1, 2], "x1": [1, 2]}, task="clusters", predicted="k", vectors="y"),
        "expected columns starting with 'y', found none",
    ),
    (
        lambda: ge.classify({"k": [1, 2], "x1": [1, "far"]}, task="clusters", predicted="k", vectors="x"),
        "expected a number as component in column 'x1', found 'far' in row 2",
    ),
    (lambda: ge.classify(LOGS, task="densities", truth="wide", score="narrow"), "densities have no truth"),
    (
        lambda: ge.classify({"a": [1.0], "b": [2.0]}, task="densities"),
        "a column of log-likelihoods, found 'a'",
    ),
]


@pytest.mark.parametrize(("call", "said"), ERRORS, ids=[said for _, said in ERRORS])
def test_wrong_input_is_an_error(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        call()


def test_a_command_compares_densities_without_a_truth(tmp_path: Path) -> None:
    data = tmp_path / "unseen.csv"
    data.write_text("item,wide,narrow\n" + "".join(f"x,{a},{b}\n" for a, b in zip(*LOGS.values(), strict=True)))
    call = ["classify", str(data), "--task", "densities", "--score", "wide", "--score", "narrow", "--test", "wilcoxon"]
    done = CliRunner().invoke(group, call)
    assert done.exception is None, done.output
    assert "2 density estimates: 4 rows; score in 'wide, narrow'" in done.output
    assert "wilcoxon" in done.output
