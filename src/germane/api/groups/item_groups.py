"""Groups of the items of a classifier: clusters that make items dependent, and slices that are evaluated each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from germane.api.comparisons.slices import compare_slices, slice_name
from germane.api.decisions.one_classifier import Classifier, evaluated
from germane.api.decisions.settings import Settings
from germane.api.groups.clusters import least_resamples, with_clusters
from germane.api.groups.coded_items import CodedItems
from germane.errors import GermaneError, InputError
from germane.stats.intervals.clustered import FEW_CLUSTERS
from germane.tables.columns.ids import IntArray
from germane.tables.columns.one_column import frame_column, frame_columns, one_column
from germane.tables.decisions.groups import Groups, rows_of_column
from germane.tables.decisions.labels import encode_labels
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.performance import Estimate, Performance

MOST_SLICES = 100
"""Maximum number of slices; a column with more is hardly a group that people compare."""
FEW_ITEMS = 30
"""Number of items below which a slice gets a note, since its intervals are wide."""
SHOWN_SLICES = 5
"""Maximum number of slices that a note lists."""
WHY_NOT = {
    "--matrix": "a matrix has counts, not items",
    "--stream": "the items of one group may lie anywhere in the data, so it must be read at once",
    "--engine spark": "the items of one group may lie in any partition, so data must be read at once",
    "--stratified": "whole clusters are resampled, so sizes of classes cannot be kept",
    "--task": "slices are for --task classes, and clusters for classes, numbers and densities",
    "several tables of probabilities": "only one classifier is evaluated by group",
}
"""Why clusters and slices cannot be combined with an option."""


@dataclass(frozen=True)
class ItemGroups:
    """The cluster of each item, and its slice by column."""

    clusters: Groups | None = None
    slices: Mapping[str, Groups] = field(default_factory=dict)

    @classmethod
    def of(cls, cluster: Any, slices: Any, num_items: int, source: str) -> ItemGroups:
        """Return the groups of a column of clusters, and of one or several columns of slices."""
        clusters = None if cluster is None else _groups(cluster, "cluster", num_items, source)
        columns = slice_columns(slices)
        found = {name: _groups(column, "slices", num_items, source) for name, column in columns.items()}
        for name, groups in found.items():
            if len(groups) > MOST_SLICES:
                of = f" in column {name!r}" if name else ""
                problem = f"expected at most {MOST_SLICES} slices{of}, found {len(groups):,}"
                raise InputError(source, None, problem, hint="choose a column with few values, or group its values")
        return cls(clusters, found)

    def __bool__(self) -> bool:
        return self.clusters is not None or bool(self.slices)


def refuse_groups(what: str, cluster: Any, slices: Any) -> None:
    """Refuse clusters and slices together with an option, saying why."""
    for option, given in (("--cluster", cluster), ("--slices", slices)):
        if given is None or (isinstance(given, str | tuple | list) and not len(given)):
            continue
        if what == "--stratified" and option == "--slices":
            continue
        raise GermaneError(
            f"{option} cannot be combined with {what}: {WHY_NOT[what]}", hint=f"remove {option} or {what}"
        )


def grouped_performance(
    truth: Any, said: Classifier, weight: Any, settings: Settings, groups: ItemGroups
) -> Performance:
    """Evaluate a classifier with intervals for its clusters, and each slice of its items."""
    found, items = _evaluated(truth, said, weight, settings, groups.clusters)
    if not groups.slices:
        return found
    one_by_one = items()
    fixed = _as_overall(truth, said, settings, found, one_by_one)
    slices = {}
    for column, of in groups.slices.items():
        for place, value in enumerate(of.values):
            rows, name = np.flatnonzero(of.has(place)), slice_name(column, value)
            slices[name] = _of_rows(truth, said, weight, fixed, groups.clusters, rows, found)
    positive = found.positive if found.decisions is None else found.decisions.positive
    weighted = (
        found.confusion.weighted if found.confusion is not None else bool(found.decisions and found.decisions.weighted)
    )
    differences, without = compare_slices(
        one_by_one, groups.slices, groups.clusters, settings, positive=positive, weighted=weighted
    )
    notes = (*found.notes, *_notes_on_slices(slices, without))
    return replace(found, slices=slices, slice_differences=differences, notes=notes)


def _evaluated(
    truth: Any, said: Classifier, weight: Any, settings: Settings, clusters: Groups | None
) -> tuple[Performance, Callable[[], CodedItems]]:
    if clusters is None:
        return evaluated(truth, said, weight, settings)
    found, items = evaluated(truth, said, weight, least_resamples(settings))
    return with_clusters(found, items(), clusters, settings), items


def _as_overall(truth: Any, said: Classifier, settings: Settings, found: Performance, items: CodedItems) -> Settings:
    """Return settings that fix what was inferred from all items: classes, positive class, threshold, probabilities."""
    labels = settings.labels
    if labels is None:
        of_matrix = found.confusion is not None and said.predicted is not None and said.proba is None
        labels = found.confusion.labels if of_matrix and found.confusion else encode_labels(truth, "truth").values
    positive, probabilities = settings.positive, settings.are_probabilities
    if positive is None:
        positive = found.positive if found.decisions is None else found.decisions.positive
    if probabilities is None and items.score is not None:
        probabilities = bool(items.score.min() >= 0 and items.score.max() <= 1)
    threshold = found.threshold if said.predicted is None else None
    return replace(
        settings, labels=tuple(labels), positive=positive, threshold=threshold, are_probabilities=probabilities
    )


def _of_rows(
    truth: Any,
    said: Classifier,
    weight: Any,
    settings: Settings,
    clusters: Groups | None,
    rows: IntArray,
    overall: Performance,
) -> Performance:
    """Evaluate the items of one slice; what cannot be evaluated is undefined there, not an error for all."""
    part = Classifier(said.name, *(_rows(each, rows) for each in said[1:]))
    of = None if clusters is None else Groups.of(clusters.codes[rows], "cluster")
    try:
        found, _ = _evaluated(_rows(truth, rows), part, _rows(weight, rows), settings, of)
    except GermaneError as problem:
        undefined = Estimate(np.nan, remark=str(problem).splitlines()[0])
        return replace(
            overall, num_rows=len(rows), overall=dict.fromkeys(overall.overall, undefined), by_class={}, averages={},
            confusion=None, decisions=None, claims=None, notes=(), clusters=(),
        )  # fmt: skip
    known = {note.code for note in overall.notes}
    return replace(found, notes=tuple(note for note in found.notes if note.code not in known))


def _rows(column: Any, rows: IntArray) -> Any:
    """Return these rows of a column, or of a table of probabilities, which may be by label."""
    if column is None:
        return None
    if isinstance(column, Mapping):
        return {name: rows_of_column(each, rows) for name, each in column.items()}
    if frame_columns(column) is not None:
        names = frame_columns(column) or []
        return {name: rows_of_column(frame_column(column, name), rows) for name in names}
    return rows_of_column(column, rows)


def slice_columns(slices: Any) -> dict[str, Any]:
    """Return columns of slices by name; a single column has none."""
    if slices is None:
        return {}
    if isinstance(slices, Mapping):
        first = next(iter(slices.values()), None)
        if hasattr(first, "__len__") and not isinstance(first, str | bytes):
            return {str(name): column for name, column in slices.items()}
        return {"": slices} if slices else {}
    names = frame_columns(slices)
    if names is not None and len(names) > 1:
        return {str(name): frame_column(slices, name) for name in names}
    return {"": slices}


def require_names(cluster: Any, slices: Any) -> None:
    """Refuse arrays of clusters or slices where the data are a table, whose columns are named."""
    names = list(slices) if isinstance(slices, list | tuple | set) else [] if slices is None else [slices]
    for role, name in (("cluster", cluster), *(("slices", name) for name in names)):
        if name is not None and not isinstance(name, str | int):
            hint = "name a column of the table; arrays go beside y_pred or y_score"
            raise GermaneError(f"expected the name of a column as {role}, found {type(name).__name__}", hint=hint)


def require_array(column: Any, role: str) -> None:
    """Refuse the name of a column where the data are arrays."""
    if isinstance(column, str | int):
        hint = "to name a column, pass the data as a table or file without arrays"
        raise GermaneError(f"expected an array as {role}, found {column!r}", hint=hint)


def _groups(column: Any, role: str, num_items: int, source: str) -> Groups:
    groups = Groups.of(one_column(column, role, source), role, source)
    if len(groups.codes) != num_items:
        raise InputError(
            source, None, f"expected a value of {role} for each of {num_items} items, found {len(groups.codes)}"
        )
    return groups


def _notes_on_slices(slices: Mapping[str, Performance], without: list[str]) -> list[Note]:
    """Return notes on slices with few items, on those without a class, and on measures that are not compared."""
    notes = []
    few = [f"{name}: {found.num_rows}" for name, found in slices.items() if found.num_rows < FEW_ITEMS]
    if few:
        what = f"with fewer than {FEW_ITEMS} items, so intervals are wide; merge slices or collect more items"
        notes.append(_note("few-items-in-slice", few, what))
    scarce = [
        f"{name}: {note.count}" for name, found in slices.items() for note in found.notes if note.code == "few-clusters"
    ]
    if scarce:
        what = f"with fewer than {FEW_CLUSTERS} clusters, too few for reliable intervals; merge slices or collect more"
        notes.append(_note("few-clusters", scarce, what))
    lacking = [f"{name}: no {', '.join(gone)}" for name, found in slices.items() if (gone := _missing_classes(found))]
    if lacking:
        what = "without items of a class; measures that need it are undefined there"
        notes.append(_note("class-missing-in-slice", lacking, what))
    if without:
        what = "not compared between slices, since no test suits it"
        notes.append(Note("slices-not-compared", ", ".join(without), what, count=len(without)))
    return notes


def _note(code: str, examples: list[str], what: str) -> Note:
    return Note(
        code, counted(len(examples), "slice"), what, count=len(examples), examples=tuple(examples[:SHOWN_SLICES])
    )


def _missing_classes(found: Performance) -> list[str]:
    if found.confusion is not None:
        sums = found.confusion.counts.sum(axis=1).tolist()
        return [str(label) for label, n in zip(found.confusion.labels, sums, strict=True) if not n]
    if found.decisions is not None and found.decisions.one_class:
        return ["negatives" if found.decisions.num_positive else "positives"]
    return []
