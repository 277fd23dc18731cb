"""A chosen threshold as tables for people, or as JSON for programs."""

from __future__ import annotations

import math
from typing import Any

import germane
from germane.report.grids import render_grid
from germane.report.matrix_tables import render_matrix
from germane.report.notes import note_as_dict
from germane.report.performance_json import estimates_as_dict, finite
from germane.tables.confusion import Cells, Confusion, Label
from germane.tables.performance import Estimate
from germane.tables.threshold_choice import (
    ChosenThreshold,
    SetResult,
    TargetValue,
    ThresholdReport,
    ThresholdStability,
    Undecided,
)

STYLES = ("table", "markdown", "csv", "json")


def render_threshold(report: ThresholdReport, style: str, *, digits: int = 4) -> str:
    """Write what was chosen in one of the styles."""
    if style == "json":
        import json

        return json.dumps(threshold_as_dict(report), indent=1) + "\n"
    if style == "csv":
        return _csv(report)
    title = "**{}**" if style == "markdown" else "{}"
    columns = ", ".join(f"{role} in {name!r}" for role, name in report.columns.items())
    head = f"{columns[:1].upper()}{columns[1:]}. " if columns else ""
    parts = [(f"{head}Rule: {report.choice.words}", _points(report, style, digits))]
    if report.choice.is_pair:
        parts.append(("Undecided: at or above rule-out, below rule-in", _zones(report, style)))
    for point in report.choice.points:
        at = f"{point.name} {report.text(point.threshold)}"
        for data in report.sets:
            head = f"{data.name} at {at}: {data.num_rows:,} rows; positive is a score at or above it"
            parts.append(
                (head, render_matrix(_matrix(data.cells[point.name], report.positive, report.negative), style))
            )
        parts.append((f"Rates at {at}, with {100 * report.level:g}% intervals", _rates(report, point, style, digits)))
    return "\n".join(f"{title.format(name)}\n\n{grid}" for name, grid in parts)


def _points(report: ThresholdReport, style: str, digits: int) -> str:
    """Each threshold, how far it moves, and how its targets stand on each set."""
    rows = []
    moved = report.stability.resamples > 0
    for point in report.choice.points:
        movement = report.stability[point.name]
        stability = [
            report.text(movement.low),
            report.text(movement.high),
            f"{100 * movement.same:.1f}%",
            _number(movement.optimism, digits),
        ]
        targets = [
            f"{'met' if target.met else 'missed'} ({_number(target.bound, digits)})"
            for data in report.sets
            for target in data.targets[point.name]
        ]
        value = [] if report.choice.is_pair else [_number(point.value, digits)]
        moves = stability if moved else []
        rows.append([point.name, report.text(point.threshold), *moves[:2], *value, *moves[2:], *targets])
    value = [] if report.choice.is_pair else [report.choice.objective]
    stability = ["low", "high", "same", "optimism"] if moved else []
    first = report.choice.points[0].targets
    targets = [
        f"{'target' if report.choice.is_pair else target.target} on {data.name}"
        for data in report.sets
        for target in first
    ]
    grid = render_grid(["", "score", *stability[:2], *value, *stability[2:], *targets], rows, style)
    return f"{grid}{_legend(report.stability) if moved else ''}"


def _legend(stability: ThresholdStability) -> str:
    unmet = max(movement.unmet for movement in stability.movements.values())
    nothing = f"; {100 * unmet:.1f}% of them choose none" if unmet else ""
    share = f"{100 * stability.level:g}% of {stability.resamples:,} bootstrap resamples"
    return (
        f"\nlow to high: where {share} put the threshold{nothing}\n"
        "same: the share that chooses the very same; optimism: how much better it looks on the rows it was chosen on\n"
    )


def _zones(report: ThresholdReport, style: str) -> str:
    rows = [
        [data.name, f"{zone.positives:.10g}", f"{zone.negatives:.10g}", f"{100 * zone.share:.1f}%"]
        for data in report.sets
        if (zone := data.undecided) is not None
    ]
    return render_grid(["", "positives", "negatives", "share of all"], rows, style)


