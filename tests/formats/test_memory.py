import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from germane.errors import InputError, MissingExtraError
from germane.formats.rows.memory import qrels_from, run_from
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

QID, DOCNO, SCORE = ["q1", "q1", "q2"], ["d1", "d2", "d1"], [2.5, 1.0, 3.0]
COLUMNS: dict[str, Any] = {"qid": QID, "docno": DOCNO, "score": SCORE}
ROWS = list(zip(QID, DOCNO, SCORE, strict=True))


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class Backwards(NamedTuple):
    score: float
    docid: str
    topic: str


FORMS: dict[str, Callable[[], object]] = {
    "dict of dicts": lambda: {"q1": {"d1": 2.5, "d2": 1.0}, "q2": {"d1": 3.0}},
    "dict of dicts of NumPy numbers": lambda: {"q1": {"d1": np.float32(2.5), "d2": 1}, "q2": {"d1": np.int8(3)}},
    "dict of dicts with bytes": lambda: {b"q1": {b"d1": 2.5, b"d2": 1.0}, b"q2": {b"d1": 3.0}},
    "tuples": lambda: ROWS,
    "tuple of tuples": lambda: tuple(ROWS),
    "a generator": lambda: iter(ROWS),
    "lists": lambda: [list(row) for row in ROWS],
    "named tuples": lambda: [ScoredDoc(*row) for row in ROWS],
    "named tuples in another order": lambda: [Backwards(s, d, q) for q, d, s in ROWS],
    "dicts": lambda: [{"q_id": q, "corpus-id": d, "score": s, "title": "x"} for q, d, s in ROWS],
    "dict of lists": lambda: COLUMNS,
    "dict of arrays": lambda: {name: np.array(column) for name, column in COLUMNS.items()},
    "tuple of arrays": lambda: (np.array(QID), np.array(DOCNO), np.array(SCORE)),
    "tuple of arrays of bytes": lambda: (np.array(QID, "S"), np.array(DOCNO, "S"), np.array(SCORE, np.float32)),
    "tuple of arrays of objects": lambda: (np.array(QID, "O"), np.array(DOCNO, "O"), np.array(SCORE, "O")),
    "structured array": lambda: np.array(ROWS, dtype=[("qid", "U4"), ("docno", "S4"), ("score", "f8")]),
    "pyarrow table": lambda: pa.table(COLUMNS),
    "pyarrow batch": lambda: pa.RecordBatch.from_pydict(COLUMNS),
    "pyarrow batches": lambda: pa.table(COLUMNS).to_reader(max_chunksize=1),
    "pyarrow dictionaries": lambda: pa.table(
        {"qid": pa.array(QID).dictionary_encode(), "docno": DOCNO, "score": SCORE}
    ),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas objects": lambda: pd.DataFrame(COLUMNS).astype({"qid": object, "docno": object}),
    "pandas categories": lambda: pd.DataFrame(COLUMNS).astype({"qid": "category"}),
    "pandas with an index": lambda: pd.DataFrame(COLUMNS, index=[7, 3, 5]),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "duckdb": lambda: duckdb.sql(
        "select * from (values ('q1','d1',2.5), ('q1','d2',1.0), ('q2','d1',3.0)) t(qid, docno, score)"
    ),
    "PyTerrier": lambda: pd.DataFrame({"query": ["text"] * 3, "docid": [0, 1, 0], **COLUMNS}),
    "decimals": lambda: pa.table({**COLUMNS, "score": [Decimal("2.5"), Decimal("1.0"), Decimal("3.0")]}),
}


def test_decimals_are_rounded_to_the_nearest_number() -> None:
    scores = [Decimal("6.56247381085762037"), Decimal("0.72757217426062276")]
    run = run_from(pa.table({"qid": ["q1"] * 2, "docno": ["d1", "d2"], "score": scores}))
    assert run.score.tolist() == [float(score) for score in scores]


@pytest.mark.parametrize("form", FORMS)
def test_a_run_from(form: str) -> None:
    run = run_from(FORMS[form]())
    assert list(run.queries) == ["q1", "q2"]
    assert run.query.tolist() == [0, 0, 1]
    assert list(run.docs) == DOCNO
    assert run.score.tolist() == SCORE
    assert (run.rank, run.tag, run.name) == (None, None, "run")


@pytest.mark.parametrize(
    "ids", [[7, 7, 10], np.array([7, 7, 10]), np.array([7, 7, 10], np.uint8)], ids=["list", "array", "bytes"]
)
def test_whole_numbers_as_ids(ids: Any) -> None:
    for data in (
        {"qid": ids, "docno": [100, 20, 3], "score": SCORE},
        pa.table({"qid": ids, "docno": [100, 20, 3], "score": SCORE}),
    ):
        run = run_from(data)
        assert (list(run.queries), list(run.docs)) == (["7", "10"], ["100", "20", "3"])
    assert list(run_from({7: {100: 1.0, 20: 2.0}}).docs) == ["100", "20"]


