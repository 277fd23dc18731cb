import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import InputError
from germane.formats.rankings.trec import MSMARCO_RUN
from germane.formats.rows.text import TREC_QRELS, TREC_RUN, RowError, TextLayout, TextRow, scan_text, without_problems

CSV_RUN = TextLayout("csv-run", query=0, doc=1, value=2, num_fields=3, delimiter=b",", header_lines=1)
TSV_RUN = CSV_RUN._replace(format="tsv-run", delimiter=b"\t")


def read(text: str | bytes, layout: TextLayout = TREC_RUN) -> list[TextRow]:
    data = text.encode() if isinstance(text, str) else text
    return list(without_problems(scan_text(io.BytesIO(data), layout, "file")))


def problem(text: str | bytes, layout: TextLayout = TREC_RUN) -> str:
    with pytest.raises(InputError) as caught:
        read(text, layout)
    return str(caught.value)


ROW = TextRow(1, b"q1", b"d1", 2.5, b"1", None, b"bm25")

GOOD_LINES = [
    # text                                     rows                                     why
    ("q1 Q0 d1 1 2.5 bm25", [ROW], "no line end at the end of the file"),
    ("q1 Q0 d1 1 2.5 bm25\r\n", [ROW], "CRLF"),
    ("q1\tQ0\x0b d1 \x0c1\t\t2.5 bm25 \n", [ROW], "any white space"),
    ("  q1 Q0 d1 1 2.5 bm25\n", [ROW], "white space in front"),
    ("\ufeffq1 Q0 d1 1 2.5 bm25\n", [ROW], "a byte order mark"),
    ("q1 Q0 d1 1 2.5 bm25 extra fields\n", [ROW._replace(extra=2)], "extra fields"),
    ("# comment\n\n \t \nq1 Q0 d1 1 2.5 bm25\n", [ROW._replace(line=4)], "comments and blank lines count as lines"),
    ("q1 Q0 #d1 1 2.5 bm25\n", [ROW._replace(doc=b"#d1")], "# inside a line is data"),
    ("q1 Q0 d1 first 2.5 bm25\n", [ROW._replace(rank=b"first")], "the rank is not looked at"),
    ("q1 Q0 d\u00a0\u2003x 1 2.5 bm25\n", [ROW._replace(doc="d\u00a0\u2003x".encode())], "other spaces are data"),
    (b"q1 Q0 \xff\xfe\x85 1 2.5 bm25\n", [ROW._replace(doc=b"\xff\xfe\x85")], "ids are bytes, UTF-8 or not"),
]


@pytest.mark.parametrize(("text", "rows", "why"), GOOD_LINES)
def test_lines_that_are_read(text: str | bytes, rows: list[TextRow], why: str) -> None:
    assert read(text) == rows, why


NUMBERS = [
    ("1", 1.0),
    ("-1", -1.0),
    ("+2.50", 2.5),
    (".5", 0.5),
    ("5.", 5.0),
    ("1e-3", 0.001),
    ("1E+2", 100.0),
    ("0", 0.0),
]


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_numbers(text: str, value: float) -> None:
    assert [row.value for row in read(f"q1 Q0 d1 1 {text} t")] == [value]


NO_NUMBERS = [
    "nan",
    "inf",
    "-Infinity",
    "1e999",
    "1_000",
    "0x10",
    "1,5",
    "one",
    ".",
    "e5",
    "1e",
    "+-1",
    "--1",
    "١",
    "1f",
]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number(text: str) -> None:
    assert problem(f"q1 Q0 d0 1 2 t\nq1 Q0 d1 1 {text} t").startswith(
        f"file:2: expected a finite number as score, found {text!r}: 'q1 Q0 d1 1 {text} t'"
    )
    assert problem(f"q1 0 d1 {text}", TREC_QRELS).startswith("file:1: expected a finite number as grade")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_reads_back(value: float) -> None:
    assert [row.value for row in read(f"q1 Q0 d1 1 {value!r} t")] == [value]


