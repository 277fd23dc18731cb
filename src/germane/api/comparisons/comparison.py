"""`compare`: is it really better? Systems on queries, groups of queries, classifiers on items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from germane.api.comparisons.groups import compare_groups
from germane.api.comparisons.systems import compare_systems
from germane.api.inputs import refuse_beside, require_inputs, subject_of
from germane.api.options import CompareOptions
from germane.api.rankings.evaluation import evaluate
from germane.api.rankings.score_tables import read_scores
from germane.arguments import checked, options_for
from germane.errors import GermaneError
from germane.tables.results.comparison import Comparison, SystemComparison
from germane.tables.results.performances import Performances
from germane.tables.results.scores import Scores

if TYPE_CHECKING:
    from germane.tables.results.classifier_comparison import ClassifierComparison
    from germane.types import (
        ColumnsLike,
        LabelScoresLike,
        LabelSetsLike,
        LabelsLike,
        MeasuresLike,
        ProbabilitiesLike,
        QrelsLike,
        RunsLike,
        ScoreTablesLike,
        ValuesLike,
    )


@overload
def compare(
    data: Scores | ValuesLike | ScoreTablesLike,
    /,
    *,
    measures: MeasuresLike | None = ...,
    **options: Unpack[CompareOptions],
) -> SystemComparison: ...
@overload
def compare(
    data: QrelsLike, runs: RunsLike, measures: MeasuresLike = ..., **options: Unpack[CompareOptions]
) -> SystemComparison: ...
@overload
def compare(
    data: LabelsLike,
    *,
    y_pred: ColumnsLike,
    y_score: ColumnsLike = ...,
    y_proba: Mapping[str, ProbabilitiesLike] = ...,
    measures: Iterable[str] = ...,
    **options: Unpack[CompareOptions],
) -> ClassifierComparison: ...
@overload
def compare(
    data: LabelsLike, *, y_score: ColumnsLike, measures: Iterable[str] = ..., **options: Unpack[CompareOptions]
) -> ClassifierComparison: ...
@overload
def compare(
    data: LabelsLike,
    *,
    y_proba: Mapping[str, ProbabilitiesLike],
    measures: Iterable[str] = ...,
    **options: Unpack[CompareOptions],
) -> ClassifierComparison: ...
@overload
def compare(
    data: LabelSetsLike,
    *,
    y_pred: Mapping[str, LabelSetsLike],
    y_score: Mapping[str, LabelScoresLike] = ...,
    measures: Iterable[str] = ...,
    **options: Unpack[CompareOptions],
) -> ClassifierComparison: ...
@overload
def compare(
    data: LabelSetsLike,
    *,
    y_score: Mapping[str, LabelScoresLike],
    measures: Iterable[str] = ...,
    **options: Unpack[CompareOptions],
) -> ClassifierComparison: ...
@overload
def compare(
    data: Performances, *, measures: Iterable[str] = ..., **options: Unpack[CompareOptions]
) -> ClassifierComparison: ...
@checked
def compare(
    data: Scores | Performances | ValuesLike | ScoreTablesLike | QrelsLike | LabelsLike | LabelSetsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    y_pred: ColumnsLike | Mapping[str, LabelSetsLike] | None = None,
    y_score: ColumnsLike | Mapping[str, LabelScoresLike] | None = None,
    y_proba: Mapping[str, ProbabilitiesLike] | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Test whether one system is really better than another: all pairs, or each system against a `baseline`.

    Systems are compared on the same queries: `data` are `Scores`, judgments with `runs`, values by system and query
    (accuracy per item, say), or tables of scores that another tool made (files, or data frames by system), of which
    `measures` names columns. The family of tests is all pairs times all measures (times all slices). `equivalence` and
    `margin` are the δ of the tests for equivalence and non-inferiority; with `difference`, the result has the number of
    queries needed to show it. `folds` says that rows are folds of a cross-validation, with the sizes of their training
    and test parts. Intervals are simultaneous at level 1 - alpha, and exclude 0 exactly where the adjusted p-value is
    at most alpha, wherever test and correction allow it (two-sided t or Tukey's test with Bonferroni's correction; t
    with max-t). Otherwise, and by any method named in `interval`, they are unadjusted, at `level`.

    With `groups`, two groups of different queries are compared, such as control and treatment: each system and measure
    is one test. Groups are ordered by name, and the difference is the second minus the first.

    Classifiers are compared on the same items: `data` are the true labels, `y_pred` and `y_score` hold one column per
    classifier, `y_proba` a table of probabilities (its columns are the sorted classes, or `labels`); or what `classify`
    returned. Accuracy is compared by McNemar's test with Newcombe's paired interval (so are TPR and TNR, on the
    positives and the negatives, and top-k accuracy), AUC by DeLong's, areas averaged over several classes by the
    influence of each item, log-loss and Brier score of several classes by a paired t-test, any other measure by a
    paired bootstrap with `resamples` resamples: by default 2,000, and fewer for measures of many scores. The remark of
    a pair says so, and says where p is the smallest that this number of resamples can give. With `cluster`, a column of
    groups of dependent items, proportions have the t test of clusters, AUC Obuchowski's test, and others a bootstrap of
    clusters. With ``task="label-sets"`` items have several labels, in any form that `classify` reads: sets are compared
    by McNemar's test, means over items by Student's t, averages over labels by a bootstrap of items; scores are decided
    at a `threshold` if there is one.

    With ``task="regression"``, `y_pred` holds predicted numbers: means of the losses of items (MSE, MAE, a pinball
    loss, …) have the paired `test` that is named, t by default; so have RMSE and R², linearised.

    >>> values = {"old": {"q1": 0.2, "q2": 0.4, "q3": 0.3}, "new": {"q1": 0.3, "q2": 0.6, "q3": 0.4}}
    >>> pair = compare(values).pairs[0]
    >>> round(pair.difference, 4), round(pair.p, 4)
    (0.1333, 0.0572)
    >>> truth, old, new = [1, 1, 1, 1, 0, 0, 0, 0] * 10, [1, 1, 0, 0, 0, 0, 1, 0] * 10, [1, 1, 1, 0, 0, 0, 0, 0] * 10
    >>> found = compare(truth, y_pred={"old": old, "new": new}, measures=["ACC"])
    >>> found.pairs[0].difference, found.pairs[0].test, found.pairs[0].p < 0.001
    (0.25, 'mcnemar exact', True)
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    subject = subject_of("compare", data, runs)
    columns = {"y_pred": y_pred, "y_score": y_score, "y_proba": y_proba}
    if subject == "performances" or any(column is not None for column in columns.values()):
        return _classifiers(data, columns, given if measures is None else {**given, "measures": measures})
    groups = given.pop("groups", None)
    if groups is not None:
        scores, how = _scores(data, runs, measures, given, compare_groups)
        return compare_groups(scores, groups, **how)
    scores, how = _scores(data, runs, measures, given, compare_systems)
    return compare_systems(scores, **how)


def _scores(
    data: Any, runs: Any, measures: Any, options: dict[str, Any], compared: Callable[..., SystemComparison]
) -> tuple[Scores, dict[str, Any]]:
    """Return the scores to compare, and the options that are left for the comparison."""
    if runs is not None:
        how, reading = options_for("compare", options, compared, evaluate)
        # The intervals of means are separate, and not wanted here.
        reading = {name: value for name, value in reading.items() if name not in how}
        return evaluate(data, runs, measures or "AP", **reading), how
    if not isinstance(data, Scores) and _are_tables(data):
        how, reading = options_for("compare", options, compared, read_scores)
        return read_scores(data, measures, **reading), how
    if isinstance(data, Scores):
        refuse_beside("compare", measures=measures)
    (how,) = options_for("compare", options, compared)
    return data if isinstance(data, Scores) else Scores.of(data), how


def _are_tables(data: Any) -> bool:
    """Whether these are files or frames with scores by query, of one system or of several."""
    several = list(data.values()) if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else [data]
    return bool(several) and all(
        isinstance(each, str | Path) or hasattr(each, "__arrow_c_stream__") for each in several
    )


def _classifiers(data: Any, columns: Mapping[str, Any], given: dict[str, Any]) -> ClassifierComparison:
    from germane.api.comparisons.classifiers import columns_by_name, compare_classifiers
    from germane.api.comparisons.predictions import compare_predictions

    if given.get("task") == "label-sets" and not isinstance(data, Performances):
        from germane.api.label_sets.given_classifiers import compare_label_sets

        (how,) = options_for("compare", {name: given[name] for name in given if name != "task"}, compare_label_sets)
        return compare_label_sets(data, *columns.values(), **how)
    task = given.pop("task", data[0].task if isinstance(data, Performances) else "classes")
    numbers = task == "regression" if columns["y_pred"] is not None else task in ("regression", "densities")
    (how,) = options_for("compare", given, compare_predictions if numbers else compare_classifiers)
    if not isinstance(data, Performances):
        if task == "regression":
            refuse_beside("compare", y_score=columns["y_score"], y_proba=columns["y_proba"])
            return compare_predictions(data, columns_by_name(columns["y_pred"], "y_pred"), **how)
        if task != "classes":
            hint = "use `task='regression'` or `task='label-sets'`, or compare the result of `classify`"
            raise GermaneError(f"arrays of task {task} cannot be compared", hint=hint)
        return compare_classifiers(data, *columns.values(), **how)
    refuse_beside("compare", **columns)
    found = data.comparison
    if found is None:
        if len(data) > 1:
            hint = "classify items of at least two classes, without `weight=`"
            raise GermaneError("classifiers of weighted items, or of one class only, cannot be compared", hint=hint)
        problem = f"expected at least two classifiers to compare, found {len(data)}"
        raise GermaneError(problem, hint="add a column of predictions or scores")
    if not how:
        return found
    from germane.api.decisions.classification import classify

    alpha = how.pop("alpha", found.alpha)
    (subject,), before = require_inputs(data)
    again = classify(subject, **{**before, **how}).comparison
    assert again is not None, "it was there before"
    return replace(again, alpha=alpha)
