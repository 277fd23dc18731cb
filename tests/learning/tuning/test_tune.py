"""`germane.tune` on an index: the values are those of retrieve and evaluate, and real collections behave as told."""

from pathlib import Path
from typing import Any

import pytest

from germane.api.learning.tuning import tune
from germane.api.rankings.evaluation import evaluate
from germane.api.retrieval.retrieval import retrieve
from germane.errors import GermaneError
from germane.formats.truth.topics_file import Topic
from germane.learning.strategies.strategy import parse_strategy
from germane.learning.tuning.result import Tuning
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query
from tests.retrieval.collections import collection

DOCS = {
    "d1": "wine wine wine", "d2": "wine wine rose", "d3": "wine merlot grape", "d4": "merlot grape grape", "d5": "rose",
    "d6": "beer", "d7": "beer malt hops", "d8": "malt hops", "d9": "water",
}  # fmt: skip
INDEX = Index.of(DOCS, analyser="plain")
TOPICS = {"1": "wine", "2": "beer", "3": "rose", "4": "Rose!", "5": "the"}
QRELS = {"1": {"d3": 1, "d4": 1}, "2": {"d7": 1, "d8": 1}, "3": {"d5": 1}, "4": {"d2": 1}, "9": {"d1": 1}}
SPACE = ("BM25(b={0,0.75})", "QL+rm3", "fuse(rrf,BM25,QL)")


def codes(tuning: Tuning) -> dict[str, int | None]:
    return {note.code: note.count for note in tuning.notes}


def test_values_are_those_of_retrieve_and_evaluate() -> None:
    tuning = tune(INDEX, TOPICS, QRELS, space=SPACE, folds=2, measure="nDCG@3")
    assert tuning.queries == ("1", "2", "3", "4")
    for text, model, feedback in (("BM25(b=0)", "BM25(b=0)", None), ("QL+rm3", "QL", "rm3")):
        run = retrieve(INDEX, TOPICS, model=model, feedback=feedback).run
        expected = evaluate({query: QRELS[query] for query in tuning.queries}, run, "nDCG@3")
        row = tuning.strategies.index(parse_strategy(text))
        assert tuning.values[row].tolist() == list(expected[expected.runs[0].name, "nDCG@3"].values())


def test_topics_that_cannot_count_are_told_and_doubles_stay_together() -> None:
    tuning = tune(INDEX, {**TOPICS, "9": "the"}, QRELS, space=SPACE, folds=2)
    assert codes(tuning)["unjudged-queries"] == 1  # topic 5
    assert codes(tuning)["duplicate-queries"] == 2  # rose and Rose!
    place = {query: int(fold) for query, fold in zip(tuning.queries, tuning.fold, strict=True)}
    assert place["3"] == place["4"]
    assert "empty-queries" not in codes(tuning)
    wordless = tune(INDEX, {**TOPICS, "9": "?!"}, QRELS, space=SPACE, folds=2)
    assert codes(wordless)["empty-queries"] == 1


def test_topics_may_be_queries_already() -> None:
    texts = tune(INDEX, {"1": "wine", "2": "beer"}, QRELS, space=SPACE, folds=2)
    given: dict[str, str | Topic | Query] = {"1": Query.of(["wine"]), "2": "beer"}
    assert (tune(INDEX, given, QRELS, space=SPACE, folds=2).values == texts.values).all()


def test_a_space_may_be_a_file_a_text_or_strategies(tmp_path: Path) -> None:
    path = tmp_path / "space.txt"
    path.write_text("BM25(b={0,0.75})\nQL\n")
    expected = [parse_strategy(text) for text in ("BM25(b=0)", "BM25", "QL")]
    for space in (path, str(path), [str(path)], ["BM25(b={0,0.75})", "QL"], expected):
        assert tune(INDEX, TOPICS, QRELS, space=space, folds=2).strategies == tuple(expected)
    assert tune(INDEX, TOPICS, QRELS, space="QL", folds=2).strategies == (parse_strategy("QL"),)
    assert tune(INDEX, TOPICS, QRELS, space=parse_strategy("QL"), folds=2).strategies == (parse_strategy("QL"),)


REFUSED = [
    ({"folds": 5}, r"as many judged queries as folds \(5\), found 4"),
    (
        {"folds": 4},
        r"4 folds require 4 different queries, found 3 \(2 of 4 have the same words",
    ),  # rose and Rose! are one
    ({"space": []}, "expected at least one strategy, found none"),
    ({"space": "BM25(k1={0.9,1.2},c=1)"}, "BM25 has no parameter 'c'"),
    ({"measure": "APP"}, "APP"),
    ({"k": 0}, "k of 1 or more"),
    ({"space": "VSM+rm3"}, r"VSM\+rm3: VSM.* requires query term counts of 1 or more"),
    ({"field": "titel"}, "unknown topic field 'titel'"),
]


@pytest.mark.parametrize(("choices", "message"), REFUSED)
def test_what_is_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        tune(INDEX, TOPICS, QRELS, **{"space": SPACE, "folds": 2, **choices})


def test_no_judged_topic_is_told_with_both_sides() -> None:
    with pytest.raises(GermaneError, match="topics and qrels share no id: topics a, qrels 1, 2, 3"):
        tune(INDEX, {"a": "wine"}, QRELS, space=SPACE)


def test_a_journal_of_other_judgments_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first = tune(INDEX, TOPICS, QRELS, space=SPACE, folds=2, resume=path)
    again = tune(INDEX, TOPICS, QRELS, space=SPACE, folds=2, resume=path)
    assert (again.values == first.values).all()
    assert codes(again)["resumed"] == first.num_evaluated
    larger = tune(INDEX, TOPICS, QRELS, space=[*SPACE, "VSM"], folds=2, resume=path)  # a larger space goes on too
    assert codes(larger)["resumed"] == first.num_evaluated
    for index, topics, qrels in (
        (INDEX, TOPICS, {**QRELS, "1": {"d3": 1}}),
        (INDEX, {**TOPICS, "1": "merlot"}, QRELS),
        (Index.of({**DOCS, "d9": "water and more"}, analyser="plain"), TOPICS, QRELS),
    ):
        with pytest.raises(GermaneError, match="another index, or to other topics or qrels"):
            tune(index, topics, qrels, space=SPACE, folds=2, resume=path)


@pytest.mark.shared
def test_on_cacm_feedback_and_its_like_win_and_the_razor_keeps_it_simple() -> None:
    cacm = collection("cacm")
    space = ["BM25(b={0.3,0.75}){,+rm3}", "VSM"]
    tuning = tune(cacm.index, cacm.topics, cacm.qrels, space=space)
    best, razor = tuning.procedures["best"], tuning.procedures["razor"]
    assert len(tuning.queries) == 52
    assert str(tuning.simplest) == "BM25"
    assert tuning.mean(tuning.simplest) == pytest.approx(0.3250, abs=5e-4)
    assert best.p < 0.05
    assert best.difference > 0.02
    assert tuning.chosen.simplicity <= tuning.winner.simplicity
    assert razor.held_out > tuning.procedures["simplest"].held_out
    assert best.tuned == pytest.approx(best.held_out + best.gap)
