"""Decisions counted part by part: counts equal those of all rows at once."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import InputError
from germane.tables.decisions.decision_stream import StreamedDecisions


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
    seen = StreamedDecisions()
    seen.add([True, False], predicted=[True, True])
    seen.add([True, False], predicted=[True, False], weight=[0.5, 2])
    assert seen.confusion.counts.tolist() == [[2, 1], [0, 1.5]]
    assert seen.confusion.weighted


def test_whole_weights_too_large_for_exact_sums_are_summed_as_fractions_are() -> None:
    seen, later = StreamedDecisions(), StreamedDecisions()
    for part in (seen, later):
        part.add([True, False], predicted=[True, True], weight=[1 << 51, 1 << 51])
        assert not part.weighted
    seen.merge(later, "items")
    assert seen.weighted
    assert seen.confusion.counts.tolist() == [[0, 1 << 52], [0, 1 << 52]]
    later.add([True], predicted=[True], weight=[1 << 52])
    assert later.weighted


def test_weights_whose_sum_is_infinite_in_the_end() -> None:
    seen, later = StreamedDecisions(), StreamedDecisions()
    for part in (seen, later):
        part.add([True], weight=[1e308])
    with pytest.raises(InputError, match="expected weights with a finite sum, found infinity"):
        seen.merge(later, "items")
    with pytest.raises(InputError, match="expected weights with a finite sum, found infinity"):
        later.add([True], weight=[1e308])


BAD = [
    ({"truth": [1, 0], "predicted": [1]}, "expected as many predictions as labels, found 1 and 2"),
    ({"truth": [1, 0], "weight": [1]}, "expected as many weights as labels, found 1 and 2"),
    ({"truth": ["x"]}, "expected labels of one kind, found 1 and 'x'"),
    ({"truth": [1], "predicted": ["x"]}, "expected labels of one kind, found 1 and 'x'"),
]


@pytest.mark.parametrize(("part", "problem"), BAD)
def test_bad_parts(part: dict[str, object], problem: str) -> None:
    seen = StreamedDecisions()
    seen.add([1])
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
DECIDED = st.lists(st.tuples(LABELS, LABELS, st.sampled_from([0.0, 1.0, 2.0, 3.0])), min_size=1, max_size=30)


def counted(rows: Sequence[tuple[str, str, float]]) -> StreamedDecisions:
    seen = StreamedDecisions()
    if rows:
        truth, predicted, weight = (list(column) for column in zip(*rows, strict=True))
        seen.add(truth, predicted=predicted, weight=weight)
    return seen


def state(seen: StreamedDecisions) -> object:
    confusion = seen.confusion
    counts = confusion.labels, confusion.counts.tolist(), confusion.counts.dtype
    return counts, seen.num_rows, seen.weighted, sorted(seen.class_sizes.items())


@given(DECIDED, st.integers(0, 30))
def test_merged_counts_are_those_of_all_rows(rows: list[tuple[str, str, float]], cut: int) -> None:
    here, there = counted(rows[:cut]), counted(rows[cut:])
    here.merge(there)
    assert state(here) == state(counted(rows))


def test_merging_weights_that_are_not_whole_makes_sums_of_them() -> None:
    here, there = counted([("cat", "cat", 1.0)]), counted([("cat", "dog", 0.5)])
    here.merge(there)
    assert here.weighted
    assert here.confusion.counts.tolist() == [[1.0, 0.5], [0.0, 0.0]]


def test_text_and_numbers_are_not_merged() -> None:
    here, there = StreamedDecisions(), StreamedDecisions()
    here.add(["a"], predicted=["a"])
    there.add([1], predicted=[1])
    with pytest.raises(InputError, match="expected labels of one kind"):
        here.merge(there)
