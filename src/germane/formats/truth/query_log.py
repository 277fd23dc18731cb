"""Sample queries from a query log: the first step of a benchmark.

A log has one query per line or, if queries are already counted, a query, a tab and its count. The header of a CSV file
names the columns of the query and the count, and JSON lines have the same keys. TREC and SMART topic files are read as
logs of their titles. Other fields are reported but not used.
"""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from germane.errors import InputError
from germane.formats.files.json_text import json_object
from germane.formats.rows.text import BOM, binary_problem, data_lines, show
from germane.formats.truth.topics_file import is_markup, topics_in

MOST_DIGITS = 15
"""Maximum number of digits of a count, so that the sum of all counts fits into 64 bits."""
QUERY_COLUMN = "query"
COUNT_COLUMNS = ("count", "frequency")
HEADER_HINT = "add a CSV header such as query,count"


@dataclass
class LoggedQuery:
    """A query with all its spellings, which differ only in case and white space."""

    spellings: Counter[str] = field(default_factory=Counter)

    @property
    def frequency(self) -> int:
        """Number of times the query occurs in the log."""
        return self.spellings.total()

    @property
    def text(self) -> str:
        """The most frequent spelling; of several, the first."""
        return self.spellings.most_common(1)[0][0]


@dataclass(frozen=True)
class Sample:
    """Sampled queries in the order in which they were drawn, and the size of the log."""

    queries: list[LoggedQuery]
    num_distinct: int
    num_asked: int
    seed: int
    left_out: tuple[str, ...] = ()
    """Columns or fields of the log that are not used."""


def sample_queries(
    lines: Iterable[bytes], size: int, seed: int, *, weighted: bool = True, source: str = "log"
) -> Sample:
    """Sample `size` distinct queries without replacement, with probability proportional to frequency.

    Unless `weighted`, all queries have the same probability. Sampling uses integers only, so that a seed gives the same
    sample on every machine.

    >>> log = [b"bm25", b"BM25 ", b"pool depth", b"kappa"]
    >>> [(query.text, query.frequency) for query in sample_queries(log, 3, seed=1).queries]
    [('bm25', 2), ('kappa', 1), ('pool depth', 1)]
    """
    left_out: dict[str, None] = {}
    queries = fold(lines, source, left_out)
    if size > len(queries):
        problem = f"expected at least {size} distinct queries, found {len(queries)}"
        raise InputError(source, None, problem, hint=f"use -n {len(queries)} for all of them")
    counts = [query.frequency for query in queries]
    drawn = _draw(counts if weighted else [1] * len(counts), size, np.random.default_rng(seed))
    return Sample([queries[i] for i in drawn], len(queries), sum(counts), seed, tuple(left_out))


def fold(lines: Iterable[bytes], source: str, left_out: dict[str, None] | None = None) -> list[LoggedQuery]:
    """Return the distinct queries of a log in order of first occurrence; `left_out` collects unused fields."""
    queries: dict[str, LoggedQuery] = {}
    for typed, count in _asked(lines, source, {} if left_out is None else left_out):
        text = " ".join(typed.split())
        queries.setdefault(text.casefold(), LoggedQuery()).spellings[text] += count
    if not queries:
        raise InputError(source, None, "expected queries, found none", hint="check that this is the right file")
    return list(queries.values())


def _asked(lines: Iterable[bytes], source: str, left_out: dict[str, None]) -> Iterator[tuple[str, int]]:
    """Yield each query as typed, and its count."""
    rest = iter(lines)
    first = next(rest, b"").removeprefix(BOM)
    second = next(rest, b"")  # SMART files are recognised by two lines
    everything = chain([first, second], rest)
    if first.lstrip().startswith(b"{"):
        return _from_objects(everything, source, left_out)
    if is_markup(first + second):
        return _from_topics(b"".join(everything), source, left_out)
    return _from_csv(everything, source, left_out) if _is_csv(first, source) else _from_lines(everything, source)


def _from_topics(data: bytes, source: str, left_out: dict[str, None]) -> Iterator[tuple[str, int]]:
    """Yield the titles of SMART or TREC topics, with a count of 1."""
    topics = topics_in(data, source, unread=lambda name: left_out.update({name: None}))
    for topic in topics.values():
        text = topic.title or topic.description
        if not text:
            raise InputError(source, None, f"expected a title for topic {topic.id!r}, found none")
        parts = {"description": topic.description if topic.title else "", "narrative": topic.narrative}
        left_out |= dict.fromkeys(name for name, value in parts.items() if value)
        yield text, 1


