"""Explain a measure of decisions from a file or frame of items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from germane.api.positive import positive_label
from germane.errors import GermaneError, InputError
from germane.formats.labelled_rows import labelled_from, read_labelled
from germane.measures.deciding.explain import DecisionExplanation, explain_cells, explain_scores
from germane.tables.confusion import Label
from germane.tables.counting import count_confusion
from germane.tables.decisions import Decisions
from germane.tables.labels import encode_labels


def explain_decisions(
    measure: str,
    data: Any,
    *,
    truth: str | int | None = None,
    predicted: str | int | None = None,
    score: str | int | None = None,
    weight: str | int | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
) -> DecisionExplanation:
    """The worked table of a measure: at every threshold if items have scores, else the formula with its numbers.

    With a `threshold`, the decisions are made there and the formula of a rate is filled in.
    """
    asked: dict[str, Any] = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    items = read_labelled(data, **asked) if isinstance(data, str | Path) else labelled_from(data, **asked)
    labels = encode_labels(items.truth, "truth", items.source)
    label, _ = positive_label(labels.values, positive)
    if label is None:
        listed = ", ".join(map(str, labels.values[:20]))
        raise GermaneError(f"which of the classes is meant: {listed}?", hint="name it: --positive LABEL")
    if items.scores:
        if len(items.scores) > 1:
            raise InputError(items.source, None, "expected one column of scores", hint="name it with --score")
        is_positive = labels.codes == labels.values.index(label)
        (scores,) = items.scores.values()
        decisions = Decisions.of(is_positive, scores, items.weight, positive=label)
        return (
            explain_scores(measure, decisions) if threshold is None else explain_cells(measure, decisions.at(threshold))
        )
    if len(items.predicted) != 1:
        raise InputError(
            items.source, None, "expected one column of predictions or of scores", hint="name it: --predicted"
        )
    (predictions,) = items.predicted.values()
    confusion = count_confusion(items.truth, predictions, sample_weight=items.weight, source=items.source)
    return explain_cells(measure, confusion.cells(label))
