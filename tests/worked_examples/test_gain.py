"""By hand: graded relevance."""

from fractions import Fraction
from math import log2, nan

import pytest

from tests.worked_examples.rows import Row, check

F = Fraction

# fmt: off
ROWS = [
    Row("CG", "0 2 1 3", "", 6, "the grades added up"),
    Row("CG@3", "0 2 1 3", "", 3, "down to rank 3"),
    Row("CG", "2 - -1", "3", 2, "a negative grade gains nothing, and costs nothing"),
    Row("CG(gain=exp)", "2 1", "", 3 + 1, "2^2 - 1 and 2^1 - 1"),
    Row("CG(gain=1:3/2:9)", "2 1 0", "", 9 + 3, "gains from a table"),
    Row("nCG@3", "0 2 1 3", "", F(3, 3 * 3), "over k times the highest grade"),
    Row("nCG", "0 2 1 3", "", F(6, 4 * 3), "k is what was retrieved"),
    Row("nCG@2", "1 1", "", F(2, 2 * 4), "the highest grade of the scale, given or not", scale=4),
    Row("nCG(by=ideal)@2", "0 2 1 3", "", F(2, 3 + 2), "over the best two"),
    Row("nCG", "0", "", 0, "nothing to gain"),
    Row("DCG", "0 2 1 3", "", 2 / log2(3) + 1 / log2(4) + 3 / log2(5), "each over log2 of its rank + 1"),
    Row("DCG(gain=exp)@2", "0 2 1 3", "", 3 / log2(3), "2^2 - 1"),
    Row("DCG(discount=original)", "3 2 1", "", 3 + 2 + 1 / log2(3), "no discount up to rank 2"),
    Row("DCG(discount=original, base=3)", "3 2 1 1", "", 3 + 2 + 1 + 1 / (log2(4) / log2(3)), "none up to rank 3"),
    Row("DCG(discount=log, base=4)", "3 2 1", "", 3 * 2 + 2 / (log2(3) / 2) + 1, "logarithms to the base 4"),
    Row("DCG(discount=zipf)", "3 2 1", "", 3 + F(2, 2) + F(1, 3), "each over its rank"),
    Row("nDCG", "0 2 1 3", "", (2 / log2(3) + 1 / 2 + 3 / log2(5)) / (3 + 2 / log2(3) + 1 / 2), "over that of 3 2 1 0"),
    Row("nDCG", "1 0", "3", 1 / (3 + 1 / log2(3)), "the ideal has what was not retrieved"),
    Row("nDCG@1", "1 0", "3", F(1, 3), "the ideal stops at k"),
    Row("nDCG(ideal=full)@1", "1 0", "3", 1 / (3 + 1 / log2(3)), "the ideal does not stop"),
    Row("nDCG(ideal=retrieved)@2", "1", "3", F(1, 3), "the ideal stops with the ranking"),
    Row("nDCG(gain=exp)", "0 2", "", (3 / log2(3)) / 3, "2^2 - 1 at rank 2, and at rank 1"),
    Row("nDCG(gain=1:9/2:1)", "1 2", "", 1, "the ideal is by gain, not by grade"),
    Row("nDCG(discount=zipf)", "0 1", "", F(1, 2), "half of it at rank 2"),
    Row("nDCG", "- -1 1", "", F(1, 2), "1/log2(4)"),
    Row("nDCG", "0 0.5", "", 1 / log2(3), "grades may be any number"),
    Row("nDCG", "0", "0", 0, "nothing to gain"),
    Row("nDCG(empty=one)", "0", "0", 1, "nothing to gain, so nothing was lost"),
    Row("nDCG(empty=one)", "0", "1", 0, "there was something to gain"),
    Row("nDCG(empty=skip)", "0", "0", nan, "nothing to gain: the query is no part of the mean"),
    Row("nDCG(short=zero)@3", "1 1", "", 0, "two documents are fewer than 3"),
    Row("nDCG(short=zero)@2", "0 1", "", 1 / log2(3), "long enough"),
    Row("nDCG(short=zero)", "0 1", "", 1 / log2(3), "without a cutoff no ranking is short"),
    Row("nDCG(short=zero, empty=one)@2", "0", "", 1, "short, but nothing was to be gained"),
    Row("nDCG(gain=exp, discount=original, short=zero)@3", "0 2 1", "", (3 + 1 / log2(3)) / (3 + 1), "LETOR's own"),
    Row("Q", "0 2 1", "", (F(1 + 2, 2 + 3) + F(2 + 3, 3 + 3)) / 2, "relevant so far + CG, over rank + ideal CG"),
    Row("Q", "1", "3", F(1 + 1, 1 + 3) / 2, "the ideal begins with what was missed"),
    Row("Q(beta=0)", "0 2 1", "", (F(1, 2) + F(2, 3)) / 2, "beta = 0 is AP"),
    Row("Q(beta=10)", "0 2 1", "", (F(1 + 20, 2 + 30) + F(2 + 30, 3 + 30)) / 2, "gain counts more"),
    Row("Q@2", "0 2 1", "", F(1 + 2, 2 + 3) / 2, "over R, whatever the cutoff"),
    Row("Q", "0", "", 0, "nothing relevant is known"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)
