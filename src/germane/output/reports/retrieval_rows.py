"""From the numbers of a retrieval report to the rows that each figure takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from germane.api.reports.rankings import FINE_LEVELS, LEVELS, RetrievalNumbers
from germane.errors import GermaneError, did_you_mean
from germane.output.plots.curves import MAX_SERIES, OTHERS
from germane.output.plots.queries import better
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import Scores


@dataclass(frozen=True)
class Asked:
    """A request for one figure: a measure (the first one, if none is named), and one query or all."""

    measure: str | None = None
    query: str | None = None

    def measure_of(self, scores: Scores) -> tuple[int, str]:
        """Return the index of the measure, and its name."""
        place = 0 if self.measure is None else scores.measure_index(self.measure)
        return place, str(scores.measures[place])

    def query_of(self, scores: Scores) -> int | None:
        """Return the index of the query; None for all."""
        if self.query is None:
            return None
        if self.query not in scores.queries:
            raise GermaneError(f"unknown query {self.query!r}{did_you_mean(self.query, scores.queries)}")
        return scores.queries.index(self.query)


def best_first(scores: Scores, measure: int) -> list[int]:
    """The systems in the order of their means; undefined ones last."""
    name = str(scores.measures[measure])
    sign = 1 if scores.lower_is_better(name) else -1
    means = [scores.mean()[run.name][name] for run in scores.runs]
    return sorted(range(len(means)), key=lambda r: (math.isnan(means[r]), sign * means[r]))


def leaderboard_rows(numbers: RetrievalNumbers, asked: Asked) -> dict[str, Any]:
    """Means with their intervals and letters."""
    scores, comparison = numbers.scores, numbers.comparison
    measure, name = asked.measure_of(scores)
    letters = {} if comparison is None else comparison.letters.get(("", name), {})
    assert scores.intervals is not None
    rows = []
    for place, r in enumerate(best_first(scores, measure)):
        low, high = (number(ends[r, measure]) for ends in (scores.intervals.low, scores.intervals.high))
        mean = number(scores.mean()[scores.runs[r].name][name])
        rows.append(
            {
                "system": scores.runs[r].name,
                "mean": mean,
                "low": low,
                "high": high,
                "start": mean if low is None else low,
                "end": mean if high is None else high,
                "letters": letters.get(scores.runs[r].name, ""),
                "best": "best" if place == 0 else "",
            }
        )
    interval = f"{numbers.choices.level * 100:g}% {numbers.choices.interval} interval"
    return {"rows": rows, "axis": f"{name}, mean with {interval}"}


def forest_rows(numbers: RetrievalNumbers, asked: Asked) -> dict[str, Any]:
    """The differences of all others from the baseline; without one, from the best system."""
    comparison = numbers.comparison
    if comparison is None:
        raise GermaneError(numbers.not_compared)
    measure, name = asked.measure_of(comparison.scores)
    reference = comparison.baseline
    if reference is None:
        reference = comparison.scores.runs[best_first(comparison.scores, measure)[0]].name
    rows = []
    for pair in comparison.pairs:
        if pair.measure != name or pair.slice or reference not in (pair.a, pair.b):
            continue
        turned = pair.b == reference
        low, high = (-pair.high, -pair.low) if turned else (pair.low, pair.high)
        rows.append(
            {
                "system": pair.a if turned else pair.b,
                "difference": number(-pair.difference if turned else pair.difference),
                "low": number(low),
                "high": number(high),
                "p": number(pair.p_adjusted),
                "significant": pair.verdict(comparison.alpha),
            }
        )
    rows.sort(key=lambda row: -float(str(row["difference"] or 0)))
    return {"rows": rows, "axis": difference_axis(f"{name}: system − {reference}", comparison)}


def difference_axis(what: str, comparison: SystemComparison) -> tuple[str, ...]:
    """The lines under a forest plot: what the points are, which intervals, and the family of the p-values."""
    return f"{what}, with {comparison.intervals_in_words}", f"p {comparison.family_in_words}"


def distribution_rows(numbers: RetrievalNumbers, asked: Asked) -> dict[str, Any]:
    """Every value of a measure, and the means."""
    scores = numbers.given
    measure, name = asked.measure_of(scores)
    order = best_first(scores, measure)
    rows = [
        {"system": scores.runs[r].name, "query": query, "value": value}
        for r in order
        for query, value in zip(scores.queries, scores.values[r, measure].tolist(), strict=True)
        if not math.isnan(value)
    ]
    centre = scores.aggregate("median" if scores.totals[measure] else "mean")
    centres = [{"system": scores.runs[r].name, "centre": number(centre[scores.runs[r].name][name])} for r in order]
    return {"rows": rows, "centres": centres, "axis": f"{name} of each query"}


def difference_rows(numbers: RetrievalNumbers, asked: Asked) -> dict[str, Any]:
    """Two systems, query by query, sorted: the second minus the first, or the other minus the baseline."""
    scores = numbers.scores
    if len(scores.runs) != 2:
        problem = f"expected two runs to compare query by query, found {len(scores.runs)}"
        raise GermaneError(problem, hint="pass two runs")
    measure, name = asked.measure_of(scores)
    baseline = numbers.choices.baseline
    a = 0 if baseline is None else scores.run_index(baseline)
    b = 1 - a
    gains = (scores.values[b, measure] - scores.values[a, measure]).tolist()
    up = -1 if scores.lower_is_better(name) else 1
    names = (scores.runs[b].name, scores.runs[a].name)
    rows = [
        {"query": query, "difference": gain, "better": better(up * gain, names)}
        for query, gain in zip(scores.queries, gains, strict=True)
        if not math.isnan(gain)
    ]
    rows.sort(key=lambda row: -float(str(row["difference"])))
    return {"rows": rows, "systems": names, "axis": f"{name}: {names[0]} − {names[1]}"}


def eleven_point_rows(numbers: RetrievalNumbers, asked: Asked) -> dict[str, Any]:
    """Interpolated precision at the eleven levels, averaged or of one query."""
    return _interpolated_rows(numbers, asked, LEVELS)


def precision_recall_rows(numbers: RetrievalNumbers, asked: Asked) -> dict[str, Any]:
    """The average of the interpolated curves at every hundredth, or every point of one query's curve."""
    query = asked.query_of(numbers.interpolated)
    if query is None:
        return _interpolated_rows(numbers, asked, FINE_LEVELS)
    rows = []
    for r, info in enumerate(numbers.runs):
        points = numbers.precision_recall(r)
        mine = points.query == query
        rows += [
            {"system": info.name, "recall": x, "precision": y, "place": i}
            for i, (x, y) in enumerate(zip(points.x[mine].tolist(), points.y[mine].tolist(), strict=True))
        ]
    return _in_series(numbers, rows)


def _interpolated_rows(numbers: RetrievalNumbers, asked: Asked, levels: tuple[float, ...]) -> dict[str, Any]:
    found = numbers.interpolated
    query = asked.query_of(found)
    means = found.mean()
    rows = []
    for r, info in enumerate(numbers.runs):
        for i, level in enumerate(levels):
            m = found.measure_index(f"IPrec@{level:g}")
            value = means[info.name][str(found.measures[m])] if query is None else float(found.values[r, m, query])
            rows.append({"system": info.name, "recall": level, "precision": number(value), "place": i})
    return _in_series(numbers, rows)


def _in_series(numbers: RetrievalNumbers, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The best systems have a line of their own; the rest stand behind them."""
    scores = numbers.scores
    own = [scores.runs[r].name for r in best_first(scores, 0)][:MAX_SERIES]
    for row in rows:
        row["series"] = row["system"] if row["system"] in own else OTHERS
    return {"rows": rows, "series": own}


def number(value: Any) -> float | None:
    """JSON knows neither NaN nor infinity."""
    return float(value) if np.isfinite(value) else None
