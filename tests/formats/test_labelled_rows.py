"""Rows with a truth, predictions and scores: the same from every format, and every bad input said exactly."""

import bz2
import csv
import gzip
import io
import json
import lzma
import string
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, ipc, parquet

from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import LabelledRows, labelled_from, read_labelled
from germane.tables.decisions.labels import encode_labels

WORDS: dict[str, list[Any]] = {
    "truth": ["cat", "dog", "big, dog"],
    "predicted": ["dog", "dog", "cat"],
    "score": [0.5, -1.25, float("inf")],
    "weight": [1.0, 2.0, 0.5],
}
NUMBERS: dict[str, list[Any]] = {"truth": [1, 0, 1], "predicted": [1, 1, 0], "score": [0.5, 0.25, 1.0]}


def weight_in(table: dict[str, list[Any]]) -> str | None:
    return "weight" if "weight" in table else None


TABLES = {"words": WORDS, "numbers": NUMBERS}


def delimited(table: dict[str, list[Any]], delimiter: str, line_end: str = "\n", start: str = "") -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return (start + text.getvalue()).encode()


def jsonl(table: dict[str, list[Any]]) -> bytes:
    rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def arrow(table: dict[str, list[Any]], write: Callable[[Any, Any], None]) -> bytes:
    target = io.BytesIO()
    write(pa.table(table), target)
    return target.getvalue()


def write_ipc(new: Callable[..., Any]) -> Callable[[Any, Any], None]:
    def write(table: Any, target: Any) -> None:
        with new(target, table.schema) as writer:
            writer.write_table(table)

    return write


FILES: dict[str, Callable[[dict[str, list[Any]]], bytes]] = {
    "csv": lambda table: delimited(table, ","),
    "csv with BOM and \\r\\n": lambda table: delimited(table, ",", "\r\n", "\ufeff"),
    "csv with \\r": lambda table: delimited(table, ",", "\r"),
    "csv with blank lines": lambda table: b"\n" + delimited(table, ",").replace(b"\n", b"\n\n"),
    "semicolons": lambda table: delimited(table, ";"),
    "tsv": lambda table: delimited(table, "\t"),
    "jsonl": jsonl,
    "jsonl with BOM": lambda table: b"\xef\xbb\xbf" + jsonl(table),
    "parquet": lambda table: arrow(table, parquet.write_table),
    "arrow file": lambda table: arrow(table, write_ipc(ipc.new_file)),
    "arrow stream": lambda table: arrow(table, write_ipc(ipc.new_stream)),
    "feather": lambda table: arrow(table, feather.write_feather),
    "csv.gz": lambda table: gzip.compress(delimited(table, ",")),
    "tsv.bz2": lambda table: bz2.compress(delimited(table, "\t")),
    "jsonl.xz": lambda table: lzma.compress(jsonl(table)),
}
OBJECTS: dict[str, Callable[[dict[str, list[Any]]], object]] = {
    "dict of lists": dict,
    "dict of arrays": lambda table: {name: np.asarray(column) for name, column in table.items()},
    "dict of series": lambda table: {name: pd.Series(column) for name, column in table.items()},
    "list of dicts": lambda table: [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)],
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "duckdb": lambda table: duckdb.from_arrow(pa.table(table)),
    "structured array": lambda table: pd.DataFrame(table).to_records(index=False),
}


def assert_holds(rows: LabelledRows, table: dict[str, list[Any]]) -> None:
    def labels(column: Any) -> list[Any]:
        encoded = encode_labels(column)
        return [encoded.values[code] for code in encoded.codes.tolist()]

    assert labels(rows.truth) == table["truth"]
    assert labels(rows.predicted["predicted"]) == table["predicted"]
    assert list(rows.scores) == ["score"]
    assert rows.scores["score"].dtype == np.float64
    assert rows.scores["score"].tolist() == table["score"]
    assert (None if rows.weight is None else rows.weight.tolist()) == table.get("weight")
    assert rows.columns == {role: (role,) for role in table}
    assert rows.num_rows == len(rows) == 3
    assert len(rows.guessed) == len(table.keys() - {"weight"})


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("write", FILES.values(), ids=FILES)
def test_every_format_gives_the_same(
    write: Callable[[dict[str, list[Any]]], bytes], table: dict[str, list[Any]], tmp_path: Path
) -> None:
    path = tmp_path / "data"
    path.write_bytes(write(table))
    assert_holds(read_labelled(path, weight=weight_in(table)), table)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_every_object_gives_the_same(
    make: Callable[[dict[str, list[Any]]], object], table: dict[str, list[Any]]
) -> None:
    rows = labelled_from(make(table), weight=weight_in(table))
    assert_holds(rows, table)
    assert labelled_from(rows) is rows


