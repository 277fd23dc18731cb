"""Feedback worked out by hand: on vectors of two dimensions, on counts of ten documents, on three short texts."""

from math import log, log2

import pytest

from germane.retrieval.feedback import FEEDBACK, Refined
from germane.retrieval.feedback_evaluation.views import view
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS
from germane.retrieval.query import Query
from germane.retrieval.search import search
from germane.tables.rankings.qrels import Qrels


def texts(*documents: str) -> Index:
    """Documents numbered from 0."""
    return Index.of({f"d{number}": text for number, text in enumerate(documents)}, analyser="plain")


def refined(
    method: str, model: str, index: Index, query: str, relevant: list[int], others: list[int] | None = None
) -> Refined:
    return FEEDBACK.parse(method).refine(index, MODELS.parse(model), Query.of(query.split()), relevant, others or [])


def new_weights(found: Refined) -> dict[str, float]:
    return {change.term: change.new for change in found.terms}


# Two dimensions, x and y. Vectors have length 1: "x x x y y y y" is (3, 4) / 5.
ROCCHIO = [
    # method                              query      relevant  others  x                           y
    ("rocchio(gamma=0)", "x", [0], [], 1 + 0.75 * 0.6, 0.75 * 0.8),
    ("rocchio", "x", [0], [1], 1 + 0.75 * 0.6 - 0.15 * 1, 0.75 * 0.8),
    ("rocchio(gamma=.25)", "x", [0], [1], 1 + 0.75 * 0.6 - 0.25, 0.75 * 0.8),
    ("rocchio", "x", [0, 2], [1], 1 + 0.75 * (0.6 + 0) / 2 - 0.15, 0.75 * (0.8 + 1) / 2),
    ("rocchio", "x x", [2], [], 1, 0.75),  # the query is brought to length 1 first
    ("rocchio(alpha=.5,gamma=.7)", "x", [2], [1], 0, 0.75),  # .5 - .7 is below 0: cut
    ("rocchio(alpha=0)", "x", [2], [], 0, 0.75),
    ("rocchio", "y", [], [1, 2], 0, 1 - 0.15 / 2),  # nothing relevant: away from the others only
    ("rocchio(terms=0)", "x", [0], [], 1 + 0.75 * 0.6, 0),
]


@pytest.mark.parametrize(("method", "query", "relevant", "others", "x", "y"), ROCCHIO)
def test_rocchio_in_two_dimensions(
    method: str, query: str, relevant: list[int], others: list[int], x: float, y: float
) -> None:
    index = texts("x x x y y y y", "x x", "y", "z")
    found = refined(method, "nnc.nnn", index, query, relevant, others)
    assert found.query.is_vector
    weights = found.query.weights
    assert (weights.get("x", 0), weights.get("y", 0)) == pytest.approx((x, y))
    assert all(weight > 0 for weight in weights.values())


def test_the_moved_query_ranks_by_its_new_vector() -> None:
    index = texts("x x x y y y y", "x x", "y", "z")
    found = refined("rocchio", "nnc.nnn", index, "x", [2], [1])  # x 1 - .15 = .85, y .75
    ranking = search(index, found.query, found.model, 10)
    assert ranking.docs.tolist() == [0, 1, 2]
    assert ranking.scores == pytest.approx([0.85 * 0.6 + 0.75 * 0.8, 0.85, 0.75])


def test_a_gamma_that_is_not_below_beta_is_noted_and_what_is_cut_is_named() -> None:
    index = texts("x", "y", "z")
    found = refined("rocchio(gamma=1.5)", "nnc.nnn", index, "x", [1], [0])
    assert found.notes == (
        "gamma 1.5 is not below beta 0.75, so negative feedback counts at least as much as positive",
        "weight set to 0, so no longer in the query: x",
    )


# wine is in n = 4 of N = 10 documents; 2 are relevant (S), and s of them hold it. r = (4 - s + .5) / 9.
LAMBDA = [
    # method                                   relevant  p              c
    ("probabilistic", [0, 1], 5 / 6, log(5) + log(6.5 / 2.5)),  # (2 + .5) / (2 + 1)
    ("probabilistic", [0, 9], 1 / 2, log(1) + log(5.5 / 3.5)),  # (1 + .5) / (2 + 1)
    ("probabilistic", [8, 9], 1 / 6, log(1 / 5) + log(4.5 / 4.5)),  # (0 + .5) / (2 + 1)
    ("probabilistic(prior_weight=4)", [0, 1], 2 / 3, log(2) + log(6.5 / 2.5)),  # (2 + 4 · .5) / (2 + 4)
    ("probabilistic(prior_weight=4,prior=.2)", [0, 1], 7 / 15, log(7 / 8) + log(6.5 / 2.5)),  # 2.8 / 6
    ("probabilistic(prior_weight=96)", [0, 1], 50 / 98, log(50 / 48) + log(6.5 / 2.5)),  # almost the prior
]


