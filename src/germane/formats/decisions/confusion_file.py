"""Read a confusion matrix from a file: CSV, TSV or aligned columns, with or without labels; or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, InputError
from germane.formats.decisions.label_kinds import INTEGER, is_label_number
from germane.formats.decisions.labelled_columns import is_number
from germane.formats.decisions.labelled_text import delimiter_of
from germane.formats.files.addresses import file_size, place
from germane.formats.files.json_text import json_problem
from germane.formats.files.sources import open_source, source_name
from germane.tables.columns.ids import to_text
from germane.tables.decisions.confusion import Confusion, Label, Rows

SHAPES = "use a header of labels and a label before each row, a bare square of numbers, or JSON with labels and matrix"
SMALL = 1_000_000
"""Larger files (bytes) are never tried as a confusion matrix."""
TOTALS = ("total", "all", "sum")


def read_matrix(path: str | Path, *, rows: Rows = "truth") -> Confusion:
    """Read a confusion matrix whose rows are true or predicted classes (`rows`); unlabelled classes are 0, 1, 2, …

    The corner cell of a matrix with labels is empty or any text that is not a number. JSON is an object with ``labels``
    and ``matrix``, or just the rows.
    """
    source = source_name(path)
    with open_source(path) as stream:
        data = stream.read()
    text = to_text(data).removeprefix("\ufeff")
    if not text.strip():
        raise InputError(source, None, "expected a confusion matrix, found an empty file", hint=SHAPES)
    labels, matrix = _from_json(text, source) if text.lstrip()[0] in "{[" else _from_text(text, data, source)
    if labels and str(labels[-1]).lower() in TOTALS:
        problem = f"expected classes only, found {labels[-1]!r}, which looks like totals"
        raise InputError(source, None, problem, hint="remove the row and the column of totals")
    try:
        return Confusion.of_matrix(matrix, labels, rows=rows)
    except GermaneError as error:
        raise InputError(source, None, error.message, hint=SHAPES) from None


def looks_like_matrix(path: str | Path) -> bool:
    """Return whether a small file can be read as a confusion matrix; False for standard input, which is read once."""
    try:
        where = place(path)
        return where.is_file() and file_size(where) <= SMALL and bool(read_matrix(path).labels)
    except (GermaneError, OSError):
        return False


def _from_json(text: str, source: str) -> tuple[list[Label] | None, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(source, None, f"invalid JSON: {json_problem(error)}", hint=SHAPES) from None
    if isinstance(data, dict):
        if "matrix" not in data:
            raise InputError(
                source, None, f"expected the key 'matrix', found {', '.join(map(repr, data)) or 'none'}", hint=SHAPES
            )
        labels = data.get("labels")
        named = isinstance(labels, list) and all(isinstance(one, str | int | float) for one in labels)
        if labels is not None and not named:
            raise InputError(source, None, f"expected a list of labels, found {labels!r}", hint=SHAPES)
        return labels, data["matrix"]
    return None, data


def _from_text(text: str, data: bytes, source: str) -> tuple[list[Label] | None, list[list[float]]]:
    lines = _divided(text, delimiter_of(data), source)
    if not lines:
        raise InputError(source, None, "expected rows of counts, found none", hint=SHAPES)
    (first_line, first), body = lines[0], lines[1:]
    if all(map(is_number, first)):
        return None, [_counts(fields, len(first), line, source) for line, fields in lines]
    if not body:
        raise InputError(source, first_line, "expected rows of counts after the header, found none", hint=SHAPES)
    if len(body[0][1]) == len(first) and not all(map(is_number, first[1:])) and len(body) == len(first):
        return _as_labels(first), [_counts(fields, len(first), line, source) for line, fields in body]
    # Aligned columns may have an empty corner, so that the header is one field shorter.
    header = first if len(body[0][1]) == len(first) + 1 else first[1:]
    matrix = [_counts(fields[1:], len(header), line, source) for line, fields in body]
    names = [fields[0] for _, fields in body]
    if sorted(names) != sorted(header):
        problem = f"expected row labels as in the header ({', '.join(header)})"
        raise InputError(source, None, f"{problem}, found {', '.join(names)}", hint=SHAPES)
    order = [header.index(name) for name in names]
    return _as_labels(names), [[row[place] for place in order] for row in matrix]


def _divided(text: str, delimiter: str, source: str) -> list[tuple[int, list[str]]]:
    if delimiter == " ":
        rows = [(line, fields.split()) for line, fields in enumerate(text.splitlines(), start=1)]
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        try:
            rows = [(reader.line_num, [field.strip() for field in fields]) for fields in reader]
        except csv.Error as error:
            raise InputError(source, reader.line_num, f"invalid table: {error}", hint=SHAPES) from None
    return [(line, fields) for line, fields in rows if any(fields)]


def _counts(fields: Sequence[str], expected: int, line: int, source: str) -> list[float]:
    if len(fields) != expected:
        problem = f"expected {expected} counts, found {len(fields)}: {', '.join(fields)}"
        raise InputError(source, line, problem, hint=SHAPES)
    word = next((field for field in fields if not is_number(field)), None)
    if word is not None:
        raise InputError(source, line, f"expected a count, found {word!r}", hint=SHAPES)
    return [int(field) if INTEGER.fullmatch(field) else float(field) for field in fields]


def _as_labels(names: list[str]) -> list[Label]:
    if not all(map(is_label_number, names)):
        return list(names)
    return [int(name) if INTEGER.fullmatch(name) else float(name) for name in names]
