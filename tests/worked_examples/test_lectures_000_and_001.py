"""Lectures 000 and 001 (Weber, Multimedia Retrieval): set measures, graded relevance, the ROC table.

Of the pictures with the MRR of four queries and the AP of 0.76 only the results survive, not the rankings.
"""

import math
from fractions import Fraction

import pytest

import germane
from germane.measures.definition import MEASURES, work
from germane.measures.explain import explain
from germane.measures.rankings.curves import roc_points
from tests.made_runs import Topic, judged_run
from tests.worked_examples.rows import Row, as_printed, check

F = Fraction
METHOD_A = "1 " * 7 + "0 " * 7  # 7 of 14 retrieved are relevant, of 20 in all; the order plays no part
METHOD_B = "1 " * 4 + "0 " * 2
GRADED = "0 2 1 3 0 2 0 3 1 3"
GRADED_MISSED = "3 3" + " 2" * 8  # in all there are 5 documents of grade 3 and 10 of grade 2

# fmt: off
ROWS = [
    # 2.2, comparing two methods.
    Row("P", METHOD_A, "1 " * 13, F(7, 14), "7 of 14 retrieved", "50%"),
    Row("R", METHOD_A, "1 " * 13, F(7, 20), "7 of 20 relevant", "35%"),
    Row("F", METHOD_A, "1 " * 13, 2 * F(7, 14) * F(7, 20) / (F(7, 14) + F(7, 20)), "F1", "0.41"),
    Row("P", METHOD_B, "1 " * 16, F(4, 6), "4 of 6 retrieved", "67%"),
    Row("R", METHOD_B, "1 " * 16, F(4, 20), "4 of 20 relevant", "20%"),
    Row("F", METHOD_B, "1 " * 16, 2 * F(4, 6) * F(4, 20) / (F(4, 6) + F(4, 20)), "F1", "0.31"),
    # 2.2, the fallout of the formula: retrieved and not relevant, of what is not relevant.
    Row("Fallout", METHOD_A, "1 " * 13, F(7, 100 - 20), "7 of the other 80", collection_size=100),
    # 2.3, "in the example below with k = 3 the precision is 2/3", five relevant documents overall.
    Row("P@3", "1 0 1", "1 1 1", F(2, 3), "2 of 3"),
    Row("R@3", "1 0 1", "1 1 1", F(2, 5), "2 of 5"),
    # 2.4, in the text below the table.
    Row("nCG@10", GRADED, GRADED_MISSED, F(15, 30), "CG 15, over 3 times 10", "0.5"),
    Row("P@10", GRADED, GRADED_MISSED, F(7, 10), "any grade above 0 counts as relevant", "0.70"),
    # System efficiency: d is the least distance of a (recall, precision) point from (1, 1).
    Row("Efficiency", "1 1", "", 1, "the curve reaches (1, 1)"),
    Row("Efficiency", "1 0 1", "", 1 - F(1, 3) / math.sqrt(2), "nearest is (1, 2/3)"),
    Row("Efficiency", "1 0 0 0", "1 1", 1 - F(2, 3) / math.sqrt(2), "nearest is (1/3, 1)"),
    Row("Efficiency", "0 1 0 1", "1 1", 1 - math.hypot(1 / 2, 1 / 2) / math.sqrt(2), "nearest is (1/2, 1/2)"),
    Row("Efficiency", "0 0", "1", 0, "there is no point"),
    # R-precision at a recall threshold: 001 reads the precision once it is reached, 000 the highest at or beyond it.
    Row("PAtRecall@0.2", "0 1 1 1", "1 1", F(1, 2), "001: 1/5 of the relevant are found at rank 2"),
    Row("IPrec@0.2", "0 1 1 1", "1 1", F(3, 4), "000: the maximum over r >= 0.2 is at rank 4"),
    Row("PAtRecall@0.8", "0 1 1 1", "1 1", 0, "001: never reached"),
    Row("IPrec@0.8", "0 1 1 1", "1 1", 0, "000: 0 if r < threshold"),
]

# 2.4: k, rel, CG, normalised CG, discount, DCG, ideal rel, IDCG, nDCG, as printed.
NDCG_TABLE = [
    ( 1, 0,  0, "0.00", "1.00", "0.00", 3,  "3.00", "0.00"),
    ( 2, 2,  2, "0.33", "0.63", "1.26", 3,  "4.89", "0.26"),
    ( 3, 1,  3, "0.33", "0.50", "1.76", 3,  "6.39", "0.28"),
    ( 4, 3,  6, "0.50", "0.43", "3.05", 3,  "7.68", "0.40"),
    ( 5, 0,  6, "0.40", "0.38", "3.05", 3,  "8.85", "0.35"),
    ( 6, 2,  8, "0.44", "0.36", "3.77", 2,  "9.56", "0.39"),
    ( 7, 0,  8, "0.38", "0.33", "3.77", 2, "10.22", "0.37"),
    ( 8, 3, 11, "0.46", "0.32", "4.71", 2, "10.86", "0.43"),
    ( 9, 1, 12, "0.44", "0.30", "5.01", 2, "11.46", "0.44"),
    (10, 3, 15, "0.50", "0.29", "5.88", 2, "12.04", "0.49"),
]
MISPRINTS = {(5, "discount"): "0.39"}  # 1/log2(6) = 0.387
TITLES = ("k", "rel", "CG", "nCG", "discount", "DCG", "ideal rel", "IDCG", "nDCG")

