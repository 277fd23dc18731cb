"""Estimates for several labels per item: of whole sets, of each label, and averages over labels or items.

Labels of an item depend on each other, so items are resampled, and never single labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from germane.api.decisions.settings import Settings
from germane.measures.decisions.labels.areas import LabelAreas
from germane.measures.decisions.labels.ranking import (
    RankedLabels,
    areas_of_items,
    coverage,
    precision_at_labels,
    wrong_pairs,
    wrong_tops,
)
from germane.measures.decisions.labels.sets import hamming_loss, same_sets, wrong_labels
from germane.measures.decisions.matrix import AVERAGES, averaged_cells
from germane.measures.decisions.rates import Rate
from germane.stats.intervals.cell_bootstrap import estimate_of_draws, resample
from germane.stats.intervals.delong import auc_estimate
from germane.stats.intervals.item_sums import ItemSums, cell_columns, cells_of
from germane.stats.intervals.proportions import PROPORTION_INTERVALS
from germane.stats.intervals.rates import rate_estimates
from germane.stats.intervals.resampling import bootstrap_counts, require_draws
from germane.stats.intervals.scores import mean_loss_estimate
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

ALL_AVERAGES = (*AVERAGES, "samples")
"""Averages over labels, and over items (samples)."""
AREAS = ("AUC", "AP")
RANKING = ("coverage_error", "ranking_loss", "LRAP", "one_error")
"""Measures of the ranking of labels."""
MOST_KINDS = 50_000
"""Maximum of distinct items that are resampled by default for averages of rates."""
MOST_SCORES = 200_000
"""Maximum of items × labels whose scores are resampled by default."""
MOST_DRAWS = 10_000_000
"""Usual maximum of resamples times items × labels with scores, or distinct items; the remark states a lower number."""
FEWEST_RESAMPLES, USUAL_RESAMPLES = 200, 2000
Averages = dict[str, dict[str, Estimate]]


def of_sets(truth: BoolArray, predicted: BoolArray, settings: Settings) -> dict[str, Estimate]:
    """Return the measures of whole sets: a proportion of items, and a mean loss with Student's interval."""
    same = same_sets(truth, predicted)
    low, high = (float(end) for end in PROPORTION_INTERVALS[settings.interval](same.sum(), len(same), settings.level))
    return {
        "subset_accuracy": Estimate(float(same.mean()), low, high, settings.interval),
        "hamming_loss": mean_over_items(wrong_labels(truth, predicted), settings.level, hamming_loss.bounds),
    }


def of_rankings(ranked: RankedLabels, level: float) -> dict[str, Estimate]:
    """Return the measures of the ranking of labels, each a mean over items."""
    values = ranking_values(ranked)
    most = {"coverage_error": float(ranked.true.shape[1])}
    return {name: mean_over_items(column, level, (0.0, most.get(name, 1.0))) for name, column in values.items()}


def ranking_values(ranked: RankedLabels) -> dict[str, FloatArray]:
    """Return the measures of the ranking of labels for each item."""
    precision = precision_at_labels(ranked, without=1.0)
    return {
        "coverage_error": coverage(ranked),
        "ranking_loss": wrong_pairs(ranked),
        "LRAP": precision,
        "one_error": wrong_tops(ranked),
    }


