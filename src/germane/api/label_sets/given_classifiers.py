"""Compare classifiers that give each item several labels, from arrays by the name of the classifier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from germane.api.decisions.settings import Settings
from germane.api.label_sets.classifier import LabelClassifier
from germane.api.label_sets.comparison import compare_label_classifiers
from germane.api.label_sets.thresholds import decide, require_probabilities
from germane.errors import GermaneError
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.label_sets import label_tables
from germane.tables.results.classifier_comparison import ClassifierComparison


def compare_label_sets(
    y_true: Any,
    predictions: Any = None,
    scores: Any = None,
    probabilities: Any = None,
    *,
    measures: str | Iterable[str] | None = None,
    labels: Sequence[Label] | None = None,
    separator: str | None = None,
    threshold: float | Mapping[Label, float] | None = None,
    zero_division: float = float("nan"),
    baseline: str | None = None,
    correction: str = "holm",
    mcnemar: str = "exact",
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> ClassifierComparison:
    """Compare classifiers by their sets of labels and by their scores; see `compare`."""
    for what, given in (("y_pred", predictions), ("y_score", scores), ("y_proba", probabilities)):
        if given is not None and not isinstance(given, Mapping):
            problem = f"expected a dict with the labels of each classifier as {what}, found {type(given).__name__}"
            raise GermaneError(problem, hint="for example compare(y_true, y_pred={'old': …, 'new': …})")
    called, rated = dict(predictions or {}), {**(scores or {}), **(probabilities or {})}
    options = {
        "task": "label-sets",
        "labels": labels,
        "separator": separator,
        "threshold": threshold,
        "zero_division": zero_division,
        "baseline": baseline,
        "correction": correction,
        "mcnemar": mcnemar,
        "level": level,
        "resamples": resamples,
        "seed": seed,
    }
    settings = Settings.of(options, measures)
    if threshold is not None and not rated:
        raise GermaneError("`threshold=` needs scores, found none", hint="remove it, or pass y_score")
    tables = label_tables(
        y_true,
        {f"y_pred[{name!r}]": column for name, column in called.items()},
        {f"y_score[{name!r}]": column for name, column in rated.items()},
        labels,
        separator=separator,
    )
    predicted = dict(zip(called, tables.predicted.values(), strict=True))
    rows = dict(zip(rated, tables.scores.values(), strict=True))
    for name in probabilities or {}:
        require_probabilities(rows[name], f"y_proba[{name!r}]")
    classifiers = [LabelClassifier(name, column, rows.get(name)) for name, column in predicted.items()]
    for name, column in rows.items():
        if name not in predicted:
            decided = threshold is not None or name in (probabilities or {})
            without = LabelClassifier(name, None, column)
            classifiers.append(decide(name, column, tables.labels, settings) if decided else without)
    found = compare_label_classifiers(tables.labels, tables.truth, classifiers, settings, alpha)
    if found is None:
        kinds = "expected two classifiers with decisions, or two with scores"
        hint = "add another classifier as y_pred, or as y_score"
        raise GermaneError(f"{kinds}, found {len(classifiers)} of other kinds", hint=hint)
    return found
