"""What a change did, query by query: which documents entered, left and moved, and which of them nobody judged."""

from dataclasses import replace
from typing import Any

import pytest

from germane.api.comparisons.changes import Changes, changes_by_query
from germane.api.comparisons.comparison import compare
from germane.api.rankings.evaluation import evaluate
from germane.errors import GermaneError
from germane.tables.results.result import Inputs


def ranking(documents: str) -> dict[str, float]:
    return {document: -float(rank) for rank, document in enumerate(documents.split())}


QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d3": 2, "d7": -1}, "q3": {"d4": 1}}
OLD = {"q1": ranking("d2 d1 d9"), "q2": ranking("d3 d1"), "q3": ranking("d4")}
NEW = {"q1": ranking("d1 d9 d2"), "q2": ranking("d8 d7 d3"), "q3": ranking("d4")}


def changes(measure: str, qrels: Any = QRELS, runs: Any = None) -> Changes:
    runs = runs or {"old": OLD, "new": NEW}
    [found] = changes_by_query(compare(evaluate(qrels, runs, measure)))
    return found


MOVED = [
    # query  documents as (id, grade, rank before, rank after), None: not there
    ("q1",   [("d2", 0, 1, None), ("d1", 1, 2, 1), ("d9", None, None, 2)]),
    ("q2",   [("d3", 2, 1, 3), ("d8", None, None, 1), ("d1", 1, 2, None), ("d7", None, None, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), MOVED)
def test_the_documents_of_a_query_by_hand(query: str, expected: list[tuple[Any, ...]]) -> None:
    found = changes("RR@2")
    [change] = [each for each in (*found.better, *found.worse) if each.query == query]
    assert [(d.document, d.grade, d.before, d.after) for d in change.moved] == expected


# Relevant: r (grade 2) and s (grade 1); n and o are not relevant, u is not judged. The first 4 documents are looked at.
PASSED = [
    # before      after        listed       why
    ("r n o",     "n r o",     "r n",       "n took the place of r; o stayed"),
    ("n r o",     "r n o",     "n r",       "and back"),
    ("r n o",     "u r n o",   "r u",       "u pushed all down; n and o stand to r as they did"),
    ("n o r s",   "o n s r",   "r s",       "n and o changed places, and passed no relevant one"),
    ("r n o u s", "n o u s",   "r n o u s", "r was lost, and all others moved up past it"),
    ("r s n o",   "n s r o",   "r n",       "s was passed by both, and stayed where it was"),
    ("r n o u s", "s r n o u", "r s n o u", "s came from rank 5 and passed all; u left"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "listed", "why"), PASSED)
def test_what_passed_a_relevant_document_is_listed_with_it(before: str, after: str, listed: str, why: str) -> None:
    qrels = {"q": {"r": 2, "s": 1, "n": 0, "o": 0}, "q2": {"s": 1}}
    runs = {"old": {"q": ranking(before), "q2": ranking("s")}, "new": {"q": ranking(after), "q2": ranking("s")}}
    found = changes("nDCG@4", qrels, runs)
    [change] = [*found.better, *found.worse]
    assert [each.document for each in change.moved] == listed.split(), why


def test_queries_and_documents_to_judge_by_hand() -> None:
    found = changes("RR@2")
    assert ([(c.query, c.before, c.after) for c in found.better], found.num_same) == ([("q1", 0.5, 1.0)], 1)
    assert [(c.query, c.before, c.after) for c in found.worse] == [("q2", 1.0, 0.0)]
    assert found.unjudged == (("q2", "d8", 1), ("q1", "d9", 2), ("q2", "d7", 2)), "pooled and not judged is not judged"


DEPTHS = [("RR@2", 2), ("nDCG@3", 3), ("AP", 10), ("IPrec@0.5", 10)]


@pytest.mark.parametrize(("measure", "depth"), DEPTHS)
def test_documents_are_looked_at_down_to_the_cutoff(measure: str, depth: int) -> None:
    assert changes(measure).depth == depth


def test_where_less_is_better_a_fall_is_a_gain() -> None:
    assert [change.query for change in changes("E@1").better] == ["q1"]


def test_the_other_way_round_everything_is_reversed() -> None:
    there, back = changes("RR@2"), changes("RR@2", runs={"new": NEW, "old": OLD})
    assert [(c.query, c.after, c.before) for c in there.worse] == [(c.query, c.before, c.after) for c in back.better]
    reverse = {(d.document, d.after, d.before) for c in back.better for d in c.moved}
    assert reverse == {(d.document, d.before, d.after) for c in there.worse for d in c.moved}


def test_a_query_that_was_not_answered_lost_its_documents() -> None:
    found = changes("RR@2", runs={"old": OLD, "new": {"q1": NEW["q1"], "q3": NEW["q3"]}})
    assert [(d.document, d.before, d.after) for d in found.worse[0].moved] == [("d3", 1, None), ("d1", 2, None)]


def test_each_system_has_its_changes_and_the_base_has_none() -> None:
    runs = {"a": OLD, "b": NEW, "c": OLD}
    comparison = compare(evaluate(QRELS, runs, "RR@2"), baseline="b")
    assert [(each.base, each.new) for each in changes_by_query(comparison)] == [("b", "a"), ("b", "c")]
    with pytest.raises(GermaneError, match="expected a baseline among 3 systems"):
        changes_by_query(compare(QRELS, runs, "RR@2"))


def test_standard_input_cannot_be_read_twice() -> None:
    scores = evaluate(QRELS, {"old": OLD, "new": NEW}, "AP")
    read_once = Inputs(("qrels.txt", ["old.run", "-"], ["AP"]))
    with pytest.raises(GermaneError, match="cannot read standard input again"):
        changes_by_query(compare(replace(scores, inputs=read_once)))


def unexplained(found: Changes) -> list[str]:
    """Queries whose value changed though no document entered, left or moved."""
    return [change.query for change in (*found.better, *found.worse) if not change.moved]


CUT = ["P@2", "R@2", "AP@2", "RR@2", "nDCG@2", "Success@2", "F@2", "ERR@2"]


@pytest.mark.parametrize("measure", CUT)
def test_a_value_changes_only_where_a_document_moved(measure: str) -> None:
    assert unexplained(changes(measure)) == []


def test_the_law_catches_changes_that_leave_documents_out() -> None:
    found = changes("RR@2")
    silent = replace(found, worse=tuple(replace(change, moved=()) for change in found.worse))
    assert unexplained(silent) == ["q2"]
