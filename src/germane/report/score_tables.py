"""Scores as a table for people, or as JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from germane.report.grids import GRID_STYLES, render_grid
from germane.report.notes import note_as_dict
from germane.tables.scores import MeanIntervals, Scores

STYLES = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex")


def render_scores(
    scores: Scores, style: str, *, per_query: bool = False, aggregates: Sequence[str] = ("mean",), digits: int = 4
) -> str:
    """Write scores in one of the styles."""
    if style in ("json", "jsonl"):
        return _render_json(scores, style, per_query, aggregates)
    assert style in GRID_STYLES
    extra = scores.low is not None or scores.intervals is not None
    with_slices, with_label = bool(scores.slices), per_query or set(aggregates) != {"mean"} or extra
    labels = [*(["slice"] if with_slices else []), *(["query" if per_query else "aggregate"] if with_label else [])]
    header = ["run", *labels, "queries", *map(str, scores.measures)]
    rows = [
        [
            line.run,
            *([line.slice] if with_slices else []),
            *([line.query or line.aggregate] if with_label else []),
            "" if line.query else str(line.num_queries),
            *(_cell(scores, m, value, digits, line.aggregate) for m, value in enumerate(line.values)),
        ]
        for line in _lines(scores, per_query, aggregates)
    ]
    return render_grid(header, rows, style)


def _render_json(scores: Scores, style: str, per_query: bool, aggregates: Sequence[str]) -> str:
    import json

    if style == "json":
        return json.dumps(scores_as_dict(scores, per_query=per_query, aggregates=aggregates), indent=1) + "\n"
    return "".join(json.dumps(row) + "\n" for row in _json_rows(scores, per_query, aggregates))


def _cell(scores: Scores, measure: int, value: float, digits: int, aggregate: str) -> str:
    if math.isnan(value):
        return "" if "%" in aggregate else "nan"  # counts are summed, and a sum has no interval
    return f"{value:.0f}" if scores.totals[measure] and value == int(value) else f"{value:.{digits}f}"


class Line(NamedTuple):
    """One line of a table: a query, or an aggregate over all queries or those of a slice."""

    run: str
    values: list[float]
    num_queries: int
    query: str = ""
    slice: str = ""
    aggregate: str = ""


Aggregated = dict[tuple[str, str], dict[str, dict[str, float]]]


def _aggregated(scores: Scores, aggregates: Sequence[str]) -> Aggregated:
    """By slice (all queries have no label) and aggregate, what `Scores.aggregate` says of all runs: asked for once."""
    slices = [("", None), *scores.slices.items()]
    return {(label, how): scores.aggregate(how, queries) for label, queries in slices for how in aggregates}


def _lines(scores: Scores, per_query: bool, aggregates: Sequence[str]) -> Iterator[Line]:
    aggregated = _aggregated(scores, aggregates)
    bounds = [("mean at worst", scores.extreme_means("low")), ("mean at best", scores.extreme_means("high"))]
    for r, run in enumerate(scores.runs):
        if per_query:
            for q, query in enumerate(scores.queries):
                if scores.scored[r, q]:
                    yield Line(run.name, scores.values[r, :, q].tolist(), 1, query=query)
        for label, queries in [("", None), *scores.slices.items()]:
            name, count = label or ("all" if scores.slices else ""), scores.num_queries(run.name, queries)
            for how in aggregates:
                values = list(aggregated[label, how][run.name].values())
                yield Line(run.name, values, count, slice=name, aggregate=how)
            if scores.intervals is not None:
                for end, ends in zip(("low", "high"), scores.intervals.ends[label], strict=True):
                    what = f"mean {scores.intervals.level * 100:g}% {end}"
                    yield Line(run.name, ends[r].tolist(), count, slice=name, aggregate=what)
        for what, extremes in bounds:
            if extremes is not None:
                name, count = "all" if scores.slices else "", scores.num_queries(run.name)
                yield Line(run.name, extremes[run.name], count, slice=name, aggregate=what)


def scores_as_dict(scores: Scores, *, per_query: bool = True, aggregates: Sequence[str] = ("mean",)) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    from germane import __version__

    aggregated = _aggregated(scores, aggregates)
    low, high = scores.extreme_means("low"), scores.extreme_means("high")
    runs = []
    for r, run in enumerate(scores.runs):
        entry: dict[str, Any] = {"name": run.name, "path": run.path, "num_queries": scores.num_queries(run.name)}
        for how in aggregates:
            entry[how] = _numbers(aggregated["", how][run.name])
        if scores.slices:
            entry["slices"] = {
                label: {
                    "num_queries": scores.num_queries(run.name, queries),
                    **{how: _numbers(aggregated[label, how][run.name]) for how in aggregates},
                    **_interval_of(scores, r, label),
                }
                for label, queries in scores.slices.items()
            }
        if low is not None and high is not None:
            pairs = zip(scores.measures, low[run.name], high[run.name], strict=True)
            entry["bounds"] = {str(measure): [_number(a), _number(b)] for measure, a, b in pairs}
        entry.update(_interval_of(scores, r, ""))
        if per_query:
            entry["queries"] = {
                query: _numbers(dict(zip(map(str, scores.measures), scores.values[r, :, q].tolist(), strict=True)))
                for q, query in enumerate(scores.queries)
                if scores.scored[r, q]
            }
        runs.append(entry)
    return {
        "germane": __version__,
        "ties": scores.ties,
        "topics": scores.topics,
        "scores": scores.score_type,
        **({} if scores.intervals is None else {"interval": _interval(scores.intervals)}),
        "runs": runs,
        "notes": [note_as_dict(note) for note in scores.notes],
    }


def _interval_of(scores: Scores, run: int, label: str) -> dict[str, Any]:
    if scores.intervals is None:
        return {}
    low, high = (ends[run].tolist() for ends in scores.intervals.ends[label])
    ends = zip(scores.measures, low, high, strict=True)
    return {"interval": {str(measure): [_number(a), _number(b)] for measure, a, b in ends}}


def _interval(intervals: MeanIntervals) -> dict[str, Any]:
    return {"method": intervals.method, "level": intervals.level, "seed": intervals.seed}


def _json_rows(scores: Scores, per_query: bool, aggregates: Sequence[str]) -> Iterator[dict[str, Any]]:
    for line in _lines(scores, per_query, aggregates):
        labels = {"query": line.query, "slice": line.slice, "aggregate": line.aggregate}
        values = _numbers(dict(zip(map(str, scores.measures), line.values, strict=True)))
        count = {} if line.query else {"num_queries": line.num_queries}
        yield {"run": line.run, **{key: label for key, label in labels.items() if label}, **count, **values}
    for note in scores.notes:
        yield {"note": note_as_dict(note)}


def _numbers(values: dict[str, float]) -> dict[str, float | int | None]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> float | int | None:
    """JSON knows neither NaN nor infinity."""
    return value if math.isfinite(value) else None
