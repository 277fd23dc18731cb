"""Measures of probabilities for several classes, with intervals for items in clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from germane.api.decisions.settings import Settings
from germane.measures.decisions.names import base_name
from germane.measures.decisions.requests import chosen_measure
from germane.measures.decisions.scores.many_classes import in_top
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.measures.decisions.scores.ranked_columns import RankedColumn
from germane.stats.groups.clustered_auc import area_of_clusters, auc_of_clusters
from germane.stats.intervals.clustered import proportion_of_clusters, sums_by_cluster
from germane.stats.intervals.many_classes import AVERAGED, METHODS, influenced_ap, influences
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.performance import Estimate

Table = Mapping[str, Estimate]


def class_areas(table: ProbabilityTable, place: int, clusters: IntArray, settings: Settings, of: Table) -> Table:
    """Return AUC and AP of one class against the rest, where `of` has a value of them."""
    found: dict[str, Estimate] = {}
    for name in ("AUC", "AP"):
        if name not in of or not math.isfinite(of[name].value):
            continue
        if name == "AUC":
            how = {"level": settings.level, "scale": settings.auc_scale}
            own = table.codes == place
            found[name] = auc_of_clusters(own, table.probabilities[:, place], clusters, table.weights, **how)  # type: ignore[arg-type]
        else:
            ranked = RankedColumn.of(table, place)
            area = influenced_ap(ranked)
            counts = area.counts.astype(np.float64)
            found[name] = _area(area.value, area.influence, clusters[ranked.order], counts, name, settings)
    return found


def averaged_areas(table: ProbabilityTable, average: str, clusters: IntArray, settings: Settings, of: Table) -> Table:
    """Return areas averaged over classes, where `of` has a value of them."""
    wanted = [(m, a) for m, a in AVERAGED if a == average and m in of and math.isfinite(of[m].value)]
    found = influences(table, wanted)
    return {
        measure: _area(each.value, each.influence, clusters, each.counts.astype(np.float64), measure, settings)
        for (measure, _), each in found.items()
    }


def top_k(table: ProbabilityTable, name: str, clusters: IntArray, settings: Settings) -> Estimate:
    """Return a top-k accuracy, which is a proportion."""
    right = in_top(table, int(chosen_measure(name).settings["k"])).astype(np.float64)
    weights = np.ones(len(right)) if table.weights is None else table.weights
    num = int(clusters.max()) + 1
    successes, trials = (sums_by_cluster(each, clusters, num) for each in (right * weights, weights))
    items = float(np.count_nonzero(weights))
    return proportion_of_clusters(successes, trials, items=items, method=settings.interval, level=settings.level)


def is_top_k(name: str) -> bool:
    """Whether a measure is a top-k accuracy."""
    return base_name(name) == "top_k_accuracy"


def _area(
    value: float, influence: FloatArray, clusters: IntArray, weights: FloatArray, measure: str, settings: Settings
) -> Estimate:
    method = "obuchowski" if measure == "AUC" else METHODS[measure]
    how = {"level": settings.level, "scale": settings.auc_scale}
    return area_of_clusters(value, influence, clusters, weights, method=method, **how)  # type: ignore[arg-type]
