"""Lecture 004 (Möller): six of fourteen, precision at K, and the rankings behind the two slides on MAP.

The pictures of the rankings are lost; their positions follow from the precisions printed beneath them.
"""

from collections.abc import Iterator
from fractions import Fraction

import pytest

import germane
from germane.measures.rankings.curves import precision_recall_points
from tests.made_runs import Topic, judged_run
from tests.worked_examples.rows import Row, as_printed, check

SIX_OF_FOURTEEN, MISSING_ONE = "1 1 0 1 0 1 0 0 0 0 0 0 1 0", "1"
FIVE = "1 0 1 0 1"
RANKING_1 = "1 0 1 1 1 1 0 0 0 1"  # relevant at 1, 3, 4, 5, 6, 10
RANKING_2 = "0 1 0 0 1 1 1 0 1 1"  # relevant at 2, 5, 6, 7, 9, 10
QUERY_1 = "1 0 1 0 0 1 0 0 1 1"
QUERY_2 = "0 1 0 0 1 0 1 0 0 0"
F = Fraction

# fmt: off
ROWS = [
    Row("Rprec", SIX_OF_FOURTEEN, MISSING_ONE, F(4, 6), "4 of the first R = 6", "0.67"),
    Row("P@3", FIVE, "", F(2, 3), "Prec@3 of 2/3"),
    Row("P@4", FIVE, "", F(2, 4), "Prec@4 of 2/4"),
    Row("P@5", FIVE, "", F(3, 5), "Prec@5 of 3/5"),
    Row("AP", FIVE, "", F(1, 3) * (F(1, 1) + F(2, 3) + F(3, 5)), "the average of P@K over the relevant ones", "0.76"),
    Row("AP", RANKING_1, "", (F(1) + F(2, 3) + F(3, 4) + F(4, 5) + F(5, 6) + F(6, 10)) / 6, "0.775", "0.78"),
    Row("AP", RANKING_2, "", (F(1, 2) + F(2, 5) + F(3, 6) + F(4, 7) + F(5, 9) + F(6, 10)) / 6, "0.5212", "0.5"),
    Row("AP", QUERY_1, "", (F(1) + F(2, 3) + F(3, 6) + F(4, 9) + F(5, 10)) / 5, "query 1", "0.62"),
    Row("AP", QUERY_2, "", (F(1, 2) + F(2, 5) + F(3, 7)) / 3, "query 2", "0.44"),
    # Interpolation: the maximum between this standard level of recall and the next one. The points are at 1/6, ... 5/6.
    Row("IPrec(to=between)@0.1", SIX_OF_FOURTEEN, MISSING_ONE, F(1), "recall 1/6 lies in [0.1, 0.2]"),
    Row("IPrec(to=between)@0.5", SIX_OF_FOURTEEN, MISSING_ONE, F(3, 4), "recall 1/2 lies in [0.5, 0.6]"),
    Row("IPrec(to=between)@0.6", SIX_OF_FOURTEEN, MISSING_ONE, F(4, 6), "recall 2/3 lies in [0.6, 0.7]"),
    Row("IPrec(to=between)@0.8", SIX_OF_FOURTEEN, MISSING_ONE, F(5, 13), "recall 5/6 lies in [0.8, 0.9]"),
    Row("IPrec(to=between)@0.7", SIX_OF_FOURTEEN, MISSING_ONE, F(5, 13), "no point in [0.7, 0.8]: the next one"),
    Row("IPrec(to=between)@0.9", SIX_OF_FOURTEEN, MISSING_ONE, 0, "never reaches 100% recall"),
]

POINTS_AS_PRINTED = [
    # recall            precision
    (F(1, 6), "0.167",  F(1, 1),  "1"),
    (F(2, 6), "0.333",  F(2, 2),  "1"),
    (F(3, 6), "0.5",    F(3, 4),  "0.75"),
    (F(4, 6), "0.667",  F(4, 6),  "0.667"),
    (F(5, 6), "0.833",  F(5, 13), "0.38"),
]
PRECISIONS_AS_PRINTED = {
    RANKING_1: ["1.0", "0.67", "0.75", "0.8", "0.83", "0.6"],
    RANKING_2: ["0.5", "0.4", "0.5", "0.57", "0.56", "0.6"],
}
AT_EACH_RANK_AS_PRINTED = {
    QUERY_1: (["0.2", "0.2", "0.4", "0.4", "0.4", "0.6", "0.6", "0.6", "0.8", "1.0"],
              ["1.0", "0.5", "0.67", "0.5", "0.4", "0.5", "0.43", "0.38", "0.44", "0.5"]),
    QUERY_2: (["0.0", "0.33", "0.33", "0.33", "0.67", "0.67", "1.0", "1.0", "1.0", "1.0"],
              ["0.0", "0.5", "0.33", "0.25", "0.4", "0.33", "0.43", "0.38", "0.33", "0.3"]),
}
# fmt: on


def at_each_rank() -> Iterator[Row]:
    for ranking, (recalls, precisions) in AT_EACH_RANK_AS_PRINTED.items():
        relevant = ranking.count("1")
        for k, (recall, precision) in enumerate(zip(recalls, precisions, strict=True), start=1):
            found = ranking.split()[:k].count("1")
            yield Row(f"R@{k}", ranking, "", F(found, relevant), f"at rank {k}", recall)
            yield Row(f"P@{k}", ranking, "", F(found, k), f"at rank {k}", precision)


ROWS += at_each_rank()


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)


def test_each_new_recall_point() -> None:
    points = precision_recall_points(judged_run([Topic.of(SIX_OF_FOURTEEN, MISSING_ONE)]))
    assert points.x.tolist() == pytest.approx([float(recall) for recall, *_ in POINTS_AS_PRINTED])
    assert points.y.tolist() == pytest.approx([float(precision) for *_, precision, _ in POINTS_AS_PRINTED])
    for recall, recall_printed, precision, precision_printed in POINTS_AS_PRINTED:
        assert as_printed(recall, recall_printed) == recall_printed
        assert as_printed(precision, precision_printed) == precision_printed


@pytest.mark.parametrize("ranking", PRECISIONS_AS_PRINTED)
def test_the_precisions_that_were_printed_are_those_of_the_ranking(ranking: str) -> None:
    printed = PRECISIONS_AS_PRINTED[ranking]
    points = precision_recall_points(judged_run([Topic.of(ranking)]))
    exact = [Fraction(i, rank) for i, rank in enumerate(points.rank.tolist(), start=1)]
    assert points.y.tolist() == [float(precision) for precision in exact]
    assert [as_printed(value, figure) for value, figure in zip(exact, printed, strict=True)] == printed


def test_mean_average_precision_is_macro_averaging() -> None:
    run = judged_run([Topic.of(QUERY_1), Topic.of(QUERY_2)])
    exact = (F(1) + F(2, 3) + F(3, 6) + F(4, 9) + F(5, 10)) / 10 + (F(1, 2) + F(2, 5) + F(3, 7)) / 6
    assert germane.evaluate(run.qrels, run, "map").mean()["run"]["AP"] == pytest.approx(float(exact))
    assert as_printed(exact, "0.53") == "0.53"
