"""All about one classifier, from its labels, predictions and scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from germane.api.decisions.item_counts import (
    Counted,
    count_at_threshold,
    count_most_probable,
    count_predictions,
    is_class,
    probability_table,
    true_labels,
)
from germane.api.decisions.matrix import matrix_performance
from germane.api.decisions.notes import matrix_notes, merged_labels_note, score_notes
from germane.api.decisions.positive_class import positive_if_known, positive_label
from germane.api.decisions.scores import score_overall, table_overall
from germane.api.decisions.settings import Settings
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import Labels
from germane.tables.notes.note import Note
from germane.tables.results.performance import Performance


class Classifier(NamedTuple):
    """What one classifier said of the items: predictions, one score each, or a table of probabilities."""

    name: str
    predicted: Any = None
    score: Any = None
    proba: Any = None


def classifier_performance(truth: Any, said: Classifier, weight: Any, settings: Settings) -> Performance:
    """Everything that its decisions, scores and probabilities give; the rules are those of `classify`."""
    name, y_pred, y_score, y_proba = said
    threshold, labels, probabilities = settings.threshold, settings.labels, settings.are_probabilities
    _require_one_way(said, threshold)
    counted: Counted | None = None
    known: Labels | None = None
    if y_pred is not None:
        counted = count_predictions(truth, y_pred, labels, weight, name)
    if y_score is not None or y_proba is not None:
        known = true_labels(truth, labels, name)
    values = counted.confusion.labels if counted is not None else known.values if known is not None else ()
    positive, notes = _positive(values, settings.positive, required=y_score is not None)
    decisions, table, claims = None, None, None
    if y_proba is not None and known is not None:
        table = probability_table(y_proba, known, weight)
        claims = partial(_against_the_rest, known, table.probabilities, weight)
        if len(known.values) == 2 and positive is not None:
            # Two columns that add up to one are one score.
            y_score, table, probabilities = table.probabilities[:, known.values.index(positive)], None, True
        elif threshold is not None:
            raise GermaneError("a threshold is for the scores of one class", hint="y_score and positive give those")
        elif counted is None:
            counted = count_most_probable(table, known, weight)
    if y_score is not None and known is not None and positive is not None:
        decisions = Decisions.of(is_class(known, positive), y_score, weight, positive=positive)
        notes += merged_labels_note(known, positive) if y_pred is None else []
        if probabilities is None:
            probabilities = decisions.thresholds[-1] >= 0 and decisions.thresholds[0] <= 1
        if counted is None and threshold is None and probabilities:
            threshold = 0.5
            notes.append(Note("default-threshold", "", "scores lie in [0, 1]: at or above 0.5 counts as positive"))
        if counted is None and threshold is not None:
            counted = count_at_threshold(decisions, threshold, known, y_score, weight)
    if counted is None:
        notes.append(
            Note("no-threshold", "", "without a threshold there are no decisions, only curves; --threshold gives one")
        )
        found = Performance(name, "scores", len(truth), {}, positive=positive, level=settings.level, seed=settings.seed)
    else:
        found = matrix_performance(*counted, positive, settings, name)
        notes += matrix_notes(found)
    overall = dict(found.overall)
    if decisions is not None:
        overall |= score_overall(decisions, settings, probabilities=bool(probabilities))
        notes += score_notes(decisions, overall)
    if table is not None:
        overall |= table_overall(table, settings)
    found = replace(found, overall=overall, decisions=decisions, threshold=threshold, claims=claims)
    return replace(found, notes=tuple(notes))


def _against_the_rest(truth: Labels, probabilities: FloatArray, weight: Any, most: int) -> dict[Label, Decisions]:
    """Each of the largest classes against the rest, by its own column of probabilities, in the order of the labels."""
    sizes = np.bincount(truth.codes, minlength=len(truth.values))
    return {
        truth.values[i]: Decisions.of(truth.codes == i, probabilities[:, i], weight, positive=truth.values[i])
        for i in sorted(np.argsort(-sizes, kind="stable")[:most].tolist())
        if sizes[i]
    }


def performance_of_matrix(confusion: Confusion, settings: Settings, name: str) -> Performance:
    """Everything that a confusion matrix gives that is there already."""
    positive, notes = _positive(confusion.labels, settings.positive, required=False)
    found = matrix_performance(confusion, None, positive, settings, name)
    return replace(found, notes=(*notes, *matrix_notes(found)))


def _positive(labels: Sequence[Label], asked: Label | None, *, required: bool) -> tuple[Label | None, list[Note]]:
    """The positive label, where one is asked for, known or needed; several classes do without."""
    positive, note = (positive_label if required else positive_if_known)(labels, asked)
    if positive is None and required and len(labels) == 1:
        hint = "curves, AUC and the like need both; name a file that has them"
        raise GermaneError(f"expected positives and negatives, found {labels[0]!r} in all rows", hint=hint)
    if positive is None and required:
        problem = f"scores need a positive class, found {len(labels)} labels: {', '.join(map(str, labels[:5]))}"
        raise GermaneError(problem, hint="name it: `positive=…`")
    return positive, [note] if note else []


def _require_one_way(said: Classifier, threshold: float | None) -> None:
    """Refuse two answers to one question."""
    if said.score is not None and said.proba is not None:
        raise GermaneError("y_score and y_proba are two ways to say the same", hint="give one of them")
    if threshold is None:
        return
    if said.predicted is not None:
        hint = "for other decisions from the scores, give these alone: `score=…`"
        raise GermaneError("the predictions are decisions already, and a threshold would make others", hint=hint)
    if math.isnan(threshold):
        raise GermaneError("expected a number as threshold, found NaN")
