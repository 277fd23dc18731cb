"""Binary Independence Indexing: a tiny example by hand, and what becomes of documents without past queries."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from germane.errors import GermaneError
from germane.retrieval.indexes.index import Index, Part
from germane.retrieval.probability.binary_independence_indexing import BII, LearnedIndexing, PastQueries
from germane.retrieval.probability.binary_independence_ranking import IndexedDocuments
from germane.retrieval.query import Query
from germane.tables.rankings.qrels import Qrels

INDEX = Index.of({"d1": "red wine", "d2": "red roses", "d3": "white wine"}, analyser="plain")
PAST = {"q1": Query.of(["wine"]), "q2": Query.of(["red", "wine", "wine"])}
QRELS = Qrels.from_dict({"q1": {"d1": 1, "d3": 0}, "q2": {"d1": 1}})
LEARNED = BII(prior_weight=2).fit(INDEX, PAST, QRELS)


def scores(index: Index, learned: LearnedIndexing, *terms: str) -> dict[str, float]:
    docs, found = IndexedDocuments(index, learned).rank(Query.of(terms))
    return {index.doc_id(doc): score for doc, score in zip(docs.tolist(), found.tolist(), strict=True)}


def test_what_is_counted() -> None:
    assert LEARNED.num_queries == 2
    assert LEARNED.asked_share == (3 + 0.5) / (4 + 1)  # d1's two terms, twice: wine, then red and wine were asked
    assert LEARNED.length_ratio == 1.5 / 2  # one and two distinct terms in queries, two in each document
    assert LEARNED.relevant_share == (2 + 0.5) / (3 + 1)
    assert LEARNED.queries_with == {"wine": 2, "red": 1}
    assert LEARNED.documents == {
        "d1": PastQueries(relevant=2, other=0, relevant_with={"wine": 2, "red": 1}),
        "d3": PastQueries(relevant=0, other=1, other_with={"wine": 1}),
    }


Estimates = dict[str, tuple[float, float]]
"""p and r by term."""

# λ = 2, p₀ = 0.7, π = 0.625; r₀ = 0.75·n/3, at most ½: wine and red ½, white and roses ¼
# P(R|d)            p and r by term
D1 = ((2 + 1.25) / 4, {"wine": ((2 + 1.4) / 4, 1 / 2), "red": ((1 + 1.4) / 4, 1 / 2)})
D2 = (0.625, {"red": (0.7, 0.5), "roses": (0.7, 0.25)})
D3 = (1.25 / 3, {"wine": (1.4 / 2, (1 + 1) / 3), "white": (1.4 / 2, 0.5 / 3)})


def by_hand(document: tuple[float, Estimates], *asked: str) -> float:
    prior, estimates = document
    total = math.log(prior / (1 - prior))
    for term, (p, r) in estimates.items():
        total += math.log(p / r) if term in asked else math.log((1 - p) / (1 - r))
    return total


def test_ranking_by_hand() -> None:
    assert scores(INDEX, LEARNED, "wine") == pytest.approx({"d1": by_hand(D1, "wine"), "d3": by_hand(D3, "wine")})
    assert scores(INDEX, LEARNED, "red", "roses", "nonesuch") == pytest.approx(
        {"d2": by_hand(D2, "red", "roses"), "d1": by_hand(D1, "red")}
    )


def test_queries_not_judged_may_count_as_non_relevant() -> None:
    learned = BII(prior_weight=2, unjudged="non-relevant").fit(INDEX, PAST, QRELS)
    prior = (0 + 2 * (2.5 / 7)) / (2 + 2)  # 2 relevant of 2 queries × 3 documents; d2 has two queries that it lost
    red, roses = (0.7, (1 + 2 * 0.5) / 4), (0.7, (0 + 2 * 0.25) / 4)
    d2 = (prior, {"red": red, "roses": roses})
    assert scores(INDEX, learned, "roses") == pytest.approx({"d2": by_hand(d2, "roses")})


def test_documents_without_past_queries_are_ranked_by_rarity() -> None:
    texts = {"d1": "red wine", "new1": "red fish", "new2": "blue fish", "new3": "wine cod", "new4": "wine hen"}
    index = Index.of(texts, analyser="plain")
    learned = BII().fit(index, PAST, Qrels.from_dict({"q1": {"d1": 1}}))
    fish_and_cod = scores(index, learned, "fish", "cod")
    assert fish_and_cod["new3"] > fish_and_cod["new1"]  # cod is in one document, fish in two
    assert set(fish_and_cod) == {"new1", "new2", "new3"}


def test_what_people_asked_lifts_a_document_over_its_twin() -> None:
    index = Index.of({"asked": "wine cellar", "twin": "wine cellar", "rest": "roses"}, analyser="plain")
    past = {f"q{i}": Query.of(["wine"]) for i in range(5)}
    learned = BII().fit(index, past, Qrels.from_dict({id_: {"asked": 1} for id_ in past}))
    found = scores(index, learned, "wine")
    assert found["asked"] > found["twin"]
    cellar = scores(index, learned, "cellar")  # five found it relevant, and nobody asked for cellars
    assert cellar["asked"] - cellar["twin"] < found["asked"] - found["twin"]


def test_the_prior_s_weight_is_how_slowly_a_document_learns() -> None:
    gaps = []
    for prior_weight in (0.5, 5, 500):
        learned = BII(prior_weight).fit(INDEX, PAST, QRELS)
        known, new = (scores(INDEX, learned, "red")[doc] for doc in ("d1", "d2"))
        gaps.append(abs(known - new))
    assert gaps[0] > gaps[1] > gaps[2]


def test_what_was_learned_is_plain_data() -> None:
    again = LearnedIndexing.from_json(json.loads(json.dumps(LEARNED.to_json())))
    assert again == LEARNED
    assert scores(INDEX, again, "wine") == scores(INDEX, LEARNED, "wine")


def test_one_segment_or_two_with_deleted_documents() -> None:
    first = Index.of({"d3": "white wine", "gone": "red red red"}, analyser="plain")
    second = Index.of({"d2": "red roses", "d1": "red wine"}, analyser="plain")
    parts = [Part(first.parts[0].segment, 0, np.array([0, 1], np.uint8)), Part(second.parts[0].segment, 2)]
    split = Index(parts, INDEX.analyser)
    for unjudged in ("left out", "non-relevant"):
        how = BII(unjudged=unjudged)
        whole, parted = how.fit(INDEX, PAST, QRELS), how.fit(split, PAST, QRELS)
        assert whole == parted
        assert scores(split, parted, "red", "wine") == pytest.approx(scores(INDEX, whole, "red", "wine"))


def test_grades_unknown_documents_and_unjudged_ones() -> None:
    graded = Qrels.from_dict({"q1": {"d1": 2, "d2": 1, "d3": -1, "absent": 2}, "other": {"d1": 2}})
    learned = BII().fit(INDEX, PAST, graded, rel=2)
    assert {doc: (past.relevant, past.other) for doc, past in learned.documents.items()} == {"d1": (1, 0), "d2": (0, 1)}
    assert learned.notes == ("1 judged document missing from the index; ignored in learning",)
    assert learned.num_queries == 1  # q2 has no judgments, and "other" no text


def test_nothing_to_learn_from() -> None:
    with pytest.raises(GermaneError, match="expected past queries with relevant documents in the index, found none"):
        BII().fit(INDEX, PAST, Qrels.from_dict({"q1": {"d1": 0}}))


@pytest.mark.parametrize("wrong", [{"prior_weight": 0}, {"prior_weight": float("nan")}, {"unjudged": "unknown"}])
def test_wrong_parameters(wrong: dict[str, object]) -> None:
    with pytest.raises(GermaneError, match="BII: expected"):
        BII(**wrong)  # type: ignore[arg-type]
