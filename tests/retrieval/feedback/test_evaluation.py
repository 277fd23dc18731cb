"""The evaluation of feedback: who sees what, which queries count, and what any engine's runs come to."""

import pytest

from germane.api.retrieval.feedback import evaluate_feedback, score_feedback
from germane.errors import GermaneError
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.feedback_evaluation.simulated_user import first_rankings, play
from germane.retrieval.feedback_evaluation.views import rankings_of, split_documents, view
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS
from germane.retrieval.query import Query
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

# q1 finds d1, d2, d3 in this order; merlot, in d3, leads on to d4. q2 finds d6 alone.
TEXTS = {
    "d1": "wine wine wine",
    "d2": "wine wine rose",
    "d3": "wine merlot grape",
    "d4": "merlot grape grape",
    "d5": "rose",
    "d6": "beer",
    "d7": "water",
}
INDEX = Index.of(TEXTS, analyser="plain")
TOPICS = {"q1": "wine", "q2": "beer"}
QRELS = {"q1": {"d1": 0, "d3": 1, "d4": 1, "d5": 0}, "q2": {"d6": 1}}


def test_the_person_sees_what_is_new_from_the_top_in_each_round() -> None:
    queries = {"q1": Query.of(["wine"])}
    model, qrels = MODELS.parse("BM25"), Qrels.from_dict(QRELS)
    first = first_rankings(INDEX, queries, model, 10)
    assert [INDEX.doc_id(int(doc)) for doc in first["q1"]] == ["d1", "d2", "d3"]
    rounds = list(play(INDEX, queries, qrels, model, FEEDBACK.parse("rocchio"), first, judged=2, rounds=3, depth=10))
    seen = [[INDEX.doc_id(doc) for doc in done.seen["q1"]] for done in rounds]
    assert seen == [["d1", "d2"], ["d1", "d2", "d3"], ["d1", "d2", "d3", "d4"]]
    assert [done.relevant_seen["q1"] for done in rounds] == [0, 1, 2]
    assert [done.unjudged_seen for done in rounds] == [1, 1, 1]  # d2 has no judgment


def test_the_residual_leaves_out_what_was_seen_and_full_list_values_are_memory() -> None:
    found = evaluate_feedback(INDEX, TOPICS, QRELS, judged=3, measures="AP")
    trial = found["rocchio", 1]
    assert trial.scores.queries == ("q1",)  # q2 has lost its only relevant document
    assert (trial.no_relevant_left, found.skipped) == (("q2",), ("q2",))
    assert trial.scores.mean() == {"BM25": {"AP": 0.0}, "rocchio": {"AP": 1.0}}  # d4, found by merlot
    assert trial.full.mean()["BM25"]["AP"] == pytest.approx(1 / 3 / 2)  # d3 at rank 3 of R = 2
    assert trial.full.mean()["rocchio"]["AP"] == pytest.approx((1 / 2 + 2 / 4) / 2)  # d1 d3 d2 d4: d3 has moved up
    assert [change.query for change in trial.helped] == ["q1"]
    assert trial.hurt == ()
    codes = {note.code: note for note in found.notes}
    assert (codes["no-relevant-left"].count, codes["no-relevant-left"].examples) == (1, ("q2",))
    assert codes["unjudged-seen"].count == 1
    assert {"protocol", "full-list", "one-query"} <= set(codes)


def test_lost_queries_may_be_kept_as_0() -> None:
    found = evaluate_feedback(INDEX, TOPICS, QRELS, judged=3, measures="AP", no_relevant="keep")
    assert found["rocchio", 1].scores["rocchio", "AP"] == {"q1": 1.0, "q2": 0.0}
    assert found.skipped == ()
    assert found["rocchio", 1].pairs[0].num_queries == 2


def test_all_trials_have_the_same_queries() -> None:
    # After the second round q1 has lost its relevant documents too, so it counts in no round.
    with pytest.raises(GermaneError, match="no query has a relevant document left"):
        evaluate_feedback(INDEX, TOPICS, QRELS, judged=3, rounds=2)
    topics, qrels = {**TOPICS, "q3": "rose"}, {**QRELS, "q3": {"d7": 1}}
    found = evaluate_feedback(INDEX, topics, qrels, judged=3, rounds=2, measures="AP")
    assert [trial.scores.queries for trial in found.trials] == [("q3",), ("q3",)]
    assert [trial.no_relevant_left for trial in found.trials] == [("q2",), ("q1", "q2")]


def test_pseudo_feedback_sees_nothing_and_is_evaluated_on_the_whole_list() -> None:
    found = evaluate_feedback(INDEX, TOPICS, QRELS, feedback=["rm3", "iterated"], judged=0, measures="AP")
    for trial in found.trials:
        assert trial.scores.mean() == trial.full.mean()
        assert (trial.seen, trial.no_relevant_left) == (0, ())
    assert "full-list" not in {note.code for note in found.notes}
    with pytest.raises(GermaneError, match="protocol frozen requires judged documents, found judged=0"):
        evaluate_feedback(INDEX, TOPICS, QRELS, judged=0, protocol="frozen")