def test_ids_outside_ascii() -> None:
    run = run_from({"q": {"é": 1.0, "d": 2.0, "日本": 3.0}, "ü": {"d": 1.0}})
    assert list(run.docs) == ["é", "d", "日本", "d"]
    assert list(run.queries) == ["q", "ü"]


def test_rank_and_tag_are_kept() -> None:
    run = run_from(pd.DataFrame({**COLUMNS, "rank": [1, 2, 1], "system": "bm25"}))
    assert run.rank is not None
    assert (run.rank.tolist(), run.tag) == ([1, 2, 1], "bm25")
    assert run_from({**COLUMNS, "tag": ["a", "b", "a"]}).tag is None


def test_ranks_without_scores() -> None:
    run = run_from([{"qid": "q", "docno": "d1", "rank": 1}, {"qid": "q", "docno": "d2", "rank": 2}])
    assert run.score.tolist() == [-1, -2]
    assert run.rank is not None
    assert run.rank.tolist() == [1, 2]


def test_a_query_without_documents_is_an_empty_ranking() -> None:
    run = run_from({"q1": {}, "q2": {"d": 1.0}})
    assert (list(run.queries), run.query.tolist()) == (["q1", "q2"], [1])


def test_judgments() -> None:
    for data in (
        {"q1": {"d1": 1, "d2": 0.5}, "q2": {"d1": -1}},
        [("q1", "d1", 1), ("q1", "d2", 0.5), ("q2", "d1", -1)],
        pd.DataFrame({"query-id": ["q2", "q1", "q1"], "corpus-id": ["d1", "d1", "d2"], "score": [-1, 1, 0.5]}),
        pl.DataFrame(
            {"qid": ["q2", "q1", "q1"], "docno": ["d1", "d1", "d2"], "label": [-1.0, 1.0, 0.5], "iteration": [0, 0, 0]}
        ),
    ):
        qrels = qrels_from(data, scale=2, collection_size=100)
        assert (list(qrels.queries), list(qrels.docs), qrels.grade.tolist()) == (
            ["q1", "q2"],
            ["d1", "d2", "d1"],
            [1, 0.5, -1],
        )
        assert (qrels.scale, qrels.collection_size, qrels.groups) == (2, 100, None)


def test_subtopics() -> None:
    qrels = qrels_from({"qid": ["q", "q"], "docno": ["d", "d"], "rel": [0, 1], "subtopic": [1, 2]})
    assert qrels.groups is not None
    assert list(qrels.groups.labels) == ["1", "2"]
    assert qrels.grade.tolist() == [1]


def test_tables_pass_through() -> None:
    run, qrels = Run.from_dict({"q": {"d": 1}}), Qrels.from_dict({"q": {"d": 1}})
    assert run_from(run) is run
    assert qrels_from(qrels) is qrels
    with pytest.raises(InputError, match=r"expected a run, found <qrels: .*\n.*are QRELS and RUN swapped"):
        run_from(qrels)
    with pytest.raises(InputError, match=r"expected judgments, found <run: .*\n.*are QRELS and RUN swapped"):
        qrels_from(run)


class Row(NamedTuple):
    qid: str
    docno: str
    score: Any


