"""Lecture 003 (Barrios): the running example with four images, and the exercise with two systems."""

from fractions import Fraction
from importlib.resources import as_file, files

import pytest

import germane
from germane.measures.rankings.curves import precision_recall_points
from tests.made_runs import Topic, judged_run
from tests.worked_examples.rows import Row, as_printed, check

RUNNING, NOT_FOUND = "0 1 0 0 1 0 0 1", "1"
F = Fraction

# fmt: off
ROWS = [
    # The average precision of the example.
    Row("AP", RUNNING, NOT_FOUND, (F(1, 2) + F(2, 5) + F(3, 8) + 0) / 4, "0.31875", "0.32"),
    Row("P@2", RUNNING, NOT_FOUND, F(1, 2), "P(0.25)", "0.5"),
    Row("P@5", RUNNING, NOT_FOUND, F(2, 5), "P(0.5)", "0.4"),
    Row("P@8", RUNNING, NOT_FOUND, F(3, 8), "P(0.75)", "0.38"),
    Row("R@2", RUNNING, NOT_FOUND, F(1, 4), "1 of 4", "0.25"),
    Row("R@5", RUNNING, NOT_FOUND, F(2, 4), "2 of 4", "0.5"),
    Row("R@8", RUNNING, NOT_FOUND, F(3, 4), "3 of 4", "0.75"),
    # Interpolated precision: the maximum from this point of recall on.
    *(Row(f"IPrec@{r}", RUNNING, NOT_FOUND, F(1, 2), "PI(0) = PI(0.1) = PI(0.2)", "0.5") for r in (0, 0.1, 0.2)),
    *(Row(f"IPrec@{r}", RUNNING, NOT_FOUND, F(2, 5), "PI(0.3) = PI(0.4) = PI(0.5)", "0.4") for r in (0.3, 0.4, 0.5)),
    *(Row(f"IPrec@{r}", RUNNING, NOT_FOUND, F(3, 8), "the last point, at 0.75") for r in (0.6, 0.7, 0.75)),
    *(Row(f"IPrec@{r}", RUNNING, NOT_FOUND, 0, "never reached") for r in (0.76, 0.8, 0.9, 1)),
    Row("IPrecAvg", RUNNING, NOT_FOUND, (3 * F(1, 2) + 3 * F(2, 5) + 2 * F(3, 8) + 3 * 0) / 11, "the eleven of them"),
    # The measures of one value, read off the same ranking.
    Row("Rprec", RUNNING, NOT_FOUND, F(1, 4), "1 of the first 4"),
    Row("RR", RUNNING, NOT_FOUND, F(1, 2), "the first correct answer is the second"),
    Row("RR@1", RUNNING, NOT_FOUND, 0, "restricted to the first S = 1 answers"),
    # F(j) and E(j) where j is the first correct answer: r(j) is 1/4, P(j) is 1/2.
    Row("F@2", RUNNING, NOT_FOUND, 2 / (1 / F(1, 4) + 1 / F(1, 2)), "1/3"),
    Row("E@2", RUNNING, NOT_FOUND, 1 - 2 / (1 / F(1, 4) + 1 / F(1, 2)), "b = 1: 1 - F"),
    Row("E(b=2)@2", RUNNING, NOT_FOUND, 1 - 5 / (4 / F(1, 4) + 1 / F(1, 2)), "13/18: recall counts more"),
    Row("E(b=0.5)@2", RUNNING, NOT_FOUND, 1 - F(5, 4) / (F(1, 4) / F(1, 4) + 1 / F(1, 2)), "7/12: precision does"),
    # The detector with two thresholds, its positive answers as a set (the 9.580 of its second table should be 9.680).
    Row("R", "1 " * 900 + "0 " * 2000, "1 " * 100, F(900, 1000), "recall", "90%"),
    Row("P", "1 " * 900 + "0 " * 2000, "1 " * 100, F(900, 2900), "precision", "31%"),
    Row("F", "1 " * 900 + "0 " * 2000, "1 " * 100, 2 / (1 / F(900, 1000) + 1 / F(900, 2900)), "F1 score", "0.462"),
    Row("R", "1 " * 300 + "0 " * 20, "1 " * 700, F(300, 1000), "recall, stricter", "30%"),
    Row("P", "1 " * 300 + "0 " * 20, "1 " * 700, F(300, 320), "precision, stricter", "94%"),
    Row("F", "1 " * 300 + "0 " * 20, "1 " * 700, 2 / (1 / F(300, 1000) + 1 / F(300, 320)), "stricter", "0.455"),
]

EXERCISE = [
    # Q1, Q2, Q3                                                                       the mean as printed
    ("system1", "AP",    [(1 + F(2, 3)) / 3, (F(1, 2) + F(2, 5)) / 2, (1 + F(2, 5)) / 2],    "0.57"),
    ("system2", "AP",    [(1 + F(2, 4) + F(3, 6)) / 3, (1 + F(2, 5)) / 2, F(1, 2) / 2],      "0.54"),
    ("system1", "RR",    [F(1), F(1, 2), F(1)],                                              "0.83"),
    ("system2", "RR",    [F(1), F(1), F(1, 2)],                                              "0.83"),
    ("system1", "R@5",   [F(2, 3), F(2, 2), F(2, 2)],                                        "0.89"),
    ("system2", "R@5",   [F(2, 3), F(2, 2), F(1, 2)],                                        "0.72"),
    ("system1", "Rprec", [F(2, 3), F(1, 2), F(1, 2)],                                        "0.56"),
    ("system2", "Rprec", [F(1, 3), F(1, 2), F(1, 2)],                                        "0.44"),
]
AP_AS_PRINTED = {"system1": ["0.56", "0.45", "0.70"], "system2": ["0.67", "0.70", "0.25"]}
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)


def test_the_points_of_recall_and_precision() -> None:
    points = precision_recall_points(judged_run([Topic.of(RUNNING, NOT_FOUND)]))
    assert points.x.tolist() == [1 / 4, 2 / 4, 3 / 4]
    assert points.y.tolist() == [1 / 2, 2 / 5, 3 / 8]


@pytest.mark.parametrize(("system", "measure", "exact", "printed"), EXERCISE)
def test_the_exercise(system: str, measure: str, exact: list[Fraction], printed: str) -> None:
    with as_file(files("germane") / "data" / "lecture003") as data:
        scores = germane.evaluate(data / "qrels.txt", {system: data / f"{system}.run"}, measure)
    assert scores[system, measure] == pytest.approx({f"Q{i}": float(value) for i, value in enumerate(exact, start=1)})
    mean = sum(exact) / len(exact)
    assert scores.mean()[system][measure] == pytest.approx(float(mean))
    assert as_printed(mean, printed) == printed


def test_the_average_precisions_of_the_exercise_as_printed() -> None:
    for system, _, exact, _ in EXERCISE[:2]:
        figures = AP_AS_PRINTED[system]
        assert [as_printed(value, figure) for value, figure in zip(exact, figures, strict=True)] == figures
