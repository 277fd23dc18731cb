"""The lectures' confusion matrices: exact fractions, with the figure as it is printed beside them."""

from fractions import Fraction

import pytest

from germane.measures.decisions.matrix import accuracy
from germane.measures.decisions.rates import RATES
from germane.tables.decisions.confusion import Cells, Confusion

CANCER_TEST = Cells(TP=20, FP=180, FN=10, TN=1820)
ALWAYS_NO = Cells(TP=0, FP=0, FN=30, TN=2000)
VIRUS_TEST = Cells(TP=595, FP=4965, FN=105, TN=94335)
METHOD_A = Cells(TP=95, FP=30, FN=5, TN=70)
METHOD_B = Cells(TP=40, FP=80, FN=60, TN=20)
METHOD_B_INVERTED = Cells(TP=METHOD_B.FN, FP=METHOD_B.TN, FN=METHOD_B.TP, TN=METHOD_B.FP)
METHOD_C = Cells(TP=90, FP=70, FN=10, TN=30)
METHOD_D = Cells(TP=60, FP=5, FN=40, TN=95)
PERMISSIVE_DETECTOR = Cells(TP=900, FP=2000, FN=100, TN=7000)
STRICT_DETECTOR = Cells(TP=300, FP=20, FN=700, TN=8980)
SEARCH_A = Cells(TP=7, FP=7, FN=13, TN=0)
SEARCH_B = Cells(TP=4, FP=2, FN=16, TN=0)

LECTURE_RATES = [
    # cells               rate     exact                     printed
    (CANCER_TEST, "PPV", Fraction(20, 200), "10%"),
    (CANCER_TEST, "NPV", Fraction(1820, 1830), "99.5%"),
    (CANCER_TEST, "TPR", Fraction(20, 30), "67%"),
    (CANCER_TEST, "TNR", Fraction(1820, 2000), "91%"),
    (CANCER_TEST, "ACC", Fraction(1840, 2030), "90.6%"),
    (CANCER_TEST, "FDR", Fraction(180, 200), "90%"),
    (CANCER_TEST, "FOR", Fraction(10, 1830), "0.5%"),
    (CANCER_TEST, "prevalence", Fraction(30, 2030), "1.5%"),  # lecture 001 prints 1.4%: cut, not rounded
    (ALWAYS_NO, "ACC", Fraction(2000, 2030), "98.5%"),
    (ALWAYS_NO, "NPV", Fraction(2000, 2030), "98.5%"),
    (ALWAYS_NO, "TPR", Fraction(0), "0%"),
    (ALWAYS_NO, "TNR", Fraction(1), "100%"),
    (VIRUS_TEST, "PPV", Fraction(595, 5560), "11%"),
    (VIRUS_TEST, "NPV", Fraction(94335, 94440), "99.9%"),  # the lecture's 99% is left over from its first example
    (VIRUS_TEST, "TPR", Fraction(595, 700), "85%"),
    (VIRUS_TEST, "TNR", Fraction(94335, 99300), "95%"),
    (VIRUS_TEST, "ACC", Fraction(94930, 100000), "95%"),
    (VIRUS_TEST, "prevalence", Fraction(700, 100000), "0.7%"),  # printed as 700/99,300, which is the odds
    (METHOD_A, "TPR", Fraction(95, 100), "95%"),
    (METHOD_A, "FPR", Fraction(30, 100), "30%"),
    (METHOD_A, "PPV", Fraction(95, 125), "76%"),
    (METHOD_A, "NPV", Fraction(70, 75), "93%"),
    (METHOD_A, "ACC", Fraction(165, 200), "82.5%"),  # printed as 83%
    (METHOD_B, "TPR", Fraction(40, 100), "40%"),
    (METHOD_B, "FPR", Fraction(80, 100), "80%"),
    (METHOD_B, "PPV", Fraction(40, 120), "33%"),
    (METHOD_B, "NPV", Fraction(20, 80), "25%"),
    (METHOD_B, "ACC", Fraction(60, 200), "30%"),
    (METHOD_B_INVERTED, "TPR", Fraction(60, 100), "60%"),
    (METHOD_B_INVERTED, "FPR", Fraction(20, 100), "20%"),
    (METHOD_C, "TPR", Fraction(90, 100), "90%"),
    (METHOD_C, "FPR", Fraction(70, 100), "70%"),
    (METHOD_C, "PPV", Fraction(90, 160), "56%"),
    (METHOD_C, "NPV", Fraction(30, 40), "75%"),
    (METHOD_C, "ACC", Fraction(120, 200), "60%"),
    (METHOD_D, "TPR", Fraction(60, 100), "60%"),
    (METHOD_D, "FPR", Fraction(5, 100), "5%"),
    (METHOD_D, "PPV", Fraction(60, 65), "92%"),
    (METHOD_D, "NPV", Fraction(95, 135), "70%"),
    (METHOD_D, "ACC", Fraction(155, 200), "77.5%"),  # printed as 78%
    (PERMISSIVE_DETECTOR, "recall", Fraction(900, 1000), "90%"),
    (PERMISSIVE_DETECTOR, "precision", Fraction(900, 2900), "31%"),
    (PERMISSIVE_DETECTOR, "F1", Fraction(1800, 3900), "0.462"),
    (PERMISSIVE_DETECTOR, "ACC", Fraction(7900, 10000), "79%"),
    (PERMISSIVE_DETECTOR, "MCC", None, "0.448"),
    (STRICT_DETECTOR, "recall", Fraction(300, 1000), "30%"),
    (STRICT_DETECTOR, "precision", Fraction(300, 320), "94%"),
    (STRICT_DETECTOR, "F1", Fraction(600, 1320), "0.455"),
    (STRICT_DETECTOR, "ACC", Fraction(9280, 10000), "93%"),
    (STRICT_DETECTOR, "MCC", None, "0.508"),
    (SEARCH_A, "F1", Fraction(14, 34), "0.41"),
    (SEARCH_B, "F1", Fraction(8, 26), "0.31"),
]


