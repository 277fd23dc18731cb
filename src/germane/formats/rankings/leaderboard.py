"""Leaderboards: files with a value, or several, for each system by its name.

Two columns (name, value) without a header; CSV, TSV or aligned columns with one, as `germane eval` writes them and as
TREC publishes them; the JSON of `germane eval`, or a JSON object of numbers by name.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from germane.errors import InputError
from germane.formats.files.json_text import first_json_value, parse_json
from germane.formats.files.sources import first_bytes, source_name, text_of
from germane.formats.rows.column_names import has_names
from germane.formats.rows.number_text import number_of
from germane.tables.columns.ids import to_text

NAME_COLUMNS = ("run", "system", "name", "model", "tag", "run_id", "runid")
NOT_MEASURES = ("queries", "num_queries", "rank")
ONLY_ROWS = {"query": "mean", "aggregate": "mean", "slice": "all"}
"""Which rows of what `germane eval` writes are about a whole run: those that say so in these columns."""
ONE_VALUE = "value"
HEAD = 1 << 16


def is_leaderboard(path: str | Path) -> bool:
    """Whether a file, by its beginning, looks like a leaderboard rather than like a run."""
    head = first_bytes(path, HEAD)
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip() and line[:1] != b"#"]
    if not lines or b"\0" in head:
        return False
    if lines[0].lstrip().startswith(b"{"):
        keys = [to_text(key) for key in re.findall(rb'"((?:[^"\\]|\\.)*)"\s*:', lines[0])]
        value = first_json_value(head)
        plain = value is not None and value in b"-0123456789"
        return re.search(rb'"runs"\s*:\s*\[', head) is not None or (plain and not has_names(keys))
    delimiter = _delimiter(lines[0])
    fields = _divide(to_text(lines[0]), delimiter)
    if has_names(fields) or len(fields) == 2:
        return len(fields) == 2
    header = not any(number_of(field) is not None for field in fields[1:])
    return header and (delimiter != " " or _name_column(fields) is not None)


def read_leaderboard(path: str | Path) -> dict[str, dict[str, float]]:
    """The value of each system, by measure; a file with one nameless column calls it ``value``."""
    source, text = source_name(path), text_of(path)
    board = _from_json(text, source) if text.lstrip().startswith("{") else _from_text(text, source)
    if not any(board.values()):
        raise InputError(source, None, "expected a value for each system, found none", hint="is this the right file?")
    return board


def _from_json(text: str, source: str) -> dict[str, dict[str, float]]:
    data = parse_json(text, source)
    if "runs" not in data:
        return {ONE_VALUE: {name: _value(value, name, ONE_VALUE, source) for name, value in data.items()}}
    board: dict[str, dict[str, float]] = {}
    for run in data["runs"] if isinstance(data["runs"], list) else [data["runs"]]:
        if not isinstance(run, dict) or not isinstance(run.get("mean"), dict) or not isinstance(run.get("name"), str):
            hint = "`germane eval --format json` writes them"
            raise InputError(source, None, 'expected runs with a "name" and a "mean"', hint=hint)
        for measure, value in run["mean"].items():
            column = board.setdefault(measure, {})
            if run["name"] in column:
                raise InputError(source, None, f"expected each system once, found {run['name']!r} twice")
            column[run["name"]] = _value(value, run["name"], measure, source)
    return board


def _value(value: Any, name: str, measure: str, source: str) -> float:
    if value is None:
        return float("nan")  # which is how JSON has it
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(source, None, f"expected a number as {measure} of {name!r}, found {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(source, None, f"expected a number as {measure} of {name!r}, found one too large") from None


def _from_text(text: str, source: str) -> dict[str, dict[str, float]]:
    rows = list(table_rows(text))
    if not rows:
        raise InputError(source, None, "expected a name and a value to a line, found no line")
    (_, header), body = rows[0], rows[1:]
    if any(number_of(field) is not None for field in header[1:]):
        header, body = ["name", *([ONE_VALUE] if len(header) == 2 else map(str, range(1, len(header))))], rows
    for number, fields in body:
        if len(fields) != len(header):
            raise InputError(source, number, f"expected {len(header)} fields, found {len(fields)}: {fields}")
    names = _name_column(header) or 0
    plain = [name.strip().casefold() for name in header]
    wanted = {plain.index(column): row for column, row in ONLY_ROWS.items() if column in plain}
    body = [row for row in body if all(row[1][column] == value for column, value in wanted.items())]
    seen: set[str] = set()
    for number, fields in body:
        if fields[names] in seen:
            raise InputError(source, number, f"expected each system once, found {fields[names]!r} twice")
        seen.add(fields[names])
    board = {}
    for column, title in enumerate(header):
        values = [number_of(fields[column]) for _, fields in body]
        if column == names or plain[column] in NOT_MEASURES or None in values:
            continue  # text beside the numbers: a team, a link
        board[title] = {fields[names]: float(fields[column]) for _, fields in body}
    if not board and len(header) == 2 and body:
        number, fields = next(row for row in body if number_of(row[1][1 - names]) is None)
        raise InputError(source, number, f"expected a number for {fields[names]!r}, found {fields[1 - names]!r}")
    return board


def table_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that holds data, with its number."""
    delimiter = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        delimiter = delimiter or _delimiter(line.encode("utf-8", "surrogateescape"))
        yield number, _divide(line, delimiter)


def _delimiter(line: bytes) -> str:
    return "\t" if b"\t" in line else "," if b"," in line else " "


def _divide(line: str, delimiter: str) -> list[str]:
    if delimiter == " ":
        return line.split()
    return [field.strip() for field in next(csv.reader(io.StringIO(line), delimiter=delimiter))]


def _name_column(header: Sequence[str]) -> int | None:
    plain = [name.strip().casefold().replace(" ", "_") for name in header]
    return next((plain.index(name) for name in NAME_COLUMNS if name in plain), None)
