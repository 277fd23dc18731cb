"""Explain a measure of several labels per item, from arrays or from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from germane.api.decisions.settings import Settings
from germane.api.label_sets.classifier import LabelClassifier, label_set_performance, require_some
from germane.api.label_sets.estimates import AREAS, RANKING, cells_by, ranking_values
from germane.api.label_sets.evaluation import read_classifiers
from germane.errors import InputError, MeasureError
from germane.formats.decisions.labelled_columns import Name, Names
from germane.formats.decisions.missing_values import Missing
from germane.measures.decisions.explain import DecisionExplanation, explain_cells, explain_scores
from germane.measures.decisions.labels.explain import explain_by_item, explain_by_label
from germane.measures.decisions.labels.ranking import RankedLabels, areas_of_items, precision_at_labels
from germane.measures.decisions.labels.sets import same_sets, wrong_labels
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.requests import Request, chosen_rate
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.label_sets import LabelTables


def explain_label_sets(
    measure: str,
    data: Any,
    *,
    y_pred: Any = None,
    y_score: Any = None,
    truth: Name | None = None,
    predicted: Names = None,
    score: Names = None,
    probabilities: Names = None,
    weight: Name | None = None,
    labels: Sequence[Label] | None = None,
    separator: str | None = None,
    threshold: float | Mapping[Label, float] | None = None,
    missing: Missing | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> DecisionExplanation:
    """Return the breakdown of a measure: label by label, item by item, or threshold by threshold for one label."""
    options = {"task": "label-sets", "labels": labels, "separator": separator, "threshold": threshold}
    settings = Settings.of({**options, "resamples": 100}, [measure])
    columns = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    columns |= {"probabilities": probabilities, "missing": missing, "decimal": decimal, "encoding": encoding}
    arrays = {"y_pred": y_pred, "y_score": y_score}
    read = read_classifiers(data, arrays, columns, settings, "data")
    tables, classifiers = read.tables, read.decided(settings)
    if len(classifiers) > 1:
        listed = ", ".join(each.name for each in classifiers)
        raise InputError("label sets", None, f"expected one classifier, found {listed}", hint="name its columns alone")
    (request,), said = settings.requests, classifiers[0]
    # Whatever these data cannot give is an error with the reason.
    require_some([label_set_performance(tables, said, settings)], classifiers)
    found = _worked(request, tables, said, settings)
    return replace(found, notes=(*read.notes, *said.notes, *found.notes))


def _worked(request: Request, tables: LabelTables, said: LabelClassifier, settings: Settings) -> DecisionExplanation:
    name, group = request
    values = _of_items(request, tables, said)
    if values is not None:
        return explain_by_item(str(request), tables.labels, tables.truth, said.predicted, values)
    texts = [str(label) for label in tables.labels]
    if group in texts:
        return _of_label(name, texts.index(group), tables, said)
    if group not in ("macro", "micro", "weighted"):
        hint = f"name an average or a label, such as '{name}[macro]' or '{name}[{texts[0]}]'"
        raise MeasureError(f"cannot tell which {name} to explain: that of a label, or an average", hint=hint)
    return _average(request, tables, said)


def _of_items(request: Request, tables: LabelTables, said: LabelClassifier) -> FloatArray | None:
    """Return the value of each item, for a mean over items."""
    name, group = request
    truth, rate = tables.truth, chosen_rate(name)
    if name == "subset_accuracy" and said.predicted is not None:
        return same_sets(truth, said.predicted).astype(np.float64)
    if name == "hamming_loss" and said.predicted is not None:
        return wrong_labels(truth, said.predicted)
    if name in RANKING and said.scores is not None:
        return ranking_values(RankedLabels.of(truth, said.scores))[name]
    if group != "samples":
        return None
    if rate is not None and said.predicted is not None:
        return rate(cells_by(truth, said.predicted, axis=1))
    if name in AREAS and said.scores is not None:
        ranked = RankedLabels.of(truth, said.scores)
        return areas_of_items(ranked) if name == "AUC" else precision_at_labels(ranked)
    return None


def _of_label(name: str, at: int, tables: LabelTables, said: LabelClassifier) -> DecisionExplanation:
    """Break down the measure of one label, as of two classes."""
    truth = tables.truth[:, at]
    if chosen_rate(name) is not None and said.predicted is not None:
        cells = cells_by(tables.truth, said.predicted, axis=0)
        found = explain_cells(name, Cells(*(column[at].item() for column in cells)))
    else:
        assert said.scores is not None, "a measure of scores has them"
        found = explain_scores(name, Decisions.of(truth, said.scores[:, at]))
    return replace(found, measure=f"{found.measure}[{tables.labels[at]}]")


def _average(request: Request, tables: LabelTables, said: LabelClassifier) -> DecisionExplanation:
    """Break down an average over labels; micro is the measure of all decisions together."""
    name, group = request
    truth, rate = tables.truth, chosen_rate(name)
    weights = truth.sum(axis=0).astype(np.float64) if group == "weighted" else np.ones(truth.shape[1])
    if rate is not None and said.predicted is not None:
        cells = cells_by(truth, said.predicted, axis=0)
        if group != "micro":
            return explain_by_label(str(request), tables.labels, name, rate(cells), weights, cells)
        found = explain_cells(name, Cells(*(column.sum().item() for column in cells)))
        lines = (f"{request}: {name} of the sums of the cells", *found.lines)
        shown = explain_by_label(str(request), tables.labels, name, rate(cells), weights, cells).columns
        return replace(
            found, measure=str(request), lines=lines, columns={n: c for n, c in shown.items() if n != "term"}
        )
    assert said.scores is not None, "a measure of scores has them"
    if group == "micro":
        return replace(explain_scores(name, Decisions.of(truth.ravel(), said.scores.ravel())), measure=str(request))
    decisions = [Decisions.of(truth[:, at], said.scores[:, at]) for at in range(truth.shape[1])]
    values = np.asarray([DECISION_MEASURES.parse(name)(each) for each in decisions])
    return explain_by_label(str(request), tables.labels, name, values, weights)
