"""Scores as a table for people, or as JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from germane.report.grids import GRID_STYLES, render_grid
from germane.report.notes import note_as_dict
from germane.tables.scores import Scores

STYLES = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex")
TIDY = ("csv", "tsv")


def render_scores(
    scores: Scores, style: str, *, per_query: bool = False, aggregates: Sequence[str] = ("mean",), digits: int = 4
) -> str:
    """Write scores in one of the styles."""
    if style in ("json", "jsonl"):
        return _render_json(scores, style, per_query, aggregates)
    assert style in GRID_STYLES
    names = [str(measure) for measure in scores.measures]
    header = ["run", "query", *names]
    rows = [
        [run, label, *(_cell(scores, m, value, digits) for m, value in enumerate(values))]
        for run, label, values in _lines(scores, per_query, aggregates)
    ]
    if not per_query and set(aggregates) == {"mean"} and not scores.slices and scores.low is None and style not in TIDY:
        header, rows = ["run", *names], [[row[0], *row[2:]] for row in rows]
    return render_grid(header, rows, style)


def _render_json(scores: Scores, style: str, per_query: bool, aggregates: Sequence[str]) -> str:
    import json

    if style == "json":
        return json.dumps(scores_as_dict(scores, per_query=per_query, aggregates=aggregates), indent=1) + "\n"
    return "".join(json.dumps(row) + "\n" for row in _json_rows(scores, per_query, aggregates))


def _cell(scores: Scores, measure: int, value: float, digits: int) -> str:
    if math.isnan(value):
        return "nan"
    return f"{value:.0f}" if scores.totals[measure] and value == int(value) else f"{value:.{digits}f}"


def _lines(scores: Scores, per_query: bool, aggregates: Sequence[str]) -> Iterator[tuple[str, str, list[float]]]:
    """Each line of a table: the run, the query or what the line is, and the values."""
    for r, run in enumerate(scores.runs):
        if per_query:
            for q, query in enumerate(scores.queries):
                yield run.name, query, scores.values[r, :, q].tolist()
        for label, queries in [("", None), *scores.slices.items()]:
            for how in aggregates:
                name = how if not label else f"{label} {how}"
                yield run.name, name, list(scores.aggregate(how, queries)[run.name].values())
        for end in ("low", "high"):
            if (extremes := scores.extreme_means(end)) is not None:
                yield run.name, f"mean {end}", extremes[run.name]


def scores_as_dict(scores: Scores, *, per_query: bool = True, aggregates: Sequence[str] = ("mean",)) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    from germane import __version__

    runs = []
    for r, run in enumerate(scores.runs):
        entry: dict[str, Any] = {"name": run.name, "path": run.path}
        for how in aggregates:
            entry[how] = _numbers(scores.aggregate(how)[run.name])
        if scores.slices:
            entry["slices"] = {
                label: {
                    "num_queries": len(queries),
                    **{how: _numbers(scores.aggregate(how, queries)[run.name]) for how in aggregates},
                }
                for label, queries in scores.slices.items()
            }
        low, high = scores.extreme_means("low"), scores.extreme_means("high")
        if low is not None and high is not None:
            pairs = zip(scores.measures, low[run.name], high[run.name], strict=True)
            entry["bounds"] = {str(measure): [_number(a), _number(b)] for measure, a, b in pairs}
        if per_query:
            entry["queries"] = {
                query: _numbers(dict(zip(map(str, scores.measures), scores.values[r, :, q].tolist(), strict=True)))
                for q, query in enumerate(scores.queries)
            }
        runs.append(entry)
    return {
        "germane": __version__,
        "ties": scores.ties,
        "topics": scores.topics,
        "scores": scores.score_type,
        "num_queries": len(scores.queries),
        "runs": runs,
        "notes": [note_as_dict(note) for note in scores.notes],
    }


def _json_rows(scores: Scores, per_query: bool, aggregates: Sequence[str]) -> Iterator[dict[str, Any]]:
    for run, label, values in _lines(scores, False, aggregates):
        yield {"run": run, "aggregate": label, **_numbers(dict(zip(map(str, scores.measures), values, strict=True)))}
    if per_query:
        for r, info in enumerate(scores.runs):
            for q, query in enumerate(scores.queries):
                values = scores.values[r, :, q].tolist()
                yield {
                    "run": info.name,
                    "query": query,
                    **_numbers(dict(zip(map(str, scores.measures), values, strict=True))),
                }
    for note in scores.notes:
        yield {"note": note_as_dict(note)}


def _numbers(values: dict[str, float]) -> dict[str, float | int | None]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> float | int | None:
    """JSON knows no NaN."""
    return None if math.isnan(value) else value
