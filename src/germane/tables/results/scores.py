"""Scores: the value of every measure for every run and query, with the settings behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from germane.arguments import checked
from germane.errors import GermaneError, did_you_mean, not_computed, unknown
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import number_column
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.rankings.measure import Measure
from germane.tables.results.columns import Better, F, Table, columns_of, finite, table
from germane.tables.results.result import Inputs, Result, attributes

if TYPE_CHECKING:
    from germane.types import ValuesLike

GEOMETRIC_FLOOR = 0.00001  # as in trec_eval: a single 0 would make the geometric mean 0


@dataclass(frozen=True)
class RunInfo:
    """Name and source of a run."""

    name: str
    path: str | None = None


@dataclass(frozen=True, eq=False)
class MeanIntervals:
    """Intervals of means and their method; `ends` holds (low, high) of run × measure by slice."""

    method: str
    level: float
    seed: int
    ends: Mapping[str, tuple[FloatArray, FloatArray]]

    @property
    def low(self) -> FloatArray:
        """The lower ends over all queries."""
        return self.ends[""][0]

    @property
    def high(self) -> FloatArray:
        """The upper ends over all queries."""
        return self.ends[""][1]


class Line(NamedTuple):
    """One line of a table: a query, or an aggregate over all queries or those of a slice."""

    run: str
    values: list[float]
    num_queries: int | None = None
    query: str | None = None
    slice: str | None = None
    aggregate: str | None = None

    dim: bool = False

    @property
    def line(self) -> str | None:
        """The query, or the aggregate."""
        return self.query or self.aggregate


LINES = (
    F("run", "name"),
    F("slice", "name", people="sliced", flat="sliced", nested="present"),
    F("line", "text", "aggregate", people="aggregated", flat=False, nested=False),
    F("line", "name", "query", people="per_query", flat=False, nested=False),
    F("query", "name", people=False, flat="per_query", nested="present"),
    F("aggregate", "text", people=False, flat="labelled", nested="present"),
    F("num_queries", "count", "queries", nested="present", empty=""),
)
QUERIES = (F("run", "name"), F("query", "name"))


@dataclass(frozen=True, eq=False)
class Scores(Result):
    """Values by run × measure × query, in this order of axes; queries in byte order.

    `scored` says, by run × query, which queries count (``topics="both"`` skips some); a value is NaN where its query
    does not count or the measure is undefined. `numerator` and `denominator` are the parts of each value, for micro
    averages; `totals` marks measures that are summed over queries; `asked` has each measure under the name by which it
    was asked for.
    """

    runs: tuple[RunInfo, ...]
    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    values: FloatArray
    numerator: FloatArray
    denominator: FloatArray
    scored: npt.NDArray[np.bool_]
    totals: npt.NDArray[np.bool_]
    ties: str = "docno"
    topics: str = "qrels"
    score_type: str = "float64"
    notes: tuple[Note, ...] = ()
    low: FloatArray | None = None
    high: FloatArray | None = None
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of groups of queries, with the queries of each."""
    asked: Mapping[str, Measure] = field(default_factory=dict)
    lower_better: frozenset[str] = frozenset()
    """Measures for which lower is better."""
    neutral: frozenset[str] = frozenset()
    """Measures without a better direction."""
    intervals: MeanIntervals | None = None
    inputs: Inputs | None = field(default=None, compare=False, repr=False)
    """Inputs of `evaluate`, read again to show rankings. Runs in memory are kept as long as their scores."""

    @classmethod
    @checked
    def of(cls, values: ValuesLike, measure: str = "value") -> Scores:
        """Return scores from values by system and query, such as accuracy per item, for the same queries."""
        given: object = values  # callers without a type checker may pass anything
        if not isinstance(given, Mapping) or not all(isinstance(by_query, Mapping) for by_query in given.values()):
            hint = 'for example {"old": {"q1": 0.2}, "new": {"q1": 0.3}}'
            raise GermaneError("expected Scores, or a dict of values by system and query", hint=hint)
        queries = sorted({query for by_query in values.values() for query in by_query}, key=lambda q: str(q).encode())
        for name, by_query in values.items():
            missing = [query for query in queries if query not in by_query]
            if missing:
                problem = f"{name} has no value for {counted(len(missing), 'query')}, such as {missing[0]!r}"
                raise GermaneError(problem, hint="pass a value for every system and query")
        rows = [
            number_column([by_query[q] for q in queries], f"value of {name}", "scores")
            for name, by_query in values.items()
        ]
        table = np.stack(rows)[:, None, :] if rows else np.zeros((0, 1, 0))
        return cls(
            runs=tuple(RunInfo(str(name)) for name in values),
            measures=(Measure(measure),),
            queries=tuple(map(str, queries)),
            values=table,
            numerator=table,
            denominator=np.ones_like(table),
            scored=np.ones((len(values), len(queries)), dtype=bool),
            totals=np.zeros(1, dtype=bool),
        )

    schema: ClassVar[str] = "eval/1"

    def tables(self, *, per_query: bool = False, aggregates: Sequence[str] = ("mean",)) -> Iterator[Table]:
        """Yield the aggregates of each run, with every query before them if `per_query`; then the queries alone."""
        labelled = per_query or set(aggregates) != {"mean"} or self.low is not None or self.intervals is not None
        when = {"sliced": self.slices, "per_query": per_query, "labelled": labelled}
        when["aggregated"] = labelled and not per_query
        lines = list(self._lines(per_query, aggregates))
        yield self._with_measures(lines, table("scores", LINES, lines, when=when))
        lines = [line for line in self._lines(True, ()) if line.query is not None]
        yield self._with_measures(lines, table("queries", QUERIES, lines))

    def shown(self, *, digits: int = 4, **view: object) -> list[Table]:
        """Return only the first table, since the second repeats its values."""
        return [self.table(None, **view)]

    def _with_measures(self, lines: list[Line], labels: Table) -> Table:
        """Return the table of labels with a column for each measure."""
        columns = list(labels.columns)
        for m, measure in enumerate(map(str, self.measures)):
            declared = F(measure, "count" if self.totals[m] else "value", measure)
            columns += columns_of(declared, [line.values[m] for line in lines], better=better_of(self, measure))
        return replace(labels, columns=tuple(columns), dim=[line.dim for line in lines])

    def _lines(self, per_query: bool, aggregates: Sequence[str]) -> Iterator[Line]:
        aggregated = self._aggregated(aggregates)
        bounds = [("mean at worst", self.extreme_means("low")), ("mean at best", self.extreme_means("high"))]
        for r, run in enumerate(self.runs):
            if per_query:
                for q in np.flatnonzero(self.scored[r]):
                    yield Line(run.name, self.values[r, :, q].tolist(), query=self.queries[q])
            for label, queries in [("", None), *self.slices.items()]:
                name, count = label or ("all" if self.slices else None), self.num_queries(run.name, queries)
                for how in aggregates:
                    values = list(aggregated[label, how][run.name].values())
                    yield Line(run.name, values, count, slice=name, aggregate=how)
                if self.intervals is not None:
                    for end, ends in zip(("low", "high"), self.intervals.ends[label], strict=True):
                        what = f"mean {self.intervals.level * 100:g}% {end}"
                        yield Line(run.name, ends[r].tolist(), count, slice=name, aggregate=what, dim=True)
            every, count = "all" if self.slices else None, self.num_queries(run.name)
            for what, extremes in bounds:
                if extremes is not None:
                    yield Line(run.name, extremes[run.name], count, slice=every, aggregate=what, dim=True)

    def _aggregated(self, aggregates: Sequence[str]) -> dict[tuple[str, str], dict[str, dict[str, float]]]:
        """Return the aggregates of each run by slice ("" for all queries) and aggregate."""
        slices = [("", None), *self.slices.items()]
        return {(label, how): self.aggregate(how, queries) for label, queries in slices for how in aggregates}

    def document(self, *, per_query: bool = False, aggregates: Sequence[str] = ("mean",)) -> dict[str, Any]:
        """Return the runs by measure and query; a number that overflowed is undefined too."""
        aggregated = self._aggregated(aggregates)
        low, high = self.extreme_means("low"), self.extreme_means("high")
        runs = []
        for r, run in enumerate(self.runs):
            entry: dict[str, Any] = {"name": run.name, "path": run.path, "num_queries": self.num_queries(run.name)}
            entry |= {how: _finite(aggregated["", how][run.name]) for how in aggregates}
            if self.slices:
                entry["slices"] = {
                    label: {
                        "num_queries": self.num_queries(run.name, queries),
                        **{how: _finite(aggregated[label, how][run.name]) for how in aggregates},
                        **self._interval_of(r, label),
                    }
                    for label, queries in self.slices.items()
                }
            if low is not None and high is not None:
                entry["bounds"] = self._by_measure(zip(low[run.name], high[run.name], strict=True))
            entry.update(self._interval_of(r, ""))
            if per_query:
                scored = np.flatnonzero(self.scored[r])
                entry["queries"] = {self.queries[q]: self._by_measure(self.values[r, :, q].tolist()) for q in scored}
            runs.append(entry)
        return {**self.facts(), "runs": runs}

    def facts(self) -> dict[str, Any]:
        """Return how ties were broken, which queries count, the score precision, and the measures as asked for."""
        found = attributes(self, "ties topics score_type")
        found["asked"] = {name: str(measure) for name, measure in self.asked.items()}
        made = {} if self.intervals is None else {"interval": attributes(self.intervals, "method level seed")}
        return found | made

    def _interval_of(self, run: int, label: str) -> dict[str, Any]:
        if self.intervals is None:
            return {}
        ends = (ends[run].tolist() for ends in self.intervals.ends[label])
        return {"interval": self._by_measure(zip(*ends, strict=True))}

    def _by_measure(self, values: Iterable[Any]) -> dict[str, Any]:
        return _finite(dict(zip(map(str, self.measures), values, strict=True)))

    def __repr__(self) -> str:
        return f"<Scores: {len(self.runs)} runs × {len(self.measures)} measures × {len(self.queries)} queries>"

    def num_queries(self, run: str, queries: Sequence[str] | None = None) -> int:
        """Return the number of queries (of those named) that count for a run."""
        return int(np.count_nonzero(self.scored[self.run_index(run)][self._places(queries)]))

    def __getitem__(self, key: tuple[str, str | Measure]) -> dict[str, float]:
        """Return the values of one run and measure by query: ``scores["bm25", "nDCG@10"]``."""
        if isinstance(key, str):
            raise GermaneError(
                f"expected a run and a measure, found {key!r}",
                hint=f'use scores["{key}", "{self.measures[0]}"], or scores.to_frame("queries")',
            )
        run, measure = key
        values = self.values[self.run_index(run), self.measure_index(measure)]
        return dict(zip(self.queries, values.tolist(), strict=True))

    def run_index(self, name: str) -> int:
        """Return the index of a run, which may be given as its file."""
        names, paths = [run.name for run in self.runs], [run.path for run in self.runs]
        if name not in names and name not in paths:
            raise unknown("run", name, names)
        return names.index(name) if name in names else paths.index(name)

    def measure_index(self, measure: str | Measure) -> int:
        """Return the index of a measure."""
        names = [str(m) for m in self.measures]
        measure = str(self.asked.get(str(measure), measure))
        if measure not in names:
            raise not_computed(measure, names)
        return names.index(measure)

    def lower_is_better(self, measure: str | Measure) -> bool:
        """Whether lower is better."""
        return str(measure) in self.lower_better

    def sorted_by(self, measure: str | Measure, how: str = "mean") -> Scores:
        """Return the scores with the runs sorted by mean, or another aggregate, the best first.

        Equal runs keep their order, undefined ones come last.

        >>> import germane as ge
        >>> scores = ge.evaluate({"q": {"d": 1}}, {"a": {"q": {"x": 2, "d": 1}}, "b": {"q": {"d": 1}}}, "RR")
        >>> [run.name for run in scores.sorted_by("RR").runs]
        ['b', 'a']
        """
        name = str(self.measures[self.measure_index(measure)])
        found = np.asarray([row[name] for row in self.aggregate(how).values()])
        order = np.argsort(found if self.lower_is_better(name) else -found, kind="stable")  # NaN last
        columns = attributes(self, "values numerator denominator scored low high")
        ordered = {key: column[order] for key, column in columns.items() if column is not None}
        if self.intervals is not None:
            ends = {label: (low[order], high[order]) for label, (low, high) in self.intervals.ends.items()}
            ordered["intervals"] = replace(self.intervals, ends=ends)
        return replace(self, runs=tuple(self.runs[r] for r in order), **ordered)

    def mean(self) -> dict[str, dict[str, float]]:
        """Return the mean over queries (the total, for counts), by run and measure. NaN is skipped."""
        return self.aggregate("mean")

    def aggregate(self, how: str = "mean", queries: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
        """Return one number per run and measure: mean, micro, median, gm (geometric mean), min or max."""
        if how != "micro" and how not in AGGREGATES:
            raise unknown("aggregate", how, ["micro", *AGGREGATES])
        chosen = self._places(queries)
        return {
            run.name: {str(measure): self._one(how, r, m, chosen) for m, measure in enumerate(self.measures)}
            for r, run in enumerate(self.runs)
        }

    def _places(self, queries: Sequence[str] | None) -> npt.NDArray[np.int64]:
        if queries is None:
            return np.arange(len(self.queries))
        place = {query: i for i, query in enumerate(self.queries)}
        for query in queries:
            if query not in place:
                raise GermaneError(f"unknown query {query!r}{did_you_mean(query, place)}")
        return np.asarray([place[query] for query in queries], dtype=np.int64)

    def extreme_means(self, end: str) -> dict[str, list[float]] | None:
        """Return the mean of the ``low`` or ``high`` bounds by run, one per measure; None without bounds.

        Bounds of a count that is summed over queries are summed too.
        """
        extremes = {"low": self.low, "high": self.high}[end]
        if extremes is None:
            return None
        add_up = [_sum if total else _mean for total in self.totals]
        means = [[add(row[~np.isnan(row)]) for add, row in zip(add_up, rows, strict=True)] for rows in extremes]
        return {run.name: row for run, row in zip(self.runs, means, strict=True)}

    def _one(self, how: str, r: int, m: int, chosen: npt.NDArray[np.int64]) -> float:
        values = self.values[r, m, chosen]
        scored = ~np.isnan(values)
        if not scored.any():
            return float("nan")
        if self.totals[m] and how in ("mean", "micro"):
            return _sum(values[scored])
        if how == "micro":
            below = _sum(self.denominator[r, m, chosen][scored])
            return _sum(self.numerator[r, m, chosen][scored]) / below if below else float("nan")
        return AGGREGATES[how](values[scored])


def better_of(scores: Scores, measure: str) -> Better:
    """Return which values of a measure are better."""
    if measure in scores.neutral:
        return "neither"
    return "lower" if scores.lower_is_better(measure) else "higher"


def _finite(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [finite(end) for end in value] if isinstance(value, tuple) else finite(value)
        for name, value in values.items()
    }


def _sum(values: FloatArray) -> float:
    """Add values one after the other, in byte order of queries; np.sum adds pairwise, which may change a digit."""
    return float(np.cumsum(values)[-1])


def _mean(values: FloatArray) -> float:
    return _sum(values) / len(values)


def _geometric_mean(values: FloatArray) -> float:
    if (values < 0).any():
        return float("nan")
    return float(np.exp(_mean(np.log(np.maximum(values, GEOMETRIC_FLOOR)))))


AGGREGATES: Mapping[str, Callable[[FloatArray], float]] = {
    "mean": _mean,
    "median": lambda values: float(np.median(values)),
    "gm": _geometric_mean,
    "min": lambda values: float(values.min()),
    "max": lambda values: float(values.max()),
}