BAD_LINES = [
    # layout, text, error
    (
        TREC_RUN,
        "301 Q0 FT911-3 1 12.5",
        "file:1: expected 6 fields (query Q0 document rank score tag), found 5: '301 Q0 FT911-3 1 12.5'\n"
        "Hint: the tag at the end of the line is missing; add it with `germane convert --tag NAME`",
    ),
    (
        TREC_RUN,
        "301 0 FT911-3 1",
        "file:1: expected 6 fields (query Q0 document rank score tag), found 4: '301 0 FT911-3 1'\n"
        "Hint: this looks like judgments; are QRELS and RUN swapped?",
    ),
    (TREC_RUN, "301 Q0", "file:1: expected 6 fields (query Q0 document rank score tag), found 2: '301 Q0'"),
    (
        TREC_QRELS,
        "301 Q0 d1 1 12.5 bm25",
        "file:1: expected a judgment (query iteration document grade), found '301 Q0 d1 1 12.5 bm25'\n"
        "Hint: this looks like a run; are QRELS and RUN swapped?",
    ),
    (
        TREC_QRELS,
        "301 d1 1",
        "file:1: expected 4 fields (query iteration document grade), found 3: '301 d1 1'\n"
        "Hint: the second column (0 or a subtopic) is missing; write query 0 document grade",
    ),
    (MSMARCO_RUN, "301 d1", "file:1: expected 3 fields (query document rank), found 2: '301 d1'"),
    (
        TREC_RUN,
        "q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t",
        "file:3: duplicate document 'd1' for query 'q1' (first on line 1)",
    ),
    (
        TREC_QRELS,
        "q1 0 d1 1\nq1 1 d1 1\nq1 0 d1 0",
        "file:3: duplicate document 'd1' for query 'q1' and group '0' (first on line 1)",
    ),
    (TREC_RUN, "", "file: expected lines of data, found none\nHint: check that this is the right file"),
    (TREC_RUN, "# nothing\n\n", "file: expected lines of data, found none\nHint: check that this is the right file"),
    (
        CSV_RUN,
        "qid,docno,score\n",
        "file: expected lines of data after the header, found none\nHint: check that this is the right file",
    ),
    (TREC_RUN, "q1 Q0 d\x001 1 2 t", "file:1: expected text, found byte 0x00 (binary data?): 'q1 Q0 d\\x001 1 2 t'"),
    (TREC_RUN, "q1 Q0 d1 1 2 t\x1f", "file:1: expected text, found byte 0x1f (binary data?): 'q1 Q0 d1 1 2 t\\x1f'"),
    (CSV_RUN, "qid,docno,score\nq1,d1,2,3", "file:2: expected 3 fields (query document score), found 4: 'q1,d1,2,3'"),
    (CSV_RUN, "qid,docno,score\nq1,,2", "file:2: expected a document id, found an empty field: 'q1,,2'"),
    (CSV_RUN, "qid,docno,score\n,d1,2", "file:2: expected a query id, found an empty field: ',d1,2'"),
    (CSV_RUN, "qid,docno,score\nq1,d1, 2", "file:2: expected a finite number as score, found ' 2': 'q1,d1, 2'"),
    (
        TSV_RUN,
        "qid\tdocno\tscore\nq1 d1 2",
        "file:2: expected 3 fields (query document score), found 1: 'q1 d1 2'\n"
        "Hint: separate fields by tabs, as in the header",
    ),
]


@pytest.mark.parametrize(("layout", "text", "expected"), BAD_LINES)
def test_lines_that_are_wrong(layout: TextLayout, text: str, expected: str) -> None:
    assert problem(text, layout) == expected


def test_a_long_line_is_not_quoted_to_its_end() -> None:
    assert len(problem("q1 " * 40_000 + "\x00")) < 250


def test_qrels_may_have_further_fields() -> None:
    assert read("q1 0 d1 2 0.5 assessor-7", TREC_QRELS) == [TextRow(1, b"q1", b"d1", 2.0, None, b"0", extra=2)]


def test_with_ranks_only_the_first_has_the_highest_value() -> None:
    assert read("q1\td7\t1\nq1\td3\t2", MSMARCO_RUN) == [
        TextRow(1, b"q1", b"d7", -1.0, b"1"),
        TextRow(2, b"q1", b"d3", -2.0, b"2"),
    ]


def test_a_header_is_the_first_line_that_is_neither_blank_nor_a_comment() -> None:
    assert read("# made by hand\n\nqid\tdocno\tscore\n# later\nq1\td1\t2\n", TSV_RUN) == [TextRow(5, b"q1", b"d1", 2.0)]


def test_between_commas_a_number_sign_is_data() -> None:
    assert read("qid,docno,score\n#1,d1,2\n", CSV_RUN) == [TextRow(2, b"#1", b"d1", 2.0)]


def test_spaces_belong_to_the_field_where_a_delimiter_divides() -> None:
    assert read("qid,docno,score\nq 1, d1,2\r\n", CSV_RUN) == [TextRow(2, b"q 1", b" d1", 2.0)]


def test_quotes() -> None:
    text = b'qid,docno,score\n"q,1","d ""1""",2\n"q2,d1,2\nq3,"d"x,2\n'
    first, unclosed, half_quoted = scan_text(io.BytesIO(text), CSV_RUN, "file", quoted=True)
    assert first == TextRow(2, b"q,1", b'd "1"', 2.0)
    assert "file:3: invalid quoting" in str(unclosed)
    assert "file:4: invalid quoting" in str(half_quoted)


def problems_of(data: bytes) -> list[RowError]:
    return [row for row in scan_text(io.BytesIO(data), TREC_RUN, "file") if isinstance(row, RowError)]


def test_everything_wrong_is_found_in_one_go() -> None:
    text = "q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\nq1 Q0\nq1 Q0 d2 3 x t\nq1 Q0 d3 4 0 t\nq1 Q0 d4\x01 5 0 t\n"
    problems = problems_of(text.encode())
    assert [error.line for error in problems] == [2, 3, 4, 6]
    assert problems_of(b"q1 Q0 d1 1 2 t\n") == []