@pytest.mark.parametrize("write", [FILES["csv"], FILES["parquet"], FILES["csv.gz"]])
def test_standard_input(write: Callable[[dict[str, list[Any]]], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(write(WORDS))))
    rows = read_labelled("-", weight="weight")
    assert_holds(rows, WORDS)
    assert rows.source == "<stdin>"


def read(content: str | bytes, folder: Path, **asked: Any) -> LabelledRows:
    path = folder / "dev.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_labelled(path, **asked)


LABELS = [
    # truth         predicted      expected truth   why
    ("1 0", "0 1", [1, 0], "all are integers"),
    ("1 0", "0 x", ["1", "0"], "a word among the predictions makes text of the truth too"),
    ("1.0 0", "0 1", [1.0, 0.0], "all are numbers"),
    ("007 1", "1 1", ["007", "1"], "a code with zeros in front is text"),
    ("12345678901234567890 1", "1 1", ["12345678901234567890", "1"], "too long for a number of 64 bits: an id"),
    ("True false", "TRUE True", [True, False], "all are spellings of true and false"),
    ("True False", "1 0", [True, False], "digits beside truth values are truth values"),
    ("True False", "True maybe", ["True", "False"], "a word among truth values makes text of all"),
    ("True 1", "True 0", ["True", "1"], "a column of words and digits is not truth-valued"),
    ("none NA", "NA cat", ["none", "NA"], "words among words"),
]


@pytest.mark.parametrize(("truth", "predicted", "expected", "why"), LABELS)
def test_which_labels_are_numbers(truth: str, predicted: str, expected: list[Any], why: str, tmp_path: Path) -> None:
    lines = [f" {a} ,{b}" for a, b in zip(truth.split(), predicted.split(), strict=True)]
    found = np.asarray(read("truth,predicted\n" + "\n".join(lines), tmp_path).truth).tolist()
    assert found == expected, why
    assert {isinstance(label, str) for label in found} == {isinstance(label, str) for label in expected}


def test_a_file_without_a_header_takes_numbers_of_columns(tmp_path: Path) -> None:
    rows = read("1 0.5\n0  0.25\n1 2\n", tmp_path, truth=1, score="2")
    assert rows.truth.tolist() == [1, 0, 1]
    assert rows.scores["2"].tolist() == [0.5, 0.25, 2]
    assert rows.columns == {"truth": ("1",), "score": ("2",)}
    assert rows.guessed == ()


def test_the_first_row_without_a_header_may_look_like_the_numbers_asked_for(tmp_path: Path) -> None:
    assert read("1,2\n0,5\n", tmp_path, truth=1, score=2).num_rows == 2


def test_names_of_columns_may_be_numbers(tmp_path: Path) -> None:
    rows = read("id,1,2\na,0,.5\n", tmp_path, truth=1, score=2)
    assert (rows.truth.tolist(), rows.scores["2"].tolist()) == ([0], [0.5])


def test_probabilities_have_the_labels_of_the_truth(tmp_path: Path) -> None:
    words = read("truth,p_cat,p_dog\ncat,.75,.25\n", tmp_path, probabilities="p").probabilities["p"]
    assert {label: column.tolist() for label, column in words.items()} == {"cat": [0.75], "dog": [0.25]}
    numbers = read("truth,p_0,p_1\n1,.75,.25\n", tmp_path, score="p_*").probabilities
    assert list(numbers["p_"]) == [0, 1]
    truths = labelled_from({"truth": [True], "p_false": [0.5], "p_true": [0.5]}, probabilities="p").probabilities
    assert list(truths["p"]) == [False, True]


@pytest.mark.parametrize("make", [pd.DataFrame, dict])
def test_the_order_of_categories_is_kept(make: Callable[[dict[str, Any]], object]) -> None:
    levels = pd.Series(pd.Categorical(["low", "high"], categories=["low", "high"], ordered=True))
    assert encode_labels(labelled_from(make({"truth": levels, "score": [1, 2]})).truth).values == ("low", "high")


def test_ids_come_along_when_asked_for(tmp_path: Path) -> None:
    assert read("name,truth,score\n a ,1,2\nb,0,3\n", tmp_path, id="name").ids == ["a", "b"]


A_NUMBER = "for predicted labels use `predicted=…`"
DECIMAL_POINT = 'use `decimal=","` if the comma is a decimal point'
FILL_IN = 'exclude these rows with `missing="exclude"`, or fill in the values'
IS_IT = "check that this is the right file"
UTF_16 = 'use `encoding="utf-16"`, or save the file as UTF-8'


