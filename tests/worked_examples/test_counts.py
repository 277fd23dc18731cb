"""By hand: how much there is."""

from fractions import Fraction

import pytest

from tests.worked_examples.rows import Row, check

# fmt: off
ROWS = [
    Row("NumQ", "1 0", "", 1, "each query is one"),
    Row("NumRet", "1 - 0 -1", "1", 4, "retrieved, whatever is known of it"),
    Row("NumRet@3", "1 - 0 -1", "1", 3, "down to the cutoff"),
    Row("NumRet@9", "1 - 0 -1", "1", 4, "there are no more"),
    Row("NumRel", "1 0", "2 1 0", 3, "relevant, retrieved or not"),
    Row("NumRel(rel=2)", "1 0", "2 1 0", 1, "of grade 2 or more"),
    Row("NumRelRet", "1 0 2 -", "1", 2, "relevant and retrieved"),
    Row("NumRelRet@2", "1 0 2 -", "1", 1, "in the top 2"),
    Row("NumRelRet(rel=0.5)", "0.5 0.4", "", 1, "grades may be any number"),
    Row("Judged", "1 - 0 -1", "", Fraction(2, 4), "a negative grade was pooled, not judged"),
    Row("Judged@2", "1 - 0 -1", "", Fraction(1, 2), "1 of the top 2"),
    Row("Judged@10", "1 - 0 -1", "", Fraction(2, 4), "of the four retrieved, not of ten ranks"),
    Row("Judged(over=k)@10", "1 - 0 -1", "", Fraction(2, 10), "over=k: a rank that holds nothing is not judged"),
    Row("Judged@10", "", "1", 0, "nothing retrieved"),
    Row("Judged", "", "1", 0, "nothing retrieved"),
    Row("Unjudged", "1 - 0 -1", "", Fraction(2, 4), "the other half"),
    Row("Unjudged@10", "1 - 0 -1", "", Fraction(2, 4), "the rest of what was retrieved"),
    Row("Unjudged(over=k)@10", "1 - 0 -1", "", Fraction(2, 10), "trec_eval's unj_10: ten ranks"),
    Row("Unjudged", "", "1", 0, "nothing retrieved"),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)