def mean_over_items(values: FloatArray, level: float, bounds: tuple[float, float]) -> Estimate:
    """Return the mean over the items that have a value, with Student's interval kept within the bounds."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Estimate(math.nan, remark="undefined for every item")
    found = mean_loss_estimate(defined, np.ones(len(defined), dtype=np.int64), level, bounds)
    if not (left_out := len(values) - len(defined)):
        return found
    remark = f"undefined for {left_out:,} of {len(values):,} items, which are omitted"
    return replace(found, remark="; ".join(filter(None, [found.remark, remark])))


def rates_by_label(
    truth: BoolArray, predicted: BoolArray, rates: Sequence[Rate], settings: Settings
) -> list[dict[str, Estimate]]:
    """Return the rates of each label, which is a binary decision about every item."""
    cells = cells_by(truth, predicted, axis=0)
    tables = rate_estimates(rates, cells, **settings.of_rates()) if rates else [{} for _ in range(truth.shape[1])]
    return [{name: _divided(e, settings) for name, e in table.items()} for table in tables]


def cells_by(truth: BoolArray, predicted: BoolArray, axis: int) -> Cells:
    """Return the cells of each label (axis 0), or of each item (axis 1)."""
    parts = (truth & predicted, predicted & ~truth, truth & ~predicted, ~(truth | predicted))
    return Cells(*(part.sum(axis) for part in parts))


def _divided(found: Estimate, settings: Settings) -> Estimate:
    """Replace 0 / 0 by `zero_division`, where it was given."""
    if math.isnan(settings.zero_division) or not math.isnan(found.value):
        return found
    return Estimate(settings.zero_division, remark="0 / 0, set by zero_division")


def averages_of_rates(truth: BoolArray, predicted: BoolArray, rates: Sequence[Rate], settings: Settings) -> Averages:
    """Return rates averaged over labels (macro, micro, weighted by true items) and over items (samples)."""
    # A ratio that is infinite for one label has no finite mean over the labels.
    chosen = [rate for rate in rates if rate.interval != "ratio"]
    if not chosen:
        return {average: {} for average in ALL_AVERAGES}
    items = ItemSums.of(cell_columns(truth, predicted))
    statistic = rate_averages(chosen, settings.zero_division)
    taken, remark = number_of_resamples(len(items.counts), MOST_KINDS, "distinct items", settings)
    if taken:
        drawn, _ = resample(statistic, items, settings.bootstrap, settings.level, taken, settings.seed)
        drawn = [_with_remark(each, remark) if each.has_interval else each for each in drawn]
    else:
        values = statistic(items.totals(items.counts[None].astype(np.float64)))[0]
        drawn = [Estimate(value, remark=remark) for value in values.tolist()]
    names = [str(rate) for rate in chosen]
    found: Averages = {
        average: dict(zip(names, drawn[at * len(names) : (at + 1) * len(names)], strict=True))
        for at, average in enumerate(AVERAGES)
    }
    of_items = cells_by(truth, predicted, axis=1)
    samples = {}
    for rate in chosen:
        values = rate(of_items)
        values = np.where(np.isnan(values), settings.zero_division, values)
        samples[str(rate)] = mean_over_items(values, settings.level, rate.bounds)
    return {**found, "samples": samples}


def rate_averages(rates: Sequence[Rate], zero_division: float = math.nan) -> Callable[[FloatArray], FloatArray]:
    """Return the function from sums of `cell_columns` to each average of each rate, average by average."""

    def statistic(sums: FloatArray) -> FloatArray:
        cells = cells_of(sums)
        support = cells.TP + cells.FN
        with np.errstate(divide="ignore", invalid="ignore"):
            columns = [
                averaged_cells(rate, cells, support, average, zero_division=zero_division)
                for average in AVERAGES
                for rate in rates
            ]
        return np.stack(columns, axis=-1)

    return statistic


def areas_of_labels(
    truth: BoolArray, scores: FloatArray, ranked: RankedLabels, settings: Settings
) -> tuple[list[dict[str, Estimate]], Averages]:
    """Return AUC and AP of each label and their averages: AUC of a label by DeLong, all others by resampling items."""
    areas = LabelAreas.of(truth, scores)
    labels, averages = _drawn_areas(areas, settings)
    by_label = []
    for at, found in enumerate(labels):
        decisions = Decisions.of(truth[:, at], scores[:, at])
        auc = auc_estimate(decisions, level=settings.level, scale=settings.auc_scale)
        by_label.append({"AUC": auc, "AP": found["AP"]})
    samples = {"AUC": areas_of_items(ranked), "AP": precision_at_labels(ranked)}
    of_items = {name: mean_over_items(column, settings.level, (0.0, 1.0)) for name, column in samples.items()}
    return by_label, {**averages, "samples": of_items}


def _drawn_areas(areas: LabelAreas, settings: Settings) -> tuple[list[dict[str, Estimate]], Averages]:
    """Return AUC and AP of each label and of averages over labels, all from the same resamples of items."""
    num, width = areas.truth.shape
    points = _all_areas(areas, np.ones((1, num)))[0]
    taken, remark = number_of_resamples(num * width, MOST_SCORES, "items × labels", settings)
    if taken:
        blocks = bootstrap_counts(num, taken, settings.seed, columns=num * width)
        drawn = np.concatenate([_all_areas(areas, block) for block in blocks])
        found = [
            estimate_of_draws(value, column, math.nan, "percentile", settings.level)
            for value, column in zip(points.tolist(), drawn.T, strict=True)
        ]
        found = [_with_remark(each, remark) if each.has_interval else each for each in found]
        found = [_why_undefined(each) for each in found]
    else:
        found = [_why_undefined(Estimate(value, remark=remark)) for value in points.tolist()]
    pairs = [dict(zip(AREAS, found[at : at + 2], strict=True)) for at in range(0, len(found), 2)]
    return pairs[:width], dict(zip(AVERAGES, pairs[width:], strict=True))


def _all_areas(areas: LabelAreas, drawn: FloatArray) -> FloatArray:
    """Return AUC and AP of every label, then of every average, for each resample (row)."""
    of_labels = areas.by_label(drawn)
    columns = [column for at in range(len(areas.labels)) for column in (of_labels.auc[:, at], of_labels.ap[:, at])]
    columns += [column for average in AVERAGES for column in areas.averages(drawn, of_labels, average)[:2]]
    return np.stack(columns, axis=1)


def _why_undefined(found: Estimate) -> Estimate:
    return Estimate(found.value, remark="no positives, or no negatives") if math.isnan(found.value) else found


def _with_remark(found: Estimate, remark: str) -> Estimate:
    return replace(found, remark="; ".join(filter(None, [found.remark, remark])))


def number_of_resamples(size: int, most: int, what: str, settings: Settings) -> tuple[int, str]:
    """Return the number of resamples of data of this size, 0 for none, and a remark where it is not the usual one.

    >>> number_of_resamples(1000, MOST_SCORES, "items × labels", Settings())
    (2000, '')
    >>> number_of_resamples(40_000, MOST_SCORES, "items × labels", Settings())
    (250, '250 resamples')
    """
    needed = math.ceil(2 / (1 - settings.level))
    if settings.resamples is not None:
        require_draws(settings.resamples, needed)
        return settings.resamples, ""
    if size > most:
        return 0, f"no interval by default above {most:,} {what}; use --resamples 200"
    taken = max(FEWEST_RESAMPLES, needed, min(USUAL_RESAMPLES, MOST_DRAWS // max(1, size)))
    return taken, "" if taken == USUAL_RESAMPLES else f"{taken} resamples"
