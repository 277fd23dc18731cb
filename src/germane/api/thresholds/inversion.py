"""Invert a classifier of two classes: predictions exchanged, scores turned round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from germane.api.decisions.one_classifier import Classifier
from germane.errors import GermaneError
from germane.formats.decisions.labelled_rows import LabelledRows
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import frame_column, frame_columns, number_column, number_matrix
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import encode_labels
from germane.tables.notes.note import Note


def inverted_matrix(confusion: Confusion) -> Confusion:
    """Return the matrix of the opposite predictions: TP and FN are exchanged, and so are FP and TN.

    >>> inverted_matrix(Confusion.of_matrix([[20, 80], [60, 40]])).counts.tolist()
    [[80, 20], [40, 60]]
    """
    require_two(confusion.labels)
    return replace(confusion, counts=np.ascontiguousarray(confusion.counts[:, ::-1]))


def inverted_items(items: LabelledRows, labels: Sequence[Label] | None, probabilities: bool | None) -> LabelledRows:
    """Return the items with every classifier inverted."""
    known = _known([items.truth, *items.predicted.values()], labels)
    predicted = {name: _exchanged(column, known) for name, column in items.predicted.items()}
    scores = {name: turned_round(column, probabilities) for name, column in items.scores.items()}
    exchanged = {
        prefix: dict(zip(columns, reversed(list(columns.values())), strict=True))
        for prefix, columns in items.probabilities.items()
    }
    return replace(items, predicted=predicted, scores=scores, probabilities=exchanged)


def inverted_decisions(decisions: Decisions, *, probabilities: bool) -> Decisions:
    """Return decisions with their scores turned round.

    >>> seen = inverted_decisions(Decisions.of([True, False], [0.75, 0.25]), probabilities=True)
    >>> seen.thresholds.tolist(), seen.true_positives.tolist()
    ([0.75, 0.25], [0, 1])
    """
    scores = np.tile(turned_round(decisions.thresholds, probabilities), 2)
    is_positive = np.repeat([True, False], len(decisions))
    counts = np.concatenate([decisions.positives_at, decisions.negatives_at])
    found = Decisions.of(is_positive, scores, counts, positive=decisions.positive)
    return replace(found, num_rows=decisions.num_rows, weighted=decisions.weighted)


def inverted_classifier(
    truth: Any, said: Classifier, labels: Sequence[Label] | None, probabilities: bool | None
) -> Classifier:
    """Return the opposite of a classifier given as arrays."""
    known = _known([truth, *([] if said.predicted is None else [said.predicted])], labels)
    predicted = None if said.predicted is None else _exchanged(said.predicted, known)
    score = None if said.score is None else turned_round(number_column(said.score, "score", said.name), probabilities)
    return Classifier(said.name, predicted, score, None if said.proba is None else _exchanged_columns(said.proba))


def turned_round(scores: FloatArray, probabilities: bool | None) -> FloatArray:
    """Return 1 − score for probabilities, by default those within [0, 1], and −score for others.

    >>> turned_round(np.asarray([0.25, 1.0]), None).tolist(), turned_round(np.asarray([0.5, 2.0]), None).tolist()
    ([0.75, 0.0], [-0.5, -2.0])
    """
    column = np.asarray(scores, dtype=np.float64)
    inside = probabilities if probabilities is not None else are_probabilities(column)
    return 1 - column if inside else -column


def are_probabilities(scores: FloatArray) -> bool:
    """Whether all scores lie in [0, 1]."""
    return bool(len(scores)) and bool(scores.min() >= 0 and scores.max() <= 1)


def inverted_note() -> Note:
    """Return the note on an inverted classifier."""
    what = "predictions are exchanged and scores turned round (1 − p, or −score); remove --invert for the original"
    return Note("inverted", "", what)


def require_two(labels: Iterable[Label]) -> None:
    """Refuse to invert a classifier of other than two classes, whose opposite is unknown."""
    known = [str(label) for label in labels]
    if len(known) != 2:
        listed = ", ".join(known[:5]) + ", …" * (len(known) > 5)
        problem = f"`invert=True` needs two classes, found {len(known)}: {listed}"
        many = "replace all labels but one by a single other label, so that two remain"
        hint = many if len(known) > 2 else "use data with both classes"
        raise GermaneError(problem, hint=hint)


def _known(columns: Sequence[Any], labels: Sequence[Label] | None) -> tuple[Label, Label]:
    """Return the two labels of the data, declared or found."""
    found = labels or dict.fromkeys(label for column in columns for label in encode_labels(column, "label").values)
    require_two(found)
    first, second = found
    return first, second


def _exchanged(column: Any, known: tuple[Label, Label]) -> list[Label]:
    """Return the other label for each item."""
    labels = encode_labels(column, "label")
    other = {known[0]: known[1], known[1]: known[0]}
    values = [other.get(label, label) for label in labels.values]
    return [values[code] for code in labels.codes.tolist()]


def _exchanged_columns(given: Any) -> Any:
    """Return two columns of probabilities in exchanged order, by label where they have names."""
    names = list(given) if isinstance(given, Mapping) else frame_columns(given)
    if names is not None:
        columns = [given[name] if isinstance(given, Mapping) else frame_column(given, name) for name in names]
        return dict(zip(names, reversed(columns), strict=True))
    return number_matrix(given, "probability", "y_proba")[:, ::-1]
