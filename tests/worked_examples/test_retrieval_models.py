"""The retrieval models of lecture 004 and BM25, on tables that can be checked on paper."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from germane.retrieval.indexes.index import Index
from germane.retrieval.models import BIR, BM25, MODELS, TFIDF, Model
from germane.retrieval.probability.ranking_principle import BAYES, Costs, decide
from germane.retrieval.query import Collection, Query, Relevance, TermStats
from germane.retrieval.search import search

F = Fraction

# The contingency table of a term (lecture 004, "Estimating RSV coefficients"):
#
#               relevant   non-relevant   total
#   x = 1          s           n-s          n
#   x = 0         S-s       N-n-S+s        N-n
#   total          S           N-S          N

N = 20
RSV_TABLE = [
    # n S  s   model                              odds ratio e^c       why
    (5,  4, 3, "BIR(correction=0,prior_weight=0)", F(3, 1) / F(2, 14),  "(s/(S-s)) / ((n-s)/(N-n-S+s))"),
    (5,  4, 3, "BIR",                              F(7, 3) / F(5, 29),  "½ in every cell: (3.5/1.5) / (2.5/14.5)"),
    (5,  4, 4, "BIR",                              F(9, 1) / F(3, 31),  "all relevant ones have it: no division by 0"),
    (5,  4, 0, "BIR",                              F(1, 9) / F(11, 23), "none has it: the weight is below 0"),
    (5,  0, 0, "BIR",                              F(31, 11),           "nothing judged: (N-n+½)/(n+½)"),
    (5,  0, 0, "BIR(idf=true)",                    F(20, 5),            "the lecture's limit: N/n"),
    (5,  0, 0, "BIR(correction=0)",                F(15, 5),            "without the ½: (N-n)/n"),
    (15, 0, 0, "BIR",                              F(11, 31),           "in most documents: below 1"),
    (15, 0, 0, "BIR(negative=cut)",                F(1),                "cut to weight 0"),
    (15, 0, 0, "BIR(bent=true)",                   F(11, 31) / 2 + 1,   "odds below 2 are bent: x/2 + 1"),
    (5,  0, 0, "BIR(bent=true)",                   F(31, 11),           "odds of 2 or more are not"),
    (5,  0, 0, "BIR(prior=0.75)",                  3 * F(31, 11),       "p = ¾ before anything is known: odds 3"),
    (5,  4, 3, "BIR(prior_weight=4)",              F(5, 3) / F(5, 29),  "p = (3 + 4·½)/(4 + 4): odds 5 to 3"),
    (5,  4, 3, "BIR(prior=0.75,prior_weight=4)",   F(6, 2) / F(5, 29),  "p = (3 + 4·¾)/(4 + 4): odds 6 to 2"),
]  # fmt: skip


@pytest.mark.parametrize(("n", "S", "s", "model", "odds", "why"), RSV_TABLE)
def test_the_rsv_table(n: int, S: int, s: int, model: str, odds: F, why: str) -> None:
    term = TermStats("t", n, n, Collection(N, 100), S, s)
    weight = MODELS.parse(model).term_factors(term)["relevance weight"]
    assert weight == pytest.approx(math.log(odds)), why


def test_the_rsv_of_a_document_is_the_sum_of_its_terms_weights() -> None:
    index = Index.of({f"d{i}": "wine red" if i < 3 else "wine" if i < 5 else "water" for i in range(20)}, "plain")
    judged = Query.of(["red", "wine"]).knowing(Relevance(4, {"red": 2, "wine": 3}))
    found = search(index, judged, BIR())
    red = math.log((2.5 / 2.5) / (1.5 / 15.5))  # N = 20, n = 3, S = 4, s = 2
    wine = math.log((3.5 / 1.5) / (2.5 / 14.5))  # N = 20, n = 5, S = 4, s = 3
    assert found.scores == pytest.approx([red + wine] * 3 + [wine] * 2)


# TF·IDF: TF = f / number of terms in the document, IDF = ln N/n

LIBRARY = {
    "d1": "antony antony caesar mercy",   # 4 words
    "d2": "caesar brutus",                # 2 words
    "d3": "mercy mercy mercy worser",     # 4 words
    "d4": "caesar",
}  # fmt: skip
LN4, LN2, LN4_3 = math.log(4), math.log(2), math.log(F(4, 3))
TF_IDF_BY_HAND = {
    # document  term      TF · IDF
    "d1": {"antony": 2 / 4 * LN4, "caesar": 1 / 4 * LN4_3, "mercy": 1 / 4 * LN2},
    "d2": {"caesar": 1 / 2 * LN4_3, "brutus": 1 / 2 * LN4},
    "d3": {"mercy": 3 / 4 * LN2, "worser": 1 / 4 * LN4},
    "d4": {"caesar": LN4_3},
}


@pytest.mark.parametrize("doc", TF_IDF_BY_HAND)
def test_tf_idf_weights(doc: str) -> None:
    index = Index.of(LIBRARY, analyser="plain")
    number = index.doc_number(doc)
    assert number is not None
    assert TFIDF("dot").vector(index, number) == pytest.approx(TF_IDF_BY_HAND[doc])
    length = math.sqrt(sum(weight**2 for weight in TF_IDF_BY_HAND[doc].values()))
    shares = {term: weight / length for term, weight in TF_IDF_BY_HAND[doc].items()}
    assert TFIDF().vector(index, number) == pytest.approx(shares)


def test_tf_idf_ranking() -> None:
    index = Index.of(LIBRARY, analyser="plain")
    # The query weighs ½·ln 2 for mercy and ½·ln 4 for worser: (1, 2)/√5. d3 has (3, 2) of the same, /√13.
    found = search(index, "mercy worser", TFIDF())
    d1 = TF_IDF_BY_HAND["d1"]["mercy"] / math.sqrt(sum(w**2 for w in TF_IDF_BY_HAND["d1"].values())) / math.sqrt(5)
    assert [index.doc_id(doc) for doc in found.docs] == ["d3", "d1"]
    assert found.scores == pytest.approx([7 / math.sqrt(65), d1])


# BM25, k1 = 1.2 and b = 0.75, in a collection of 4 documents with 3 words on average: B = ¼ + ¼·length

BM25_BY_HAND = [
    # variant      n  tf  length  weight · curve                        why
    ("lucene",     1, 1,  3,      math.log(F(10, 3)) * F(10, 22),       "B = 1: ln(1 + 3.5/1.5) · 1/2.2"),
    ("lucene",     1, 3,  3,      math.log(F(10, 3)) * F(30, 42),       "three times: 3/4.2"),
    ("lucene",     1, 1,  7,      math.log(F(10, 3)) * F(10, 34),       "B = 2: 1/3.4"),
    ("lucene",     4, 1,  3,      math.log(F(10, 9)) * F(10, 22),       "in all documents: still above 0"),
    ("robertson",  1, 1,  3,      math.log(F(7, 3)) * F(10, 22),        "ln 3.5/1.5"),
    ("robertson",  4, 1,  3,      math.log(F(1, 9)) * F(10, 22),        "in all documents: below 0"),
    ("atire",      1, 1,  3,      math.log(4) * 1,                      "ln 4/1 · 2.2/2.2"),
    ("plus",       1, 1,  3,      math.log(5) * 2,                      "ln 5/1 · (1 + 2.2/2.2)"),
    ("plus",       1, 1,  7,      math.log(5) * (1 + F(22, 34)),        "B = 2: a long document keeps the 1"),
    ("l",          1, 1,  3,      math.log(F(10, 3)) * F(33, 27),       "ln 5/1.5 · 2.2·1.5/2.7"),
    ("l",          1, 2,  7,      math.log(F(10, 3)) * F(33, 27),       "2 in a document of B = 2 is as 1 of B = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("variant", "n", "tf", "length", "expected", "why"), BM25_BY_HAND)
def test_bm25(variant: str, n: int, tf: int, length: int, expected: float, why: str) -> None:
    # A collection of those counts: one document of this length, the others share what is left of 12 words.
    others = [["t" if i < n - 1 else f"x{i}"] for i in range(3)]
    for i in range(12 - length - 3):
        others[i % 3].append(f"y{i}")
    texts = {"d": " ".join(["t"] * tf + [f"z{i}" for i in range(length - tf)])}
    index = Index.of({**texts, **{f"o{i}": " ".join(words) for i, words in enumerate(others)}}, analyser="plain")
    assert (index.statistics("t").df, index.collection.avg_length) == (n, 3)
    found = search(index, "t", BM25(variant=variant))  # type: ignore[arg-type]
    assert dict(zip(found.docs.tolist(), found.scores.tolist(), strict=True))[0] == pytest.approx(float(expected)), why


# Query likelihood: "red wine" in two documents; red is 3/8 of all words and wine 2/8


def test_query_likelihood() -> None:
    index = Index.of({"d1": "red wine wine", "d2": "red red herring", "d3": "x x"}, analyser="plain")
    by_hand: dict[str, tuple[Model, list[float]]] = {
        # P(red|d1) = (1 + 8·3/8)/(3 + 8) = 4/11, P(wine|d1) = (2 + 2)/11, P(red|d2) = 5/11, P(wine|d2) = 2/11
        "Dirichlet, mu = 8": (
            MODELS.parse("QL(8)"),
            [math.log(F(4, 11) * F(4, 11) / F(6, 64)), math.log(F(5, 11) * F(2, 11) / F(6, 64))],
        ),
        # P(red|d1) = 1/6 + 3/16, P(wine|d1) = 2/6 + 2/16, P(red|d2) = 2/6 + 3/16, P(wine|d2) = 2/16; less ln ½ twice
        "Jelinek-Mercer, ½": (
            MODELS.parse("QLJM(0.5)"),
            [math.log(F(17, 48) * F(22, 48) / F(6, 64) * 4), math.log(F(25, 48) * F(6, 48) / F(6, 64) * 4)],
        ),
    }
    for model, expected in by_hand.values():
        assert search(index, "red wine", model).scores == pytest.approx(expected)


# The Probability Ranking Principle (lecture 004, "retrieval costs"): C for a relevant document, C′ for another

P = [0.9, 0.6, 0.5, 0.3, 0.1]
CUTS = [
    # costs        returned expected cost             why
    (BAYES,        2,       F(1 + 4 + 5 + 3 + 1, 10), "p > ½; what each is wrong by: 0.1, 0.4, 0.5, 0.3, 0.1"),
    (Costs(-1, 1), 2,       -F(8 + 2, 10),            "1 - 2p each: -0.8, -0.2, then 0"),
    (Costs(-3, 1), 4,       -F(26 + 14 + 10 + 2, 10), "1 - 4p each: -2.6, -1.4, -1, -0.2, then 0.6"),
    (Costs(-1, 9), 0,       F(0),                     "9 - 10p: 0 for the first, which is no gain"),
    (Costs(-1, 0), 5,       -F(24, 10),               "looking costs nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("costs", "returned", "expected", "why"), CUTS)
def test_how_many_documents_to_return(costs: Costs, returned: int, expected: F, why: str) -> None:
    decision = decide(P, costs)
    assert decision.num_returned == returned, why
    assert decision.expected_cost == pytest.approx(float(expected)), why
