"""Tables of scores by query: every layout of every tool is recognised exactly, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import germane as ge
from germane.errors import GermaneError, InputError
from germane.formats.rankings.score_table import LAYOUTS, Layout, possible_layouts
from germane.measures.definition import MEASURES
from tests.conftest import SHARED

TREC_EVAL = "map\tq1\t0.2\nP_5\tq1\t0.4\nmap\tq2\t0.6\nP_5\tq2\t0.8\nrunid\tall\tbm25\nmap\tall\t0.4\nP_5\tall\t0.6\n"
IR_MEASURES = "q1\tAP\t0.2\nq1\tP@5\t0.4\nq2\tAP\t0.6\nq2\tP@5\t0.8\nall\tAP\t0.4\n"
PYTERRIER = ",name,qid,measure,value\n0,bm25,q1,map,0.2\n1,bm25,q2,map,0.6\n2,dense,q1,map,0.1\n3,dense,q2,map,0.7\n"
READ = [
    # content                                                      by system, of AP                                why
    (TREC_EVAL, {"t": [0.2, 0.6]}, "trec_eval -q"),
    (IR_MEASURES, {"t": [0.2, 0.6]}, "ir_measures, by query"),
    (PYTERRIER, {"bm25": [0.2, 0.6], "dense": [0.1, 0.7]}, "pt.Experiment(perquery=True), written by pandas"),
    ("query_id,measure,value\nq1,AP,0.2\nq2,AP,0.6\n", {"t": [0.2, 0.6]}, "a data frame of ir_measures"),
    ("query_id,AP,RR\nq1,0.2,1\nq2,0.6,1\n", {"t": [0.2, 0.6]}, "queries × measures"),
    ("AP\tquery\nq".replace("\nq", "\n0.6\tq2\n0.2\tq1\n"), {"t": [0.2, 0.6]}, "in any order of rows and columns"),
    ("run,query,queries,AP\nx,q1,,0.2\nx,q2,,0.6\nx,mean,2,0.4\n", {"x": [0.2, 0.6]}, "germane eval -q --format csv"),
    ("qid,text,AP\nq1,why?,0.2\nq2,how?,0.6\n", {"t": [0.2, 0.6]}, "with the words of the query"),
    ("qid,Unnamed: 0,AP\nq1,0,0.2\nq2,1,0.6\n", {"t": [0.2, 0.6]}, "with the numbers of the rows"),
]


@pytest.mark.parametrize(("content", "expected", "why"), READ, ids=[row[2] for row in READ])
def test_a_table_is_read(content: str, expected: dict[str, list[float]], why: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    assert possible_layouts(path, MEASURES.accepts), why
    scores = ge.read_scores(path, "AP")
    assert {run.name: scores.values[r, 0].tolist() for r, run in enumerate(scores.runs)} == expected
    assert scores.queries == ("q1", "q2")


OTHERS = {
    "qrels": "q1 0 d1 1\n",
    "run": "q1 Q0 d1 1 2.5 tag\n",
    "MS MARCO's run": "1\t7\t1\n1\t8\t2\n",
    "run with a header": "qid,docno,score\nq1,d1,2\n",
    "BEIR's judgments": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "leaderboard": "run,AP\nbm25,0.2\n",
    "topics": "qid\tquery\nq1\twhy is the sky blue\n",
    "JSON": '{"q1": {"AP": 1}}\n',
    "nothing": "",
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_files_are_no_tables(name: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_text(OTHERS[name])
    assert not possible_layouts(tmp_path / "t", MEASURES.accepts)


@pytest.mark.shared
@pytest.mark.parametrize("version", ["v9.0.8", "v10.0"])
def test_what_trec_eval_printed_is_a_table_where_it_is_by_query(version: str) -> None:
    printed = [path for path in sorted((SHARED / "data/trec_eval" / version).glob("**/*")) if path.is_file()]
    by_query = [path for path in printed if _is_by_query(path)]
    assert by_query
    assert [str(path) for path in by_query if not possible_layouts(path, MEASURES.accepts)] == []


def _is_by_query(path: Path) -> bool:
    lines = [line.split() for line in path.read_text(errors="replace").splitlines()]
    return bool(lines) and all(len(line) == 3 for line in lines) and any(line[1] != "all" for line in lines)


AMBIGUOUS = [
    ("qid,old,new\nq1,0.2,0.3\nq2,0.6,0.5\n", "measures", "systems"),
    ("qid,measure,value,AP\nq1,RR,1,0.2\nq2,RR,1,0.6\n", "long", "measures"),
    ("P_5\tmap\t0.2\nP_10\tbpref\t0.6\n", "trec_eval", "ir_measures"),
]


@pytest.mark.parametrize(("content", "first", "second"), AMBIGUOUS)
def test_what_can_be_read_in_two_ways_is_an_error_that_names_both(
    content: str, first: str, second: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(InputError) as problem:
        ge.read_scores(path)
    assert f"ambiguous layout: {first} " in str(problem.value)
    assert f" or {second} " in str(problem.value)
    assert f"use --layout {first} or --layout {second}" in str(problem.value)


def test_a_layout_decides(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for content, measures in zip((row[0] for row in AMBIGUOUS), ASKED, strict=True):
        path.write_text(content)
        for layout, measure in measures.items():
            assert ge.read_scores(path, measure, layout=layout).measures == (ge.Measure(measure),)


ASKED: list[dict[Layout, str]] = [
    {"measures": "old", "systems": "value"},
    {"long": "RR", "measures": "AP"},
    {"trec_eval": "P_5", "ir_measures": "map"},
]


def test_the_layouts_differ_where_both_are_possible(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(AMBIGUOUS[0][0])
    assert [run.name for run in ge.read_scores(path, layout="systems").runs] == ["old", "new"]
    assert [run.name for run in ge.read_scores(path, "new", layout="measures").runs] == ["t"]


WRONG = [
    ("qid,AP\nq1,0.2\nq1,0.3\n", {}, r"t.csv:3: duplicate value for query 'q1': AP"),
    ("qid,AP\nq1,0.2\nq2,\n", {}, r"t.csv:3: expected a number as AP of query 'q2', found ''"),
    ("qid,AP\nq1,0.2\nq2,nan\n", {}, "expected a number as AP of query 'q2', found 'nan'"),
    ("qid,AP\nq1,0.2,3\n", {}, "expected 2 fields, found 3"),
    ("map\tall\t0.2\nP_5\tall\t0.3\n", {}, "found only values for all queries"),
    ("", {}, "expected scores by query, found no line"),
    ("a,b\nc,d\n", {}, "expected scores by query, found 'a', 'b'"),
    ("a,b\nc,d\n", {"layout": "long"}, "expected a column qid or"),
    ("a b\nc d\n", {"layout": "trec_eval"}, "expected 3 fields, found 2"),
    ("qid,AP\nq1,0.2\n", {"layout": "wide"}, "unknown layout 'wide'"),
    ("qid,AP,RR\nq1,0.2,1\n", {"measures": "nDCG"}, "no table has the measure 'nDCG'"),
    ("qid,P@5,RR\nq1,0.2,1\n", {}, "use -m MEASURE; choose from P@5, RR"),
    ("qid,P@5,P_5\nq1,0.2,1\n", {"measures": "p_5"}, "p_5 is ambiguous: P@5 or P_5"),
    ("qid,AP\nq1,0.2\n", {"topics": "all"}, "expected topics to be qrels or both"),
]


@pytest.mark.parametrize(("content", "options", "message"), WRONG)
def test_wrong_tables_get_a_clear_word(content: str, options: dict[str, str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(GermaneError, match=message):
        ge.read_scores(path, **options)  # type: ignore[arg-type]


def test_systems_need_the_same_measures_and_queries(tmp_path: Path) -> None:
    contents = {"a": "qid,AP\nq1,0.2\nq2,0.3\nq3,0.5\n", "b": "qid,AP\nq1,0.3\nq2,0.5\n", "c": "qid,map\nq1,0.3\n"}
    for name, content in contents.items():
        (tmp_path / f"{name}.csv").write_text(content)
    a, b, c = (str(tmp_path / f"{name}.csv") for name in "abc")
    with pytest.raises(GermaneError, match=r"b has no AP for 1 of 3 queries: q3\n.*`topics='both'`"):
        ge.read_scores([a, b])
    assert ge.read_scores([a, b], topics="both").queries == ("q1", "q2")
    with pytest.raises(GermaneError, match="the tables share no measure: a: AP; c: map"):
        ge.read_scores([a, c])
    with pytest.raises(GermaneError, match="duplicate system name 'a'"):
        ge.read_scores([a, a])
    (tmp_path / "d.csv").write_text("qid,AP\nq9,0.1\n")
    with pytest.raises(GermaneError, match="the tables share no query"):
        ge.read_scores([a, str(tmp_path / "d.csv")], topics="both")
    (tmp_path / "e.csv").write_text("qid,AP,RR\nq1,0.1,1\n")
    with pytest.raises(GermaneError, match="not every table has the measure 'RR'"):
        ge.read_scores([a, str(tmp_path / "e.csv")], "RR")
    with pytest.raises(GermaneError, match="expected paths of tables, or data frames by system, found int"):
        ge.read_scores(5)  # type: ignore[arg-type]
    with pytest.raises(GermaneError, match="expected a path or a data frame, found list"):
        ge.read_scores({"a": [1]})  # type: ignore[dict-item]


def test_data_frames_are_read_as_files_are(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"qid": ["q1", "q2"], "AP": [0.1 + 0.2, 0.6], "RR": [1, 1]})
    path = tmp_path / "file.csv"
    frame.to_csv(path, index=False)
    found = ge.read_scores({"pandas": frame, "arrow": pyarrow.Table.from_pandas(frame), "file": path}, ["AP", "RR"])
    assert [run.name for run in found.runs] == ["pandas", "arrow", "file"]
    assert found.values.tolist() == [[[0.1 + 0.2, 0.6], [1.0, 1.0]]] * 3
    assert ge.read_scores(frame, "AP").values.tolist() == [[[0.1 + 0.2, 0.6]]]


def test_directions_come_from_the_names_of_measures(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("qid,E@5,mine\nq1,0.2,1\n")
    scores = ge.read_scores(path, ["E@5", "mine"])
    assert (scores.lower_is_better("E@5"), scores.lower_is_better("mine")) == (True, False)


def test_every_layout_has_a_row_above() -> None:
    """So that a new layout is tried too."""
    tried = {"trec_eval", "ir_measures", "long", "measures"} | {"systems"}
    assert tried == set(LAYOUTS)
