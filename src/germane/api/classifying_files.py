"""`germane classify`: read items from a file or frame and say how good each classifier in it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from germane.api.assessing import assess_clusters, assess_densities, assess_label_sets, assess_regression
from germane.api.classification_notes import require_computed
from germane.api.classifying import Average, classify_matrix, classify_one
from germane.api.classifying_items import is_class
from germane.api.classifying_matrix import Settings
from germane.api.classifying_on_spark import classify_on_spark
from germane.api.classifying_stream import classify_stream
from germane.api.comparing_classifiers import compare_classifiers
from germane.api.positive import label_asked_for
from germane.arguments import checked
from germane.distributed.spark_run import SparkRun, lies_on_spark
from germane.errors import GermaneError, InputError
from germane.formats.confusion_file import read_matrix
from germane.formats.labelled_rows import LabelledRows, labelled_from, read_labelled
from germane.measures.deciding.names import canonical_name
from germane.tables.classifier_comparison import ClassifierComparison
from germane.tables.confusion import Label, Rows
from germane.tables.labels import encode_labels
from germane.tables.performance import Performance
from germane.tables.scores import Note

TASKS = ("classes", "label-sets", "regression", "clusters", "densities")
"""What may have been predicted."""
SEPARATOR = ";"
"""What stands between the labels of a set."""


@checked
def classify_data(
    data: Any,
    *,
    task: str = "classes",
    truth: str | int | None = None,
    predicted: Sequence[str] = (),
    score: Sequence[str] = (),
    probabilities: str | None = None,
    weight: str | int | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    matrix: bool = False,
    rows: Rows = "truth",
    one_class: Label | None = None,
    average: Average | None = None,
    stream: bool = False,
    baseline: str | None = None,
    correction: str = "holm",
    mcnemar: str = "exact",
    progress: Callable[[int, int], None] | None = None,
    **how: Any,
) -> tuple[list[Performance], ClassifierComparison | None]:
    """What `classify` finds for each classifier in a file or frame, and how they compare if there are several.

    A frame of Spark is counted on the cluster and has one classifier.

    Each column of predictions and each column of scores is a classifier; one of both together are one. `how` are the
    options of `classify` that say what is projected, which measures are wanted and how intervals are made. `baseline`,
    `correction` and `mcnemar` (exact, mid-p or corrected) are for the comparison.
    """
    name = Path(data).name if isinstance(data, str | Path) else "data"
    columns: dict[str, Any] = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    twice = set(predicted) & set(score)
    if twice:
        raise GermaneError(
            f"column {twice.pop()!r} cannot be both a prediction and a score", hint="leave one of them out"
        )
    choices = {"labels": labels, "threshold": threshold, "class": one_class, "average": average, "positive": positive}
    other = {"task": task if task != "classes" else None, "probabilities": probabilities, "stream": stream or None}
    if lies_on_spark(data):
        alone = {"labels": labels, "class": one_class, "average": average, "baseline": baseline}
        _refuse("--engine spark", {**other, **alone, "matrix": matrix or None})
        name = Path(data.path).name if isinstance(data, SparkRun) and data.path else name
        return [classify_on_spark(data, columns, positive=positive, threshold=threshold, name=name, **how)], None
    if matrix:
        of_items = ("labels", "threshold")
        _refuse("--matrix", {**columns, **other, **{name: choices[name] for name in of_items}})
        return [_from_matrix(data, rows, positive, one_class, average, name, how)], None
    if stream:
        _refuse("--stream", {**other, "labels": labels, "class": one_class, "average": average, "stream": None})
        return [classify_stream(data, columns, positive=positive, threshold=threshold, name=name, **how)], None
    if task != "classes":
        _refuse(f"--task {task}", {**choices, "probabilities": probabilities, **_asked_of_rates(how)})
    read: Callable[..., LabelledRows] = read_labelled if isinstance(data, str | Path) else labelled_from
    columns["probabilities"] = () if probabilities is None else (probabilities,)
    items = read(data, **columns)
    said = tuple(Note("columns-guessed", "", guess) for guess in items.guessed)
    if task != "classes":
        found = _only_asked(_other_task(task, items, name, how), Settings.of(measures=how.get("measures")))
        return [replace(found, columns=_shown(items), notes=(*said, *found.notes))], None
    if one_class is not None:
        _refuse("--class", {"positive": positive, "labels": labels})
        items, positive = _versus_rest(items, one_class)
        labels = (f"not {positive}", positive)
    elif labels is not None:
        labels = _as_in_the_data(labels, items)
    classifiers = _classifiers(items, name)
    if len(classifiers) < 2 and baseline is not None:
        raise GermaneError("a baseline is one of several classifiers, and there is one", hint="name more columns")
    if len(classifiers) > 1 and items.weight is not None:
        if baseline is not None:
            raise GermaneError(
                "classifiers are not compared where items have weights", hint="remove `baseline=` or `weight=`"
            )
        said += (Note("not-compared", "", "the classifiers are not compared with each other: items have weights"),)
    if threshold is not None and all(each.score is None for each in classifiers):
        raise GermaneError("a threshold needs scores, and there are none", hint="name the column: `score=…`")
    settings = Settings.of(**how)
    performances = []
    for done, each in enumerate(classifiers):
        if progress is not None:
            progress(done, len(classifiers))
        found = classify_one(
            items.truth,
            each.predicted,
            y_score=each.score,
            y_proba=None if each.table is None else _transposed(each.table),
            labels=labels if each.table is None else tuple(each.table),
            pos_label=positive,
            threshold=threshold if each.score is not None else None,
            sample_weight=items.weight,
            average=average,
            probabilities=None,
            name=each.name,
            settings=settings,
        )
        performances.append(replace(found, columns=_shown(items), notes=(*said, *found.notes)))
    performances = require_computed(performances)
    family = {"baseline": baseline, "correction": correction, "mcnemar_version": f"mcnemar {mcnemar}"}
    return performances, _compared(items, classifiers, performances, positive, {**how, **family})


def _asked_of_rates(how: Mapping[str, Any]) -> dict[str, Any]:
    """Options that only rates of a confusion matrix have a use for; None where they were not given."""
    given = {name.replace("_", "-"): how.get(name) for name in ("prevalence", "cost_fp", "cost_fn")}
    return {**given, "stratified": how.get("stratified") or None}


def _refuse(what: str, given: Mapping[str, Any]) -> None:
    """Nothing that somebody asks for is left aside in silence."""
    for name, value in given.items():
        if value is not None and value != ():
            raise GermaneError(f"{what} has no use for --{name}", hint="leave one of them out")


class _Classifier(NamedTuple):
    """What one classifier said of the items."""

    name: str
    predicted: Any = None
    score: Any = None
    table: Mapping[Label, Any] | None = None


def _classifiers(items: LabelledRows, name: str) -> list[_Classifier]:
    if items.probabilities is not None:
        return [_Classifier(name, table=items.probabilities)]
    if len(items.predicted) <= 1 and len(items.scores) <= 1:
        predicted, score = (next(iter(c.values()), None) for c in (items.predicted, items.scores))
        return [_Classifier(name, predicted, score)]
    return [
        *(_Classifier(column, predicted=values) for column, values in items.predicted.items()),
        *(_Classifier(column, score=values) for column, values in items.scores.items()),
    ]


def _compared(
    items: LabelledRows,
    classifiers: Sequence[_Classifier],
    performances: Sequence[Performance],
    positive: Label | None,
    how: Mapping[str, Any],
) -> ClassifierComparison | None:
    """All pairs of classifiers, by their decisions and by their scores; None where that cannot be done."""
    one_class = any(found.decisions is not None and found.decisions.one_class for found in performances)
    if len(classifiers) < 2 or items.weight is not None or one_class:
        return None
    scores = {each.name: each.score for each in classifiers if each.score is not None}
    truth, decisions = items.truth, {each.name: each.predicted for each in classifiers if each.predicted is not None}
    if scores:
        # A score tells one class from the rest, so that is what everything is compared by.
        positive = performances[-1].positive
        truth, decisions = _is(items.truth, positive), {name: _is(c, positive) for name, c in decisions.items()}
        for found in performances:
            if found.threshold is not None:
                decisions[found.name] = scores[found.name] >= found.threshold
        positive = True
    return compare_classifiers(
        truth,
        decisions,
        scores=scores,
        pos_label=positive,
        measures=how.get("measures"),
        baseline=how["baseline"],
        correction=how["correction"],
        mcnemar_version=how["mcnemar_version"],
        level=how.get("level", 0.95),
        resamples=how.get("resamples"),
        seed=how.get("seed", 0),
    )


def _is(column: Any, label: Label | None) -> Any:
    """For each item, whether it has this label."""
    assert label is not None, "scores have a positive class"
    return is_class(encode_labels(column, "label"), label)


def _from_matrix(
    data: Any,
    rows: Rows,
    positive: Label | None,
    one_class: Label | None,
    average: Any,
    name: str,
    how: Mapping[str, Any],
) -> Performance:
    confusion = read_matrix(data, rows=rows)
    if one_class is not None:
        positive = label_asked_for(confusion.labels, one_class)
        confusion = confusion.collapsed(positive)
    return classify_matrix(confusion, pos_label=positive, average=average, name=name, **how)


def _other_task(task: str, items: LabelledRows, name: str, how: Mapping[str, Any]) -> Performance:
    resampling = {key: how[key] for key in ("level", "resamples", "seed") if how.get(key) is not None}
    columns = items.scores if task == "densities" else {**items.predicted, **items.scores}
    if len(columns) > 1:
        raise InputError(
            items.source,
            None,
            f"expected one column for `task={task!r}`, found {', '.join(columns)}",
            hint="name one: `score=…`" if task == "densities" else "name one: `predicted=…`",
        )
    predicted = next(iter(columns.values()), None)
    if items.weight is not None and task != "regression":
        raise GermaneError(f"weights have no meaning for {task}", hint="remove `weight=`")
    if task == "densities":
        if not items.scores:
            raise InputError(items.source, None, "expected a column of log-likelihoods", hint="name it: `score=…`")
        return assess_densities(next(iter(items.scores.values())), level=resampling.get("level", 0.95), name=name)
    if predicted is None:
        raise InputError(
            items.source, None, "expected a column of predictions, found none", hint="name it: `predicted=…`"
        )
    if task == "regression":
        return assess_regression(items.truth, predicted, sample_weight=items.weight, name=name, **resampling)
    if task == "clusters":
        return assess_clusters(items.truth, predicted, name=name)
    return assess_label_sets(*(_sets(column) for column in (items.truth, predicted)), name=name, **resampling)


def _only_asked(found: Performance, settings: Settings) -> Performance:
    """Only the measures that somebody asked for, if any."""
    overall = {name: estimate for name, estimate in found.overall.items() if settings.wants(name)}
    missing = [name for name in settings.measures or () if name not in overall]
    if missing:
        raise GermaneError(
            f"{', '.join(missing)}: no measure of this task", hint=f"there are: {', '.join(found.overall)}"
        )
    return replace(found, overall=overall, named=canonical_name, asked=settings.measures)


def _sets(column: Any) -> list[set[Label]]:
    """Labels between semicolons; a hyphen or nothing is the empty set."""
    return [set[Label](part.strip() for part in str(text).split(SEPARATOR)) - {"", "-"} for text in column]


def _versus_rest(items: LabelledRows, one_class: Label) -> tuple[LabelledRows, Label]:
    """One class against all others, in the truth, in every prediction and in probabilities."""
    positive = label_asked_for(encode_labels(items.truth, "truth", items.source).values, one_class)
    # As text: numbers and "not 1" would be labels of two kinds.
    names = np.asarray([f"not {positive}", str(positive)])

    def collapsed(column: Any) -> Any:
        return names[is_class(encode_labels(column, "label", items.source), positive).astype(np.intp)]

    predicted = {name: collapsed(column) for name, column in items.predicted.items()}
    scores = dict(items.scores)
    if items.probabilities is not None:
        column = items.probabilities[label_asked_for(tuple(items.probabilities), positive)]
        scores[f"probability of {positive}"] = column
    found = replace(items, truth=collapsed(items.truth), predicted=predicted, scores=scores, probabilities=None)
    return found, str(positive)


def _as_in_the_data(labels: Sequence[Label], items: LabelledRows) -> tuple[Label, ...]:
    """Declared labels as the data have them: on a command line all are text."""
    columns = [encode_labels(column, "label", items.source) for column in (items.truth, *items.predicted.values())]
    known = {str(value): value for column in columns for value in column.values}
    if any(isinstance(value, str) for value in known.values()):
        return tuple(str(label) for label in labels)
    return tuple(known.get(str(label), _number(label)) for label in labels)


def _number(label: Label) -> Label:
    """A label that no row has, where all others are numbers."""
    try:
        return int(label) if float(label).is_integer() else float(label)
    except ValueError:
        raise GermaneError(f"expected numbers as labels, as in the data, found {label!r}") from None


def _transposed(table: Mapping[Label, Any]) -> Any:
    return np.stack(list(table.values()), axis=1)


def _shown(items: LabelledRows) -> dict[str, str]:
    return {role: ", ".join(names) for role, names in items.columns.items()}
