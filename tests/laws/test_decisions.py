"""Laws of the measures of decisions, over the whole registry; each is seen to catch a measure that breaks it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from germane.measures.decisions.clustering import contingency
from germane.measures.decisions.measure import DECISION_MEASURES, DecisionMeasure, Input
from germane.measures.decisions.scores.calibration import BrierParts, binned_brier_parts, isotonic_brier_parts
from germane.measures.decisions.scores.probabilities import ProbabilityTable, brier
from germane.measures.decisions.scores.roc import area_under_hull, area_under_roc
from germane.tables.decisions.confusion import Cells, Confusion, one_versus_rest
from germane.tables.decisions.decisions import Decisions

Row = tuple[int, int, int]
"""An item: a number for the truth, one for what was said about it, and how often it occurs."""
ROWS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10), st.integers(1, 3)), min_size=1, max_size=10)
ROUNDING = 1e-9

SCALE_MATTERS = {"Cllr": "it takes the scores at their word, as log-likelihood ratios"}


def values(measure: DecisionMeasure, rows: Sequence[Row], *, repeated: bool = False) -> float:
    """The measure on items as it wants them, whose weights are given as such or by repetition."""
    if repeated:
        rows = [(a, b, 1) for a, b, weight in rows for _ in range(weight)]
    truth, said, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    if measure.of in ("scores", "probabilities"):
        return measure(Decisions.of(truth % 2 == 1, said / 10, weight))
    if measure.of == "probability table":
        first = said / 10
        return measure(
            ProbabilityTable.of(np.stack([first, (1 - first) * 0.6, (1 - first) * 0.4], 1), truth % 3, weight)
        )
    if measure.of == "numbers":
        return measure(truth.astype(float), said.astype(float), weight=weight)
    if measure.of == "intervals":
        return measure(truth.astype(float), said - 2.0, said + 2.0, weight=weight)
    if measure.of == "densities":
        return measure(said - 5.0, weight=weight)
    once = np.repeat(truth, weight), np.repeat(said, weight)
    if measure.of == "label sets":  # the digits of a number say which labels there are
        return measure(*((column[:, None] >> np.arange(4)) & 1 for column in once))
    if measure.of == "label scores":  # as above, and the remainders of a number are the scores of the labels
        return measure((once[0][:, None] >> np.arange(4)) & 1, once[1][:, None] % np.arange(2, 6))
    if measure.of == "vectors":
        return measure(once[1][:, None] / 3, once[0] % 4)
    if measure.of == "clusters":
        return measure(contingency(once[0] % 4, once[1] % 4))
    counts = np.zeros((3, 3), dtype=np.int64)
    np.add.at(counts, (once[0] % 3, once[1] % 3), 1)
    return measure(Confusion.of_matrix(counts))


def specimen(of: Input, function: Callable[..., float], bounds: tuple[float, float] = (0, 1)) -> DecisionMeasure:
    return DecisionMeasure("Specimen", function, of=of, bounds=bounds)


def differ(one: float, other: float) -> bool:
    return one != pytest.approx(other, rel=ROUNDING, abs=ROUNDING, nan_ok=True)


# Bounds ----------------------------------------------------------------------------------------------------------


def out_of_bounds(measures: Iterable[DecisionMeasure], rows: Sequence[Row]) -> Iterator[str]:
    for measure in measures:
        value = values(measure, rows)
        low, high = measure.bounds
        edge_cases = measure.sections.get("Edge cases", "")
        if math.isnan(value):
            if "NaN" not in edge_cases:
                yield f"{measure.name} is NaN, which its edge cases do not mention"
        elif not low - ROUNDING <= value <= high + ROUNDING:
            yield f"{measure.name} = {value} is not within {measure.bounds}"


@settings(max_examples=40)
@given(rows=ROWS)
def test_values_lie_within_the_declared_bounds(rows: list[Row]) -> None:
    assert list(out_of_bounds(DECISION_MEASURES, rows)) == []


def test_the_law_of_bounds_catches_a_count_and_an_undeclared_nan() -> None:
    count = specimen("scores", lambda seen: seen.num_positive)
    assert list(out_of_bounds([count], [(1, 5, 1), (1, 6, 1)])) != []
    undefined = specimen("scores", lambda seen: math.nan if seen.one_class else 1.0)
    assert list(out_of_bounds([undefined], [(1, 5, 1), (0, 6, 1)])) == []
    assert list(out_of_bounds([undefined], [(1, 5, 1)])) != []


def test_every_measure_says_what_it_is() -> None:
    for measure in DECISION_MEASURES:
        assert set(measure.sections) >= {"Formula", "Reference", "Edge cases"}, measure.name
        assert measure.summary.endswith("."), measure.name


# Order of rows, weights ------------------------------------------------------------------------------------------


def changed_by_order(measures: Iterable[DecisionMeasure], rows: Sequence[Row]) -> list[str]:
    return [m.name for m in measures if differ(values(m, rows), values(m, sorted(rows)))]


def changed_by_repetition(measures: Iterable[DecisionMeasure], rows: Sequence[Row]) -> list[str]:
    return [m.name for m in measures if differ(values(m, rows), values(m, rows, repeated=True))]


@settings(max_examples=25)
@given(rows=ROWS)
def test_the_order_of_rows_changes_nothing(rows: list[Row]) -> None:
    assert changed_by_order(DECISION_MEASURES, rows) == []


@settings(max_examples=25)
@given(rows=ROWS)
def test_whole_number_weights_mean_repetition(rows: list[Row]) -> None:
    assert changed_by_repetition(DECISION_MEASURES, rows) == []


def test_these_laws_catch_a_measure_of_the_first_row_and_one_that_forgets_weights() -> None:
    rows = [(3, 2, 2), (1, 1, 1)]
    first = specimen("numbers", lambda truth, said, weight: truth[0])
    assert changed_by_order([first], rows) == ["Specimen"]
    unweighted = specimen("numbers", lambda truth, said, weight: float(np.mean(truth)))
    assert changed_by_repetition([unweighted], rows) == ["Specimen"]


# Ranks -----------------------------------------------------------------------------------------------------------


def moved_by_a_monotone_map(measures: Iterable[DecisionMeasure], rows: Sequence[Row]) -> list[str]:
    truth, said, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    plain, stretched = (
        Decisions.of(truth % 2 == 1, score, weight) for score in (said / 10, np.exp(said.astype(float)) - 50)
    )
    return [m.name for m in measures if differ(m(plain), m(stretched))]


@settings(max_examples=30)
@given(rows=ROWS)
def test_monotone_maps_of_the_scores_change_no_measure_of_ranks(rows: list[Row]) -> None:
    of_ranks = [m for m in DECISION_MEASURES if m.of == "scores" and m.name not in SCALE_MATTERS]
    assert len(of_ranks) >= 6
    assert moved_by_a_monotone_map(of_ranks, rows) == []


def test_this_law_catches_a_measure_of_the_scores_themselves() -> None:
    span = specimen("scores", lambda seen: float(seen.thresholds[0] - seen.thresholds[-1]))
    assert moved_by_a_monotone_map([span], [(1, 5, 1), (0, 2, 1)]) == ["Specimen"]
    (cllr,) = (m for m in DECISION_MEASURES if m.name in SCALE_MATTERS)
    assert moved_by_a_monotone_map([cllr], [(1, 5, 1), (0, 2, 1)]) == ["Cllr"]


def is_mann_whitney(auc: Callable[[Decisions], float], rows: Sequence[Row]) -> bool:
    truth, said, _ = (np.asarray(column) for column in zip(*rows, strict=True))
    positive, negative = said[truth % 2 == 1], said[truth % 2 == 0]
    if not (len(positive) and len(negative)):
        return True
    u = stats.mannwhitneyu(positive, negative).statistic
    return bool(auc(Decisions.of(truth % 2 == 1, said)) == u / (len(positive) * len(negative)))


@settings(max_examples=30)
@given(rows=ROWS)
def test_auc_is_mann_whitneys_u(rows: list[Row]) -> None:
    assert is_mann_whitney(area_under_roc, rows)


def test_this_law_catches_an_auc_that_counts_ties_as_won() -> None:
    def generous(seen: Decisions) -> float:
        return float(np.sum(seen.true_positives * seen.negatives_at) / (seen.num_positive * seen.num_negative))

    assert is_mann_whitney(generous, [(1, 5, 1), (0, 4, 1)])
    assert not is_mann_whitney(generous, [(1, 5, 1), (0, 5, 1)])


def hull_is_above(hull: Callable[[Decisions], float], rows: Sequence[Row]) -> bool:
    truth, said, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    seen = Decisions.of(truth % 2 == 1, said, weight)
    return seen.one_class or hull(seen) >= max(area_under_roc(seen), 0.5)


@settings(max_examples=30)
@given(rows=ROWS)
def test_the_hull_covers_the_curve(rows: list[Row]) -> None:
    assert hull_is_above(area_under_hull, rows)


def test_this_law_catches_a_hull_that_forgets_a_corner() -> None:
    assert not hull_is_above(lambda seen: 0.5, [(1, 5, 1), (0, 4, 1)])


# Parts that add up -----------------------------------------------------------------------------------------------


def parts_add_up(parts: Callable[[Decisions], BrierParts], rows: Sequence[Row]) -> bool:
    truth, said, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    seen = Decisions.of(truth % 2 == 1, said / 10, weight)
    found = parts(seen)
    together = found.miscalibration - found.discrimination + found.uncertainty + found.within
    least = min(found.miscalibration, found.discrimination, found.uncertainty)
    return not differ(together, brier(seen)) and least >= -ROUNDING


@settings(max_examples=30)
@given(rows=ROWS)
def test_the_parts_of_the_brier_score_add_up(rows: list[Row]) -> None:
    assert parts_add_up(isotonic_brier_parts, rows)
    for bins in (1, 3, 10):
        assert parts_add_up(lambda seen, b=bins: binned_brier_parts(seen, bins=b), rows)  # type: ignore[misc]
        assert parts_add_up(
            lambda seen, b=bins: binned_brier_parts(seen, bins=b, binning="equal width"),  # type: ignore[misc]
            rows,
        )


def test_this_law_catches_bins_that_hide_what_is_in_them() -> None:
    def without_the_rest(seen: Decisions) -> BrierParts:
        parts = binned_brier_parts(seen, bins=1)
        return BrierParts(parts.miscalibration, parts.discrimination, parts.uncertainty, 0.0, parts.method)

    assert not parts_add_up(without_the_rest, [(1, 8, 1), (0, 4, 1)])


def collapses_to_its_matrix(collapse: Callable[[Any], Cells], counts: Any) -> bool:
    """Each class against the rest holds all items; over the classes, every error is missed once and alarmed once."""
    tp, fp, fn, tn = collapse(counts)
    right, n = np.trace(counts), counts.sum()
    whole = (tp + fp + fn + tn == n).all()
    rows_and_columns = (tp + fn == counts.sum(axis=1)).all() and (tp + fp == counts.sum(axis=0)).all()
    return bool(whole and rows_and_columns and tp.sum() == right and fp.sum() == fn.sum() == n - right)


@given(cells=st.lists(st.integers(0, 9), min_size=16, max_size=16))
def test_one_versus_rest_adds_up_to_the_matrix(cells: list[int]) -> None:
    assert collapses_to_its_matrix(one_versus_rest, np.asarray(cells).reshape(4, 4))


def test_this_law_catches_a_collapse_that_swaps_the_errors() -> None:
    def swapped(counts: Any) -> Cells:
        tp, fp, fn, tn = one_versus_rest(counts)
        return Cells(tp, fn, fp, tn)

    assert not collapses_to_its_matrix(swapped, np.asarray([[5, 3], [0, 2]]))


@given(cells=st.lists(st.floats(0, 9), min_size=4, max_size=4))
def test_two_classes_have_the_same_four_cells_from_either_side(cells: list[float]) -> None:
    """Weights are not exactly added: a difference of sums would leave a rest, and with it a likelihood ratio."""
    a, b, c, d = cells
    found = one_versus_rest(np.asarray(cells).reshape(2, 2))
    assert [cell.tolist() for cell in found] == [[a, d], [c, b], [b, c], [d, a]]
