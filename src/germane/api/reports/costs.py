"""Costs of systems, from a small table written by hand, since runs do not contain them."""

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
    """Return costs by kind and run, from a CSV file with a header such as ``run,ms per query,index MB``.

    >>> read_costs({"bm25": {"ms per query": 3}}, ["bm25", "dense"])
    {'ms per query': {'bm25': 3.0}}
    """
    by_run = source if isinstance(source, Mapping) else _read(source)
    where = "costs" if isinstance(source, Mapping) else source
    found: dict[str, dict[str, float]] = {}
    for run, costs in by_run.items():
        if run not in runs:
            hint = f"choose from {', '.join(runs)}"
            raise InputError(where, None, f"unknown run {run!r}{did_you_mean(run, runs)}", hint=hint)
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
        problem = "expected a header (run, then kinds of cost) and one line per run"
        raise InputError(path, None, problem, hint="for example a header `run,ms per query` and a line `bm25,3`")
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
        hint = "leave the cell empty if this cost was not measured"
        raise InputError(path, line, f"expected a number, found {text!r}", hint=hint)
    return value