def lacks(column: str, rows: str, where: str = "") -> str:
    count = rows.partition(" ")[0]
    found = f"found none in {rows} rows ({column}: {count}), first in column {column!r}"
    return f"expected a value in every row, {found}{where}"


BAD_FILES = [
    # content, what is asked for, line, problem, hint
    ("", {}, None, "expected data, found an empty file", IS_IT),
    ("\n \n", {}, None, "expected data, found only blank lines", IS_IT),
    ("truth,score\n", {}, None, "expected rows, found none", IS_IT),
    ("truth,score\n1,2\n\n1\n", {}, 4, "expected 2 fields (truth, score), found 1: '1'", None),
    ("truth,score\n1,2,3\n1\n", {}, 2, "expected 2 fields (truth, score), found 3: '1,2,3'", None),
    ("truth,score\n1,\n", {}, 2, lacks("score", "1 of 1"), FILL_IN),
    ("truth,score\n,1\n", {}, 2, lacks("truth", "1 of 1"), FILL_IN),
    ("truth,score\n1,2\n0,nan\n", {}, 3, lacks("score", "1 of 2"), FILL_IN),
    ("truth,score\n1,2\n0,NA\n", {}, 3, lacks("score", "1 of 2"), FILL_IN),
    ("truth,score\n1,2\n0,high\n", {}, 3, "expected a number as score in column 'score', found 'high'", A_NUMBER),
    ("truth;score\n1;0,3\n", {}, 2, "expected a number as score in column 'score', found '0,3'", DECIMAL_POINT),
    ("truth,predicted\n1,0\n0,None\n", {}, 3, lacks("predicted", "1 of 2"), FILL_IN),
    ("truth,predicted\ncat,NaN\n", {}, 2, lacks("predicted", "1 of 1"), FILL_IN),
    ("truth,score,w\n1,2,-1\n", {"weight": "w"}, 2, "expected a finite weight ≥ 0 in column 'w', found -1", None),
    ("truth,score,w\n1,2,inf\n", {"weight": "w"}, 2, "expected a finite weight ≥ 0 in column 'w', found inf", None),
    (
        'truth,note,score\n1,"a\nb",2\n1,c,x\n',
        {},
        4,
        "expected a number as score in column 'score', found 'x'",
        A_NUMBER,
    ),
    (
        'truth,score\n"a,2\n',
        {},
        2,
        "cannot split the line into fields: unexpected end of data",
        'close every field that starts with a quote ("), and double quotes inside it ("")',
    ),
    (
        "truth,score\n1,2\n",
        {"truth": 1, "score": 2},
        1,
        "expected a row of data, found a header: 'truth', 'score'",
        "use column names, as in `truth='truth'`",
    ),
    (
        "a,b\n1,2\n",
        {"truth": 1, "score": 2},
        1,
        "expected a number as score in column '2', found 'b'",
        "if the first line is a header, use column names",
    ),
    (b"truth\x00\x01\xff", {}, 1, "expected text, found byte 0x00 (binary data?): 'truth\\x00\\x01\\udcff'", IS_IT),
    (
        b"PK\x03\x04abc",
        {},
        1,
        "expected text, found byte 0x03 (binary data?): 'PK\\x03\\x04abc'",
        "this is a .zip archive; unpack it first",
    ),
    ("truth,score\n".encode("utf-16"), {}, None, "expected UTF-8 text, found UTF-16", UTF_16),
    (
        '{"truth": 1, "score": 2}\n{"truth": 1}\n',
        {},
        2,
        "expected the key 'score', found 'truth'",
        None,
    ),
    ('{"truth": 1, "score": null}\n', {}, 1, lacks("score", "1 of 1"), FILL_IN),
    ('{"truth": 1, "score": "x"}\n', {}, 1, "expected a number as score in column 'score', found 'x'", None),
    ('{"truth": 1, "score": true}\n', {}, 1, "expected a number as score in column 'score', found True", None),
    ('{"truth": [1], "score": 1}\n', {}, 1, "expected one label in column 'truth', found [1]", None),
    ('{"truth": 1, "score": 2}\n\n5\n', {}, 3, "expected a JSON object, found '5'", None),
    (
        '{"truth": 1, "truth": 2}\n',
        {},
        1,
        'expected a JSON object, found \'{"truth": 1, "truth": 2}\' (duplicate key)',
        None,
    ),
    (
        '[{"truth": 1}]',
        {},
        1,
        "expected one JSON object per line, found '[{\"truth\": 1}]'",
        "convert a JSON list with `jq -c '.[]'`",
    ),
]


