"""Classification report: data blocks, figure specs and the text around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np

from germane.api.reports.decisions import READABLE_CLASSES, DecisionNumbers, excerpt
from germane.api.reports.regression import RegressionNumbers
from germane.api.reports.scores import ZONE, ScoreView, det_axis, iso_f1
from germane.catalogue import REQUIRED
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import base_name, describe, lower_is_better
from germane.measures.decisions.rates import RATES
from germane.output.page.shell import page
from germane.output.plots import decisions, score_views, systems
from germane.output.plots.theme import Spec
from germane.output.reports.classification_rows import (
    DRAWN_RATES,
    FEW_POINTS,
    MAX_HULLS,
    band_points,
    calibration_points,
    count_rows,
    mirrored_rows,
    series_of,
)
from germane.output.reports.classification_text import body, sections, settings
from germane.tables.notes.note import Note
from germane.tables.results.columns import for_json
from germane.tables.results.performance import Estimate, Performance

CURVE_WIDTH = 420
"""Side of a trade-off curve in pixels: two stand side by side."""
ZOOMS = (0.2, 0.1, 0.05, 0.01)
"""Error rates up to which the trade-off curves can be enlarged."""
CONTOURS = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
"""Lines of equal F1, of which the last two are seen when a curve is enlarged."""
CALLED = {"clusters": "Clustering", "densities": "Density estimate"}
"""What a result of other tasks than classes is called."""
SIDES = ["positive", "negative"]


def classification_page(numbers: DecisionNumbers, title: str = "Classification report") -> str:
    """Return the complete, self-contained page."""
    shown = sections(numbers)
    data = {
        "overview": _overview(numbers, title),
        "views": [_view(view) for view in numbers.views],
        "rates": _rates(),
        "matrices": [_matrix(found) for found in numbers.with_matrix] if "confusion" in shown else [],
        "estimates": [estimate_groups(found) for found in numbers.performances],
    }
    return page(title, body(title, shown, scored=bool(numbers.views)), "classification.js", data, _specs(numbers))


def _specs(numbers: DecisionNumbers) -> dict[str, Any]:
    """The figures without the rows that depend on what the reader chooses."""
    views = numbers.views
    wide: dict[str, Any] = {"width": "container"}
    square: dict[str, Any] = {"width": CURVE_WIDTH}
    found: dict[str, Any] = {}
    if numbers.comparison is not None:
        found["forest"] = forest_of_pairs()
    if not views:
        return found
    found |= {
        "roc": decisions.roc([], _series(views, "AUC"), point=[], **square),
        "steps": decisions.precision_recall([], _series(views, "AP"), contours=[], point=[], **square),
        "det": decisions.det([], _series(views, "EER"), axis=det_axis(views), point=[], **square),
        "densities": score_views.mirrored_density([], SIDES, rule=[], zone=[], **wide),
        "along": score_views.rates_along([], DRAWN_RATES, rule=[], **wide),
    }
    if any(view.probabilities for view in views):
        curves = [view.calibration for view in views if view.probabilities]
        few = max(len(curve.claimed) for curve in curves) <= FEW_POINTS
        found["calibration"] = score_views.calibration([], [], level=curves[0].level, points=few, **wide)
        found["claims"] = score_views.score_counts([], SIDES, **wide)
    return found


def forest_of_pairs() -> Spec:
    """Return the figure of the differences; the page sets the two names of each in several lines."""
    found = systems.forest([], axis=("difference, with confidence interval",), width="container")
    found["encoding"]["y"]["axis"] = {"labelExpr": "split(datum.label, '\\n')", "labelLimit": 260}
    return {**found, "height": {"step": 56}}


def _series(views: tuple[ScoreView, ...], measure: str) -> list[str]:
    """The legend of a curve; intervals are in the tables, where there is room for them."""
    return series_of(views, measure, intervals=False)


def _overview(numbers: DecisionNumbers, title: str) -> dict[str, Any]:
    """Data that is small and needed at once."""
    comparison = numbers.comparison
    return {
        "title": title,
        "name": numbers.name,
        "num_items": numbers.performances[0].num_rows,
        "called": CALLED.get(numbers.performances[0].task, "Classifier"),
        "classifiers": [found.name for found in numbers.performances],
        "views": [view.name for view in numbers.views],
        "by_class": bool(numbers.views) and len(numbers.performances) == 1 and len(numbers.views) > 1,
        "level": numbers.performances[0].level,
        "settings": settings(numbers),
        "notes": [{**note.to_dict(), "amount": note.amount, "what": note.what} for note in notes_on(numbers)],
        "nothing_noted": "No issues.",
        "comparison": None
        if comparison is None
        else {
            **for_json(comparison.document()),
            "intervals_in_words": comparison.intervals_in_words,
            "family_in_words": comparison.family_in_words,
        },
        "drawn_rates": DRAWN_RATES,
        "det_domain": det_axis(numbers.views)["domain"] if numbers.views else [],
        "readable_classes": READABLE_CLASSES,
        "contours": iso_f1(CONTOURS),
        "zooms": [{"share": share, "probit": NormalDist().inv_cdf(share)} for share in ZOOMS],
        "series": {name: _series(numbers.views, name) for name in ("AUC", "AP", "EER")} if numbers.views else {},
        "hulls": len(numbers.views) <= MAX_HULLS,
    }


def notes_on(numbers: DecisionNumbers | RegressionNumbers) -> list[Note]:
    """Return notes on all classifiers once, others with the name of their classifier."""
    first, *others = numbers.performances
    shared = [note for note in first.notes if all(note in each.notes for each in others)]
    own = [replace(n, run=each.name) for each in numbers.performances for n in each.notes if n not in shared]
    comparison = () if numbers.comparison is None else numbers.comparison.notes
    return list(dict.fromkeys([*shared, *own, *comparison]))


def _rates() -> list[dict[str, Any]]:
    """Every rate as the registry has it: the page evaluates its formula and has none of its own."""
    return [
        {
            "name": rate.name,
            "title": rate.title,
            "names": list(rate.names),
            "formula": rate.formula,
            "better": rate.better,
            "parameters": [
                {
                    "name": each.name,
                    "value": None if each.default is REQUIRED else each.default,
                    "range": [for_json(end) for end in (each.range.least, each.range.greatest)],
                }
                for each in rate.takes
            ],
        }
        for rate in RATES
    ]


def _written_stops(view: ScoreView) -> list[float]:
    """Each stop as the shortest decimal that decides alike, so that the page can print what it holds.

    What somebody asked for stays as it was typed.
    """
    return [at if at == view.threshold else float(view.decisions.text(at)) for at in view.stops.thresholds.tolist()]


def _view(view: ScoreView) -> dict[str, Any]:
    """One column of scores; thresholds rise."""
    stops, choices = view.stops, view.choices
    asked = next((choices[rule] for rule in view.rules if not choices[rule].is_pair), None)
    found: dict[str, Any] = {
        "name": view.name,
        "positive": view.positive,
        "negative": view.negative,
        "num_positive": view.decisions.num_positive,
        "num_negative": view.decisions.num_negative,
        "num_thresholds": len(view.decisions),
        "prevalence": view.prevalence,
        "thresholds": [for_json(value) for value in _written_stops(view)],
        "TP": stops.true_positives,
        "FP": stops.false_positives,
        "det_x": stops.det_x,
        "det_y": stops.det_y,
        "hull": {"fpr": view.hull.fpr, "tpr": view.hull.tpr},
        "reported": None if view.threshold is None else stops.place(view.threshold),
        "opens": None if asked is None else stops.place(asked.threshold),
        "rules": [
            {"rule": name, "words": choice.words, "stop": stops.place(choice.threshold)}
            for name, choice in choices.items()
            if not choice.is_pair
        ],
        "pairs": [
            {
                "rule": choice.rule,
                "words": choice.words,
                "crossed": choice.crossed,
                "out": stops.place(choice.points[0].threshold),
                "in": stops.place(choice.points[1].threshold),
                **{part: getattr(choice.undecided, part, None) for part in ("positives", "negatives", "share")},
            }
            for name, choice in choices.items()
            if choice.is_pair
        ],
        "no_zone": view.unchosen.get(ZONE, ""),
        "densities": [{**row, "side": _side(view, row)} for row in mirrored_rows(view)],
        "ends": [view.mirrored["edges"][0], view.mirrored["edges"][-1]],
    }
    if view.probabilities:
        found["calibration"] = calibration_points(view)
        found["claims"] = [{**row, "side": _side(view, row)} for row in count_rows(view)]
        found["band"] = band_points(view)
        found["band_level"] = view.calibration.level
    return found


def _side(view: ScoreView, row: Mapping[str, Any]) -> str:
    return SIDES[0] if row["side"] == view.positive else SIDES[1]


def _matrix(found: Performance) -> dict[str, Any]:
    """The counts by row of the truth, sparse: of hundreds of classes most pairs are never confused."""
    confusion = found.confusion
    assert confusion is not None
    row, column = np.nonzero(confusion.counts)
    order = [label for block in found.clusters for label in block] or list(confusion.labels)
    most = [confusion.place(label) for label in excerpt(found).confusion.labels if label in confusion.labels]
    return {
        "name": found.name,
        "labels": [str(label) for label in confusion.labels],
        "row": row,
        "column": column,
        "count": confusion.counts[row, column],
        "order": [confusion.place(label) for label in order],
        "blocks": [len(block) for block in found.clusters],
        "most_confused": most,
        "threshold": found.threshold,
    }


def estimate_groups(found: Performance) -> dict[str, Any]:
    """Return every estimate: over everything, averaged, and by class; names and methods once each."""
    tables: list[tuple[str, str, Mapping[str, Estimate]]] = [
        ("everything", "" if found.positive is None else str(found.positive), found.overall),
        *(("average", name, table) for name, table in found.averages.items()),
        *(("class", str(label), table) for label, table in found.by_class.items()),
    ]
    named: dict[str, str] = {}
    for _, _, table in tables:
        for name in table:
            named.setdefault(name, describe(name)[1] or _deciding_title(name))
    words = _Words()
    return {
        "name": found.name,
        "threshold": found.threshold,
        "measures": list(named),
        "also": list(named.values()),
        "lower": [lower_is_better(name) for name in named],
        "words": words.known,
        "groups": [{"kind": kind, "name": name, **_columns(table, list(named), words)} for kind, name, table in tables],
    }


class _Words:
    """Phrases that come again and again, kept once each."""

    def __init__(self) -> None:
        self.known: list[str] = []

    def place(self, text: str) -> int:
        if text not in self.known:
            self.known.append(text)
        return self.known.index(text)


def _columns(table: Mapping[str, Estimate], named: Sequence[str], words: _Words) -> dict[str, Any]:
    rows = [(named.index(name), e) for name, e in table.items()]
    return {
        "measure": [place for place, _ in rows],
        **{part: [for_json(getattr(e, part)) for _, e in rows] for part in ("value", "low", "high")},
        "method": [words.place("" if e.method == "none" else e.method) for _, e in rows],
        "remark": [words.place(e.remark) for _, e in rows],
    }


def _deciding_title(name: str) -> str:
    entry = DECISION_MEASURES.find(base_name(name))
    return ", ".join(entry.names) if entry is not None else ""
