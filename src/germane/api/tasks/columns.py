"""Columns of tasks whose items have no classes of scores: numbers, clusters, densities; each prediction has a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from germane.api.decisions.settings import Settings
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import LabelledRows
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.one_column import frame_column, frame_columns
from germane.tables.decisions.groups import Groups

NAMES = {"regression": "regression", "clusters": "clustering", "densities": "density"}
"""Name of the only prediction of each task, where it has none of its own."""
NOT_USED = "mcnemar interval bootstrap auc_scale zero_division"
"""Options that these tasks do not take."""
MAX_LISTED_COMPONENTS = 4
"""Maximum number of columns of vectors that are listed."""
OF_TASK = {"test": ("regression", "densities"), "quantiles": ("regression",), "vectors": ("clusters",)}
"""Options of these tasks alone."""


class TaskColumns(NamedTuple):
    """Columns of items: true values or classes, predictions by name, weights, quantiles by share, and vectors.

    Densities have no truth; their log-likelihoods are the predictions. `name` is that of the only result,
    `clusters` are groups of dependent items.
    """

    truth: Any
    predicted: Mapping[str, Any]
    weight: Any = None
    quantiles: Mapping[float, Any] | None = None
    vectors: Any = None
    name: str = ""
    clusters: Groups | None = None


def require_task_options(settings: Settings) -> None:
    """Refuse options that a task does not take, and shares of quantiles that are not between 0 and 1."""
    usual, task = Settings(), settings.task
    for name, tasks in OF_TASK.items():
        if getattr(settings, name) is not None and task not in tasks:
            needed = " or ".join(f"`task={each!r}`" for each in tasks)
            raise GermaneError(f"`{name}=` requires {needed}, found {task}", hint=f"remove `{name}=`")
    if task in NAMES:
        for name in (*NOT_USED.split(), *(("baseline",) if task == "clusters" else ())):
            value = getattr(settings, name)
            if value != getattr(usual, name) and value == value:  # noqa: PLR0124 -- NaN is the usual zero_division
                raise GermaneError(f"`{name}=` is not supported for task {task}", hint=f"remove `{name}=`")
    for share in settings.quantiles or {}:
        if not _is_share(share):
            hint = "for example `quantiles={0.1: …, 0.9: …}`"
            raise GermaneError(f"expected quantiles between 0 and 1, found {share!r}", hint=hint)


def _is_share(given: object) -> bool:
    return isinstance(given, float) and 0 < given < 1


def has_arrays(settings: Settings) -> bool:
    """Whether quantiles or vectors are arrays, and not names of columns."""
    values = [*(settings.quantiles or {}).values(), *([] if settings.vectors is None else [settings.vectors])]
    return any(not _is_name(value) for value in values)


def _is_name(value: Any) -> bool:
    several = isinstance(value, list | tuple) and bool(value) and all(isinstance(each, str) for each in value)
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)) or several


def columns_of_arrays(y_true: Any, y_pred: Any, weight: Any, settings: Settings, cluster: Any = None) -> TaskColumns:
    """Return the columns, aligned item by item; a frame or a mapping of columns has several predictions."""
    usual = settings.name or NAMES[settings.task]
    predicted = {usual: y_pred} if settings.task != "densities" else {usual: y_true}
    if settings.task == "densities":
        y_true = None
    elif y_pred is None:
        predicted = {}
    elif (several := _by_name(y_pred)) is not None:
        predicted = several
    quantiles = dict(settings.quantiles or {})
    if any(map(_is_name, quantiles.values())):
        problem = "expected arrays as quantiles beside y_true, found names"
        raise GermaneError(problem, hint="pass the columns themselves")
    titles = {name: "y_pred" if len(predicted) == 1 else f"y_pred[{name!r}]" for name in predicted}
    if settings.task == "densities":
        titles = dict.fromkeys(predicted, "log_likelihoods")
    given = {"y_true": y_true, "sample_weight": weight, "cluster": cluster}
    # An iterator can be read only once.
    given |= {titles[name]: [*each] if isinstance(each, Iterator) else each for name, each in predicted.items()}
    given |= {f"quantiles[{share:g}]": column for share, column in quantiles.items()}
    found = aligned_columns(given, settings.task)
    return TaskColumns(
        found["y_true"],
        {name: found[titles[name]] for name in predicted},
        found["sample_weight"],
        {share: found[f"quantiles[{share:g}]"] for share in quantiles},
        settings.vectors,
        usual,
        None if cluster is None else Groups.of(found["cluster"], "cluster"),
    )


def _by_name(given: Any) -> dict[str, Any] | None:
    """Return several predictions by name; None for a single column."""
    names = frame_columns(given)
    if names is not None:
        return {str(name): frame_column(given, name) for name in names} if len(names) > 1 else None
    if not isinstance(given, Mapping):
        return None
    first = next(iter(given.values()), None)
    return None if first is None or np.ndim(first) == 0 else {str(name): column for name, column in given.items()}


def columns_to_read(columns: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the columns of a table to read: quantiles are read as scores, which are numbers."""
    found = dict(columns)
    if settings.task == "regression":
        quantiles = _names_of_quantiles(settings)
        if quantiles:
            found["score"] = [*_several(columns.get("score")), *quantiles]
        return {**found, "contents": "numbers"}
    if settings.task == "densities":
        for role in ("truth", "predicted"):
            if columns.get(role) not in (None, ()):
                problem = f"`{role}=` cannot be combined with `task='densities'`: densities have no truth"
                raise GermaneError(problem, hint=f"remove `{role}=`, and name the log-likelihoods: `score=…`")
        return {**found, "contents": "values"}
    return found if settings.vectors is None else {**found, "vectors": settings.vectors}


