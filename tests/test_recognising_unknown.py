"""A table of which no column says what it is: no documents, and the command for labels and scores is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from germane.api.recognising import UnrecognisedError, recognise

NAMES = ("day", "channel", "fraud", "old", "new")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_say_nothing_are_listed(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"dev.{ending}"
    if ending == "parquet":
        arrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(arrow.table({name: [0, 1] for name in NAMES}), path)
    else:
        path.write_text(f"{','.join(NAMES)}\n1,0,1,0,1\n1,1,0,1,0\n")
    with pytest.raises(UnrecognisedError, match="with columns of which none says what it is: day, channel, fraud") as e:
        recognise(path)
    assert e.value.hint == f"true labels and scores? `germane classify {path} --truth COLUMN --score COLUMN`"


def test_documents_in_parquet_are_documents_still(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for names in (("docid", "contents"), ("pid", "passage"), ("id", "segment")):
        parquet.write_table(arrow.table({name: ["a", "b"] for name in names}), tmp_path / "collection.parquet")
        assert recognise(tmp_path / "collection.parquet").thing == "documents"
