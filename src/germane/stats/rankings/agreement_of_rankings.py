"""Correlate rankings: two runs query by query, two leaderboards, or the system orders of several measures."""

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
"""Means whose relative difference is smaller are equal: the same values summed in another order."""

Leaderboard = Mapping[str, Mapping[str, float]]
"""The value of each system, by measure."""


def between_runs(a: Run, b: Run, coefficients: Names = DEFAULT_COEFFICIENTS, **how: Unpack[How]) -> Correlations:
    """Correlate two runs over the queries they share; the items are the documents of a query, equal scores are ties.

    Documents missing from one run are appended to its end in the other's order, or omitted (``missing="common"``).

    >>> a = Run.from_dict({"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}})
    >>> b = Run.from_dict({"q1": {"d1": 9.0, "d3": 8.0, "d2": 7.0}})
    >>> between_runs(a, b, "tau-a tau-ap").mean()
    {'tau-a': 0.3333333333333333, 'tau-ap': 0.5}
    """
    first, second = dict(_by_query(a)), dict(_by_query(b))
    shared = sorted(first.keys() & second.keys())
    if not shared:
        found = f"{a.name} has {_some(map(to_text, first))}, {b.name} has {_some(map(to_text, second))}"
        raise GermaneError(f"the runs share no query: {found}", hint="check that both use the same query ids")
    notes = []
    for run, own, other in ((a, first, second), (b, second, first)):
        only = [to_text(query) for query in sorted(own.keys() - other.keys())]
        notes += notes_on_ids("unpaired-queries", only, "query", "missing from the other run; skipped", run.name)
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
    """Correlate two leaderboards for each shared measure, or those in `measures`; systems are matched by name.

    If each has only one measure, these are compared regardless of their names.

    >>> a = {"AP": {"bm25": 0.3, "dense": 0.4, "both": 0.5}}
    >>> b = {"map": {"bm25": 0.2, "dense": 0.1, "both": 0.3}}
    >>> between_leaderboards(a, b, ["tau-a"])["AP"]
    {'tau-a': 0.3333333333333333}
    """
    pairs, unknown = {}, []
    for row, one, other in _columns(a, b, names, list(measures)):
        if not one.values.keys() & other.values.keys():
            found = f"{names[0]} has {_some(one.values)}, {names[1]} has {_some(other.values)}"
            raise GermaneError(f"no shared system for {row}: {found}", hint="use the same system names in both")
        unknown += [row] if one.has_nan or other.has_nan else []
        pairs[row] = Pair(Ranking.of([]), Ranking.of([])) if row in unknown else Pair(one.ranking, other.ranking)
    what = "with an undefined value for some system; correlations are undefined"
    notes = notes_on_ids("nan-values", unknown, "measure", what)
    how.setdefault("missing", "common")
    return correlations("leaderboards", names, pairs, coefficients, notes, **how)


def between_measures(
    scores: Scores, coefficients: Names, *, p: float = DEFAULT_P, depth: int | None = None
) -> Correlations:
    """Correlate the system rankings of each pair of measures, by mean value, best first."""
    if len(scores.runs) < 2:
        raise GermaneError("expected at least two runs to rank, found one", hint="add another run")
    if len(scores.measures) < 2:
        raise GermaneError("expected at least two measures, found one", hint="use -m 'AP nDCG@10', for example")
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
    what = "for which lower is better; order reversed so that the best system comes first"
    notes = [
        *scores.notes,
        *notes_on_ids("reversed-measures", turned, "measure", what),
        *notes_on_ids(
            "nan-values", unknown, "measure", "with an undefined value for some system; correlations are undefined"
        ),
        *notes_on_ids("ties", tied, "measure", "with tied systems; coefficients treat ties differently"),
    ]
    for entry in asked:
        matrix = found.matrix(entry.name)
        rows = [m for m, row in matrix.items() if m not in unknown and all(map(math.isnan, row.values()))]
        what = f"for which {entry.name} is undefined ({entry.sections['Undefined']})"
        notes += notes_on_ids("undefined", rows, "measure", what)
    return replace(found, notes=tuple(notes))


def _by_query(run: Run) -> Iterator[tuple[bytes, Ranking]]:
    """Yield the ranking of each query; it is empty without documents."""
    order = np.argsort(run.query, kind="stable")
    ends = np.cumsum(np.bincount(run.query, minlength=len(run.queries)))
    docs = run.docs.to_bytes_list()
    for query, rows in zip(run.queries.to_bytes_list(), np.split(order, ends[:-1]), strict=True):
        source = f"{run.name}, query {to_text(query)!r}"
        yield query, Ranking.from_scores([docs[row] for row in rows.tolist()], run.score[rows], source=source)


@dataclass(frozen=True, eq=False)
class Column:
    """The value of each system for one measure."""

    measure: str
    values: Mapping[str, float]

    @property
    def has_nan(self) -> bool:
        """Whether the value of any system is undefined."""
        return any(map(math.isnan, self.values.values()))

    @property
    def lower_is_better(self) -> bool:
        """Whether it is a known measure with lower values better."""
        return MEASURES.accepts(self.measure) and MEASURES[MEASURES.parse(self.measure)].better == "lower"

    @property
    def ranking(self) -> Ranking:
        """The systems, best first; means that differ only by rounding are tied."""
        sign = -1.0 if self.lower_is_better else 1.0
        scores = [sign * value for value in self.values.values()]
        return Ranking.from_scores(list(self.values), scores, source=self.measure, tolerance=ROUNDING)


def _columns(
    a: Leaderboard, b: Leaderboard, names: tuple[str, str], wanted: list[str]
) -> Iterator[tuple[str, Column, Column]]:
    """Yield the measures to compare, each with its values in both leaderboards."""
    first, second = (_by_measure(board, name) for board, name in zip((a, b), names, strict=True))
    if not wanted and len(first) == len(second) == 1:
        (one,), (other,) = first.values(), second.values()
        yield (one.measure if one.measure == other.measure else f"{one.measure} / {other.measure}"), one, other
        return
    shared = [measure for measure in first if measure in second]
    if not shared:
        found = f"{names[0]} has {_some(first)}, {names[1]} has {_some(second)}"
        raise GermaneError(f"the leaderboards share no measure: {found}", hint="use the same column name in both files")
    for measure in map(_plain, wanted or shared):
        if measure not in shared:
            hint = f"choose from {', '.join(shared)}"
            raise GermaneError(f"measure {measure!r} is not in both files{did_you_mean(measure, shared)}", hint=hint)
        yield measure, first[measure], second[measure]


def _by_measure(board: Leaderboard, name: str) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for measure, values in board.items():
        plain = _plain(measure)
        if plain in columns:
            raise GermaneError(
                f"{name}: duplicate measure {plain}",
                hint=f"rename or remove {measure!r}, another name of the same measure",
            )
        columns[plain] = Column(plain, values)
    return columns


def _plain(measure: str) -> str:
    """Return the canonical name of a measure, or the name itself if it is unknown."""
    return str(MEASURES.parse(measure)) if MEASURES.accepts(measure) else measure


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return f"{', '.join(listed[:3]) or 'none'}{', …' if len(listed) > 3 else ''}"
