"""A table of labels and scores is the same table in every format and every library, whatever its spellings."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from germane.errors import InputError
from germane.formats.decisions.labelled_rows import LabelledRows, labelled_from, read_labelled, stream_labelled
from germane.formats.decisions.labelled_scan import RowScanner
from germane.tables.decisions.labels import encode_labels

Table = Mapping[str, list[Any]]
Read = tuple[list[Any], list[Any], list[float], list[float], list[tuple[str, int | None, tuple[str, ...]]]]
NUMERIC = ("score", "weight")
COLUMNS: Any = {"truth": "truth", "predicted": "predicted", "score": "score", "weight": "weight"}


def text(table: Table, delimiter: str, decimal: str = ".", missing: str = "") -> str:
    target = io.StringIO()
    writer = csv.writer(target, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        fields = [missing if value is None else value for value in row]
        writer.writerow([str(f).replace(".", decimal) if isinstance(f, float) else f for f in fields])
    return target.getvalue()


def arrow(table: Table) -> pa.Table:
    kinds = {"truth": pa.string(), "predicted": pa.string(), "score": pa.float64(), "weight": pa.float64()}
    return pa.table({name: pa.array(values, kinds[name]) for name, values in table.items()})


def from_file(content: bytes, parts: int | None, **how: Any) -> Read:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data")
        path.write_bytes(content)
        if parts is None:
            return found(read_labelled(path, missing="exclude", **how, **COLUMNS))
        return found(*stream_labelled(path, batch_rows=parts, missing="exclude", **how, **COLUMNS))


def from_data(data: Any) -> Read:
    return found(labelled_from(data, missing="exclude", **COLUMNS))


def found(*parts: LabelledRows) -> Read:
    """All that the rows hold, with the notes of the whole reading."""

    def labels(column: Any) -> list[Any]:
        encoded = encode_labels(column)
        return [encoded.values[code] for code in encoded.codes.tolist()]

    notes = [(note.code, note.count, note.examples) for note in parts[-1].notes]
    truth, predicted = ([label for p in parts for label in labels(column(p))] for column in (_truth, _predicted))
    score = [value for p in parts for value in p.scores["score"].tolist()]
    weight = [value for p in parts if p.weight is not None for value in p.weight.tolist()]
    return truth, predicted, score, weight, notes


def _truth(rows: LabelledRows) -> Any:
    return rows.truth


def _predicted(rows: LabelledRows) -> Any:
    return rows.predicted["predicted"]


def plainly(table: Table) -> Read:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowScanner, "blocks", lambda _: iter(()))
        return from_file(text(table, ",").encode(), None)


def jsonl(table: Table) -> bytes:
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet_bytes(table: Table) -> bytes:
    target = io.BytesIO()
    parquet.write_table(arrow(table), target, row_group_size=2)
    return target.getvalue()


def arrow_bytes(table: Table) -> bytes:
    target = io.BytesIO()
    with ipc.new_stream(target, arrow(table).schema) as writer:
        writer.write_table(arrow(table), max_chunksize=2)
    return target.getvalue()


def numpy_texts(table: Table) -> dict[str, Any]:
    return {
        name: np.asarray(["" if value is None else value for value in values])
        if name in ("truth", "predicted")
        else np.asarray(values, dtype=np.float64)
        for name, values in table.items()
    }


PATHS: dict[str, Callable[[Table], Read]] = {
    "csv": lambda table: from_file(text(table, ",").encode(), None),
    "csv read plainly": plainly,
    "csv with NaN": lambda table: from_file(text(table, ",", missing="NaN").encode(), None),
    "csv with BOM": lambda table: from_file(("\ufeff" + text(table, ",")).encode(), None),
    "tsv": lambda table: from_file(text(table, "\t").encode(), None),
    "semicolons and decimal commas": lambda table: from_file(text(table, ";", ",").encode(), None, decimal=","),
    "utf-16": lambda table: from_file(text(table, ",").encode("utf-16"), None, encoding="utf-16"),
    "cp1252": lambda table: from_file(text(table, ",").encode("cp1252"), None, encoding="cp1252"),
    "csv in parts": lambda table: from_file(text(table, ",").encode(), 100),
    "jsonl": lambda table: from_file(jsonl(table), None),
    "parquet": lambda table: from_file(parquet_bytes(table), None),
    "parquet in parts": lambda table: from_file(parquet_bytes(table), 100),
    "arrow": lambda table: from_file(arrow_bytes(table), None),
    "lists": from_data,
    "rows": lambda table: from_data([dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]),
    "arrays of text": lambda table: from_data(numpy_texts(table)),
    "pandas": lambda table: from_data(pd.DataFrame(table)),
    "pandas categories": lambda table: from_data(
        pd.DataFrame(table).astype({"truth": "category", "predicted": "category"})
    ),
    "polars": lambda table: from_data(pl.DataFrame(table, schema_overrides=dict.fromkeys(NUMERIC, pl.Float64))),
    "pyarrow": lambda table: from_data(arrow(table)),
    "dictionaries": lambda table: from_data(
        arrow(table).set_column(0, "truth", arrow(table).column("truth").dictionary_encode())
    ),
}


def outcome(read: Callable[[Table], Read], table: Table) -> Read | str:
    """What is read, or the error without the place, which differs."""
    try:
        return read(table)
    except InputError as error:
        return error.problem.partition(" (")[0]


LATE = "as in all previous rows"
TRUTHS = st.sampled_from(["True", "TRUE", "true", "False", "FALSE", "false", None])
WORDS = st.sampled_from(["True", "true", "maybe", "NA", "none", "é", None])
NUMBERS = st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.25]))
WEIGHTS = st.one_of(st.none(), st.sampled_from([1.0, 2.0]))


def tables(labels: st.SearchStrategy[Any]) -> st.SearchStrategy[Table]:
    rows = st.lists(st.tuples(labels, labels, NUMBERS, WEIGHTS), min_size=1, max_size=8)
    return rows.map(lambda each: dict(zip(COLUMNS, map(list, zip(*each, strict=True)), strict=True)))


@pytest.mark.parametrize("name", [name for name in PATHS if name != "csv"])
@given(table=st.one_of(tables(TRUTHS), tables(WORDS)))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
def test_every_path_reads_the_same(name: str, table: Table) -> None:
    read = outcome(PATHS[name], table)
    if name == "parquet in parts" and isinstance(read, str) and LATE in read:
        return  # its first part has only truth values, and a later one another word
    assert read == outcome(PATHS["csv"], table)


def test_the_law_catches_a_reader_that_keeps_the_spellings() -> None:
    table: Table = {
        "truth": ["True", "TRUE"],
        "predicted": ["true", "False"],
        "score": [0.5, None],
        "weight": [1.0, 1.0],
    }

    def careless(table: Table) -> Read:
        return table["truth"], table["predicted"], table["score"], table["weight"], []

    assert outcome(careless, table) != outcome(PATHS["csv"], table)
    assert outcome(PATHS["csv"], table) == (
        [True],
        [True],
        [0.5],
        [1.0],
        [
            ("missing-excluded", 1, ("score: 1",)),
            ("truth-valued", 4, ("False", "TRUE", "True", "true")),
        ],
    )
