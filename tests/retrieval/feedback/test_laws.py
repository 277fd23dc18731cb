"""Laws that every feedback method keeps, and broken ones that they catch."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from germane.errors import GermaneError
from germane.retrieval.feedback import FEEDBACK, Feedback, Refined
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS
from germane.retrieval.query import Query
from germane.retrieval.search import search

TEXTS = {
    "d0": "red wine from france and red grapes",
    "d1": "white wine from germany",
    "d2": "beer from germany",
    "d3": "red roses for my love",
    "d4": "grapes and roses from france",
    "d5": "water",
}
INDEX = Index.of(TEXTS, analyser="plain")
BM25 = MODELS.parse("BM25")
QUERY = Query.of(["red", "wine", "wine", "nonesuch"])
METHODS = [FEEDBACK.parse(text) for text in (*FEEDBACK.names, "probabilistic(expand=3,new_in=1)", "rocchio(terms=2)")]
by_name = pytest.mark.parametrize("method", METHODS, ids=str)

Refine = Callable[[list[int], list[int]], Refined]


def complaints(refine: Refine) -> Iterator[str]:
    """Everything that a method does to these documents and should not."""
    found, other_order = refine([0, 1], [2, 3]), refine([1, 0], [3, 2])
    if any(not math.isfinite(weight) for weight in found.query.weights.values()):
        yield "a weight is not finite"
    if found.query.weights != pytest.approx(dict(other_order.query.weights)):
        yield "the order in which documents were judged matters"
    if {change.term for change in found.terms if change.new != 0} != set(found.query.weights) - {"nonesuch"}:
        yield "the table of terms is not the query"
    judged = {term for number in (0, 1) for term in INDEX.vector(number)}
    if any(change.term not in judged for change in found.terms if not change.old and change.new):
        yield "a new term is in no relevant document"
    weights = [change.new for change in found.terms]
    if weights != sorted(weights, reverse=True):
        yield "the terms are not in the order of their weights"
    if len(search(INDEX, found.query, found.model, 10)) == 0:
        yield "the new query finds nothing"


@by_name
def test_every_method_keeps_the_laws(method: Feedback) -> None:
    def refine(relevant: list[int], others: list[int]) -> Refined:
        found = method.refine(INDEX, BM25, QUERY, relevant, others)
        kept = tuple(change for change in found.terms if change.term != "nonesuch")
        return replace(found, terms=kept)  # some methods keep a word that no document holds, which does no harm

    assert list(complaints(refine)) == []


def rm3(relevant: list[int], others: list[int], shares: str = "score") -> Refined:
    return FEEDBACK.parse(f"rm3(shares={shares})").refine(INDEX, BM25, Query.of(["red", "wine"]), relevant, others)


BROKEN: dict[str, Refine] = {
    "a weight is not finite": lambda relevant, others: replace(
        rm3(relevant, others), query=Query({change.term: math.inf for change in rm3(relevant, others).terms})
    ),
    "the order in which documents were judged matters": lambda relevant, others: rm3(relevant[:1], others),
    "the table of terms is not the query": lambda relevant, others: replace(rm3(relevant, others), terms=()),
    "a new term is in no relevant document": lambda relevant, others: rm3([*relevant, 5], others, shares="equal"),
    "the terms are not in the order of their weights": lambda relevant, others: replace(
        rm3(relevant, others), terms=rm3(relevant, others).terms[::-1]
    ),
    "the new query finds nothing": lambda relevant, others: replace(
        rm3(relevant, others), query=Query({"nonesuch": 1.0})
    ),
}


@pytest.mark.parametrize("complaint", BROKEN)
def test_the_laws_catch_a_method_that_breaks_them(complaint: str) -> None:
    assert complaint in list(complaints(BROKEN[complaint]))


@by_name
def test_every_method_prints_as_it_is_parsed(method: Feedback) -> None:
    assert FEEDBACK.parse(str(method)) == method
    entry = FEEDBACK[method]
    assert set(entry.sections) >= {"Formula", "Reference", "Edge cases"}
    assert entry.summary.endswith(".")


@by_name
def test_pseudo_feedback_takes_the_top_of_the_ranking(method: Feedback) -> None:
    one = replace(method, documents=1)
    top = int(search(INDEX, QUERY, BM25, 1).docs[0])
    assert one.pseudo(INDEX, BM25, QUERY).terms == one.refine(INDEX, BM25, QUERY, [top]).terms


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rochio", "unknown feedback method 'rochio'; did you mean rocchio?"),
        ("rocchio(bta=1)", "rocchio has no parameter 'bta'; did you mean beta?"),
        ("rocchio(beta)", "rocchio: expected parameter=value, found 'beta'"),
        ("rocchio(beta=x)", "rocchio: expected a number of 0 or more for beta, found 'x'"),
        ("rocchio(gamma=-1)", "rocchio: expected a number of 0 or more for gamma, found '-1'"),
        ("rm3(terms=2.5)", "rm3: expected an integer of 1 or more for terms, found '2.5'"),
        ("rm3(shares=scores)", "rm3: expected one of score, equal for shares, found 'scores'; did you mean score?"),
        ("probabilistic(prior_weight=0)", "expected a number above 0 for prior_weight"),
        ("bo1(documents=0)", "bo1: expected an integer of 1 or more for documents, found '0'"),
    ],
)
def test_a_typing_slip_is_explained(text: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        FEEDBACK.parse(text)


def test_a_model_may_stand_in_brackets_of_its_own() -> None:
    method = FEEDBACK.parse("probabilistic(model=BM25(k1=0.9,b=0.4),expand=20)")
    assert (method.model, method.settings["expand"]) == ("BM25(k1=0.9,b=0.4)", 20)
    found = method.refine(INDEX, MODELS.parse("BIR"), QUERY, [0])
    assert str(found.model) == "BM25(k1=0.9,b=0.4) with relevance weights"


@pytest.mark.parametrize(
    ("method", "model", "message"),
    [
        ("probabilistic", "QL", "replaces a model's idf with relevance weights, but QL has no idf"),
        ("iterated", "ltc.ltn", "replaces a model's idf with relevance weights"),
        ("rocchio(model=BM25)", "BM25", "rocchio requires document vectors, but BM25 has none"),
    ],
)
def test_a_model_that_a_method_cannot_use_is_refused(method: str, model: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        FEEDBACK.parse(method).refine(INDEX, MODELS.parse(model), QUERY, [0])


@pytest.mark.parametrize(
    ("relevant", "others", "message"),
    [
        ([0], [0], "document 'd0' is judged both relevant and non-relevant"),
        ([6], [], "expected document numbers below 6, found 6"),
        ([0, 0], [], "duplicate document in the judgments"),
    ],
)
def test_judgments_that_cannot_be_are_refused(relevant: list[int], others: list[int], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        FEEDBACK.parse("rm3").refine(INDEX, BM25, QUERY, relevant, others)


def test_rocchio_leaves_bm25_for_a_vector_space() -> None:
    found = FEEDBACK.parse("rocchio").refine(INDEX, BM25, QUERY, [0])
    assert str(found.model) == "VSM"
    assert str(FEEDBACK.parse("rocchio").refine(INDEX, MODELS.parse("TFIDF"), QUERY, [0]).model) == "TFIDF"
