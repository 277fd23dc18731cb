"""Compare classifiers that decided about, or scored, the same items."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.api.comparisons.item_pairs import compared_pairs, comparison_of, require_correction
from germane.api.comparisons.probability_tables import TABLE_MEASURES, GivenTables, TableComparer
from germane.api.decisions.matrix import OF_THE_MATRIX, of_whole_matrix
from germane.api.decisions.positive_class import positive_if_known, positive_label
from germane.api.groups.clusters import few_clusters_note
from germane.catalogue import pick
from germane.errors import GermaneError, MeasureError, unknown
from germane.measures.decisions.matrix import AVERAGES, averaged
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import PARTS_OF_BRIER
from germane.measures.decisions.rates import RATES, Rate
from germane.measures.decisions.requests import Request, chosen_measure, filled
from germane.measures.decisions.scores.calibration import bin_sums, calibration_values
from germane.measures.decisions.scores.probabilities import brier
from germane.stats.groups.clustered_auc import paired_aucs_of_clusters
from germane.stats.groups.clustered_pairs import (
    paired_bootstrap_of_clusters,
    paired_item_bootstrap_of_clusters,
    paired_proportions_of_clusters,
)
from germane.stats.intervals.cell_bootstrap import Draws
from germane.stats.intervals.delong import paired_delong
from germane.stats.intervals.scores import redrawing
from germane.stats.significance.mcnemar import Agreement
from germane.stats.significance.mcnemar import mcnemar as mcnemar_test
from germane.stats.significance.outcomes import PairedDifference
from germane.stats.significance.paired_classifiers import (
    OF_PROPORTIONS,
    joint_counts,
    least_p,
    paired_bootstrap,
    paired_row_bootstrap,
)
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import frame_column, frame_columns, number_column
from germane.tables.decisions.confusion import Label, one_versus_rest
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.groups import Groups
from germane.tables.decisions.labels import encode_labels
from germane.tables.results.classifier_comparison import ClassifierComparison

OF_DECISIONS = ("ACC", "F1", "MCC")
SCORE_MEASURES = ("AUC", "AP")
MOST_DRAWS = 4_000_000
"""Maximum items × resamples by default for measures of scores, whose bootstrap draws items one by one."""
FEWEST_RESAMPLES, USUAL_RESAMPLES = 200, 2000


MCNEMAR = {
    "exact": "mcnemar exact",
    "mid-p": "mcnemar mid-p",
    "corrected": "mcnemar corrected",
    "uncorrected": "mcnemar",
}
"""Versions of McNemar's test, by the value of `mcnemar`."""


def compare_classifiers(
    y_true: Any,
    predictions: Any = None,
    scores: Any = None,
    probabilities: Mapping[str, Any] | None = None,
    *,
    measures: str | Iterable[str] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    baseline: str | None = None,
    correction: str = "holm",
    mcnemar: str = "exact",
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    cluster: Any = None,
) -> ClassifierComparison:
    """Compare classifiers by their predictions and scores, one column per classifier; see `compare`.

    `probabilities` has a table for each classifier, with a column for each class; for two classes these are scores.
    With `cluster`, a column, tests account for items of one cluster that depend on each other.
    """
    if cluster is not None and mcnemar != "exact":
        hint = "remove `mcnemar=`; proportions are compared by the t test of clusters"
        raise GermaneError("`mcnemar=` is not supported with `cluster=`: it counts items as independent", hint=hint)
    require_correction(correction)
    version = pick("mcnemar", mcnemar, MCNEMAR)
    predictions = {} if predictions is None else dict(columns_by_name(predictions, "y_pred"))
    scores = {} if scores is None else dict(columns_by_name(scores, "y_score"))
    tables = None
    if probabilities:
        given = GivenTables.of(y_true, probabilities, labels)
        predictions, scores = predictions | given.decisions(), scores | given.scores(positive)
        if len(given.truth.values) > 2:
            of_tables: dict[str, Any] = {"version": version, "level": level, "resamples": resamples, "seed": seed}
            if cluster is not None:
                of_tables["clusters"] = Groups.of(cluster, "cluster", "classifiers").codes
            tables = TableComparer(given.tables, given.truth.values, **of_tables)
    items = ComparedItems(y_true, predictions, scores, positive, version, level, resamples, seed, cluster)
    items.tables = tables
    asked = DECISION_MEASURES.parts(measures) if isinstance(measures, str) else measures
    wanted = items.usual_measures() if asked is None else list(asked)
    found = []
    for measure in wanted:
        shown, compare, names = items.comparer(str(measure))
        if len(names) < 2:
            problem = f"expected at least two classifiers to compare by {shown}, found {', '.join(names) or 'none'}"
            raise GermaneError(problem, hint="add another classifier, or choose another measure")
        for a, b in compared_pairs(names, baseline):
            outcome, value_a, value_b = compare(a, b)
            found.append((shown, a, b, value_a, value_b, outcome))
    if not found:
        hint = "pass two classifiers or more as y_pred, y_score or y_proba, and at least one measure"
        raise GermaneError("expected at least two classifiers and a measure, found fewer", hint=hint)
    how: dict[str, Any] = {"alpha": alpha, "level": level, "seed": seed, "baseline": baseline}
    notes = () if items.groups is None else tuple(few_clusters_note(len(items.groups)))
    return comparison_of(found, len(items.truth), correction, **how, notes=notes)


