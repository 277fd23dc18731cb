"""Read leaderboards: files with one or more values per system.

Two columns (name, value) without a header; CSV, TSV or aligned columns with a header, as `germane eval` writes and TREC
publishes them; the JSON of `germane eval`, or a JSON object {system: number}.
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
"""Values of these columns, in output of `germane eval`, that mark rows about a whole run."""
ONE_VALUE = "value"
HEAD = 1 << 16


def is_leaderboard(path: str | Path) -> bool:
    """Return whether the start of a file looks like a leaderboard rather than a run."""
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
    """Read the value of each system, by measure; a single column without a name is ``value``."""
    source, text = source_name(path), text_of(path)
    board = _from_json(text, source) if text.lstrip().startswith("{") else _from_text(text, source)
    if not any(board.values()):
        raise InputError(
            source, None, "expected a value for each system, found none", hint="check that this is the right file"
        )
    return board


def _from_json(text: str, source: str) -> dict[str, dict[str, float]]:
    data = parse_json(text, source)
    if "runs" not in data:
        return {ONE_VALUE: {name: _value(value, name, ONE_VALUE, source) for name, value in data.items()}}
    board: dict[str, dict[str, float]] = {}
    for run in data["runs"] if isinstance(data["runs"], list) else [data["runs"]]:
        if not isinstance(run, dict) or not isinstance(run.get("mean"), dict) or not isinstance(run.get("name"), str):
            hint = "write them with `germane eval --format json`"
            raise InputError(source, None, 'expected runs with a "name" and a "mean"', hint=hint)
        for measure, value in run["mean"].items():
            column = board.setdefault(measure, {})
            if run["name"] in column:
                raise InputError(source, None, f"duplicate system {run['name']!r}")
            column[run["name"]] = _value(value, run["name"], measure, source)
    return board


def _value(value: Any, name: str, measure: str, source: str) -> float:
    if value is None:
        return float("nan")  # JSON has no NaN
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(source, None, f"expected a number as {measure} of {name!r}, found {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(source, None, f"expected a number as {measure} of {name!r}, found one too large") from None


def _from_text(text: str, source: str) -> dict[str, dict[str, float]]:
    rows = list(table_rows(text))
    if not rows:
        raise InputError(source, None, "expected a name and a value per line, found no lines")
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
            raise InputError(source, number, f"duplicate system {fields[names]!r}")
        seen.add(fields[names])
    board = {}
    for column, title in enumerate(header):
        values = [number_of(fields[column]) for _, fields in body]
        if column == names or plain[column] in NOT_MEASURES or None in values:
            continue  # a text column, such as a team or a link
        board[title] = {fields[names]: float(fields[column]) for _, fields in body}
    if not board and len(header) == 2 and body:
        number, fields = next(row for row in body if number_of(row[1][1 - names]) is None)
        raise InputError(source, number, f"expected a number for {fields[names]!r}, found {fields[1 - names]!r}")
    return board


def table_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line with data, with its number."""
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