@pytest.mark.parametrize(("cells", "name", "exact", "printed"), LECTURE_RATES)
def test_rates_of_the_lectures(cells: Cells, name: str, exact: Fraction | None, printed: str) -> None:
    rate = RATES.parse(name)
    value = rate(cells).item()
    if exact is not None:
        assert rate.exact(cells) == exact
        assert value == pytest.approx(float(exact), rel=1e-15)
    decimals = len(printed.rstrip("%").partition(".")[2])
    shown = f"{100 * value:.{decimals}f}%" if printed.endswith("%") else f"{value:.{decimals}f}"
    assert shown == printed


def test_an_undefined_rate_is_nan_where_the_oracle_never_says_yes() -> None:
    """Lecture 000 prints PPV = 0% for the oracle that always says no; 0 of 0 has no value."""
    assert str(RATES.parse("PPV")(ALWAYS_NO).item()) == "nan"


def test_the_misprint_of_lecture_003() -> None:
    """The second detector's table has 9.580 under "Dijo F"; its column adds to 9,680."""
    assert STRICT_DETECTOR.FN + STRICT_DETECTOR.TN == 9680
    assert sum(STRICT_DETECTOR) == 10000


# Lectures 000 and 001 write the predicted class in rows and the true one in columns.
PEOPLE = Confusion.of_matrix([[13, 4, 2], [2, 15, 1], [5, 1, 57]], ["woman", "man", "child"], rows="prediction")
ANIMALS = Confusion.of_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]], ["cat", "dog", "rabbit"])

COLLAPSES = [
    # class    cells               PPV              NPV              TPR              TNR              ACC
    (
        "woman",
        (13, 6, 7, 74),
        Fraction(13, 19),
        Fraction(74, 81),
        Fraction(13, 20),
        Fraction(74, 80),
        Fraction(87, 100),
    ),
    (
        "child",
        (57, 6, 3, 34),
        Fraction(57, 63),
        Fraction(34, 37),
        Fraction(57, 60),
        Fraction(34, 40),
        Fraction(91, 100),
    ),
]


@pytest.mark.parametrize(("label", "cells", "ppv", "npv", "tpr", "tnr", "acc"), COLLAPSES)
def test_women_men_and_children_collapsed(
    label: str, cells: tuple[int, ...], ppv: Fraction, npv: Fraction, tpr: Fraction, tnr: Fraction, acc: Fraction
) -> None:
    collapsed = PEOPLE.cells(label)
    assert tuple(collapsed) == cells
    expected = {"PPV": ppv, "NPV": npv, "TPR": tpr, "TNR": tnr, "ACC": acc}
    assert {name: RATES.parse(name).exact(collapsed) for name in expected} == expected


def test_accuracy_of_several_classes() -> None:
    assert accuracy(PEOPLE) == pytest.approx(85 / 100)
    assert accuracy(ANIMALS) == pytest.approx(19 / 27)


def test_the_sentences_about_cats_dogs_and_rabbits() -> None:
    """Of the 8 cats three were called dogs; of the six dogs one was called a rabbit and two cats."""
    assert ANIMALS.support.tolist() == [8, 6, 13]
    assert ANIMALS.counts[0].tolist() == [5, 3, 0]
    assert ANIMALS.counts[1].tolist() == [2, 3, 1]
