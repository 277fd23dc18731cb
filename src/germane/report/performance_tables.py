"""What was found about a classifier, as tables for people or as JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import germane
from germane.measures.deciding.at_thresholds import rates_at_thresholds
from germane.measures.deciding.rates import parse_rate
from germane.measures.deciding.registry import all_deciding
from germane.report.classifier_pairs import comparison_as_dict, comparison_title, render_pairs
from germane.report.grids import render_grid
from germane.report.matrix_tables import READABLE_CLASSES, render_confusions, render_matrix
from germane.report.performance_json import finite, performance_as_dict
from germane.tables.classifier_comparison import ClassifierComparison
from germane.tables.confusion import Cells, Normalise, Rows
from germane.tables.counted import counted
from germane.tables.decisions import Decisions
from germane.tables.performance import Estimate, Performance
from germane.tables.threshold_text import exact_text

STYLES = ("table", "markdown", "latex", "csv", "tsv", "json")
CLASS_COLUMNS = ("TPR", "PPV", "F1", "MCC")
"""The rates of the table by class, which has no room for all; JSON and CSV have them all."""
OF_THE_WHOLE = ("ACC", "ERR", "BA", "kappa")
"""Measures of several classes together whose value by class says something else."""
PARTS_OF_BRIER = {"uncertainty": "probabilities", "within": "probabilities"}
"""Numbers that belong to a measure's decomposition and are no measures of their own."""


def render_performances(
    performances: Sequence[Performance],
    style: str,
    *,
    comparison: ClassifierComparison | None = None,
    digits: int = 4,
    rows: Rows = "truth",
    normalise: Normalise | None = None,
    reorder: bool = False,
) -> str:
    """Write what was found about one or several classifiers in one of the styles."""
    if style == "json":
        import json

        found: dict[str, Any] = {
            "germane": germane.__version__,
            "classifiers": [performance_as_dict(performance) for performance in performances],
        }
        if comparison is not None:
            found["comparison"] = comparison_as_dict(comparison)
        return json.dumps(found, indent=1) + "\n"
    if style in ("csv", "tsv", "latex"):
        return _flat(performances, comparison, style, digits)
    parts = _parts(performances, style, rows, normalise, reorder, digits)
    if comparison is not None:
        parts.append((comparison_title(comparison), render_pairs(comparison, style, digits)))
    title = "**{}**" if style == "markdown" else "{}"
    return "\n".join(f"{title.format(name)}\n{f'{chr(10)}{grid}' if grid else ''}" for name, grid in parts)


def _parts(
    performances: Sequence[Performance], style: str, rows: Rows, normalise: Normalise | None, reorder: bool, digits: int
) -> list[tuple[str, str]]:
    """Titles and tables: the matrix and the classes of each classifier, the measures of all side by side."""
    first, several = performances[0], len(performances) > 1
    parts = [(_headline(performances), "")] if style == "table" else []
    for performance in performances:
        if performance.confusion is not None:
            title, grid = _matrix_part(performance, style, rows, normalise, reorder, digits)
            parts.append((f"{performance.name}: {title[0].lower()}{title[1:]}" if several else title, grid))
    for title, names in _sections(performances):
        grid = (
            _side_by_side(performances, names, style, digits)
            if several
            else _estimates({name: first.overall[name] for name in names}, style, digits)
        )
        parts.append((title, grid))
    for performance in performances:
        if performance.by_class and performance.positive is None and _class_columns(performance):
            title = _classes_title(performance)
            title = f"{performance.name}: {title[0].lower()}{title[1:]}" if several else title
            parts.append((title, _classes(performance, style, digits)))
    return parts


def _matrix_part(
    performance: Performance, style: str, rows: Rows, normalise: Normalise | None, reorder: bool, digits: int
) -> tuple[str, str]:
    confusion = performance.confusion
    assert confusion is not None
    if len(confusion) > READABLE_CLASSES:
        return f"The most frequent confusions of {len(confusion)} classes", render_confusions(confusion, style)
    clusters = performance.clusters if reorder else ()
    grid = render_matrix(confusion, style, rows=rows, normalise=normalise, clusters=clusters, digits=digits)
    return _matrix_title(performance, rows, normalise), grid.rstrip("\n") + "\n" + _clusters_line(performance, reorder)


