import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from germane import kernels
from germane.errors import GermaneError
from germane.kernels import reference_sort
from germane.tables.decisions import sorted_scores
from germane.tables.decisions.decisions import Decisions

SCORE = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 1.0, -1.0, math.inf, -math.inf]), st.floats(-9, 9), st.floats(allow_nan=False)
)
ROWS = st.lists(st.tuples(st.booleans(), SCORE), min_size=1, max_size=40)


@pytest.fixture(params=["compiled", "reference", "small buckets"], autouse=True)
def _kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "reference":
        for name in ("score_range", "count_keys", "place_keys", "sort_bucket"):
            monkeypatch.setattr(kernels, name, getattr(reference_sort, name))
    if request.param == "small buckets":
        monkeypatch.setattr(sorted_scores, "BUCKET", 3)
        monkeypatch.setattr(sorted_scores, "BINS_LOG2", 4)
        monkeypatch.setattr(sorted_scores, "num_threads", lambda: 3)


def by_definition(rows: list[tuple[bool, float]]) -> list[tuple[float, int, int]]:
    """For each distinct score: how many positives and negatives score at least that much."""
    thresholds = sorted({score for _, score in rows}, reverse=True)
    return [
        (each, sum(truth and score >= each for truth, score in rows), sum(not t and s >= each for t, s in rows))
        for each in thresholds
    ]


def points(decisions: Decisions) -> list[tuple[Any, ...]]:
    columns = (decisions.thresholds, decisions.true_positives, decisions.false_positives)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(rows=ROWS)
def test_decisions_by_definition(rows: list[tuple[bool, float]]) -> None:
    found = Decisions.of([truth for truth, _ in rows], [score for _, score in rows])
    assert points(found) == by_definition(rows)
    assert (found.num_rows, found.weighted) == (len(rows), False)
    assert found.true_positives.dtype == found.false_positives.dtype == np.int64


@pytest.mark.parametrize("kind", ["f4", "f2", "i8", "i4", "i2", "u1", "u8", ">f8", "O"])
@settings(max_examples=10)
@given(rows=st.lists(st.tuples(st.booleans(), st.integers(0, 99)), min_size=1, max_size=30))
def test_scores_of_every_kind(kind: str, rows: list[tuple[bool, float]]) -> None:
    scores = np.asarray([score for _, score in rows]).astype(kind)
    assert points(Decisions.of([truth for truth, _ in rows], scores)) == by_definition(rows)


def test_rows_that_are_not_next_to_each_other() -> None:
    truth, scores = np.array([True, False, False, True])[::2], np.array([1.0, 9.0, 2.0, 9.0])[::2]
    assert points(Decisions.of(truth, scores)) == [(2.0, 0, 1), (1.0, 1, 1)]


@given(rows=ROWS, data=st.data())
def test_whole_weights_mean_repetition(rows: list[tuple[bool, float]], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    truth, scores = [truth for truth, _ in rows], [score for _, score in rows]
    weighted = Decisions.of(truth, scores, weights)
    assert points(weighted) == points(Decisions.of(np.repeat(truth, weights), np.repeat(scores, weights)))
    assert (weighted.num_rows, weighted.weighted) == (len(rows), False)


@given(rows=st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.floats(0.1, 5)), min_size=1, max_size=20))
def test_weights_that_are_not_whole_are_summed(rows: list[tuple[bool, int, float]]) -> None:
    truth, scores, weights = (np.asarray(column) for column in zip(*rows, strict=True))
    found = Decisions.of(truth, scores, weights)
    for each, tp, fp in points(found):
        assert tp == pytest.approx(weights[truth & (scores >= each)].sum())
        assert fp == pytest.approx(weights[~truth & (scores >= each)].sum())
    assert (np.diff(found.true_positives) >= 0).all()
    assert (np.diff(found.false_positives) >= 0).all()
    assert found.weighted is any(weight != round(weight) for _, _, weight in rows)


def test_many_scores() -> None:
    rng = np.random.default_rng(1)
    for scores in (rng.normal(size=5000), rng.integers(0, 300, 5000), rng.random(5000).astype(np.float32) + 1000):
        for share in (0.5, 0.002):
            truth = rng.random(5000) < share
            found = Decisions.of(truth, scores)
            area = kernels.twice_area(found.true_positives, found.false_positives)
            expected = roc_auc_score(truth, scores)
            assert area / (2 * found.num_positive * found.num_negative) == pytest.approx(expected, abs=1e-14)
            assert found.thresholds.tolist() == np.unique(scores)[::-1].tolist()


ERRORS: list[tuple[Any, Any, Any, str]] = [
    ([True, False], [1.0], None, "found 1 and 2"),
    ([True], [[1.0]], None, r"found an array of shape \(1, 1\) and 1"),
    ([], [], None, "at least one score"),
    ([True, False, True], [1.0, math.nan, math.nan], None, "NaN in row 2"),
    ([True] * 9 + [False], [1.0] * 9 + [math.nan], None, "NaN in row 10"),
    ([-1, 1], [1, 2], None, "expected True or False"),
    (["no", "yes"], [1, 2], None, "expected True or False"),
    ([True, False], ["high", "low"], None, "expected numbers as scores"),
    ([True, False], np.array([1.0, "low"], dtype=object), None, "expected numbers as scores"),
    ([True, False], [1, 2], [1, math.nan], "found nan in row 2"),
    ([True, False], [1, 2], [1, -1], "found -1 in row 2"),
    ([True, False], [1, 2], [1], "expected 2 weights"),
    ([True, False], [1, 2], [1e308, 1e308], "weights: expected weights with a finite sum, found infinity"),
]


@pytest.mark.parametrize(("truth", "scores", "weights", "message"), ERRORS, ids=[row[-1] for row in ERRORS])
def test_bad_input_is_an_error(truth: Any, scores: Any, weights: Any, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        Decisions.of(truth, scores, weights)


def test_any_byte_but_0_is_true() -> None:
    """A view of bytes as truth values may hold 255, by which a kernel must not count."""
    mask = np.asarray([255, 0, 255, 0], dtype=np.uint8).view(np.bool_)
    seen = Decisions.of(mask, [4, 3, 2, 1])
    assert (seen.true_positives.tolist(), seen.false_positives.tolist()) == ([1, 1, 2, 2], [0, 1, 1, 2])
    assert Decisions.of(mask, [4, 3, 2, 1], [2, 1, 1, 1]).num_positive == 3
