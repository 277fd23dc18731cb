"""By hand: users who read down the ranking and stop somewhere."""

from fractions import Fraction

import pytest

from tests.worked_examples.rows import Row, check

F = Fraction

# fmt: off
ROWS = [
    Row("RR", "0 1 1", "", F(1, 2), "the first is second"),
    Row("RR@1", "0 1 1", "", 0, "beyond the cutoff"),
    Row("RR(rel=2)", "1 0 2", "", F(1, 3), "the first of grade 2"),
    Row("RR", "- 0", "1", 0, "none was retrieved"),
    Row("RBP", "1 0 1", "", F(2, 10) * (1 + F(64, 100)), "p = 0.8: 0.2 (1 + 0.8^2)"),
    Row("RBP(p=0.5)", "1 0 1", "", F(1, 2) * (1 + F(1, 4)), "0.5 (1 + 0.5^2)"),
    Row("RBP(p=0.5)", "1 3", "", F(1, 2) * (F(1, 3) + F(1, 2)), "a grade is a share of the highest"),
    Row("RBP(p=0.5)", "1 3", "", F(1, 2) * (F(1, 4) + F(3, 4) * F(1, 2)), "which is that of the scale", scale=4),
    Row("RBP(p=0.5, rel=1)", "1 3", "", F(1, 2) * (1 + F(1, 2)), "binary"),
    Row("RBP(p=0.5)@1", "1 3", "", F(1, 2) * F(1, 3), "down to rank 1"),
    Row("RBPres(p=0.5)", "1 - 0", "", 1 - F(1, 2) - F(1, 8), "ranks 1 and 3 are judged"),
    Row("RBPres(p=0.5)", "1 -1", "", F(1, 2), "pooled is not judged"),
    Row("RBPres", "", "1", 1, "nothing is known"),
    Row("RBPres(p=0.5)@1", "1 1", "", F(1, 2), "beyond the cutoff nothing is known"),
    Row("ERR", "0 1 1", "", F(1, 2) * F(1, 2) + F(1, 3) * F(1, 2) * F(1, 2), "grade 1 of 1 satisfies half the time"),
    Row("ERR", "3 3", "", F(7, 8) + F(1, 2) * F(1, 8) * F(7, 8), "(2^3 - 1) / 2^3"),
    Row("ERR", "1", "", F(1, 16), "grade 1 of 4", scale=4),
    Row("ERR@1", "0 1 1", "", 0, "beyond the cutoff"),
    Row("ERR", "0 -", "1", 0, "nothing relevant was retrieved"),
    Row("nERR", "0 1", "", F(1, 4) / F(1, 2), "over that of 1 0"),
    Row("nERR", "1", "2", F(1, 4) / (F(3, 4) + F(1, 2) * F(1, 4) * F(1, 4)), "over that of 2 1"),
    Row("nERR@1", "1", "2", F(1, 4) / F(3, 4), "the ideal stops at k"),
    Row("nERR", "0", "", 0, "nothing relevant is known"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)
