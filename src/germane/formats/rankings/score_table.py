"""Read per-query score tables of other tools: `trec_eval -q`, ir_measures, PyTerrier, a spreadsheet.

Each layout is recognised exactly. An ambiguous table is an error that names both layouts and the option to use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from germane.errors import InputError
from germane.formats.files.sources import first_bytes, source_name, text_of
from germane.formats.rankings.leaderboard import NAME_COLUMNS, table_rows
from germane.formats.rows.column_names import ALIASES, has_names, plain_name
from germane.formats.rows.number_text import number_of
from germane.tables.columns.ids import to_text

Layout = Literal["trec_eval", "ir_measures", "long", "measures", "systems"]
LAYOUTS: dict[Layout, str] = {
    "trec_eval": "columns measure, query, value; no header",
    "ir_measures": "columns query, measure, value; no header",
    "long": "columns query, measure and value, with a header",
    "measures": "a query column and one column per measure, with a header",
    "systems": "a query column and one column per system, with a header",
}
MEASURE_COLUMNS = ("measure", "metric")
VALUE_COLUMNS = ("value", "score")
SYSTEM_COLUMNS = (*NAME_COLUMNS, "system_id")
OF_ALL_QUERIES = ("all", "mean")
"""Query ids in rows with values over all queries."""
ONE_MEASURE = "value"
"""Name of the measure in a table of systems, which does not name it."""
IS_TEXT = ("runid",)
"""Rows of trec_eval whose value is text."""
TREC_EVAL_NAME = re.compile(
    r"Z?(runid|num_(q|ret|rel|rel_ret|nonrel_judged_ret)|relstring|(gm_|set_)?(map|bpref|P|recall|F|relative_P)|Rprec"
    r"|Rprec_mult|recip_rank|(11|3)pt_avg|iprec_at_recall|relative_P|success|(map|ndcg)_cut|unj|rbp(_resid)?|infAP|utility"
    r"|binG|G|ndcg(_p|_rel)?|Rndcg|yaap|prefs_\w+)(_avgjg)?(_[-\d.,=]+)?"
)
"""The names that trec_eval prints, some of which are not germane measures."""
ROW_NUMBERS = re.compile(r"(unnamed:_\d+|index|(num_)?queries)?")
"""Columns to ignore: the index of a data frame, and the number of queries of a row."""
HEAD = 1 << 16

Rows = Sequence[tuple[int, Sequence[str]]]
IsMeasure = Callable[[str], bool]


@dataclass(frozen=True)
class ScoreTable:
    """Values by system, measure and query; the name of a single unnamed system is ''."""

    source: str
    values: Mapping[str, Mapping[str, Mapping[str, float]]]


def possible_layouts(path: str | Path, is_measure: IsMeasure) -> list[Layout]:
    """Return every layout that fits the start of a file; none if it is not a per-query score table.

    Rankings and judgments are not, since they have documents, nor is a leaderboard, which has no queries.
    """
    head = first_bytes(path, HEAD)
    if b"\0" in head or head.lstrip()[:1] in (b"{", b"["):
        return []
    text = to_text(head).removeprefix("\ufeff")
    rows = list(table_rows(text if len(head) < HEAD else text[: text.rfind("\n") + 1]))
    return _layouts(_by_query(rows), is_measure) if rows else []


def read_score_table(path: str | Path, is_measure: IsMeasure, layout: Layout | None = None) -> ScoreTable:
    """Read a per-query score table; `is_measure` recognises measure names, `layout` resolves ambiguity."""
    source, rows = source_name(path), list(table_rows(text_of(path)))
    if not rows:
        raise InputError(source, None, "expected scores by query, found no lines")
    return table_of_rows(rows, source, is_measure, layout)


def table_of_rows(rows: Rows, source: str, is_measure: IsMeasure, layout: Layout | None = None) -> ScoreTable:
    """Read rows of text with their line numbers; the first may be a header."""
    if layout is not None and layout not in get_args(Layout):
        raise InputError(source, None, f"unknown layout {layout!r}", hint=f"choose from {', '.join(LAYOUTS)}")
    width = len(rows[0][1])
    for line, fields in rows:
        if len(fields) != width:
            raise InputError(source, line, f"expected {width} fields, found {len(fields)}: {list(fields)}")
    rows = _by_query(rows)
    chosen = layout or _only(_layouts(rows, is_measure), rows, source)
    values: dict[str, dict[str, dict[str, float]]] = {}
    for line, system, measure, query, text in _READERS[chosen](rows, source):
        if query in OF_ALL_QUERIES:
            continue
        by_query = values.setdefault(system, {}).setdefault(measure, {})
        if query in by_query:
            whose = f" of {system}" if system else ""
            raise InputError(source, line, f"duplicate value for query {query!r}: {measure}{whose}")
        value = number_of(text)
        if value is None or not math.isfinite(value):
            raise InputError(source, line, f"expected a number as {measure} of query {query!r}, found {text!r}")
        by_query[query] = value
    if not values:
        hint = "write per-query values with `germane eval --per-query` or `germane trec_eval -q`"
        raise InputError(source, None, "expected scores by query, found only values for all queries", hint=hint)
    return ScoreTable(source, values)


def _by_query(rows: Rows) -> Rows:
    """Drop the rows of aggregates, which `germane eval` writes besides those of queries."""
    place = _column(rows[0][1], ["aggregate"])
    return [row for row in rows if place is None or row is rows[0] or not "".join(row[1][place : place + 1])]


def _layouts(rows: Rows, is_measure: IsMeasure) -> list[Layout]:
    """Return every layout that fits."""
    first = rows[0][1]
    if any(number_of(field) is not None for field in first[1:]) or (len(first) == 3 and first[0] in IS_TEXT):
        if len(first) != 3 or any(len(fields) != 3 for _, fields in rows):
            return []
        columns = [{fields[place] for _, fields in rows} for place in (0, 1)]
        named = [all(is_measure(text) or TREC_EVAL_NAME.fullmatch(text) for text in column) for column in columns]
        headless: tuple[Layout, Layout] = ("trec_eval", "ir_measures")
        return [layout for layout, fits in zip(headless, named, strict=True) if fits]
    query = _column(first, ALIASES["query"])
    if query is None or has_names(first):  # rankings and judgments have documents
        return []
    measure, value, system = (_column(first, names) for names in (MEASURE_COLUMNS, VALUE_COLUMNS, SYSTEM_COLUMNS))
    is_long = measure is not None and value is not None
    names = [first[place] for place in _value_columns(rows, {query, system, *([value, measure] if is_long else [])})]
    if is_long:
        return ["long", "measures"] if any(map(is_measure, names)) else ["long"]
    if not names:
        return []
    return ["measures"] if system is not None or any(map(is_measure, names)) else ["measures", "systems"]


def _only(layouts: Sequence[Layout], rows: Rows, source: str) -> Layout:
    line, first = rows[0]
    if len(layouts) == 1:
        return layouts[0]
    if not layouts:
        hint = "add a header with the column query_id, or " + _choices(list(LAYOUTS))
        raise InputError(source, line, f"expected scores by query, found {', '.join(map(repr, first))}", hint=hint)
    ways = " or ".join(f"{layout} ({LAYOUTS[layout]})" for layout in layouts)
    raise InputError(source, line, f"ambiguous layout: {ways}", hint=_choices(layouts))


def _choices(layouts: Sequence[Layout]) -> str:
    return f"use {' or '.join(f'--layout {layout}' for layout in layouts)}"


Cell = tuple[int, str, str, str, str]
"""Line number, system, measure, query, and the value as text."""


def _of_three(rows: Rows, source: str, *, measure: int, query: int) -> Iterable[Cell]:
    for line, fields in rows:
        if len(fields) != 3:
            raise InputError(source, line, f"expected 3 fields, found {len(fields)}: {list(fields)}")
        if fields[measure] not in IS_TEXT:
            yield line, "", fields[measure], fields[query], fields[2]


def _long(rows: Rows, source: str) -> Iterable[Cell]:
    (line, header), *body = rows
    needed = (ALIASES["query"], MEASURE_COLUMNS, VALUE_COLUMNS)
    query, measure, value = (_needed(header, names, source, line) for names in needed)
    system = _column(header, SYSTEM_COLUMNS)
    for number, fields in body:
        yield number, "" if system is None else fields[system], fields[measure], fields[query], fields[value]


def _by_measure(rows: Rows, source: str) -> Iterable[Cell]:
    (line, header), *body = rows
    query, system = _needed(header, ALIASES["query"], source, line), _column(header, SYSTEM_COLUMNS)
    columns = _value_columns(rows, {query, system})
    for number, fields in body:
        for place in columns:
            yield number, "" if system is None else fields[system], header[place], fields[query], fields[place]


def _by_system(rows: Rows, source: str) -> Iterable[Cell]:
    (line, header), *body = rows
    query = _needed(header, ALIASES["query"], source, line)
    columns = _value_columns(rows, {query})
    for number, fields in body:
        for place in columns:
            yield number, header[place], ONE_MEASURE, fields[query], fields[place]


_READERS: dict[Layout, Callable[[Rows, str], Iterable[Cell]]] = {
    "trec_eval": partial(_of_three, measure=0, query=1),
    "ir_measures": partial(_of_three, measure=1, query=0),
    "long": _long,
    "measures": _by_measure,
    "systems": _by_system,
}


def _value_columns(rows: Rows, used: set[int | None]) -> list[int]:
    """Return the columns with a number in at least one row, without text columns and row numbers."""
    (_, header), *body = rows
    free = [i for i in range(len(header)) if i not in used and not ROW_NUMBERS.fullmatch(plain_name(header[i]))]
    return [i for i in free if any(number_of(fields[i]) is not None for _, fields in body if i < len(fields))]


def _needed(header: Sequence[str], names: Sequence[str], source: str, line: int) -> int:
    place = _column(header, names)
    if place is None:
        listed = ", ".join(map(repr, header))
        raise InputError(source, line, f"expected a column {' or '.join(names)}, found {listed}")
    return place


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    plain = [plain_name(name) for name in header]
    return next((plain.index(name) for name in names if name in plain), None)
