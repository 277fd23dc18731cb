"""Tunings as tables for people or as JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from germane.learning.tuning import CurvePoint, Procedure, Tuning
from germane.report.comparison_tables import p_text, signed
from germane.report.grids import render_grid
from germane.report.notes import note_as_dict

STYLES = ("table", "markdown", "latex", "csv", "tsv", "json")


def render_tuning(tuning: Tuning, style: str, *, digits: int = 4, top: int = 5, curves: bool = False) -> str:
    """What each way to choose is worth; what it chose in each fold; the strategies with the best means; the curves."""
    if style == "json":
        return json.dumps(tuning_as_dict(tuning), indent=1) + "\n"
    grids = [_procedures(tuning, digits), _folds(tuning, digits)]
    grids += [_top(tuning, top, digits)] if top else []
    if curves:
        points = {"training queries": tuning.learning_curve, **(tuning.validation_curves or {})}
        grids += [_curve(name, own, digits) for name, own in points.items() if own]
    return "\n".join(render_grid(header, rows, style) for header, rows in grids)


Grid = tuple[list[str], list[list[str]]]


def _procedures(tuning: Tuning, digits: int) -> Grid:
    header = ["rule", "strategy", f"tuned {tuning.measure}", "held out", "low", "high", "gap"]
    header += ["to simplest", "low", "high", "p"]
    rows = [
        [
            each.rule,
            str(each.strategy),
            *_cells((each.tuned, each.held_out, each.low, each.high), digits),
            signed(each.gap, digits),
            *(
                [""] * 4
                if each.rule == "simplest"
                else [
                    *(signed(x, digits) for x in (each.difference, each.difference_low, each.difference_high)),
                    p_text(each.p, digits),
                ]
            ),
        ]
        for each in tuning.procedures.values()
    ]
    return header, rows


def _folds(tuning: Tuning, digits: int) -> Grid:
    header = ["rule", "fold", "chosen without it", "by queries", "tuned", "queries", "held out"]
    rows = [
        [
            rule,
            str(number),
            str(choice.strategy),
            str(choice.num_train),
            *_cells((choice.tuned,), digits),
            str(choice.num_held_out),
            *_cells((choice.held_out,), digits),
        ]
        for rule in ("best", "razor")
        for number, choice in enumerate(tuning.procedures[rule].by_fold, start=1)
    ]
    return header, rows


def _top(tuning: Tuning, top: int, digits: int) -> Grid:
    means = [(tuning.mean(strategy), place) for place, strategy in enumerate(tuning.strategies)]
    sign = 1 if tuning.lower_is_better else -1
    known = sorted((sign * mean, place) for mean, place in means if not math.isnan(mean))
    rows = [
        [str(strategy), str(strategy.simplicity.parts), str(strategy.simplicity.changed), f"{sign * mean:.{digits}f}"]
        for mean, place in known[:top]
        for strategy in (tuning.strategies[place],)
    ]
    return [f"best of {len(tuning.strategies)} on all queries", "parts", "changed", tuning.measure], rows


def _curve(name: str, points: Sequence[CurvePoint], digits: int) -> Grid:
    return [name, "tuned", "held out"], [
        [f"{point.x:g}", *_cells((point.tuned, point.held_out), digits)] for point in points
    ]


def tuning_as_dict(tuning: Tuning) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    from germane import __version__

    return {
        "germane": __version__,
        "measure": tuning.measure,
        "lower_is_better": tuning.lower_is_better,
        "k": tuning.k,
        "search": tuning.search,
        "seed": tuning.seed,
        "alpha": tuning.alpha,
        "level": tuning.level,
        "chosen": str(tuning.chosen),
        "winner": str(tuning.winner),
        "simplest": str(tuning.simplest),
        "rankings_evaluated": tuning.num_evaluated,
        "procedures": [_procedure(tuning, each) for each in tuning.procedures.values()],
        "folds": {query: int(fold) + 1 for query, fold in zip(tuning.queries, tuning.fold, strict=True)},
        "strategies": [
            {
                "strategy": str(strategy),
                "parts": strategy.simplicity.parts,
                "changed": strategy.simplicity.changed,
                "mean": _number(tuning.mean(strategy)),
                "queries": {
                    query: value
                    for query, value in zip(tuning.queries, values.tolist(), strict=True)
                    if not math.isnan(value)
                },
            }
            for strategy, values in zip(tuning.strategies, tuning.values, strict=True)
        ],
        "learning_curve": [asdict(point) for point in tuning.learning_curve],
        "validation_curves": {
            name: [asdict(point) for point in points] for name, points in (tuning.validation_curves or {}).items()
        },
        "notes": [note_as_dict(note) for note in tuning.notes],
    }


def _procedure(tuning: Tuning, each: Procedure) -> dict[str, Any]:
    names = ("tuned", "held_out", "low", "high", "gap", "difference", "difference_low", "difference_high", "p")
    return {
        "rule": each.rule,
        "strategy": str(each.strategy),
        **{name: _number(getattr(each, name)) for name in names},
        "by_fold": [{**asdict(choice), "strategy": str(choice.strategy)} for choice in each.by_fold],
        "queries": dict(zip(tuning.queries, each.held_out_values.tolist(), strict=True)),
    }


def _cells(values: Sequence[float], digits: int) -> list[str]:
    return [f"{value:.{digits}f}" for value in values]


def _number(value: float) -> float | None:
    """JSON knows no NaN."""
    return value if math.isfinite(value) else None
