"""Queries drawn from a query log: the first step of a benchmark.

A log has a query per line or, where the queries were counted already, a query, a tab and how often it was asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from germane.errors import InputError
from germane.formats.text import BOM, CONTROL, show

MOST_DIGITS = 15
"""A count of more digits is none; and all counts together must fit into 64 bits."""


@dataclass
class LoggedQuery:
    """A query, however it was typed: upper and lower case and the amount of white space make no difference."""

    spellings: Counter[str] = field(default_factory=Counter)

    @property
    def frequency(self) -> int:
        """How often it was asked."""
        return self.spellings.total()

    @property
    def text(self) -> str:
        """The spelling asked most often; of several, the one that came first."""
        return self.spellings.most_common(1)[0][0]


@dataclass(frozen=True)
class Sample:
    """Queries in the order in which they were drawn, and what they were drawn from."""

    queries: list[LoggedQuery]
    num_distinct: int
    num_asked: int
    seed: int


def sample_queries(
    lines: Iterable[bytes], size: int, seed: int, *, weighted: bool = True, source: str = "log"
) -> Sample:
    """Draw so many different queries, each with a probability proportional to how often it was asked.

    Once drawn, a query is out of the draw. Unless `weighted`, all queries have the same chance. The draw uses whole
    numbers only, so one seed gives one sample on every machine.

    >>> log = [b"bm25", b"BM25 ", b"pool depth", b"kappa"]
    >>> [(query.text, query.frequency) for query in sample_queries(log, 3, seed=1).queries]
    [('bm25', 2), ('kappa', 1), ('pool depth', 1)]
    """
    queries = fold(lines, source)
    if size > len(queries):
        problem = f"expected at least {size} different queries, found {len(queries)}"
        raise InputError(source, None, problem, hint=f"-n {len(queries)} draws them all")
    counts = [query.frequency if weighted else 1 for query in queries]
    drawn = _draw(counts, size, np.random.default_rng(seed))
    return Sample([queries[i] for i in drawn], len(queries), sum(query.frequency for query in queries), seed)


def fold(lines: Iterable[bytes], source: str) -> list[LoggedQuery]:
    """The different queries of a log, in order of first appearance."""
    queries: dict[str, LoggedQuery] = {}
    num_fields = 0
    for number, line in enumerate(lines, start=1):
        data = line.removeprefix(BOM) if number == 1 else line
        if not data.strip():
            continue
        fields = _text(data, source, number).split("\t")
        num_fields = num_fields or len(fields)
        if len(fields) != num_fields or num_fields > 2:
            wanted = (
                "a query, or a query and its count after a tab," if number == 1 else f"{num_fields} fields, as before,"
            )
            raise InputError(source, number, f"expected {wanted} found {len(fields)} fields: {show(data.rstrip())}")
        text = " ".join(fields[0].split())
        if not text:
            raise InputError(source, number, f"expected a query, found nothing before the tab: {show(data.rstrip())}")
        count = _count(fields[1], source, number) if num_fields == 2 else 1
        queries.setdefault(text.casefold(), LoggedQuery()).spellings[text] += count
    if not queries:
        raise InputError(source, None, "expected queries, found none", hint="is this the right file?")
    return list(queries.values())


def _text(data: bytes, source: str, number: int) -> str:
    if found := CONTROL.search(data):
        problem = f"expected text, found byte 0x{found.group()[0]:02x} (binary data?): {show(data)}"
        raise InputError(source, number, problem)
    try:
        return data.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(source, number, f"expected UTF-8 text, found {show(data)}", hint="save it as UTF-8") from None


def _count(text: str, source: str, number: int) -> int:
    digits = text.strip()
    if digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS and int(digits) > 0:
        return int(digits)
    problem = f"expected how often the query was asked, a whole number from 1, found {show(text.encode())}"
    raise InputError(source, number, problem)


def _draw(counts: list[int], size: int, generator: np.random.Generator) -> list[int]:
    """Draw without replacement. What was drawn stays in the urn and is put back when it comes up again, until it makes
    up half of the urn; then the urn is filled anew without it."""
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
