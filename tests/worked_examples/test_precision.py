"""By hand: precision, recall and what is made of the two."""

from fractions import Fraction

import pytest

from tests.worked_examples.rows import Row, check

NAN = float("nan")
F = Fraction

# fmt: off
ROWS = [
    Row("P", "1 0 1", "1", F(2, 3), "2 of 3 retrieved"),
    Row("P@2", "1 0 1", "1", F(1, 2), "1 of the top 2"),
    Row("P@10", "1 0 1", "1", F(2, 10), "a short ranking is filled up"),
    Row("P", "1 - -1", "", F(1, 3), "what nobody judged is not relevant"),
    Row("P(rel=2)", "1 2 3", "", F(2, 3), "grades 2 and 3"),
    Row("P", "", "1", 0, "nothing retrieved"),
    Row("R", "1 0 1", "1", F(2, 3), "2 of 3 relevant"),
    Row("R@1", "1 0 1", "1", F(1, 3), "1 of 3 relevant"),
    Row("R", "0", "", 0, "nothing relevant is known: 0, not NaN"),
    Row("R(rel=2)", "1 2 3", "2 1", F(2, 3), "2 of the 3 of grade 2 or more"),
    Row("F", "1 0 1", "1 1", 2 * F(2, 3) * F(2, 4) / (F(2, 3) + F(2, 4)), "P 2/3, R 1/2"),
    Row("F(beta=2)", "1 0 1", "1 1", 5 * F(2, 3) * F(2, 4) / (4 * F(2, 3) + F(2, 4)), "recall counts more"),
    Row("F(beta=0.5)", "1 0 1", "1 1", F(5, 4) * F(2, 3) * F(2, 4) / (F(1, 4) * F(2, 3) + F(2, 4)), "precision does"),
    Row("F@1", "1 0 1", "1 1", 2 * F(1) * F(1, 4) / (F(1) + F(1, 4)), "P@1 is 1, R@1 is 1/4"),
    Row("F", "0", "1", 0, "nothing relevant retrieved"),
    Row("E", "1 0 1", "1 1", 1 - F(4, 7), "1 - F"),
    Row("E(b=2)", "1 0 1", "1 1", 1 - 5 / (4 / F(2, 4) + 1 / F(2, 3)), "van Rijsbergen's formula"),
    Row("E", "", "1", 1, "an empty ranking is the worst there is"),
    Row("E", "", "0", 1, "and so it is where nothing is relevant"),
    Row("Fallout", "1 0 -", "1", F(2, 8), "2 of the 8 that are not relevant", collection_size=10),
    Row("Fallout@2", "1 0 -", "1", F(1, 8), "1 of them in the top 2", collection_size=10),
    Row("Fallout", "", "1", 0, "nothing wrong was retrieved", collection_size=10),
    Row("Fallout", "1 1", "", NAN, "every document is relevant", collection_size=2),
    Row("Success@2", "0 1", "", 1, "one in the top 2"),
    Row("Success@1", "0 1", "", 0, "none in the top 1"),
    Row("Success", "0 -", "1", 0, "none at all"),
    Row("RelativeP@2", "1 0 1", "1", F(1, 2), "1 of the 2 there could be"),
    Row("RelativeP@10", "1 0 1", "1", F(2, 3), "2 of the 3 there could be"),
    Row("RelativeP", "1 0", "1 1", F(1, 2), "without a cutoff, of what 2 retrieved could be"),
    Row("RelativeP", "0", "", 0, "nothing relevant is known"),
    Row("SetAP", "1 0 1", "1 1", F(2, 3) * F(2, 4), "precision times recall"),
    Row("SetAP", "", "1", 0, "nothing retrieved"),
    Row("Utility", "1 0 1", "1", 2 - 1, "one for each relevant, minus one for each other"),
    Row("Utility(a=3, b=-2, c=-1)", "1 0 1", "1", 3 * 2 - 2 * 1 - 1 * 1, "a relevant one missed costs too"),
    Row("Utility(d=1)", "1 0 1", "1", 2 - 1 + (10 - 4), "6 others were rightly left out", collection_size=10),
    Row("Utility@1", "1 0 1", "1", 1, "of the top 1"),
    Row("Rprec", "1 0 1", "1", F(2, 3), "2 of the first 3"),
    Row("Rprec", "1", "1 1", F(1, 3), "a ranking shorter than R is filled up"),
    Row("Rprec(times=2)", "1 0 0 1", "", F(2, 4), "2 of the first 4"),
    Row("Rprec(times=0.5)", "1 0 0 1", "", F(1, 1), "1 of the first trunc(0.5 * 2 + 0.9) = 1"),
    Row("Rprec", "0", "", 0, "nothing relevant is known"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)
