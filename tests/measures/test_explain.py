"""What a worked table says besides its rows: the formula, the names of documents, and what is tied."""

from __future__ import annotations

from typing import Any

import pytest

import germane as ge
from germane.measures.explain import Explanation

QRELS = {"q": {"d1": 2, "d2": 1, "d3": 0, "d4": 1}}
RUN = {"q": {"x": 9.0, "d1": 8.0, "d3": 7.0, "d2": 6.0, "d4": 6.0}}


def explained(measure: str, **how: Any) -> Explanation:
    found: Explanation = ge.explain(measure, QRELS, RUN, "q", **how)
    return found


# fmt: off
FORMULAS = [
    # measure               what the formula says, nothing where the choice makes it another one
    ("AP",                  "AP = (1/R) * sum of P@i"),
    ("AP(rel=2)",           "AP = (1/R) * sum of P@i"),
    ("AP(area=trapezoid)",  ""),
    ("AP(over=retrieved)",  ""),
    ("DCG@3",               "DCG@k = sum of rel_i / log2(i + 1)"),
    ("DCG(gain=exp)@3",     ""),
    ("F(beta=2)",           "beta = 2"),
    ("E",                   "b = 1"),
    ("RBP(p=0.5)",          "p = 0.5"),
]
# fmt: on


@pytest.mark.parametrize(("measure", "said"), FORMULAS)
def test_the_formula_is_that_of_the_value(measure: str, said: str) -> None:
    formula = explained(measure).formula
    assert said in formula
    assert bool(said) == bool(formula)


@pytest.mark.parametrize("measure", ["IPrec@0", "IPrec@0.5", "IPrec@1", "IPrec(to=between)@0.3", "IPrecAvg"])
def test_interpolated_precision_stands_at_the_rank_that_has_it(measure: str) -> None:
    columns = explained(measure).columns
    times = columns.get("levels", [1.0] * len(columns["term"]))
    read = [(p * n, term) for p, n, term in zip(columns["precision"], times, columns["term"], strict=True) if term]
    assert read
    assert all(term == pytest.approx(product) for product, term in read)


def test_what_nobody_judged_is_called_so() -> None:
    assert explained("nDCG@7").columns["document"] == ["(unjudged)", "d1", "d3", "d4", "d2", "(none)", "(none)"]


def test_gains_stand_beside_grades_where_they_differ() -> None:
    columns = explained("nDCG(gain=exp)@3").columns
    assert (columns["rel"], columns["gain"], columns["ideal gain"]) == ([0, 2, 0], [0, 3, 0], [3, 1, 1])
    assert "gain" not in explained("nDCG@3").columns


# fmt: off
TIED = [
    # measure    ties        note
    ("AP",       "docno",    ("tied scores at ranks 4–5, broken by docno",)),
    ("AP",       "expected", ("tied scores at ranks 4–5, averaged over all orders",)),
    ("P@3",      "docno",    ()),
    ("nDCG@3",   "docno",    ()),
]
# fmt: on


@pytest.mark.parametrize(("measure", "ties", "notes"), TIED)
def test_a_tie_is_mentioned_where_it_matters(measure: str, ties: str, notes: tuple[str, ...]) -> None:
    assert explained(measure, ties=ties).notes == notes


def test_expected_ties_have_a_row_for_each_document() -> None:
    found = explained("nDCG@4", ties="expected")
    assert found.columns["rank"] == ["2", "3", "4–5", "4–5"]
    assert found.evaluate() == pytest.approx(found.value)
