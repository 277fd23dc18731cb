"""A worked table adds up to the value that the measure gives."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from germane.errors import MeasureError
from germane.measures.decisions.explain import TABLED, DecisionExplanation, explain_cells, explain_scores
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES, rates_of
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions

ITEMS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.sampled_from([1, 2, 0.5])),
    min_size=1,
    max_size=20,
)
Explain = Callable[[str, Decisions], DecisionExplanation]


def decisions_of(items: Any) -> Decisions:
    return Decisions.of(*zip(*items, strict=True))


def not_added_up(explain: Explain, decisions: Decisions) -> Iterator[str]:
    for measure in TABLED:
        found = explain(measure, decisions)
        if found.term and not math.isnan(found.value):
            terms = sum(term for term in found.columns[found.term] if not math.isnan(term))
            if not math.isclose(terms, found.value, abs_tol=1e-12):
                yield measure


@settings(max_examples=30)
@given(ITEMS)
@example([(True, 0.5, 1)])
def test_the_terms_add_up_to_the_value(items: Any) -> None:
    decisions = decisions_of(items)
    assert list(not_added_up(explain_scores, decisions)) == []
    for measure in TABLED:
        value, shown = DECISION_MEASURES[measure](decisions), explain_scores(measure, decisions).value
        assert value == shown or (math.isnan(value) and math.isnan(shown))


def test_the_law_catches_a_table_that_leaves_out_a_row() -> None:
    def careless(measure: str, decisions: Decisions) -> DecisionExplanation:
        found = explain_scores(measure, decisions)
        return replace(found, columns={name: column[1:] for name, column in found.columns.items()})

    seen = Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1])
    assert list(not_added_up(careless, seen)) == ["AP"]
    assert list(not_added_up(careless, Decisions.of([False, True], [0.5, 0.5]))) == ["AUC", "AP"]


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


def test_what_is_no_measure_is_said() -> None:
    with pytest.raises(MeasureError, match="no breakdown available for Cllr"):
        explain_scores("Cllr", Decisions.of([True, False], [1, 0]))
