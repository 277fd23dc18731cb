"""A run converted piece by piece is written exactly as one that is read as a whole, whatever is in it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import GermaneError
from germane.formats.rankings import arrow_file, column_pieces, conversion, pieces
from germane.formats.rankings.conversion import convert
from germane.formats.rankings.detect import FORMATS
from germane.formats.rankings.ranking_files import read_run
from germane.formats.rows.number_text import ranks, run_columns, tag_of, whole_or_repr
from germane.formats.rows.validation import check
from germane.tables.rankings.run import Run

pytest.importorskip("pyarrow")
RUN_FORMATS = [name for name, entry in FORMATS.items() if entry.write_run]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conversion")


@contextmanager
def as_a_whole() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversion, "_survey", lambda *_: None)
        yield


@contextmanager
def small_pieces(block: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "BLOCK", block)
        patch.setattr(column_pieces, "ROWS_AT_ONCE", 3)
        patch.setattr(arrow_file, "ROW_GROUP", 4)
        yield


def outcome(source: Path, target: Path, name: str, **options: Any) -> Any:
    """What conversion writes, or the error; a table counts as its columns."""
    target.unlink(missing_ok=True)
    try:
        dropped = convert(str(source), str(target), None, name, **options)
    except GermaneError as error:
        assert not target.exists()
        assert not list(target.parent.glob("*.partial"))
        return type(error), str(error), error.hint
    return dropped, contents(target, name)


def contents(path: Path, name: str) -> Any:
    if name not in ("parquet", "arrow"):
        return path.read_bytes()
    from pyarrow import ipc, parquet

    if name == "parquet":
        table = parquet.read_table(path)
    else:
        with ipc.open_file(path) as file:
            table = file.read_all()
    return str(table.schema), table.schema.metadata, table.to_pydict()


IDS = st.sampled_from(["1", "2", "30", "é", "\udcff", 'a"b', "a,b", "#1", "\u20ac"])
DOCS = st.integers(0, 30).map("d{}".format) | IDS
SCORES = st.integers(0, 4).map(str) | st.floats(allow_nan=False, allow_infinity=False).map(repr)
RANKS = st.integers(1, 9).map(str) | st.sampled_from(["1.5", "1e300", "-0"])
ROWS = st.lists(
    st.tuples(
        IDS, DOCS, st.integers(1, 9).map(str) | st.sampled_from(["1.5", "1e300", "-0"]), SCORES, st.sampled_from("tttu")
    ),
    min_size=1,
    max_size=30,
    unique_by=lambda row: row[:2],
)
LAYOUTS = {
    "trec": lambda q, d, r, s, t: f"{q} Q0 {d} {r} {s} {t}",
    "tagged": lambda q, d, r, s, t: f"{q} Q0 {d} {r} {s} t",
    "extra": lambda q, d, r, s, t: f"{q} Q0 {d} {r} {s} t extra",
    "odd": lambda q, d, r, s, t: f"{q} Q0 {d} {r} {'x' if d == 'd1' else s} t",
    "msmarco": lambda q, d, r, s, t: f"{q}\t{d}\t{r.partition('.')[0].partition('e')[0]}",
    "csv": lambda q, d, r, s, t: f"{q.replace(',', '')},{d.replace(',', '')},{s}",
    "ranked csv": lambda q, d, r, s, t: f"{q.replace(',', '')},{d.replace(',', '')},{s},{r}",
}
TABLES = st.sampled_from(["parquet", "arrow"])
TEXTS = ["tagged", "csv", "ranked csv"]
HEADERS = {"csv": "qid,docno,score\n", "ranked csv": "qid,docno,score,rank\n"}


def run_text(rows: list[tuple[str, ...]], layout: str, *, grouped: bool) -> bytes:
    rows = sorted(rows, key=lambda row: row[0]) if grouped else rows
    lines = [LAYOUTS[layout](*row) for row in rows]
    return (HEADERS.get(layout, "") + "\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


@settings(max_examples=250, deadline=None)
@given(
    rows=ROWS,
    layout=st.sampled_from(sorted(LAYOUTS)),
    grouped=st.booleans(),
    name=st.sampled_from(RUN_FORMATS),
    lossy=st.booleans(),
    block=st.sampled_from([1, 60, 1 << 20]),
    tag=st.sampled_from([None, None, "mine"]),
)
def test_pieces_are_written_as_the_whole(
    rows: list[tuple[str, ...]], layout: str, grouped: bool, name: str, lossy: bool, block: int, tag: Any, folder: Path
) -> None:
    source = folder / "source"
    source.write_bytes(run_text(rows, layout, grouped=grouped))
    options = {"lossy": lossy, "tag": tag, "kind": "run"}
    with as_a_whole():
        expected = outcome(source, folder / "whole", name, **options)
    with small_pieces(block):
        ours = outcome(source, folder / "whole", name, **options)
    assert ours == expected


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, grouped=st.booleans(), between=TABLES, name=st.sampled_from(RUN_FORMATS))
def test_tables_are_written_as_the_whole(
    rows: list[tuple[str, ...]], grouped: bool, between: str, name: str, folder: Path
) -> None:
    text, source = folder / "text", folder / "source"
    for layout in ("tagged", "csv", "msmarco"):
        text.write_bytes(run_text(rows, layout, grouped=grouped))
        if isinstance(outcome(text, source, between, kind="run", lossy=True)[0], type):
            continue
        with as_a_whole():
            expected = outcome(source, folder / "whole", name, lossy=True)
        with small_pieces(1):
            assert outcome(source, folder / "whole", name, lossy=True) == expected


def by_hand(run: Run, name: str) -> bytes:
    """The text of a run, value by value."""
    queries = run.queries.to_bytes_list()
    rows = zip(
        *([queries[query] for query in run.query.tolist()], run.docs.to_bytes_list()),
        *([whole_or_repr(rank).encode() for rank in ranks(run).tolist()], run.score.tolist()),
        strict=True,
    )
    tag = tag_of(run).encode()
    if name == "trec":
        return b"".join(b"%s Q0 %s %s %r %s\n" % (*row, tag) for row in rows)
    columns = run_columns(run)
    values = [dict(zip(columns, each, strict=True)) for each in zip(*columns.values(), strict=True)]
    if name == "jsonl":
        return b"".join(json.dumps(row).encode() + b"\n" for row in values)
    text = io.StringIO()
    writer = csv.writer(text, delimiter="," if name == "csv" else "\t", lineterminator="\n")
    writer.writerows([values[0], *(row.values() for row in values)])
    return text.getvalue().encode("utf-8", "surrogateescape")


@settings(max_examples=150, deadline=None)
@given(
    rows=ROWS,
    name=st.sampled_from(["trec", "jsonl", "csv", "tsv"]),
    layout=st.sampled_from(["tagged", "csv", "ranked csv"]),
)
def test_text_is_written_as_value_by_value(rows: list[tuple[str, ...]], name: str, layout: str, folder: Path) -> None:
    source, target = folder / "source", folder / "target"
    source.write_bytes(run_text(rows, layout, grouped=True))
    written = outcome(source, target, name, kind="run")
    if isinstance(written[0], list):
        assert written[1] == by_hand(read_run(source), name)


def test_the_pieces_are_not_the_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the comparisons above would compare the strict reader with itself."""

    def whole(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(conversion, "read_columns", whole)
    monkeypatch.setattr(conversion, "write_run", whole)
    source = folder / "source"
    source.write_text("".join(f"{query} Q0 d{doc} {doc} {-doc} t\n" for query in "abc" for doc in range(9)))
    for name in RUN_FORMATS:
        if name != "json":
            assert outcome(source, folder / "target", name, lossy=True)[0] in ([], ["the tag 't'"])


@pytest.mark.parametrize("value", ["score", "relevance"])
def test_errors_of_a_whole_table_name_its_file(value: str, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    source = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"qid": ["1", "1"], "docno": ["a", "a"], value: [2.0, 1.0]}), source)
    with pytest.raises(GermaneError, match=r"rows\.parquet: duplicate document 'a' for query '1'"):
        convert(str(source), str(tmp_path / "target.csv"))


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("q Q0 d2 2 1 t\n", "changed while it was read: expected 1 row, found 2"),
        ("q Q0 d2", "source:2: expected 6 fields"),
    ],
)
def test_a_run_that_grows_between_the_readings(
    more: str, problem: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, survey = folder / "source", conversion._survey
    source.write_text("q Q0 d1 1 2 t\n")

    def grows(*arguments: Any) -> Any:
        found = survey(*arguments)
        with source.open("a") as file:
            file.write(more)
        return found

    monkeypatch.setattr(conversion, "_survey", grows)
    with pytest.raises(GermaneError, match=problem):
        convert(str(source), str(folder / "grown.csv"))
    assert not (folder / "grown.csv").exists()


def test_standard_output_gets_nothing_of_a_run_that_cannot_be_written(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "BLOCK", 20)
    source = folder / "source"
    source.write_text("qid,docno,score\n" + "".join(f"q,d{doc},1\n" for doc in range(50)) + "q,a b,1\n")
    with pytest.raises(GermaneError, match="cannot store the document id 'a b'"):
        convert(str(source), "-", None, "trec")
    assert capfdbinary.readouterr().out == b""


@pytest.mark.parametrize("name", ["run.csv", "run.json"])
def test_scores_may_lie_as_far_apart_as_numbers_can(name: str, folder: Path) -> None:
    """Their difference overflows, of which NumPy warns; a warning is an error here."""
    source, target = folder / name, folder / "far.run"
    scores = {"d1": -1.7e308, "d2": 1.7e308, "d3": 1.7e308}
    rows = "".join(f"q,{doc},{score!r}\n" for doc, score in scores.items())
    source.write_text(f"qid,docno,score\n{rows}" if name == "run.csv" else json.dumps({"q": scores}))
    checked = check(source)
    assert "2 tied with another document of the same query" in checked.summary[0]
    convert(str(source), str(target), tag="t", overwrite=True)
    assert [line.split()[2:4] for line in target.read_text().splitlines()] == [["d1", "3"], ["d2", "2"], ["d3", "1"]]
