"""Spellings of truth values, missing values, decimal commas and encodings: what is read, noted and refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import labelled_from, read_labelled, stream_labelled


def read(content: str | bytes, folder: Path, **how: Any) -> Any:
    path = folder / "dev.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_labelled(path, **how)


def notes(rows: Any) -> dict[str, str]:
    return {note.code: f"{note.message} ({', '.join(note.examples)})" for note in rows.notes}


SPELLED = "of true and false are treated as the labels True and False"
TRUTHS = [
    # truth               predicted            expected             spellings noted
    ("True False",        "True True",         [True, False],       None),
    ("true false",        "TRUE True",         [True, False],       f"4 spellings {SPELLED} (TRUE, True, false, true)"),
    ("TRUE FALSE",        "1 0",               [True, False],       f"4 spellings {SPELLED} (0, 1, FALSE, TRUE)"),
    ("true",              "True",              [True],              f"2 spellings {SPELLED} (True, true)"),
    ("True False",        "True maybe",        ["True", "False"],   None),
    ("True False",        "0 2",               ["True", "False"],   None),
    ("yes no",            "True False",        ["yes", "no"],       None),
]  # fmt: skip


@pytest.mark.parametrize(("truth", "predicted", "expected", "noted"), TRUTHS)
def test_spellings_of_truth_values(
    truth: str, predicted: str, expected: list[Any], noted: str | None, tmp_path: Path
) -> None:
    columns = {"truth": truth.split(), "predicted": predicted.split()}
    rows = [",".join(row) for row in zip(*columns.values(), strict=True)]
    for found in (read("truth,predicted\n" + "\n".join(rows), tmp_path), labelled_from(columns)):
        if found.source == "data" and predicted in ("1 0", "0 2"):
            continue  # text in memory stays text: only a file has to tell numbers from it
        assert np.asarray(found.truth).tolist() == expected
        assert notes(found).get("truth-valued") == noted


def test_text_of_truth_values_is_equal_to_a_boolean_column() -> None:
    table = pa.table({"truth": [True, False, True], "predicted": ["TRUE", "FALSE", "false"]})
    rows = labelled_from(table)
    assert rows.predicted["predicted"].tolist() == [True, False, False]
    numbers = labelled_from({"truth": ["true", "False"], "predicted": np.asarray([1, 0])})
    assert numbers.truth.tolist() == [True, False]
    assert labelled_from({"truth": ["true", "False"], "predicted": np.asarray([1, 2])}).truth == ["true", "False"]


def test_a_word_after_truth_values_in_a_stream_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("truth,predicted\ntrue,True\nfalse,True\ntrue,maybe\n")
    with pytest.raises(InputError) as caught:
        list(stream_labelled(path, batch_rows=2))
    assert caught.value.line == 4
    assert caught.value.problem == (
        "expected true or false in column 'predicted', as in all previous rows, found 'maybe'"
    )
    parquet.write_table(pa.table({"truth": ["true", "no"], "score": [1, 2]}), path, row_group_size=1)
    with pytest.raises(InputError, match=r"expected true or false in column 'truth', .* found 'no' in row 2"):
        list(stream_labelled(path, batch_rows=1))


MISSING = """truth,old,new,score,weight
a,b,a,0.5,1
,a,b,NA,1
b,nan,,0.25,2
NA,b,b,none,
a,a,a,0.75,1
"""
ALL = {"predicted": ["old", "new"], "score": "score", "weight": "weight"}


def test_missing_values_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(MISSING, tmp_path, **ALL)
    assert caught.value.line == 3
    assert caught.value.problem == (
        "expected a value in every row, found none in 3 of 5 rows (truth: 1, old: 1, new: 1, score: 2, weight: 1), "
        "first in column 'truth'"
    )
    rows = read(MISSING, tmp_path, missing="exclude", **ALL)
    assert (rows.truth, rows.scores["score"].tolist(), rows.weight.tolist()) == (["a", "a"], [0.5, 0.75], [1, 1])
    assert notes(rows) == {
        "missing-excluded": "3 of 5 rows excluded for all classifiers, because values are missing; check whether they "
        "are missing at random (truth: 1, old: 1, new: 1, score: 2, weight: 1)",
        "like-missing": "'NA' treated as a label, not as a missing value; empty these cells if they have no label ()",
    }


def test_rows_that_lack_a_probability_or_an_id_are_excluded(tmp_path: Path) -> None:
    text = "truth,p_a,p_b,id\na,.5,.5,x\nb,,1,y\nb,0,1,\na,1,0,z\n"
    rows = read(text, tmp_path, missing="exclude", probabilities="p", id="id")
    assert (rows.truth, rows.ids) == (["a", "a"], ["x", "z"])
    assert {label: column.tolist() for label, column in rows.probabilities["p"].items()} == {
        "a": [0.5, 1],
        "b": [0.5, 0],
    }


def test_no_row_without_missing_values(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read("truth,score\n1,\n,2\n", tmp_path, missing="exclude")
    assert str(caught.value).endswith(
        "expected some rows without missing values, found none in 2 of 2 rows (truth: 1, score: 1)\n"
        "Hint: name only columns that have values, or fill them in"
    )


def test_the_error_of_a_stream_counts_all_rows(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("truth,score\n" + "1,0.5\n0,\n" * 5)
    with pytest.raises(InputError, match=r"data:3: .* found none in 5 of 10 rows \(score: 5\)"):
        list(stream_labelled(path, batch_rows=3))
    parts = list(stream_labelled(path, batch_rows=2, missing="exclude"))
    assert [len(part) for part in parts] == [1] * 5
    assert notes(parts[-1])["missing-excluded"].startswith("5 of 10 rows excluded, because")


WORDS = [
    # column of labels                    what is missing    why
    (["Nan", "x", ""],                    [True, False, True],   "a text nan comes from a missing number"),
    (["NA", "None", "x"],                 [False] * 3,           "words among words, such as Namibia's code"),
    (["NA", "#N/A", "true"],              [True, True, False],   "no truth value is called NA"),
    ([1, "null", 2],                      [False, True, False],  "no number is called null"),
    ([1, None, float("nan")],             [False, True, True],   "nulls"),
    ([pd.NA, "a", "b"],                   [True, False, False],  "pandas' null"),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "absent", "why"), WORDS)
def test_which_labels_are_missing(labels: list[Any], absent: list[bool], why: str, tmp_path: Path) -> None:
    kept = [number for number, gone in enumerate(absent) if not gone]
    rows = labelled_from({"truth": labels, "score": [0.0, 1.0, 2.0]}, missing="exclude")
    assert rows.scores["score"].tolist() == kept, why
    fields = ["" if value is None or value is pd.NA else str(value) for value in labels]
    lines = "".join(f"{field},{number}\n" for number, field in enumerate(fields))
    assert read("truth,score\n" + lines, tmp_path, missing="exclude").scores["score"].tolist() == kept, why


def test_a_way_to_handle_missing_values_that_is_unknown() -> None:
    with pytest.raises(GermaneError, match=r"unknown way to handle missing values 'excluded'; did you mean exclude\?"):
        labelled_from({"truth": [1], "score": [1]}, missing="excluded")  # type: ignore[arg-type]


EXCEL = "truth;score;weight\n1;0,93;1\n0;1,5E-05;2,5\n1;1;1\n"


def test_decimal_commas_of_a_spreadsheet(tmp_path: Path) -> None:
    rows = read("\ufeff" + EXCEL.replace("\n", "\r\n"), tmp_path, decimal=",", weight="weight")
    assert (rows.scores["score"].tolist(), rows.weight.tolist()) == ([0.93, 1.5e-05, 1], [1, 2.5, 1])
    numbers = read("truth;predicted\n0,5;1\n2,5;-1,5\n", tmp_path, decimal=",")
    assert (numbers.truth.tolist(), numbers.predicted["predicted"].tolist()) == ([0.5, 2.5], [1, -1.5])
    quoted = read('truth,score\n1,"0,5"\n', tmp_path, decimal=",")
    assert quoted.scores["score"].tolist() == [0.5]


USE_DECIMAL = 'use `decimal=","` if the comma is a decimal point'
REFUSED = [
    # content, how, line, problem, hint
    (EXCEL, {}, 2, "expected a number as score in column 'score', found '0,93'", USE_DECIMAL),
    (
        "truth;score\n1;0,5\n1;1.234,5\n",
        {"decimal": ","},
        3,
        "expected a number with a decimal comma as score in column 'score', found '1.234,5'",
        "for predicted labels use `predicted=…`",
    ),
    (
        "truth;score\n1;0.5\n",
        {"decimal": ","},
        2,
        "expected a number with a decimal comma as score in column 'score', found '0.5'",
        "remove `decimal=`, or write all numbers with a comma",
    ),
    (
        "truth;predicted\n1;1\n0,93;1\n",
        {},
        3,
        "expected labels in column 'truth', found '0,93', a number with a comma",
        'use `decimal=","`, or write such labels with another character',
    ),
    (
        "truth,predicted\nthé,thé\n".encode("cp1252"),
        {},
        2,
        "expected UTF-8 text in column 'truth', found 'th\\udce9'",
        "use `encoding=\"cp1252\"` if it should be 'thé', or save the file as UTF-8",
    ),
    (
        "Wörter,truth,score\na,1,2\n".encode("cp1252"),
        {},
        1,
        "expected UTF-8 text as names of columns, found 'W\\udcf6rter'",
        "use `encoding=\"cp1252\"` if it should be 'Wörter', or save the file as UTF-8",
    ),
    (
        "truth,predicted\n\x81é,b\n".encode("latin-1"),
        {},
        2,
        "expected UTF-8 text in column 'truth', found '\\udc81\\udce9'",
        "use `encoding=\"latin-1\"` if it should be '\\x81é', or save the file as UTF-8",
    ),
    (
        "truth,score\n1,2\n".encode("utf-16-le"),
        {},
        None,
        "expected UTF-8 text, found UTF-16-LE",
        'use `encoding="utf-16-le"`, or save the file as UTF-8',
    ),
    (
        b"truth,predicted\na,b\nb,\xff\n",
        {"encoding": "ascii"},
        3,
        "expected text in ascii, found bytes that are not",
        "name another encoding: `encoding=…`, such as utf-8, cp1252, latin-1, utf-16",
    ),
]


@pytest.mark.parametrize(("content", "how", "line", "problem", "hint"), REFUSED)
def test_numbers_and_letters_written_otherwise_are_refused(
    content: str | bytes, how: dict[str, Any], line: int | None, problem: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(content, tmp_path, **how)
    assert (caught.value.line, caught.value.problem, caught.value.hint) == (line, problem.encode().decode(), hint)


def test_labels_that_look_like_decimals_among_words(tmp_path: Path) -> None:
    rows = read("truth;predicted\n0,93;a\nb;a\n", tmp_path)
    assert rows.truth == ["0,93", "b"]
    what = "treated as text, not as numbers with a decimal comma, because other labels are words"
    assert notes(rows) == {"like-decimals": f"'0,93' {what} ()"}


def test_encodings_by_name(tmp_path: Path) -> None:
    for encoding in ("cp1252", "utf-16", "utf-16-be", "Latin-1", "mac-roman", "utf-8"):
        rows = read("truth,predicted\nthé,café\n".encode(encoding), tmp_path, encoding=encoding)
        assert (rows.truth, rows.predicted["predicted"]) == (["thé"], ["café"])
    lines = '{"truth": "thé", "score": 1}\n'.encode("utf-16")
    assert read(lines, tmp_path, encoding="utf-16").truth == ["thé"]


NOT_TEXT = [
    (lambda folder: read("truth,score\n1,2\n", folder, encoding="cp1253x"), "unknown encoding 'cp1253x'; did you mean"),
    (lambda folder: read("truth,score\n1,2\n", folder, encoding="base64"), "unknown encoding 'base64'"),
    (lambda folder: read("truth,score\n1,2\n", folder, decimal=";"), "expected a decimal point or comma, found ';'"),
    (lambda folder: read('{"truth": 1, "score": 2}\n', folder, decimal=","), "`decimal=` is not supported with JSONL"),
    (
        lambda folder: labelled_from({"truth": [1], "score": [1]}, encoding="cp1252"),
        "`encoding=` is not supported with a table in memory",
    ),
]


@pytest.mark.parametrize(("call", "said"), NOT_TEXT)
def test_options_of_text_files_where_they_mean_nothing(call: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(GermaneError) as caught:
        call(tmp_path)
    assert said in caught.value.message


def test_options_of_text_files_are_not_for_parquet(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"truth": [1], "score": [2]}), tmp_path / "data")
    with pytest.raises(GermaneError, match="`encoding=` is not supported with Parquet files"):
        read_labelled(tmp_path / "data", encoding="cp1252")


def test_parts_in_another_encoding(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"part-{number}.csv").write_text("truth,score\nthé,2\n", encoding="cp1252")
    assert read_labelled(tmp_path, encoding="cp1252").truth == ["thé", "thé"]
