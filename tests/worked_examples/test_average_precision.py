"""By hand: average precision in each of its definitions."""

from fractions import Fraction
from math import nan

import pytest

from germane.errors import MeasureError
from tests.worked_examples.rows import Row, check

F = Fraction

# fmt: off
ROWS = [
    Row("AP", "0 1", "", F(1, 2), "found second"),
    Row("AP", "1 0 1", "", (1 + F(2, 3)) / 2, "mean of P@1 and P@3"),
    Row("AP", "1 0 1", "1", (1 + F(2, 3)) / 3, "a missed relevant document adds 0"),
    Row("AP", "- 1", "", F(1, 2), "unjudged counts as not relevant"),
    Row("AP", "-1 1", "", F(1, 2), "and so does pooled but not judged"),
    Row("AP", "0 0", "", 0, "nothing relevant is known: 0, not NaN"),
    Row("AP(empty=one)", "0 0", "", 1, "nothing relevant is known, so nothing was missed"),
    Row("AP(empty=one)", "0 0", "1", 0, "a relevant document was missed"),
    Row("AP(empty=skip)", "0 0", "", nan, "nothing relevant is known: the query is no part of the mean"),
    Row("AP", "", "1", 0, "nothing retrieved"),
    Row("AP(rel=2)", "1 2", "", F(1, 2), "only grade 2 is relevant"),
    Row("AP@2", "1 0 1", "1", F(1, 3), "over R, whatever the cutoff"),
    Row("AP(over=min)@2", "1 0 1", "1", F(1, 2), "over min(R, k) = 2"),
    Row("AP(over=min)", "1 0 1", "1", (1 + F(2, 3)) / 3, "without a cutoff there is only R"),
    Row("AP(over=retrieved)", "1 0 1", "1", (1 + F(2, 3)) / 2, "over the 2 that were found"),
    Row("AP(over=retrieved)@2", "1 0 1", "1", 1, "over the 1 that was found"),
    Row("AP(over=retrieved)", "0 0", "1", 0, "none was found"),
    Row("AP(within=R)", "1 0 1 1", "", F(5, 9), "of the first R = 3 ranks: (1 + 2/3) / 3"),
    Row("MAP@R", "0 1 1", "", F(1, 4), "of the first two: 1/2, over R = 2"),
    Row("AP(within=R)@2", "1 0 1 1", "", F(1, 3), "of the first two"),
    Row("MAP@R", "0 0", "", 0, "nothing relevant is known"),
    Row("AP(area=sawtooth)", "0 1 1", "", ((0 + F(1, 2)) / 2 + (F(1, 2) + F(2, 3)) / 2) / 2, "P@1 = 0, P@2, P@3"),
    Row("AP(area=trapezoid)", "0 1 1", "", (F(1, 2) + (F(1, 2) + F(2, 3)) / 2) / 2, "level up to the first point"),
    Row("AP(area=interpolated)", "0 1 1", "", (F(2, 3) + F(2, 3)) / 2, "P@3 is the highest from rank 2 on"),
    Row("AP(judged_only=true)", "- 1 - 0 1", "", (1 + F(2, 3)) / 2, "the condensed list is 1 0 1"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)


def test_over_retrieved_has_its_own_rule_for_nothing_relevant() -> None:
    with pytest.raises(MeasureError, match="over=retrieved cannot be combined with empty"):
        check(Row("AP(over=retrieved, empty=one)", "0 0", "1", 0, "would call a miss perfect"))
