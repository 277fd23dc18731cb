"""What is learned from past queries, and what must not be among them."""

import math

import pytest

from germane.api.retrieval.retrieval import retrieve
from germane.errors import GermaneError
from germane.retrieval.engines.local import LocalEngine
from germane.retrieval.engines.past_queries import Past, learned_from, past_run
from germane.retrieval.indexes.index import Index
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

INDEX = Index.of({"d1": "red wine", "d2": "red roses", "d3": "white wine"}, analyser="plain")
PAST = {"q1": "wine", "q2": "red wine wine"}
GRADES: dict[str, dict[str, float]] = {"q1": {"d1": 1, "d3": 0}, "q2": {"d1": 1}}
QRELS = Qrels.from_dict(GRADES)


def scores(run: Run, query: str) -> dict[str, float]:
    rows = zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True)
    return {doc: score for place, doc, score in rows if run.queries[place] == query}


def test_bii_by_hand() -> None:
    # d1 and d3 were judged. λ = 2, p₀ = 0.7, π = 0.625, r₀ = ½ for wine and red, ¼ for white; see the formula of BII.
    # d1: S = 2, V = 0: P(R) = 3.25/4;  wine asked twice: p = 3.4/4, r = ½;  red once: p = 2.4/4, r = ½
    # d3: S = 0, V = 1: P(R) = 1.25/3;  wine asked once:  p = 0.7, r = 2/3;  white never: p = 0.7, r = ½/3
    expected = {
        "d1": math.log(3.25 / 0.75) + math.log(0.85 / 0.5) + math.log(0.4 / 0.5),
        "d3": math.log(1.25 / 1.75) + math.log(0.7 / (2 / 3)) + math.log(0.3 / (1 - 0.5 / 3)),
    }
    found = retrieve(INDEX, {"new": "wine please"}, model="BII(prior_weight=2)", past_topics=PAST, past_qrels=GRADES)
    assert scores(found.run, "new") == pytest.approx(expected)
    assert found.run.tag == "germane-BII(prior_weight=2)"
    assert found.engine["past"] == {
        "topics": {"count": 2, "field": "title"}, "qrels": {}, "shared": "refuse", "judged_topics": 2, "rel": 1,
    }  # fmt: skip
    assert found.notes == ()


# Nothing is tried on what it was learned from


SHARED = [
    # asked                   why
    ({"q1": "something"}, "the same id"),
    ({"new": "Wine!"}, "the same word"),
    ({"new": "wine, red wine"}, "the same words, in another order"),
]


@pytest.mark.parametrize(("asked", "why"), SHARED)
def test_a_past_topic_that_is_asked_again_is_refused(asked: dict[str, str], why: str) -> None:
    with pytest.raises(GermaneError, match="past and test queries overlap in 1 query"):
        Past.of(PAST, QRELS, asked=asked)
    kept = Past.of(PAST, QRELS, asked=asked, shared="keep")
    assert len(kept.queries) == 2, why
    rest = Past.of(PAST, QRELS, asked=asked, shared="skip")
    assert len(rest.queries) == 1, why
    assert [[(note.code, note.count) for note in past.notes] for past in (kept, rest)] == [[("past-shared", 1)]] * 2
    assert kept.notes[0].message != rest.notes[0].message


def test_other_topics_are_not_shared() -> None:
    past = Past.of({**PAST, "empty": ""}, QRELS, asked={"new": "wines", "blank": " "})
    assert list(past.queries) == ["q1", "q2"]
    assert [(note.code, note.examples) for note in past.notes] == [("past-unjudged", ("empty",))]


def test_nothing_left_to_learn_from() -> None:
    with pytest.raises(GermaneError, match="every past query is also a test query"):
        Past.of(PAST, QRELS, asked=PAST, shared="skip")
    with pytest.raises(GermaneError, match="past topics and past qrels share no id: topics 1, qrels q1, q2"):
        Past.of({"1": "wine"}, QRELS, asked={})
    with pytest.raises(GermaneError, match="found 1"):
        Past.of({"q1": "wine"}, QRELS, asked={"q2": "x"}).folds()


def test_judgments_without_a_topic_are_counted_unless_they_are_of_what_is_asked() -> None:
    past = Past.of({"q1": "wine"}, Qrels.from_dict({**GRADES, "q3": {"d1": 1}}), asked={"q2": "roses"})
    assert [(note.code, note.examples) for note in past.notes] == [("past-without-topic", ("q3",))]