BAD: list[tuple[object, str]] = [
    ({}, "expected queries, found an empty dict"),
    ([], "expected rows, found none"),
    ("bm25.run", r"found str\nHint: use germane.read_run\(path\) to read a file"),
    (7, "expected a dict of dicts, rows .*found int"),
    ([("q", "d")], r"expected rows \(query, document, score\), dicts or named tuples, found \('q', 'd'\)"),
    (["q1 Q0 d1 1 2.5 t"], "expected rows .*found 'q1 Q0 d1 1 2.5 t'"),
    ([("q", "d", 1.0), ("q", "e")], r"expected rows of the same type and length, found \('q', 'e'\) as row 2"),
    (
        [{"qid": "q", "docno": "d", "score": 1}, {"qid": "q", "docno": "e"}],
        "expected 'score' in every row, found a row without it",
    ),
    ({"q": {"d": 1.0}, "r": 2.0}, "expected a dict of documents for query 'r', found float"),
    ({"q": 2.0}, "expected a dict of dicts or a dict of columns, found a dict of float"),
    (
        {"qid": ["q"], "score": [1.0]},
        r"expected a document column \(docno, .*\), found 'qid', 'score'",
    ),
    (
        pd.DataFrame({"a": ["q"], "docno": ["d"], "score": [1.0]}),
        r"expected a query column .*found 'a', 'docno', 'score'",
    ),
    (
        pd.DataFrame({"qid": ["q"], "docno": ["d"], "label": [1.0]}),
        "score column .*\n.*are QRELS and RUN swapped",
    ),
    ({"q": {"d": None}}, r"expected a number as score in every row, found None \(NoneType\) in row 1"),
    ({"q": {"d": True}}, r"found True \(bool\) in row 1"),
    ({"q": {"d": 1.0, "e": "2"}}, r"found '2' \(str\) in row 2"),
    ({"q": {"d": float("nan")}}, "expected a finite number as score in every row, found nan in row 1"),
    ({"q": {"d": 1.0, "e": float("inf")}}, "found inf in row 2"),
    ({"q": {None: 1.0}}, r"expected text as document ids, found None \(NoneType\)"),
    ({"q": {1.5: 1.0}}, r"expected text as document ids, found 1.5 \(float\)"),
    ({"q": {True: 1.0}}, r"found True \(bool\)"),
    ({"q": {"": 1.0}}, "expected the id of a document in every row, found an empty one in row 1"),
    ({"": {"d": 1.0}}, "expected the id of a query"),
    ({"q": {"\ud800": 1.0}}, "cannot be encoded as UTF-8"),
    ({"q": {1: 1.0, "1": 2.0}}, "duplicate document for query 'q': two ids are equal as text"),
    ({1: {"d": 1.0}, "1": {"d": 2.0}}, "duplicate query: two ids are equal as text"),
    (
        [("q", "d", 1.0), ("q", "d", 2.0)],
        "duplicate document 'd' for query 'q' in rows 1 and 2",
    ),
    ([Row("q", "d", None)], "found None"),
    ((np.array(["q"]), np.array(["d"]), np.array([True])), "expected numbers as score, found an array of bool"),
    ((np.array(["q"]), np.array(["d"]), np.array(["1"])), "expected numbers as score, found an array of <U1"),
    ((np.array([1.0]), np.array(["d"]), np.array([1.0])), "expected text as query ids, found an array of float64"),
    (
        (np.array([b"q", b""]), np.array([1, 2]), np.array([1.0, 2.0])),
        "id of a query in every row, found an empty one in row 2",
    ),
    (
        (np.array(["q"]), np.array(["d", "e"]), np.array([1.0])),
        "expected columns of equal length, found 1 queries, 2 documents, 1 values",
    ),
    (
        (np.array(["q", "q"]), np.array([["d", "e"]]), np.array([1.0, 2.0])),
        r"expected one column as document id, found an array of shape \(1, 2\)",
    ),
    (
        pa.table({"qid": ["q"], "docno": ["d"], "score": pa.array([None], pa.float64())}),
        r"found none \(null\) in row 1",
    ),
    (
        pl.DataFrame({"qid": ["q", None], "docno": ["d", "e"], "score": [1.0, 2.0]}),
        r"expected a query in every row, found none \(null\) in row 2",
    ),
    (pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"], "score": [1.0, None]}), "found (nan|none .null.) in row 2"),
    (
        pd.DataFrame({"qid": [1.0, 2.0], "docno": ["d", "e"], "score": [1.0, 2.0]}),
        "expected text as query ids, found a column of double",
    ),
    (
        pd.DataFrame({"qid": [1, "a"], "docno": ["d", "e"], "score": [1.0, 2.0]}),
        "cannot convert the data frame to an Arrow table",
    ),
]


@pytest.mark.parametrize(("data", "expected"), BAD)
def test_what_is_no_run(data: object, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        run_from(data)


def test_judgments_that_are_wrong() -> None:
    with pytest.raises(InputError, match="expected at least one judgment per query, found none for query 'q2'"):
        qrels_from({"q1": {"d": 1}, "q2": {}})
    with pytest.raises(InputError, match="duplicate document 'd' for query"):
        qrels_from([("q", "d", 1), ("q", "d", 1)])
    with pytest.raises(InputError, match=r"found True \(bool\)"):
        qrels_from({"q": {"d": True}})
    with pytest.raises(InputError, match="looks like a run; are QRELS and RUN swapped"):
        qrels_from(pd.DataFrame({**COLUMNS, "rank": [1, 2, 1]}))
    with pytest.raises(InputError, match="expected grades up to 1, the highest of the scale, found 2"):
        qrels_from({"q": {"d": 2}}, scale=1)


def test_who_looks_for_duplicates_elsewhere_may_say_so() -> None:
    assert len(run_from([("q", "d", 1.0), ("q", "d", 2.0)], check_duplicates=False).docs) == 2


@pytest.mark.parametrize("frame", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)], ids=["pandas", "polars"])
def test_frames_without_pyarrow(frame: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert list(run_from(frame).docs) == DOCNO


def test_a_stream_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = pa.table(COLUMNS).to_reader()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"reading a data frame needs.*\n.*germane\[arrow\]"):
        run_from(reader)


def test_large_columns_are_read_without_a_python_object_per_row() -> None:
    size = 200_000
    table = pa.table(
        {
            "qid": pa.array(np.repeat(np.arange(200), 1000)).cast(pa.string()),
            "docno": np.arange(size),
            "score": np.random.default_rng(1).random(size),
        }
    )
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        run = run_from(table)
    finally:
        sys.setprofile(None)
    assert (len(run.queries), len(run.docs)) == (200, size)
    assert calls < size / 20
