"""Evaluate several labels per item: sets of labels, or a score for each label, of one classifier or of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from germane.api.decisions.settings import Settings
from germane.api.label_sets.classifier import LabelClassifier, label_set_performance, require_some
from germane.api.label_sets.comparison import compare_label_classifiers, is_of_labels
from germane.api.label_sets.thresholds import decide, require_probabilities
from germane.errors import GermaneError, InputError
from germane.formats.decisions.label_columns import STAR, LabelSetColumns, read_label_sets
from germane.measures.decisions.requests import Request
from germane.tables.decisions.label_sets import LabelTables, label_tables
from germane.tables.decisions.label_text import SEPARATOR, require_usual_separator
from germane.tables.notes.note import Note
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performance import Performance


class ReadLabels(NamedTuple):
    """Tables, the classifiers by name (the prediction and the scores of each), and what was read from where."""

    tables: LabelTables
    classifiers: Mapping[str, tuple[str | None, str | None]]
    columns: Mapping[str, str]
    notes: tuple[Note, ...]
    are_probabilities: frozenset[str]
    """Names of scores that were declared as probabilities."""

    def decided(self, settings: Settings) -> list[LabelClassifier]:
        """Return the decisions and scores of each classifier."""
        return [_classifier(self, name, *sources, settings) for name, sources in self.classifiers.items()]


def classify_label_sets(
    data: Any, arrays: Mapping[str, Any], columns: Mapping[str, Any], settings: Settings, name: str
) -> tuple[list[Performance], ClassifierComparison | None]:
    """Evaluate each classifier of arrays or of a table by the rules of `classify`; several are compared."""
    read = read_classifiers(data, arrays, columns, settings, name)
    if len(read.classifiers) < 2 and settings.baseline is not None:
        problem = "`baseline=` needs at least two classifiers, found one"
        raise GermaneError(problem, hint="add another column: `score='PREFIX_*'` or `predicted=…`")
    classifiers, performances = read.decided(settings), []
    for done, each in enumerate(classifiers):
        if settings.progress is not None:
            settings.progress(done, len(classifiers))
        found = label_set_performance(read.tables, each, settings)
        performances.append(replace(found, columns=read.columns, notes=(*read.notes, *found.notes)))
    performances = require_some(performances, classifiers)
    if len(classifiers) < 2:
        return performances, None
    comparable, notes = _comparable(performances, settings)
    performances = [replace(each, notes=(*each.notes, *notes)) for each in performances]
    return performances, compare_label_classifiers(read.tables.labels, read.tables.truth, classifiers, comparable)


def read_classifiers(
    data: Any, arrays: Mapping[str, Any], columns: Mapping[str, Any], settings: Settings, name: str
) -> ReadLabels:
    """Read the labels of items from arrays if any is given, else from a table."""
    given = {role: array for role, array in arrays.items() if array is not None}
    return _of_arrays(data, given, settings, name) if given else _of_table(data, columns, settings, name)


def _comparable(performances: Sequence[Performance], settings: Settings) -> tuple[Settings, list[Note]]:
    """Return the settings with the measures that two classifiers have, and a note on those of labels alone."""
    if settings.measures is None:
        return settings, []
    there = [name for name in settings.measures if sum(name not in each.missing for each in performances) > 1]
    apart = [] if settings.average is not None else [name for name in there if is_of_labels(Request.read(name))]
    what = f"compared only for a label or an average; ask for it as {apart[0]}[macro]" if apart else ""
    notes = [Note("only-by-class", ", ".join(apart), what, count=len(apart))] if apart else []
    return replace(settings, measures=tuple(name for name in there if name not in apart)), notes


def _classifier(
    read: ReadLabels, name: str, predicted: str | None, scores: str | None, settings: Settings
) -> LabelClassifier:
    """Return the decisions and scores of one classifier; without predictions, scores are cut at the thresholds."""
    rows = None if scores is None else read.tables.scores[scores]
    asked = settings.threshold is not None or settings.thresholds is not None
    if predicted is not None:
        if asked and len(read.classifiers) == 1:
            problem = "`threshold=` cannot be combined with predicted labels"
            hint = "to decide from scores, pass only scores"
            raise GermaneError(problem if scores is not None else "`threshold=` needs scores, found none", hint=hint)
        return LabelClassifier(name, read.tables.predicted[predicted], rows)
    assert rows is not None, "a classifier has predictions or scores"
    claimed = settings.are_probabilities if settings.are_probabilities is not None else scores in read.are_probabilities
    return decide(name, rows, read.tables.labels, settings, probabilities=claimed or None)


def _of_arrays(data: Any, given: Mapping[str, Any], settings: Settings, name: str) -> ReadLabels:
    if "sample_weight" in given:
        raise GermaneError("weights are not supported for task label-sets", hint="remove `sample_weight=`")
    if "y_score" in given and "y_proba" in given:
        raise GermaneError("pass either y_score or y_proba, not both", hint="remove one of them")
    rated = next((role for role in ("y_score", "y_proba") if role in given), None)
    predicted = {"y_pred": given["y_pred"]} if "y_pred" in given else {}
    scores = {} if rated is None else {rated: given[rated]}
    tables = label_tables(data, predicted, scores, settings.labels, separator=settings.separator)
    if "y_proba" in given:
        require_probabilities(tables.scores["y_proba"], "y_proba")
    one = {settings.name or "classifier": ("y_pred" if predicted else None, rated)}
    return ReadLabels(tables, one, {}, (), frozenset(["y_proba"]))


def _of_table(data: Any, columns: Mapping[str, Any], settings: Settings, name: str) -> ReadLabels:
    held = read_label_sets(data, **columns)
    if not (held.predicted or held.scores):
        hint = "name them, such as `predicted='pred_*'` or `score='p_*'`"
        raise InputError(held.items.source, None, "expected predictions or scores of each label, found none", hint=hint)
    try:
        separator = _separator(held, settings)
        columns_of_labels = held.predicted, held.scores, settings.labels
        tables = label_tables(held.truth[1], *columns_of_labels, separator=separator, true_name=held.truth[0])
    except InputError as error:
        raise InputError(held.items.source, error.line, error.problem, hint=error.hint) from None
    claimed = [each.removesuffix(STAR) + STAR for each in _several(columns.get("probabilities"))]
    for each in claimed:
        require_probabilities(tables.scores[each], each)
    shown = {
        role: ", ".join(names)
        for role, names in (("truth", [held.truth[0]]), ("predicted", held.predicted), ("score", held.scores))
        if names
    }
    notes = (*(Note("columns-inferred", "", guess) for guess in held.items.guessed), *held.items.notes)
    return ReadLabels(tables, _names(held, name), shown, notes, frozenset(claimed))


def _names(held: LabelSetColumns, name: str) -> dict[str, tuple[str | None, str | None]]:
    """Return the classifiers: one with the name of the data, or one for each prediction and each group of scores."""
    if len(held.predicted) <= 1 and len(held.scores) <= 1:
        return {name: (next(iter(held.predicted), None), next(iter(held.scores), None))}
    found: dict[str, tuple[str | None, str | None]] = {_short(each): (each, None) for each in held.predicted}
    for each in held.scores:
        found[each if _short(each) in found else _short(each)] = (None, each)
    return found


def _short(name: str) -> str:
    """Return the name of a classifier: that of its column, or the prefix of its columns."""
    return name.removesuffix(STAR).rstrip("_- ") or name


def _separator(held: LabelSetColumns, settings: Settings) -> str:
    """Return the separator of labels in text: as given, or the usual one if no other is evident."""
    texts = {
        name: column
        for name, column in ((held.truth[0], held.truth[1]), *held.predicted.items())
        if not hasattr(column, "names")
    }
    if settings.separator is not None and not texts:
        problem = f"expected labels in text to split at {settings.separator!r}, found a column for each label"
        raise InputError(held.items.source, None, problem, hint="remove `separator=`")
    if settings.separator is not None:
        return settings.separator
    as_text = {name: [*column] for name, column in texts.items() if not _has_lists(column)}
    require_usual_separator(as_text)
    return SEPARATOR


def _has_lists(column: Any) -> bool:
    first = next(iter(column), None)
    return isinstance(first, list | tuple | set | frozenset | np.ndarray)


def _several(names: Any) -> Sequence[str]:
    if names is None:
        return ()
    return [str(names)] if isinstance(names, str | int) else [*map(str, names)]
