"""By hand: measures for incomplete judgments."""

from fractions import Fraction

import pytest

from tests.worked_examples.rows import Row, check

F = Fraction
e = F(1, 100_000)  # infAP's smoothing

# fmt: off
ROWS = [
    Row("Bpref", "1 - 0 1", "0", (1 + (1 - F(1, 2))) / 2, "1 of the 2 judged non-relevant above the second"),
    Row("Bpref", "0 1", "", 0, "the only one stands above"),
    Row("Bpref", "- 1 -1", "", 1, "the unjudged are skipped"),
    Row("Bpref", "0 0 1 1", "0", ((1 - F(2, 2)) + (1 - F(2, 2))) / 2, "at most R of them count"),
    Row("Bpref", "1 0", "1 0 0", F(1, 2), "a missed relevant document adds 0"),
    Row("Bpref", "0", "", 0, "nothing relevant is known"),
    Row("InfAP", "- 1", "", F(1, 2), "outside the pool is not relevant"),
    Row("InfAP", "-1 1", "", F(1, 2) + F(1, 2) * F(1, 2), "in the pool, and nothing judged says how likely"),
    Row("InfAP", "0 1", "", F(1, 2) + F(1, 2) * (e / (1 + 2 * e)), "in the pool, and judged not relevant"),
    Row("InfAP", "1 -1 1", "", (1 + F(1, 3) + F(2, 3) * ((1 + e) / (1 + 2 * e))) / 2, "as likely as those judged"),
    Row("InfAP", "1 - -1 1", "", (1 + F(1, 4) + F(3, 4) * F(2, 3) * ((1 + e) / (1 + 2 * e))) / 2, "2 of 3 are pooled"),
    Row("InfAP", "0", "1", 0, "none was retrieved"),
    Row("InfAP(unlisted=pooled)", "- 1", "", F(1, 2) + F(1, 2) * F(1, 2), "sampled from all: all are pooled"),
    Row("InfAP(unlisted=pooled)", "1 - 0 1", "", (1 + F(1, 4) + F(3, 4) * ((1 + e) / (2 + 2 * e))) / 2, "1 of 2"),
    # Without strata; tests/judging/test_pool_samples.py has the others.
    Row("XinfAP", "1 - -1 1", "", (1 + F(1, 4) + F(1, 4) * 2 * ((1 + e) / (1 + 2 * e))) / 2, "as InfAP"),
    Row("XinfAP", "-1 1", "1 0", (F(1, 2) + F(1, 2) * F(1, 2)) / 2, "each judged one stands for 4/3, above and below"),
    # Any measure on the condensed list.
    Row("RR(judged_only=true)", "- -1 0 1", "", F(1, 2), "0 1 is left"),
    Row("P(judged_only=true)@2", "- 1 - 1", "", 1, "1 1 is left"),
    Row("nDCG(judged_only=true)", "- 1", "", 1, "1 is left"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)
