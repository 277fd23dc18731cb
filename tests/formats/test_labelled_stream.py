"""Reading in parts gives what reading at once gives, and says where a problem is all the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from germane.errors import InputError
from germane.formats.decisions import labelled_text
from germane.formats.decisions.labelled_rows import read_labelled, stream_labelled
from germane.tables.decisions.labels import encode_labels

NUM_ROWS = 25


def write_csv(table: Any, path: Path) -> None:
    rows = zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True)
    lines = [",".join(table.column_names), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines))


def write_jsonl(table: Any, path: Path) -> None:
    import json

    path.write_text("\n".join(map(json.dumps, table.to_pylist())))


def write_ipc(table: Any, path: Path) -> None:
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=10)


def write_ipc_stream(table: Any, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=10)


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "csv": write_csv,
    "jsonl": write_jsonl,
    "parquet": lambda table, path: parquet.write_table(table, path, row_group_size=10),
    "arrow file": write_ipc,
    "arrow stream": write_ipc_stream,
}


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled_text, "ROWS_AT_ONCE", 3)


def table(**columns: Any) -> Any:
    rows = np.arange(NUM_ROWS)
    return pa.table({"other": rows, "score": rows / 8, "truth": rows % 3, "predicted": rows % 2} | columns)


def labels(column: Any) -> list[Any]:
    encoded = encode_labels(column)
    return [encoded.values[code] for code in encoded.codes.tolist()]


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_parts_add_up_to_the_whole(write: Callable[[Any, Path], None], batch_rows: int, tmp_path: Path) -> None:
    path = tmp_path / "data"
    write(table(), path)
    whole = read_labelled(path)
    parts = list(stream_labelled(path, batch_rows=batch_rows))
    assert {len(part) for part in parts[:-1]} <= {batch_rows} or write in (
        write_ipc,
        write_ipc_stream,
        WRITERS["parquet"],
    )
    assert max(map(len, parts)) <= batch_rows
    assert sum(map(len, parts)) == NUM_ROWS
    assert np.concatenate([part.scores["score"] for part in parts]).tolist() == whole.scores["score"].tolist()
    assert [label for part in parts for label in labels(part.truth)] == labels(whole.truth)
    predicted = [label for part in parts for label in labels(part.predicted["predicted"])]
    assert predicted == labels(whole.predicted["predicted"])
    assert {part.columns["truth"] for part in parts} == {("truth",)}


@pytest.mark.parametrize("name", WRITERS)
def test_an_error_in_a_late_part_says_where(name: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    WRITERS[name](table(score=[float("nan") if row == 20 else 1.0 for row in range(NUM_ROWS)]), path)
    parts = stream_labelled(path, batch_rows=5)
    assert next(parts).num_rows >= 5
    with pytest.raises(InputError) as caught:
        list(parts)
    by_line = {"csv": 22, "jsonl": 21}.get(name)
    assert caught.value.line == by_line
    assert ("in row 21" in caught.value.problem) == (by_line is None)


def test_labels_stay_text_once_they_are(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("truth,predicted\nx,1\n1,1\n1,1\n0,1\n0,1\n1,1\n")
    assert [part.truth for part in stream_labelled(path, batch_rows=4)] == [["x", "1", "1", "0"], ["0", "1"]]


def test_a_word_after_numbers_is_said(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("truth,predicted\n1,1\n0,1\n1,1\n0,unknown\n0,1\n1,1\n")
    with pytest.raises(InputError) as caught:
        list(stream_labelled(path, batch_rows=1))
    assert caught.value.line == 5
    assert caught.value.problem == "expected a number in column 'predicted', as in all previous rows, found 'unknown'"


def test_only_needed_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "data"
    parquet.write_table(table(other=[None] * NUM_ROWS), path)
    assert sum(map(len, stream_labelled(path, batch_rows=10))) == NUM_ROWS