def test_freezing_keeps_what_was_seen_in_place() -> None:
    frozen, modified = (
        evaluate_feedback(INDEX, {"q1": "wine"}, {"q1": QRELS["q1"]}, judged=3, protocol=by, measures="AP")[
            "rocchio", 1
        ]
        for by in ("frozen", "modified")
    )
    assert frozen.scores.mean()["rocchio"]["AP"] == pytest.approx((1 / 3 + 2 / 4) / 2)  # d1 d2 d3 d4
    assert modified.scores.mean() == frozen.scores.mean()  # the last one seen is relevant, so both freeze all three


def test_the_control_half_is_never_seen() -> None:
    found = evaluate_feedback(
        INDEX, TOPICS, QRELS, judged=2, protocol="control", seed=3, measures="AP", no_relevant="keep"
    )
    control = split_documents(len(TEXTS), 3)
    queries = {query: Query.of([text]) for query, text in TOPICS.items()}
    model = MODELS.parse("BM25")
    first = first_rankings(INDEX, queries, model, 10)
    (done,) = play(
        INDEX, queries, Qrels.from_dict(QRELS), model, FEEDBACK.parse("rocchio"), first,
        judged=2, rounds=1, depth=10, showable=~control,
    )  # fmt: skip
    assert not any(control[doc] for docs in done.seen.values() for doc in docs)
    assert found.seed == 3
    assert "split" in {note.code for note in found.notes}


def test_queries_that_were_hurt_are_listed_with_the_largest_loss_first() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    before = {f"q{i}": {"a": 9.0, "b": 8.0, "c": 7.0} for i in range(3)}
    after = {"q0": {"b": 9.0, "a": 8.0}, "q1": {"a": 9.0}, "q2": {"b": 9.0, "c": 8.0, "a": 7.0}}
    trial = score_feedback(qrels, before, after, {}, measures="AP").trials[0]
    assert [(change.query, change.before, change.after) for change in trial.hurt] == [
        ("q2", 1.0, pytest.approx(1 / 3)),
        ("q0", 1.0, 0.5),
    ]


def test_p_values_are_adjusted_over_all_trials_and_measures() -> None:
    qrels = {f"q{i}": {"a": 1, "b": 1} for i in range(6)}
    before = {f"q{i}": {"x": 3.0, "a": 2.0, "b": 1.0} for i in range(6)}
    after = {f"q{i}": {"a": 3.0, "x": 2.0, "b": 1.0} if i % 3 else before[f"q{i}"] for i in range(6)}
    trial = score_feedback(qrels, before, after, {}, measures=["AP", "P@1"]).trials[0]
    first, second = trial.pairs
    assert first.p_adjusted >= first.p
    assert {first.p_adjusted, second.p_adjusted} != {first.p, second.p}


def test_any_engines_runs_can_be_scored() -> None:
    qrels = {"q": {"a": 1, "c": 1}, "r": {"a": 1}}
    before = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "r": {"a": 1.0}}
    after = {"q": {"a": 3.0, "c": 2.0, "b": 1.0}, "r": {"a": 1.0}}
    by_count = score_feedback(qrels, before, after, 1, measures="AP", names=("old", "new"))
    by_name = score_feedback(qrels, before, after, {"q": ["a"], "r": ["a"]}, measures="AP", names=("old", "new"))
    for found in (by_count, by_name):
        assert found.trials[0].scores.mean() == {"old": {"AP": 0.5}, "new": {"AP": 1.0}}
        assert (found.trials[0].seen, found.trials[0].relevant_seen, found.skipped) == (2, 2, ("r",))


def test_ties_are_ordered_as_evaluation_orders_them() -> None:
    assert rankings_of(Run.from_dict({"q": {"a": 1.0, "b": 1.0}, "r": {}})) == {"q": ["b", "a"], "r": []}


def test_groups_and_samples_of_judgments_survive_the_residual() -> None:
    qrels = Qrels.from_columns(
        ["q", "q", "q"], ["a", "a", "b"], [1, 2, 1], ["s1", "s2", "s1"], stratum=["x", "x", "y"], inclusion=[1, 1, 0.5]
    )
    left = view("residual", {"q": ["a"]}, {"q": ["b"]}, qrels, {"q": ["a"]}).qrels
    assert left.groups is not None
    assert left.sampling is not None
    assert (list(left.docs), left.groups.doc.tolist(), left.sampling.inclusion.tolist()) == (["b"], [0], [0.5])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"protocol": "residal"}, "unknown protocol 'residal'; did you mean residual?"),
        ({"judged": -1}, "expected judged to be 0 or more, found -1"),
        ({"rounds": 0}, "expected rounds to be 1 or more, found 0"),
        ({"no_relevant": "drop"}, "expected no_relevant to be skip or keep, found 'drop'"),
        ({"feedback": []}, "expected at least one feedback method"),
        ({"topics": {"q9": "x"}}, "topics and qrels share no id: topics q9, qrels q1, q2"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(choices: dict[str, object], message: str) -> None:
    given = {"index": INDEX, "topics": TOPICS, "qrels": QRELS, **choices}
    with pytest.raises(GermaneError, match=message):
        evaluate_feedback(**given)  # type: ignore[arg-type]


def test_a_judged_query_without_topic_is_an_empty_ranking_and_noted() -> None:
    found = evaluate_feedback(INDEX, {"q1": "wine"}, QRELS, judged=1, measures="AP")
    (note,) = [note for note in found.notes if note.code == "missing-queries"]
    assert (note.count, note.examples) == (1, ("q2",))
    assert found["rocchio", 1].scores["BM25", "AP"]["q2"] == 0
