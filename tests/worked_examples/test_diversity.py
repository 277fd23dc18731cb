"""By hand: several meanings of a query. ``1ab`` is a document of grade 1 for the subtopics a and b."""

from fractions import Fraction
from math import log2

import pytest

from tests.worked_examples.rows import Row, check

F = Fraction

# fmt: off
ROWS = [
    Row("StRecall", "1a 0 1ab", "1c", F(2, 3), "a and b of a, b, c"),
    Row("StRecall@2", "1a 0 1ab", "1c", F(1, 3), "only a in the top 2"),
    Row("StRecall(rel=2)", "2a 1b", "", 1, "b has nothing of grade 2, so it does not count"),
    Row("StRecall", "0a", "0b", 0, "no subtopic has a relevant document"),
    Row("P_IA@2", "1a 1ab 1b", "", (F(2, 2) + F(1, 2)) / 2, "P@2 is 1 for a, 1/2 for b"),
    Row("P_IA", "1a 1ab 1b", "", (F(2, 3) + F(2, 3)) / 2, "without a cutoff, of the 3 retrieved"),
    Row("P_IA@2", "1a 1ab 1b", "1c", (F(2, 2) + F(1, 2) + 0) / 3, "c was missed"),
    Row("P_IA@2", "0a", "", 0, "no subtopic has a relevant document"),
    Row("AP_IA", "1a 1a 1b", "", (F(1) + F(1, 3)) / 2, "AP is 1 for a, 1/3 for b"),
    Row("AP_IA", "1a 0 1ab", "1b", ((1 + F(2, 3)) / 2 + F(1, 3) / 2) / 2, "each over its own R"),
    Row("AP_IA@2", "1a 1a 1b", "", F(1) / 2, "b only beyond the cutoff"),
    Row("ERR_IA", "1a 1ab 1b", "", (F(5, 8) + F(1, 3)) / 2, "ERR 1/2 + 1/2 * 1/4 for a, 1/2 * 1/2 + 1/3 * 1/4 for b"),
    Row("ERR_IA@1", "1a 1ab 1b", "", (F(1, 2) + 0) / 2, "only a at rank 1"),
    Row("ERR_IA", "2a1b", "", (F(3, 4) + F(1, 4)) / 2, "each subtopic has its own grade, all have one scale"),
    Row("alpha_nDCG", "1a 1a 1b", "", (1 + 0.5 / log2(3) + 1 / 2) / (1 + 1 / log2(3) + 0.5 / 2), "the ideal is a b a"),
    Row("alpha_nDCG@2", "1a 1a 1b", "", (1 + 0.5 / log2(3)) / (1 + 1 / log2(3)), "the ideal stops at k"),
    Row("alpha_nDCG(alpha=0)", "1a 1a 1b", "", 1, "repetition costs nothing"),
    Row("alpha_nDCG(alpha=1)", "1a 1a 1b", "", (1 + 1 / 2) / (1 + 1 / log2(3)), "repetition is worthless"),
    Row("alpha_nDCG", "1a", "1ab", 1 / (2 + 0.5 / log2(3)), "the ideal has what was missed"),
    Row("alpha_nDCG", "0a", "", 0, "no subtopic has a relevant document"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)