@pytest.mark.parametrize(("method", "relevant", "p", "c"), LAMBDA)
def test_probabilistic_feedback_by_hand(method: str, relevant: list[int], p: float, c: float) -> None:
    index = texts(*["wine"] * 4, *["beer"] * 6)
    found = refined(method, "BIR", index, "wine", relevant)
    (change,) = found.terms
    assert change.new == pytest.approx(c)
    assert f"p = {p:.4f}" in change.why
    assert search(index, found.query, found.model, 1).scores == pytest.approx([c])


def test_without_relevant_documents_the_weight_is_that_without_feedback() -> None:
    index = texts(*["wine"] * 4, *["beer"] * 6)
    found = refined("probabilistic", "BIR", index, "wine", [], [9])
    assert search(index, found.query, found.model, 1).scores == pytest.approx([log(6.5 / 4.5)])
    assert found.notes == ("no document was judged relevant, so the query is unchanged",)


def test_expansion_takes_the_terms_of_the_highest_offer() -> None:
    # 10 documents, S = 3 relevant (0, 1, 2). red: s = 3, n = 4; dry: s = 2, n = 2; old: s = 1, n = 1.
    index = texts("wine red dry", "wine red dry", "red old", "red wine", *["beer"] * 6)
    red, dry = log(3.5 / 0.5) - log(1.5 / 6.5), log(2.5 / 1.5) - log(0.5 / 7.5)
    assert (red * log(3), dry * log(2)) == pytest.approx((3.7487, 2.2312), abs=1e-4)
    one = refined("probabilistic(expand=1)", "BIR", index, "wine", [0, 1, 2])
    assert new_weights(one)["red"] == pytest.approx(0.2 * red)
    both = refined("probabilistic(expand=9)", "BIR", index, "wine", [0, 1, 2])
    assert [change.term for change in both.terms if not change.old and change.new] == [
        "red",
        "dry",
    ]  # old is in one relevant document only
    ranking = search(index, both.query, both.model, 1)
    wine = log(2.5 / 1.5) - log(1.5 / 6.5)
    assert ranking.scores == pytest.approx([wine + 0.2 * (red + dry)])


def test_two_rounds_of_the_iterated_estimate() -> None:
    # N = 5; a is in n = 3 documents, b in 2, c in 3; V has 3 documents.
    index = texts("a b", "a b c", "c", "a c", "z")
    found = refined("iterated(documents=3)", "BIR", index, "a b c", [])
    start, first, second = found.steps
    # Start: p = ½, so c = ln (N - n + ½)/(n + ½). a -.336, b .336, c -.336.
    assert start.weight == pytest.approx({"a": log(2.5 / 3.5), "b": log(3.5 / 2.5), "c": log(2.5 / 3.5)})
    # Scores: d0 0, d1 -.336, d2 -.336, d3 -.673. V = d0 d1 d2, and each term is in two of them.
    assert sorted(first.documents) == [0, 1, 2]
    assert first.p == pytest.approx({"a": 2 / 3, "b": 2 / 3, "c": 2 / 3})
    assert first.r == pytest.approx({"a": 1 / 2, "b": 0, "c": 1 / 2})
    assert first.weight["b"] == pytest.approx(log(2.5 / 1.5) - log(0.5 / 2.5))
    # Scores: d1 3.14, d0 2.63, d3 1.02, d2 .51. V = d0 d1 d3, and a is in all of them.
    assert sorted(second.documents) == [0, 1, 3]
    assert second.p == pytest.approx({"a": 1, "b": 2 / 3, "c": 2 / 3})
    assert second.r == pytest.approx({"a": 0, "b": 0, "c": 1 / 2})
    assert second.weight["a"] == pytest.approx(log(3.5 / 0.5) - log(0.5 / 2.5))
    # Scores: d1 6.19, d0 5.68, d3 4.07, d2 .51. V is what it was.
    assert found.notes == ("converged after 2 rounds",)
    assert found.convergence().splitlines()[1:] == [
        "    0  0.5000  0.5000  0.5000              –",
        "    1  0.6667  0.6667  0.6667              3",
        "    2  1.0000  0.6667  0.6667              1",
    ]


