"""Evaluate predictions other than classes: numbers, clusters, densities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from germane.api.comparisons.predictions import USUAL, compare_densities, compare_predictions
from germane.api.decisions.notes import only_asked
from germane.api.decisions.settings import Settings
from germane.api.groups.clusters import few_clusters_note
from germane.api.tasks.columns import TaskColumns
from germane.api.tasks.regression import numbers_given, numbers_in_rows, regression_performance
from germane.errors import GermaneError
from germane.measures.decisions.clustering import contingency
from germane.measures.decisions.densities import mean_log_likelihood, perplexity
from germane.measures.decisions.measure import DECISION_MEASURES, Input
from germane.measures.decisions.names import base_name
from germane.stats.intervals.clustered import mean_of_clusters
from germane.stats.intervals.scores import mean_loss_estimate
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import as_list, one_column
from germane.tables.decisions.groups import Groups
from germane.tables.notes.note import Note
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performance import Estimate, Performance

KINDS: dict[str, tuple[Input, ...]] = {
    "clusters": ("clusters", "vectors"),
    "densities": ("densities",),
}
"""Kinds of the measures of each task."""
MOST_ITEMS_OF_PAIRS = 50_000
"""Maximum number of items whose silhouette is computed without being asked for: all pairs take long."""
PAIRS_REPEAT = (
    "clusterings are not compared by a test: resampled items repeat pairs, which inflates ARI and other measures of "
    "pairs"
)


def performances_of_columns(given: TaskColumns, settings: Settings) -> list[Performance]:
    """Evaluate each prediction: numbers, clusters against classes, or log-likelihoods."""
    if given.weight is not None and settings.task != "regression":
        raise GermaneError(f"weights are not supported for task {settings.task}", hint="remove `weight=`")
    if len(given.predicted) < 2 and settings.baseline is not None:
        problem = "`baseline=` needs at least two predictions, found one"
        raise GermaneError(problem, hint="add another column: `predicted=…`")
    if settings.task == "regression":
        return [_noting_few_clusters(each, given) for each in _of_numbers(given, settings)]
    columns = given.predicted.items()
    if settings.task == "clusters":
        found = [_clusters(given, column, name, settings) for name, column in columns]
    else:
        found = [_densities(column, name, settings.level, given.clusters) for name, column in columns]
        found = [_noting_few_clusters(each, given) for each in found]
    found = [_with_settings(each, settings) for each in found]
    if settings.task == "clusters" and len(found) > 1:
        said = Note("not-compared", "", PAIRS_REPEAT)
        found = [replace(each, notes=(*each.notes, said)) for each in found]
    return found


def _noting_few_clusters(found: Performance, given: TaskColumns) -> Performance:
    said = [] if given.clusters is None else few_clusters_note(len(given.clusters))
    return replace(found, notes=(*found.notes, *said))


def comparison_of_columns(given: TaskColumns, settings: Settings) -> ClassifierComparison | None:
    """Compare several predictions on the same items; None where that is not possible."""
    if len(given.predicted) < 2 or given.weight is not None or settings.task == "clusters":
        return None
    names = ("test", "baseline", "correction", "level", "resamples", "seed")
    how = {name: getattr(settings, name) for name in names}
    how["clusters"] = None if given.clusters is None else given.clusters.codes
    if settings.task == "densities":
        return compare_densities(given.predicted, **how)
    return compare_predictions(given.truth, given.predicted, measures=settings.measures or USUAL, **how)


def _with_settings(found: Performance, settings: Settings) -> Performance:
    """Return the result with the measures asked for; one that the task does not have is an error."""
    missing = [name for name in (*(settings.measures or ()), *settings.also) if name not in found.overall]
    if missing:
        known = (entry.name for entry in DECISION_MEASURES if entry.of in KINDS[settings.task])
        hint = f"choose from {', '.join(known)}"
        if settings.task == "clusters" and any(_is_of_vectors(name) for name in missing):
            hint = "pass the vectors of the items: `vectors=…`"
        raise GermaneError(f"not a measure of task {settings.task}: {', '.join(missing)}", hint=hint)
    found = only_asked(found, settings)
    return found if settings.name is None else replace(found, name=settings.name)


def _is_of_vectors(name: str) -> bool:
    entry = DECISION_MEASURES.find(base_name(name))
    return entry is not None and entry.of == "vectors"


def _of_numbers(given: TaskColumns, settings: Settings) -> list[Performance]:
    """Evaluate each column of predicted numbers; quantiles belong to a single model."""
    several = len(given.predicted) > 1
    if several and given.quantiles:
        hint = "evaluate each model by itself, or compare one quantile: -m 'pinball(quantile=0.9)'"
        raise GermaneError(f"expected quantiles of one model, found {len(given.predicted)} predictions", hint=hint)
    said: tuple[Note, ...] = ()
    if several and given.weight is not None:
        if settings.baseline is not None:
            hint = "remove `baseline=` or `weight=`"
            raise GermaneError("predictions of weighted items cannot be compared", hint=hint)
        what = "predictions are not compared, because items have weights; remove --weight to compare them"
        said = (Note("not-compared", "", what),)
    columns = given.predicted or {given.name: None}
    found = []
    for name, column in columns.items():
        numbers = numbers_given(given.truth, column, given.quantiles)
        codes = clusters_of(given.clusters, len(numbers))
        performance = regression_performance(numbers, given.weight, settings, name, codes)
        found.append(replace(performance, notes=(*said, *performance.notes)))
    return found


def _clusters(given: TaskColumns, clusters: Any, name: str, settings: Settings) -> Performance:
    """Evaluate clusters against known classes (purity, NMI, ARI, …), by the vectors of their items, or both."""
    if given.truth is None and given.vectors is None:
        hint = "pass the classes, or the vectors of the items: `vectors=…`"
        raise GermaneError("expected classes or vectors beside the clusters, found neither", hint=hint)
    inputs: dict[str, tuple[Any, ...]] = {}
    if given.truth is not None:
        inputs["clusters"] = (contingency(given.truth, clusters),)
        if not inputs["clusters"][0].size:
            raise GermaneError("expected at least one item, found none")
    if given.vectors is not None:
        inputs["vectors"] = (given.vectors, clusters)
    num_rows = len(as_list(one_column(clusters, "clusters")))
    names, notes = _indices(inputs, num_rows, settings)
    parsed = {each: DECISION_MEASURES.parse(each) for each in names}
    overall = {each: Estimate(entry(*inputs[entry.of])) for each, entry in parsed.items()}
    return Performance(name, "clusters", num_rows, overall, notes=notes)


def _indices(inputs: Mapping[str, Any], num_rows: int, settings: Settings) -> tuple[list[str], tuple[Note, ...]]:
    """Return the names of the measures that these inputs have and that are wanted, with notes on those left out."""
    known = [entry.name for entry in DECISION_MEASURES if entry.of in inputs]
    if settings.measures is not None:
        return [name for name in settings.measures if base_name(name) in known], ()
    also = [name for name in settings.also if base_name(name) in known]
    if num_rows <= MOST_ITEMS_OF_PAIRS or "silhouette" not in known:
        return list(dict.fromkeys((*known, *also))), ()
    what = f"not computed above {MOST_ITEMS_OF_PAIRS:,} items, since it compares all pairs; use -m silhouette"
    kept = dict.fromkeys((*(name for name in known if name != "silhouette"), *also))
    return list(kept), (Note("not-computed", "silhouette", what, count=1),)


def clusters_of(clusters: Groups | None, num_items: int) -> IntArray | None:
    """Return the cluster of each item as a code, None without clusters."""
    if clusters is not None and len(clusters.codes) != num_items:
        raise GermaneError(f"expected a cluster for each of {num_items} items, found {len(clusters.codes)}")
    return None if clusters is None else clusters.codes


def _densities(log_likelihoods: Any, name: str, level: float, clusters: Groups | None) -> Performance:
    """Evaluate a density estimate on held-out data: mean log-likelihood and perplexity."""
    values = numbers_in_rows(log_likelihoods, "log-likelihood")
    codes, lost = clusters_of(clusters, len(values)), perplexity(values)
    mean = _mean_loss(values, level) if codes is None else mean_of_clusters(values, codes, level=level)
    likely = Estimate(mean_log_likelihood(values), mean.low, mean.high, mean.method, mean.remark)
    confused = Estimate(lost, method=mean.method, remark=mean.remark)
    if mean.has_interval:
        confused = Estimate(lost, math.exp(-mean.high), math.exp(-mean.low), mean.method)
    overall = {"log_likelihood": likely, "perplexity": confused}
    return Performance(name, "densities", len(values), overall, level=level)


def _mean_loss(values: FloatArray, level: float, bounds: tuple[float, float] = (-math.inf, math.inf)) -> Estimate:
    """Return the mean loss over items, unweighted."""
    return mean_loss_estimate(values, np.ones(len(values), dtype=np.int64), level, bounds)
