"""Inputs that are copied because they can be read only once: if there is no room, the error says what to do."""

from __future__ import annotations

import gzip
import json
import random
import resource
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import ipc, parquet

import germane as ge
from germane.cli.commands.trec_eval import command as trec_eval_command
from germane.errors import GermaneError
from germane.formats.documents.reading import read_documents
from germane.formats.files.sources import open_source
from germane.formats.rankings.ranking_files import read_run
from germane.judging.documents import open_documents
from germane.temporary import written_to_a_temporary_file

ROOM = 20_000
TEXTS = {f"d{number}": str(random.Random(number).random()) for number in range(4_000)}
ROWS = [{"id": doc, "text": text} for doc, text in TEXTS.items()]
QRELS = ge.Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}})


@pytest.fixture
def fill_disk() -> Iterator[Callable[[], None]]:
    """Files of more than `ROOM` bytes cannot be written once a test asks for that, as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def run_lines() -> bytes:
    return "".join(f"q{1 + i % 2} Q0 d{i // 2} 1 {1 - i / 4000} t\n" for i in range(4_000)).encode()


def packed(path: Path, data: bytes) -> Path:
    path.write_bytes(gzip.compress(data))
    return path


def parts(folder: Path, kind: str) -> Path:
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    for number in range(2):
        table = pa.Table.from_pylist(ROWS[number::2])
        if kind == "parquet":
            parquet.write_table(table, folder / f"part-{number}")
        else:
            with ipc.new_file(folder / f"part-{number}", table.schema) as writer:
                writer.write_table(table)
    return folder


def documents(folder: Path) -> Path:
    return packed(folder / "docs.jsonl.gz", "".join(json.dumps(row) + "\n" for row in ROWS).encode())


def packed_parquet(folder: Path) -> Path:
    parquet.write_table(pa.Table.from_pylist(ROWS), folder / "docs.parquet")
    return packed(folder / "docs.parquet.gz", (folder / "docs.parquet").read_bytes())


DOORS: dict[str, tuple[Callable[[Path], Path], Callable[[Path], Any], str]] = {
    "run": (lambda at: packed(at / "r.run.gz", run_lines()), lambda path: ge.evaluate(QRELS, path, "AP"), "a copy of "),
    "documents": (packed_parquet, lambda path: list(read_documents(path)), "a copy of "),
    "judging": (documents, open_documents, "documents"),
    "parquet": (lambda at: parts(at / "docs", "parquet"), open_source, "a table of all parts"),
    "arrow": (lambda at: parts(at / "docs", "arrow"), open_source, "a table of all parts"),
}


def read_and_close(path: Path, read: Callable[[Path], Any]) -> None:
    opened = read(path)
    if hasattr(opened, "close"):
        opened.close()


@pytest.mark.parametrize(("make", "read", "said"), DOORS.values(), ids=DOORS)
def test_no_room_for_a_copy(
    make: Callable[[Path], Path],
    read: Callable[[Path], Any],
    said: str,
    tmp_path: Path,
    fill_disk: Callable[[], None],
) -> None:
    path = make(tmp_path)
    read_and_close(path, read)
    fill_disk()
    with pytest.raises(GermaneError, match=f"cannot write {said}.*to a temporary file: File too large") as caught:
        read(path)
    assert (
        str(caught.value.hint) == f"free disk space, or set TMPDIR to a folder with room (now {tempfile.gettempdir()})"
    )


def test_trec_eval_says_so_too(tmp_path: Path, fill_disk: Callable[[], None]) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    fill_disk()
    asked = [str(tmp_path / "qrels"), "-"]
    with pytest.raises(GermaneError, match="cannot write a copy of <stdin> to a temporary file: File too large"):
        CliRunner().invoke(trec_eval_command, asked, input=run_lines(), catch_exceptions=False)


def test_other_failures_are_no_lack_of_room(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), written_to_a_temporary_file("a copy"):
        (tmp_path / "missing").read_bytes()
    with pytest.raises(GermaneError), written_to_a_temporary_file("a copy"):
        read_run(tmp_path / "missing.run")
