"""Formulas as data: what they let in, and that all ways of evaluating them agree."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import MeasureError
from germane.measures.decisions.expressions import Expression
from germane.measures.decisions.rates import RATES, Rate
from germane.tables.decisions.confusion import Cells

CHOICES = {"prevalence": 0.25, "act_at": 0.2}
COUNTS = st.integers(0, 10**6)


def parameters(rate: Rate) -> dict[str, float]:
    return {each.name: CHOICES[each.name] for each in rate.takes if each.name in CHOICES}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("__import__('os')", "Call is not arithmetic"),
        ("TP.real", "Attribute is not arithmetic"),
        ("TP if FP else 1", "IfExp is not arithmetic"),
        ("[TP]", "List is not arithmetic"),
        ("TP < FP", "Compare is not arithmetic"),
        ("'TP'", "Constant is not arithmetic"),
        ("TP +", "is not a formula"),
    ],
)
def test_only_arithmetic_is_let_in(text: str, problem: str) -> None:
    with pytest.raises(MeasureError, match=problem):
        Expression(text)


def disagreements(rate: Rate, cells: Cells) -> list[str]:
    """Where the number and the fraction of a rate differ by more than rounding."""
    number, fraction = rate(cells, **parameters(rate)).item(), rate.exact(cells, **parameters(rate))
    if math.isnan(number) or math.isinf(number):
        return [] if str(float(fraction)) == str(number) else [f"{rate.name}: {number} and {fraction}"]
    close = math.isclose(number, float(fraction), rel_tol=1e-9, abs_tol=1e-12)
    return [] if close else [f"{rate.name}: {number} and {float(fraction)}"]


@given(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))
def test_numbers_and_fractions_agree(counts: tuple[int, int, int, int]) -> None:
    assert [line for rate in RATES for line in disagreements(rate, Cells(*counts))] == []


def test_the_law_catches_a_rate_that_rounds() -> None:
    class Rounded(Rate):
        def __call__(self, cells: Cells, **parameters: float) -> np.ndarray:
            return np.round(super().__call__(cells, **parameters), 3)

    assert disagreements(Rounded("TPR", "", "TP / (TP + FN)"), Cells(1, 0, 2, 0)) != []


def test_bounds_hold_for_every_rate() -> None:
    cells = Cells(*(column.ravel() for column in np.meshgrid(*[[0, 1, 2, 50]] * 4)))
    for rate in RATES:
        values = rate(cells, **parameters(rate))
        finite = values[~np.isnan(values)]
        assert ((finite >= rate.bounds[0] - 1e-12) & (finite <= rate.bounds[1] + 1e-12)).all(), rate.name


def test_pairs_that_add_to_one() -> None:
    cells = Cells(*(column.ravel() for column in np.meshgrid(*[[0, 1, 7]] * 4)))
    for one, other in (("TPR", "FNR"), ("TNR", "FPR"), ("PPV", "FDR"), ("NPV", "FOR"), ("ACC", "ERR"), ("BA", "HTER")):
        total = RATES[one](cells) + RATES[other](cells)
        assert total[~np.isnan(total)] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("sensitivity", "TPR"),
        ("Recall", "TPR"),
        ("hit rate", "TPR"),
        ("CAR", "TPR"),
        ("specificity", "TNR"),
        ("CRR", "TNR"),
        ("precision", "PPV"),
        ("miss rate", "FNR"),
        ("FRR", "FNR"),
        ("fall-out", "FPR"),
        ("FAR", "FPR"),
        ("F1", "F1"),
        ("F0.5", "F0.5"),
        ("F(beta=2)", "F2"),
        ("cost(cost_fn=5, prevalence=.01)", "cost(cost_fn=5, prevalence=0.01)"),
    ],
)
def test_names_people_use(name: str, canonical: str) -> None:
    assert str(RATES.parse(name)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sensitivty", "unknown rate 'sensitivty'; did you mean TPR"),
        ("F(gamma=1)", "F has no parameter 'gamma'"),
        ("F(beta=-1)", "F: expected a number of 0 or more for beta, found '-1'"),
        ("F(beta)", "expected parameter=value"),
        ("PPV_at", "PPV_at requires prevalence"),
        ("PPV_at(prevalence=2)", "expected a number between 0 and 1 for prevalence, found '2'"),
        ("(", "expected a rate such as"),
    ],
)
def test_wrong_names(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as problem:
        RATES.parse(text)
    assert message in str(problem.value)


def test_projecting_to_the_prevalence_of_the_data_changes_nothing() -> None:
    cells = Cells(20, 180, 10, 1820)
    prevalence = 30 / 2030
    assert RATES.parse(f"PPV_at(prevalence={prevalence})")(cells).item() == pytest.approx(0.1)
    assert RATES.parse(f"NPV_at(prevalence={prevalence})")(cells).item() == pytest.approx(1820 / 1830)


def test_a_fraction_reads_a_decimal_as_written() -> None:
    assert RATES.parse("PPV_at(prevalence=.1)").exact(Cells(1, 1, 1, 1)) == Fraction(1, 10)
