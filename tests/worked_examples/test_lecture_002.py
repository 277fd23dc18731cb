"""Lecture 002 (Chazalon): one list of ten results, relevant at ranks 1, 3 and 9, with 3 and with 4 expected."""

from fractions import Fraction

import pytest

from germane.measures.rankings.curves import precision_recall_points
from tests.made_runs import Topic, judged_run
from tests.worked_examples.rows import Row, check

LIST = "1 0 1 0 0 0 0 0 1 0"
F = Fraction
SAWTOOTH = (F(1) + 1) / 2 + (F(1, 2) + F(2, 3)) / 2 + (F(1, 4) + F(1, 3)) / 2  # P just before and at each relevant rank
TRAPEZOID = (F(1) + 1) / 2 + (F(1) + F(2, 3)) / 2 + (F(2, 3) + F(1, 3)) / 2

# fmt: off
STEPS = [
    # k  P@k       recall, 3 expected   as printed
    (1,  F(1),     F(1, 3),             "1"),
    (2,  F(1, 2),  F(1, 3),             None),
    (3,  F(2, 3),  F(2, 3),             None),
    (4,  F(1, 2),  F(2, 3),             None),
    (5,  F(2, 5),  F(2, 3),             "0.4"),
    (6,  F(1, 3),  F(2, 3),             None),
    (7,  F(2, 7),  F(2, 3),             "0.285..."),
    (8,  F(1, 4),  F(2, 3),             None),
    (9,  F(1, 3),  F(1),                None),
    (10, F(3, 10), F(1),                None),
]
ROWS = [
    *(Row(f"P@{k}", LIST, "", precision, f"rank {k}", printed) for k, precision, _, printed in STEPS),
    *(Row(f"P@{k}", LIST, "1", precision, "P does not change with what is expected") for k, precision, *_ in STEPS),
    *(Row(f"R@{k}", LIST, "", recall, f"rank {k}") for k, _, recall, _ in STEPS),
    *(Row(f"R@{k}", LIST, "1", recall * F(3, 4), "case 2: adjust R") for k, _, recall, _ in STEPS),
    # The area under the curve as a step sum, and exactly: trapezoids over every rank, from precision 1 on.
    Row("AP", LIST, "", (F(1) + F(2, 3) + F(3, 9)) / 3, "2/3"),
    Row("AP", LIST, "1", (F(1) + F(2, 3) + F(3, 9)) / 4, "1/2: the curve stops before recall 1"),
    Row("AP(area=sawtooth)", LIST, "", SAWTOOTH / 3, "to recall 1", "0.625"),
    Row("AP(area=sawtooth)", LIST, "1", SAWTOOTH / 4, "to recall 3/4", "0.46875"),
    # "A common approximation is to take only the upper envelope of the curve."
    Row("AP(area=interpolated)", LIST, "", (F(1) + F(2, 3) + F(1, 3)) / 3, "the list falls: the envelope is the steps"),
    Row("AP(area=trapezoid)", LIST, "", TRAPEZOID / 3, "through the relevant points"),
    # The P = R point of the graph, which the lecture calls equal error rate.
    Row("Rprec", LIST, "", F(2, 3), "at rank 3 both are 2/3"),
    Row("Rprec", LIST, "1", F(2, 4), "at rank 4 both are 1/2"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)


@pytest.mark.parametrize(("missed", "expected"), [("", 3), ("1", 4)])
def test_the_points_of_the_graph(missed: str, expected: int) -> None:
    points = precision_recall_points(judged_run([Topic.of(LIST, missed)]))
    assert points.x.tolist() == [1 / expected, 2 / expected, 3 / expected]
    assert points.y.tolist() == [1 / 1, 2 / 3, 3 / 9]
    assert points.rank.tolist() == [1, 3, 9]