def _names_of_quantiles(settings: Settings) -> list[str]:
    names = [*(settings.quantiles or {}).values()]
    if twice := [name for name in names if names.count(name) > 1]:
        problem = f"expected a column for each quantile, found {twice[0]!r} twice"
        raise GermaneError(problem, hint="name one column for each quantile")
    return names


def columns_of_items(items: LabelledRows, settings: Settings, name: str) -> TaskColumns:
    """Return the columns of a table by role; the only prediction has the name of the table."""
    shares, scores = list(settings.quantiles or ()), dict(items.scores)
    names = list(scores)[len(scores) - len(shares) :]
    quantiles = {share: scores.pop(column) for share, column in zip(shares, names, strict=True)}
    predicted = {**items.predicted, **scores}
    if settings.task == "densities" or (settings.task == "clusters" and not predicted):
        predicted = scores
    if not predicted and not quantiles:
        wanted, role = ("log-likelihoods", "score") if settings.task == "densities" else ("predictions", "predicted")
        raise InputError(items.source, None, f"expected a column of {wanted}, found none", hint=f"name it: `{role}=…`")
    if len(predicted) == 1:
        predicted = {name: next(iter(predicted.values()))}
    vectors = None if items.vectors is None else np.stack(list(items.vectors.values()), axis=1)
    clusters = None if items.cluster is None else Groups.of(items.cluster, "cluster", items.source)
    return TaskColumns(items.truth, predicted, items.weight, quantiles, vectors, name, clusters)


def with_shown_roles(items: LabelledRows, settings: Settings) -> LabelledRows:
    """Return the items with roles for people: each quantile has its own, and of many vector columns the ends remain."""
    shares, columns = list(settings.quantiles or ()), dict(items.columns)
    if len(components := columns.get("vectors", ())) > MAX_LISTED_COMPONENTS:
        columns["vectors"] = (f"{components[0]} … {components[-1]} ({len(components)} columns)",)
    if not shares:
        return replace(items, columns=columns)
    names = columns.pop("score")
    roles = dict(columns)
    if kept := names[: len(names) - len(shares)]:
        roles["score"] = kept
    own = zip(shares, names[-len(shares) :], strict=True)
    return replace(items, columns={**roles, **{f"quantile {share:g}": (name,) for share, name in own}})


def _several(names: Any) -> list[Any]:
    if names is None:
        return []
    return [names] if isinstance(names, str | int) else list(names) if isinstance(names, Iterable) else [names]
