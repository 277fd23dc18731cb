"""Every way in which germane gives an estimate with an interval: a door makes some from a few rows of made-up data.

A row is (truth, first answer, second answer, weight). Each door reads what it needs from the registry of its measures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import germane as ge
from germane.catalogue import REQUIRED
from germane.measures.decisions.measure import CONSTRAINED, DECISION_MEASURES
from germane.measures.decisions.names import base_name
from germane.measures.decisions.rates import RATES, Rate
from germane.stats.intervals.cell_bootstrap import CELLS_METHODS
from germane.stats.intervals.means import INTERVALS, mean_interval
from germane.stats.intervals.proportions import PROPORTION_INTERVALS
from germane.stats.intervals.rates import rate_estimates
from germane.stats.intervals.scores import score_estimates
from germane.stats.significance.unpaired_tests import welch_interval
from germane.stats.thresholds.rules import THRESHOLD_RULES
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

Row = tuple[int, int, int, int]
Bounds = tuple[float, float]
ANYTHING: Bounds = (-math.inf, math.inf)
RESAMPLES = 200
"""Enough for the ends of a 95% interval."""


OBJECTIVES: dict[str, Bounds] = {"closest": (0, 2), "weighted": (0, 1)}
"""Objectives of thresholds that are not rates: the distance from the best corner of the curve, a mean of two rates."""


class Shown(NamedTuple):
    """A number, the interval that stands beside it, and the bounds of both."""

    name: str
    value: float
    low: float
    high: float
    bounds: Bounds = ANYTHING


Door = Callable[[Sequence[Row], float], Iterator[Shown]]
DOORS: dict[str, Door] = {}
SHOWS: dict[str, tuple[str, ...]] = {}
"""The classes whose intervals each door shows."""


def door(*classes: str) -> Callable[[Door], Door]:
    """Register a door under the name of its function."""

    def register(function: Door) -> Door:
        name = str(getattr(function, "__name__", ""))
        DOORS[name], SHOWS[name] = function, classes
        return function

    return register


def bounds_of(name: str) -> Bounds:
    """The declared bounds of a measure, by its name in results."""
    plain = name.partition("(")[0]
    if plain in OBJECTIVES:
        return OBJECTIVES[plain]
    try:
        return RATES.parse(name).bounds
    except ge.GermaneError:
        return (DECISION_MEASURES.parse(name) if base_name(name) == CONSTRAINED else DECISION_MEASURES[plain]).bounds


def shown(estimates: Mapping[str, Estimate], what: str) -> Iterator[Shown]:
    for name, each in estimates.items():
        bounds = bounds_of(name) if each.has_interval else ANYTHING
        yield Shown(f"{what} {name} ({each.method})", each.value, each.low, each.high, bounds)


def columns(rows: Sequence[Row]) -> list[np.ndarray]:
    return [np.asarray(column) for column in zip(*rows, strict=True)]


@door("Estimate", "RatioInterval")
def rates(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, *_ = columns(rows)
    positive, called = truth > 5, said > 5
    cells = Cells(*(np.asarray([(positive == a) & (called == b)]).sum() for a, b in ((1, 1), (0, 1), (1, 0), (0, 0))))
    chosen = [_filled(rate) for rate in RATES]
    for proportion in PROPORTION_INTERVALS.names:
        for method in CELLS_METHODS:
            [found] = rate_estimates(
                chosen, cells, level=level, proportion=proportion, cells_method=method, resamples=RESAMPLES
            )
            yield from shown(found, proportion)


def _filled(rate: Rate) -> Rate:
    filled: Rate = rate.choose(**{each.name: 0.3 for each in rate.takes if each.default is REQUIRED})
    return filled


@door("Estimate")
def classes(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, _, weight = columns(rows)
    for weights in (None, weight, weight / 4):
        how: dict[str, Any] = {"labels": [0, 1, 2], "sample_weight": weights, "level": level, "resamples": RESAMPLES}
        (found,) = ge.classify(truth % 3, said % 3, **how)
        yield from shown(found.overall, "overall")
        for name, table in [*found.by_class.items(), *found.averages.items()]:
            yield from shown(table, str(name))


AT_LIMITS = (
    *("TPR(at_fpr=0.2)", "FNR(at_fpr=0)", "FPR(at_tpr=0.5)", "PPV(at_tpr=0.3)", "NPV(at_fpr=0.4)", "TPR(at_ppv=0.6)"),
    *("FNR(at_fdr=0.3)", "TNR(at_npv=0.7)", "F1(at_fpr=0.5)", "TPR(at_predicted=0.5)", "gain(at=0.3)", "lift(at=0.7)"),
)
"""Measures of an operating point, of each kind of interval."""


@door("Estimate")
def operating_points(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, *_, weight = columns(rows)
    for weights in (None, weight, weight / 4):
        seen = Decisions.of(truth > 5, said / 10, weights)
        wanted = {name: DECISION_MEASURES.parse(name) for name in AT_LIMITS}
        yield from shown(score_estimates(wanted, seen, level=level, resamples=RESAMPLES), "at a limit")


@door("Estimate")
def scores(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, other, weight = columns(rows)
    positive = truth > 5
    if positive.any() and not positive.all():
        for scale in ("logit", "plain"):
            how: dict[str, Any] = {"auc_scale": scale, "level": level, "resamples": RESAMPLES}
            (found,) = ge.classify(positive, y_score=said / 10, positive=True, sample_weight=weight, **how)
            yield from shown(found.overall, scale)
    if len(np.unique(truth % 3)) == 3:
        likely = np.stack([said, other, weight], axis=1) + 0.5
        (found,) = ge.classify(
            truth % 3, y_proba=likely / likely.sum(axis=1, keepdims=True), level=level, resamples=RESAMPLES
        )
        for table in (found.overall, *found.by_class.values(), *found.averages.values()):
            yield from shown(table, "table")


@door("Estimate")
def other_predictions(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, _, weight = columns(rows)
    (numbers,) = ge.classify(truth, said, sample_weight=weight, level=level, resamples=RESAMPLES, task="regression")
    yield from shown(numbers.overall, "numbers")
    yield from shown(ge.classify(said - 5.0, level=level, task="densities").only.overall, "densities")
    sets = [[{label for label in range(4) if number >> label & 1} for number in column] for column in (truth, said)]
    rated = said[:, None] % np.arange(2, 6)
    how: dict[str, Any] = {"labels": range(4), "level": level, "resamples": RESAMPLES, "task": "label-sets"}
    (found,) = ge.classify(*sets, y_score=rated, **how)
    for table in (found.overall, *found.by_class.values(), *found.averages.values()):
        yield from shown(table, "sets")


@door("PairedDifference", "ClassifierPair")
def two_classifiers(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, other, _ = columns(rows)
    positive = truth > 5
    if positive.all() or not positive.any():
        return
    plain = [str(rate) for rate in RATES if not rate.needs_parameters]
    how: dict[str, Any] = {"positive": True, "level": level, "resamples": RESAMPLES}
    decided = ge.compare(positive, y_pred={"a": said > 5, "b": other > 5}, measures=plain, **how)
    scored = ge.compare(
        positive, y_score={"a": said / 10, "b": other / 10}, measures=["AUC", "AP", "EER", "minDCF"], **how
    )
    for pair in (*decided.pairs, *scored.pairs):
        low, high = bounds_of(pair.measure)
        yield Shown(f"difference of {pair.measure}", pair.difference, pair.low, pair.high, (low - high, high - low))


@door("Estimate", "SlicePair")
def groups_of_items(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, other, weight = columns(rows)
    positive = truth > 5
    if positive.all() or not positive.any():
        return
    groups: dict[str, Any] = {"cluster": other % 4, "slices": weight % 2}
    how: dict[str, Any] = {"positive": True, "level": level, "resamples": RESAMPLES, **groups}
    for given in ({"y_pred": said > 5}, {"y_score": said / 10}):
        found = ge.classify(positive, **given, **how).only
        for each in (found, *found.slices.values()):
            yield from shown(each.overall, "clusters")
        for pair in () if found.slice_differences is None else found.slice_differences.pairs:
            low, high = bounds_of(pair.measure)
            difference = f"{pair.measure} of {pair.slice}"
            yield Shown(difference, pair.difference, pair.low, pair.high, (low - high, high - low))


@door("Estimate")
def thresholds(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    truth, said, *_ = columns(rows)
    positive = truth > 5
    if positive.all() or not positive.any():
        return
    for rule in (entry.example for entry in THRESHOLD_RULES.values()):
        try:
            report = ge.threshold((positive, said / 10), rule, level=level, resamples=RESAMPLES)
        except ge.GermaneError:  # no threshold meets the rule
            continue
        for point, table in report.dev.rates.items():
            yield from shown(table, f"{rule}, {point}:")


@door("AgreementInterval", "AgreementValue", "BootstrapEnds")
def agreement(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    """Each row is a document that two of four assessors judged, or three: the weight says who did not."""
    said: dict[str, dict[str, dict[str, float]]] = {}
    for doc, (*grades, left_out) in enumerate(rows):
        for who, grade in enumerate(grades):
            if who != left_out - 1:
                said.setdefault(f"a{(who + doc) % 4}", {}).setdefault(f"q{doc % 9}", {})[f"d{doc}"] = grade % 3
    report = ge.agree(said, level=level, resamples=RESAMPLES)
    for entry in report.overall:
        yield Shown(entry.name, entry.value, entry.low, entry.high, (-math.inf, 1))


@door("Interval", "Pairs", "Pair", "MeanIntervals")
def means(rows: Sequence[Row], level: float) -> Iterator[Shown]:
    """Means over queries: their methods do not know the bounds of a measure."""
    values, others = np.asarray(rows, dtype=np.float64)[:, 1] ** 3, np.asarray(rows, dtype=np.float64)[:, 2]
    for method in INTERVALS.names:
        found = mean_interval(values, method, level, resamples=RESAMPLES)
        yield Shown(f"mean ({method})", float(values.mean()), float(found.low), float(found.high))
    welch = welch_interval(values, others, level)
    yield Shown("welch", float(values.mean() - others.mean()), welch.low.item(), welch.high.item())
    systems = {name: {f"q{i}": float(row[place]) for i, row in enumerate(rows)} for place, name in enumerate("abc")}
    for method in INTERVALS.names:
        for pair in ge.compare(systems, level=level, interval=method).pairs:
            yield Shown(f"difference ({method})", pair.difference, pair.low, pair.high)
    for pair in ge.compare(systems, alpha=1 - level, test="tukey").pairs:
        yield Shown("difference, Tukey", pair.difference, pair.low, pair.high)
