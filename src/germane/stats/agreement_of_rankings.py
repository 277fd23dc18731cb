"""How far rankings agree: two runs query by query, two leaderboards, or the orders that measures give to systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.measures.names import is_measure, parse_measure
from germane.measures.registry import definition_of
from germane.stats.coefficients import DEFAULT_P, asked_coefficients
from germane.stats.correlations import DEFAULT_COEFFICIENTS, Correlations, Missing, correlations, counted
from germane.stats.rankings import Pair, Ranking
from germane.tables.ids import FloatArray, to_text
from germane.tables.run import Run
from germane.tables.scores import Note, Scores

Leaderboard = Mapping[str, Mapping[str, float]]
"""The value of each system, by measure."""


def between_runs(
    a: Run,
    b: Run,
    coefficients: str | Iterable[str] = DEFAULT_COEFFICIENTS,
    *,
    p: float = DEFAULT_P,
    depth: int | None = None,
    missing: Missing = "append",
) -> Correlations:
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
        notes += counted("unpaired-queries", only, "query", "that the other run lacks, left out", run.name)
    pairs = {to_text(query): Pair(first[query], second[query]) for query in shared}
    return correlations("runs", (a.name, b.name), pairs, coefficients, p=p, depth=depth, missing=missing, notes=notes)


def between_leaderboards(
    a: Leaderboard,
    b: Leaderboard,
    coefficients: str | Iterable[str] = DEFAULT_COEFFICIENTS,
    *,
    names: tuple[str, str] = ("first", "second"),
    measures: Iterable[str] = (),
    p: float = DEFAULT_P,
    depth: int | None = None,
    missing: Missing = "common",
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
        if not one.keys() & other.keys():
            found = f"{names[0]} has {_some(one)}, {names[1]} has {_some(other)}"
            raise GermaneError(f"no system in common for {row}: {found}", hint="systems are matched by name")
        if any(np.isnan(value) for value in (*one.values(), *other.values())):
            unknown.append(row)
            one = other = {}
        first, second = (_ranking(row, values) for values in (one, other))
        pairs[row] = Pair(first, second)
    notes = counted("nan-values", unknown, "measure", "with a system whose value is not known")
    return correlations("leaderboards", names, pairs, coefficients, p=p, depth=depth, missing=missing, notes=notes)


@dataclass(frozen=True, eq=False)
class MeasureCorrelations:
    """How alike measures order the same systems: `values` by coefficient × measure × measure.

    Where a coefficient takes one ranking as the truth, that is the first measure's.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    values: FloatArray
    p: float = DEFAULT_P
    depth: int | None = None
    notes: tuple[Note, ...] = ()

    def __getitem__(self, key: tuple[str, str, str]) -> float:
        """One value: ``found["tau-b", "AP", "nDCG@10"]``."""
        coefficient, first, second = key
        place = self.coefficients.index(coefficient), self.measures.index(first), self.measures.index(second)
        return float(self.values[place])


def between_measures(
    scores: Scores,
    coefficients: str | Iterable[str] = ("tau-b",),
    *,
    p: float = DEFAULT_P,
    depth: int | None = None,
) -> MeasureCorrelations:
    """Correlate the orders that each two measures give to the systems, by their means, best first."""
    if len(scores.runs) < 2:
        raise GermaneError("expected at least two runs to put in order, found one", hint="name more runs")
    if len(scores.measures) < 2:
        raise GermaneError("expected at least two measures, found one", hint="for example -m 'AP nDCG@10'")
    asked = asked_coefficients(coefficients)
    means, measures = scores.mean(), tuple(map(str, scores.measures))
    columns = {measure: {run: values[measure] for run, values in means.items()} for measure in measures}
    unknown = [measure for measure, values in columns.items() if any(map(np.isnan, values.values()))]
    rankings = [_ranking(m, {} if m in unknown else values).top(depth) for m, values in columns.items()]
    pairs = {(m, n): Pair(a, b) for m, a in enumerate(rankings) for n, b in enumerate(rankings)}
    values = np.full((len(asked), len(measures), len(measures)), np.nan)
    for c, entry in enumerate(asked):
        for place, pair in pairs.items():
            values[(c, *place)] = entry.of_pair(pair, p=p)
    notes = [
        *counted("turned", [m for m in measures if _lower_is_better(m)], "measure", "where lower is better, turned round"),
        *counted("nan-values", unknown, "measure", "with a system whose value is not known; undefined"),
        *counted("ties", [m for m, r in zip(measures, rankings, strict=True) if r.tied], "measure", "with tied systems"),
    ]
    for entry, matrix in zip(asked, values, strict=True):
        rows = [m for m, row in zip(measures, matrix, strict=True) if m not in unknown and np.isnan(row).any()]
        notes += counted("undefined", rows, "measure", f"undefined for {entry.name} ({entry.sections['Undefined']})")
    systems = tuple(run.name for run in scores.runs)
    return MeasureCorrelations(systems, measures, tuple(e.name for e in asked), values, p, depth, tuple(notes))


def _by_query(run: Run) -> Iterator[tuple[bytes, Ranking]]:
    """The ranking of each query; one without documents is empty."""
    order = np.argsort(run.query, kind="stable")
    ends = np.cumsum(np.bincount(run.query, minlength=len(run.queries)))
    docs = run.docs.to_bytes_list()
    for query, rows in zip(run.queries.to_bytes_list(), np.split(order, ends[:-1]), strict=True):
        source = f"{run.name}, query {to_text(query)!r}"
        yield query, Ranking.from_scores([docs[row] for row in rows.tolist()], run.score[rows], source=source)


def _columns(
    a: Leaderboard, b: Leaderboard, names: tuple[str, str], wanted: list[str]
) -> Iterator[tuple[str, Mapping[str, float], Mapping[str, float]]]:
    """The measures to compare, each with its values in both leaderboards."""
    first, second = ({_plain(column): values for column, values in board.items()} for board in (a, b))
    if not wanted and len(first) == len(second) == 1:
        (one, ours), (other, theirs) = *first.items(), *second.items()
        yield (one if one == other else f"{one} / {other}"), ours, theirs
        return
    shared = [column for column in first if column in second]
    if not shared:
        found = f"{names[0]} has {_some(first)}, {names[1]} has {_some(second)}"
        raise GermaneError(f"no measure in common: {found}", hint="give both files one and the same column")
    for column in map(_plain, wanted or shared):
        if column not in shared:
            hint = f"in common are: {', '.join(shared)}"
            raise GermaneError(f"no measure {column!r} in both files{did_you_mean(column, shared)}", hint=hint)
        yield column, first[column], second[column]


def _plain(column: str) -> str:
    """A measure is the same one by any of its names."""
    return str(parse_measure(column)) if is_measure(column) else column


def _lower_is_better(measure: str) -> bool:
    return is_measure(measure) and definition_of(parse_measure(measure)).better == "lower"


def _ranking(measure: str, values: Mapping[str, float]) -> Ranking:
    """Systems by one measure, the best first."""
    sign = -1.0 if _lower_is_better(measure) else 1.0
    return Ranking.from_scores(list(values), [sign * value for value in values.values()], source=measure)


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return f"{', '.join(listed[:3]) or 'none'}{', …' if len(listed) > 3 else ''}"
