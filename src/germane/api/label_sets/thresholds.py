"""Decisions from a score for each label: one threshold for all labels, or one for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from germane.api.decisions.notes import default_threshold_note, no_threshold_note
from germane.api.decisions.positive_class import label_asked_for
from germane.api.decisions.settings import Settings
from germane.api.label_sets.classifier import LabelClassifier
from germane.errors import GermaneError, InputError
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Label
from germane.tables.notes.note import Note

USUAL = 0.5
"""Threshold of probabilities."""


def decide(
    name: str, scores: FloatArray, labels: Sequence[Label], settings: Settings, *, probabilities: bool | None = None
) -> LabelClassifier:
    """Return the decisions of scores: a label is predicted if its score is at or above its threshold.

    Without a threshold, probabilities are cut at 0.5 and other scores not at all; by default scores are probabilities
    if all lie in [0, 1].
    """
    if probabilities is None:
        probabilities = bool((scores >= 0).all() and (scores <= 1).all())
    if settings.thresholds is not None:
        limits, note = _by_label(labels, settings, probabilities=probabilities)
        return LabelClassifier(name, scores >= limits, scores, notes=(note,))
    limit = settings.threshold
    if limit is not None:
        return LabelClassifier(name, scores >= limit, scores, threshold=limit)
    if probabilities:
        return LabelClassifier(name, scores >= USUAL, scores, threshold=USUAL, notes=(default_threshold_note(),))
    return LabelClassifier(name, None, scores, notes=(no_threshold_note("measures of scores are"),))


def _by_label(labels: Sequence[Label], settings: Settings, *, probabilities: bool) -> tuple[FloatArray, Note]:
    given = {label_asked_for(labels, label): float(limit) for label, limit in (settings.thresholds or {}).items()}
    without = [label for label in labels if label not in given]
    if without and not probabilities:
        listed = ", ".join(repr(label) for label in without[:5]) + ", …" * (len(without) > 5)
        problem = f"expected a threshold for each label, found none for {listed}"
        raise GermaneError(problem, hint="scores are not probabilities, so no label has 0.5 by default: name them all")
    limits = [given.get(label, USUAL) for label in labels]
    listed = ", ".join(f"{label} {limit:g}" for label, limit in list(zip(labels, limits, strict=True))[:5])
    more = ", …" if len(labels) > 5 else ""
    unnamed = f" ({USUAL} for {len(without)} without one)" if without else ""
    what = f"a label is predicted at or above its own threshold: {listed}{more}{unnamed}"
    return np.asarray(limits), Note("label-thresholds", "", what, count=len(given))


def require_probabilities(scores: FloatArray, source: str) -> None:
    """Refuse probabilities outside [0, 1]; those of several labels need not add up to 1."""
    wrong = ~((scores >= 0) & (scores <= 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        found = f"found {scores[row, column]:g} in row {row + 1}, column {column + 1}"
        hint = "for scores of another scale use y_score, or `score='PREFIX_*'`"
        raise InputError(source, None, f"expected probabilities between 0 and 1, {found}", hint=hint)
