"""Formats of document files: detection by file extension or content, and the names of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from germane.formats.documents import records, sgml
from germane.formats.files.sources import COMPRESSIONS
from germane.formats.rows.text import BOM

HEAD_BYTES = 4096
"""Number of bytes at the start of a file used to detect its format."""


@dataclass(frozen=True)
class RecordFormat:
    """A file format with many documents per file. Each part of a document is read from the first of its field names
    that is present; with `joins`, the text is joined from all that are present."""

    name: str
    endings: tuple[str, ...]
    reader: type[records.RecordReader]
    id_names: Sequence[str] = records.ID_NAMES
    title_names: Sequence[str] = records.TITLE_NAMES
    text_names: Sequence[str] = records.TEXT_NAMES
    joins: bool = False


JSON_LINES = RecordFormat("JSON lines", (".jsonl", ".ndjson"), records.JsonLines)
TSV = RecordFormat("TSV", (".tsv",), records.TabSeparated)
CSV = RecordFormat("CSV", (".csv",), records.CommaSeparated)
PARQUET = RecordFormat("Parquet", (".parquet", ".pq"), records.ParquetRows)
SGML = RecordFormat(
    "TREC documents", (".sgml", ".sgm", ".trec"), sgml.TrecDocuments,
    sgml.IDS, sgml.TITLES, (*sgml.BODIES, sgml.CONTENTS), joins=True,
)  # fmt: skip
SMART = RecordFormat("SMART", (), records.SmartRecords, ("I",), ("T",), ("W",), joins=True)

FORMATS = (JSON_LINES, TSV, CSV, PARQUET, SGML, SMART)
UNDERSTOOD = "a folder, a .jsonl, .tsv, .csv, Parquet, TREC <DOC> or SMART .I file (also compressed), or a tar archive"

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
HTML_ENDINGS = (".html", ".htm", ".xhtml")
TEXT_ENDINGS = (".txt", ".text", ".md", "")


def uncompressed_name(name: str) -> PurePath:
    """Return a file name without the extension of its compression.

    >>> uncompressed_name("deep/d1.txt.gz").as_posix()
    'deep/d1.txt'
    """
    path = PurePath(name)
    return path.with_suffix("") if path.suffix.lower().removeprefix(".") in COMPRESSIONS else path


def format_by_ending(name: str) -> RecordFormat | None:
    """Return the format that one of the extensions of a file name indicates, or None.

    >>> format_by_ending("corpus.jsonl.gz") is JSON_LINES, format_by_ending("cran.all.1400") is None
    (True, True)
    """
    endings = [ending.lower() for ending in PurePath(name).suffixes]
    return next((one for one in FORMATS for ending in one.endings if ending in endings), None)


def format_by_content(head: bytes) -> RecordFormat | None:
    """Return the format that the first bytes of a file indicate, or None if they are not distinctive.

    >>> format_by_content(b"<DOC>\\n<DOCNO>").name, format_by_content(b"Once upon a time")
    ('TREC documents', None)
    """
    if head.startswith(records.PARQUET_START):
        return PARQUET
    text = head.removeprefix(BOM)
    if sgml.START.match(text):
        return SGML
    return SMART if records.SMART_START.match(text.lstrip()) else None
