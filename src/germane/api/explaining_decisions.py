"""Explain a measure of decisions from a file or frame of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from germane.api.classification_notes import other_labels_note
from germane.api.classifying_items import is_class
from germane.api.positive import positive_label
from germane.arguments import checked
from germane.errors import GermaneError, InputError
from germane.formats.confusion_file import read_matrix
from germane.formats.labelled_rows import LabelledRows, labelled_from, read_labelled
from germane.measures.deciding.explain import DecisionExplanation, explain_cells, explain_scores, needs_scores
from germane.measures.deciding.names import canonical_name
from germane.tables.confusion import Label
from germane.tables.counting import count_confusion
from germane.tables.decisions import Decisions
from germane.tables.labels import encode_labels
from germane.tables.scores import Note


@checked
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
    matrix: bool = False,
) -> DecisionExplanation:
    """The worked table of a measure: at every threshold if items have scores, else the formula with its numbers.

    A rate is that of the predictions, if there are any, or of the decisions at a `threshold`. With `matrix`, the data
    are a file with a confusion matrix: the rate is that of the positive class against the rest.
    """
    measure = canonical_name(measure)
    asked: dict[str, Any] = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    if matrix:
        return _of_matrix(measure, data, positive, {**asked, "threshold": threshold})
    items = read_labelled(data, **asked) if isinstance(data, str | Path) else labelled_from(data, **asked)
    guessed = [Note("columns-guessed", "", guess) for guess in items.guessed]
    if items.predicted and not needs_scores(measure):
        if threshold is not None:
            raise GermaneError(
                "the predictions are decisions already, and a threshold would make others",
                hint="name the column of scores alone: `score=…`",
            )
        predictions = _only(items, items.predicted, "predictions", "--predicted")
        confusion = count_confusion(items.truth, predictions, sample_weight=items.weight, source=items.source)
        label, note = _positive(confusion.labels, positive)
        return replace(explain_cells(measure, confusion.cells(label)), notes=(*guessed, *note))
    if not items.scores:
        wanted = "a threshold needs" if threshold is not None else f"{measure} needs"
        raise InputError(items.source, None, f"{wanted} scores, and there are none", hint="name the column: `score=…`")
    scores = _only(items, items.scores, "scores", "--score")
    labels = encode_labels(items.truth, "truth", items.source)
    label, note = _positive(labels.values, positive)
    decisions = Decisions.of(is_class(labels, label), scores, items.weight, positive=label)
    if threshold is not None:
        return replace(explain_cells(measure, decisions.at(threshold)), notes=(*guessed, *note))
    found = explain_scores(measure, decisions)
    return replace(
        found, notes=(*guessed, *note, *([] if needs_scores(measure) else [_by_threshold(found, decisions)]))
    )


def _by_threshold(found: DecisionExplanation, decisions: Decisions) -> Note:
    """Whoever comes with a number of `classify` looks for the one at its threshold, not for the best."""
    same = "--threshold explains it at one of them"
    if decisions.thresholds[-1] >= 0 and decisions.thresholds[0] <= 1:
        same = "--threshold 0.5 explains the one that `germane classify` prints by default"
    return Note("every-threshold", found.measure, f"is explained at every threshold; {same}")


def _of_matrix(measure: str, path: Any, positive: Label | None, of_items: Mapping[str, Any]) -> DecisionExplanation:
    given = next((name for name, value in of_items.items() if value is not None), None)
    if given is not None:
        raise GermaneError(f"--matrix has no use for --{given}", hint="leave one of them out")
    if needs_scores(measure):
        raise InputError(path, None, f"{measure} needs scores, and a confusion matrix has none", hint="give the items")
    confusion = read_matrix(path)
    label, note = _positive(confusion.labels, positive)
    return replace(explain_cells(measure, confusion.cells(label)), notes=tuple(note))


def _only(items: LabelledRows, columns: Mapping[str, Any], what: str, option: str) -> Any:
    if len(columns) != 1:
        listed = ", ".join(columns)
        raise InputError(
            items.source, None, f"expected one column of {what}, found {listed}", hint=f"name it: {option}"
        )
    return next(iter(columns.values()))


def _positive(labels: Sequence[Label], asked: Label | None) -> tuple[Label, list[Note]]:
    label, note = positive_label(labels, asked)
    if label is None:
        listed = ", ".join(map(str, labels[:20]))
        raise GermaneError(f"which of the classes is meant: {listed}?", hint="name it: `positive=…`")
    return label, [*([note] if note else []), *other_labels_note(labels, label)]
