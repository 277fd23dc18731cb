"""Whatever bytes come: a table or an `InputError`, never another exception."""

import gzip
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from germane.errors import InputError
from germane.formats.documents.reading import read_documents
from germane.formats.rankings.detect import FORMATS
from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.formats.rankings.scan import match_file
from germane.formats.rows.column_names import Kind
from germane.formats.rows.validation import check
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

KINDS: tuple[Kind, Kind] = ("run", "qrels")

TABLE = pa.table({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [2.5, 1.5], "relevance": [1, 0]})


def parquet_bytes() -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(TABLE, buffer)
    return buffer.getvalue()


def arrow_bytes() -> bytes:
    buffer = io.BytesIO()
    with ipc.new_stream(buffer, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return buffer.getvalue()


GOOD = {
    "trec run": b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n",
    "trec qrels": b"q1 0 d1 1\nq1 0 d2 0\n",
    "msmarco": b"q1\td1\t1\nq1\td2\t2\n",
    "csv": b'qid,docno,score\nq1,d1,2.5\nq1,"d2",1\n',
    "beir": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "json": b'{"q1": {"d1": 1, "d2": 0.5}, "q2": {"d1": 3}}',
    "jsonl": b'{"qid": "q1", "docno": "d1", "score": 2}\n{"qid": "q1", "docno": "d2", "score": 1}\n',
    "gzip": gzip.compress(b"q1 0 d1 1\nq1 0 d2 0\n"),
    "parquet": parquet_bytes(),
    "arrow": arrow_bytes(),
}


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The data with a few bytes replaced, removed or added."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(changed)))
        length = draw(st.integers(0, 3))
        changed[place : place + length] = draw(
            st.one_of(st.binary(max_size=3), st.sampled_from([b" ", b"\n", b'"', b"{", b",", b"1"]))
        )
    return bytes(changed)


def outcome(path: Path, kind: Kind, format_name: str | None) -> Run | Qrels | InputError:
    try:
        return read_run(path, format=format_name) if kind == "run" else read_qrels(path, format=format_name)
    except InputError as error:
        return error


def survives(data: bytes, format_name: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        for kind in KINDS:
            found = outcome(path, kind, format_name)
            if not isinstance(found, InputError):
                assert len(found.queries) > 0
                continue
            assert str(found).startswith((str(path), "file")), "an error says where"
            if format_name is None:
                assert check(path, kind).num_problems, "what reading refuses, `check` finds too"


@settings(max_examples=200)
@given(st.binary(max_size=60))
@example(b"")
@example(b"{")
@example(b'{"')
@example(b"\xff\xff\xff\xff")
@example(b"PAR1\x00")
@example(b"\x28\xb5\x2f\xfd")
@example(b"{" * 100_000)
@example(b'{"q":' * 20_000)
def test_any_bytes(data: bytes) -> None:
    survives(data)


@pytest.mark.parametrize("name", GOOD)
@settings(max_examples=100)
@given(data=st.data())
def test_damaged_files(name: str, data: st.DataObject) -> None:
    survives(data.draw(damaged(GOOD[name])))


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("told", [name for name in FORMATS if name not in ("msmarco", "beir")])
def test_files_taken_for_another_format(name: str, told: str) -> None:
    survives(GOOD[name], told)


def test_a_damaged_page_costs_no_rows(tmp_path: Path) -> None:
    """pyarrow ends a row group at a page that lacks values, without an error."""
    path = tmp_path / "file.parquet"
    rows = pa.table({"qid": ["1", "1", "2", "2"], "docno": [*"abcd"], "score": [4.0, 3.0, 2.0, 1.0], "text": [*"wxyz"]})
    parquet.write_table(rows, path, row_group_size=2)
    data = path.read_bytes()
    qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"c": 1}})
    readers: list[Callable[[], int]] = [
        lambda: len(read_run(path).docs),
        lambda: int(match_file(qrels, path).num_retrieved.sum()),
        lambda: len([*read_documents(path, fields=["text"])]),
    ]
    refused = 0
    docnos = parquet.ParquetFile(path).metadata.row_group(0).column(1)
    for place in range(docnos.dictionary_page_offset, docnos.dictionary_page_offset + docnos.total_compressed_size):
        path.write_bytes(data[:place] + b"\0" + data[place + 1 :])
        for read in readers:
            try:
                assert read() == 4, place
            except InputError as error:
                refused += "expected 2 rows in row group 1, found 0" in error.problem
        assert check(path).num_problems or "4 documents" in check(path).summary[0], place
    assert refused
