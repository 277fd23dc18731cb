"""A surveyed file is reported exactly as by the strict reader, whatever is in it."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.formats.rankings import column_pieces, pieces, survey
from germane.formats.rankings.pieces import StrictReaderNeededError
from germane.formats.rows import validation
from germane.formats.rows.text import TREC_RUN
from germane.formats.rows.validation import Checked, check

pa = pytest.importorskip("pyarrow")
ipc = pytest.importorskip("pyarrow.ipc")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("survey") / "file"


@contextmanager
def row_by_row() -> Iterator[None]:
    def unsurveyed(*_: object, **__: object) -> Iterator[Any]:
        raise StrictReaderNeededError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "survey_problems", unsurveyed)
        yield


@contextmanager
def small_blocks(size: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "BLOCK", size)
        patch.setattr(survey, "GATHERED", size)
        yield


def report(checked: Checked) -> dict[str, Any]:
    found = {**vars(checked), "counts": list(checked.counts.items())}
    return {**found, "examples": [(kind, type(each), str(each), each.hint) for kind, each in checked.examples]}


def same_report(path: Path, kind: Any = None, block: int = 1 << 19) -> Checked:
    with small_blocks(block):
        ours = check(path, kind, max_examples=2)
    with row_by_row():
        assert report(ours) == report(check(path, kind, max_examples=2))
    return ours


QUERIES = st.sampled_from(["1", "2", "30", "q"])
DOCS = st.sampled_from(["d1", "d2", "d10", "é", "a-long-document-id", "\udcff"])
SCORES = st.sampled_from(
    ["1", "2.5", "2.50", "-1e3", "7", "0." + "0" * 130 + "1", "1e999", "nan", "x", "+3", "1" * 125]
)
RANKS = st.sampled_from(["1", "2", "3", "7", "1e999", "x", "0x1"])
ODD_LINES = st.sampled_from(
    [
        "",
        "   ",
        "# a comment",
        "1 Q0 d1",
        "1 Q0 d1 1 2 t more fields",
        "1 0 d1 1",
        "\x00",
        "1 Q0 d1 1 2 t \x01",
        '"',
        "a,b",
        "\t",
    ]
)
RUN_LINE = st.tuples(QUERIES, st.just("Q0"), DOCS, RANKS, SCORES, st.sampled_from(["t", "t", "u"])).map(" ".join)
GOOD_LINE = st.tuples(
    *(QUERIES, st.just("Q0"), st.integers(0, 30).map("d{}".format), st.integers(1, 9).map(str)),
    *(st.integers(-3, 3).map(str), st.sampled_from(["t", "t", "t", "u"])),
).map(" ".join)
GOOD_RUN = st.lists(GOOD_LINE, min_size=1, max_size=25, unique_by=lambda line: (line.split()[0], line.split()[2]))
RUNS = GOOD_RUN.map(sorted) | GOOD_RUN | st.lists(RUN_LINE | GOOD_LINE | ODD_LINES, max_size=25)
QRELS = st.lists(
    st.tuples(QUERIES, st.sampled_from(["0", "0", "1"]), DOCS, st.sampled_from(["0", "1", "2", "-1", "x", "0.5"])).map(
        " ".join
    )
    | ODD_LINES
    | st.just("1 Q0 d9 1 12.5 tag"),
    max_size=20,
)
TABLES = st.tuples(
    st.sampled_from(
        [
            "qid,docno,score",
            "qid,docno,score,rank,tag",
            "docno,qid,rank",
            "qid,docno,relevance",
            "qid,docno,title,score",
        ]
    ),
    st.lists(
        st.lists(QUERIES | DOCS | SCORES | RANKS | st.just(""), min_size=3, max_size=5).map(",".join)
        | ODD_LINES
        | st.tuples(QUERIES, st.integers(0, 30).map("d{}".format), st.integers(0, 3).map(str)).map(",".join),
        max_size=20,
    ),
).map(lambda table: [table[0], *table[1]])
ENDS = st.sampled_from(["\n", "\n", "\r\n"])


@settings(max_examples=300, deadline=None)
@given(
    lines=RUNS | QRELS | TABLES,
    end=ENDS,
    kind=st.sampled_from([None, None, "run", "qrels"]),
    begin=st.sampled_from(["", "", "\ufeff"]),
    last=st.booleans(),
    tabs=st.booleans(),
    block=st.sampled_from([1, 40, 1 << 19]),
)
def test_every_text_is_reported_as_by_the_strict_reader(
    lines: list[str], end: str, kind: Any, begin: str, last: bool, tabs: bool, block: int, path: Path
) -> None:
    text = begin + end.join(lines) + (end if last else "")
    text = text.replace(",", "\t") if tabs else text
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    same_report(path, kind, block)


# Columns ------------------------------------------------------------------------------------------------------------

IDS = st.sampled_from(["a", "b", "é", "", None]) | st.just("c")
NUMBERS = st.sampled_from([1.0, 2.5, -1.0, float("nan"), float("inf"), None]) | st.integers(-3, 3).map(float)
COLUMNS = st.lists(st.tuples(IDS, IDS, NUMBERS, NUMBERS), max_size=12) | st.lists(
    st.tuples(st.sampled_from(["1", "2"]), st.integers(0, 20).map(str), st.integers(0, 4).map(float), st.just(1.0)),
    min_size=1,
    max_size=20,
)
TYPES = st.sampled_from([
    (pa.string(), pa.float64()), (pa.large_string(), pa.int64()), (pa.binary(), pa.float32()),
    (pa.dictionary(pa.int32(), pa.string()), pa.float64()), (pa.string(), pa.string()), (pa.int64(), pa.bool_()),
])  # fmt: skip
NAMES = st.sampled_from(
    ["score rank", "score group", "rank x", "relevance subtopic", "relevance x", "score tag", "x y"]
)


@settings(max_examples=150, deadline=None)
@given(
    rows=COLUMNS,
    types=TYPES,
    names=NAMES,
    format_name=st.sampled_from(["parquet", "arrow"]),
    kind=st.sampled_from([None, "run", "qrels"]),
)
def test_every_table_is_reported_as_by_the_strict_reader(
    rows: list[Any], types: tuple[Any, Any], names: str, format_name: str, kind: Any, path: Path
) -> None:
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    labels = ["qid", "docno", *names.split()]
    of_label = dict.fromkeys(("tag", "group", "subtopic", "qid", "docno"), types[0])
    try:
        table = pa.table({
            label: pa.array(
                [str(value) if label in of_label and value is not None else value for value in column]
            ).cast(of_label.get(label, types[1]))
            for label, column in zip(labels, columns, strict=True)
        })  # fmt: skip
    except (pa.ArrowException, ValueError, TypeError):
        return
    with path.open("wb") as target:
        if format_name == "parquet":
            parquet.write_table(table, target)
        else:
            with ipc.new_file(target, table.schema) as writer:
                writer.write_table(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_pieces, "ROWS_AT_ONCE", 3)
        same_report(path, kind)


# Ways in ------------------------------------------------------------------------------------------------------------

GROUPED = "".join(f"{query} Q0 d{doc} {doc} {-doc} t\n" for query in "abc" for doc in range(9))
TAGS = {"a": "", "b": "1", "c": "2"}
INTERLEAVED = "".join(f"{query} Q0 d{doc} {doc} {-doc} t{TAGS[query] * doc}\n" for doc in range(9) for query in "abc")
REPEATED = INTERLEAVED + "a Q0 d3 x 7 t\nb Q0 d4 x 8 t\nc Q0 d4\na Q0 d99 x 8 t\na Q0 d3 1 2 t"


@pytest.mark.parametrize("text", [GROUPED, INTERLEAVED, REPEATED], ids=["grouped", "interleaved", "repeated"])
@pytest.mark.parametrize("way", ["plain", "compressed", "folder", "standard input"])
def test_every_way_in_is_reported_as_by_the_strict_reader(
    text: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path: Any = tmp_path / "run"
    if way == "compressed":
        path.write_bytes(gzip.compress(text.encode()))
    elif way == "folder":
        path.mkdir()
        lines = text.splitlines(keepends=True)
        (path / "part-0").write_text("".join(lines[:7]))
        (path / "part-1").write_text("".join(lines[7:]))
    else:
        path.write_text(text)
    if way == "standard input":
        path = "-"
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": None}))

    def reported() -> Any:
        if way == "standard input":
            monkeypatch.setattr("sys.stdin.buffer", io.BytesIO(text.encode()))
        return report(check(path, max_examples=2))

    ours = reported()
    with row_by_row():
        assert ours == reported()
    assert ours["source"] == ("<stdin>" if way == "standard input" else str(path))


def test_the_sign_of_a_zero_is_not_reported(path: Path) -> None:
    path.write_text("1 Q0 a 1 -0 t\n1 Q0 b 2 0 t\n")
    assert same_report(path).summary == [
        "1 query, 2 documents, scores 0 to 0, 2 tied with another document of the same query"
    ]


def test_a_file_of_odd_lines_is_left_to_the_strict_reader(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Explaining each of them by itself would take longer."""
    monkeypatch.setattr(pieces, "MAX_ODD_LINES", 3)
    path.write_text("1 Q0 d0 1 1 t\n" + "".join(f"1 Q0 d{i} 1 x t\n" for i in range(1, 10)))
    found = same_report(path)
    assert found.counts == {"number": 9}
    with path.open("rb") as stream, pytest.raises(StrictReaderNeededError):
        list(pieces.text_pieces(stream, TREC_RUN, "run"))


def test_the_survey_reads_what_it_should(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the comparisons above would compare the strict reader with itself."""

    def row_by_row(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(validation, "_good_rows", row_by_row)
    path.write_text(REPEATED)
    checked = check(path)
    assert checked.counts == {"duplicate": 3, "fields": 1, "rank": 1}
    assert "duplicate document 'd3' for query 'a' (first on line 10)" in str(checked.examples[0][1])
