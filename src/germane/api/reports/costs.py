"""What the systems cost: a small table that people write themselves, since runs carry no such thing."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from germane.errors import InputError, did_you_mean
from germane.formats.files.sources import open_source


def read_costs(
    source: str | Path | Mapping[str, Mapping[str, float]], runs: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Costs by what they are and by run, from a CSV file with a header such as ``run,ms per query,index MB``.

    >>> read_costs({"bm25": {"ms per query": 3}}, ["bm25", "dense"])
    {'ms per query': {'bm25': 3.0}}
    """
    by_run = source if isinstance(source, Mapping) else _read(source)
    where = "costs" if isinstance(source, Mapping) else source
    found: dict[str, dict[str, float]] = {}
    for run, costs in by_run.items():
        if run not in runs:
            raise InputError(where, None, f"unknown run {run!r}{did_you_mean(run, runs)}")
        for name, value in costs.items():
            found.setdefault(name, {})[run] = float(value)
    return found


def _read(path: str | Path) -> dict[str, dict[str, float]]:
    with open_source(path) as stream:
        data = stream.read()
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    except UnicodeDecodeError as error:
        raise InputError(path, None, f"expected UTF-8, found byte 0x{data[error.start]:02x} at {error.start}") from None
    except csv.Error as error:
        raise InputError(path, None, f"cannot be read as CSV: {error}") from None
    rows = [row for row in rows if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise InputError(path, None, "expected a header (run, then what is counted) and a line per run")
    header, table = rows[0], dict[str, dict[str, float]]()
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise InputError(path, number, f"expected {len(header)} columns, found {len(row)}")
        table[row[0]] = {}
        for name, text in zip(header[1:], row[1:], strict=True):
            if text.strip():  # not measured for this run
                table[row[0]][name] = _number(text, path, number)
    return table


def _number(text: str, path: str | Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(path, line, f"expected a number, found {text!r}")
    return value
