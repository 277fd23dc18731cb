"""Files that once ended in another error than ours, made small; `make fuzz` found them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.made_tables import Column, Made
from tests.fuzz.outcomes import judge
from tests.fuzz.readers import all_readers

EVENT = b'{"event": "1", "kind": "grade", "assessor": "a", "topic": %s, "doc": "d", "grade": %s}'
TUNING = (
    b'{"germane_tuning": 2, "measure": "AP", "queries": ["q1", "q2"]}\n'
    b'{"strategy": "QL", "places": [%s], "values": [1]}\n'
)
SPLIT = b'{"germane_split":2,"how":%s,"seed":1,"stratified":false,"grouped":false,"shares":{},"sides":{}}'
AGENT = (
    b'{"germane_agent": 4, "calibration_after": null, "reranking": null, "origin": {"index": "i", "analyser": "fold", '
    b'"num_docs": 3, "num_queries": 1, "queries": [], "folds": 3, "seed": 0, "rel": 1, "margin": 0.01, "alpha": 0.05}, '
    b'"utility": {"measure": "AP", "costs": {"relevant": null, "non_relevant": 1}}}'
)
NPY = b"\x93NUMPY\x01\x00v\x00{'descr': '%s', 'fortran_order': False, 'shape': (1,%s"

FOUND = [
    # reader                case                                                  what it ended in
    ("leaderboard",         b'{"a": 1' + b"0" * 400 + b"}",                       "a number too large for a float"),
    ("leaderboard",         b'{"runs": [{"name": [], "mean": {"AP": 1}}]}',       "a name that is a list"),
    ("query_log",           b"wine\t" + b"9" * 5000 + b"\n",                      "more digits than Python converts"),
    ("query_log",           b"wine\t" + b"9" * 15 + b"\nroses\t" + b"9" * 15,     "counts whose sum is large"),
    ("letor_groups",        b"9" * 5000,                                          "more digits than Python converts"),
    ("confusion_matrix",    b'"',                                                 "a quote and nothing else"),
    ("confusion_matrix",    b"a,b\r\r1,2",                                        "ends of lines inside a field"),
    ("confusion_matrix",    b'{"labels": ["", []], "matrix": [[0, 0], [5, 5]]}',  "a label that is a list"),
    ("events",              EVENT % (b'"\\ud800"', b"1"),                         "half a character"),
    ("events",              EVENT % (b'"t"', b"1" + b"0" * 400),                  "a number too large for a float"),
    ("tsv_documents_by_id", b"docno\ttitle\nd1\t\xc3\td\n",                      "a temporary file left open"),
    ("judging_journal",     b'{"event": []}\n',                                   "an event that is a list"),
    ("judging_journal",     b"\xff\n",                                            "no UTF-8"),
    ("array_json",          b'{"dtype": "<f8", "shape": [""], "base64": ""}',     "a size that is text"),
    ("array_json",          b'{"dtype": "<f8", "base64": "\xc3\xa9"}',            "base64 that is not ASCII"),
    ("tuning_journal",      TUNING % b"1e999",                                    "a place without end"),
    ("vectors",             NPY % (b"<f4", b" " * 63 + b"\n"),                    "a header that never closes"),
    ("vector_ids",          NPY % (b"<U1", b"), }" + b" " * 59 + b"\n" + b"\xff" * 4), "no characters"),
    ("index_segment",       b"",                                                  "an empty file in an index"),
    ("split",               SPLIT % b'"\\ud800"',                                 "half a character"),
    ("feature_column",      b"d1 " + b"0" * 70_000 + b"x\n",                      "a pattern that tries all divisions"),
    ("matched_run",         b"docno,qid,rank,score,\n2,1,\t,1,",                   "a rank that nobody asks for"),
    ("matched_run",         b"docno,qid,rank,,\n1,0,1,,\n \n2,1,2,,",             "ranks that are none"),
    ("matched_run",         b"q1\td1\t1\nq2\td1\t1\nq1\td2\t2\n",                 "ranks of queries that come back"),
    ("space",               b"QL(mu={100..300..100})" * 40,                       "braces that multiply"),
    ("space",               b"{0..1e5300..1}",                                    "more numbers than there are"),
    ("space",               b"fuse(rr" + b" " * 70_000 + b"f)",                   "blanks that a pattern divides"),
    ("letor",               b"1 qid:a " + b"9" * 5000 + b":1\n",                  "more digits than Python converts"),
    ("split",               b"null",                                              "a message that spoke of NoneType"),
    ("template",            b"null",                                              "a message that spoke of NoneType"),
    ("agent",               AGENT,                                                "a message that spoke of NoneType"),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "case", "why"), FOUND, ids=[f"{reader}: {why}" for reader, _, why in FOUND])
def test_files_found_by_the_fuzzer(reader: str, case: bytes, why: str, tmp_path: Path) -> None:
    assert judge(all_readers()[reader], case, tmp_path).problem is None, why


TABLES = [
    # reader            kind of the first column, wrapping    what it ended in
    ("run_columns",     "dictionary",   "polars",             "a dictionary of views, which Arrow cannot cast"),
    ("run_columns",     "struct",       "table",              "a struct of text taken for text"),
    ("label_column",    "struct",       "objects",            "labels that are dicts"),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "kind", "wrapping", "why"), TABLES)
def test_tables_found_by_the_fuzzer(reader: str, kind: str, wrapping: str, why: str, tmp_path: Path) -> None:
    columns = (
        Column("qid", kind, ("q1", "q2"), (1.0, 2.0)),
        Column("docno", "string", ("d1", "d2"), (1.0, 2.0)),
        Column("score", "float64", ("q1", "q2"), (1.0, 2.0)),
    )
    assert judge(all_readers()[reader], Made(columns, wrapping), tmp_path).problem is None, why


@pytest.mark.parametrize("wrapping", ["parquet", "arrow"])
@pytest.mark.parametrize("reader", ["run_columns", "qrels_columns"])
def test_a_column_given_twice_found_by_the_fuzzer(reader: str, wrapping: str, tmp_path: Path) -> None:
    """It ended in a KeyError of pyarrow."""
    twice = (Column("query", "string", ("q1",), (1.0,)),) * 2
    assert judge(all_readers()[reader], Made(twice, wrapping), tmp_path).problem is None


HUGE = [("number_column", 4), ("weight_column", 4), ("weight_column", 17), ("label_column", 28)]
"""A reader, and the place of an odd value among `ODD`: an integer too large for a float, a list, a tuple."""


@pytest.mark.parametrize(("reader", "odd"), HUGE)
def test_odd_values_found_by_the_fuzzer(reader: str, odd: int, tmp_path: Path) -> None:
    case = Made((Column("score", "float64", ("a", "b"), (1.0, 2.0), ((0, odd),)),), "lists")
    assert judge(all_readers()[reader], case, tmp_path).problem is None
