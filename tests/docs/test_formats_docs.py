"""Every reader and writer of a file has its format in the reference, and the examples there are read as they say."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from docs.reference_pages.file_formats import FAMILIES, FileFormat, document_formats_listed, label_formats
from docs.reference_pages.formats import BINARY, HELD, JUDGED, RUN, formats_page, refused, written
from germane.formats.decisions import labelled_rows
from germane.formats.documents import document_formats
from germane.formats.rankings.detect import FORMATS
from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.formats.rows.column_names import Kind
from tests.conftest import ROOT

BEGINNINGS = ("read_", "write_", "open_", "stream_", "sample_")
LISTED = [entry for formats in FAMILIES.values() for entry in formats()]
TABLES = {*BINARY, "Parquet"}
"""Formats that cannot be shown as text."""
OF_THE_REGISTRY = {"read_run", "read_qrels", "write_run", "write_qrels"}
"""The readers and writers of runs and judgments, whose formats are those of the registry."""
INSIDE = {
    "read_columns": "columns of what they read",
    "read_detected_run": "a run of a format that is known",
    "open_source": "bytes of any file",
    "open_parts": "bytes of a table in parts, in the format of its parts",
    "open_target": "bytes of any file",
    "read_html": "a page of a folder of documents",
    "open_vectors": "vectors, which are described in words",
}


@pytest.mark.parametrize("entry", LISTED, ids=lambda entry: str(entry.file))
def test_an_example_is_read_as_it_says(entry: FileFormat, tmp_path: Path) -> None:
    path = tmp_path / entry.file
    path.write_text(entry.example, encoding="utf-8")
    assert entry.read(path) == entry.gives


@pytest.mark.parametrize("entry", [one for one in LISTED if one.refused], ids=lambda entry: str(entry.file))
def test_what_is_said_to_be_refused_is_refused(entry: FileFormat) -> None:
    assert refused(entry).startswith((entry.file, "log"))


def test_an_example_that_is_not_refused_after_all_is_caught() -> None:
    sound = FileFormat("sound", "sound.txt", "", lambda path: path.read_text(), "", "by its name", "all is well")
    with pytest.raises(ValueError, match="to be refused"):
        refused(sound)


@pytest.mark.parametrize("name", FORMATS)
def test_runs_and_judgments_are_read_back_from_what_is_shown(name: str, tmp_path: Path) -> None:
    entry = FORMATS[name]
    if name in BINARY:
        pytest.importorskip("pyarrow", reason="Parquet and Arrow files need pyarrow")
    for kind in entry.kinds:
        path = tmp_path / kind
        path.write_bytes(written(entry, kind))
        if kind == "run":
            run = read_run(path)
            rows = zip(run.query.tolist(), run.docs, strict=True)
            assert [(run.queries[query], doc) for query, doc in rows] == [
                (query, doc) for query, found in RUN.items() for doc in found
            ]
        else:
            qrels = read_qrels(path)
            assert qrels.grade.tolist() == [grade for grades in JUDGED.values() for grade in grades.values()]


def test_every_format_of_every_registry_is_on_the_page() -> None:
    page = formats_page()
    assert [name for name in FORMATS if f"\n### {name}\n" not in page] == []
    assert {entry.name for entry in document_formats.FORMATS} - {e.name for e in document_formats_listed()} <= TABLES
    assert set(labelled_rows.FORMATS) - {entry.name for entry in label_formats()} <= TABLES
    assert {what for entry in FORMATS.values() for what in entry.holds} <= set(HELD)
    assert {kind for entry in FORMATS.values() for kind in entry.kinds} == set(get_args(Kind))


def unlisted(source: Path) -> set[str]:
    """Readers and writers of the room of formats that no entry names."""
    named = {name.partition(":")[2] for entry in LISTED for name in entry.functions}
    found = {
        node.name
        for path in source.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith(("read_", "write_", "open_", "stream_", "sample_"))
    }
    return found - named - OF_THE_REGISTRY - set(INSIDE)


def test_every_reader_and_writer_is_listed() -> None:
    assert unlisted(ROOT / "src" / "germane" / "formats") == set()


def test_a_forgotten_reader_is_caught(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text("def read_novel(path): ...\ndef read_slices(path): ...\n", encoding="utf-8")
    assert unlisted(tmp_path) == {"read_novel"}


def test_functions_that_are_named_exist() -> None:
    from importlib import import_module

    for entry in LISTED:
        for name in entry.functions:
            module, _, function = name.partition(":")
            assert callable(getattr(import_module(f"germane.formats.{module}"), function)), name
