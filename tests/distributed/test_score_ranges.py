"""Tasks that divide scores into ranges and measure them, without a cluster: in batches and partitions of any size."""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from germane.api.decisions.settings import Settings
from germane.api.decisions.streamed_scores import SPARK, scores_to_add, streamed_overall
from germane.distributed import decision_counts, score_ranges
from germane.distributed.decision_counts import ScoreBins, cuts_of
from germane.distributed.score_ranges import DividingTask, MeasuringTask
from germane.formats.decisions.labelled_columns import Asked, choose_columns
from germane.measures.decisions.scores.streamed import StreamedScores
from germane.tables.decisions.score_spill import SpilledScores

pa = pytest.importorskip("pyarrow", reason="tasks take and give Arrow batches")

SCORES = st.one_of(st.floats(0, 1), st.integers(0, 5).map(lambda s: s / 5), st.sampled_from([0.0, -0.0]))
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.integers(0, 3)), min_size=1, max_size=60)
CHOSEN = choose_columns(["label", "score", "weight"], Asked.of(weight="weight"), "items")
SETTINGS = Settings.of({})


def batches(rows: list[tuple[bool, float, int]], size: int) -> Iterator[Any]:
    for start in range(0, len(rows), size):
        yield pa.RecordBatch.from_pylist(
            [dict(zip(("label", "score", "weight"), row, strict=True)) for row in rows[start : start + size]]
        )


def on_a_cluster(rows: list[tuple[bool, float, int]], size: int, num_partitions: int) -> StreamedScores:
    truth, score, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    bins = ScoreBins(cuts_of(score[: max(1, len(score) // 2)]))
    bins.add(truth, score, weight)
    cuts, before = bins.ranges()
    read = scores_to_add(bins, SETTINGS, decided=False, source="items")
    divide = DividingTask(CHOSEN, True, cuts, "items")
    divided = [
        row for part in (rows[::2], rows[1::2]) for batch in divide(batches(part, size)) for row in batch.to_pylist()
    ]
    divided.sort(key=lambda row: (row["range"], -row["score"]))
    found = []
    for partition in range(num_partitions):
        own = [row for row in divided if row["range"] % num_partitions == partition]
        sent = (pa.RecordBatch.from_pylist(own[start : start + size]) for start in range(0, len(own), size))
        found += [row for batch in MeasuringTask(read, before)(sent) for row in batch.to_pylist()]
    for row in sorted(found, key=lambda row: row["range"]):
        read.merge(pickle.loads(row["measured"]))
    read.require_all()
    return read


def in_a_stream(rows: list[tuple[bool, float, int]]) -> StreamedScores:
    with SpilledScores() as scores:
        scores.add(*(np.asarray(column) for column in zip(*rows, strict=True)))
        read = scores_to_add(scores, SETTINGS, decided=False, source="items")
        for chunk in scores.merged():
            read.add(chunk)
    return read


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows=ROWS, size=st.integers(1, 20), num_partitions=st.integers(1, 3), range_rows=st.integers(1, 30))
def test_ranges_give_what_a_stream_gives(
    rows: list[tuple[bool, float, int]],
    size: int,
    num_partitions: int,
    range_rows: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decision_counts, "RANGE_ROWS", range_rows)
    monkeypatch.setattr(score_ranges, "PART", 7)
    if not any(weight for _, _, weight in rows):
        return
    there, here = on_a_cluster(rows, size, num_partitions), in_a_stream(rows)
    assert repr(streamed_overall(there, SETTINGS, SPARK)) == repr(streamed_overall(here, SETTINGS, SPARK))
    assert there.at_threshold == here.at_threshold
    assert there.num_distinct == here.num_distinct


def test_ranges_have_about_as_many_rows_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_counts, "RANGE_ROWS", 100)
    score = np.arange(1000) / 1000
    bins = ScoreBins(cuts_of(score))
    bins.add(np.arange(1000) % 2 == 0, score, None)
    cuts, before = bins.ranges()
    assert len(cuts) + 1 == len(before) == 10
    assert before[9] == (450, 450)
    assert np.diff(np.searchsorted(score, cuts)).tolist() == [100] * 8


def test_fractions_of_weights_are_summed() -> None:
    bins, others = ScoreBins(np.asarray([0.5])), ScoreBins(np.asarray([0.5]))
    bins.add(np.asarray([True, False]), np.asarray([0.7, 0.2]), np.asarray([2, 1]))
    others.add(np.asarray([True]), np.asarray([0.1]), np.asarray([0.5]))
    bins.merge(others)
    assert (bins.weighted, bins.num_positive, bins.num_negative) == (True, 2.5, 1.0)
    assert (bins.lowest, bins.highest) == (0.1, 0.7)


def test_whole_weights_too_large_for_exact_sums_are_summed_as_fractions_are() -> None:
    bins, others = ScoreBins(np.asarray([0.5])), ScoreBins(np.asarray([0.5]))
    half = np.asarray([float(1 << 52)])
    bins.add(np.asarray([True]), np.asarray([0.7]), half)
    others.add(np.asarray([False]), np.asarray([0.1]), half)
    assert [bins.weighted, others.weighted] == [False, False]
    bins.merge(others)
    others.add(np.asarray([True]), np.asarray([0.1]), half)
    assert [bins.weighted, others.weighted] == [True, True]


def test_empty_batches_are_nothing() -> None:
    rows = [(True, 0.9, 1), (False, 0.2, 2)]
    divide = DividingTask(CHOSEN, True, np.asarray([0.5]), "items")
    whole = next(batches(rows, 2))
    found = [row for batch in divide(iter([whole.slice(0, 0), whole, whole.slice(0, 0)])) for row in batch.to_pylist()]
    assert sorted((row["range"], row["score"]) for row in found) == [(0, 0.9), (1, 0.2)]
