"""Judgments from the files that people have, and events there and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from germane.errors import InputError
from germane.formats.truth.judgments_file import events_of, read_events, read_judgments, write_events
from germane.tables.truth.judgments import JudgmentEvent


def saved(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


HEADERS = [
    "assessor,query,docid,rating",
    "judge,qid,docno,grade",
    "User ID,topic,doc-id,relevance",
    "rater,query_id,doc_id,label",
]


@pytest.mark.parametrize("header", HEADERS)
def test_csv_with_the_names_people_use(tmp_path: Path, header: str) -> None:
    said = read_judgments(saved(tmp_path, "j.csv", f"{header}\nann,q1,d1,2\nbob,q1,d1,0\n")).judgments
    assert [*zip(said.assessor, said.topic, said.doc, said.grade.tolist(), strict=True)] == [
        ("ann", "q1", "d1", 2),
        ("bob", "q1", "d1", 0),
    ]


def test_csv_without_an_assessor_is_one_assessor_called_like_the_file(tmp_path: Path) -> None:
    said = read_judgments(saved(tmp_path, "ann.csv", 'query,docid,rating\n"blue, sky",d1,1\n')).judgments
    assert (said.assessor, said.topic) == (("ann",), ("blue, sky",))


def test_the_three_states_of_a_row_stay_apart(tmp_path: Path) -> None:
    text = "assessor,query,docid,rating\na,q,graded,1\na,q,empty,\na,q,negative,-1\na,q,gray,cannot\n"
    said = read_judgments(saved(tmp_path, "j.csv", text)).judgments
    assert dict(zip(said.doc, said.grade.tolist(), strict=True)) == pytest.approx(
        {"graded": 1.0, "gray": float("nan")}, nan_ok=True
    )
    assert {doc for _, doc in said.listed} == {"graded", "empty", "negative", "gray"}


def test_qrels_are_one_assessor_and_negative_grades_are_not_judged(tmp_path: Path) -> None:
    paths = [saved(tmp_path, "ann.qrels", "1 0 d1 1\n1 0 d2 -1\n"), saved(tmp_path, "bob.qrels", "1 0 d1 0\n")]
    said = read_judgments(paths).judgments
    assert (said.assessors, said.doc) == (("ann", "bob"), ("d1", "d1"))
    assert ("1", "d2") in said.listed


def test_qrels_with_groups_have_an_assessor_per_group(tmp_path: Path) -> None:
    read = read_judgments(saved(tmp_path, "qrels_jg.txt", "1 ann d1 1\n1 bob d1 0\n"))
    assert read.judgments.assessors == ("ann", "bob")
    assert read.read_as == (("qrels_jg", "qrels, an assessor per group"),)


def test_events_there_and_back(tmp_path: Path) -> None:
    events = [
        JudgmentEvent("e2", "cannot", "bob", "q 1", "d\t1", None, "2", "abc", "2026-01-01T10:00:00+01:00", "e1"),
        JudgmentEvent("e1", "grade", "bob", "q 1", "d\t1", 0.5, item_kind="repeat", text="«ja»", seconds=3.0),
    ]
    path = tmp_path / "events.jsonl"
    write_events(events, path)
    first = path.read_bytes()
    assert read_events(path) == [events[1], events[0]]
    write_events(read_events(path), path)
    assert path.read_bytes() == first


def test_judgments_without_a_history_become_events_with_stable_ids(tmp_path: Path) -> None:
    path = saved(tmp_path, "j.csv", "assessor,query,docid,rating\nann,q1,d1,2\nbob,q1,d1,?\n")
    said = read_judgments(path).judgments
    assert sorted(events_of(said), key=str) == sorted(read_judgments(path).events, key=str)
    assert read_judgments([path, path]).events == read_judgments(path).events


WRONG = [
    ("a.csv", "qid,docno,rank,score\nq,d,1,2.5\n", "are QRELS and RUN swapped"),
    ("a.csv", "qid,docno,rating,rating\nq,d,1,2\n", "duplicate column 'rating'"),
    (
        "j.csv",
        "assessor,query,docid,rating\na,q,d,1\na,q,d,0\n",
        r"j.csv:3: duplicate judgment of document 'd' for query 'q' by 'a'",
    ),
    ("j.csv", "query,docid,rating\nq,d,good\n", r"j.csv:2: expected a number as rating, found 'good'"),
    ("j.csv", "query,docid,rating\nq,d\n", r"j.csv:2: expected 3 fields"),
    ("e.jsonl", '{"event": "1", "kind": "grade"}\n', r"e.jsonl:1: expected text as 'assessor', found None"),
    ("e.jsonl", '{"event": "1", "kind": "grade", "asessor": "a"}', r"unknown key 'asessor'; did you mean assessor\?"),
    ("e.jsonl", '{"event": "1", "kind": "grade", "assessor": "a", "topic": "t", "doc": "d"}', r"expected a grade"),
    ("e.jsonl", '{"event": "1", "kind": "guess", "assessor": "a", "topic": "t", "doc": "d"}', r"found 'guess'"),
    ("e.jsonl", '{"event": "1", "kind": "grade"', r"e.jsonl:1: expected a JSON object"),
]


@pytest.mark.parametrize(("name", "text", "problem"), WRONG)
def test_errors_say_where_and_what(tmp_path: Path, name: str, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_judgments(saved(tmp_path, name, text))


def test_two_files_of_one_name_are_not_one_assessor(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    paths = [saved(tmp_path, "q.qrels", "1 0 d1 1\n"), saved(tmp_path / "other", "q.qrels", "1 0 d1 0\n")]
    with pytest.raises(InputError, match=r"duplicate assessor: .*q\.qrels has the same file name"):
        read_judgments(paths)


def test_an_impossible_time_is_an_error(tmp_path: Path) -> None:
    line = '{"event": "1", "kind": "grade", "assessor": "a", "topic": "t", "doc": "d", "grade": 1, "time": "noon"}'
    with pytest.raises(InputError, match="expected a time such as"):
        read_judgments(saved(tmp_path, "e.jsonl", line))
