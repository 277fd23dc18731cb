"""Explain a measure of decisions from a file or frame of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from germane.api.decisions.items import labels_in_the_data, performances_of_items, read_items, with_labels
from germane.api.decisions.notes import OTHER_TASKS, other_labels_note
from germane.api.decisions.one_classifier import is_class, matrix_of_cells
from germane.api.decisions.positive_class import label_asked_for, positive_label
from germane.api.decisions.scores import BINNED
from germane.api.decisions.settings import Settings
from germane.api.thresholds.inversion import inverted_items, inverted_matrix, inverted_note
from germane.errors import GermaneError, InputError, MeasureError
from germane.formats.decisions.confusion_file import read_matrix
from germane.formats.decisions.labelled_columns import Name, Names
from germane.formats.decisions.labelled_rows import LabelledRows
from germane.formats.decisions.missing_values import Missing
from germane.measures.decisions.breakdowns.by_group import explain_average, explain_bins, explain_matrix, explain_mean
from germane.measures.decisions.explain import DecisionExplanation, explain_cells, explain_scores, needs_scores
from germane.measures.decisions.matrix import AVERAGES
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import PARTS_OF_BRIER, base_name
from germane.measures.decisions.requests import Request, chosen_rate, kind_of
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
    invert: bool = False,
    y_pred: Any = None,
    y_score: Any = None,
    sample_weight: Any = None,
    truth: Name | None = None,
    predicted: Names = None,
    score: Names = None,
    weight: Name | None = None,
    probabilities: str | None = None,
    labels: Sequence[Label] | None = None,
    missing: Missing | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> DecisionExplanation:
    """Return the breakdown of a measure: at every threshold if items have scores, else the formula with its numbers."""
    request = _request(measure)
    measure = str(request)
    asked: dict[str, Any] = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    how: dict[str, Any] = {"missing": missing, "decimal": decimal, "encoding": encoding}
    if matrix or isinstance(data, Confusion):
        refused = {**asked, **how, "threshold": threshold, "labels": labels, "probabilities": probabilities}
        given = next((name for name, value in refused.items() if value is not None), None)
        if given is not None:
            raise GermaneError(f"--{given} cannot be combined with --matrix", hint="remove one of them")
        if needs_scores(request.name):
            raise GermaneError(f"{measure} needs scores, found a confusion matrix", hint="pass items with scores")
        cells = data if isinstance(data, Confusion) else read_matrix(data)
        found = _worked(request, _Given(inverted_matrix(cells) if invert else cells, None, positive, None, ""))
        return replace(found, notes=(inverted_note(), *found.notes)) if invert else found
    if y_pred is not None or y_score is not None:
        arrays = {"truth": data, "predicted": y_pred, "score": y_score, "weight": sample_weight}
        data = aligned_columns({role: array for role, array in arrays.items() if array is not None}, "items")
        asked = {role: role for role in data}
    if probabilities is not None:
        how["probabilities"] = probabilities
    items = read_items(data, {**asked, **how})
    notes: list[Note] = [*(Note("columns-inferred", "", guess) for guess in items.guessed), *items.notes]
    if invert:
        items = inverted_items(items, None, None)
        notes.append(inverted_note())
    if items.probabilities:
        options = {"positive": positive, "threshold": threshold, "labels": labels, "invert": invert}
        return _of_probabilities(request, items, options, [inverted_note()] * invert)
    confusion = decisions = None
    names: Sequence[Label] = ()
    if items.predicted and not needs_scores(request.name):
        if threshold is not None:
            hint = "to decide from scores, pass only `score=…`"
            raise GermaneError("`threshold=` needs scores, found predicted labels", hint=hint)
        predictions = _only(items, items.predicted, "predictions", "--predicted")
        declared = None if labels is None else labels_in_the_data(labels, items)
        confusion = count_confusion(
            items.truth, predictions, labels=declared, sample_weight=items.weight, source=items.source
        )
    elif labels is not None:
        hint = "remove `labels=…`; a measure of scores has no order of classes"
        raise GermaneError(f"`labels=` requires predicted labels and a measure of them, found {measure}", hint=hint)
    elif items.scores:
        scores = _only(items, items.scores, "scores", "--score")
        true = encode_labels(items.truth, "truth", items.source)
        names = true.values
        label, said = _positive(names, positive)
        decisions = Decisions.of(is_class(true, label), scores, items.weight, positive=label)
        notes += said
        if threshold is None and kind_of(request.name) == "rate":
            notes.append(_by_threshold(measure, decisions))
    found = _worked(request, _Given(confusion, decisions, positive, threshold, items.source, names))
    return replace(found, notes=(*notes, *found.notes))


def _of_probabilities(
    request: Request, items: LabelledRows, options: dict[str, Any], notes: list[Note]
) -> DecisionExplanation:
    """Explain a measure of a table of probabilities, or of the most probable classes."""
    items, settings = with_labels(items, Settings(measures=(str(request),), **options))
    (found,) = performances_of_items(items, settings, items.source)
    how = {name: options[name] for name in ("positive", "threshold")}
    explained = explain_performance(str(request), found, **how)
    return replace(explained, notes=(*notes, *found.notes, *explained.notes))


def explain_performance(
    measure: str, found: Performance, *, positive: Label | None = None, threshold: float | None = None
) -> DecisionExplanation:
    """Return the breakdown of a measure of one classifier: at every threshold, or its formula with its numbers."""
    if found.task == "multilabel":
        hint = f"pass the items: explain({measure!r}, y_true, y_pred=…, task='label-sets')"
        raise GermaneError(f"{measure} of several labels per item cannot be explained from a result", hint=hint)
    positive = found.positive if positive is None else positive
    request = _request(measure)
    if found.claims is not None and found.decisions is None and request.kind not in ("rate", "matrix"):
        return _of_table(request, found)
    labels = () if found.confusion is None else found.confusion.labels
    return _worked(request, _Given(found.confusion, found.decisions, positive, threshold, found.name, labels))


def _of_table(request: Request, found: Performance) -> DecisionExplanation:
    """Explain a measure of a table of probabilities: that of a class by its own column, or a mean over classes."""
    assert found.claims is not None, "there is a table"
    labels = tuple(found.by_class)
    if request.kind == "scores" and not request.group:
        hint = f"name a class or an average: {request}[{labels[0]}] or {request}[macro]"
        raise MeasureError(f"{request} needs scores of one class, found a table of probabilities", hint=hint)
    if not needs_scores(request.name) or not request.group:
        problem = f"{request} has no breakdown, because it is a measure of the whole table of probabilities"
        raise MeasureError(problem, hint=f"explain a class, such as AUC[{labels[0]}]")
    found.table_of(request.group)  # an error that lists the classes and averages, if there is none of this name
    if request.group in found.averages and request.group not in labels:
        value, name = found[request.name, request.group].value, request.name
        support = {} if found.confusion is None else dict(zip(labels, found.confusion.support.tolist(), strict=True))
        return explain_mean(request, support, {label: found[name, label].value for label in labels}, value)
    label = label_asked_for(labels, request.group)
    of_class = found.claims(len(labels))
    if label not in of_class:
        raise MeasureError(f"{request} is undefined, because the class has no items", hint="choose another class")
    return replace(_of_scores(Request(request.name), of_class[label]), measure=str(request))


def _request(measure: str) -> Request:
    """Parse what is to be explained; a measure of another task is an error."""
    request = Request.of(measure)
    if (task := OTHER_TASKS.get(request.kind)) is not None:
        hint = f"use `germane classify --task {task} -m {request.name}` for its value"
        raise MeasureError(f"{request.name} has no breakdown, because it is not a measure of classes", hint=hint)
    return request


class _Given(NamedTuple):
    """What a measure is explained on: a matrix, or scores and the labels of the classes."""

    confusion: Confusion | None
    decisions: Decisions | None
    positive: Label | None
    threshold: float | None
    source: str
    labels: Sequence[Label] = ()


def _worked(request: Request, given: _Given) -> DecisionExplanation:
    """Explain a rate from the cells of given decisions or of a threshold, and other measures from the scores."""
    confusion, decisions, positive, threshold, source, _ = given
    if confusion is not None and threshold is None and not needs_scores(request.name):
        return _of_matrix(request, confusion, positive)
    if decisions is None:
        what = "`threshold=`" if threshold is not None else str(request)
        raise InputError(source, None, f"{what} needs scores, found none", hint="name the column: `score=…`")
    if needs_scores(request.name):
        return _of_scores(request, decisions)
    if request.kind == "rate" and not request.group:
        if threshold is None:
            return explain_scores(request.name, decisions)
        return explain_cells(request.name, decisions.at(threshold))
    if threshold is None:
        hint = "decide from the scores: `threshold=…`"
        raise MeasureError(f"{request} needs decisions, found scores", hint=hint)
    label, cells = decisions.positive, decisions.at(threshold)
    labels = tuple(given.labels) if len(given.labels) == 2 else (f"not {label}", label)
    return _of_matrix(
        request, matrix_of_cells(labels, label, cells, decisions.num_rows, weighted=decisions.weighted), None
    )


def _of_scores(request: Request, decisions: Decisions) -> DecisionExplanation:
    """Explain a measure of scores or probabilities, at every threshold or bin by bin."""
    if request.group:
        problem = f"{request}: scores of one class have one value of {request.name}"
        raise MeasureError(problem, hint=f"explain {request.name}")
    is_binned = request.name in PARTS_OF_BRIER or base_name(request.name) in BINNED
    return (explain_bins if is_binned else explain_scores)(request.name, decisions)


def _of_matrix(request: Request, confusion: Confusion, positive: Label | None) -> DecisionExplanation:
    """Explain a rate of one class, an average over classes, or a measure of the whole matrix."""
    name, group = request
    rate = chosen_rate(name)
    of_whole = positive is None and len(confusion) > 2 and name in DECISION_MEASURES
    if not group and (rate is None or of_whole):
        return explain_matrix(name, confusion)
    if rate is None:
        raise MeasureError(f"{name} is a measure of the whole matrix, not of a class", hint=f"explain {name}")
    if group in AVERAGES and group not in confusion.labels:
        return explain_average(rate, group, confusion)
    notes: list[Note] = []
    if group:
        label = label_asked_for(confusion.labels, group, "unknown class or average {!r}")
    else:
        label, notes = _positive(confusion.labels, positive)
    return replace(explain_cells(name, confusion.cells(label)), measure=str(request), notes=tuple(notes))


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