def _sections(performances: Sequence[Performance]) -> list[tuple[str, list[str]]]:
    """The measures over everything by kind: of decisions, of scores, of probabilities."""
    performance = performances[0]
    of = "" if performance.positive is None else f" of class {performance.positive}"
    titles = {
        "": f"Measures{of}",
        "scores": "What the scores are worth",
        "probabilities": "What they are worth as probabilities",
    }
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for each in performances for name in each.overall):
        found.setdefault(_kind(name), []).append(name)
    level = f", with {performance.level * 100:g}% intervals"

    def has_intervals(names: Sequence[str]) -> bool:
        return any(each.overall[name].has_interval for each in performances for name in names if name in each.overall)

    return [(titles[kind] + level * has_intervals(names), names) for kind, names in found.items()]


def _kind(name: str) -> str:
    known = {entry.name: entry.of for entry in all_deciding()}
    base = name.partition("(")[0]
    return {"scores": "scores", "probabilities": "probabilities"}.get(known.get(base, PARTS_OF_BRIER.get(base, "")), "")


def _headline(performances: Sequence[Performance]) -> str:
    first = performances[0]
    columns = ", ".join(f"{role} in {name!r}" for role, name in first.columns.items())
    who = first.name if len(performances) == 1 else f"{len(performances)} classifiers"
    return f"{who}: {counted(first.num_rows, 'row')}{f'; {columns}' if columns else ''}"


def _matrix_title(performance: Performance, rows: Rows, normalise: Normalise | None) -> str:
    threshold = performance.threshold
    at = "" if threshold is None else f" at threshold {exact_text(threshold)} (a score at or above it is positive)"
    shares = {None: "", "truth": ", shares of the true class", "prediction": ", shares of the predicted class"}
    shown = shares.get(normalise, ", shares of everything")
    other = "prediction" if rows == "truth" else "truth"
    return f"Confusion matrix{at}; rows are the {rows}, columns the {other}{shown}"


def _clusters_line(performance: Performance, reordered: bool) -> str:
    confused = [", ".join(map(str, block)) for block in performance.clusters if len(block) > 1]
    if not confused:
        return ""
    marked = ", set apart above" if reordered else ""
    return f"\nConfused with each other{marked}: {'; '.join(confused)}\n"


def _classes_title(performance: Performance) -> str:
    return f"Each class against the rest, and averages, with {performance.level * 100:g}% intervals"


def _estimates(estimates: Mapping[str, Estimate], style: str, digits: int) -> str:
    rows = [
        [
            name,
            _number(e.value, digits),
            _number(e.low, digits) if e.has_interval else "",
            _number(e.high, digits) if e.has_interval else "",
            e.method if e.method != "none" else "",
            e.remark or also_called(name),
        ]
        for name, e in estimates.items()
    ]
    header = ["measure", "value", "low", "high", "interval", "also called, or remark"]
    filled = [0, 1, *(place for place in range(2, len(header)) if any(row[place] for row in rows))]
    return render_grid([header[place] for place in filled], [[row[place] for place in filled] for row in rows], style)


def _side_by_side(performances: Sequence[Performance], names: Sequence[str], style: str, digits: int) -> str:
    """A column for each classifier; what made the intervals and what else there is to say, if it is the same for all.

    JSON and CSV have the remarks of each.
    """
    rows = []
    for name in names:
        estimates = [each.overall[name] for each in performances if name in each.overall]
        cells = [_with_interval(each.overall[name], digits) if name in each.overall else "" for each in performances]
        methods = " / ".join(dict.fromkeys(e.method for e in estimates if e.method != "none"))
        remarks = {e.remark for e in estimates}
        rows.append([name, *cells, methods, remarks.pop() if len(remarks) == 1 else ""])
    header = ["measure", *(performance.name for performance in performances), "interval", "remark"]
    if not any(row[-1] for row in rows):
        header, rows = header[:-1], [row[:-1] for row in rows]
    return render_grid(header, rows, style)


def _classes(performance: Performance, style: str, digits: int) -> str:
    """One row a class, then the averages: value and interval of the rates most asked for."""
    support = (
        dict(zip(performance.confusion.labels, performance.confusion.support.tolist(), strict=True))
        if (performance.confusion is not None)
        else {}
    )
    shown = _class_columns(performance)
    groups: list[tuple[str, str, Mapping[str, Estimate]]] = [
        (str(label), f"{support[label]:.10g}" if label in support else "", table)
        for label, table in performance.by_class.items()
    ]
    groups += [(f"({average})", "", table) for average, table in performance.averages.items()]
    rows = [[name, count, *(_with_interval(table[rate], digits) for rate in shown)] for name, count, table in groups]
    header = ["class", "items", *shown]
    if not support:
        header, rows = [header[0], *header[2:]], [[row[0], *row[2:]] for row in rows]
    return render_grid(header, rows, style)


