"""A worked table adds up to the value that the measure gives."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from germane.measures.decisions.breakdowns.by_group import explain_average, explain_bins, explain_matrix
from germane.measures.decisions.explain import DecisionExplanation, explain_cells, explain_scores
from germane.measures.decisions.matrix import AVERAGES, averaged
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import PARTS_OF_BRIER
from germane.measures.decisions.rates import RATES, rates_of
from germane.measures.decisions.scores.probabilities import brier
from germane.tables.decisions.confusion import Cells, Confusion
from germane.tables.decisions.decisions import Decisions

ITEMS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.sampled_from([1, 2, 0.5])),
    min_size=1,
    max_size=20,
)
PARAMETERS = {
    "AP": ("area=trapezoid", "area=interpolated"),
    "EER": ("at=hull",),
    "partial_AUC": ("max_fpr=0.3", "scale=raw", "max_fpr=1"),
    "minDCF": ("prior=0.3",),
    "log_loss": ("clip=0.01",),
}
MEASURES = [
    *(entry.name for entry in DECISION_MEASURES if entry.of in ("scores", "probabilities")),
    *(f"{name}({given})" for name, several in PARAMETERS.items() for given in several),
]
Explain = Callable[[str, Decisions], DecisionExplanation]


def decisions_of(items: Any) -> Decisions:
    return Decisions.of(*zip(*items, strict=True))


def not_added_up(explain: Explain, decisions: Decisions) -> Iterator[str]:
    for measure in MEASURES:
        found = explain(measure, decisions)
        if found.term and not math.isnan(found.value):
            terms = sum(term for term in found.columns[found.term] if not math.isnan(term))
            if not (math.isclose(terms, found.value, abs_tol=1e-12) or terms == found.value):
                yield measure


@settings(max_examples=30)
@given(ITEMS)
@example([(True, 0.5, 1)])
def test_the_terms_add_up_to_the_value(items: Any) -> None:
    decisions = decisions_of(items)
    assert list(not_added_up(explain_scores, decisions)) == []
    for measure in MEASURES:
        value, shown = DECISION_MEASURES.parse(measure)(decisions), explain_scores(measure, decisions).value
        assert value == shown or (math.isnan(value) and math.isnan(shown))


def test_the_law_catches_a_table_that_leaves_out_a_row() -> None:
    def careless(measure: str, decisions: Decisions) -> DecisionExplanation:
        found = explain_scores(measure, decisions)
        return replace(found, columns={name: column[1:] for name, column in found.columns.items()})

    seen = Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1])
    assert {"AP", "Brier", "log_loss", "discrimination"} <= set(not_added_up(careless, seen))
    assert {"AUC", "AP"} <= set(not_added_up(careless, Decisions.of([False, True], [0.5, 0.5])))


@pytest.mark.parametrize("rate", [rate.name for rate in RATES if not rate.needs_parameters])
def test_every_rate_is_explained_by_its_formula(rate: str) -> None:
    cells = Cells(20, 180, 10, 1820)
    found = explain_cells(rate, cells)
    formula, numbers, value = (line.partition("= ")[2] for line in found.lines)
    assert eval(numbers, {"sqrt": math.sqrt}) == pytest.approx(found.value), formula
    assert value == f"{found.value:.4f}"
    assert found.value == rates_of(cells)[found.measure]


def test_ties_are_counted_in_the_column_of_classes() -> None:
    seen = Decisions.of([True, True, False, False], [0.5, 0.5, 0.5, 0.2])
    assert explain_scores("AUC", seen).columns["class"] == ["2 P 1 N", "1 N"]


def test_a_rate_is_lowest_where_less_is_better() -> None:
    seen = Decisions.of([True, False, True], [0.9, 0.5, 0.4])
    assert explain_scores("ERR", seen).lines == ("ERR is lowest at 0.9: 0.3333",)
    assert explain_scores("ACC", seen).lines == ("ACC is highest at 0.9: 0.6667",)


def test_a_measure_without_a_breakdown_is_explained_by_its_formula() -> None:
    def half(decisions: Decisions) -> float:
        """Half.

        Formula:    1 / 2
        """
        return 0.5

    DECISION_MEASURES.define("Half", of="scores", bounds=(0, 1))(half)
    try:
        found = explain_scores("Half", Decisions.of([True, False], [1, 0]))
    finally:
        DECISION_MEASURES.unregister("Half")
    assert found.lines == ("Half: 1 / 2", "Half = 0.5000")


def test_the_threshold_of_a_constrained_rate_is_named() -> None:
    seen = Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1])
    assert (
        explain_scores("TPR(at_fpr=0.1)", seen)
        .lines[0]
        .startswith("TPR(at_fpr=0.1) = highest TPR with FPR <= 0.1, at threshold 0.9, = 0.5000")
    )
    none = explain_scores("TPR(at_fpr=0)", Decisions.of([False, True], [0.9, 0.2])).lines[0]
    assert none.endswith("highest TPR with FPR <= 0, where nothing is predicted positive, = 0.0000")
    assert explain_scores("TPR(at_fpr=0.1)", seen).columns["within"] == [1, 0, 0, 0]
    assert "which no threshold has, = nan" in explain_scores("TPR(at_ppv=1)", Decisions.of([0, 1], [0.9, 0.2])).lines[0]
    assert explain_scores("gain(at=0.5)", seen).columns["gain"] == [0.5, 0.5, 1, 1]
    assert explain_scores("lift(at=0.25)", seen).lines == (
        "lift(at=0.25) = gain in the top 0.25 of the items / 0.25 = 2.0000",
    )


@settings(max_examples=30)
@given(st.lists(st.integers(0, 9), min_size=9, max_size=9), st.integers(1, 9))
def test_averages_and_measures_of_the_matrix_are_explained(cells: list[int], one: int) -> None:
    confusion = Confusion.of_matrix(np.reshape([*cells[:8], one], (3, 3)))
    for name in ("ACC", "BA", "MCC", "kappa", "kappa(weights=linear)", "kappa(chance=pooled, weights=quadratic)"):
        found, value = explain_matrix(name, confusion), DECISION_MEASURES.parse(name)(confusion)
        assert found.value == value or math.isnan(value)
        assert found.lines[-1].endswith(f"= {value:.4f}")
    for average in AVERAGES:
        for name in ("F1", "TPR", "F2", "NPV"):
            average_of = explain_average(RATES.parse(name), average, confusion)
            value = averaged(RATES.parse(name), confusion.counts, average).item()
            if average_of.term and not math.isnan(value):
                assert sum(average_of.columns["term"]) == pytest.approx(value)
            assert average_of.lines[-1].endswith(f"= {value:.4f}")


@settings(max_examples=30)
@given(ITEMS)
def test_bins_add_up_to_measures_of_calibration(items: Any) -> None:
    decisions = decisions_of(items)
    for name in ("ECE", "ECE(bins=3)", "MCE(bins=4)", "ECE(binning=equal-width)", *PARTS_OF_BRIER):
        found = explain_bins(name, decisions)
        if found.term:
            assert sum(found.columns["term"]) == pytest.approx(found.value, abs=1e-12)
        if name not in PARTS_OF_BRIER:
            assert found.value == DECISION_MEASURES.parse(name)(decisions)
    whole = {name: explain_bins(name, decisions).value for name in PARTS_OF_BRIER}
    total = whole["miscalibration(binned)"] - whole["discrimination(binned)"]
    assert total + whole["uncertainty"] + whole["within(binned)"] == pytest.approx(brier(decisions))
