"""Numbers behind a report on classifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from germane.api.decisions.classification import name_of
from germane.api.decisions.scores import score_overall
from germane.api.decisions.settings import Settings
from germane.api.reports.scores import ScoreView
from germane.errors import GermaneError
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performance import Performance
from germane.tables.results.performances import Performances

MOST_CLASSES_SCORED = 12
"""Maximum number of classes with their own curves, for a table of probabilities: the largest ones."""
READABLE_CLASSES = 25
"""Maximum number of classes of a matrix that is shown whole."""


@dataclass(frozen=True, eq=False)
class Excerpt:
    """Matrix of the most confused classes, with all others as one class at the end; `blocks` are its clusters."""

    confusion: Confusion
    blocks: tuple[tuple[int, int], ...]
    left_out: int


@dataclass(frozen=True, eq=False)
class DecisionNumbers:
    """Numbers behind a report: the performance of each classifier, and each column of scores ready to plot."""

    name: str
    performances: tuple[Performance, ...]
    comparison: ClassifierComparison | None
    views: tuple[ScoreView, ...]
    predicted: bool
    """Whether the matrices come from predictions, and not from a threshold on the scores."""

    @cached_property
    def with_matrix(self) -> tuple[Performance, ...]:
        return tuple(found for found in self.performances if found.confusion is not None)

    def only_view(self, kind: str) -> ScoreView:
        """Return the only column of scores, for a figure that shows one."""
        if not self.views:
            raise GermaneError(f"a figure of kind {kind} needs scores, found none", hint="name them: `score=…`")
        if len(self.views) > 1:
            problem = f"a figure of kind {kind} shows one column of scores, found {len(self.views)}"
            raise GermaneError(problem, hint="name one: `score=…`")
        return self.views[0]

    def only_matrix(self) -> Performance:
        """Return the only matrix, for a figure that shows one."""
        if not self.with_matrix:
            hint = "name the predictions, `predicted=…`, or add `threshold=…`"
            raise GermaneError("a confusion matrix needs predicted labels or a threshold, found neither", hint=hint)
        if len(self.with_matrix) > 1:
            problem = f"a figure shows one confusion matrix, found {len(self.with_matrix)} classifiers"
            raise GermaneError(problem, hint="name one column: `predicted=…` or `score=…`")
        return self.with_matrix[0]


def decision_numbers(found: Performances, *, rules: Sequence[str] = ()) -> DecisionNumbers:
    """Compute the numbers behind a report on classifiers."""
    performances, inputs = list(found), found.inputs
    name = performances[0].name
    if inputs is not None:
        name = inputs.options.get("name") or name_of(inputs.given[0])
    if len(performances) == 1:
        (only,) = performances
        own = [only.columns[role] for role in ("predicted", "score") if role in only.columns]
        performances = [replace(only, name=own[0] if len(own) == 1 else only.name)]
    asked = {} if inputs is None else inputs.options
    performances = [replace(each, notes=(*each.notes, *_group_notes(each, asked))) for each in performances]
    views = [_view(each, rules) for each in performances if each.decisions is not None]
    first = performances[0]
    if first.claims is not None and len(performances) == 1:
        views = _views_by_class(first, first.claims(MOST_CLASSES_SCORED), asked.get("resamples"), rules)
    predicted = "predicted" in first.columns or "y_pred" in asked
    return DecisionNumbers(name, tuple(performances), found.comparison, tuple(views), predicted=predicted)


def _group_notes(found: Performance, asked: Mapping[str, Any]) -> list[Note]:
    """Return notes on groups of items that figures do not show."""
    notes = []
    if asked.get("cluster") is not None and found.decisions is not None:
        what = "bands of curves count items as independent; intervals in tables account for clusters"
        notes.append(Note("bands-without-clusters", "", what))
    if found.slices:
        what = "not shown here; print them with `germane classify --slices`"
        notes.append(Note("slices-not-shown", counted(len(found.slices), "slice"), what, count=len(found.slices)))
    return notes


def _view(found: Performance, rules: Sequence[str]) -> ScoreView:
    decisions = found.decisions
    assert decisions is not None
    positive = str(decisions.positive)
    others = [str(label) for label in found.confusion.labels if str(label) != positive] if found.confusion else []
    negative = others[0] if len(others) == 1 else f"not {positive}"
    shown = (found.threshold, found.overall, tuple(rules), found.seed)
    return ScoreView(found.name, decisions, positive, negative, "Brier" in found.overall, *shown)


def _views_by_class(
    found: Performance, claims: Mapping[Label, Decisions], resamples: int | None, rules: Sequence[str]
) -> list[ScoreView]:
    """Return each class against the rest, by its own column of probabilities; for two classes the positive one."""
    settings = Settings(level=found.level, resamples=resamples, seed=found.seed)
    threshold = (
        0.5 if found.decisions is not None else None
    )  # of several classes the most probable is chosen, at any score
    views = []
    for label, decisions in claims.items():
        if found.decisions is not None and label != found.decisions.positive:
            continue
        name, shown = str(label), (threshold, score_overall(decisions, settings, probabilities=True))
        views.append(ScoreView(name, decisions, name, f"not {name}", True, *shown, tuple(rules), settings.seed))
    return views


def excerpt(performance: Performance, most: int = READABLE_CLASSES) -> Excerpt:
    """Return the matrix in the order of its clusters; of many classes, those with the most confusions.

    >>> from germane.api.decisions.classification import classify
    >>> many = classify(Confusion.of_matrix([[9, 0, 2], [0, 9, 0], [3, 1, 9]], ["a", "b", "c"]))
    >>> part = excerpt(many.only, most=2)
    >>> part.confusion.labels, part.confusion.counts.tolist(), part.left_out
    (('a', 'c', 'other classes'), [[9, 2, 0], [3, 9, 1], [0, 0, 9]], 1)
    """
    confusion = performance.confusion
    assert confusion is not None
    ordered = [label for block in performance.clusters for label in block] or list(confusion.labels)
    block_of = {label: b for b, block in enumerate(performance.clusters) for label in block}
    matrix = confusion.reordered(ordered)
    left_out = max(len(ordered) - most, 0)
    kept = np.arange(len(ordered))
    if left_out:
        wrong = matrix.counts.sum(axis=0) + matrix.counts.sum(axis=1) - 2 * np.diagonal(matrix.counts)
        kept = np.sort(np.argsort(-wrong, kind="stable")[:most])
        matrix = _gathered(matrix, kept)
    blocks, start = [], 0
    labels = [ordered[i] for i in kept.tolist()]
    for place in range(1, len(labels) + 1):
        if place == len(labels) or block_of.get(labels[place]) != block_of.get(labels[start]):
            if place - start > 1 and block_of:
                blocks.append((start, place - 1))
            start = place
    return Excerpt(matrix, tuple(blocks), left_out)


def _gathered(matrix: Confusion, kept: Any) -> Confusion:
    """Return the matrix of the kept classes, with all others as one."""
    group = np.full(len(matrix), len(kept))
    group[kept] = np.arange(len(kept))
    size = len(kept) + 1
    counts = np.zeros((size, size), dtype=matrix.counts.dtype)
    np.add.at(counts, (group[:, None], group[None, :]), matrix.counts)
    labels = (*(matrix.labels[i] for i in kept.tolist()), "other classes")
    return Confusion(labels, counts, matrix.num_rows, matrix.weighted)
