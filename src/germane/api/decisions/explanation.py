"""Explain a measure of decisions from a file or frame of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from germane.api.decisions.items import read_items
from germane.api.decisions.notes import other_labels_note
from germane.api.decisions.one_classifier import is_class
from germane.api.decisions.positive_class import positive_label
from germane.errors import GermaneError, InputError
from germane.formats.decisions.confusion_file import read_matrix
from germane.formats.decisions.labelled_columns import Name, Names
from germane.formats.decisions.labelled_rows import LabelledRows
from germane.formats.decisions.missing_values import Missing
from germane.measures.decisions.explain import DecisionExplanation, explain_cells, explain_scores, needs_scores
from germane.measures.decisions.names import canonical_name
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.count_confusion import count_confusion
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import encode_labels
from germane.tables.notes.note import Note
from germane.tables.results.performance import Performance


def explain_items(
    measure: str,
    data: Any,
    *,
    positive: Label | None = None,
    threshold: float | None = None,
    matrix: bool = False,
    y_pred: Any = None,
    y_score: Any = None,
    sample_weight: Any = None,
    truth: Name | None = None,
    predicted: Names = None,
    score: Names = None,
    weight: Name | None = None,
    missing: Missing | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> DecisionExplanation:
    """Return the breakdown of a measure: at every threshold if items have scores, else the formula with its numbers."""
    measure = canonical_name(measure)
    asked: dict[str, Any] = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    how: dict[str, Any] = {"missing": missing, "decimal": decimal, "encoding": encoding}
    if matrix or isinstance(data, Confusion):
        given = next(
            (name for name, value in {**asked, **how, "threshold": threshold}.items() if value is not None), None
        )
        if given is not None:
            raise GermaneError(f"--{given} cannot be combined with --matrix", hint="remove one of them")
        if needs_scores(measure):
            raise GermaneError(f"{measure} needs scores, found a confusion matrix", hint="pass items with scores")
        cells = data if isinstance(data, Confusion) else read_matrix(data)
        return _worked(measure, cells, None, positive, None, "")
    if y_pred is not None or y_score is not None:
        arrays = {"truth": data, "predicted": y_pred, "score": y_score, "weight": sample_weight}
        data = aligned_columns({role: array for role, array in arrays.items() if array is not None}, "items")
        asked = {role: role for role in data}
    items = read_items(data, {**asked, **how})
    notes: list[Note] = [*(Note("columns-inferred", "", guess) for guess in items.guessed), *items.notes]
    confusion = decisions = None
    if items.predicted and not needs_scores(measure):
        if threshold is not None:
            hint = "to decide from scores, pass only `score=…`"
            raise GermaneError("`threshold=` needs scores, found predicted labels", hint=hint)
        predictions = _only(items, items.predicted, "predictions", "--predicted")
        confusion = count_confusion(items.truth, predictions, sample_weight=items.weight, source=items.source)
    elif items.scores:
        scores = _only(items, items.scores, "scores", "--score")
        labels = encode_labels(items.truth, "truth", items.source)
        label, said = _positive(labels.values, positive)
        decisions = Decisions.of(is_class(labels, label), scores, items.weight, positive=label)
        notes += said
        if threshold is None and not needs_scores(measure):
            notes.append(_by_threshold(measure, decisions))
    found = _worked(measure, confusion, decisions, positive, threshold, items.source)
    return replace(found, notes=(*notes, *found.notes))


def explain_performance(
    measure: str, found: Performance, *, positive: Label | None = None, threshold: float | None = None
) -> DecisionExplanation:
    """Return the breakdown of a measure of one classifier: at every threshold, or its formula with its numbers."""
    positive = found.positive if positive is None else positive
    return _worked(canonical_name(measure), found.confusion, found.decisions, positive, threshold, found.name)


def _worked(
    measure: str,
    confusion: Confusion | None,
    decisions: Decisions | None,
    positive: Label | None,
    threshold: float | None,
    source: str,
) -> DecisionExplanation:
    """Explain a rate from the cells of given decisions or of a threshold, and other measures from the scores."""
    if confusion is not None and threshold is None and not needs_scores(measure):
        label, notes = _positive(confusion.labels, positive)
        return replace(explain_cells(measure, confusion.cells(label)), notes=tuple(notes))
    if decisions is None:
        what = "`threshold=`" if threshold is not None else measure
        raise InputError(source, None, f"{what} needs scores, found none", hint="name the column: `score=…`")
    if threshold is not None:
        return explain_cells(measure, decisions.at(threshold))
    return explain_scores(measure, decisions)


def _by_threshold(measure: str, decisions: Decisions) -> Note:
    """Return a note on how to explain the value at one threshold, such as the one that `classify` prints."""
    same = "use --threshold for a single one"
    if decisions.thresholds[-1] >= 0 and decisions.thresholds[0] <= 1:
        same = "use --threshold 0.5 for the value that `germane classify` prints by default"
    return Note("every-threshold", measure, f"is explained at every threshold; {same}")


def _only(items: LabelledRows, columns: Mapping[str, Any], what: str, option: str) -> Any:
    if len(columns) != 1:
        listed = ", ".join(columns)
        hint = f"name it: {option}"
        raise InputError(items.source, None, f"expected one column of {what}, found {listed}", hint=hint)
    return next(iter(columns.values()))


def _positive(labels: Sequence[Label], asked: Label | None) -> tuple[Label, list[Note]]:
    label, note = positive_label(labels, asked)
    if label is None:
        listed = ", ".join(map(str, labels[:20]))
        raise GermaneError(f"cannot tell which class to explain: {listed}", hint="use `positive=…`")
    return label, [*([note] if note else []), *other_labels_note(labels, label)]