# 2.6: class, then TP, FP, TPR and FPR if all down to this row are called positive.
ROC_TABLE = [
    ("P", 1, 0, "10%",  "0%"), ("P",  2,  0,  "20%",   "0%"), ("N", 2, 1, "20%", "10%"), ("P", 3, 1, "30%", "10%"),
    ("P", 4, 1, "40%", "10%"), ("P",  5,  1,  "50%",  "10%"), ("N", 5, 2, "50%", "20%"), ("N", 5, 3, "50%", "30%"),
    ("P", 6, 3, "60%", "30%"), ("N",  6,  4,  "60%",  "40%"), ("P", 7, 4, "70%", "40%"), ("N", 7, 5, "70%", "50%"),
    ("P", 8, 5, "80%", "50%"), ("N",  8,  6,  "80%",  "60%"), ("N", 8, 7, "80%", "70%"), ("N", 8, 8, "80%", "80%"),
    ("P", 9, 8, "90%", "80%"), ("N",  9,  9,  "90%",  "90%"), ("P", 10, 9, "100%", "90%"),
    ("N", 10, 10, "100%", "100%"),
]
ROC_RANKING = " ".join("1" if kind == "P" else "0" for kind, *_ in ROC_TABLE)
ROWS += [
    Row("AUC", ROC_RANKING, "", F(68, 100), "68 of the 100 pairs are in order", collection_size=20),
    Row("EER", ROC_RANKING, "", F(4, 10), "the row of score 0.50: FPR 40%, FNR 40%", collection_size=20),
]
# fmt: on


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row(row: Row) -> None:
    check(row)


def exact_ndcg_table() -> list[tuple[float, ...]]:
    """The table computed from the formulas of section 2.4 alone."""
    rel, ideal = [0, 2, 1, 3, 0, 2, 0, 3, 1, 3], [3, 3, 3, 3, 3, 2, 2, 2, 2, 2]
    rows: list[tuple[float, ...]] = []
    for k in range(1, 11):
        dcg, idcg = (sum(grades[i - 1] / math.log2(i + 1) for i in range(1, k + 1)) for grades in (rel, ideal))
        cg = sum(rel[:k])
        rows.append((k, rel[k - 1], cg, cg / (k * 3), 1 / math.log2(k + 1), dcg, ideal[k - 1], idcg, dcg / idcg))
    return rows


@pytest.mark.parametrize(("exact", "printed"), list(zip(exact_ndcg_table(), NDCG_TABLE, strict=True)))
def test_the_printed_ndcg_table(exact: tuple[float, ...], printed: tuple[str | int, ...]) -> None:
    for title, value, figure in zip(TITLES, exact, printed, strict=True):
        expected = MISPRINTS.get((int(exact[0]), title), str(figure))
        assert as_printed(value, str(figure)) == expected, title


def test_the_ndcg_table_is_what_explain_shows() -> None:
    run = judged_run([Topic.of(GRADED, GRADED_MISSED)], scale=3)
    table = explain(MEASURES.parse("nDCG@10"), run, "q000")
    shown = list(zip(*(table.columns[title] for title in TITLES), strict=True))
    assert shown == [pytest.approx(row, rel=1e-14) for row in exact_ndcg_table()]
    assert table.evaluate() == pytest.approx(exact_ndcg_table()[-1][-1], rel=1e-14)


def test_the_roc_table() -> None:
    points = roc_points(judged_run([Topic.of(ROC_RANKING)], collection_size=20))
    printed = [(f"{100 * tpr:.0f}%", f"{100 * fpr:.0f}%") for fpr, tpr in zip(points.x, points.y, strict=True)]
    assert printed == [(tpr, fpr) for kind, _, _, tpr, fpr in ROC_TABLE if kind == "P"]
    assert [(tp, fp) for _, tp, fp, *_ in ROC_TABLE] == [
        (ROC_RANKING.split()[:k].count("1"), ROC_RANKING.split()[:k].count("0")) for k in range(1, 21)
    ]


def test_recall_down_each_row_of_the_roc_table() -> None:
    run = judged_run([Topic.of(ROC_RANKING)], collection_size=20)
    for k, (_, tp, fp, tpr, fpr) in enumerate(ROC_TABLE, start=1):
        for measure, expected, printed in ((f"R@{k}", F(tp, 10), tpr), (f"Fallout@{k}", F(fp, 10), fpr)):
            assert work(MEASURES.parse(measure), run).value == [pytest.approx(float(expected))]
            assert as_printed(expected, printed) == printed


# fmt: off
MACRO_AND_MICRO = [
    # measure  macro: the mean of the ratios              micro: the ratio of the sums
    ("P",      (F(1, 2) + F(0, 1)) / 2,      F(1 + 0, 2 + 1)),
    ("R",      (F(1, 3) + F(0, 1)) / 2,      F(1 + 0, 3 + 1)),
    ("F",      (F(2, 5) + F(0, 2)) / 2,      F(2 + 0, 5 + 2)),
]
# fmt: on


@pytest.mark.parametrize(("measure", "macro", "micro"), MACRO_AND_MICRO)
def test_macro_and_micro(measure: str, macro: Fraction, micro: Fraction) -> None:
    """Section 1.3 of 000: a query with one relevant document, not found, weighs as much as any other, or as little."""
    qrels = {"large": {"a": 1, "b": 1, "c": 1}, "small": {"d": 1}}
    scores = germane.evaluate(qrels, {"large": {"a": 2.0, "x": 1.0}, "small": {"y": 1.0}}, measure)
    assert scores.mean()["run"][measure] == pytest.approx(float(macro))
    assert scores.aggregate("micro")["run"][measure] == pytest.approx(float(micro))
