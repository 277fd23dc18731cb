"""By hand: what is read off a curve."""

import math
from fractions import Fraction

import pytest

from tests.worked_examples.rows import Row, check

NAN = float("nan")
F = Fraction

# fmt: off
ROWS = [
    Row("IPrec", "0 1 1", "", F(2, 3), "the highest precision there is"),
    Row("IPrec@0.5", "1 0 0 1", "", 1, "recall 1/2 is reached at rank 1"),
    Row("IPrec@0.6", "1 0 0 1", "", F(2, 4), "and anything above it at rank 4"),
    Row("IPrec@1", "1 0", "1", 0, "never reached"),
    Row("IPrec", "0", "", 0, "nothing relevant is known"),
    Row("IPrec@0.5", "1 0 1 0 1", "", F(2, 3), "exact: recall 0.5 of 3 needs 2 documents"),
    Row("IPrec(rounding=trec9)@0.5", "1 0 1 0 1", "", F(2, 3), "trec_eval 9: trunc(1.5 + 0.9) = 2"),
    Row("IPrec(rounding=trec10)@0.5", "1 0 1 0 1", "", F(2, 3), "trec_eval 10: round(1.5) = 2"),
    Row("IPrec(rounding=trec9)@0.35", "1 0 1 0 1", "", F(1), "trec_eval 9: trunc(1.05 + 0.9) = 1"),
    Row("IPrec(rounding=trec10)@0.45", "1 0 1 0 1", "", F(1), "trec_eval 10: round(1.35) = 1"),
    Row("IPrec@0.35", "1 0 1 0 1", "", F(2, 3), "exact: 1/3 is below 0.35"),
    Row("IPrec(to=between)@0.5", "0 1 1 1", "", F(2, 3), "recall 2/3 is the next point, in [0.6, 0.7]"),
    Row("IPrec@0.5", "0 1 1 1", "", F(3, 4), "beyond it, the highest is P@4"),
    Row("IPrecAvg", "1 0 1", "", (6 * 1 + 5 * F(2, 3)) / 11, "1 up to 0.5, 2/3 beyond"),
    Row("IPrecAvg(points=3)", "1 0 1", "", (1 + 1 + F(2, 3)) / 3, "at 0, 0.5 and 1"),
    Row("IPrecAvg(to=between)", "0 1 0 1 1", "", (4 * F(1, 2) + 3 * F(1, 2) + 4 * F(3, 5)) / 11, "points at thirds"),
    Row("IPrecAvg", "0 1 0 1 1", "", F(3, 5), "the highest is the last"),
    Row("PAtRecall", "0 1 0 0 1", "1 1 1", F(1, 2), "1/5 is found at rank 2"),
    Row("PAtRecall@0.4", "0 1 0 0 1", "1 1 1", F(2, 5), "2/5 at rank 5"),
    Row("PAtRecall@0.5", "0 1 0 0 1", "1 1 1", 0, "never reached"),
    Row("PAtRecall@0", "0 1", "", F(1, 2), "0 is reached with the first one"),
    Row("Efficiency", "0 1", "", 1 - F(1, 2) / math.sqrt(2), "nearest is (1, 1/2)"),
    Row("AUC", "1 0 1 0", "", F(3, 4), "3 of the 4 pairs are in order", collection_size=4),
    Row("AUC", "1", "1", (1 + F(1, 2)) / 2, "the one not found is tied with both others", collection_size=4),
    Row("AUC", "0 0", "1", F(1, 2) * F(0, 2), "both others stand above it", collection_size=3),
    Row("AUC", "", "1 0", F(1, 2), "all tied", collection_size=5),
    Row("AUC", "0", "", NAN, "nothing relevant", collection_size=5),
    Row("AUC", "1 1", "", NAN, "nothing else", collection_size=2),
    Row("EER", "1 1 0 0", "", 0, "a threshold without error", collection_size=4),
    Row("EER", "0 0 1 1", "", 1, "all wrong", collection_size=4),
    Row("EER", "1 0 1 0", "", F(1, 2), "after rank 2 both rates are 1/2", collection_size=4),
    Row("EER", "0 1 1 0 0", "", F(1, 3), "at FAR 1/3, while FRR falls from 1 to 0", collection_size=5),
    Row("EER", "1 0 0 1", "", F(1, 2), "at FRR 1/2, while FAR rises from 0 to 1", collection_size=4),
    Row("EER", "1", "1", F(1, 3), "on the line from FAR 0, FRR 1/2 to FAR 1, FRR 0", collection_size=4),
    Row("EER", "", "1", F(1, 2), "on the line from FAR 0, FRR 1 to FAR 1, FRR 0", collection_size=4),
    Row("EER", "0", "", NAN, "nothing relevant", collection_size=4),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)
