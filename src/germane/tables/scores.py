"""Scores: what every measure says of every run for every query, with what defines the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, did_you_mean
from germane.tables.display import Displayed
from germane.tables.grid import aligned
from germane.tables.ids import FloatArray
from germane.tables.measure import Measure
from germane.tables.note_codes import note_code

GEOMETRIC_FLOOR = 0.00001  # trec_eval's: a query of 0 would make the geometric mean 0


@dataclass(frozen=True)
class Note:
    """Something a reader of the numbers must know: how much of what, with examples.

    Its `code` is one of those in `germane.tables.note_codes`, which say what it means and what to do about it.
    """

    code: str
    amount: str
    what: str
    run: str | None = None
    count: int | None = None
    examples: tuple[str, ...] = ()
    share: float | None = None

    def __post_init__(self) -> None:
        note_code(self.code)

    @property
    def message(self) -> str:
        return f"{self.amount} {self.what}".strip()


@dataclass(frozen=True)
class RunInfo:
    """Which run, and where it came from."""

    name: str
    path: str | None = None


@dataclass(frozen=True, eq=False)
class MeanIntervals:
    """An interval for each mean and how it was made; `ends` holds, by slice, (low, high) of run × measure."""

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


@dataclass(frozen=True, eq=False)
class Scores(Displayed):
    """Values by run × measure × query, in this order of axes; queries in byte order.

    `scored` says, by run × query, which queries count (``topics="both"`` leaves some out); a value is NaN where its
    query does not count or the measure is undefined. `numerator` and `denominator` are the parts of each value, so that
    micro averages exist; `totals` marks measures that are summed over queries; `asked` is what each measure was called
    when it was asked for.
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
    """Measures of which less is better."""
    neutral: frozenset[str] = frozenset()
    """Measures that say how much, not how good."""
    intervals: MeanIntervals | None = None

    def __str__(self) -> str:
        """The means, as a table."""
        header = ["run", "queries", *map(str, self.measures)]
        rows = [
            [run.name, str(self.num_queries(run.name)), *(f"{mean:.4f}" for mean in self.mean()[run.name].values())]
            for run in self.runs
        ]
        return aligned(header, rows)

    def __repr__(self) -> str:
        return f"<Scores: {len(self.runs)} runs × {len(self.measures)} measures × {len(self.queries)} queries>"

    def num_queries(self, run: str, queries: Sequence[str] | None = None) -> int:
        """How many queries (of those named) count for a run."""
        return int(np.count_nonzero(self.scored[self.run_index(run)][self._places(queries)]))

    def __getitem__(self, key: tuple[str, str | Measure]) -> dict[str, float]:
        """The values of one run and measure by query: ``scores["bm25", "nDCG@10"]``."""
        if isinstance(key, str):
            raise GermaneError(
                f"which measure of {key}?", hint=f'scores["{key}", "{self.measures[0]}"], or scores.rows()'
            )
        run, measure = key
        return dict(
            zip(self.queries, self.values[self.run_index(run), self.measure_index(measure)].tolist(), strict=True)
        )

    def rows(self) -> list[dict[str, str | float]]:
        """One dict per run and query that counts, for a data frame: ``pandas.DataFrame(scores.rows())``."""
        names = [str(measure) for measure in self.measures]
        return [
            {"run": run.name, "query": query, **dict(zip(names, self.values[r, :, q].tolist(), strict=True))}
            for r, run in enumerate(self.runs)
            for q, query in enumerate(self.queries)
            if self.scored[r, q]
        ]

    def run_index(self, name: str) -> int:
        """Where a run stands."""
        names = [run.name for run in self.runs]
        if name not in names:
            raise GermaneError(
                f"no run is called {name!r}{did_you_mean(name, names)}", hint=f"there are: {', '.join(names)}"
            )
        return names.index(name)

    def measure_index(self, measure: str | Measure) -> int:
        """Where a measure stands."""
        names = [str(m) for m in self.measures]
        measure = str(self.asked.get(str(measure), measure))
        if measure not in names:
            raise GermaneError(
                f"{measure!r} was not computed{did_you_mean(measure, names)}",
                hint=f"there are: {', '.join(names)}",
            )
        return names.index(measure)

    def lower_is_better(self, measure: str | Measure) -> bool:
        """Whether less is better."""
        return str(measure) in self.lower_better

    def sorted_by(self, measure: str | Measure, how: str = "mean") -> Scores:
        """The same with the runs by their mean, or another aggregate, the best first.

        Equal ones stay as they are, undefined ones come last.

        >>> import germane as ge
        >>> scores = ge.evaluate({"q": {"d": 1}}, {"a": {"q": {"x": 2, "d": 1}}, "b": {"q": {"d": 1}}}, "RR")
        >>> [run.name for run in scores.sorted_by("RR").runs]
        ['b', 'a']
        """
        name = str(self.measures[self.measure_index(measure)])
        found = np.asarray([row[name] for row in self.aggregate(how).values()])
        order = np.argsort(found if self.lower_is_better(name) else -found, kind="stable")  # NaN last
        ends = {} if self.intervals is None else {s: (a[order], b[order]) for s, (a, b) in self.intervals.ends.items()}
        return replace(
            self,
            runs=tuple(self.runs[r] for r in order),
            values=self.values[order],
            numerator=self.numerator[order],
            denominator=self.denominator[order],
            scored=self.scored[order],
            low=None if self.low is None else self.low[order],
            high=None if self.high is None else self.high[order],
            intervals=None if self.intervals is None else replace(self.intervals, ends=ends),
        )

    def mean(self) -> dict[str, dict[str, float]]:
        """The mean over queries (the total, for counts), by run and measure. NaN is skipped."""
        return self.aggregate("mean")

    def aggregate(self, how: str = "mean", queries: Sequence[str] | None = None) -> dict[str, dict[str, float]]:
        """One number per run and measure: mean, micro, median, gm (geometric mean), min or max."""
        if how != "micro" and how not in AGGREGATES:
            known = ["micro", *AGGREGATES]
            raise GermaneError(
                f"no aggregate is called {how!r}{did_you_mean(how, known)}", hint=f"there are: {', '.join(known)}"
            )
        chosen = self._places(queries)
        table: dict[str, dict[str, float]] = {}
        for r, run in enumerate(self.runs):
            row = table.setdefault(run.name, {})
            for m, measure in enumerate(self.measures):
                row[str(measure)] = self._one(how, r, m, chosen)
        return table

    def _places(self, queries: Sequence[str] | None) -> npt.NDArray[np.int64]:
        if queries is None:
            return np.arange(len(self.queries))
        place = {query: i for i, query in enumerate(self.queries)}
        for query in queries:
            if query not in place:
                raise GermaneError(f"no query is called {query!r}{did_you_mean(query, place)}")
        return np.asarray([place[query] for query in queries], dtype=np.int64)

    def extreme_means(self, end: str) -> dict[str, list[float]] | None:
        """The mean of the ``low`` or ``high`` bounds by run, one number per measure; None if there are no bounds."""
        extremes = {"low": self.low, "high": self.high}[end]
        if extremes is None:
            return None
        means = [[_mean(row[~np.isnan(row)]) for row in rows] for rows in extremes]
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


def _sum(values: FloatArray) -> float:
    """Topics in byte order, one after the other: np.sum adds pairwise, and the difference can show in a digit."""
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
