import gzip
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

import pytest

from germane.cli.shell.completions import OPTIONS
from germane.errors import GermaneError, InputError
from germane.formats.rankings.detect import FORMATS, detect
from germane.formats.rankings.entry import Format, Guess, Head, scan_lines
from germane.formats.rankings.ranking_files import read_qrels, read_run, write_run
from germane.formats.rankings.trec import MSMARCO_RUN
from germane.formats.rows.column_names import Kind
from germane.formats.rows.text import TREC_QRELS, TREC_RUN, TextLayout
from germane.tables.rankings.run import Run

RUN = "q1 Q0 d1 1 2.5 t\n"
QRELS = "q1 0 d1 1\n"

DETECTED: list[tuple[str, Kind | None, str, Kind]] = [
    # text                                        told    format     kind
    (RUN, None, "trec", "run"),
    (RUN, "run", "trec", "run"),
    ("# c\n\n" + RUN, None, "trec", "run"),
    ("q1 Q0 d1 1 nan t\n", "run", "trec", "run"),  # the reader says what is wrong with it
    ("q1 Q0 d1 1 ? t\n" + RUN, "run", "trec", "run"),
    ("PAR1 Q0 {d1} 1 2.5 t\n", None, "trec", "run"),
    ("{q1} Q0 d1 1 2.5 t\n", None, "trec", "run"),
    ('{" Q0 d1 1 2.5 t\n', None, "trec", "run"),  # a query may be called {"
    (QRELS, None, "trec", "qrels"),
    ("q1 4 d1 0.5\n", None, "trec", "qrels"),
    ("q1 0 d1 1 extra\n", "qrels", "trec", "qrels"),
    ("q1 0 d1 1 one two\n", None, "trec", "qrels"),
    ("q1\td1\t1\nq1\td2\t2\n", None, "msmarco", "run"),
    ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", None, "beir", "qrels"),
    ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", "run", "tsv", "run"),
    ("qid\tdocno\tlabel\nq1\td1\t1\n", None, "tsv", "qrels"),
    ("qid,docno,score\nq1,d1,2.5\n", None, "csv", "run"),
    ("qid,docno,score\nq1,d1,2.5\n", "qrels", "csv", "qrels"),
    ('"Query ID","DocNo","Relevance"\n"q1","d1",1\n', None, "csv", "qrels"),
    ("\ufeffqid,docno,score\nq1,d1,2.5\n", None, "csv", "run"),
    ('{"q1": {"d1": 1}}', None, "json", "qrels"),
    ('{\n "q1": {\n  "d1": 1.5}}', None, "json", "run"),
    ('{"qid": "q1", "docno": "d1", "score": 1.5}\n', None, "jsonl", "run"),
    ('{"qid": "q1", "docno": "d1", "rel": 1}\n', None, "jsonl", "qrels"),
    ("topic,document,relevant\nq1,d1,1\n", None, "csv", "qrels"),
]