def test_every_fold_is_ranked_by_the_others() -> None:
    past = Past.of({f"q{i}": f"word{i}" for i in range(7)}, Qrels.from_dict({f"q{i}": {"d1": 1} for i in range(7)}),
                   asked={})  # fmt: skip
    folds = past.folds()
    assert [list(asked) for asked, _ in folds] == [["q0", "q5"], ["q1", "q6"], ["q2"], ["q3"], ["q4"]]
    assert all({**others, **asked} == past.queries and not set(asked) & set(others) for asked, others in folds)


def sees_itself(engine: LocalEngine, past: Past, run: Run) -> bool:
    """Whether some past query was ranked by an engine that learned from it."""
    for query, text in past.queries.items():
        others = {id_: other for id_, other in past.queries.items() if id_ != query}
        honest = learned_from(engine, past, others).search(text, 10)
        if scores(run, query) != dict(zip(honest.ids, honest.scores.tolist(), strict=True)):
            return True
    return False


def test_what_learns_ranks_past_queries_that_it_has_not_seen() -> None:
    engine = LocalEngine(INDEX, model="BII")
    past = Past.of(PAST, QRELS, asked={})
    assert not sees_itself(engine, past, past_run(engine, past, 10, threads=1))


def test_the_law_catches_an_engine_that_learned_from_all() -> None:
    engine = LocalEngine(INDEX, model="BII")
    past = Past.of(PAST, QRELS, asked={})
    cheat = retrieve(learned_from(engine, past), PAST, k=10).run
    assert sees_itself(engine, past, cheat)


def test_remarks_on_past_queries_are_not_remarks_on_topics() -> None:
    found = retrieve(
        INDEX, {"new": "roses"}, feedback="rm3", costs=(-1, 1),
        past_topics={**PAST, "q3": "zyzzyva"}, past_qrels={**GRADES, "q3": {"d1": 1}},
    )  # fmt: skip
    assert "feedback" not in {note.code for note in found.notes}


# Judgments that do not fit


def test_judged_documents_that_the_index_does_not_have_are_counted() -> None:
    grades = {**GRADES, "q1": {"d1": 1, "d3": 0, "d0149": 1, "d0150": 0, "d7": -1}, "q2": {"d1": 1, "d0149": 1}}
    notes = retrieve(INDEX, {"new": "roses"}, model="BII", past_topics=PAST, past_qrels=grades).notes
    found = {note.code: note for note in notes}["judged-not-in-index"]
    assert (found.count, found.examples) == (2, ("d0149", "d0150"))
    assert found.message.startswith("2 judged documents (of 4 for past queries) missing from the index")


def test_grades_below_past_rel_are_not_relevant() -> None:
    with pytest.raises(GermaneError, match="learning from past topics: expected past queries with relevant documents"):
        retrieve(INDEX, {"new": "roses"}, model="BII", past_topics=PAST, past_qrels=GRADES, past_rel=2)


LACKING = [
    # options                                               message
    ({"model": "BII"}, "BII requires past topics with judgments, found none"),
    ({"costs": "bayes"}, "costs require past topics with judgments to calibrate scores, found none"),
    ({"past_topics": PAST}, "expected past topics and their judgments, found topics without judgments"),
    ({"past_qrels": GRADES}, "expected past topics and their judgments, found judgments without topics"),
    ({"past_rel": 2}, "`past_rel=` requires past topics"),
    ({"past_shared": "keep"}, "`past_shared=` requires past topics"),
    ({"past_topics": PAST, "past_qrels": GRADES}, "past topics require the model BII or costs"),
    ({"calibrate": "logistic"}, "`calibrate=` requires costs"),
    (
        {"model": "BII", "past_topics": PAST, "past_qrels": GRADES, "past_shared": "skipp"},
        "expected past_shared to be refuse or skip or keep, found 'skipp'; did you mean skip?",
    ),
]


@pytest.mark.parametrize(("options", "message"), LACKING)
def test_what_is_lacking_is_told(options: dict[str, object], message: str) -> None:
    with pytest.raises(GermaneError) as told:
        retrieve(INDEX, {"new": "roses"}, **options)  # type: ignore[arg-type]
    assert told.value.message == message
