"""The numbers behind a report: rankings in the order of the measures, relations as the library has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from germane.api.reports.costs import read_costs
from germane.api.reports.numbers import numbers_of as all_numbers
from germane.api.reports.queries import QueryRankings
from germane.api.reports.rankings import RetrievalNumbers
from germane.api.reports.texts import read_questions, texts_for
from germane.api.retrieval.indexing import index as build_index
from germane.errors import GermaneError, InputError
from germane.formats.truth.topics_file import Topic
from germane.retrieval.indexes.index import Index
from germane.stats.rankings.agreement_of_rankings import between_runs
from germane.tables.rankings.judged_run import Ties
from germane.tables.rankings.run import Run

QRELS = {
    "q1": {"a": 1, "b": 0, "c": 2, "z": 1},
    "q2": {"a": 0, "b": 1, "far": 1},
    "q3": {"a": 1},
}
TIED = {
    "q1": {"b": 2.0, "c": 2.0, "u": 2.0, "a": 1.0, "z": 1.0},
    "q2": {"v": 9.0, "w": 8.0, "a": 7.0, "b": 7.0, "far": 0.5},
    "other": {"a": 1.0},
}
PLAIN = {"q1": {"a": 3.0, "c": 2.0}, "q2": {"b": 3.0}, "q3": {"a": 1.0, "u": 0.5}}


def numbers_of(ties: Ties = "docno", depth: int = 3, **more: object) -> RetrievalNumbers:
    return judged_numbers(["AP", "P@2"], ties=ties, depth=depth, **more)


def judged_numbers(measures: str | list[str], runs: Any = None, **options: Any) -> RetrievalNumbers:
    runs = {"tied": TIED, "plain": PLAIN} if runs is None else runs
    found = all_numbers("report", QRELS, runs, measures, options)
    assert isinstance(found, RetrievalNumbers)
    return found


@pytest.mark.parametrize("ties", [ties for ties in get_args(Ties) if ties != "rank"])
@pytest.mark.parametrize("score_type", ["float64", "float32"])
def test_rankings_stand_in_the_order_that_the_measures_used(ties: Ties, score_type: str) -> None:
    measures = "P@2" if ties == "expected" else "AP"
    numbers = judged_numbers(measures, ties=ties, depth=3, score_type=score_type)
    for r, judged in enumerate(numbers.judged):
        for q, shown in enumerate(numbers.rankings):
            rank = {shown.documents[d]: i for i, d in enumerate(shown.top[r], start=1)}
            rank.update({shown.documents[d]: place for d, place in shown.beyond[r]})
            mine = np.flatnonzero(judged.query == q)
            docs = [judged.qrels.docs[int(judged.doc[i])] for i in mine]
            relevant_or_shown = {
                doc: int(judged.rank[i])
                for doc, i in zip(docs, mine, strict=True)
                if judged.rank[i] <= 3 or judged.grade[i] > 0
            }
            assert {doc: rank[doc] for doc in relevant_or_shown} == relevant_or_shown


def test_every_relevant_document_is_there_and_says_where_it_stands() -> None:
    q1, q2, q3 = numbers_of(depth=2).rankings
    assert [q2.documents[d] for d in q2.top[0]] == ["v", "w"]
    assert [(q2.documents[d], rank) for d, rank in q2.beyond[0]] == [("b", 3), ("far", 5)]
    assert dict(zip(q2.documents, q2.grades, strict=True)) == {"v": None, "w": None, "b": 1, "far": 1}
    assert q3.top == [[], [0, 1]]
    assert {"a", "c", "z"} <= set(q1.documents)


def test_relations_are_those_of_the_two_runs() -> None:
    relations = numbers_of(depth=3).relations
    assert relations is not None
    tied, plain = Run.from_dict({q: TIED[q] for q in ("q1", "q2")}), Run.from_dict(PLAIN)
    expected = between_runs(tied, plain, relations.coefficients, depth=3).mean()
    assert relations.values[:, 0, 1].tolist() == list(expected.values())
    assert relations.values[:, 1, 0].tolist() == list(expected.values())


def test_only_what_has_a_mean_is_compared() -> None:
    numbers = judged_numbers(["AP", "NumRet"])
    assert numbers.comparison is not None
    assert {pair.measure for pair in numbers.comparison.pairs} == {"AP"}


def test_a_single_run_is_not_compared() -> None:
    numbers = judged_numbers("AP", {"plain": PLAIN})
    assert numbers.comparison is None
    assert "one system" in numbers.not_compared


def test_progress_counts_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    numbers = numbers_of(progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 9), (2, 9)]  # the two runs are scored; the rest is worked out when it is asked for
    assert numbers.relations
    assert numbers.comparison
    assert numbers.bounds
    assert told == [(i, 9) for i in range(1, 10)]


def test_a_depth_of_nothing_is_an_error() -> None:
    with pytest.raises(GermaneError, match="depth of 1 or more"):
        numbers_of(depth=0)


def test_questions_come_from_a_file_by_id_or_by_position(tmp_path: Path) -> None:
    path = tmp_path / "topics.txt"
    path.write_text("<top><num> Number: 7<desc> Description: Find wine.</top>\n<top><num> 9<title> Roses</top>")
    assert read_questions(path) == {"7": Topic("7", "Find wine."), "9": Topic("9", "Roses")}
    assert read_questions(path, "position") == {"1": Topic("1", "Find wine."), "2": Topic("2", "Roses")}


def test_queries_without_a_question_and_documents_without_a_text_are_counted() -> None:
    asked = read_questions({"q2": "roses", "q1": "", "other": "beer"})
    texts = texts_for(["q1", "q2", "q3"], [["b", "a"], ["a", "c"]], asked, {"a": "One\n\x1dtwo", "b": " "})
    assert texts.questions == {"q2": Topic("q2", "roses")}
    assert texts.documents == {"a": "One\ntwo"}
    assert [(note.message, note.examples) for note in texts.notes] == [
        ("2 of 3 queries have no text; check that query ids match the topics", ("q1", "q3")),
        ("2 of 3 documents shown have no text; check that document ids match the collection", ("b", "c")),
    ]


DOCUMENTS = {"b": "Bordeaux is red", "a": "word " * 100, "c": "c"}
WHOLE = {"b": "Bordeaux is red", "a": ("word " * 100).strip()}  # the third has but its id


@pytest.mark.parametrize("kind", ["dict", "index", "folder of an index", "file"])
def test_documents_are_whole_wherever_they_are_kept(kind: str, tmp_path: Path) -> None:
    file, folder = tmp_path / "documents.jsonl", tmp_path / "index"
    file.write_text("".join(json.dumps({"id": doc, "text": text}) + "\n" for doc, text in DOCUMENTS.items()))
    if kind == "folder of an index":
        build_index(folder, [file])
    given = {"dict": DOCUMENTS, "index": Index.of(DOCUMENTS), "folder of an index": folder, "file": file}[kind]
    assert texts_for(["q1"], [["gone", "b", "a", "c"]], documents=given).documents == WHOLE  # type: ignore[arg-type]


def test_what_fits_nothing_is_an_error() -> None:
    with pytest.raises(GermaneError, match="query texts have 1, qrels have q1"):
        texts_for(["q1"], [], read_questions({"1": "wine"}))
    with pytest.raises(GermaneError, match="no text found for the documents shown: a"):
        texts_for(["q1"], [["a"]], documents={"A": "wine"})


COSTS = [
    ("run,ms\nplain,3\ntied,\n", {"ms": {"plain": 3.0}}),
    ("\ufeffrun,ms,MB\nplain,3,1e2\n", {"ms": {"plain": 3.0}, "MB": {"plain": 100.0}}),
]


@pytest.mark.parametrize(("text", "expected"), COSTS)
def test_costs_by_what_they_are_and_by_run(text: str, expected: dict[str, dict[str, float]], tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text, encoding="utf-8")
    assert read_costs(path, ["plain", "tied"]) == expected


WRONG_COSTS = [
    ("run,ms\nplian,3\n", "did you mean plain"),
    ("run,ms\nplain,fast\n", r"costs.csv:2: expected a number, found 'fast'"),
    ("run,ms\nplain,3,4\n", r"costs.csv:2: expected 2 columns, found 3"),
    ("run\n", "expected a header"),
]


@pytest.mark.parametrize(("text", "message"), WRONG_COSTS)
def test_wrong_costs_are_said_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_costs(path, ["plain", "tied"])


def test_the_words_of_a_query_are_found_as_documents_write_them() -> None:
    asked = read_questions({"q1": "The wines of France", "q2": "beer", "q3": "the"})
    given = {"a": "Wine, and wining in FRANCE.", "b": "Whines of Francesca"}
    texts = texts_for(["q1", "q2", "q3"], [["a", "b"]], asked, given)
    assert texts.words == {"q1": ["france", "wine", "wining"]}


def test_top_ranks_are_kept_whole_when_there_is_no_room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("germane.api.reports.texts.within_budget.__defaults__", (450,))
    given = {doc: doc[0] * 200 for doc in ("first", "second", "third")}
    texts = texts_for(["q1", "q2"], [["first", "third"], ["second", "third"]], documents=given)
    assert texts.documents is not None
    assert {doc: len(text) for doc, text in texts.documents.items()} == {"first": 200, "second": 200, "third": 100}


def test_documents_come_by_their_best_rank_in_any_run() -> None:
    found = QueryRankings(["a", "b", "c", "missed"], [None] * 4, [[0, 1], [1, 0]], [[(2, 60)], []])
    assert found.by_best_rank() == ["a", "b", "c", "missed"]
    found = QueryRankings(["a", "b", "c", "missed"], [None] * 4, [[0, 1], [2, 1]], [[(3, 60)], []])
    assert found.by_best_rank() == ["a", "c", "b", "missed"]