def _rates(report: ThresholdReport, point: ChosenThreshold, style: str, digits: int) -> str:
    header = ["rate"]
    for data in report.sets:
        header += [data.name, "low", "high"]
    rows = [
        [name, *(cell for data in report.sets for cell in _estimate(data.rates[point.name][name], digits))]
        for name in report.dev.rates[point.name]
    ]
    said = {row[0]: _said(report, point, row[0]) for row in rows}
    with_remarks = any(remark for _, remark in said.values())
    header += ["interval", "remark"] if with_remarks else ["interval"]
    return render_grid(header, [[*row, *said[row[0]][: 1 + with_remarks]] for row in rows], style)


def _said(report: ThresholdReport, point: ChosenThreshold, rate: str) -> tuple[str, str]:
    """What made the intervals, and what must be known of them; where the sets differ, both."""
    estimates = {data.name: data.rates[point.name][rate] for data in report.sets}
    methods = " / ".join(dict.fromkeys(estimate.method for estimate in estimates.values()))
    remarks = {name: estimate.remark for name, estimate in estimates.items()}
    if len(set(remarks.values())) == 1:
        return methods, remarks[report.dev.name]
    return methods, "; ".join(f"{name}: {remark}" for name, remark in remarks.items() if remark)


def _estimate(estimate: Estimate, digits: int) -> list[str]:
    ends = [_number(end, digits) for end in (estimate.low, estimate.high)] if estimate.has_interval else ["", ""]
    return [_number(estimate.value, digits), *ends]


def _matrix(cells: Cells, positive: Label, negative: Label) -> Confusion:
    return Confusion.of_matrix([[cells.TN, cells.FP], [cells.FN, cells.TP]], [str(negative), str(positive)])


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else "inf" if math.isinf(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def _csv(report: ThresholdReport) -> str:
    rows = [
        [
            data.name,
            point.name,
            repr(point.threshold),
            name,
            *("" if math.isnan(x) else repr(x) for x in (estimate.value, estimate.low, estimate.high)),
            estimate.method,
            estimate.remark,
        ]
        for data in report.sets
        for point in report.choice.points
        for name, estimate in data.rates[point.name].items()
    ]
    header = ["set", "point", "threshold", "measure", "value", "low", "high", "interval", "remark"]
    return render_grid(header, rows, "csv")


def threshold_as_dict(report: ThresholdReport) -> dict[str, Any]:
    """What other programs read; its keys are stable."""
    choice = report.choice
    return {
        "germane": germane.__version__,
        "rule": choice.rule,
        "words": choice.words,
        "objective": choice.objective,
        "on": choice.on,
        "level": report.level,
        "seed": report.seed,
        "resamples": report.resamples,
        "positive": report.positive,
        "negative": report.negative,
        "columns": dict(report.columns),
        "thresholds": [_point_as_dict(point) for point in choice.points],
        "undecided": _zone_as_dict(choice.undecided),
        "sets": {data.name: _set_as_dict(data) for data in report.sets},
        "stability": {
            "resamples": report.stability.resamples,
            "remark": report.stability.remark,
            "movements": {
                name: {key: finite(value) for key, value in vars(movement).items()}
                for name, movement in report.stability.movements.items()
            },
        },
        "notes": [note_as_dict(note) for note in report.notes],
    }


def _point_as_dict(point: ChosenThreshold) -> dict[str, Any]:
    return {
        "name": point.name,
        "threshold": finite(point.threshold),
        "tied": [finite(threshold) for threshold in point.tied],
        "value": finite(point.value),
        "cells": point.cells._asdict(),
        "targets": [_target_as_dict(target) for target in point.targets],
    }


def _target_as_dict(target: TargetValue) -> dict[str, Any]:
    return {
        "target": target.target,
        "value": finite(target.value),
        "bound": finite(target.bound),
        "met": target.met,
    }


def _zone_as_dict(zone: Undecided | None) -> dict[str, Any] | None:
    return None if zone is None else dict(vars(zone))


def _set_as_dict(data: SetResult) -> dict[str, Any]:
    return {
        "num_rows": data.num_rows,
        "num_positive": data.num_positive,
        "num_negative": data.num_negative,
        "undecided": _zone_as_dict(data.undecided),
        "at": {
            name: {
                "cells": cells._asdict(),
                "targets": [_target_as_dict(target) for target in data.targets[name]],
                "rates": estimates_as_dict(data.rates[name]),
            }
            for name, cells in data.cells.items()
        },
    }
