"""Each rate gets the interval that suits it, named."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from germane.errors import GermaneError
from germane.measures.decisions.rates import RATES, Rate, reported_rates
from germane.stats.intervals.cell_bootstrap import CELLS_METHODS
from germane.stats.intervals.proportions import PROPORTION_INTERVALS
from germane.stats.intervals.rates import (
    DIFFERENCES,
    PROJECTED,
    RATE_METHODS,
    RATIOS,
    _part,
    proportion_of,
    rate_estimates,
)
from germane.tables.decisions.confusion import Cells, Confusion
from germane.tables.results.performance import Estimate

CANCER = Cells(20, 180, 10, 1820)
PARAMETERS = {"PPV_at": {"prevalence": 0.1}, "NPV_at": {"prevalence": 0.1}, "cost": {"prevalence": 0.1}}
PARAMETERS["net_benefit"] = {"act_at": 0.2}
CHOSEN = [rate.choose(**PARAMETERS.get(rate.name, {})) for rate in RATES]


def rate_estimate(chosen: Rate, cells: Cells, **settings: Any) -> Estimate:
    """One rate of one set of cells."""
    [found] = rate_estimates([chosen], cells, **settings)
    return found[str(chosen)]


# fmt: off
BY_HAND = [
    # rate                     value        low     high    method      why
    ("PPV",                    .1,          .0657,  .1494,  "wilson",   "20 of 200: precision of the cancer test"),
    ("NPV",                    1820 / 1830, .9900,  .9970,  "wilson",   "1820 of 1830"),
    ("TPR",                    2 / 3,       .4878,  .8077,  "wilson",   "20 of 30"),
    ("ACC",                    1840 / 2030, .8930,  .9183,  "wilson",   "1840 of 2030"),
    ("informedness",           .5767,       .3973,  .7182,  "newcombe", "TPR − FPR = 20/30 − 180/2000"),
    ("BA",                     .7883,       .6987,  .8591,  "newcombe", "half of the above and a half"),
    ("HTER",                   .2117,       .1409,  .3013,  "newcombe", "1 less the above"),
    ("LR+",                    200 / 27,    5.5490, 9.8883, "log",      "the error is √(1/20 − 1/30 + 1/180 − 1/2000)"),
    ("PPV_at(prevalence=.5)",  .8811,       .8473,  .9082,  "mercaldo", "odds 200/27, as LR+"),
    ("cost(prevalence=.1)",    .1143,       .0967,  .1359,  "mover",    ".1 · 10/30 + .9 · 180/2000"),
]
# fmt: on


@pytest.mark.parametrize(("rate", "value", "low", "high", "method", "why"), BY_HAND)
def test_by_hand(rate: str, value: float, low: float, high: float, method: str, why: str) -> None:
    found = rate_estimate(RATES.parse(rate), CANCER)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=6e-5, nan_ok=True), why
    assert found.method == method


# Laws over the registry ------------------------------------------------------------------------------------------

SOME_CELLS = st.tuples(*[st.integers(0, 9)] * 4).filter(any).map(lambda counts: Cells(*counts))


@pytest.mark.parametrize("chosen", CHOSEN, ids=str)
@settings(max_examples=20)
@given(cells=SOME_CELLS)
def test_an_interval_holds_its_value_or_a_remark_says_why_there_is_none(chosen: Rate, cells: Cells) -> None:
    found = rate_estimate(chosen, cells, resamples=60)
    assert found.value == pytest.approx(chosen(cells).item(), nan_ok=True)
    assert found.has_interval == (found.method not in {"none", "degenerate"})
    if found.has_interval:
        least, greatest = chosen.bounds
        assert least - 1e-12 <= found.low <= found.high <= greatest + 1e-12
        if chosen.interval != "cells":  # a bootstrap of so few may miss it
            assert found.low <= found.value + 1e-12
            assert found.value <= found.high + 1e-12
    else:
        assert found.remark


def test_every_kind_of_interval_knows_its_rates() -> None:
    def of_kind(kind: str) -> set[str]:
        return {rate.name for rate in RATES if rate.interval == kind}

    assert of_kind("two proportions") == set(DIFFERENCES)
    assert of_kind("ratio") == set(RATIOS)
    assert of_kind("projected") == set(PROJECTED)
    for name in of_kind("proportion"):
        proportion_of(RATES[name])


@settings(max_examples=20)
@given(cells=st.tuples(*[st.integers(1, 50)] * 4).map(lambda counts: Cells(*counts)))
def test_the_tables_say_what_the_formulas_say(cells: Cells) -> None:
    for name, by in DIFFERENCES.items():
        (x1, n1), (x2, n2) = _part(cells, *by.first), _part(cells, *by.second)
        assert by.offset + by.scale * (x1 / n1 - x2 / n2) == pytest.approx(RATES[name](cells).item())
    for name, ratio in RATIOS.items():
        found = ratio(cells, 0.95)
        assert math.sqrt(found.low * found.high) == pytest.approx(RATES[name](cells).item())


# fmt: off
NO_PROPORTIONS = [
    # formula                       why
    ("TP + FN",                     "no division"),
    ("TP / FN",                     "counts items that are not among the others"),
    ("2 * TP / (2 * TP + FN + FP)", "counts some items twice"),
    ("TP * FP / (TP * FP + FN)",    "counts no items"),
]
# fmt: on


@pytest.mark.parametrize(("formula", "why"), NO_PROPORTIONS)
def test_what_is_no_proportion_is_refused(formula: str, why: str) -> None:
    with pytest.raises(GermaneError, match="is not a proportion"):
        proportion_of(Rate("broken", why, formula))


@settings(max_examples=20)
@given(cells=SOME_CELLS, level=st.sampled_from([0.8, 0.95]))
def test_proportions_are_those_of_statsmodels(cells: Cells, level: float) -> None:
    tp, _, fn, _ = cells
    for ours, theirs in (("wilson", "wilson"), ("clopper-pearson", "beta")):
        found = rate_estimate(RATES.parse("recall"), cells, proportion=ours, level=level)
        if tp + fn:
            expected = proportion_confint(tp, tp + fn, 1 - level, method=theirs)
            assert (found.low, found.high) == pytest.approx(expected, abs=1e-10)
            assert found.method == ours
        else:
            assert (found.method, found.remark) == ("none", "undefined for these counts")


def test_every_method_that_is_named_is_described() -> None:
    named = {
        rate_estimate(chosen, cells, resamples=60, proportion=proportion).method.partition(",")[0]
        for chosen in CHOSEN
        for cells in (CANCER, Cells(5, 0, 0, 5), Cells(0, 0, 0, 5))
        for proportion in PROPORTION_INTERVALS.names
    }
    assert named - {"bca"} == {*RATE_METHODS, *PROPORTION_INTERVALS.names}
    assert set(CELLS_METHODS) & named == {"bca"}
    assert all("1998" in RATE_METHODS[name] or name != "newcombe" for name in RATE_METHODS)


# Remarks ---------------------------------------------------------------------------------------------------------

# fmt: off
REMARKS = [
    # rate    cells                remark
    ("F1",    Cells(10, 0, 0, 5),  "FP and FN are 0, so every resample gives 1; TPR [0.722, 1], PPV [0.722, 1]"),
    ("F1",    Cells(0, 5, 5, 5),   "TP is 0, so every resample gives 0; TPR [0, 0.434], PPV [0, 0.434]"),
    ("DOR",   Cells(9, 0, 3, 5),   "FP is 0"),
    ("LR-",   Cells(9, 2, 0, 4),   "FN is 0"),
    ("LR-",   Cells(9, 2, 0, 0),   "undefined for these counts"),
    ("TPR",   Cells(0, 2, 0, 3),   "undefined for these counts"),
    ("TPR",   Cells(3, 2, 0, 3),   ""),
]
# fmt: on


@pytest.mark.parametrize(("rate", "cells", "remark"), REMARKS)
def test_remarks(rate: str, cells: Cells, remark: str) -> None:
    assert rate_estimate(RATES.parse(rate), cells).remark == remark


def test_degenerate_mcc_names_all_four_proportions() -> None:
    remark = rate_estimate(RATES.parse("MCC"), Cells(40, 0, 0, 60)).remark
    assert remark.startswith("FP and FN are 0, so every resample gives 1; TPR [0.912, 1], TNR [0.94, 1], PPV ")


def test_an_infinite_ratio_has_a_lower_end() -> None:
    found = rate_estimate(RATES.parse("LR+"), Cells(9, 0, 3, 50))
    assert found.value == found.high == math.inf
    assert 1 < found.low < 100


def test_weights_give_no_interval_unless_rows_are_there() -> None:
    cells = Cells(2.5, 1.0, 0.5, 3.0)
    without = rate_estimate(RATES.parse("F1"), cells)
    assert (without.method, without.remark) == ("none", "weights are not integers")
    assert rate_estimate(RATES.parse("TPR"), CANCER, weighted=True).method == "none", "0.5 + 0.5 is no item"
    rows = ([0, 0, 1, 2, 3, 3], [1.0, 1.5, 1.0, 0.5, 1.5, 1.5])
    found = rate_estimate(RATES.parse("ACC"), cells, rows=rows)
    assert found.value == pytest.approx(5.5 / 7)
    assert found.method == "bca, rows"
    with pytest.raises(GermaneError, match="rows require a single set of cells"):
        rate_estimate(RATES.parse("ACC"), Cells(*np.ones((4, 2))), rows=rows)


def test_all_classes_at_once_are_each_class_alone() -> None:
    animals = Confusion.of_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]], labels=["cat", "dog", "rabbit"])
    together = rate_estimates(reported_rates(), animals.all_cells(), resamples=200)
    for label, table in zip(animals.labels, together, strict=True):
        assert list(table) == [str(chosen) for chosen in reported_rates()]
        for chosen in reported_rates():
            assert table[str(chosen)] == rate_estimate(chosen, animals.cells(label), resamples=200)


def test_bad_choices_get_a_clear_word() -> None:
    with pytest.raises(GermaneError, match="did you mean wilson"):
        rate_estimate(RATES.parse("TPR"), CANCER, proportion="willson")
    with pytest.raises(GermaneError, match="between 0 and 1"):
        rate_estimate(RATES.parse("BA"), CANCER, level=95)
