"""From the numbers of a report on classifiers to the rows that each figure takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from germane.api.reports.decisions import DecisionNumbers, Excerpt, excerpt
from germane.api.reports.scores import ZONE, ScoreView, det_axis, iso_f1
from germane.measures.decisions.rates import rates_of
from germane.measures.decisions.scores.detection_error import det_curve
from germane.measures.decisions.scores.precision_recall import precision_recall_curve
from germane.measures.decisions.scores.score_densities import score_densities
from germane.output.plots import score_views
from germane.output.plots.curves import MAX_SERIES, OTHERS
from germane.output.reports.retrieval_rows import number
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.threshold_text import exact_text
from germane.tables.results.performance import Estimate

DRAWN_RATES = ("TPR", "TNR", "PPV", "F1")
"""The rates that are drawn along the threshold."""

FEW_POINTS = 30
"""Maximum number of points of a calibration curve that get a mark each."""
LEGEND_NAME = 26
"""Maximum length of a name in a legend, where a measure stands behind it."""
MAX_HULLS = 3
"""Maximum number of classifiers whose convex hulls are drawn."""

Found = dict[str, Any]


def roc_rows(numbers: DecisionNumbers) -> Found:
    """False and true positive rates of every classifier, and the hulls."""
    views = views_with_scores(numbers, "roc")
    rows, hull = [], []
    for view in views:
        curve = view.curve
        rows += points_of(view, fpr=curve.fpr, tpr=curve.tpr, threshold=curve.thresholds)
        # Hulls of more classifiers could not be told from one another.
        hull += points_of(view, fpr=view.hull.fpr, tpr=view.hull.tpr) if len(views) <= MAX_HULLS else []
    return {"rows": in_series(rows, views, "AUC"), "series": series_of(views, "AUC"), "hull": hull}


def precision_recall_rows(numbers: DecisionNumbers) -> Found:
    """Precision and recall of every classifier, and what precision chance has."""
    views = views_with_scores(numbers, "pr")
    rows, baselines = [], set()
    for view in views:
        curve = precision_recall_curve(view.decisions)
        kept = np.isin(curve.thresholds, view.curve.thresholds)
        precision, recall = curve.precision[kept], curve.recall[kept]
        # The first step begins at recall 0, at the height of the first threshold: nothing is called positive above it.
        precision[0] = precision[min(1, len(precision) - 1)]
        rows += points_of(view, recall=recall, precision=precision, threshold=curve.thresholds[kept])
        baselines.add(number(curve.baseline))
    return {
        "rows": in_series(rows, views, "AP"),
        "series": series_of(views, "AP"),
        "contours": iso_f1(),
        "baseline": [{"precision": share} for share in baselines],
    }


def det_rows(numbers: DecisionNumbers) -> Found:
    """False alarms and misses of every classifier on the probit scale; what lies at infinity is left out."""
    views = views_with_scores(numbers, "det")
    rows = []
    for view in views:
        stops, curve = view.stops, det_curve(view.decisions)
        shown = np.isfinite(stops.det_x) & np.isfinite(stops.det_y)
        place = np.searchsorted(-curve.thresholds, -stops.thresholds[shown]).clip(max=len(curve.fpr) - 1)
        columns = {"x": stops.det_x[shown], "y": stops.det_y[shown], "threshold": stops.thresholds[shown]}
        rows += points_of(view, **columns, FPR=curve.fpr[place], FNR=curve.fnr[place])
    return {"rows": in_series(rows, views, "EER"), "series": series_of(views, "EER"), "axis": det_axis(views)}


def density_rows(numbers: DecisionNumbers) -> Found:
    """The densities of both classes, in bins and smoothed."""
    view = numbers.only_view("density")
    spread = score_densities(view.decisions)
    sides = [view.positive, view.negative]
    rows, smooth = [], []
    histograms, lines = (spread.positive, spread.negative), (spread.smooth_positive, spread.smooth_negative)
    for side, bins, line in zip(sides, histograms, lines, strict=True):
        ends = zip(spread.edges[:-1].tolist(), spread.edges[1:].tolist(), bins.tolist(), strict=True)
        rows += [{"side": side, "start": a, "end": b, "density": number(d)} for a, b, d in ends]
        points = zip(spread.grid.tolist(), line.tolist(), strict=True)
        smooth += [{"side": side, "score": x, "density": number(d)} for x, d in points if not math.isnan(d)]
    return {"rows": rows, "smooth": smooth, "sides": sides}


def threshold_rows(numbers: DecisionNumbers) -> Found:
    """The densities and the rates along the threshold, with what a rule chooses (Youden's, if none is given)."""
    view = numbers.only_view("threshold")
    edges = view.mirrored["edges"].tolist()
    single = next((rule for rule in view.rules if not view.choices[rule].is_pair), "youden")
    pair = next((rule for rule in view.rules if view.choices[rule].is_pair), ZONE)
    zone, rule, said = [], [], []
    if single in view.choices and math.isfinite(view.choices[single].threshold):
        at = view.choices[single].threshold
        said.append(f"{single}: {view.decisions.text(at)}")
        rule = [{"threshold": at, "said": said[0]}]
    if pair in view.choices and not view.choices[pair].crossed:
        out, into = (min(max(p.threshold, edges[0]), edges[-1]) for p in view.choices[pair].points)
        undecided = view.choices[pair].undecided
        assert undecided is not None
        zone = [{"start": out, "end": into}]
        said.append(f"{view.choices[pair].rule}: {undecided.share:.1%} undecided")
    sides = [view.positive, view.negative]
    upper = score_views.mirrored_density(mirrored_rows(view), sides, rule=rule or None, zone=zone or None)
    lower = score_views.rates_along(rate_rows(view), DRAWN_RATES, rule=rule or None, domain=[edges[0], edges[-1]])
    return {"first": upper, "second": lower, "title": {"text": view.name, "subtitle": "; ".join(said)}}


def calibration_rows(numbers: DecisionNumbers) -> Found:
    """The isotonic fit with its band, and the histogram of what was claimed."""
    view = numbers.only_view("calibration")
    found = view.calibration
    few = len(found.claimed) <= FEW_POINTS
    curve = score_views.calibration(calibration_points(view), band_points(view), level=found.level, points=few)
    counts = score_views.score_counts(count_rows(view), [view.positive, view.negative])
    named = [f"{name} {view.estimates[name].value:.4f}" for name in ("Brier", "ECE") if name in view.estimates]
    return {"first": curve, "second": counts, "title": {"text": view.name, "subtitle": "; ".join(named)}}


def confusion_rows(numbers: DecisionNumbers) -> Found:
    """The matrix in the order of its clusters; of many classes, the most confused ones."""
    performance = numbers.only_matrix()
    part = excerpt(performance)
    cut = None if numbers.predicted else performance.threshold
    at = "" if cut is None else f", threshold {exact_text(cut)}"
    more = f"; the {len(part.confusion) - 1} most confused of {len(performance.by_class)} classes"
    title = {"text": f"{performance.name}{at}", "subtitle": f"counts, row percentages{more if part.left_out else ''}"}
    return {
        "rows": matrix_rows(part),
        "labels": [str(label) for label in part.confusion.labels],
        "outlines": [{"start": start, "end": end} for start, end in part.blocks],
        "title": title,
    }


def matrix_rows(part: Excerpt) -> list[Found]:
    """A row for each cell, and for each total."""
    confusion = part.confusion
    labels = [str(label) for label in confusion.labels]
    size, shares = len(labels), confusion.normalised("truth").tolist()
    counts, support = confusion.counts.tolist(), confusion.support.tolist()
    rows = []
    for i, truth in enumerate(labels):
        for j, predicted in enumerate(labels):
            rows.append(_cell(i, j, truth, predicted, counts[i][j], number(shares[i][j])))
        rows.append(_cell(i, size, truth, "total", support[i], None, total="yes"))
    columns = confusion.counts.sum(axis=0).tolist()
    rows += [_cell(size, j, "total", predicted, columns[j], None, total="yes") for j, predicted in enumerate(labels)]
    rows.append(_cell(size, size, "total", "total", confusion.total.item(), None, total="yes"))
    return rows


def _cell(row: int, column: int, truth: str, predicted: str, count: Any, share: Any, total: str = "no") -> Found:
    """Nothing at all needs no percentage."""
    shown = f"{count:,}" if isinstance(count, int) else f"{count:.4g}"
    percent = f"{share:.0%}" if share else ""
    return {
        "row": row,
        "column": column,
        "truth": truth,
        "predicted": predicted,
        "count": count,
        "share": share,
        "alone": "" if percent else shown,
        "above": shown if percent else "",
        "percent": percent,
        "total": total,
    }


def mirrored_rows(view: ScoreView) -> list[Found]:
    """Positives upward, negatives downward."""
    edges = view.mirrored["edges"].tolist()
    return [
        {"side": side, "start": a, "end": b, "density": density, "alike": alike}
        for side, key in ((view.positive, "positive"), (view.negative, "negative"))
        for a, b, density, alike in zip(
            edges[:-1], edges[1:], view.mirrored[key].tolist(), view.mirrored[f"{key}_alike"].tolist(), strict=True
        )
    ]


def rate_rows(view: ScoreView) -> list[Found]:
    """The drawn rates at every kept threshold."""
    stops, decisions = view.stops, view.decisions
    tp, fp = stops.true_positives, stops.false_positives
    rates = rates_of(Cells(tp, fp, decisions.num_positive - tp, decisions.num_negative - fp))
    return [
        {"rate": rate, "threshold": threshold, "value": number(value)}
        for rate in DRAWN_RATES
        for threshold, value in zip(stops.thresholds.tolist(), rates[rate].tolist(), strict=True)
        if math.isfinite(threshold)
    ]


def calibration_points(view: ScoreView) -> list[Found]:
    """The fit."""
    return _rows(claimed=view.calibration.claimed, fitted=view.calibration.fitted)


def band_points(view: ScoreView) -> list[Found]:
    """The band round the diagonal."""
    found = view.calibration
    return _rows(claimed=found.band_claimed, low=found.low, high=found.high)


def _rows(**columns: Any) -> list[Found]:
    lists = [column.tolist() for column in columns.values()]
    return [dict(zip(columns, map(number, row), strict=True)) for row in zip(*lists, strict=True)]


def count_rows(view: ScoreView) -> list[Found]:
    """How many items claim what."""
    found = view.calibration
    edges = found.edges.tolist()
    return [
        {"side": side, "start": a, "end": b, "count": count, "place": place}
        for place, (side, counts) in enumerate(((view.positive, found.positives), (view.negative, found.negatives)))
        for a, b, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    ]


def series_of(views: tuple[ScoreView, ...], measure: str, *, intervals: bool = True) -> list[str]:
    """Legend entries of the classifiers with a line of their own: the name, and a measure with its interval."""
    names = short_names([view.name for view in views[:MAX_SERIES]])
    return [_named(name, view, measure, intervals) for name, view in zip(names, views, strict=False)]


def short_names(names: list[str]) -> list[str]:
    """Shorten long names in the middle, where two of them rarely differ; all stay whole if two would become one.

    >>> short_names(["a classifier with a very long name, version 1"])
    ['a classifier wi… version 1']
    """
    head, tail = LEGEND_NAME * 3 // 5, LEGEND_NAME * 2 // 5
    short = [name if len(name) <= LEGEND_NAME else f"{name[:head]}…{name[-tail:]}" for name in names]
    return short if len(set(short)) == len(set(names)) else names


def _named(name: str, view: ScoreView, measure: str, intervals: bool) -> str:
    found = view.estimates.get(measure, Estimate(math.nan))
    value = "–" if math.isnan(found.value) else f"{found.value:.4f}"
    # A line may break before an interval, not within it.
    interval = f" [{found.low:.3f},\N{NO-BREAK SPACE}{found.high:.3f}]" if intervals and found.has_interval else ""
    return f"{name}: {measure} {value}{interval}"


def in_series(rows: list[Found], views: tuple[ScoreView, ...], measure: str) -> list[Found]:
    """Give each row the legend entry of its classifier."""
    own = dict(zip((view.name for view in views), series_of(views, measure), strict=False))
    for row in rows:
        row["series"] = own.get(row["system"], OTHERS)
    return rows


def points_of(view: ScoreView, **columns: Any) -> list[Found]:
    """Rows of a line, in order, with the name of the classifier."""
    return [{"system": view.name, "place": place, **row} for place, row in enumerate(_rows(**columns))]


def views_with_scores(numbers: DecisionNumbers, kind: str) -> tuple[ScoreView, ...]:
    """The columns of scores; without any, an error that names the kind of figure."""
    if not numbers.views:
        numbers.only_view(kind)  # says that there are none
    return numbers.views
