from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from germane.errors import InputError
from germane.tables.decisions.labels import MOST_FRACTIONS, MOST_LABELS, encode_labels

WORDS = ["dog", "cat", "dog", "bird"]
COLUMNS: list[tuple[Any, tuple[Any, ...], list[int], str]] = [
    # column                                      values                      codes           why
    (WORDS,                                       ("bird", "cat", "dog"),     [2, 1, 2, 0],   "text by code point"),
    (tuple(WORDS),                                ("bird", "cat", "dog"),     [2, 1, 2, 0],   "a tuple"),
    (np.array(WORDS),                             ("bird", "cat", "dog"),     [2, 1, 2, 0],   "fixed width"),
    (np.array(WORDS, dtype=object),               ("bird", "cat", "dog"),     [2, 1, 2, 0],   "objects"),
    (np.array(WORDS, dtype="S"),                  ("bird", "cat", "dog"),     [2, 1, 2, 0],   "bytes are text"),
    (np.array(WORDS)[::-1],                       ("bird", "cat", "dog"),     [0, 2, 1, 2],   "every other way round"),
    (pd.Series(WORDS),                            ("bird", "cat", "dog"),     [2, 1, 2, 0],   "pandas"),
    (pd.Series(WORDS, dtype="string"),            ("bird", "cat", "dog"),     [2, 1, 2, 0],   "pandas, text"),
    (pd.Series(WORDS, dtype="category"),          ("bird", "cat", "dog"),     [2, 1, 2, 0],   "pandas, categories"),
    (pd.Categorical(["b", "a"], ["b", "a", "c"]), ("a", "b"),                 [1, 0],         "no order: sorted"),
    (pd.Categorical(["b", "a"], ["b", "a", "c"], ordered=True),
                                                  ("b", "a", "c"),            [0, 1],         "an order is kept"),
    (pl.Series(WORDS),                            ("bird", "cat", "dog"),     [2, 1, 2, 0],   "polars"),
    (pl.Series(WORDS, dtype=pl.Categorical),      ("bird", "cat", "dog"),     [2, 1, 2, 0],   "polars, categories"),
    (pl.Series([3, 1]),                           (1, 3),                     [1, 0],         "polars, numbers"),
    (pa.array(WORDS),                             ("bird", "cat", "dog"),     [2, 1, 2, 0],   "Arrow"),
    (pa.chunked_array([["b"], ["a", "b"]]),       ("a", "b"),                 [1, 0, 1],      "Arrow, two chunks"),
    (pa.chunked_array([pa.array(["b"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]),
                                                  ("a", "b"),                 [1, 0, 1],      "two dictionaries"),
    (pa.array([True, False]),                     (False, True),              [1, 0],         "Arrow, truth values"),
    (pa.array([10, 9]).dictionary_encode(),       (9, 10),                    [1, 0],         "Arrow, numbers encoded"),
    ([10, 9, 10],                                 (9, 10),                    [1, 0, 1],      "numbers by value"),
    (["10", "9"],                                 ("10", "9"),                [0, 1],         "text, not numbers"),
    (np.array([10, -9], dtype=np.int8),           (-9, 10),                   [1, 0],         "narrow numbers"),
    (np.array([2**64 - 1, 0], dtype=np.uint64),   (0, 2**64 - 1),             [1, 0],         "numbers beyond int64"),
    (np.array([True, False]),                     (False, True),              [1, 0],         "truth values"),
    ([np.True_, np.False_],                       (False, True),              [1, 0],         "truth values of NumPy"),
    (np.array([1.0, 0.0, -0.0]),                  (0, 1),                     [1, 0, 0],      "whole floats; one zero"),
    ([0.5, 1.0],                                  (0.5, 1.0),                 [0, 1],         "a few fractions"),
    (np.array(["é", "z", "日本"]),                 ("z", "é", "日本"),           [1, 0, 2],      "code points"),
    ([],                                          (),                         [],             "no rows"),
    (np.array([], dtype=np.int64),                (),                         [],             "no rows"),
    (pa.chunked_array([], type=pa.string()),      (),                         [],             "no rows"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "values", "codes", "why"), COLUMNS, ids=[row[-1] for row in COLUMNS])
def test_labels_and_codes(column: Any, values: tuple[Any, ...], codes: list[int], why: str) -> None:
    found = encode_labels(column)
    assert (found.values, found.codes.tolist()) == (values, codes), why
    assert [type(value) for value in found.values] == [type(value) for value in values], why


NO_LABELS: list[tuple[Any, str]] = [
    # column                                          the error says
    (["a", None],                                     r"found none \(None\) in row 2"),
    (["a", float("nan")],                             r"found none \(nan\) in row 2"),
    (np.array([1.0, np.nan]),                         r"found none \(nan\) in row 2"),
    (pd.Series(["a", None], dtype="string"),          "in row 2"),
    (pd.Series([1, None], dtype="Int64"),             "in row 2"),
    (pd.Categorical(["a", None]),                     "in row 2"),
    (pl.Series(["a", None]),                          "in row 2"),
    (pa.array(["a", None]),                           "in row 2"),
    (["a", "b", 1],                                   r"found 'a' and 1 \(row 3\)"),
    ([["a"], ["b"]],                                  r"found \['a'\] \(list\) in row 1"),
    ([("a",), ("b",)],                                r"found \('a',\) \(tuple\) in row 1"),
    (np.zeros((2, 2)),                                r"found an array of shape \(2, 2\)"),
    (np.array(["2020-01-01"], dtype="datetime64[D]"), "found an array of datetime64"),
    (np.linspace(0, 1, MOST_FRACTIONS + 3),           f"found {MOST_FRACTIONS + 1} numbers that are not whole"),
    (np.arange(MOST_LABELS + 1),                      "found more than 10,000 different values"),
    (pa.array([[1]]),                                 "found a column of list"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "message"), NO_LABELS, ids=[row[-1] for row in NO_LABELS])
def test_what_is_no_label_is_an_error(column: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_labels(column, "truth", "data.csv")


def test_an_error_names_the_source_and_the_role() -> None:
    with pytest.raises(InputError, match=r"data.csv: expected a label as truth in every row"):
        encode_labels(["a", None], "truth", "data.csv")
