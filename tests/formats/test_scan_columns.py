"""Matching a table batch by batch gives what matching it as a whole gives, and leaves the rest to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from germane.errors import InputError
from germane.formats.files.arrow_tables import Piece, open_arrow, shares
from germane.formats.rankings import scan, scan_columns
from germane.formats.rankings.ranking_files import read_run
from germane.formats.rankings.scan_columns import match_columns
from germane.formats.rows.column_names import find_roles
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.matching import match
from germane.tables.rankings.qrels import Qrels

QUERIES = ["q1", "q2", "q3", "7"]
QRELS = Qrels.from_dict({query: {"d1": 1, "d3": 0, "d8": 2, "9": 1} for query in QUERIES})


def same(a: JudgedRun, b: JudgedRun) -> bool:
    fields = ("doc", "rank", "first", "last", "num_retrieved", "in_run")
    arrays = all(np.array_equal(getattr(a, name), getattr(b, name)) for name in fields)
    return arrays and a.unknown_queries == b.unknown_queries and a.rising_queries == b.rising_queries


def streamed(path: Path, ties: Any = "docno", score_type: str = "float64") -> JudgedRun | None:
    with open_arrow(str(path), "parquet" if path.suffix == ".parquet" else "arrow", path) as table:
        roles = find_roles(table.schema.names, "run", str(path))
        return match_columns(QRELS, table, roles, str(path), ties=ties, score_type=score_type)


ROW = st.tuples(st.integers(0, 9), st.integers(-3, 3), st.integers(1, 9))
RUN = st.lists(st.tuples(st.sampled_from([*QUERIES, "stranger"]), st.lists(ROW, min_size=1, max_size=12)), max_size=6)


@settings(max_examples=60, deadline=None)
@given(
    run=RUN, group=st.integers(1, 9), batch=st.integers(1, 7), ties=st.sampled_from(["docno", "order", "rank", "best"])
)
def test_any_run_is_matched_as_a_whole_or_left_alone(
    run: list[tuple[str, list[tuple[int, int, int]]]], group: int, batch: int, ties: Any, tmp_path_factory: Any
) -> None:
    path = tmp_path_factory.mktemp("run") / "run.parquet"
    rows = [(query, f"d{doc}", float(score), rank) for query, docs in run for doc, score, rank in docs]
    columns = dict(zip(("qid", "docno", "score", "rank"), zip(*rows, strict=True), strict=True)) if rows else {}
    if not columns:
        return
    parquet.write_table(pa.table(columns), path, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan_columns, "BATCH_ROWS", batch)
        patch.setattr(scan_columns, "ROWS_PER_THREAD", 1)
        found = streamed(path, ties)
    pairs = [(query, doc) for query, doc, _, _ in rows]
    ends = [query for place, (query, *_) in enumerate(rows) if place + 1 == len(rows) or rows[place + 1][0] != query]
    is_ordinary = len(set(pairs)) == len(pairs) and len(set(ends)) == len(ends)
    assert (found is not None) == is_ordinary
    if found is not None:
        assert same(found, match(QRELS, read_run(path), ties=ties))


def column(name: str) -> pa.Array:
    docs = ["d1", "d2", "d3"]
    return {
        "string": pa.array(docs),
        "large_string": pa.array(docs, pa.large_string()),
        "string_view": pa.array(docs, pa.string_view()),
        "binary": pa.array([doc.encode() for doc in docs]),
        "fixed width": pa.array([doc.encode() for doc in docs], pa.binary(2)),
        "dictionary": pa.array(docs).dictionary_encode(),
        "integers": pa.array([9, 10, 11], pa.int32()),
        "unsigned": pa.array([9, 10, 11], pa.uint64()),
    }[name]


SCORES = ["int8", "int64", "uint16", "halffloat", "float", "double", "decimal128(5, 1)"]


@pytest.mark.parametrize(
    "docs", ["string", "large_string", "string_view", "binary", "fixed width", "dictionary", "integers", "unsigned"]
)
@pytest.mark.parametrize("queries", ["string", "large_string", "string_view", "binary", "dictionary", "integers"])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_of_every_type(docs: str, queries: str, ending: str, tmp_path: Path) -> None:
    query = {"integers": pa.array([7, 7, 7]), "dictionary": pa.array(["q1", "q1", "q2"]).dictionary_encode()}
    texts = pa.array(["q1", "q1", "q2"], None if queries in query else getattr(pa, queries)())
    table = pa.table({"qid": query.get(queries, texts), "docno": column(docs), "score": [3.0, 2.0, 2.5]})
    path = tmp_path / f"run.{ending}"
    write(table, path)
    found = streamed(path)
    assert found is not None
    assert same(found, match(QRELS, read_run(path)))


@pytest.mark.parametrize("kind", SCORES)
def test_scores_of_every_type(kind: str, tmp_path: Path) -> None:
    scores = pa.array([3, 2, 2]).cast(pa.decimal128(19)).cast(pa.decimal128(5, 1)) if kind.startswith("dec") else None
    table = pa.table({"qid": ["q1"] * 3, "docno": ["d1", "d2", "d3"], "score": [3, 2, 2]})
    table = table.set_column(
        2, "score", scores if scores is not None else pa.array([3, 2, 2]).cast(getattr(pa, NAMES[kind])())
    )
    write(table, tmp_path / "run.parquet")
    found = streamed(tmp_path / "run.parquet", score_type="float32")
    assert found is not None
    assert same(found, match(QRELS, read_run(tmp_path / "run.parquet"), score_type="float32"))


NAMES = {
    "int8": "int8",
    "int64": "int64",
    "uint16": "uint16",
    "halffloat": "float16",
    "float": "float32",
    "double": "float64",
}


def write(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
        return
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


ROWS: dict[str, Any] = {"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d1"], "score": [3.0, 2.0, 1.0]}
ODD = [
    # what is out of the ordinary, what the reader of whole tables says of it
    ({"qid": ["q1", None, "q2"]}, r"expected a query in every row, found none \(null\) in row 2"),
    ({"docno": ["d1", None, "d1"]}, r"expected a document in every row, found none \(null\) in row 2"),
    ({"score": [1.0, None, 2.0]}, r"expected a score in every row, found none \(null\) in row 2"),
    ({"score": [1.0, float("nan"), 2.0]}, "expected a finite number as score in every row, found nan in row 2"),
    ({"score": ["a", "b", "c"]}, "expected numbers as score, found a column of string"),
    ({"qid": ["q1", "", "q2"]}, "expected the id of a query in every row, found an empty one in row 2"),
    ({"docno": ["d1", "d1", "d1"]}, "duplicate document 'd1' for query 'q1' in rows 1 and 2"),
    ({"qid": [1.5, 2.5, 3.5]}, "expected text as query ids, found a column of double"),
]


@pytest.mark.parametrize(("changed", "said"), ODD, ids=[said for _, said in ODD])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_what_is_wrong_is_said_as_before(changed: dict[str, Any], said: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.{ending}"
    write(pa.table(ROWS | changed), path)
    assert streamed(path) is None
    with pytest.raises(InputError, match=said):
        scan.match_file(QRELS, path)


def test_a_missing_column_is_said_as_before(tmp_path: Path) -> None:
    write(pa.table({"qid": ["q1"], "score": [1.0]}), tmp_path / "run.parquet")
    with pytest.raises(InputError, match=r"expected a document column \(docno, .*\), found 'qid', 'score'"):
        scan.match_file(QRELS, tmp_path / "run.parquet")


def test_only_ranks(tmp_path: Path) -> None:
    write(pa.table({"qid": ["q1", "q1"], "docno": ["d1", "d3"], "rank": [2, 1]}), tmp_path / "run.parquet")
    found = streamed(tmp_path / "run.parquet")
    assert found is not None
    assert same(found, match(QRELS, read_run(tmp_path / "run.parquet")))
    assert [QRELS.docs[doc] for doc in found.doc.tolist()] == ["d3", "d1"]


def test_columns_that_nothing_uses_are_not_read(tmp_path: Path) -> None:
    table = pa.table(ROWS | {"rank": [None, None, None], "text": ["a", "b", "c"]})
    write(table, tmp_path / "run.parquet")
    assert replace(scan.match_file(QRELS, tmp_path / "run.parquet"), name="").num_retrieved.sum() == 3


def test_shares_are_neighbours_of_about_the_same_weight() -> None:
    pieces = [Piece(weight, lambda *_: iter(())) for weight in (1, 1, 1, 1, 10, 1, 1)]
    assert [[piece.weight for piece in share] for share in shares(pieces, 2)] == [[1, 1, 1, 1], [10, 1, 1]]
    assert [len(share) for share in shares(pieces[:2], 5)] == [1, 1]
    assert shares([], 3) == []