def _class_columns(performance: Performance) -> list[str]:
    """The rates of the table by class: those that were asked for, or those most asked for."""
    asked = CLASS_COLUMNS if performance.asked is None else performance.asked
    there = next(iter(performance.by_class.values()))
    # What several classes have together, such as ACC, means another thing by class.
    return [name for name in asked if name in there and (name in CLASS_COLUMNS or name not in OF_THE_WHOLE)]


def _with_interval(estimate: Estimate, digits: int) -> str:
    value = _number(estimate.value, digits)
    if not estimate.has_interval:
        return value
    return f"{value} [{_number(estimate.low, digits)}, {_number(estimate.high, digits)}]"


def also_called(name: str) -> str:
    """What else people call a rate."""
    from germane.errors import MeasureError

    try:
        rate = parse_rate(name).rate
    except MeasureError:
        return ""
    return ", ".join(rate.names) or rate.title


def _number(value: float, digits: int) -> str:
    if math.isnan(value):
        return "–"
    # Adding 0 turns a -0.00 into 0.00.
    return f"{value:g}" if math.isinf(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def _flat(performances: Sequence[Performance], comparison: ClassifierComparison | None, style: str, digits: int) -> str:
    """One line a number, for other programs: which classifier, class or average, measure, value, interval.

    A difference of two classifiers stands under both names, its p in the remark.
    """
    full = style in ("csv", "tsv")

    def cells(value: float, low: float, high: float) -> list[str]:
        ends = (value, low, high)
        return ["" if math.isnan(x) else repr(float(x)) for x in ends] if full else [_number(x, digits) for x in ends]

    rows = [
        [performance.name, group, name, *cells(e.value, e.low, e.high), e.method, e.remark]
        for performance in performances
        for group, table in _groups(performance)
        for name, e in table.items()
    ]
    for pair in () if comparison is None else comparison.pairs:
        assert comparison is not None
        adjusted = f"adjusted {pair.p_adjusted:.3g} ({comparison.family_in_words}), interval unadjusted"
        p = f"{pair.test}: p {pair.p:.3g}, {adjusted}{f'; {pair.remark}' if pair.remark else ''}"
        numbers = cells(pair.difference, pair.low, pair.high)
        rows.append([f"{pair.b} - {pair.a}", "", pair.measure, *numbers, pair.interval, p])
    return render_grid(["classifier", "class", "measure", "value", "low", "high", "interval", "remark"], rows, style)


def _groups(performance: Performance) -> list[tuple[str, Mapping[str, Estimate]]]:
    """Everything over all, by class and averaged, each with its name; of what was asked for, what the tables show."""
    apart = [
        *((str(label), table) for label, table in performance.by_class.items()),
        *((f"({average})", table) for average, table in performance.averages.items()),
    ]
    if performance.asked is not None:
        shown = _class_columns(performance) if performance.by_class and performance.positive is None else []
        apart = [(name, {rate: table[rate] for rate in shown}) for name, table in apart]
    return [("", performance.overall), *apart]


def threshold_table(decisions: Decisions, style: str, *, digits: int = 4, places: Sequence[int] | None = None) -> str:
    """All counts and rates at every threshold, or at those in some places, one row each."""
    columns = rates_at_thresholds(decisions)
    if places is not None:
        columns = {name: column[places] for name, column in columns.items()}
    if style == "json":
        import json

        return json.dumps({name: [finite(v) for v in column.tolist()] for name, column in columns.items()}) + "\n"
    full = style in ("csv", "tsv")
    text = [
        [
            ("" if math.isnan(v) else repr(v)) if full else _at_threshold(name, v, decisions, digits)
            for v in column.tolist()
        ]
        for name, column in columns.items()
    ]
    return render_grid(list(columns), list(zip(*text, strict=True)), style)


def _at_threshold(name: str, value: float, decisions: Decisions, digits: int) -> str:
    if name == "threshold":
        return decisions.text(value)
    return f"{value:.10g}" if name in Cells._fields else _number(value, digits)