Outcome = tuple[PairedDifference, float, float]


class ComparedItems:
    """Items with the predictions and scores of each classifier, ready to be compared by any measure."""

    def __init__(
        self,
        y_true: Any,
        predictions: Mapping[str, Any],
        scores: Mapping[str, Any],
        positive: Label | None,
        version: str,
        level: float,
        resamples: int | None,
        seed: int,
        cluster: Any = None,
    ) -> None:
        given = aligned_columns(
            {"y_true": y_true}
            | {f"predictions[{name!r}]": column for name, column in predictions.items()}
            | {f"scores[{name!r}]": column for name, column in scores.items()}
            | ({} if cluster is None else {"cluster": cluster}),
            "classifiers",
        )
        self.groups = None if cluster is None else Groups.of(given.pop("cluster"), "cluster", "classifiers")
        self.clusters = None if self.groups is None else self.groups.codes
        y_true, *columns_in_order = given.values()
        predictions = dict(zip(predictions, columns_in_order, strict=False))
        scores = dict(zip(scores, columns_in_order[len(predictions) :], strict=True))
        columns = {name: encode_labels(column, "prediction", name) for name, column in predictions.items()}
        scores = {name: _as_scores(column, name) for name, column in scores.items()}
        truth = encode_labels(y_true, "truth", "y_true")
        if self.clusters is not None and len(self.clusters) != len(truth):
            raise GermaneError(f"expected a cluster for each of {len(truth)} items, found {len(self.clusters)}")
        for name, column in (*columns.items(), *((n, s) for n, s in scores.items())):
            if len(column) != len(truth):
                raise GermaneError(f"expected {len(truth)} items from {name}, found {len(column)}")
        for name, column in columns.items():
            if column.are_text != truth.are_text:
                kinds = [f"{'text' if each.are_text else 'numbers'} ({each.values[0]!r})" for each in (truth, column)]
                problem = f"expected labels of one kind, found {kinds[0]} as truth and {kinds[1]} from {name}"
                raise GermaneError(problem, hint="text and numbers are never the same label: convert one column")
        everything = {label for column in (truth, *columns.values()) for label in column.values}
        self.labels: list[Any] = sorted(everything, key=lambda label: (isinstance(label, str), label))
        self.truth: IntArray = _codes(truth.values, truth.codes, self.labels)
        self.predicted = {name: _codes(c.values, c.codes, self.labels) for name, c in columns.items()}
        self.scores = scores
        self.positive = self._positive(positive)
        self.version, self.level, self.resamples, self.seed = version, level, resamples, seed
        self.tables: TableComparer | None = None

    def _positive(self, asked: Label | None) -> int | None:
        label, _ = (positive_label if self.scores else positive_if_known)(self.labels, asked)
        return None if label is None else self.labels.index(label)

    def usual_measures(self) -> list[str]:
        """Return the measures compared by default."""
        decisions = OF_DECISIONS if self.positive is not None else ("ACC", "macro F1", "MCC")
        return [
            *(decisions if len(self.predicted) > 1 else ()),
            *(SCORE_MEASURES if len(self.scores) > 1 else ()),
            *(TABLE_MEASURES if self.tables is not None and len(self.tables.tables) > 1 else ()),
        ]

    def comparer(self, measure: str) -> tuple[str, Callable[[str, str], Outcome], list[str]]:
        """Return the name of a measure, the function that compares by it, and the classifiers that have it."""
        request = Request.of(measure)
        if self.tables is not None and (found := self.tables.comparer(request)) is not None:
            return *found, list(self.tables.tables)
        return measure, *self._comparer(request)

    def _comparer(self, request: Request) -> tuple[Callable[[str, str], Outcome], list[str]]:
        if request.kind in ("scores", "probabilities"):
            return self._by_scores(request)
        if request.kind not in ("rate", "matrix"):
            raise MeasureError(f"{request} is not a measure of classes", hint="choose AUC, or a rate such as F1[macro]")
        place = self._place(request.group)
        is_of_class = place is not None or request.name in ("ACC", "ERR")
        if request.name in OF_PROPORTIONS and is_of_class and request.group not in AVERAGES:
            return lambda a, b: self._by_mcnemar(request, a, b), list(self.predicted)
        statistic = self._statistic(request)
        return lambda a, b: self._by_cells(statistic, a, b), list(self.predicted)

    def _by_scores(self, request: Request) -> tuple[Callable[[str, str], Outcome], list[str]]:
        if request.group:
            problem = f"cannot compare {request}: scores of one class have one value of {request.name}"
            raise GermaneError(problem, hint=f"use {request.name}")
        if self.positive is None:
            raise GermaneError("scores need a positive class", hint="use `positive=…`")
        if request.name == "AUC":
            return self._by_delong, list(self.scores)
        able = self.scores
        if request.kind == "probabilities":
            able = {name: p for name, p in able.items() if p.min() >= 0 and p.max() <= 1}
        return lambda a, b: self._by_rows(_of_scores(request.name), a, b), list(able)

    def _place(self, group: str) -> int | None:
        """Return the index of the class whose cells count: the one in brackets, else the positive one."""
        if not group or group in AVERAGES:
            return None if group else self.positive
        names = [str(label) for label in self.labels]
        if group not in names:
            raise unknown("class or average", group, [*names, *AVERAGES])
        return names.index(group)

    @property
    def _is_positive(self) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self.truth == self.positive
        return found

    def _by_mcnemar(self, request: Request, a: str, b: str) -> Outcome:
        """Compare two proportions: of the items that count for a measure, those that each classifier gets right.

        Measures of errors count those that it gets wrong. With a class in brackets, all others are negative.
        """
        measure, counted, among = request.name, {}, np.ones(len(self.truth), dtype=np.bool_)
        place = self._place(request.group)
        for name in (a, b):
            if measure in ("ACC", "ERR") and not request.group:
                right = self.predicted[name] == self.truth
            else:
                truth = self.truth == place
                among = {"TPR": truth, "FNR": truth, "TNR": ~truth, "FPR": ~truth}.get(measure, among)
                right = ((self.predicted[name] == place) == truth)[among]
            counted[name] = ~right if measure in ("ERR", "FPR", "FNR") else right
        found: PairedDifference
        if self.clusters is not None:
            found = paired_proportions_of_clusters(counted[a], counted[b], self.clusters[among], level=self.level)
        else:
            found = mcnemar_test(Agreement.of(counted[a], counted[b]), self.version, level=self.level)
        values = [float(counted[name].mean()) if len(counted[name]) else math.nan for name in (a, b)]
        return found, values[0], values[1]

    def _by_cells(self, statistic: Callable[[FloatArray], FloatArray], a: str, b: str) -> Outcome:
        joint = joint_counts(self.truth, self.predicted[a], self.predicted[b], len(self.labels))
        taken = USUAL_RESAMPLES if self.resamples is None else self.resamples
        how: Draws = {"level": self.level, "resamples": taken, "seed": self.seed}
        if self.clusters is not None:
            coded = self.truth, self.predicted[a], self.predicted[b], self.clusters
            found = paired_bootstrap_of_clusters(statistic, *coded, len(self.labels), **how)
        else:
            (found,) = paired_bootstrap(statistic, joint, **how)
        values = [float(statistic(joint.sum(axis=axis)[None].astype(np.float64))[0]) for axis in (2, 1)]
        return found, values[0], values[1]

    def _statistic(self, request: Request) -> Callable[[FloatArray], FloatArray]:
        """Return a rate of one class, an average over classes (``F1[macro]``), or a measure of the matrix."""
        name, group = request
        if request.kind == "matrix":
            if group:
                problem = f"{name} is a measure of the whole matrix, not of a class"
                raise GermaneError(problem, hint=f"use {name}")
            return of_whole_matrix(name)
        rate, place = filled(RATES.parse(name)), self._place(group)
        if group in AVERAGES:
            return partial(averaged, rate, average=group)
        if place is not None:
            return partial(_of_class, rate, place=place)
        if name in OF_THE_MATRIX:
            return OF_THE_MATRIX[name]
        hint = f"use `positive=…`, or the average '{name}[macro]'"
        raise GermaneError(f"{name} needs a positive class, or an average", hint=hint)

    def _by_delong(self, a: str, b: str) -> Outcome:
        pair = self._is_positive, self.scores[a], self.scores[b]
        if self.clusters is not None:
            found = paired_aucs_of_clusters(*pair, self.clusters, level=self.level)
        else:
            found = paired_delong(*pair, level=self.level)
        values = [DECISION_MEASURES["AUC"](Decisions.of(self._is_positive, self.scores[name])) for name in (a, b)]
        return found, values[0], values[1]

    def _by_rows(self, entry: Callable[..., float], a: str, b: str) -> Outcome:
        def statistic(name: str) -> Callable[[FloatArray], float]:
            redrawn = redrawing(self._is_positive, self.scores[name])
            return lambda drawn: entry(redrawn(drawn))

        affordable = max(FEWEST_RESAMPLES, MOST_DRAWS // len(self.truth))
        taken = min(USUAL_RESAMPLES, affordable) if self.resamples is None else self.resamples
        how: Draws = {"level": self.level, "resamples": taken, "seed": self.seed}
        if self.clusters is not None:
            found = paired_item_bootstrap_of_clusters(statistic(a), statistic(b), self.clusters, **how)
        else:
            found = paired_row_bootstrap(statistic(a), statistic(b), len(self.truth), **how)
        fewer = self.resamples is None and taken < USUAL_RESAMPLES
        # There is nothing to add without resampling, or where the remark on the smallest p has the number.
        if fewer and not math.isnan(found.low) and found.p > least_p(taken):
            found = replace(found, remark="; ".join(filter(None, [found.remark, f"{taken} resamples"])))
        ones = np.ones(len(self.truth))
        return found, statistic(a)(ones), statistic(b)(ones)


def _of_scores(name: str) -> Callable[[Decisions], float]:
    """Return a measure of scores or probabilities with its parameters, or a part of the Brier score."""
    if name not in PARTS_OF_BRIER:
        return chosen_measure(name)
    return lambda decisions: calibration_values(brier(decisions), bin_sums(decisions), decisions)[name]


def columns_by_name(given: Any, what: str) -> Mapping[str, Any]:
    """Return a dict, or a data frame, with a column for each classifier as a dict of columns."""
    names = frame_columns(given)
    found = given if names is None else {str(name): frame_column(given, name) for name in names}
    if not isinstance(found, Mapping):
        problem = f"expected a dict with a column for each classifier as {what}, found {type(given).__name__}"
        hint = "for example compare(y_true, y_pred={'old': …, 'new': …}), or `y_score={'old': …, 'new': …}`"
        raise GermaneError(problem, hint=hint)
    return found


def _as_scores(column: Any, name: str) -> FloatArray:
    found = number_column(column, f"score of {name}", "classifiers")
    if np.isnan(found).any():
        problem = f"expected a number as score of {name}, found NaN in row {int(np.isnan(found).argmax()) + 1}"
        raise GermaneError(problem)
    return found


def _of_class(rate: Rate, counts: FloatArray, place: int) -> FloatArray:
    cells = one_versus_rest(counts)
    return rate(type(cells)(*(column[..., place] for column in cells)))


def _codes(values: Sequence[Label], codes: Any, labels: Sequence[Any]) -> IntArray:
    """Return the codes of one column as indices into all labels."""
    place = np.asarray([labels.index(value) for value in values], dtype=np.int64)
    found: IntArray = place[codes]
    return found
