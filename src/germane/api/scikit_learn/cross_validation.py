"""Compare estimators on the folds of a cross-validation, which share training data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from germane.api.comparisons.systems import compare_systems
from germane.api.options import FoldOptions
from germane.api.scikit_learn.scorers import scorer
from germane.arguments import checked
from germane.errors import GermaneError, MissingExtraError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.stats.significance.folds import Folds
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import frame_columns, number_column
from germane.tables.decisions.labels import encode_labels
from germane.tables.rankings.measure import Measure
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import RunInfo, Scores

if TYPE_CHECKING:
    from germane.types import FeaturesLike, FoldResultsLike, LabelsLike, Learner, SplitsLike

Runs = Literal["pooled", "clusters"]
TEST = "test_"
"""Start of the names of scores on test parts, in results of `cross_validate`."""


@checked
def compare_cross_validated(
    estimators: Mapping[str, Learner],
    X: FeaturesLike,
    y: LabelsLike,
    *,
    measures: str | Iterable[str] = "ACC",
    cv: SplitsLike = 10,
    groups: LabelsLike | None = None,
    n_jobs: int | None = None,
    runs: Runs = "pooled",
    **options: Unpack[FoldOptions],
) -> SystemComparison:
    """Cross-validate estimators on the same folds and compare them by the corrected resampled t-test.

    All estimators are fitted to the training part of each fold of `cv` (the number of folds, a splitter of scikit-learn
    or its splits), and measured on its test part: `measures` are names that `scorer` takes. Folds share training data,
    so the test and its intervals are corrected for it, as `compare` does with `folds`; `baseline`, `correction`,
    `alpha` and the other options are those of `compare`. The result has one row for each fold where other comparisons
    have one for each query.

    Of a repeated cross-validation, all folds are pooled, as in the corrected repeated k-fold test of Bouckaert & Frank
    (2004). With ``runs="clusters"`` the folds of a run are a cluster: the variance between the means of runs replaces
    the share of the variance that would shrink with the number of independent folds.

    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[i % 7, i % 3] for i in range(60)], [int(i % 7 > 2) for i in range(60)]
    >>> found = compare_cross_validated({"dummy": DummyClassifier(), "logistic": LogisticRegression()}, X, y, cv=5)
    >>> found.pairs[0].difference > 0.3, found.pairs[0].p < 0.001, found.test
    (True, True, 'corrected resampled t')
    """
    try:
        from sklearn.base import is_classifier
        from sklearn.model_selection import check_cv, cross_validate
    except ImportError:
        raise MissingExtraError("germane.sklearn", "sklearn") from None
    if not estimators:
        raise GermaneError("expected at least two estimators, found none", hint='for example {"old": old, "new": new}')
    names = DECISION_MEASURES.parts(measures) if isinstance(measures, str) else list(measures)
    scorers = {str(each.measure): each for each in map(scorer, names)}
    frame = X if frame_columns(X) is not None else None
    given = aligned_columns({"X": frame, "y": y, "groups": groups}, "cross-validation")
    if groups is not None:
        groups = encode_labels(given["groups"], "group", "groups").codes
    with _failures("dividing the rows into folds"):
        splitter = check_cv(cv, y, classifier=is_classifier(next(iter(estimators.values()))))
        # A splitter with chance in it would give each estimator other folds.
        splits = list(splitter.split(X, y, groups))
    shared = {"scoring": scorers, "cv": splits, "n_jobs": n_jobs, "error_score": "raise"}
    found = {}
    for name, estimator in estimators.items():
        with _failures(f"cross-validation of {name}"):
            scores = cross_validate(estimator, X, y, **shared)
        found[name] = {each: scorers[each].signed(scores[f"{TEST}{each}"]) for each in scorers}
    lower = frozenset(name for name, each in scorers.items() if each.measure.better == "lower")
    neutral = frozenset(name for name, each in scorers.items() if each.measure.better == "neither")
    values = replace(_scores(found, _run_numbers(splits)), lower_better=lower, neutral=neutral)
    return compare_systems(values, folds=_folds(splits, runs), **options)


@contextmanager
def _failures(what: str) -> Iterator[None]:
    """Say what failed, where scikit-learn or an estimator raises an error."""
    try:
        yield
    except GermaneError:
        raise
    except Exception as error:
        raise GermaneError(f"{what} failed: {error}") from error


@checked
def compare_folds(
    results: FoldResultsLike,
    *,
    folds: tuple[float, float] | None = None,
    runs: Runs = "pooled",
    **options: Unpack[FoldOptions],
) -> SystemComparison:
    """Compare results of `cross_validate` on the same folds by the corrected resampled t-test.

    `results` are by estimator: what `cross_validate(…, return_indices=True)` returned, of which all ``test_`` scores
    are compared, or values by fold under any names. Without indices, `folds` are the sizes of training and test part.
    Higher is better, as scikit-learn's scorers have it. Everything else is as in `compare_cross_validated`.

    >>> new, old = {"accuracy": [0.8, 0.9, 0.7, 0.9]}, {"accuracy": [0.7, 0.6, 0.8, 0.7]}
    >>> pair = compare_folds({"old": old, "new": new}, folds=(90, 10)).pairs[0]
    >>> round(pair.difference, 3), round(pair.p, 3)                          # 0.125 / (0.1708 √(1/4 + 1/9))
    (0.125, 0.31)
    """
    values, splits = {}, []
    if not all(isinstance(given, Mapping) for given in results.values()):
        hint = 'for example {"old": cross_validate(old, X, y), "new": cross_validate(new, X, y)}'
        raise GermaneError("expected values by estimator and measure, found others", hint=hint)
    for name, given in results.items():
        tests = {key.removeprefix(TEST): scores for key, scores in given.items() if key.startswith(TEST)}
        others = {key: scores for key, scores in given.items() if not key.endswith("_time") and key != "indices"}
        values[name] = {each: number_column(scores, each, name) for each, scores in (tests or others).items()}
        if "indices" in given:
            indices: Any = given["indices"]
            splits.append(list(zip(indices["train"], indices["test"], strict=True)))
    _require_same(values, splits)
    if folds is None and not splits:
        hint = "use cross_validate(…, return_indices=True), or `folds=(train_size, test_size)`"
        raise GermaneError("cannot tell the sizes of training and test part of the folds", hint=hint)
    if folds is not None and splits:
        raise GermaneError("the results have indices, which say the sizes of folds", hint="remove `folds=`")
    if folds is not None and runs == "clusters":
        raise GermaneError(
            "runs as clusters need to know which folds are a run", hint="use cross_validate(…, return_indices=True)"
        )
    numbers = _run_numbers(splits[0]) if splits else None
    return compare_systems(_scores(values, numbers), folds=folds or _folds(splits[0], runs), **options)


def _require_same(values: Mapping[str, Mapping[str, FloatArray]], splits: Sequence[Sequence[Any]]) -> None:
    """Refuse results with other measures, other numbers of folds, or other folds."""
    for (a, first), (b, second) in pairwise(values.items()):
        if first.keys() != second.keys():
            problem = f"expected the same measures, found {', '.join(first)} of {a} and {', '.join(second)} of {b}"
            raise GermaneError(problem, hint="cross-validate all estimators with the same scoring")
    sizes = {name: len(column) for name, given in values.items() for column in given.values()}
    same = len(set(sizes.values())) <= 1 and len(splits) in (0, len(values))
    for one, other in pairwise(splits):
        same = same and all(np.array_equal(x[1], y[1]) for x, y in zip(one, other, strict=False))
    if not same:
        hint = "pass the same splits to all: `cv=list(splitter.split(X, y))`"
        raise GermaneError("expected estimators cross-validated on the same folds, found different ones", hint=hint)


def _scores(values: Mapping[str, Mapping[str, FloatArray]], run_numbers: IntArray | None) -> Scores:
    """Return values by estimator × measure × fold."""
    if not values or not next(iter(values.values())):
        raise GermaneError("expected values by estimator and measure, found none")
    measures = list(next(iter(values.values())))
    table = np.asarray([[given[name] for name in measures] for given in values.values()], dtype=np.float64)
    num_folds = table.shape[2]
    runs = np.zeros(num_folds, dtype=np.int64) if run_numbers is None else run_numbers
    per_run = np.bincount(runs)
    names = [f"fold {fold:0{len(str(num_folds))}}" for fold in range(1, num_folds + 1)]
    if len(per_run) > 1:
        widths = len(str(len(per_run))), len(str(per_run.max()))
        fold = np.arange(num_folds) - np.searchsorted(runs, runs) + 1
        names = [f"run {run + 1:0{widths[0]}} fold {at:0{widths[1]}}" for run, at in zip(runs, fold, strict=True)]
    return Scores(
        runs=tuple(map(RunInfo, values)),
        measures=tuple(map(Measure, measures)),
        queries=tuple(names),
        values=table,
        numerator=table,
        denominator=np.ones_like(table),
        scored=np.ones((len(values), num_folds), dtype=bool),
        totals=np.zeros(len(measures), dtype=bool),
    )


def _run_numbers(splits: Sequence[Any]) -> IntArray | None:
    """Return the run of each fold, where every run divides the same items into folds; None for other splits."""
    tests = [np.asarray(test) for _, test in splits]
    size = 1 + max(int(test.max(initial=0)) for test in tests)
    seen, runs = np.zeros(size, dtype=np.int64), []
    for test in tests:
        run = int(seen.min())
        if (seen[test] != run).any():
            return None
        seen[test] += 1
        runs.append(run)
    return np.asarray(runs) if seen.min() == seen.max() else None


def _folds(splits: Sequence[Any], runs: Runs) -> Folds:
    """Return the mean sizes of folds, and the number of runs if these are clusters."""
    train, test = (float(np.mean([len(split[part]) for split in splits])) for part in (0, 1))
    if runs == "pooled":
        return Folds(train, test)
    numbers = _run_numbers(splits)
    sizes = [] if numbers is None else np.bincount(numbers).tolist()
    if len(sizes) < 2 or len(set(sizes)) > 1:
        found = "splits that are not runs" if numbers is None else f"{len(sizes)} run"
        hint = "use a repeated cross-validation, for example RepeatedStratifiedKFold"
        raise GermaneError(f"runs as clusters need several runs with equally many folds, found {found}", hint=hint)
    return Folds(train, test, len(sizes))