@pytest.mark.parametrize(("content", "asked", "line", "problem", "hint"), BAD_FILES)
def test_bad_files(
    content: str | bytes, asked: dict[str, Any], line: int | None, problem: str, hint: str | None, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(content, tmp_path, **asked)
    assert (caught.value.line, caught.value.problem, caught.value.hint) == (line, problem, hint)


NO_TRUTH = lacks("truth", "1 of 2", " in row 2")
NO_SCORE = lacks("score", "1 of 2", " in row 2")
TWO = [1, 2]
BAD_OBJECTS = [
    ({"truth": [1, 2], "score": [1.0]}, "expected columns of equal length, found 2 in 'truth', 1 in 'score'"),
    ({"truth": [], "score": []}, "expected rows, found none"),
    ([], "expected rows, found none"),
    ([{"truth": 1, "score": 2}, {"truth": 1}], "expected 'score' in every row, found none in row 2"),
    ([{"truth": 1, "score": 2}, 5], "expected a list of dicts, found 5 as row 2"),
    ({"truth": 1, "score": [2]}, "expected a list or an array as column 'truth', found int"),
    ({"truth": [1, None], "score": TWO}, NO_TRUTH),
    ({"truth": pd.Series([1, pd.NA], dtype=object), "score": TWO}, NO_TRUTH),
    ({"truth": pd.Series(pd.Categorical(["a", None])), "score": TWO}, NO_TRUTH),
    (pa.table({"truth": ["a", None], "score": TWO}), NO_TRUTH),
    ({"truth": ["a", ""], "score": TWO}, NO_TRUTH),
    ({"truth": np.asarray(["a", ""]), "score": TWO}, NO_TRUTH),
    (pa.table({"truth": ["a", ""], "score": TWO}), NO_TRUTH),
    ({"truth": np.asarray([1, np.nan]), "score": TWO}, NO_TRUTH),
    (pa.table({"truth": [1.0, float("nan")], "score": TWO}), NO_TRUTH),
    ({"truth": np.ones((2, 2)), "score": TWO}, "expected one column as 'truth', found an array of shape (2, 2)"),
    (
        pa.table({"truth": TWO, "score": ["1", "2"]}),
        "expected numbers as score in column 'score', found a column of string",
    ),
    (pl.DataFrame({"truth": TWO, "score": [1, None]}), NO_SCORE),
    (pa.table({"truth": TWO, "score": [1, float("nan")]}), NO_SCORE),
    (
        {"truth": TWO, "score": [1, 10**400]},
        "expected numbers as score in column 'score', found one too large for a float",
    ),
    ({"truth": TWO, "score": [1, float("nan")]}, NO_SCORE),
    (5, "expected a dict of columns, a list of dicts, a structured NumPy array or a data frame, found int"),
]


@pytest.mark.parametrize(("data", "problem"), BAD_OBJECTS)
def test_bad_objects(data: object, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        labelled_from(data)
    assert caught.value.message == f"data: {problem}"


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dev\.csv: invalid Parquet file: "):
        read(FILES["parquet"](NUMBERS)[:-20], tmp_path)


def test_an_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(GermaneError, match=r"unknown format 'cvs'; did you mean csv\?"):
        read("truth,score\n1,2\n", tmp_path, format="cvs")


def test_a_format_that_is_told_overrules(tmp_path: Path) -> None:
    rows = read("truth\tscore,x\n1\t2\n", tmp_path, format="tsv", score="score,x")
    assert rows.scores["score,x"].tolist() == [2]


FIELD = st.text(string.ascii_letters + " ,;\"'\t\n#é007", min_size=1, max_size=6).filter(
    lambda text: text.strip() and text.strip().lower() != "nan"
)


@given(st.lists(st.tuples(FIELD, FIELD, st.floats(allow_nan=False)), min_size=1, max_size=8), st.sampled_from(",\t"))
def test_what_the_csv_module_writes_is_read_back(rows: list[tuple[str, str, float]], delimiter: str) -> None:
    rows.append(("word", "word", 0.0))  # so that labels are text
    truth, predicted, score = (list(column) for column in zip(*rows, strict=True))
    with tempfile.NamedTemporaryFile() as file:
        file.write(delimited({"truth": truth, "predicted": predicted, "score": score}, delimiter))
        file.flush()
        found = read_labelled(file.name)
    assert found.truth == [label.strip() for label in truth]
    assert found.predicted["predicted"] == [label.strip() for label in predicted]
    assert found.scores["score"].tolist() == score


@given(st.binary(max_size=60))
def test_junk_is_an_error_or_rows(junk: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"truth,score\n" * (len(junk) % 2) + junk)
        file.flush()
        with suppress(GermaneError):
            assert read_labelled(file.name).num_rows > 0
