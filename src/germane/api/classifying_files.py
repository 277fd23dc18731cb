"""`germane classify`: read items from a file or frame and say how good each classifier in it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from germane.api.assessing import assess_clusters, assess_densities, assess_label_sets, assess_regression
from germane.api.classifying import Average, classify, classify_matrix, decided
from germane.api.classifying_stream import classify_stream
from germane.api.comparing_classifiers import compare_classifiers
from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.confusion_file import read_matrix
from germane.formats.labelled_rows import LabelledRows, labelled_from, read_labelled
from germane.tables.classifier_comparison import ClassifierComparison
from germane.tables.confusion import Label, Rows
from germane.tables.labels import encode_labels
from germane.tables.performance import Performance
from germane.tables.scores import Note

TASKS = ("classes", "label-sets", "regression", "clusters", "densities")
"""What may have been predicted."""
SEPARATOR = ";"
"""What stands between the labels of a set."""


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
    progress: Callable[[int, int], None] | None = None,
    **how: Any,
) -> tuple[list[Performance], ClassifierComparison | None]:
    """What `classify` finds for each classifier in a file or frame, and how they compare if there are several.

    Each column of predictions and each column of scores is a classifier; one of both together are one. `how` are the
    options of `classify` that say what is projected and how intervals are made.
    """
    name = Path(data).name if isinstance(data, str | Path) else "data"
    if matrix:
        return [_from_matrix(data, rows, positive, one_class, average, name, how)], None
    columns: dict[str, Any] = {"truth": truth, "predicted": predicted, "score": score, "weight": weight}
    if stream:
        if task != "classes" or one_class is not None or probabilities is not None:
            raise GermaneError("--stream counts classes and scores", hint="leave out --task, --class, --probabilities")
        return [classify_stream(data, columns, positive=positive, threshold=threshold, name=name, **how)], None
    read: Callable[..., LabelledRows] = read_labelled if isinstance(data, str | Path) else labelled_from
    columns["probabilities"] = () if probabilities is None else (probabilities,)
    items = read(data, **columns)
    said = tuple(Note("columns-guessed", "", guess) for guess in items.guessed)
    if task != "classes":
        found = _other_task(task, items, name, how)
        return [replace(found, columns=_shown(items), notes=(*said, *found.notes))], None
    if one_class is not None:
        items, positive = _versus_rest(items, one_class)
    classifiers = _classifiers(items, name)
    performances = []
    for done, each in enumerate(classifiers):
        if progress is not None:
            progress(done, len(classifiers))
        found = classify(
            items.truth,
            each.predicted,
            y_score=each.score,
            y_proba=None if each.table is None else _transposed(each.table),
            labels=labels if each.table is None else tuple(each.table),
            pos_label=positive,
            threshold=threshold if each.score is not None else None,
            sample_weight=items.weight,
            average=average,
            name=each.name,
            **how,
        )
        performances.append(replace(found, columns=_shown(items), notes=(*said, *found.notes)))
    return performances, _compared(items, classifiers, performances, positive, how)


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
        if predicted is None and score is None:
            raise InputError(
                items.source,
                None,
                "expected a column of predictions or of scores, found none",
                hint="name it: --predicted COLUMN or --score COLUMN",
            )
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
    """All pairs of classifiers, by their decisions and by their scores; None if there is one, or items have weights."""
    if len(classifiers) < 2 or items.weight is not None:
        return None
    decisions = {}
    for each, found in zip(classifiers, performances, strict=True):
        if each.predicted is not None:
            decisions[each.name] = each.predicted
        elif found.threshold is not None and each.score is not None:
            labels = encode_labels(items.truth, "truth", items.source).values
            decisions[each.name] = decided(labels, found.positive, each.score >= found.threshold)
    return compare_classifiers(
        items.truth,
        decisions,
        scores={each.name: each.score for each in classifiers if each.score is not None},
        pos_label=positive,
        level=how.get("level", 0.95),
        resamples=how.get("resamples") or 2000,
        seed=how.get("seed", 0),
    )


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
        positive = as_label(confusion.labels, one_class)
        confusion = confusion.collapsed(positive)
    return classify_matrix(confusion, pos_label=positive, average=average, name=name, **how)


def _other_task(task: str, items: LabelledRows, name: str, how: Mapping[str, Any]) -> Performance:
    resampling = {key: how[key] for key in ("level", "resamples", "seed") if how.get(key) is not None}
    predicted = next(iter((*items.predicted.values(), *items.scores.values())), None)
    if task == "densities":
        if not items.scores:
            raise InputError(items.source, None, "expected a column of log-likelihoods", hint="name it with --score")
        return assess_densities(next(iter(items.scores.values())), level=resampling.get("level", 0.95), name=name)
    if predicted is None:
        raise InputError(
            items.source, None, "expected a column of predictions, found none", hint="name it: --predicted"
        )
    if task == "regression":
        return assess_regression(items.truth, predicted, sample_weight=items.weight, name=name, **resampling)
    if items.weight is not None:
        raise GermaneError(f"weights have no meaning for {task}", hint="leave --weight out")
    if task == "clusters":
        return assess_clusters(items.truth, predicted, name=name)
    return assess_label_sets(*(_sets(column) for column in (items.truth, predicted)), name=name, **resampling)


def _sets(column: Any) -> list[set[Label]]:
    """Labels between semicolons; a hyphen or nothing is the empty set."""
    return [set[Label](part.strip() for part in str(text).split(SEPARATOR)) - {"", "-"} for text in column]


def _versus_rest(items: LabelledRows, one_class: Label) -> tuple[LabelledRows, Label]:
    """One class against all others, in the truth and in every prediction."""
    positive = as_label(encode_labels(items.truth, "truth", items.source).values, one_class)

    def collapsed(column: Any) -> list[Label]:
        found = encode_labels(column, "label", items.source)
        names = [positive if value == positive else f"not {positive}" for value in found.values]
        return [names[code] for code in found.codes.tolist()]

    predicted = {name: collapsed(column) for name, column in items.predicted.items()}
    return replace(items, truth=collapsed(items.truth), predicted=predicted), positive


def as_label(labels: Sequence[Label], asked: Label) -> Label:
    """The label that somebody means: on a command line ``1`` is text, in the data a number.

    >>> as_label([0, 1], "1"), as_label(["cat", "dog"], "dog")
    (1, 'dog')
    """
    for label in labels:
        if label == asked or str(label) == str(asked):
            return label
    known = [str(label) for label in labels]
    raise GermaneError(
        f"no class is called {asked!r}{did_you_mean(str(asked), known)}", hint=f"there are: {', '.join(known[:20])}"
    )


def _transposed(table: Mapping[Label, Any]) -> Any:
    import numpy as np

    return np.stack(list(table.values()), axis=1)


def _shown(items: LabelledRows) -> dict[str, str]:
    return {role: ", ".join(names) for role, names in items.columns.items()}
