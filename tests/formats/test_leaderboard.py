"""Leaderboards in the shapes people have them, and telling them from runs."""

from pathlib import Path

import pytest

from germane.errors import InputError
from germane.formats.rankings.leaderboard import is_leaderboard, read_leaderboard

VALUES = {"bm25": 0.3, "dense": 0.4}

READ = [
    ("bm25 0.3\ndense .4\n", {"value": VALUES}, "two columns"),
    ("# by AP\nbm25\t0.3\n\ndense\t0.4\n", {"value": VALUES}, "tabs, a comment, a blank line"),
    ('bm25,0.3\n"dense",0.4\n', {"value": VALUES}, "commas, without a header"),
    ("run,queries,AP\nbm25,50,0.3\ndense,50,0.4\n", {"AP": VALUES}, "as germane eval writes it"),
    ("run  queries    AP\nbm25      50  0.3\ndense     50  0.4\n", {"AP": VALUES}, "as germane eval prints it"),
    ("run,query,AP\nbm25,q1,0.9\nbm25,mean,0.3\ndense,mean,0.4\n", {"AP": VALUES}, "with every query"),
    ("team,run,AP\nt1,bm25,0.3\nt1,dense,0.4\n", {"AP": VALUES}, "text beside the numbers"),
    ("model,AP\nbm25,0.3\ndense,0.4\n", {"AP": VALUES}, "a header with another name"),
    ('{"bm25": 0.3, "dense": 0.4}', {"value": VALUES}, "JSON, a number by name"),
    (
        '{"germane": "1", "runs": [{"name": "bm25", "mean": {"AP": 0.3}}, {"name": "dense", "mean": {"AP": 0.4}}]}',
        {"AP": VALUES},
        "the JSON of germane eval",
    ),
]


@pytest.mark.parametrize(("text", "expected", "why"), READ)
def test_read(text: str, expected: dict[str, dict[str, float]], why: str, tmp_path: Path) -> None:
    file = tmp_path / "board"
    file.write_text(text, encoding="utf-8")
    assert read_leaderboard(file) == expected, why
    assert is_leaderboard(file), why


def test_json_null_is_an_unknown_value(tmp_path: Path) -> None:
    file = tmp_path / "board.json"
    file.write_text('{"runs": [{"name": "bm25", "mean": {"AP": null}}]}')
    assert str(read_leaderboard(file)) == "{'AP': {'bm25': nan}}"


RUNS = [
    "q1 Q0 d1 1 3.0 run\n",
    "q1 Q0 d1 1 3.0 name\nq1 Q0 d2 2 1 name\n",
    "1\t7\t1\n",
    "qid,docno,score\nq1,d1,3\n",
    "run\tqid\tdocno\tscore\nbm25\tq1\td1\t3\n",
    '{"q1": {"d1": 3.0}}',
    '{"qid": 1, "docno": "d1", "score": 3.0}\n',
]


@pytest.mark.parametrize("text", RUNS)
def test_runs_are_told_apart(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.run"
    file.write_text(text)
    assert not is_leaderboard(file)


WRONG = [
    ("bm25 0.3\nbm25 0.4\n", ":2: duplicate system 'bm25'"),
    ("bm25 0.3\ndense\n", ":2: expected 2 fields, found 1"),
    ("bm25 0.3\ndense high\n", ":2: expected a number for 'dense', found 'high'"),
    ("run,team\nbm25,t1\n", ":2: expected a number for 'bm25', found 't1'"),
    ("run,team,link\nbm25,t1,l1\n", "expected a value for each system, found none"),
    ("# nothing\n", "expected a name and a value per line, found no lines"),
    ('{"bm25": "high"}', "expected a number as value of 'bm25', found 'high'"),
    ('{"bm25": 0.3', ":1: expected JSON"),
    ('{"runs": [{"name": "bm25"}]}', 'expected runs with a "name" and a "mean"'),
    ('{"runs": [{"name": "a", "mean": {"AP": 1}}, {"name": "a", "mean": {"AP": 1}}]}', "duplicate system 'a'"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_files_say_where_and_what(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "board"
    file.write_text(text)
    with pytest.raises(InputError) as problem:
        read_leaderboard(file)
    assert message in str(problem.value)
