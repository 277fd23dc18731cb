"""The bootstrap of cells: the same as drawing the items, only quicker; and what it says where it says nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from germane.errors import GermaneError
from germane.measures.decisions.rates import RATES
from germane.stats.intervals import cell_bootstrap
from germane.stats.intervals.cell_bootstrap import CELLS_METHODS, CellsMethod, Kinds, _acceleration
from germane.stats.intervals.cells import cell_intervals, matrix_interval, row_intervals
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Confusion
from germane.tables.results.performance import Estimate

F1, MCC, KAPPA = RATES["F"], RATES["MCC"], RATES["kappa"]
CELLS = Cells(30, 10, 8, 52)
ANIMALS = Confusion.of_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]])
METHODS: tuple[CellsMethod, ...] = ("bca", "percentile")


def accuracy(counts: FloatArray) -> FloatArray:
    share: FloatArray = np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))
    return share


def cell_interval(statistic: Callable[[Cells], FloatArray], cells: Cells, **settings: Any) -> Estimate:
    """The interval of one statistic."""
    [found] = cell_intervals([statistic], cells, **settings)
    return found


def items_of(cells: Cells) -> FloatArray:
    """One row of four marks per item."""
    return np.repeat(np.eye(4), cells, axis=0)


# The same as drawing items -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [F1, MCC, KAPPA], ids=lambda rate: rate.name)
@pytest.mark.parametrize(("method", "scipys"), [("bca", "BCa"), ("percentile", "percentile")])
def test_intervals_are_those_of_scipy_but_for_chance(
    rate: Callable[[Cells], FloatArray], method: CellsMethod, scipys: str
) -> None:
    ours = cell_interval(rate, CELLS, method=method, resamples=20_000)
    codes = np.repeat(np.arange(4), CELLS)

    def statistic(drawn: FloatArray, axis: int) -> FloatArray:
        return rate(Cells(*(np.count_nonzero(drawn == cell, axis=axis) for cell in range(4))))

    theirs = stats.bootstrap((codes,), statistic, n_resamples=4_000, method=scipys, rng=3, batch=500)  # type: ignore[call-overload]
    # 4,000 resamples know an end to about .05 standard errors.
    error = theirs.standard_error
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.2 * error)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.2 * error)
    assert ours.value == rate(CELLS)
    assert ours.method == method


@settings(max_examples=40)
@given(cells=st.tuples(*[st.integers(2, 12)] * 4), stratified=st.booleans())
def test_leaving_out_kinds_is_leaving_out_items(cells: tuple[int, ...], stratified: bool) -> None:
    """The acceleration, against a jackknife over items; by strata as scipy has it for several samples."""
    items = items_of(Cells(*cells))
    left_out = np.asarray([MCC(Cells(*np.delete(items, i, axis=0).sum(axis=0))) for i in range(len(items))])
    strata = np.repeat([1, 0, 1, 0], cells) if stratified else np.zeros(len(items))
    cubes = squares = 0.0
    for stratum in np.unique(strata):
        values = left_out[strata == stratum]
        moved = (len(values) - 1) * (values.mean() - values)
        cubes += (moved**3).sum() / len(values) ** 3
        squares += (moved**2).sum() / len(values) ** 2
    kinds = Kinds.of_cells(np.asarray(cells), np.asarray([1, 0, 1, 0]) if stratified else None)
    (found,) = _acceleration(lambda counts: MCC(Cells(*counts.T)), kinds)
    assert found == pytest.approx(cubes / (6 * squares**1.5), rel=1e-6, abs=1e-9)


def test_stratified_draws_keep_the_classes() -> None:
    kinds = Kinds.of_cells(np.asarray(CELLS), np.asarray([1, 0, 1, 0]))
    drawn = np.concatenate([kinds.totals(draws) for draws in kinds.draws(500, seed=0)])
    assert (drawn[:, [0, 2]].sum(axis=1) == 38).all()
    assert (drawn[:, [1, 3]].sum(axis=1) == 62).all()
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]) < 0.15, "positives and negatives are drawn apart"
    assert cell_interval(MCC, CELLS, stratified=True).method == "bca, stratified"


def test_a_tpr_drawn_by_strata_is_binomial() -> None:
    found = cell_interval(RATES["TPR"], CELLS, method="percentile", stratified=True, resamples=20_000)
    low, high = (stats.binom.ppf(at, 38, 30 / 38) / 38 for at in (0.025, 0.975))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1 / 38)


def test_two_by_two_as_matrix_is_the_same_as_cells() -> None:
    tp, fp, fn, tn = CELLS
    (matrix,) = matrix_interval(
        lambda m: MCC(Cells(m[..., 1, 1], m[..., 0, 1], m[..., 1, 0], m[..., 0, 0])),
        Confusion.of_matrix([[tn, fp], [fn, tp]]),
        resamples=20_000,
    )
    cells = cell_interval(MCC, CELLS, resamples=20_000)
    assert (matrix.value, matrix.low, matrix.high) == pytest.approx((cells.value, cells.low, cells.high), abs=0.01)


def test_several_statistics_share_their_draws() -> None:
    both = cell_intervals([F1, MCC], CELLS)
    assert both == [cell_interval(F1, CELLS), cell_interval(MCC, CELLS)]
    twice = matrix_interval(lambda m: np.stack([accuracy(m), 1 - accuracy(m)], axis=-1), ANIMALS, method="percentile")
    assert twice[0].low == pytest.approx(1 - twice[1].high)


def test_blocks_are_drawn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = matrix_interval(accuracy, ANIMALS, resamples=20_000)[0]
    monkeypatch.setattr(cell_bootstrap, "HELD", 9 * 500)
    blocks = matrix_interval(accuracy, ANIMALS, resamples=20_000)[0]
    assert (whole.low, whole.high) == pytest.approx((blocks.low, blocks.high), abs=0.04)
    first, second = Kinds.of_cells(ANIMALS.counts.ravel()).draws(1_000, seed=0)
    assert first.shape == second.shape == (500, 7)
    assert (first != second).any(axis=1).mean() > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(method: CellsMethod) -> None:
    first, again, other = (cell_interval(F1, CELLS, method=method, resamples=500, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40)
@given(cells=st.tuples(*[st.integers(0, 9)] * 4))
def test_ends_lie_within_bounds_in_order(method: CellsMethod, cells: tuple[int, ...]) -> None:
    found = cell_interval(MCC, Cells(*cells), method=method, resamples=60)
    if found.has_interval:
        assert -1 <= found.low <= found.high <= 1
    else:
        assert found.remark


def test_bca_covers_about_as_often_as_it_says() -> None:
    true = np.asarray([0.2, 0.1, 0.1, 0.6])
    value = F1(Cells(*true)).item()
    samples = np.random.default_rng(2).multinomial(100, true, size=300)

    def coverage(times: int) -> float:
        found = [cell_interval(F1, Cells(*(times * sample)), resamples=400) for sample in samples]
        return float(np.mean([each.low <= value <= each.high for each in found]))

    assert 0.91 <= coverage(1) <= 0.985
    assert coverage(4) < 0.8, "items that are counted four times promise too much"


# Where there is none -----------------------------------------------------------------------------------------------

# fmt: off
NO_INTERVAL = [
    # rate   cells                 value     method         remark                                    why
    (F1,     Cells(10, 0, 0, 5),   1,        "degenerate",  "FN are 0, so every resample gives 1",    "no error"),
    (F1,     Cells(0, 3, 4, 5),    0,        "degenerate",  "TP is 0, so every resample gives 0",     "nothing found"),
    (MCC,    Cells(9, 0, 0, 9),    1,        "degenerate",  "FN are 0, so every resample gives 1",    "no error"),
    (MCC,    Cells(2, 0, 0, 2),    1,        "degenerate",  "where it is undefined",                  "one class"),
    (MCC,    Cells(0, 0, 5, 5),    math.nan, "none",        "undefined for these counts",             "one column"),
    (F1,     Cells(0, 0, 0, 0),    math.nan, "none",        "no items",                               "nothing"),
]
# fmt: on


@pytest.mark.parametrize(("rate", "cells", "value", "method", "remark", "why"), NO_INTERVAL)
def test_where_there_is_no_interval_the_remark_says_why(
    rate: Callable[[Cells], FloatArray], cells: Cells, value: float, method: str, remark: str, why: str
) -> None:
    found = cell_interval(rate, cells)
    assert found.value == pytest.approx(value, nan_ok=True), why
    assert not found.has_interval
    assert found.method == method
    assert remark in found.remark


def test_undefined_resamples_are_counted() -> None:
    """With one positive in twenty, (19/20)^20 = 36 % of resamples have none."""
    found = cell_interval(MCC, Cells(1, 2, 0, 17), method="percentile")
    assert found.has_interval
    left_out, drawn = (int(word) for word in found.remark.split() if word.isdigit())
    assert drawn == 2000
    assert left_out / drawn > (19 / 20) ** 20 - 0.04


def test_an_undefined_jackknife_is_said() -> None:
    """Without its only positive, MCC is undefined: no acceleration can be found."""
    assert "not accelerated" in cell_interval(MCC, Cells(1, 2, 0, 17)).remark


# Rows with weights -------------------------------------------------------------------------------------------------


def test_rows_of_weight_one_are_cells() -> None:
    codes = np.repeat(np.arange(4), CELLS)
    (rows,) = row_intervals([MCC], codes, np.ones(100), resamples=20_000)
    cells = cell_interval(MCC, CELLS, resamples=20_000)
    assert (rows.value, rows.low, rows.high) == pytest.approx((cells.value, cells.low, cells.high), abs=0.01)
    assert rows.method == "bca, rows"


def test_different_weights_are_drawn_row_by_row() -> None:
    """The interval of a weighted share, against scipy drawing rows."""
    rng = np.random.default_rng(4)
    codes, weights = rng.integers(0, 4, 60), rng.gamma(2, 1, 60)

    def share(cells: Cells) -> FloatArray:
        return np.asarray((cells.TP + cells.TN) / sum(cells))

    (ours,) = row_intervals([share], codes, weights, resamples=20_000)
    theirs = stats.bootstrap(
        (np.isin(codes, [0, 3]) * weights, weights),
        lambda right, all_of_them, axis: right.sum(axis=axis) / all_of_them.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        method="BCa",
        rng=5,
    )
    assert ours.value == pytest.approx(weights[np.isin(codes, [0, 3])].sum() / weights.sum())
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.01)


def test_a_weighted_matrix_needs_its_rows() -> None:
    confusion = Confusion.of_matrix([[1.5, 0.5], [0.0, 2.0]])
    (without,) = matrix_interval(accuracy, confusion)
    assert (without.value, without.method, without.remark) == (3.5 / 4, "none", "weights are not integers")
    (given_rows,) = matrix_interval(accuracy, confusion, rows=([0, 1, 3, 3, 0], [1.0, 0.5, 1.5, 0.5, 0.5]))
    assert given_rows.value == pytest.approx(3.5 / 4)
    assert given_rows.method == "bca, rows"


def test_too_many_rows_give_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_bootstrap, "MOST", 1000)
    (found,) = row_intervals([F1], [0, 1, 2, 3], [0.1, 0.2, 0.3, 0.4])
    assert found.method == "none"
    assert found.remark == "2000 resamples of 4 distinct items would take too long; reduce --resamples"


# fmt: off
REFUSED = [
    # cells                  arguments              message
    (Cells(1.5, 0, 0, 1),    {},                    "expected integer counts in the cells, found 1.5"),
    (Cells(-1, 0, 0, 1),     {},                    "expected integer counts in the cells"),
    (CELLS,                  {"method": "bcaa"},    "did you mean bca"),
    (CELLS,                  {"level": 95},         "between 0 and 1"),
    (CELLS,                  {"resamples": 10},     "expected at least 40 resamples"),
]
# fmt: on


@pytest.mark.parametrize(("cells", "arguments", "message"), REFUSED)
def test_bad_input_gets_a_clear_word(cells: Cells, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        cell_interval(F1, cells, **arguments)


def test_bad_rows_get_a_clear_word() -> None:
    for codes, weights, message in (
        ([0, 1], [1.0], "expected one cell and one weight per item"),
        ([0, 4], [1.0, 1.0], "cells 0 to 3, found 0 to 4"),
        ([0, 1], [1.0, -1.0], "expected finite weights ≥ 0"),
    ):
        with pytest.raises(GermaneError, match=message):
            row_intervals([F1], codes, weights)


def test_every_method_describes_itself() -> None:
    assert set(CELLS_METHODS) == set(METHODS)
    assert all(len(description) > 20 for description in CELLS_METHODS.values())