def _from_objects(lines: Iterable[bytes], source: str, left_out: dict[str, None]) -> Iterator[tuple[str, int]]:
    """Yield the query and the count, if any, of each JSON line."""
    for number, data in data_lines(lines):
        body = json_object(_text(data, source, number), source, number)
        if not isinstance(body.get(QUERY_COLUMN), str) or not body[QUERY_COLUMN].strip():
            problem = f"expected an object with text as {QUERY_COLUMN!r}, found {show(data.rstrip())}"
            raise InputError(
                source, number, problem, hint='use a query log with one {"query": "…"} per line, not topics'
            )
        count = next((name for name in COUNT_COLUMNS if name in body), None)
        left_out |= dict.fromkeys(name for name in body if name not in (QUERY_COLUMN, count))
        yield body[QUERY_COLUMN], 1 if count is None else _count(str(body[count]), source, number)


def _is_csv(first: bytes, source: str) -> bool:
    """Return whether the extension is .csv, or the first line is a comma-separated header that includes `query`."""
    names = first.strip().lower().split(b",")
    return (len(names) > 1 and QUERY_COLUMN.encode() in names) or ".csv" in Path(source.lower()).suffixes[-2:]


def _from_lines(lines: Iterable[bytes], source: str) -> Iterator[tuple[str, int]]:
    num_fields = 0
    for number, data in data_lines(lines):
        fields = _text(data, source, number).split("\t")
        num_fields = num_fields or len(fields)
        if len(fields) != num_fields or num_fields > 2:
            first = "a query, or a query, a tab and its count,"
            wanted = first if number == 1 else f"{num_fields} fields, as on previous lines,"
            raise InputError(source, number, f"expected {wanted} found {len(fields)} fields: {show(data.rstrip())}")
        if not fields[0].strip():
            raise InputError(source, number, f"expected a query before the tab, found none: {show(data.rstrip())}")
        yield fields[0], _count(fields[1], source, number) if num_fields == 2 else 1


def _from_csv(lines: Iterable[bytes], source: str, left_out: dict[str, None]) -> Iterator[tuple[str, int]]:
    texts = (f"{_text(data, source, number)}\n" for number, data in enumerate(lines, start=1))
    reader = csv.reader(texts, strict=True)
    filled = (row for row in reader if any(cell.strip() for cell in row))
    try:
        names = [cell.strip().lower() for cell in next(filled, [])]
        if not names:
            return
        query, counted = _columns(names, source, reader.line_num)
        left_out |= dict.fromkeys(name for place, name in enumerate(names) if place not in (query, counted))
        for row in filled:
            if len(row) != len(names):
                problem = f"expected {len(names)} fields, as in the header, found {len(row)}"
                raise InputError(source, reader.line_num, problem)
            if not row[query].strip():
                raise InputError(source, reader.line_num, f"expected a query, found none in {row}")
            yield row[query], 1 if counted is None else _count(row[counted], source, reader.line_num)
    except csv.Error as error:
        raise InputError(source, reader.line_num, f"invalid CSV: {error}", hint=HEADER_HINT) from None


def _columns(names: list[str], source: str, line: int) -> tuple[int, int | None]:
    """Return the index of the query column, and of the count column if any."""
    counts = [name for name in names if name in COUNT_COLUMNS]
    if names.count(QUERY_COLUMN) != 1 or len(counts) > 1:
        wanted = f"one column {QUERY_COLUMN} and at most one {' or '.join(COUNT_COLUMNS)}"
        raise InputError(source, line, f"expected {wanted}, found {', '.join(names)}", hint=HEADER_HINT)
    return names.index(QUERY_COLUMN), names.index(counts[0]) if counts else None


def _text(data: bytes, source: str, number: int) -> str:
    if problem := binary_problem(data):
        raise InputError(source, number, problem)
    try:
        return data.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            source, number, f"expected UTF-8 text, found {show(data)}", hint="save the file as UTF-8"
        ) from None


def _count(text: str, source: str, number: int) -> int:
    digits = text.strip()
    if digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS and int(digits) > 0:
        return int(digits)
    problem = f"expected the count of the query (an integer ≥ 1), found {show(text.encode())}"
    header = number == 1 and not any(char.isdecimal() for char in text)
    raise InputError(source, number, problem, hint="if this is a header, delete the line" if header else None)


def _draw(counts: list[int], size: int, generator: np.random.Generator) -> list[int]:
    """Draw without replacement: items already drawn are rejected, and removed once they make up half of the total."""
    drawn: dict[int, None] = {}
    while len(drawn) < size:
        left = [i for i in range(len(counts)) if i not in drawn]
        bounds = np.cumsum([counts[i] for i in left]).tolist()
        taken = 0
        while len(drawn) < size and 2 * taken < bounds[-1]:
            i = left[bisect_right(bounds, int(generator.integers(bounds[-1])))]
            if i not in drawn:
                drawn[i] = None
                taken += counts[i]
    return list(drawn)
