"""Evaluate several tables of probabilities for the same items, given as arrays, and compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from germane.api.comparisons.classifiers import compare_classifiers
from germane.api.decisions.items import COMPARED, not_compared
from germane.api.decisions.one_classifier import Classifier
from germane.api.decisions.settings import Settings
from germane.api.groups.item_groups import ItemGroups, grouped_performance, slice_columns
from germane.errors import GermaneError
from germane.tables.columns.one_column import frame_columns
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performance import Performance


def is_several_tables(y_proba: Any) -> bool:
    """Whether these are probabilities of several classifiers: a mapping of tables, not of columns or of rows.

    >>> is_several_tables({"old": np.eye(2)}), is_several_tables({"cat": [0.5, 1], "dog": [0.5, 0]})
    (True, False)
    """
    if not isinstance(y_proba, Mapping) or not y_proba:
        return False
    return all(_is_a_table(each) for each in y_proba.values())


def _is_a_table(given: Any) -> bool:
    if isinstance(given, Mapping):  # columns by label, not numbers by id
        return all(hasattr(column, "__len__") and not isinstance(column, str) for column in given.values())
    names = frame_columns(given)
    if names is not None:
        return len(names) > 1
    is_rows = isinstance(given, list | tuple) and bool(given) and hasattr(given[0], "__len__")
    return is_rows or (getattr(given, "ndim", 1) == 2 and given.shape[1] > 1)


def performances_of_tables(
    y_true: Any, arrays: Mapping[str, Any], settings: Settings, cluster: Any = None, slices: Any = None
) -> tuple[list[Performance], ClassifierComparison | None]:
    """Evaluate several tables of probabilities for the same items, and compare them."""
    for name in ("y_pred", "y_score"):
        if arrays[name] is not None:
            raise GermaneError(f"{name} cannot be combined with several tables of probabilities", hint="remove it")
    tables, weight = arrays["y_proba"], arrays["sample_weight"]
    if settings.baseline is not None and len(tables) < 2:
        raise GermaneError("`baseline=` needs at least two classifiers, found one", hint="add a table to y_proba")
    said = not_compared(settings) if len(tables) > 1 and weight is not None else []
    groups = ItemGroups.of(cluster, slice_columns(slices), len(y_true), "classifiers")
    found = [
        grouped_performance(y_true, Classifier(str(name), proba=table), weight, settings, groups)
        for name, table in tables.items()
    ]
    if len(tables) < 2 or said:
        return [replace(each, notes=(*said, *each.notes)) for each in found], None
    how = {name: getattr(settings, name) for name in (*COMPARED, "measures", "positive", "labels")}
    return found, compare_classifiers(y_true, probabilities=tables, cluster=cluster, **how)
