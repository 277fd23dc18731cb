"""What classification reads: labelled tables, whole and in parts; confusion matrices."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from germane.formats.decisions.confusion_file import read_matrix
from germane.formats.decisions.label_columns import read_label_sets
from germane.formats.decisions.labelled_rows import labelled_parts, read_labelled, stream_labelled
from germane.formats.decisions.labelled_scan import RowScanner
from germane.formats.decisions.labelled_text import jsonl_parts
from germane.tables.decisions.labels import encode_labels
from tests.fuzz.readers import Reader, add
from tests.fuzz.readers_of_runs import arrow_bytes, orc_bytes, parquet_bytes

TABLE = pa.table(
    {"label": ["a", "b", "a"], "predicted": ["a", "a", "b"], "score": [0.9, 0.4, 0.2], "weight": [1, 2, 1]}
)
LABELLED: dict[str, list[bytes]] = {
    "csv": [
        b"label,score\n1,0.9\n0,0.4\n1,0.2\n",
        b'truth,pred,p_a,p_b\na,a,0.9,0.1\nb,"a",0.6,0.4\n',
        b"id;label;score\nx;1;0.5\n",
        b"truth,predicted,score\nTrue,TRUE,0.5\nfalse,true,0.25\n",
    ],
    "tsv": [b"id\tlabel\tpredicted\tweight\nx\tcat\tdog\t1\ny\tdog\tdog\t0.5\n", b"truth score\n1 0.5\n0 0.25\n"],
    "jsonl": [
        b'{"label": 1, "score": 0.9}\n{"label": 0, "score": 0.4}\n',
        b'{"truth": "a", "predicted": "b", "x": [1]}\n',
    ],
    "parquet": [parquet_bytes(TABLE)],
    "orc": [orc_bytes(TABLE)],
    "arrow": [arrow_bytes(TABLE), arrow_bytes(TABLE, stream=False)],
}


def everything(path: Path) -> object:
    rows = read_labelled(path)
    return rows, encode_labels(rows.truth, "label", str(path)) if rows.truth is not None else None


def without_incomplete(path: Path) -> object:
    """The complete rows, numbers with a decimal comma."""
    rows = read_labelled(path, missing="exclude", decimal=",")
    return rows, encode_labels(rows.truth, "label", str(path)), rows.notes


def decoded(path: Path) -> object:
    return read_labelled(path, missing="exclude", encoding="utf-16")


def plainly(path: Path) -> object:
    """The same rows, where the kernel reads none of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowScanner, "blocks", lambda _: iter(()))
        return everything(path)


def sets_by_prefix(path: Path) -> object:
    """Several labels per item, in a column of 0 and 1 for each label."""
    return read_label_sets(path, truth="true_*", predicted="said_*", score="p_*")


def in_parts(path: Path) -> object:
    return [rows.num_rows for rows in stream_labelled(path, batch_rows=2)]


def add_labelled(name: str, seeds: list[bytes]) -> None:
    share = 0.4 if name in ("parquet", "orc", "arrow") else 1.0
    whole, parts = (read_labelled, encode_labels), (stream_labelled, labelled_parts, jsonl_parts)
    file, json = f"items.{name}", name == "jsonl"
    plain = plainly if name in ("csv", "tsv") else None
    add(Reader(f"labelled_{name}", everything, lambda: seeds, file, whole, json=json, plain=plain, share=share))
    add(Reader(f"streamed_{name}", in_parts, lambda: seeds, file, parts, json=json, share=share))


SPREADSHEETS = [
    b"id;truth;predicted;score\nx;TRUE;true;0,5\ny;False;;1,5E-05\nz;NA;FALSE;\n",
    b"truth;predicted\n0,93;1\n-1,5;2\n",
]
UTF_16 = [b"truth,score\nTrue,0.5\nfalse,\n".decode().encode("utf-16"), "truth,pred\né,è\n".encode("utf-16")]
add(
    Reader(
        "labelled_spreadsheet", without_incomplete, lambda: SPREADSHEETS, "items.csv", (read_labelled, encode_labels)
    )
)
add(Reader("labelled_utf_16", decoded, lambda: UTF_16, "items.csv", (read_labelled,)))
LABEL_SETS = [b"id,truth,predicted\nx,a;b,b\ny,a,a\nz,-,a;c\n", b"truth,predicted\na,b\nb,b\n"]
BY_PREFIX = [
    b"true_a,true_b,said_a,said_b,p_a,p_b\n1,0,1,1,0.9,0.6\n0,0,0,1,0.2,0.7\n",
    b"true_a,true_b,said_a,said_b,p_b,p_a\ntrue,false,1,0,.5,1e-3\n",
]
add(Reader("label_sets", read_label_sets, lambda: LABEL_SETS, "items.csv", (read_label_sets,)))
add(Reader("label_sets_by_prefix", sets_by_prefix, lambda: BY_PREFIX, "items.csv", (read_label_sets,)))
for _name, _seeds in LABELLED.items():
    add_labelled(_name, _seeds)
add(
    Reader(
        "confusion_matrix",
        read_matrix,
        lambda: [
            b"50 10\n5 35\n",
            b",a,b\na,50,10\nb,5,35\n",
            b"truth\tcat\tdog\ncat\t5\t1\ndog\t0\t7\n",
            b'{"labels": ["a", "b"], "matrix": [[50, 10], [5, 35]]}',
            b"[[1, 2], [3, 4]]",
        ],
        "matrix.txt",
        (read_matrix,),
        json=True,
    )
)
