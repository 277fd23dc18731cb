"""Scores against the formulas as their papers state them, computed from the texts without any of our classes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.preprocessing import normalize

from germane.errors import GermaneError
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import BIR, BM25, MODELS, TFIDF, VSM, VectorSpace, rsj_weight
from germane.retrieval.query import Collection, Query, Relevance, TermStats
from germane.retrieval.search import search

TEXTS = {
    "a": "ship boat ocean ship ship",
    "b": "boat ocean",
    "c": "ship voyage trip voyage",
    "d": "trip tree tree ocean wood wood wood",
    "e": "tree wood",
}
QUERY = "ship ocean ship tree"
COUNTS = {doc: Counter(text.split()) for doc, text in TEXTS.items()}
LENGTH = {doc: sum(counts.values()) for doc, counts in COUNTS.items()}
N, TOKENS = len(TEXTS), sum(LENGTH.values())
AVERAGE = TOKENS / N
ASKED = Counter(QUERY.split())
INDEX = Index.of(TEXTS, analyser="plain")


def df(term: str) -> int:
    return sum(term in counts for counts in COUNTS.values())


def cf(term: str) -> int:
    return sum(counts[term] for counts in COUNTS.values())


def scores(model: str) -> dict[str, float]:
    found = search(INDEX, QUERY, model)
    return {INDEX.doc_id(doc): score for doc, score in zip(found.docs.tolist(), found.scores.tolist(), strict=True)}


def summed(contribution: Callable[[str, str], float]) -> dict[str, float]:
    """Over the terms that query and document share, each as often as it was asked."""
    return {
        doc: sum(times * contribution(term, doc) for term, times in ASKED.items() if COUNTS[doc][term])
        for doc in TEXTS
        if any(COUNTS[doc][term] for term in ASKED)
    }


K1, B = 1.2, 0.75


def okapi(term: str, doc: str) -> float:
    tf = COUNTS[doc][term]
    return tf / (K1 * (1 - B + B * LENGTH[doc] / AVERAGE) + tf)


def bm25l(term: str, doc: str) -> float:
    c = COUNTS[doc][term] / (1 - B + B * LENGTH[doc] / AVERAGE)
    return (K1 + 1) * (c + 0.5) / (K1 + c + 0.5)


BY_PAPER: dict[str, Callable[[str, str], float]] = {
    "BM25": lambda t, d: math.log(1 + (N - df(t) + 0.5) / (df(t) + 0.5)) * okapi(t, d),
    "BM25(variant=robertson)": lambda t, d: math.log((N - df(t) + 0.5) / (df(t) + 0.5)) * okapi(t, d),
    "BM25(variant=atire)": lambda t, d: math.log(N / df(t)) * (K1 + 1) * okapi(t, d),
    "BM25+": lambda t, d: math.log((N + 1) / df(t)) * (1 + (K1 + 1) * okapi(t, d)),
    "BM25L": lambda t, d: math.log((N + 1) / (df(t) + 0.5)) * bm25l(t, d),
    "BM25(variant=robertson,negative=cut)": lambda t, d: (
        max(0, math.log((N - df(t) + 0.5) / (df(t) + 0.5))) * okapi(t, d)
    ),
    "BIR(query_tf=true)": lambda t, d: math.log((N - df(t) + 0.5) / (df(t) + 0.5)),
    "BIR(query_tf=true,idf=true)": lambda t, d: math.log(N / df(t)),
}


@pytest.mark.parametrize("model", BY_PAPER)
def test_term_by_term(model: str) -> None:
    assert scores(model) == pytest.approx(summed(BY_PAPER[model]))


def test_bir_is_binary_in_the_query_unless_told_otherwise() -> None:
    once = {doc: sum(math.log((N - df(t) + 0.5) / (df(t) + 0.5)) for t in ASKED if COUNTS[doc][t]) for doc in "abcde"}
    assert scores("BIR") == pytest.approx(once)


def test_k3_saturates_a_term_that_is_written_twice() -> None:
    weights = BM25(k3=7).query_weights(Query.of(QUERY.split()), {term: INDEX.statistics(term) for term in ASKED})
    assert weights == pytest.approx({"ship": 8 * 2 / (7 + 2), "ocean": 1, "tree": 1})


def test_dirichlet_is_the_logarithm_of_a_likelihood_ratio() -> None:
    mu = 10

    def log_ratio(doc: str) -> float:
        smoothed = {t: (COUNTS[doc][t] + mu * cf(t) / TOKENS) / (LENGTH[doc] + mu) for t in ASKED}
        return sum(times * math.log(smoothed[t] / (cf(t) / TOKENS)) for t, times in ASKED.items())

    assert scores("QL(mu=10)") == pytest.approx({doc: log_ratio(doc) for doc in "abcde"})


def test_jelinek_mercer_is_one_too_but_for_a_constant() -> None:
    weight = 0.3

    def log_ratio(doc: str) -> float:
        mixed = {t: (1 - weight) * COUNTS[doc][t] / LENGTH[doc] + weight * cf(t) / TOKENS for t in ASKED}
        return sum(times * math.log(mixed[t] / (cf(t) / TOKENS)) for t, times in ASKED.items())

    constant = sum(ASKED.values()) * math.log(weight)
    assert scores("QLJM(0.3)") == pytest.approx({doc: log_ratio(doc) - constant for doc in "abcde"})


def test_unknown_terms_do_not_count_in_a_query_s_length() -> None:
    with_unknown = search(INDEX, f"{QUERY} nonesuch nonesuch", "QL(mu=10)")
    assert with_unknown.scores.tolist() == search(INDEX, QUERY, "QL(mu=10)").scores.tolist()


def test_pl2() -> None:
    def pl2(t: str, d: str) -> float:
        tfn, mean = COUNTS[d][t] * math.log2(1 + AVERAGE / LENGTH[d]), cf(t) / N
        # -log2 of the Poisson probability, with Stirling's formula for the factorial
        log_factorial = tfn * math.log(tfn) - tfn + 1 / (12 * tfn) + 0.5 * math.log(2 * math.pi * tfn)
        return -(tfn * math.log(mean) - mean - log_factorial) / math.log(2) / (tfn + 1)

    assert scores("PL2") == pytest.approx(summed(pl2))


# The vector space


VOCABULARY = sorted({term for counts in COUNTS.values() for term in counts})
VECTORISER = CountVectorizer(vocabulary=VOCABULARY)
D = VECTORISER.transform(TEXTS.values()).toarray().astype(float)
Q = VECTORISER.transform([QUERY]).toarray().astype(float)
IDF = np.log(N / (D > 0).sum(axis=0))


def sublinear(counts: np.ndarray) -> np.ndarray:
    weighted = TfidfTransformer(norm=None, use_idf=False, sublinear_tf=True).fit_transform(counts)
    return np.asarray(weighted.toarray())


BY_MATRIX = {
    "nnc.nnc": normalize(D) @ normalize(Q).T,
    "lnc.nnc": normalize(sublinear(D)) @ normalize(Q).T,
    "ltc.ltn": normalize(sublinear(D) * IDF) @ (sublinear(Q) * IDF).T,
    "ltc.ltc": normalize(sublinear(D) * IDF) @ normalize(sublinear(Q) * IDF).T,
    "btn.bnn": ((D > 0) * IDF) @ (Q > 0).T,
    "atc.atc": normalize(np.where(D, 0.5 + 0.5 * D / D.max(axis=1, keepdims=True), 0) * IDF)
    @ normalize(np.where(Q, 0.5 + 0.5 * Q / Q.max(), 0) * IDF).T,
    "Lnn.nnn": sublinear(D) / (1 + np.log(D.sum(axis=1) / (D > 0).sum(axis=1)))[:, None] @ Q.T,
    "Lnc.Lnn": normalize(sublinear(D)) @ (sublinear(Q) / (1 + np.log(Q[Q > 0].mean()))).T,
    "nnu.nnn": D / (0.75 * (D > 0).sum(axis=1).mean() + 0.25 * (D > 0).sum(axis=1))[:, None] @ Q.T,
    "npn.npn": (D * np.maximum(0, np.log((N - (D > 0).sum(axis=0)) / (D > 0).sum(axis=0)))) @ (
        Q * np.maximum(0, np.log((N - (D > 0).sum(axis=0)) / (D > 0).sum(axis=0)))).T,
    "TFIDF(dot)": (D / D.sum(axis=1, keepdims=True) * IDF) @ (Q / Q.sum() * IDF).T,
    "TFIDF": normalize(D * IDF) @ normalize(Q * IDF).T,
}  # fmt: skip


@pytest.mark.parametrize("model", BY_MATRIX)
def test_against_products_of_matrices(model: str) -> None:
    expected = dict(zip(TEXTS, BY_MATRIX[model][:, 0].tolist(), strict=True))
    assert scores(model) == pytest.approx(expected)


@pytest.mark.parametrize("model", ["ltc.ltn", "anu.nnn", "Ltn.nnn", "TFIDF"])
def test_a_document_s_vector_gives_its_score(model: str) -> None:
    weighting = MODELS.parse(model)
    assert isinstance(weighting, VectorSpace)
    stats = {term: INDEX.statistics(term) for term in ASKED}
    weights = weighting.query_weights(Query.of(QUERY.split()), stats)
    product = {
        INDEX.doc_id(doc): sum(weights.get(term, 0) * weight for term, weight in weighting.vector(INDEX, doc).items())
        for doc in range(N)
    }
    assert scores(model) == pytest.approx(product)


def test_a_query_that_is_a_vector_is_taken_as_it_is() -> None:
    vector = Query({"ship": 0.25, "tree": -1.0}, is_vector=True)
    terms = {term: INDEX.statistics(term) for term in vector.weights}
    for model in (VSM("ltc.ltc"), TFIDF(), BM25(k3=2), BIR()):
        assert model.query_weights(vector, terms) == vector.weights


def test_logarithms_of_a_query_need_counts() -> None:
    with pytest.raises(GermaneError, match=r"l requires query term counts of 1 or more, found 0\.5"):
        search(INDEX, Query({"ship": 0.5}), "ltc.ltn")


def test_a_document_whose_terms_are_everywhere_scores_0() -> None:
    index = Index.of({"d1": "same", "d2": "same same", "d3": "same other"}, analyser="plain")
    assert search(index, "same", "TFIDF").scores.tolist() == [0, 0, 0]


def test_no_query_and_no_documents() -> None:
    empty = Index.of({"d1": "", "d2": ""}, analyser="plain")
    for model in ("BM25", "VSM", "TFIDF", "BIR", "QL", "QLJM", "PL2", "Lnu.ltn"):
        assert len(search(INDEX, "nonesuch", model)) == 0
        assert len(search(empty, "ship", model)) == 0


# Relevance weights


def seen(N: int, n: int, S: int, s: int) -> TermStats:
    return TermStats("t", n, n, Collection(N, 10 * N), S, s)


def test_judgments_take_the_place_of_idf_in_every_variant() -> None:
    known = Query.of(["ship"]).knowing(Relevance(2, {"ship": 2}))
    weight = rsj_weight(seen(N=5, n=2, S=2, s=2))
    for variant in ("lucene", "robertson", "atire"):
        judged, plain = (search(INDEX, q, f"BM25(variant={variant})") for q in (known, Query.of(["ship"])))
        idf = BM25(variant=variant).term_factors(INDEX.statistics("ship"))["idf"]
        assert judged.scores == pytest.approx(plain.scores / idf * weight)


IMPOSSIBLE = [
    # N   n  S  s   why
    (10,  2, 3, 4,  "more relevant documents with the term than relevant documents"),
    (10,  2, 3, 3,  "more relevant documents with the term than documents with it"),
    (10,  9, 5, 1,  "N-n-S+s = -3: fewer documents without the term than relevant ones without it"),
    (10,  2, 11, 2, "more relevant documents than documents"),
]  # fmt: skip


@pytest.mark.parametrize(("N", "n", "S", "s", "why"), IMPOSSIBLE)
def test_counts_that_no_collection_has(N: int, n: int, S: int, s: int, why: str) -> None:
    with pytest.raises(
        GermaneError, match=f"inconsistent counts for 't': N = {N} documents, n = {n} with the term, S = {S}"
    ):
        BIR().term_factors(seen(N, n, S, s))


def test_without_correction_an_empty_cell_is_an_error_that_names_it() -> None:
    with pytest.raises(GermaneError, match="infinite: no non-relevant documents with the term"):
        BIR(correction=0).term_factors(seen(N=10, n=2, S=2, s=2))
    with pytest.raises(GermaneError, match="infinite: no relevant documents with the term"):
        BIR(prior_weight=0).term_factors(seen(N=10, n=2, S=2, s=0))
    assert BIR(prior_weight=0).term_factors(seen(10, 2, 0, 0)) == BIR().term_factors(seen(10, 2, 0, 0))
