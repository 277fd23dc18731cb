"""Costs: which documents are returned, in which order, and what the record says of it."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.api.retrieval.retrieval import retrieve
from germane.errors import GermaneError
from germane.retrieval.engines.expected_cost import CALIBRATIONS, costs_of, stepped
from germane.retrieval.engines.record import Retrieval
from germane.retrieval.probability.ranking_principle import BAYES, Costs
from germane.retrieval.probability.relevance_probability import Calibration
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.run import Run
from tests.retrieval.collections import collection

# What the engine finds. In the past, a and c were relevant: 4 is sure, 3 and 2 are even odds, 1 is hopeless; scores
# between two of them lie on the line between.
ENGINE = {
    "past": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0},
    "new": {"v": 5.0, "w": 3.5, "x": 3.0, "y": 2.5, "y2": 2.5, "z": 1.0},
    "poor": {"z": 1.0},
    "none": {},
}
#       v     w      x    y    y2   z
P_NEW = [1.0, 0.75, 0.5, 0.5, 0.5, 0.0]


def ask(costs: Any, topics: tuple[str, ...] = ("new",), **options: Any) -> Retrieval:
    return retrieve(
        lambda text: ENGINE[text],
        {topic: topic for topic in topics},
        costs=costs,
        calibrate="isotonic(normalise=none)",
        past_topics={"p": "past"},
        past_qrels={"p": {"a": 1, "c": 1}},
        **options,
    )


def found(run: Run) -> list[str]:
    return list(run.docs)


BY_HAND = [
    # costs         threshold  returned                expected cost                              why
    ((-1, 1),       0.5,       "v w",                  -1 - 0.5,                                  "x is even odds"),
    ((-3, 1),       0.25,      "v w x y2 y",           -3 - 2 - 3 * 1,                            "1 - 4p each"),
    ((-1, 9),       0.9,       "v",                    -1,                                        "only what is sure"),
    ((-1, 0),       0.0,       "v w x y2 y",           -1 - 0.75 - 3 * 0.5,                       "looking is free"),
    ((0.5, 1),      2.0,       "",                     0,                                         "nothing is gained"),
    ("bayes",       0.5,       "v w",                  0 + 0.25 + 3 * 0.5,                        "expected errors"),
    ((0, 1, 3),     0.25,      "v w x y2 y",           0 + 0.25 + 3 * 0.5,                        "a miss costs 3"),
]  # fmt: skip


@pytest.mark.parametrize(("costs", "threshold", "returned", "expected_cost", "why"), BY_HAND)
def test_by_hand(costs: Any, threshold: float, returned: str, expected_cost: float, why: str) -> None:
    retrieval = ask(costs)
    assert found(retrieval.run) == returned.split(), why
    assert retrieval.run.score.tolist() == pytest.approx(P_NEW[: len(returned.split())])
    told = retrieval.engine["costs"]
    assert told["threshold"] == pytest.approx(threshold)
    assert told["expected_cost"]["mean"] == pytest.approx(expected_cost), why
    assert told["returned"]["by_query"] == {"new": len(returned.split())}


def test_equal_probabilities_keep_the_order_of_the_scores_and_its_ties() -> None:
    scores = ask((-3, 1)).run.score
    assert scores[1] > scores[2] > scores[3] == scores[4]  # y and y2 had one score, and x a higher one
    assert scores[2] == 0.5
    assert scores[3] == np.nextafter(0.5, 0)


def test_an_engine_that_does_not_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_ = ask((-3, 1)).run
    monkeypatch.setitem(ENGINE, "new", {doc: ENGINE["new"][doc] for doc in ("z", "x", "y", "y2", "w", "v")})
    assert found(ask((-3, 1)).run) == found(sorted_) == ["v", "w", "x", "y2", "y"]
    assert ask((-3, 1)).run.score.tolist() == sorted_.score.tolist()


def test_what_the_record_says(tmp_path: Path) -> None:
    retrieval = ask((-1, 1), ("new", "poor", "none"), output=tmp_path / "run.txt", k=7)
    record = json.loads((tmp_path / "run.txt.json").read_text())
    told = record["engine"]["costs"]
    assert (told["relevant"], told["non_relevant"], told["missed"], told["threshold"]) == (-1, 1, 0, 0.5)
    assert told["returned"] == {"min": 0, "median": 0, "max": 2, "by_query": {"new": 2, "poor": 0, "none": 0}}
    assert told["expected_cost"]["total"] == -1.5
    assert told["expected_cost"]["mean"] == -0.5
    assert told["calibration"]["name"] == "isotonic(normalise=none)"
    assert told["calibration"]["folds"] is None
    again = {key: value for key, value in told["calibration"].items() if key not in ("name", "unjudged", "folds")}
    assert Calibration.from_json(again).probabilities(np.array([3.5])).tolist() == [0.75]
    assert record["run"]["tag"].endswith("+costs(-1,1)")
    by_code = {note.code: note for note in retrieval.notes}
    assert by_code["nothing-worth-its-cost"].examples == ("poor",)
    assert by_code["empty-rankings"].examples == ("none",)
    assert by_code["costs"].message == (
        "0 to 2 documents per query (median 0) have P(R|d) above 0.5 by isotonic(normalise=none), learned from 2 "
        "relevant and 2 non-relevant past documents; expected cost -0.5 per query"
    )


def test_more_may_be_worth_it_than_were_asked_for() -> None:
    engine = {"past": ENGINE["past"], "new": {"v": 5.0, "w": 4.5}}
    past: dict[str, Any] = {"past_topics": {"p": "past"}, "past_qrels": {"p": {"a": 1, "c": 1}}}
    for k, codes in ((4, []), (2, ["more-may-be-worth"])):
        cut = retrieve(
            lambda text, k: dict(list(engine[text].items())[:k]),
            {"new": "new"}, costs=(-1, 0.5), k=k, calibrate="isotonic(normalise=none)", **past,
        )  # fmt: skip
        assert [note.code for note in cut.notes if note.code != "costs"] == codes


def test_topics_that_are_not_asked_count_nowhere() -> None:
    assert ask((-1, 1), ("new", "none")).engine["costs"]["returned"]["min"] == 0
    told = retrieve(
        lambda text: ENGINE[text], {"new": "new", "blank": " "}, costs=(-1, 1),
        calibrate="isotonic(normalise=none)", past_topics={"p": "past"}, past_qrels={"p": {"a": 1, "c": 1}},
    ).engine["costs"]  # fmt: skip
    assert told["returned"]["by_query"] == {"new": 2}


# The order of a run by probability


Steps = Any


def changes_order(steps: Steps, scores: list[float]) -> bool:
    """Whether probabilities that fall as scores do, written as a run, order documents otherwise than the scores."""
    descending = np.array(sorted(scores, reverse=True))
    written = steps(np.repeat(0.5, len(scores)), descending)
    pairs = itertools.pairwise(zip(written.tolist(), descending.tolist(), strict=True))
    return any((w1 > w2) != (s1 > s2) for (w1, s1), (w2, s2) in pairs)


@given(st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.0]), max_size=8))
def test_a_flat_calibration_keeps_the_order(scores: list[float]) -> None:
    assert not changes_order(stepped, scores)


def test_the_law_catches_bare_probabilities() -> None:
    assert changes_order(lambda p, _: p, [2.0, 1.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_step_is_no_more_than_rounding(probabilities: list[float]) -> None:
    p: FloatArray = np.array(sorted(probabilities, reverse=True))
    steps = stepped(p, -np.arange(len(p), dtype=np.float64))
    assert np.abs(steps - p).max() < 1e-13
    assert steps.min() >= 0


# What people write


COSTS = [
    ("-1,0.5", Costs(-1, 0.5)),
    (" -1 , .5 ", Costs(-1, 0.5)),
    ("0,1,1", BAYES),
    ("Bayes", BAYES),
    ((-1, 0.5), Costs(-1, 0.5)),
    (Costs(-2, 1), Costs(-2, 1)),
]


@pytest.mark.parametrize(("given", "meant"), COSTS)
def test_costs_as_people_write_them(given: Any, meant: Costs) -> None:
    assert costs_of(given) == meant


@pytest.mark.parametrize("given", ["1", "1,2,3,4", "-1;1", "", (1,), ("a", "b"), "bays"])
def test_what_are_no_costs(given: Any) -> None:
    with pytest.raises(GermaneError, match="expected costs as C,C′"):
        costs_of(given)


@pytest.mark.parametrize(("given", "message"), [
    ("1,-1", "expected C \\(relevant\\) below C′"),
    ("nan,1", "expected finite costs"),
])  # fmt: skip
def test_costs_that_make_no_sense(given: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        ask(given)


@pytest.mark.parametrize("text", ["isotonic", "logistic(normalise=none)", "isotonic(unjudged=left-out)"])
def test_a_calibration_reads_back_what_it_says(text: str) -> None:
    assert str(CALIBRATIONS.parse(text)) == text
    assert CALIBRATIONS.parse(str(CALIBRATIONS.parse(text))) == CALIBRATIONS.parse(text)


@pytest.mark.parametrize(("text", "message"), [
    ("isotone", "unknown calibration 'isotone'; did you mean isotonic?"),
    ("isotonic(norm=none)", "isotonic has no parameter 'norm'"),
    ("isotonic(normalise)", "isotonic: expected parameter=value, found 'normalise'"),
    ("isotonic(normalise=max)", "isotonic: expected one of none, minmax, zscore for normalise, found 'max'"),
    ("isotonic(normalise=none,normalise=none)", "isotonic: expected normalise once, found it twice"),
    ("isotonic(", "expected a calibration such as isotonic or logistic(normalise=none), found 'isotonic('"),
    ("isotonic(method=logistic)", "isotonic has no parameter 'method'"),
])  # fmt: skip
def test_what_is_no_calibration(text: str, message: str) -> None:
    with pytest.raises(GermaneError) as told:
        CALIBRATIONS.parse(text)
    assert message in told.value.message


def test_nothing_to_learn_probabilities_from() -> None:
    with pytest.raises(GermaneError, match="learning from past topics: expected relevant and non-relevant documents"):
        retrieve(
            lambda text: ENGINE[text], {"new": "new"}, costs="bayes",
            past_topics={"p": "past"}, past_qrels={"p": {"elsewhere": 1}},
        )  # fmt: skip


# Real data


@pytest.mark.shared
@pytest.mark.parametrize("model", ["BM25", "BII"])
def test_on_cranfield_what_is_expected_comes_about(model: str) -> None:
    cranfield = collection("cranfield")
    topics = list(cranfield.topics.items())
    new, past = dict(topics[0::2]), dict(topics[1::2])
    done = retrieve(cranfield.index, new, model=model, costs=(-3, 1), past_topics=past, past_qrels=cranfield.qrels)
    names = list(cranfield.qrels.queries)
    rows = zip(cranfield.qrels.query.tolist(), cranfield.qrels.docs, cranfield.qrels.grade.tolist(), strict=True)
    relevant = {(names[query], doc) for query, doc, grade in rows if grade >= 1}
    pairs = zip(done.run.query.tolist(), done.run.docs, strict=True)
    hits = sum((done.run.queries[query], doc) in relevant for query, doc in pairs)
    num_returned = len(done.run.docs)
    assert 1.5 < num_returned / len(new) < 5
    assert hits / num_returned > 0.25  # the threshold: each is more probable than that
    assert (num_returned - 4 * hits) / len(new) == pytest.approx(done.engine["costs"]["expected_cost"]["mean"], abs=0.6)
    none = retrieve(cranfield.index, new, model=model, costs=(-1, 1), past_topics=past, past_qrels=cranfield.qrels)
    assert len(none.run.docs) == 0  # nothing on Cranfield is more probably relevant than not
