"""How far rankings agree: two runs query by query, two leaderboards, or the orders that measures give to systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Unpack

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.measures.definition import MEASURES
from germane.stats.rankings.coefficients import DEFAULT_P, asked_coefficients
from germane.stats.rankings.correlations import (
    DEFAULT_COEFFICIENTS,
    Correlation,
    Correlations,
    How,
    Names,
    coefficients_of,
    correlations,
)
from germane.stats.rankings.ranked_items import Pair, Ranking
from germane.tables.columns.ids import to_text
from germane.tables.notes.counts import notes_on_ids
from germane.tables.rankings.run import Run
from germane.tables.results.scores import Scores

ROUNDING = 1e-12
"""Means that differ by less, in proportion, are equal: the same values added in another order."""

Leaderboard = Mapping[str, Mapping[str, float]]
"""The value of each system, by measure."""


def between_runs(a: Run, b: Run, coefficients: Names = DEFAULT_COEFFICIENTS, **how: Unpack[How]) -> Correlations:
    """Correlate two runs over the queries in common; the documents of a query are the items, equal scores are ties.

    What one run lacks is appended at its end in the other's order, or left out of both (``missing="common"``).

    >>> a = Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})
    >>> b = Run.from_dict({"q1": {"d1": 9.0, "d3": 8.0, "d2": 7.0}})
    >>> between_runs(a, b, "tau-a tau-ap").mean()
    {'tau-a': 0.3333333333333333, 'tau-ap': 0.5}
    """
    first, second = dict(_by_query(a)), dict(_by_query(b))
    shared = sorted(first.keys() & second.keys())
    if not shared:
        found = f"{a.name} has {_some(map(to_text, first))}, {b.name} has {_some(map(to_text, second))}"
        raise GermaneError(f"no query in common: {found}", hint="do the two runs answer the same queries?")
    notes = []
    for run, own, other in ((a, first, second), (b, second, first)):
        only = [to_text(query) for query in sorted(own.keys() - other.keys())]
        notes += notes_on_ids("unpaired-queries", only, "query", "that the other run lacks, left out", run.name)
    pairs = {to_text(query): Pair(first[query], second[query]) for query in shared}
    return correlations("runs", (a.name, b.name), pairs, coefficients, notes, **how)


def between_leaderboards(
    a: Leaderboard,
    b: Leaderboard,
    coefficients: Names = DEFAULT_COEFFICIENTS,
    *,
    names: tuple[str, str] = ("first", "second"),
    measures: Iterable[str] = (),
    **how: Unpack[How],
) -> Correlations:
    """Correlate two leaderboards for each measure in common (of those named, if any are); systems go by their names.

    Where each has one measure only, these are compared whatever they are called.

    >>> a = {"AP": {"bm25": 0.3, "dense": 0.4, "both": 0.5}}
    >>> b = {"map": {"bm25": 0.2, "dense": 0.1, "both": 0.3}}
    >>> between_leaderboards(a, b, ["tau-a"])["AP"]
    {'tau-a': 0.3333333333333333}
    """
    pairs, unknown = {}, []
    for row, one, other in _columns(a, b, names, list(measures)):
        if not one.values.keys() & other.values.keys():
            found = f"{names[0]} has {_some(one.values)}, {names[1]} has {_some(other.values)}"
            raise GermaneError(f"no system in common for {row}: {found}", hint="systems are matched by name")
        unknown += [row] if one.has_nan or other.has_nan else []
        pairs[row] = Pair(Ranking.of([]), Ranking.of([])) if row in unknown else Pair(one.ranking, other.ranking)
    notes = notes_on_ids("nan-values", unknown, "measure", "with a system whose value is not known")
    how.setdefault("missing", "common")
    return correlations("leaderboards", names, pairs, coefficients, notes, **how)


def between_measures(
    scores: Scores, coefficients: Names, *, p: float = DEFAULT_P, depth: int | None = None
) -> Correlations:
    """Correlate the orders that each two measures give to the systems, by their means, best first."""
    if len(scores.runs) < 2:
        raise GermaneError("expected at least two runs to put in order, found one", hint="name more runs")
    if len(scores.measures) < 2:
        raise GermaneError("expected at least two measures, found one", hint="for example -m 'AP nDCG@10'")
    asked = asked_coefficients(coefficients)
    means = scores.mean()
    columns = [Column(name, {run: values[name] for run, values in means.items()}) for name in map(str, scores.measures)]
    rankings = {c.measure: Ranking.of([]) if c.has_nan else c.ranking.top(depth) for c in columns}
    pairs = []
    for first, second in product(rankings, repeat=2):
        pair = Pair(rankings[first], rankings[second])
        values = coefficients_of(pair, asked, p)
        pairs.append(Correlation(first, second, "", pair.num_items, pair.in_common, values))
    systems, names = tuple(run.name for run in scores.runs), tuple(entry.name for entry in asked)
    found = Correlations("measures", tuple(pairs), names, p, depth, systems=systems)
    tied = [measure for measure, ranking in rankings.items() if ranking.tied]
    turned = [column.measure for column in columns if column.lower_is_better]
    unknown = [column.measure for column in columns if column.has_nan]
    notes = [
        *scores.notes,
        *notes_on_ids("reversed-measures", turned, "measure", "where lower is better, turned round"),
        *notes_on_ids("nan-values", unknown, "measure", "with a system whose value is not known; undefined"),
        *notes_on_ids("ties", tied, "measure", "with tied systems; coefficients differ in what they make of them"),
    ]
    for entry in asked:
        matrix = found.matrix(entry.name)
        rows = [m for m, row in matrix.items() if m not in unknown and all(map(math.isnan, row.values()))]
        what = f"undefined for {entry.name} ({entry.sections['Undefined']})"
        notes += notes_on_ids("undefined", rows, "measure", what)
    return replace(found, notes=tuple(notes))


def _by_query(run: Run) -> Iterator[tuple[bytes, Ranking]]:
    """The ranking of each query; one without documents is empty."""
    order = np.argsort(run.query, kind="stable")
    ends = np.cumsum(np.bincount(run.query, minlength=len(run.queries)))
    docs = run.docs.to_bytes_list()
    for query, rows in zip(run.queries.to_bytes_list(), np.split(order, ends[:-1]), strict=True):
        source = f"{run.name}, query {to_text(query)!r}"
        yield query, Ranking.from_scores([docs[row] for row in rows.tolist()], run.score[rows], source=source)


@dataclass(frozen=True, eq=False)
class Column:
    """What one measure says of each system."""

    measure: str
    values: Mapping[str, float]

    @property
    def has_nan(self) -> bool:
        """Whether the value of some system is not known."""
        return any(map(math.isnan, self.values.values()))

    @property
    def lower_is_better(self) -> bool:
        """Whether it is a measure that we know to be one of error."""
        return MEASURES.accepts(self.measure) and MEASURES[MEASURES.parse(self.measure)].better == "lower"

    @property
    def ranking(self) -> Ranking:
        """The systems, the best first; means that differ by rounding alone are tied."""
        sign = -1.0 if self.lower_is_better else 1.0
        scores = [sign * value for value in self.values.values()]
        return Ranking.from_scores(list(self.values), scores, source=self.measure, tolerance=ROUNDING)


def _columns(
    a: Leaderboard, b: Leaderboard, names: tuple[str, str], wanted: list[str]
) -> Iterator[tuple[str, Column, Column]]:
    """The measures to compare, each with its values in both leaderboards."""
    first, second = (_by_measure(board, name) for board, name in zip((a, b), names, strict=True))
    if not wanted and len(first) == len(second) == 1:
        (one,), (other,) = first.values(), second.values()
        yield (one.measure if one.measure == other.measure else f"{one.measure} / {other.measure}"), one, other
        return
    shared = [measure for measure in first if measure in second]
    if not shared:
        found = f"{names[0]} has {_some(first)}, {names[1]} has {_some(second)}"
        raise GermaneError(f"no measure in common: {found}", hint="give both files one and the same column")
    for measure in map(_plain, wanted or shared):
        if measure not in shared:
            hint = f"in common are: {', '.join(shared)}"
            raise GermaneError(f"no measure {measure!r} in both files{did_you_mean(measure, shared)}", hint=hint)
        yield measure, first[measure], second[measure]


def _by_measure(board: Leaderboard, name: str) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for measure, values in board.items():
        plain = _plain(measure)
        if plain in columns:
            raise GermaneError(f"{name}: expected each measure once, found {plain} twice", hint=f"one is {measure!r}")
        columns[plain] = Column(plain, values)
    return columns


def _plain(measure: str) -> str:
    """A measure is the same one by any of its names."""
    return str(MEASURES.parse(measure)) if MEASURES.accepts(measure) else measure


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return f"{', '.join(listed[:3]) or 'none'}{', …' if len(listed) > 3 else ''}"
