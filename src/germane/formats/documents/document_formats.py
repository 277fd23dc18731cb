"""What a file of documents is, by its name or, where that says nothing, by how it begins; how its parts are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from germane.formats.documents import records, sgml
from germane.formats.files.sources import COMPRESSIONS
from germane.formats.rows.text import BOM

HEAD_BYTES = 4096
"""How much of a file is looked at to tell what it is."""


@dataclass(frozen=True)
class RecordFormat:
    """A kind of file with many documents. A part is found under the first of its names that a document has, except that
    with `joins` a text is made of all those it has."""

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
UNDERSTOOD = "a folder, .jsonl, .tsv or .csv, Parquet, TREC <DOC> or SMART .I files (also compressed), or a tar archive"

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
HTML_ENDINGS = (".html", ".htm", ".xhtml")
TEXT_ENDINGS = (".txt", ".text", ".md", "")


def uncompressed_name(name: str) -> PurePath:
    """The name of a file without the ending of its compression.

    >>> uncompressed_name("deep/d1.txt.gz").as_posix()
    'deep/d1.txt'
    """
    path = PurePath(name)
    return path.with_suffix("") if path.suffix.lower().removeprefix(".") in COMPRESSIONS else path


def format_by_ending(name: str) -> RecordFormat | None:
    """What the name of a file says, in whichever of its endings.

    >>> format_by_ending("corpus.jsonl.gz") is JSON_LINES, format_by_ending("cran.all.1400") is None
    (True, True)
    """
    endings = [ending.lower() for ending in PurePath(name).suffixes]
    return next((one for one in FORMATS for ending in one.endings if ending in endings), None)


def format_by_content(head: bytes) -> RecordFormat | None:
    """What the first bytes of a file say, for the formats that have an unmistakable beginning.

    >>> format_by_content(b"<DOC>\\n<DOCNO>").name, format_by_content(b"Once upon a time")
    ('TREC documents', None)
    """
    if head.startswith(records.PARQUET_START):
        return PARQUET
    text = head.removeprefix(BOM)
    if sgml.START.match(text):
        return SGML
    return SMART if records.SMART_START.match(text.lstrip()) else None
