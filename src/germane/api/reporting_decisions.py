"""Everything that a report on classifiers shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from germane.api.classifying_files import classify_data
from germane.api.classifying_matrix import Settings
from germane.api.classifying_scores import score_overall
from germane.api.reporting_scores import ScoreView
from germane.arguments import option_names
from germane.errors import GermaneError
from germane.formats.labelled_rows import LabelledRows, labelled_from, read_labelled
from germane.stats.threshold_rules import parse_rule
from germane.tables.classifier_comparison import ClassifierComparison
from germane.tables.confusion import Confusion, Label
from germane.tables.decisions import Decisions
from germane.tables.labels import encode_labels
from germane.tables.performance import Performance

MOST_CLASSES_SCORED = 12
"""Of a table of probabilities, so many classes get curves of their own: the largest ones."""
READABLE_CLASSES = 25
"""A matrix of more classes than this is shown in parts."""


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A matrix of the classes that are confused most, all others as one class at the end; `blocks` are its clusters."""

    confusion: Confusion
    blocks: tuple[tuple[int, int], ...]
    left_out: int


@dataclass(frozen=True, eq=False)
class DecisionNumbers:
    """The numbers behind a report: what was found of each classifier, and each column of scores ready to be drawn."""

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
        """The one column of scores that a figure shows."""
        if not self.views:
            raise GermaneError(f"a figure of kind {kind} needs scores, found none", hint="name them: `score=…`")
        if len(self.views) > 1:
            raise GermaneError(
                f"a figure of kind {kind} shows one column of scores, found {len(self.views)}",
                hint="name one: `score=…`",
            )
        return self.views[0]

    def only_matrix(self) -> Performance:
        """The one matrix that a figure shows."""
        if not self.with_matrix:
            raise GermaneError(
                "a confusion matrix needs decisions", hint="name the predictions, `predicted=…`, or add `threshold=…`"
            )
        if len(self.with_matrix) > 1:
            raise GermaneError(
                f"a figure shows one confusion matrix, found {len(self.with_matrix)} classifiers",
                hint="name one column: `predicted=…` or `score=…`",
            )
        return self.with_matrix[0]


def decision_options() -> list[str]:
    """Return the names of all options of a report on decisions, those of `classify_data` included."""
    return [*option_names(decision_numbers, classify_data), *(each.name for each in fields(Settings))]


def decision_numbers(
    data: Any,
    *,
    truth: str | int | None = None,
    predicted: Sequence[str] = (),
    score: Sequence[str] = (),
    probabilities: str | None = None,
    weight: str | int | None = None,
    positive: Label | None = None,
    matrix: bool = False,
    rules: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
    **how: Any,
) -> DecisionNumbers:
    """Read items and find all that a report says about them; `how` are the options of `classify_data`.

    >>> numbers = decision_numbers({"truth": [0, 1, 1, 0], "score": [0.1, 0.8, 0.4, 0.3]})
    >>> numbers.views[0].stops.thresholds.tolist(), numbers.views[0].stops.true_positives.tolist()
    ([0.1, 0.3, 0.4, 0.5, 0.8, inf], [2, 2, 2, 1, 1, 0])
    """
    for rule in rules:
        parse_rule(rule)  # whoever wrote it wrong should hear so before the work
    name = Path(data).name if isinstance(data, str | Path) else "data"
    if matrix:
        (found,), _ = classify_data(data, matrix=True, positive=positive, **how)
        return DecisionNumbers(name, (found,), None, (), predicted=True)
    asked: dict[str, Any] = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    asked["probabilities"] = () if probabilities is None else (probabilities,)
    items = read_labelled(data, **asked) if isinstance(data, str | Path) else labelled_from(data, **asked)
    performances, comparison = classify_data(items, positive=positive, progress=progress, **how)
    if len(performances) == 1:
        columns = [*items.predicted, *items.scores]
        performances = [replace(performances[0], name=columns[0] if len(columns) == 1 else name)]
    views = [_view(found, rules) for found in performances if found.decisions is not None]
    if items.probabilities is not None:
        views = _views_by_class(items, performances[0], rules, how)
    return DecisionNumbers(name, tuple(performances), comparison, tuple(views), predicted=bool(items.predicted))


def _view(found: Performance, rules: Sequence[str]) -> ScoreView:
    decisions = found.decisions
    assert decisions is not None
    positive = str(decisions.positive)
    others = [str(label) for label in found.confusion.labels if str(label) != positive] if found.confusion else []
    return ScoreView(
        found.name,
        decisions,
        positive,
        others[0] if len(others) == 1 else f"not {positive}",
        "Brier" in found.overall,
        found.threshold,
        found.overall,
        tuple(rules),
        found.seed,
    )


def _views_by_class(
    items: LabelledRows, found: Performance, rules: Sequence[str], how: Mapping[str, Any]
) -> list[ScoreView]:
    """Each class against the rest, by its own column of probabilities; the largest classes first."""
    assert items.probabilities is not None
    truth = encode_labels(items.truth, "truth", items.source)
    sizes = np.bincount(truth.codes, minlength=len(truth.values))
    largest = [truth.values[i] for i in np.argsort(-sizes, kind="stable")[:MOST_CLASSES_SCORED].tolist()]
    kept = [label for label in items.probabilities if label in largest]
    if len(items.probabilities) == 2 and found.positive is not None:
        kept = [found.positive]
    threshold = (
        0.5 if len(items.probabilities) == 2 else None
    )  # of several classes the likeliest is taken, at any score
    settings = Settings.of(**{key: how[key] for key in ("level", "resamples", "seed") if key in how})
    views = []
    for label in kept:
        is_positive = np.asarray(truth.codes) == list(truth.values).index(label)
        decisions = Decisions.of(is_positive, items.probabilities[label], items.weight, positive=label)
        estimates = score_overall(decisions, settings, probabilities=True)
        name = str(label)
        views.append(
            ScoreView(name, decisions, name, f"not {name}", True, threshold, estimates, tuple(rules), settings.seed)
        )
    return views


def excerpt(performance: Performance, most: int = READABLE_CLASSES) -> Excerpt:
    """The matrix in the order of its clusters; of many classes, those with the most confusions.

    >>> from germane.api.classifying import classify_matrix
    >>> many = classify_matrix(Confusion.of_matrix([[9, 0, 2], [0, 9, 0], [3, 1, 9]], ["a", "b", "c"]))
    >>> part = excerpt(many, most=2)
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
    """The kept classes, and all others as one."""
    group = np.full(len(matrix), len(kept))
    group[kept] = np.arange(len(kept))
    size = len(kept) + 1
    counts = np.zeros((size, size), dtype=matrix.counts.dtype)
    np.add.at(counts, (group[:, None], group[None, :]), matrix.counts)
    labels = (*(matrix.labels[i] for i in kept.tolist()), "other classes")
    return Confusion(labels, counts, matrix.num_rows, matrix.weighted)