def test_rm3_on_three_documents() -> None:
    index = texts("red wine wine", "red rose", "beer")
    # Equal shares: red ½·1/3 + ½·1/2 = 5/12, wine ½·2/3 = 4/12, rose ½·1/2 = 3/12.
    every = refined("rm3(shares=equal)", "nnn.nnn", index, "red", [0, 1])
    assert new_weights(every) == pytest.approx({"red": 0.5 + 0.5 * 5 / 12, "wine": 0.5 * 4 / 12, "rose": 0.5 * 3 / 12})
    # The two likeliest, brought to a sum of 1: red 5/9, wine 4/9.
    two = refined("rm3(shares=equal,terms=2,original=.25)", "nnn.nnn", index, "red", [0, 1])
    assert new_weights(two) == pytest.approx({"red": 0.25 + 0.75 * 5 / 9, "wine": 0.75 * 4 / 9})
    # Shares by score: "red wine" gives d0 1 + 2 = 3 and d1 1, so 3/4 and 1/4. red 3/4·1/3 + 1/4·1/2 = .375.
    scored = refined("rm3(original=0)", "nnn.nnn", index, "red wine", [0, 1])
    assert new_weights(scored) == pytest.approx({"wine": 0.5, "red": 0.375, "rose": 0.125})


def test_bo1_on_three_documents() -> None:
    index = texts("red wine wine", "red rose", "beer")
    found = refined("bo1", "BM25", index, "red", [0])
    # wine: tf 2, cf 2, f = 2/3; it is the commonest, and nowhere else, so its weight is the ceiling.
    ceiling = 2 * log2((5 / 3) / (2 / 3)) + log2(5 / 3)
    red = 1 * log2((5 / 3) / (2 / 3)) + log2(5 / 3)
    assert new_weights(found) == pytest.approx({"red": 1 + red / ceiling, "wine": 1.0})


def test_kl_on_three_documents() -> None:
    index = texts("red wine wine", "red rose", "beer")
    found = refined("kl", "BM25", index, "red", [0])
    # wine: 2/3 of the document and 2/6 of all words: 2/3 · log2 2; the ceiling is 2/3 · log2 (6/3), the same.
    # red: 1/3 of the document and 2/6 of all words: no divergence.
    assert new_weights(found) == pytest.approx({"red": 1.0, "wine": 1.0})


BEFORE, AFTER = "a b c d e f", "f a c b e d"
SEEN = "a b c"
RELEVANT = "b f"
VIEWS = [
    # by          before         after          judged left
    ("residual", "d e f", "f e d", "f"),  # a, b and c are gone everywhere
    ("frozen", "a b c d e f", "a b c f e d", "b f"),  # a, b and c stay where they were
    ("modified", "a b c d e f", "a b f c e d", "b f"),  # b is the last relevant one seen: a and b stay
    ("control", "d f", "f d", "f"),  # d and f are the control half
]


@pytest.mark.parametrize(("by", "before", "after", "left"), VIEWS)
def test_views_by_hand(by: str, before: str, after: str, left: str) -> None:
    qrels = Qrels.from_dict({"q": dict.fromkeys(RELEVANT.split(), 1)})
    members = {"d", "f"} if by == "control" else None
    found = view(by, {"q": BEFORE.split()}, {"q": AFTER.split()}, qrels, {"q": SEEN.split()}, members=members)
    assert " ".join(found.before["q"]) == before
    assert " ".join(found.after["q"]) == after
    assert " ".join(found.qrels.docs) == left


def test_modified_freezing_lets_go_of_what_is_below_the_last_relevant_one() -> None:
    qrels = Qrels.from_dict({"q": {"a": 1, "f": 1}, "r": {"z": 1}})
    rankings = {"q": AFTER.split(), "r": ["y", "x"]}
    found = view("modified", rankings, rankings, qrels, {"q": ["a", "d", "e"], "r": ["x"]})
    assert " ".join(found.after["q"]) == "a f c b e d"  # only a stays on top
    assert found.after["r"] == ["y", "x"]  # nothing relevant was seen, so nothing is frozen
