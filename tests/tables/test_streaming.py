"""Decisions counted part by part: counts equal those of all rows at once, and the AUC is within its bound."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import GermaneError, InputError
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decision_stream import StreamedDecisions, edges_of
from germane.tables.decisions.decisions import Decisions

Row = tuple[bool, float, int]
SCORES = st.one_of(
    st.floats(allow_nan=False), st.integers(-3, 3).map(float), st.sampled_from([0.0, -0.0, math.inf, -math.inf])
)
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.integers(0, 3)), min_size=1, max_size=40)


def exact_auc(rows: Sequence[Row]) -> Fraction | None:
    """Every pair of a positive and a negative, looked at: won, lost or tied."""
    pairs = [
        (Fraction(1) if p > n else Fraction(1, 2) if p == n else Fraction(0), wp * wn)
        for is_p, p, wp in rows
        if is_p
        for is_n, n, wn in rows
        if not is_n
    ]
    total = sum(weight for _, weight in pairs)
    return sum(won * weight for won, weight in pairs) / Fraction(total) if total else None


def streamed(
    rows: Sequence[Row], batch: int, *, bins: int, weights: bool = True, threshold: float | None = None
) -> StreamedDecisions:
    seen = StreamedDecisions(bins=bins, threshold=threshold)
    for start in range(0, len(rows), batch):
        truth, score, weight = (list(column) for column in zip(*rows[start : start + batch], strict=True))
        seen.add(truth, score=score, weight=weight if weights else None)
    return seen


def violations(rows: Sequence[Row], value: float, error_bound: float) -> list[str]:
    """Whether the AUC is further from the exact one than its bound allows; the last digit may be rounded."""
    exact = exact_auc(rows)
    if exact is None:
        return [] if math.isnan(value) and math.isnan(error_bound) else ["expected NaN"]
    slack = Fraction(1, 2**52)
    return [] if abs(Fraction(value) - exact) <= Fraction(error_bound) + slack else [f"{value} is not near {exact}"]


@given(ROWS, st.integers(1, 40), st.integers(1, 12))
def test_the_auc_is_within_its_bound(rows: list[Row], batch: int, bins: int) -> None:
    assert violations(rows, *streamed(rows, batch, bins=bins).auc_bounds()) == []
    once = [(is_positive, score, 1) for is_positive, score, _ in rows]
    assert violations(once, *streamed(once, batch, bins=bins, weights=False).auc_bounds()) == []


def test_the_law_catches_a_bound_that_forgets_pairs() -> None:
    rows = [(True, 3.0, 1), (False, 2.0, 1), (True, 1.0, 1), (False, 0.0, 1)]
    value, error_bound = streamed(rows, 4, bins=2).auc_bounds()
    assert (value, error_bound, exact_auc(rows)) == (0.5, 0.25, Fraction(3, 4))
    assert violations(rows, value, error_bound * 0.99) != []


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4).map(float), st.integers(0, 3)), min_size=1, max_size=40))
def test_few_different_scores_are_exact(rows: list[Row]) -> None:
    firsts = [(False, float(score), 0) for score in range(5)]  # all of them occur in the first part
    value, error_bound = streamed([*firsts, *rows], 5, bins=10).auc_bounds()
    exact = exact_auc(rows)
    if exact is None:
        assert math.isnan(value)
    else:
        assert (value, error_bound) == (float(exact), 0)


def test_a_score_that_many_rows_share_costs_nothing() -> None:
    rows = [(row % 2 == 0, 0.0 if row < 180 else float(row), 1) for row in range(200)]
    value, error_bound = streamed(rows, 200, bins=20).auc_bounds()
    assert error_bound <= 10 * 10 / (2 * 100 * 100)  # the pairs among the last twenty rows, at most
    assert violations(rows, value, error_bound) == []


def test_the_last_bin_holds_infinity_too() -> None:
    largest = np.finfo(np.float64).max
    rows = [(True, 0.0, 1), (False, largest, 1), (True, math.inf, 1)]
    value, error_bound = streamed(rows, 2, bins=2).auc_bounds()
    assert violations(rows, value, error_bound) == []


def test_the_bound_is_small_with_many_bins() -> None:
    scores = np.random.default_rng(4).normal(size=30_000)
    truth = scores + np.random.default_rng(5).normal(size=30_000) > 0
    seen = StreamedDecisions(bins=1024)
    for part in np.split(np.arange(30_000), 3):
        seen.add(truth[part], score=scores[part])
    value, error_bound = seen.auc_bounds()
    decisions = Decisions.of(truth, scores)
    below = decisions.num_negative - decisions.false_positives
    exact = (decisions.positives_at * (below + decisions.negatives_at / 2)).sum()
    exact /= decisions.num_positive * decisions.num_negative
    assert abs(value - exact) <= error_bound < 1 / 1024


def test_counts_stay_exact_beyond_64_bits() -> None:
    seen = StreamedDecisions(bins=4)
    huge = 2**52
    seen.add([True, False], score=[1.0, 0.0], weight=[huge, huge])
    seen.add([True, False], score=[0.0, 1.0], weight=[0, 1])
    assert seen.auc_bounds() == (float(Fraction(2 * huge * huge + huge, 2 * huge * (huge + 1))), 0)


@given(ROWS, st.integers(1, 40), SCORES)
def test_cells_at_the_threshold_are_exact(rows: list[Row], batch: int, threshold: float) -> None:
    once = [(is_positive, score, 1) for is_positive, score, _ in rows]
    for given_rows, weights in ((rows, True), (once, False)):
        cells = [0, 0, 0, 0]
        for is_positive, score, weight in given_rows:
            cells[(0 if is_positive else 1) if score >= threshold else (2 if is_positive else 3)] += weight
        seen = streamed(given_rows, batch, bins=4, weights=weights, threshold=threshold)
        assert seen.at_threshold == Cells(*cells)


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=30), st.integers(1, 9)
)
def test_labels_may_appear_late(pairs: list[tuple[str, str]], batch: int) -> None:
    seen = StreamedDecisions()
    for start in range(0, len(pairs), batch):
        truth, predicted = zip(*pairs[start : start + batch], strict=True)
        seen.add(list(truth), predicted=list(predicted))
    confusion = seen.confusion
    assert confusion.labels == tuple(sorted({label for pair in pairs for label in pair}))
    rows: list[list[int]] = [[pairs.count((str(t), str(p))) for p in confusion.labels] for t in confusion.labels]
    assert confusion.counts.tolist() == rows
    assert confusion.num_rows == len(pairs)
    assert seen.class_sizes == {label: [t for t, _ in pairs].count(label) for label, _ in pairs}


def test_weights_that_are_not_whole() -> None:
    seen = StreamedDecisions(threshold=0.5)
    seen.add([True, False], predicted=[True, True], score=[0.9, 0.1])
    seen.add([True, False], predicted=[True, False], score=[0.9, 0.9], weight=[0.5, 2])
    assert seen.confusion.counts.tolist() == [[2, 1], [0, 1.5]]
    assert seen.confusion.weighted
    assert seen.at_threshold == Cells(1.5, 2, 0, 1)
    assert seen.auc_bounds() == ((1.5 * 1 + 1.5 * 2 / 2) / (1.5 * 3), 0)


def test_an_edge_belongs_to_the_bin_above_it() -> None:
    first = [(True, float(score), 1) for score in range(8)]
    assert edges_of(np.arange(8.0), 2).tolist() == [4]
    below, above = [*first, (False, 3.9, 1)], [*first, (False, 4.0, 1)]
    assert streamed(below, 8, bins=2).auc_bounds() == (6 / 8, 0.25)
    assert streamed(above, 8, bins=2).auc_bounds() == (2 / 8, 0.25)


BAD = [
    ({"truth": [1, 0], "score": [0.5]}, "expected as many scores as labels, found 1 and 2"),
    ({"truth": [1, 0], "predicted": [1]}, "expected as many predictions as labels, found 1 and 2"),
    ({"truth": [1, 0], "weight": [1]}, "expected as many weights as labels, found 1 and 2"),
    ({"truth": [1, 0], "score": [0.5, math.nan]}, "expected a number as score, found NaN in row 3"),
    ({"truth": ["x"]}, "expected labels of one kind, found 1 and 'x'"),
    ({"truth": [1], "predicted": ["x"]}, "expected labels of one kind, found 1 and 'x'"),
]


@pytest.mark.parametrize(("part", "problem"), BAD)
def test_bad_parts(part: dict[str, object], problem: str) -> None:
    seen = StreamedDecisions(positive=1)
    seen.add([1], score=[0.5])
    with pytest.raises(InputError) as caught:
        seen.add(**part)  # type: ignore[arg-type]
    assert caught.value.message == f"labels: {problem}"


def test_labels_that_never_end_are_refused() -> None:
    seen = StreamedDecisions()
    seen.add(list(range(6_000)), predicted=list(range(6_000)))
    with pytest.raises(InputError, match="at most 10,000 different labels, found 12,000"):
        seen.add(list(range(6_000, 12_000)), predicted=list(range(6_000, 12_000)))


# Counted in several places ---------------------------------------------------------------------------------------

LABELS = st.sampled_from(["cat", "dog", "owl"])
DECIDED = st.lists(
    st.tuples(LABELS, LABELS, SCORES, st.sampled_from([0.0, 1.0, 2.0, 3.0])),
    min_size=1,
    max_size=30,
)


def counted(rows: Sequence[tuple[str, str, float, float]], edges: Sequence[float]) -> StreamedDecisions:
    seen = StreamedDecisions(positive="cat", threshold=0.5, edges=np.asarray(edges))
    if rows:
        truth, predicted, score, weight = (list(column) for column in zip(*rows, strict=True))
        seen.add(truth, predicted=predicted, score=score, weight=weight)
    return seen


def state(seen: StreamedDecisions) -> object:
    confusion = seen.confusion
    return (
        (confusion.labels, confusion.counts.tolist(), confusion.counts.dtype, seen.num_rows, seen.weighted),
        (sorted(seen.class_sizes.items()), seen.at_threshold, seen.auc_bounds()),
    )


@given(DECIDED, st.integers(0, 30), st.lists(st.floats(-4, 4), max_size=5, unique=True))
def test_merged_counts_are_those_of_all_rows(
    rows: list[tuple[str, str, float, float]], cut: int, edges: list[float]
) -> None:
    edges = sorted(edges)
    here, there = counted(rows[:cut], edges), counted(rows[cut:], edges)
    here.merge(there)
    assert repr(state(here)) == repr(state(counted(rows, edges)))  # as text, NaN is NaN


def test_merging_weights_that_are_not_whole_makes_sums_of_them() -> None:
    here, there = counted([("cat", "cat", 1.0, 1.0)], [0.0]), counted([("cat", "dog", 1.0, 0.5)], [0.0])
    here.merge(there)
    assert here.weighted
    assert here.confusion.counts.tolist() == [[1.0, 0.5], [0.0, 0.0]]


@pytest.mark.parametrize(
    "other",
    [
        StreamedDecisions(positive="dog", threshold=0.5, edges=np.asarray([0.0])),
        StreamedDecisions(positive="cat", threshold=0.6, edges=np.asarray([0.0])),
        StreamedDecisions(positive="cat", threshold=0.5, edges=np.asarray([1.0])),
        StreamedDecisions(positive="cat", threshold=0.5),
    ],
)
def test_what_was_counted_otherwise_is_not_merged(other: StreamedDecisions) -> None:
    with pytest.raises(GermaneError, match="different positive labels, thresholds or bins"):
        counted([], [0.0]).merge(other)


def test_text_and_numbers_are_not_merged() -> None:
    here, there = StreamedDecisions(), StreamedDecisions()
    here.add(["a"], predicted=["a"])
    there.add([1], predicted=[1])
    with pytest.raises(InputError, match="expected labels of one kind"):
        here.merge(there)
