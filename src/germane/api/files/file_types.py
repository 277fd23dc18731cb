"""Recognition of files and folders by content, with the reason, to suggest commands for them."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from germane.api.files.column_types import (
    Found,
    Thing,
    header_names,
    kind_of_columns,
    kind_of_header,
    kind_of_log,
    labels_and_scores,
    named_as,
)
from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.decisions.confusion_file import read_matrix
from germane.formats.decisions.labelled_columns import is_number
from germane.formats.documents.document_formats import HTML_ENDINGS, IMAGE_ENDINGS, format_by_content, uncompressed_name
from germane.formats.documents.reading import document_parts
from germane.formats.documents.records import ID_NAMES
from germane.formats.files.addresses import Address, file_size, place
from germane.formats.files.arrow_tables import TITLES
from germane.formats.files.part_folders import children, is_hidden
from germane.formats.files.part_tables import BINARY, open_table
from germane.formats.files.sources import first_bytes, open_start, peek
from germane.formats.rankings.detect import SQLITE_START, detect
from germane.formats.rankings.leaderboard import is_leaderboard, read_leaderboard
from germane.formats.rankings.score_table import LAYOUTS, possible_layouts
from germane.formats.rows.column_names import plain_name
from germane.formats.rows.text import BOM
from germane.measures.definition import MEASURES
from germane.tables.columns.ids import to_text

CALLED: dict[Thing, str] = {
    "qrels": "judgments (qrels)",
    "run": "a run",
    "runs": "a folder of runs",
    "topics": "topics",
    "documents": "documents",
    "pool": "a pool of documents to judge",
    "judgments": "judgments of assessors",
    "project": "a judging project",
    "index": "an index",
    "items": "labelled items",
    "matrix": "a confusion matrix",
    "vectors": "vectors",
    "model": "a learned ranking model",
    "agent": "an agent",
    "leaderboard": "a leaderboard",
    "scores": "scores by query",
    "features": "rows of features",
    "release": "a release of judgments",
    "log": "a query log",
}
"""Names of the kinds in messages."""

HEAD = 1 << 16
SMALL = 1 << 20
"""Larger files (bytes) are never tried as a matrix or a leaderboard, which takes reading all of the file."""
MOST_FILES = 200
"""Maximum number of files of a folder to recognise."""
MOST_SCORES = 3
"""Maximum number of score columns in a suggested command; with more, some are probably features."""
PLAIN_TEXT = (".txt", ".text", ".md")
LETOR_ROW = re.compile(rb"-?[\d.]+ (?:qid:\S+ )?\d+:[-\d.eE+]+(?: |$)")


@dataclass(frozen=True)
class Recognised:
    """The kind of a file or folder, and the reason."""

    path: str
    thing: Thing
    why: str
    scored: bool = False
    """Whether labelled items have a column of scores, so that a threshold can be chosen."""


class UnrecognisedError(InputError):
    """The file exists, but its format is unknown."""


def recognise(path: str | Path | Address) -> Recognised:
    """Recognise a file or a folder.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".txt") as file:
    ...     _ = file.write(b"301 0 FT911-3 1\\n")
    ...     file.flush()
    ...     found = recognise(file.name)
    >>> found.thing
    'qrels'
    """
    where = place(path)
    if not where.exists():
        raise InputError(path, None, "no such file or folder", hint=_near(where) if isinstance(where, Path) else None)
    if where.is_dir() and not document_parts(where):
        return _folder(where)
    stream = open_start(where)
    head, stream = peek(stream, HEAD)
    stream.close()
    for rule in _RULES:
        found = rule(where, head.removeprefix(BOM))
        if found is not None:
            return Recognised(str(path), *found)
    lines = _whole_lines(head.removeprefix(BOM))
    names = header_names(lines[:1])
    if names:
        raise _of_unknown_columns(where, names, lines)
    hint = f"run `germane check {path} --kind run` or `germane check {path} --kind qrels` to see what is missing"
    raise UnrecognisedError(path, None, "unrecognised file format", hint=hint)


def recognise_inside(folder: str | Path | Address) -> tuple[list[Recognised], list[str]]:
    """Return the recognised files of a mixed folder, and the names of the others."""
    known: list[Recognised] = []
    unknown: list[str] = []
    for path in _visible(place(folder))[:MOST_FILES]:
        try:
            known.append(recognise(path))
        except GermaneError:
            unknown.append(path.name)
    return known, unknown


def _folder(folder: Path | Address) -> Recognised:
    manifest = folder / "manifest.json"
    if manifest.is_file():
        said = _json_keys(first_bytes(manifest, HEAD))
        if "segments" in said:
            return Recognised(str(folder), "index", "a folder whose manifest.json lists segments")
        if "germane_release" in said:
            return Recognised(str(folder), "release", "a folder whose manifest.json is that of a release")
    files = _visible(folder)
    if (folder / "corpus.jsonl").is_file():
        return Recognised(str(folder), "documents", "a folder with BEIR's corpus.jsonl")
    if files and all(_like_a_document(path) for path in files):
        return Recognised(str(folder), "documents", "a folder of texts, pages or pictures")
    known, unknown = recognise_inside(folder)
    if known and not unknown and {found.thing for found in known} == {"run"}:
        return Recognised(str(folder), "runs", f"a folder of {len(known)} runs")
    raise UnrecognisedError(folder, None, "unrecognised folder content", hint="name individual files")


def _visible(folder: Path | Address) -> list[Path | Address]:
    return [path for path in children(folder) if not is_hidden(path.name)]


def _like_a_document(path: Path | Address) -> bool:
    ending = uncompressed_name(path.name).suffix.lower()
    if ending in (*HTML_ENDINGS, *IMAGE_ENDINGS):
        return path.is_file()
    if ending not in PLAIN_TEXT or not path.is_file():
        return False
    try:
        return recognise(path).thing in ("documents", "log")  # both consist of words only
    except GermaneError:
        return True


def _near(path: Path) -> str | None:
    """Return a similar name in the same folder, as a hint."""
    parent = path.parent
    names = [each.name for each in parent.iterdir()] if parent.is_dir() else []
    return did_you_mean(path.name, names).removeprefix("; ") or None


def _database(path: Path | Address, head: bytes) -> Found | None:
    if not head.startswith(SQLITE_START) or isinstance(path, Address):
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            tables = {name for (name,) in opened.execute("select name from sqlite_master where type = 'table'")}
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # SQLite's own message may quote bytes that are not text
        raise UnrecognisedError(path, None, "damaged SQLite database") from None
    if not {"schema_steps", "events", "pools"} <= tables:
        raise UnrecognisedError(path, None, "SQLite database, but not a project of `germane judge`")
    return "project", "an SQLite database with the tables of `germane judge`"


def _numpy(path: Path | Address, head: bytes) -> Found | None:
    if not head.startswith(b"\x93NUMPY") or isinstance(path, Address):
        return None
    from germane.formats.learning.vector_file import open_vectors

    shape = open_vectors(path).shape
    return "vectors", f"a matrix saved by NumPy, {shape[0]:,} vectors of {shape[1]} numbers"


def _arrow(path: Path | Address, head: bytes) -> Found | None:
    name = next((found for start, found in BINARY.items() if head.startswith(start)), None)
    if name is None:
        return None
    try:  # only the names, since such a file may have millions of rows
        with open_start(path) as stream, open_table(path, stream, name, str(path)) as table:
            names = table.schema.names
    except InputError as error:
        raise UnrecognisedError(error.source, None, error.problem, hint=error.hint) from None
    found = kind_of_columns(names, f"{TITLES[name]} with the columns", path.name)
    if found is None and not {plain_name(column) for column in names} & set(ID_NAMES):
        raise _of_unknown_columns(path, names)
    return found


def _of_unknown_columns(path: Path | Address, names: Sequence[str], lines: Sequence[str] = ()) -> UnrecognisedError:
    listed = ", ".join(names[:8]) + ", …" * (len(names) > 8)
    file = shlex.quote(str(path))
    hint = f"for true labels and scores, run `germane classify {file} --truth COLUMN --score COLUMN`"
    labels, scores = labels_and_scores(lines) if lines else ([], [])
    if labels:
        truth = f"--truth {shlex.quote(labels[0]) if len(labels) == 1 else 'COLUMN'}"
        named = map(shlex.quote, scores) if len(scores) <= MOST_SCORES else ["COLUMN"]
        chosen = [f"--score {name}" for name in named]
        hint = (
            f"by their values, {' or '.join(labels[:8])} may be true labels and {', '.join(scores[:8])} scores; run "
            f"`germane classify {file} {truth} {' '.join(chosen)}` to evaluate them, or "
            f"`germane threshold {file} {truth} {chosen[0]}` to choose a threshold"
        )
    return UnrecognisedError(path, None, f"cannot tell what these columns are: {listed}", hint=hint)


def _json(path: Path | Address, head: bytes) -> Found | None:
    text = head.lstrip()
    if not text.startswith((b"{", b"[")):
        return None
    keys = _json_keys(text)
    if "germane_agent" in keys:
        return "agent", "JSON that `germane agent train` wrote"
    if b'"germane ranking model"' in head[:1000]:
        return "model", "JSON that `germane learn` wrote"
    if "germane_pool" in keys:
        return "pool", "JSON lines that `germane pool` wrote"
    if {"event", "kind", "assessor"} <= set(keys):
        return "judgments", "JSON lines with an event each"
    if text.startswith(b"[") or "matrix" in keys:
        return _matrix(path, head)
    first = _first_object(text)
    lines = [to_text(line) for line in text.splitlines()]
    found = None if first is None else kind_of_columns(list(first), "JSON lines with the keys", path.name, lines)
    if found is None and is_leaderboard(str(path)):
        return "leaderboard", "JSON with values by system"
    return found


def _tagged(path: Path | Address, head: bytes) -> Found | None:
    if re.match(rb"\s*(?:<\?xml.*?>\s*)?(?:<\w+>\s*)?<top(?:ic\s+number|>)", head, re.DOTALL | re.IGNORECASE):
        return "topics", "starts with <top> or <topic>, as TREC topics do"
    found = format_by_content(head)
    if found is None:
        return None
    # Some collections have their topics in a document format.
    named = named_as(path.name)
    return named or "documents", f"starts as {found.name} do{f'; named {path.name}' if named else ''}"


def _features(_: Path | Address, head: bytes) -> Found | None:
    lines = [line for line in head.splitlines()[:20] if line.strip() and not line.startswith(b"#")]
    if lines and all(LETOR_ROW.match(line) for line in lines):
        return "features", "rows of NUMBER:VALUE, as in LETOR and SVMlight files"
    return None


def _scores(path: Path | Address, _: bytes) -> Found | None:
    layouts = possible_layouts(str(path), MEASURES.accepts)
    return ("scores", f"rows of {layouts[0]}: {LAYOUTS[layouts[0]]}") if len(layouts) == 1 else None


def _lines(path: Path | Address, head: bytes) -> Found | None:
    lines = [to_text(line) for line in head.splitlines()[:20] if line.strip()]
    return kind_of_header(lines, path.name) or kind_of_log(lines, path.name)


def _matrix(path: Path | Address, _: bytes) -> Found | None:
    if file_size(path) > SMALL:
        return None
    try:
        matrix = read_matrix(str(path))
    except GermaneError:
        return None
    return ("matrix", f"a square of counts for {len(matrix.labels)} classes") if len(matrix.labels) > 1 else None


def _leaderboard(path: Path | Address, head: bytes) -> Found | None:
    if file_size(path) > SMALL or not is_leaderboard(str(path)):
        return None
    labels, _ = labels_and_scores(_whole_lines(head))
    if labels:  # items rather than systems; the error for unknown columns names them
        return None
    try:
        read_leaderboard(str(path))
    except GermaneError:
        return None
    return "leaderboard", "one or more values per system"


def _trec(path: Path | Address, _: bytes) -> Found | None:
    try:
        with detect(str(path)) as found:
            return ("run" if found.kind == "run" else "qrels"), found.why
    except GermaneError:
        return None


def _pairs(path: Path | Address, head: bytes) -> Found | None:
    rows = [line.split() for line in head.splitlines()[:20] if line.strip()]
    if len(rows) > 1 and all(len(row) == 2 and not is_number(to_text(row[1])) for row in rows):
        return "pool", "a topic and a document per line"
    return None


_RULES: Sequence[Callable[[Path | Address, bytes], Found | None]] = (
    _database, _numpy, _arrow, _json, _tagged, _features, _scores, _lines, _matrix, _trec, _pairs, _leaderboard,
)  # fmt: skip
"""Rules in order; the first match counts, so unmistakable formats come first."""


def _whole_lines(head: bytes) -> list[str]:
    """Return the lines of a file's beginning, without the last if it may be cut."""
    lines = [to_text(line) for line in head.splitlines() if line.strip()]
    return lines if len(head) < HEAD - len(BOM) else lines[:-1]


def _first_object(text: bytes) -> dict[str, object] | None:
    try:
        first = json.loads(text.splitlines()[0])
    except (ValueError, RecursionError):
        return None
    return first if isinstance(first, dict) and not any(isinstance(value, dict) for value in first.values()) else None


def _json_keys(head: bytes) -> list[str]:
    return [to_text(key) for key in re.findall(rb'"((?:[^"\\]|\\.)*)"\s*:', head[:4000])]