@pytest.mark.parametrize(("text", "told", "format_name", "kind"), DETECTED)
def test_formats_are_told_from_the_first_lines(
    text: str, told: Kind | None, format_name: str, kind: Kind, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    with detect(path, told) as detected:
        assert (detected.format, detected.kind) == (format_name, kind)
        assert detected.why
        assert detected.stream.read().decode() == text, "nothing of it is lost"


def layout_of(path: Path, kind: Kind) -> object:
    with detect(path, kind) as detected:
        return detected.layout


def test_the_layouts_that_the_scanner_knows(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(RUN)
    assert layout_of(path, "run") == TREC_RUN
    path.write_text(QRELS)
    assert layout_of(path, "qrels") == TREC_QRELS
    path.write_text("q1 d1 1\n")
    assert layout_of(path, "run") == MSMARCO_RUN


def test_the_layout_of_a_header(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("rank,title,docno,score,qid,run\n1,x,d1,2.5,q1,bm25\n")
    with detect(path, "run") as detected:
        layout = detected.layout
        assert layout is not None
        assert (layout.query, layout.doc, layout.value, layout.rank, layout.tag) == (4, 2, 3, 0, 5)
        assert (layout.delimiter, layout.header_lines, layout.num_fields) == (b",", 1, 6)
        assert detected.left_out == ("column 'title'",)


@pytest.mark.parametrize("far", [False, True], ids=["in the first lines", "far down"])
def test_a_file_with_quotes_anywhere_is_not_for_the_scanner(far: bool, tmp_path: Path) -> None:
    path = tmp_path / "file"
    plain = "".join(f"q1,d{i},1\n" for i in range(20_000))
    path.write_text(f'qid,docno,score\n{plain if far else ""}q1,"d 1",2\n')
    with detect(path, "run") as detected:
        assert detected.layout is None
        assert detected.quoted_layout is not None
    path.write_text(f"qid,docno,score\n{plain}")
    with detect(path, "run") as detected:
        assert detected.layout is not None
        assert detected.quoted_layout is None


NEITHER: list[tuple[str | bytes, Kind | None, str]] = [
    # text                     told     error
    ("", "run", "expected data, found an empty file"),
    ("\n \n# only this\n", "qrels", "expected data, found only blank lines and comments"),
    (b"\x00\x01\x02\x03", "run", r"file:1: expected text, found byte 0x00 \(binary data\?\)"),
    (b"PK\x03\x04junk", "run", "unpack it first"),
    (
        b"SQLite format 3\0junk",
        "qrels",
        r"expected text, found an SQLite database\n.*`germane release .*file -o release`",
    ),
    ("q1 Q0 d1\n".encode("utf-16"), "run", "expected UTF-8 text, found UTF-16"),
    ("q1 Q0 d1 1 2 t\rq1 Q0 d2 2 1 t\r", "run", r"found only \\r \(classic Mac\)"),
    (QRELS, "run", r"file:1: expected a run, found 4 fields: 'q1 0 d1 1'\n.*judgments; are QRELS and RUN swapped"),
    (RUN, "qrels", r"expected judgments, found 6 fields.*\n.*looks like a run; are QRELS and RUN swapped"),
    ("qid\tdocno\tlabel\nq1\td1\t1\n", "run", "looks like judgments; are QRELS and RUN swapped"),
    ("qid,docno,score,rank\nq1,d1,1,1\n", "qrels", "looks like a run; are QRELS and RUN swapped"),
    ("q1 Q0 d1 1 2.5\n", "run", r"file:1: expected 6 fields.*found 5.*\n.*convert --tag NAME"),
    ("q1 d1 2.5\n", "run", "three columns without a header must be query, document, rank"),
    ("q1 d1 1\n", "qrels", r"use four columns \(query 0 document grade\)"),
    ("q1,d1,2.5\n", "run", "add a CSV header"),
    ("[1, 2]\n", "run", "use a JSON object of objects"),
    ("Call me Ishmael.\n", None, r"expected a run or judgments, found 3 fields: 'Call me Ishmael.'"),
    ("It was the best of times it was\n", "run", r"found 8 fields: 'It was.*\n.*supported formats: trec, msmarco"),
    ("docno,score\nd1,1\n", "run", "found 1 field: 'docno,score'"),
    ("qid,docno\nq1,d1\n", "run", r"expected a score column \(score, rank\), found 'qid', 'docno'"),
    ("qid,docno\nq1,d1\n", "qrels", r"expected a grade column \(relevance, label.*'qid', 'docno'"),
    ("query_id,query-id,docno,score\n", "run", "duplicate column 'query-id' among 'query_id'"),
]


@pytest.mark.parametrize(("text", "kind", "expected"), NEITHER)
def test_what_is_neither_a_run_nor_judgments(
    text: str | bytes, kind: Kind | None, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InputError, match=expected):
        detect(path, kind).stream.close()


def test_many_comments_before_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("# comment\n" * 20_000 + QRELS)
    with detect(path, "qrels") as detected:
        assert detected.format == "trec"


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gz"])
def test_standard_input_is_detected_and_then_read_to_its_end(
    compress: type[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"q{i} Q0 d{i} 1 {i} tag\n" for i in range(10_000))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(compress(text.encode()))))
    run = read_run("-")
    assert len(run.docs) == 10_000
    assert run.docs[9_999] == "d9999"
    assert run.name == "stdin"


def test_the_error_for_standard_input_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    with pytest.raises(InputError, match=r"^<stdin>: expected data, found an empty file"):
        read_qrels("-")


def test_a_format_that_is_named_overrules_the_guess(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with detect(path, "qrels", "tsv") as detected:
        assert (detected.format, detected.why) == ("tsv", "read as tsv as requested")
    with pytest.raises(InputError, match="expected 6 fields"):
        read_run(path, format="trec-run")


def test_a_format_that_does_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(RUN)
    with pytest.raises(GermaneError, match="unknown format 'trek'; did you mean trec"):
        detect(path, "run", "trek")
    with pytest.raises(GermaneError, match="msmarco is not a format for judgments"):
        detect(path, "qrels", "msmarco")
    with pytest.raises(GermaneError, match="beir is not a format for runs"):
        detect(path, "run", "beir")


def test_a_run_without_tags_is_accepted_only_on_request(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("q1 Q0 d1 1 2.5\n")
    with detect(path, "run", untagged=True) as detected:
        assert detected.layout is not None
        assert detected.layout.tag is None
    with pytest.raises(InputError, match="found 5"):
        detect(path, "run")


def test_a_new_format_is_one_declaration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is recognised, read when it is named, written by its ending, and offered by completion."""
    # The strict reader alone knows bars.
    pairs = TextLayout("pairs-run", query=0, doc=1, value=2, num_fields=3, delimiter=b"|")

    def recognise(head: Head, kind: Kind | None, source: str, named: bool) -> Guess | None:
        found = named or head.data.count(b"|") >= 2
        return Guess("pairs", "run", "fields between bars", pairs) if found else None

    def write(pieces: Iterable[Run], target: BinaryIO) -> None:
        (run,) = pieces
        entry.reject_ids({"document id": run.docs})
        queries = list(run.queries)
        for query, doc, score in zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True):
            target.write(f"{queries[query]}|{doc}|{score!r}\n".encode())

    entry = Format(
        "pairs", "fields between bars", "q|d|1", ("bars",), scan_lines, write, None, recognise=recognise, separator=b"|"
    )
    monkeypatch.setitem(FORMATS, "pairs", entry)
    path = tmp_path / "new.bars"
    write_run(Run.from_dict({"q1": {"d1": 2.5, "d 2": 1.0}}), path, lossy=True)
    for name in (None, "pairs"):
        run = read_run(path, format=name)
        assert dict(zip(run.docs, run.score.tolist(), strict=True)) == {"d1": 2.5, "d 2": 1.0}
    with pytest.raises(GermaneError, match="pairs is not a format for judgments"):
        detect(path, "qrels", "pairs")
    with pytest.raises(InputError, match="cannot store the document id"):
        write_run(Run.from_dict({"q1": {"d\x001": 2.5}}), path, lossy=True)
    assert "pairs" in OPTIONS["--from"]("convert")
