"""The worked tables as data: what a page needs to add up every value again, as the library has it.

Most of it follows from little. The hits of a measure are mostly the first of the relevant documents that the rankings
list already; a discount follows from the rank and the grade, precision from the rank and how many have come before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from germane.api.reports.rankings import RetrievalNumbers
from germane.output.page.blocks import ColumnPool
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.measure import Measure


def worked_block(numbers: RetrievalNumbers) -> dict[str, Any]:
    """Every measure of every run, worked out."""
    pool = ColumnPool()
    names = _DocumentPlaces(numbers)
    measures = [_measure(numbers, measure, pool, names) for measure in numbers.scores.measures]
    return {"columns": pool.columns, "measures": measures, "extra": names.extra()}


class _DocumentPlaces:
    """Documents by their place in the rankings of their query; judged ones below the depth come after those."""

    def __init__(self, numbers: RetrievalNumbers) -> None:
        self._numbers = numbers
        self._shown: list[dict[str, int]] = []
        self._extra: list[dict[str, int]] = [{} for _ in numbers.rankings]

    def place(self, query: int, doc: str) -> int:
        if not self._shown:
            self._shown = [{doc: i for i, doc in enumerate(query.documents)} for query in self._numbers.rankings]
        shown, extra = self._shown[query], self._extra[query]
        found = shown.get(doc)
        return len(shown) + extra.setdefault(doc, len(extra)) if found is None else found

    def extra(self) -> list[list[str]]:
        return [list(names) for names in self._extra]


def _measure(numbers: RetrievalNumbers, measure: Measure, pool: ColumnPool, names: _DocumentPlaces) -> dict[str, Any]:
    """One measure of all runs: the hits that add something, with what stands beside them."""
    worked = [numbers.worked(measure, r) for r in range(len(numbers.runs))]
    adding = [(w, np.flatnonzero(w.term)) for w in worked]
    counts = [np.bincount(w.hits.query[kept], minlength=len(numbers.scores.queries)) for w, kept in adding]
    ranks = [_rank(w, kept) for w, kept in adding]
    grades = [w.hits.grade[kept] for w, kept in adding]
    expected = worked[0].hits.run.ties == "expected"
    # A term is then a mean over ranks, and follows from none of them.
    keys = {} if expected else {"rank": (ranks, grades), "place": _places(counts)}
    columns = {
        title: _columns([np.asarray(w.columns[title], dtype=np.float64)[kept] for w, kept in adding], keys, pool)
        for title in worked[0].columns
    }
    by_run = zip(numbers.judged, adding, counts, strict=True)
    known = all(_are_first_relevant(run, w, kept, count) for run, (w, kept), count in by_run)
    return {
        "counts": np.stack(counts),
        "rank": None if known else [pool.add(rank) for rank in ranks],
        "last": [pool.add(w.hits.run.last[w.hits.index[kept]]) for w, kept in adding] if expected else None,
        "document": None if known else [pool.add(_documents(w, kept, names)) for w, kept in adding],
        "grade": None if known else [pool.add(grade) for grade in grades],
        "columns": columns,
        "term": _columns([w.term[kept] for w, kept in adding], keys, pool),
        "base": [pool.add(_base(w)) for w in worked],
        "over": [pool.add(w.denominator) for w in worked],
        "over_is": worked[0].over_is,
    }


def _are_first_relevant(run: JudgedRun, worked: Worked, adds: IntArray, counts: IntArray) -> bool:
    """Whether the hits that add something are the first relevant ones of each query, at the ranks that are shown."""
    relevant = np.flatnonzero(run.grade > 0)
    sizes = np.bincount(run.query[relevant], minlength=len(counts))
    if run.ties == "expected" or (counts > sizes).any():
        return False
    first = relevant[np.repeat(np.cumsum(sizes) - sizes, counts) + _places([counts])[1][0]]
    same: bool = np.array_equal(run.doc[first], worked.hits.doc[adds])
    return same and np.array_equal(run.rank[first], worked.hits.rank[adds])


def _rank(worked: Worked, adds: IntArray) -> IntArray:
    hits = worked.hits
    return hits.run.first[hits.index[adds]] if hits.run.ties == "expected" else hits.rank[adds]


def _base(worked: Worked) -> FloatArray:
    return np.broadcast_to(np.asarray(worked.base, dtype=np.float64), (worked.hits.run.num_queries,))


def _documents(worked: Worked, adds: IntArray, names: _DocumentPlaces) -> IntArray:
    docs = worked.hits.run.qrels.docs
    pairs = zip(worked.hits.query[adds].tolist(), worked.hits.doc[adds].tolist(), strict=True)
    return np.asarray([names.place(query, docs[doc]) for query, doc in pairs], dtype=np.int64)


def _places(counts: Sequence[IntArray]) -> tuple[list[IntArray], list[IntArray]]:
    """By run, the query of each row and how many of the query have come before it."""
    queries = [np.repeat(np.arange(len(count)), count) for count in counts]
    return queries, [np.arange(len(query)) - np.searchsorted(query, query) for query in queries]


def _columns(by_run: Sequence[FloatArray], keys: dict[str, tuple[Any, Any]], pool: ColumnPool) -> Any:
    """A column of all runs: the rule or the table of keys that it follows from, or each run's own place in the pool."""
    values = np.concatenate(by_run)
    if keys and np.array_equal(values, (np.concatenate(keys["place"][1]) + 1) / np.concatenate(keys["rank"][0])):
        return {"from": "precision"}
    for name, pair in keys.items():
        (first, one), (second, other) = (np.unique(np.concatenate(key), return_inverse=True) for key in pair)
        distinct, where, inverse = np.unique(one * len(second) + other, return_index=True, return_inverse=True)
        if np.array_equal(values[where][inverse], values):
            row, column = np.divmod(distinct, max(len(second), 1))
            at = {"first": pool.add(first[row]), "second": pool.add(second[column])}
            return {"from": name, **at, "value": pool.add(values[where])}
    return [pool.add(values) for values in by_run]
