"""Compare classifiers that give each item several labels, or a score for each label, on the same items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.api.comparisons.classifiers import MCNEMAR, ComparedItems, Outcome
from germane.api.comparisons.item_pairs import compared_pairs, comparison_of, require_correction
from germane.api.label_sets.classifier import LabelClassifier
from germane.api.label_sets.estimates import (
    AREAS,
    FEWEST_RESAMPLES,
    MOST_KINDS,
    MOST_SCORES,
    RANKING,
    cells_by,
    number_of_resamples,
    ranking_values,
    rate_averages,
)
from germane.catalogue import pick
from germane.errors import GermaneError, MeasureError, unknown
from germane.measures.decisions.labels.areas import LabelAreas
from germane.measures.decisions.labels.ranking import RankedLabels, areas_of_items, precision_at_labels
from germane.measures.decisions.labels.sets import same_sets, wrong_labels
from germane.measures.decisions.matrix import AVERAGES
from germane.measures.decisions.names import base_name
from germane.measures.decisions.rates import RATES, Rate
from germane.measures.decisions.requests import Request
from germane.stats.intervals.item_sums import cell_columns
from germane.stats.significance.mcnemar import Agreement, mcnemar
from germane.stats.significance.outcomes import PairedDifference
from germane.stats.significance.paired_items import paired_means, paired_sum_bootstrap, paired_weight_bootstrap
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Label
from germane.tables.results.classifier_comparison import ClassifierComparison

if TYPE_CHECKING:
    from germane.api.decisions.settings import Settings

OF_DECISIONS = ("subset_accuracy", "F1[micro]", "F1[macro]")
OF_SCORES = ("LRAP", "AUC[macro]", "AP[macro]")
"""Measures compared by default."""
Comparer = Callable[[str, str], Outcome]


def compare_label_classifiers(
    labels: Sequence[Label],
    truth: BoolArray,
    classifiers: Sequence[LabelClassifier],
    settings: Settings,
    alpha: float = 0.05,
) -> ClassifierComparison | None:
    """Compare all pairs of classifiers, or each with the baseline, by decisions and by scores, paired by item.

    None if no measure has two classifiers; a measure that was asked for and has not, is an error.
    """
    require_correction(settings.correction)
    items = _LabelledItems(labels, truth, classifiers, settings)
    found = []
    for request in items.requests():
        compare, names = items.comparer(request)
        if len(names) < 2:
            problem = f"expected at least two classifiers to compare by {request}, found {', '.join(names) or 'none'}"
            raise GermaneError(problem, hint="add another classifier, or choose another measure")
        for a, b in compared_pairs(names, settings.baseline):
            outcome, value_a, value_b = compare(a, b)
            found.append((str(request), a, b, value_a, value_b, outcome))
    if not found:
        return None
    how: dict[str, Any] = {"level": settings.level, "seed": settings.seed, "baseline": settings.baseline}
    return comparison_of(found, len(truth), settings.correction, alpha=alpha, **how)


class _LabelledItems:
    """Items with the decisions and scores of each classifier, ready to be compared by any measure."""

    def __init__(
        self, labels: Sequence[Label], truth: BoolArray, classifiers: Sequence[LabelClassifier], settings: Settings
    ) -> None:
        self.labels, self.truth, self.settings = list(labels), truth, settings
        self.predicted = {each.name: each.predicted for each in classifiers if each.predicted is not None}
        self.scores = {each.name: each.scores for each in classifiers if each.scores is not None}
        self.version = pick("mcnemar", settings.mcnemar, MCNEMAR)
        self._areas: dict[tuple[str, str], Mapping[str, Outcome]] = {}

    def requests(self) -> list[Request]:
        """Return the measures asked for, or the usual ones; a rate without a group is that of `average`."""
        asked = self.settings.measures
        if asked is None:
            usual = (*(OF_DECISIONS if len(self.predicted) > 1 else ()), *(OF_SCORES if len(self.scores) > 1 else ()))
            return [Request.read(name) for name in usual]
        found = [Request.read(name) for name in asked]
        if self.settings.average is not None:
            average = self.settings.average
            found = [each._replace(group=average) if is_of_labels(each) else each for each in found]
        return found

    def comparer(self, asked: Request) -> tuple[Comparer, list[str]]:
        """Return the function that compares two classifiers by a measure, and the classifiers that have it."""
        name, group = asked
        if name == "subset_accuracy" and not group:
            return self._by_mcnemar, [*self.predicted]
        if name == "hamming_loss" and not group:
            wrong = {each: wrong_labels(self.truth, said) for each, said in self.predicted.items()}
            return self._by_means(wrong), [*self.predicted]
        if name in RANKING and not group:
            ranked = {each: RankedLabels.of(self.truth, said) for each, said in self.scores.items()}
            width = float(len(self.labels)) if name == "coverage_error" else 1.0
            return self._by_means({n: ranking_values(each)[name] for n, each in ranked.items()}, width), [*self.scores]
        if group == "samples" and (name in AREAS or base_name(name) in RATES):
            values = self._values_of_items(name)
            return self._by_defined(values), [*values]
        if group in AVERAGES and name in AREAS:
            return lambda a, b: self._by_areas(a, b)[str(asked)], [*self.scores]
        if group in AVERAGES and base_name(name) in RATES:
            return self._by_sums(RATES.parse(name), group), [*self.predicted]
        if group:
            return self._of_label(name, group)
        if is_of_labels(asked):
            hint = f"name an average or a label, such as '{name}[macro]' or '{name}[{self.labels[0]}]'"
            raise MeasureError(f"cannot tell which {name} to compare: that of a label, or an average", hint=hint)
        raise MeasureError(f"{name} cannot be compared for several labels per item", hint=f"choose from {self._usual}")

    @property
    def _usual(self) -> str:
        return ", ".join((*OF_DECISIONS, "hamming_loss", *OF_SCORES, *RANKING[:2]))

    def _by_mcnemar(self, a: str, b: str) -> Outcome:
        same = [same_sets(self.truth, self.predicted[name]) for name in (a, b)]
        found = mcnemar(Agreement.of(*same), self.version, level=self.settings.level)
        return found, float(same[0].mean()), float(same[1].mean())

    def _by_means(self, values: Mapping[str, FloatArray], width: float = 1.0) -> Comparer:
        def compare(a: str, b: str) -> Outcome:
            found = paired_means(values[a], values[b], width=width, level=self.settings.level)
            return found, float(values[a].mean()), float(values[b].mean())

        return compare

    def _by_defined(self, values: Mapping[str, FloatArray]) -> Comparer:
        """Compare means over the items that have a value; items that only one has make it a bootstrap."""

        def compare(a: str, b: str) -> Outcome:
            there = [~np.isnan(values[name]) for name in (a, b)]
            if not (there[0].any() and there[1].any()):
                return PairedDifference(np.nan, remark="undefined for every item"), np.nan, np.nan
            mean_a, mean_b = (float(values[name][has].mean()) for name, has in zip((a, b), there, strict=True))
            if (there[0] == there[1]).all():
                held = [values[name][there[0]] for name in (a, b)]
                return paired_means(*held, level=self.settings.level), mean_a, mean_b
            sums = [np.stack([np.nan_to_num(values[n]), has], axis=1) for n, has in zip((a, b), there, strict=True)]

            def difference(drawn: FloatArray) -> FloatArray:
                first, second = (drawn @ each for each in sums)
                with np.errstate(divide="ignore", invalid="ignore"):
                    return np.asarray(second[:, 0] / second[:, 1] - first[:, 0] / first[:, 1])

            (found,) = paired_weight_bootstrap(difference, len(self.truth), **self._draws())
            return found, mean_a, mean_b

        return compare

    def _values_of_items(self, name: str) -> dict[str, FloatArray]:
        if name in AREAS:
            of_items = areas_of_items if name == "AUC" else precision_at_labels
            return {each: of_items(RankedLabels.of(self.truth, said)) for each, said in self.scores.items()}
        rate, without = RATES.parse(name), self.settings.zero_division
        values = {each: rate(cells_by(self.truth, said, axis=1)) for each, said in self.predicted.items()}
        return {each: np.where(np.isnan(column), without, column) for each, column in values.items()}

    def _by_sums(self, rate: Rate, average: str) -> Comparer:
        at = AVERAGES.index(average)
        averages = rate_averages([rate], self.settings.zero_division)

        def statistic(sums: FloatArray) -> FloatArray:
            return averages(sums)[:, at]

        def compare(a: str, b: str) -> Outcome:
            rows = [cell_columns(self.truth, self.predicted[name]) for name in (a, b)]
            taken, remark = number_of_resamples(len(self.truth), MOST_KINDS, "items", self.settings)
            draws = {**self._draws(), "resamples": taken or FEWEST_RESAMPLES}
            (found,) = paired_sum_bootstrap(statistic, *rows, **draws)
            found = with_remark(found, remark if taken else f"{FEWEST_RESAMPLES} resamples")
            values = [float(statistic(each.sum(axis=0, dtype=np.float64)[None])[0]) for each in rows]
            return found, values[0], values[1]

        return compare

    def _by_areas(self, a: str, b: str) -> Mapping[str, Outcome]:
        """Return the differences of every average of AUC and AP, which share their resamples."""
        if (a, b) in self._areas:
            return self._areas[a, b]
        pair = [LabelAreas.of(self.truth, self.scores[name]) for name in (a, b)]
        wanted = {each.group for each in self.requests() if each.name in AREAS}
        kept = [average for average in AVERAGES if average in wanted]

        def values(areas: LabelAreas, drawn: FloatArray) -> FloatArray:
            of_labels = areas.by_label(drawn)
            columns = [column for each in kept for column in areas.averages(drawn, of_labels, each)[:2]]
            return np.stack(columns, axis=1)

        def difference(drawn: FloatArray) -> FloatArray:
            return values(pair[1], drawn) - values(pair[0], drawn)

        size = len(self.labels) * len(self.truth)
        taken, remark = number_of_resamples(size, MOST_SCORES, "items × labels", self.settings)
        draws = {**self._draws(), "resamples": taken or FEWEST_RESAMPLES}
        found = paired_weight_bootstrap(difference, len(self.truth), **draws)
        remark = remark if taken else f"{FEWEST_RESAMPLES} resamples"
        found = [with_remark(each, remark) for each in found]
        ones = np.ones((1, len(self.truth)))
        points = [values(areas, ones)[0] for areas in pair]
        names = [f"{area}[{average}]" for average in kept for area in AREAS]
        outcomes = zip(found, *(each.tolist() for each in points), strict=True)
        self._areas[a, b] = dict(zip(names, outcomes, strict=True))
        return self._areas[a, b]

    def _of_label(self, name: str, group: str) -> tuple[Comparer, list[str]]:
        """Compare by one label, as two classes."""
        names = [str(label) for label in self.labels]
        if group not in names:
            raise unknown("label or average", group, [*names, *AVERAGES, "samples"])
        at = names.index(group)
        how = self.settings
        items = ComparedItems(
            self.truth[:, at],
            {each: said[:, at] for each, said in self.predicted.items()},
            {each: said[:, at] for each, said in self.scores.items()},
            True,
            self.version,
            how.level,
            how.resamples,
            how.seed,
        )
        _, compare, able = items.comparer(name)
        return compare, able

    def _draws(self) -> Any:
        how = self.settings
        return {"level": how.level, "resamples": how.cell_resamples, "seed": how.seed}


def with_remark(found: PairedDifference, remark: str) -> PairedDifference:
    """Return a difference with the number of resamples in its remark, unless that has it already."""
    if not remark or np.isnan(found.low) or "resamples" in found.remark:
        return found
    return replace(found, remark="; ".join(filter(None, [found.remark, remark])))


def is_of_labels(asked: Request) -> bool:
    """Whether this is a measure of a label, so that it needs a label or an average."""
    return not asked.group and (asked.name in AREAS or base_name(asked.name) in RATES)
