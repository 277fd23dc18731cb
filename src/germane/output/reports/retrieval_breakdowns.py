"""The worked tables and the curves as data: hits and terms as the library has them, each number kept once.

What a page needs to add a value up again is large, and most of it follows from little: a discount from the rank and the
grade, recall from how many have come before. Such a column is kept as a table of what it follows from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from germane.api.reports.rankings import FINE_LEVELS, LEVELS, RetrievalNumbers
from germane.output.page.blocks import ColumnPool
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import Worked
from germane.tables.rankings.measure import Measure


def worked_blocks(numbers: RetrievalNumbers) -> dict[str, Any]:
    """The blocks `worked` and `curves`; they share columns, since what AP adds up is a curve's precision."""
    pool = ColumnPool()
    names = _DocumentPlaces(numbers)
    measures = [_measure(numbers, measure, pool, names) for measure in numbers.scores.measures]
    points = [numbers.precision_recall(r) for r in range(len(numbers.runs))]
    counts = [_counts(found.query, numbers) for found in points]
    recall = _columns([found.x for found in points], {"place": _places(counts)}, pool)
    interpolated = numbers.interpolated
    means = interpolated.mean()
    eleven = [interpolated.measure_index(f"IPrec@{level:g}") for level in LEVELS]
    return {
        "worked": {"columns": pool.columns, "measures": measures, "extra": names.extra()},
        "curves": {
            "levels": LEVELS,
            "fine_levels": FINE_LEVELS,
            "counts": counts,
            "recall": recall,
            "precision": [pool.add(found.y) for found in points],
            "fine": [list(means[run.name].values()) for run in numbers.runs],
            "eleven": [[interpolated.values[r, m] for m in eleven] for r in range(len(numbers.runs))],
        },
    }


class _DocumentPlaces:
    """Documents by their place in the rankings of their query; judged ones below the depth come after those."""

    def __init__(self, numbers: RetrievalNumbers) -> None:
        self._shown = [{doc: i for i, doc in enumerate(query.documents)} for query in numbers.rankings]
        self._extra: list[dict[str, int]] = [{} for _ in self._shown]

    def place(self, query: int, doc: str) -> int:
        shown, extra = self._shown[query], self._extra[query]
        found = shown.get(doc)
        return len(shown) + extra.setdefault(doc, len(extra)) if found is None else found

    def extra(self) -> list[list[str]]:
        return [list(names) for names in self._extra]


def _measure(numbers: RetrievalNumbers, measure: Measure, pool: ColumnPool, names: _DocumentPlaces) -> dict[str, Any]:
    """One measure of all runs: the hits that add something, with what stands beside them."""
    worked = [numbers.worked(measure, r) for r in range(len(numbers.runs))]
    adding = [(w, np.flatnonzero(w.term)) for w in worked]
    counts = [_counts(w.hits.query[kept], numbers) for w, kept in adding]
    ranks = [_rank(w, kept) for w, kept in adding]
    grades = [w.hits.grade[kept] for w, kept in adding]
    expected = worked[0].hits.run.ties == "expected"
    # A term is then a mean over ranks, and follows from none of them.
    keys = {} if expected else {"rank": (ranks, grades), "place": _places(counts)}
    columns = {
        title: _columns([np.asarray(w.columns[title], dtype=np.float64)[kept] for w, kept in adding], keys, pool)
        for title in worked[0].columns
    }
    documents = [_documents(w, kept, names) for w, kept in adding]
    return {
        "counts": counts,
        "rank": [pool.add(rank) for rank in ranks],
        "last": [pool.add(w.hits.run.last[w.hits.index[kept]]) for w, kept in adding] if expected else None,
        "document": [pool.add(document) for document in documents],
        "grade": [pool.add(grade) for grade in grades],
        "columns": columns,
        "term": _columns([w.term[kept] for w, kept in adding], keys, pool),
        "base": [pool.add(_base(w)) for w in worked],
        "over": [pool.add(w.denominator) for w in worked],
        "over_is": worked[0].over_is,
    }


def _rank(worked: Worked, adds: IntArray) -> IntArray:
    hits = worked.hits
    return hits.run.first[hits.index[adds]] if hits.run.ties == "expected" else hits.rank[adds]


def _base(worked: Worked) -> FloatArray:
    return np.broadcast_to(np.asarray(worked.base, dtype=np.float64), (worked.hits.run.num_queries,))


def _documents(worked: Worked, adds: IntArray, names: _DocumentPlaces) -> IntArray:
    docs = worked.hits.run.qrels.docs
    pairs = zip(worked.hits.query[adds].tolist(), worked.hits.doc[adds].tolist(), strict=True)
    return np.asarray([names.place(query, docs[doc]) for query, doc in pairs], dtype=np.int64)


def _counts(query: IntArray, numbers: RetrievalNumbers) -> IntArray:
    return np.bincount(query, minlength=len(numbers.scores.queries))


def _places(counts: Sequence[IntArray]) -> tuple[list[IntArray], list[IntArray]]:
    """By run, the query of each row and how many of the query have come before it."""
    queries = [np.repeat(np.arange(len(count)), count) for count in counts]
    return queries, [np.arange(len(query)) - np.searchsorted(query, query) for query in queries]


def _columns(by_run: Sequence[FloatArray], keys: dict[str, tuple[Any, Any]], pool: ColumnPool) -> Any:
    """A column of all runs: a table of the keys that it follows from, or the place of each run's own in the pool."""
    values = np.concatenate(by_run)
    for name, (first, second) in keys.items():
        pairs = np.stack([np.concatenate(first), np.concatenate(second)], axis=1)
        distinct, where, inverse = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        if np.array_equal(values[where][inverse.ravel()], values):
            first_at, second_at = pool.add(distinct[:, 0]), pool.add(distinct[:, 1])
            return {"from": name, "first": first_at, "second": second_at, "value": pool.add(values[where])}
    return [pool.add(values) for values in by_run]
