"""Scores that are met in ranges and chunks: every measure is that of all scores in a row, to the last bit."""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from germane.measures.decisions.scores.calibration import equal_mass_places
from germane.measures.decisions.scores.streamed import StreamedScores
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.score_spill import ScoreCounts

COUNTS = st.one_of(st.integers(0, 4), st.sampled_from([1 << 31, 1 << 45]))  # items with large weights
ROWS = st.lists(st.tuples(st.floats(0, 1), COUNTS, COUNTS), min_size=1, max_size=40, unique_by=lambda row: row[0])
REQUESTED = (
    *("ECE(bins=10)", "ECE(binning=equal-width)", "MCE", "MCE(bins=3)", "Cllr", "minCllr", "minDCF(prior=0.1)"),
    *("partial_AUC(max_fpr=0.2)", "partial_AUC(scale=raw)", "partial_AUC(max_fpr=1)", "log_loss(clip=0.001)"),
    *("AP(area=step)", "EER(at=midpoint)", "hull_AUC"),
)
Rows = Sequence[tuple[float, int, int]]


def columns(rows: Rows) -> ScoreCounts:
    thresholds, positives, negatives = (np.asarray(column) for column in zip(*rows, strict=True))
    return ScoreCounts(thresholds, positives, negatives)


def totals(rows: Rows) -> tuple[int, int]:
    return sum(positive for _, positive, _ in rows), sum(negative for _, _, negative in rows)


def measured(rows: Rows, chunk: int, ranges: Sequence[int]) -> StreamedScores:
    """Measure each range of the rows, chunk by chunk, and join them."""
    read = StreamedScores(totals(rows), probabilities=True, threshold=0.5, requested=REQUESTED)
    for start, stop in zip((0, *ranges), (*ranges, len(rows)), strict=True):
        own = read.after(totals(rows[:start]))
        for place in range(start, stop, chunk):
            own.add(columns(rows[place : min(place + chunk, stop)]))
        read.merge(pickle.loads(pickle.dumps(own)))
    read.require_all()
    return read


def state(read: StreamedScores) -> dict[str, Any]:
    moments = [*read.placements, *read.losses.values(), *read.sums.losses.values()]
    found = {"AUC": read.auc, "cells": read.at_threshold, "distinct": read.num_distinct, "impossible": read.impossible}
    found |= {"moments": [(each.n, each.mean, each.squares, each.lowest, each.highest) for each in moments]}
    return found | dict(read.measures()) | read.requested() if sum((read.positive, read.negative)) else found


@given(ROWS, st.integers(1, 10), st.lists(st.integers(0, 40), max_size=4))
def test_ranges_and_chunks_do_not_matter(rows: list[tuple[float, int, int]], chunk: int, cuts: list[int]) -> None:
    ordered = sorted(rows, reverse=True)
    ranges = sorted(min(cut, len(ordered)) for cut in cuts)
    whole = StreamedScores(totals(ordered), probabilities=True, threshold=0.5, requested=REQUESTED)
    whole.add(columns(ordered))
    assert repr(state(measured(ordered, chunk, ranges))) == repr(state(whole))  # as text, NaN is NaN


def test_the_law_catches_a_range_that_begins_too_early() -> None:
    rows = [(0.9, 1, 0), (0.7, 0, 1), (0.5, 1, 0), (0.3, 0, 1)]
    whole, careless = measured(rows, 2, []), StreamedScores(totals(rows), probabilities=True, threshold=0.5)
    careless._begin = careless._so_far = (0, 0)
    for part in (rows[:2], rows[2:]):
        own = careless.after((0, 0))
        own.add(columns(part))
        own._begin = careless._so_far
        careless.merge(own)
    assert state(careless)["AP"] != state(whole)["AP"]


def test_the_threshold_divides_sums_of_weights() -> None:
    """No range is taken for that with the threshold because of the rounding of its sums."""
    weights = [0.1, 0.2, 0.3, 0.7]
    whole = StreamedScores((sum(weights), 0.5), probabilities=True, threshold=0.5, weighted=True)
    above = whole.after((0, 0))
    above.add(ScoreCounts(np.asarray([0.9, 0.8]), np.asarray([0.1, 0.2]), np.asarray([0.0, 0.5])))
    below = whole.after((0.1 + 0.2 + 1e-16, 0.5))
    below.add(ScoreCounts(np.asarray([0.4, 0.3]), np.asarray([0.3, 0.7]), np.zeros(2)))
    assert below.at_threshold.TP == 0
    for later in (above, below):
        whole.merge(later)
    tp, fp, fn, tn = whole.at_threshold
    assert (tp, fp, tn) == (0.1 + 0.2, 0.5, 0)
    assert abs(fn - 1.0) < 1e-12


def test_cells_at_the_threshold_are_never_below_zero() -> None:
    read = StreamedScores((0.3, 0.0), probabilities=True, threshold=0.0, weighted=True)
    read.add(ScoreCounts(np.asarray([0.9, 0.1]), np.asarray([0.1, 0.2]), np.zeros(2)))
    read._so_far = (0.3, 0.0)  # as summed in another order: less than .1 + .2
    assert read.at_threshold == Cells(0.1 + 0.2, 0.0, 0, 0.0)


def test_places_of_large_weights_are_bins() -> None:
    counts = np.full(4, 1 << 60)
    assert equal_mass_places(np.cumsum(counts), counts, 1 << 62, 15).tolist() == [1, 5, 9, 13]
    assert equal_mass_places(np.cumsum(counts >> 50), counts >> 50, 1 << 12, 15).tolist() == [1, 5, 9, 13]
