"""JSON, JSONL, Parquet and Arrow: what can be wrong with them."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from germane.errors import InputError, MissingExtraError
from germane.formats.files.sources import open_source
from germane.formats.files.targets import open_target
from germane.formats.rankings.ranking_files import read_qrels, read_run

BAD_JSON = [
    # text                                        error
    ("{}", "expected queries, found none"),
    ('{"q1": {"d1": 1}', r"file:1: invalid JSON at column 17"),
    ('{"q1": {"d1": 1,\n}}', "file:2: invalid JSON at column 1"),
    ('{"q1": {"d1": "1"}}', "expected a finite number as value, found '1', in query 'q1', document 'd1'"),
    ('{"q1": {"d1": null}}', "expected a finite number as value, found None"),
    ('{"q1": {"d1": true}}', "expected a finite number as value, found True"),
    ('{"q1": {"d1": NaN}}', "expected a finite number as value, found nan"),
    ('{"q1": {"d1": 1e999}}', "expected a finite number as value, found inf"),
    ('{"q1": {"d1": 1, "d2": 0, "d1": 2}}', "duplicate query or document 'd1' in one object"),
    ('{"q1": {"d1": 1}, "q1": {"d2": 1}}', "duplicate query or document 'q1' in one object"),
    ('{"q1": {"d1": 1}, "q2": 3}', r"expected an object \{document: value\}, found 3 for query 'q2'"),
    ('{"q1": {"": 1}}', "expected a document id"),
    ('{"q1": {"\\ud800": 1}}', "expected a document id"),
]


@pytest.mark.parametrize(("text", "expected"), BAD_JSON)
def test_json_that_is_wrong(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    for read in (read_run, read_qrels):
        with pytest.raises(InputError, match=expected):
            read(path, format="json")


def test_json_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'{"q\xff": {"d1": 1}}')
    with pytest.raises(InputError, match="expected UTF-8 text"):
        read_run(path)


def test_a_query_without_documents_is_an_empty_ranking_but_no_judgment(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"q1": {"d1": 1}, "q2": {}}')
    assert list(read_run(path).queries) == ["q1", "q2"]
    with pytest.raises(InputError, match="expected at least one judgment per query, found none for 'q2'"):
        read_qrels(path)


ROW = '{"qid": "q1", "docno": "d1", "score": 2.5}\n'
BAD_JSONL = [
    # text                                                  error
    (ROW + "{", "file:2: expected a JSON object, found '{'"),
    (ROW + "\n[1]", r"file:3: expected a JSON object, found '\[1\]'"),
    (ROW + ROW, r"file:2: duplicate document 'd1' for query 'q1' \(first on line 1\)"),
    (ROW + '{"qid": "q1", "docno": "d2"}', "file:2: expected 'score' as in the first row, found 'qid', 'docno'"),
    (ROW + '{"qid": "q1", "docno": "d2", "score": "2"}', "file:2: expected a finite number as score, found '2'"),
    (ROW + '{"qid": "q1", "docno": "d2", "score": Infinity}', "file:2: expected a finite number as score, found inf"),
    (ROW + '{"qid": null, "docno": "d2", "score": 2}', "file:2: expected a query id.*found None"),
    (ROW + '{"qid": "q1", "docno": 2.5, "score": 2}', "file:2: expected a document id.*found 2.5"),
    (ROW + '{"qid": "q1", "docno": "d2", "score": 1, "score": 2}', "file:2: .*duplicate key"),
    (
        '{"qid": "q1", "title": "x", "score": 1}',
        "file:1: expected a document column .*found 'qid', 'title'",
    ),
    ('{"qid": "q1", "docno": "d1", "rel": 1}', "are QRELS and RUN swapped"),
]


@pytest.mark.parametrize(("text", "expected"), BAD_JSONL)
def test_json_lines_that_are_wrong(text: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(InputError, match=expected):
        read_run(path)


def test_json_lines_with_whole_numbers_as_ids(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('\ufeff{"query_id": 301, "doc_id": 7, "rank": 1}\n{"query_id": 301, "doc_id": 8, "rank": 2}\n')
    run = read_run(path)
    assert (list(run.queries), list(run.docs), run.score.tolist()) == (["301"], ["7", "8"], [-1, -2])


GOOD = {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [2.5, 1.5]}
BAD_TABLES = [
    ({"score": [1.0, None]}, r"expected a score in every row, found none \(null\) in row 2"),
    ({"docno": ["d1", None]}, r"expected a document in every row, found none \(null\) in row 2"),
    ({"qid": [None, "q1"]}, r"expected a query in every row, found none \(null\) in row 1"),
    ({"score": [1.0, float("nan")]}, "expected a finite number as score in every row, found nan in row 2"),
    ({"score": [True, False]}, "expected numbers as score, found a column of bool"),
    ({"score": ["1", "2"]}, "expected numbers as score, found a column of string"),
    ({"docno": [1.0, 2.0]}, "expected text as document ids, found a column of double"),
    ({"docno": ["d1", "d1"]}, "duplicate document 'd1' for query 'q1' in rows 1 and 2"),
    ({"docno": ["d1", ""]}, "expected the id of a document in every row, found an empty one in row 2"),
]


def write_parquet(table: pa.Table, path: Path) -> None:
    parquet.write_table(table, path)


def write_ipc_file(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file, ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def write_ipc_stream(table: pa.Table, path: Path) -> None:
    with path.open("wb") as file, ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


WRITERS = [write_parquet, write_ipc_file, write_ipc_stream]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(("columns", "expected"), BAD_TABLES)
def test_tables_that_are_wrong(
    columns: dict[str, list[object]], expected: str, write: Callable[[pa.Table, Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    write(pa.table(GOOD | columns), path)
    with pytest.raises(InputError, match=expected):
        read_run(path)


@pytest.mark.parametrize("write", WRITERS)
def test_tables_are_read_from_compressed_files_too(write: Callable[[pa.Table, Path], None], tmp_path: Path) -> None:
    path, packed = tmp_path / "file", tmp_path / "file.gz"
    write(pa.table(GOOD), path)
    with open_source(path) as source, open_target(packed) as target:
        target.write(source.read())
    for each in (path, packed):
        assert list(read_run(each).docs) == ["d1", "d2"]


@pytest.mark.parametrize("write", WRITERS)
def test_a_truncated_table(write: Callable[[pa.Table, Path], None], tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(pa.table({"qid": ["q1"] * 5000, "docno": [f"d{i}" for i in range(5000)], "score": [1.0] * 5000}), path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(InputError, match=r"invalid (Parquet|Arrow) file"):
        read_run(path)


def test_an_empty_table(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_parquet(
        pa.table(
            {"qid": pa.array([], pa.string()), "docno": pa.array([], pa.string()), "rel": pa.array([], pa.int8())}
        ),
        path,
    )
    with pytest.raises(InputError, match="expected rows, found none"):
        read_qrels(path)


def test_without_pyarrow_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_parquet(pa.table(GOOD), path)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"germane\[arrow\]"):
        read_run(path)
