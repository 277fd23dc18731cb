"""Compare predictions of numbers, or density estimates, on the same items: paired tests of the loss of each item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from germane.api.comparisons.item_pairs import Tested, compared_pairs, comparison_of, require_correction
from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import canonical_name, lower_is_better
from germane.measures.decisions.regression import LOSSES, linearised, losses
from germane.stats.intervals.clustered import CLUSTERS, mean_of_clusters, ratio_variance, sums_by_cluster
from germane.stats.intervals.means import mean_interval
from germane.stats.significance.outcomes import PairedDifference, p_of_t
from germane.stats.significance.paired_classifiers import paired_row_bootstrap
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import number_column
from germane.tables.notes.note import Note
from germane.tables.results.classifier_comparison import ClassifierComparison

USUAL = ("MSE", "MAE")
"""Measures compared by default."""
MOST_DRAWS = 200_000_000
"""Maximum items × resamples by default of a randomisation or bootstrap test."""
FEWEST_RESAMPLES, USUAL_RESAMPLES = 1_000, 100_000
MOST_ROW_DRAWS = 4_000_000
"""Maximum items × resamples by default for measures that are not means, whose bootstrap computes each anew."""
FEWEST_ROW_RESAMPLES, USUAL_ROW_RESAMPLES = 200, 2000
FEW_ITEMS = 60
"""Below this number of items, a bootstrap interval of a difference covers less than 93% instead of 95%."""
NOT_RESAMPLED = {"max_error": "not tested: the bootstrap fails for a maximum"}
"""Measures without a test, with the reason."""
Statistic = Callable[[FloatArray], float]
"""A measure as a function of the weights of the items."""


def compare_predictions(
    y_true: Any,
    predictions: Mapping[str, Any],
    *,
    measures: str | Iterable[str] | None = None,
    test: str | None = None,
    baseline: str | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    clusters: IntArray | None = None,
) -> ClassifierComparison:
    """Compare predicted numbers by the loss of each item, one column per model; see `compare`.

    A measure that is a mean over items has the paired `test` (t by default) and Student's interval of the difference;
    so have RMSE, R² and explained variance, linearised. The median of errors has a paired bootstrap over items.
    `clusters` has the code of each item's cluster: tests then compare clusters and not items.

    >>> truth = [1.0, 2.0, 3.0, 4.0]
    >>> models = {"old": [1.0, 3.0, 5.0, 7.0], "new": [1.0, 2.0, 3.0, 5.0]}
    >>> pair = compare_predictions(truth, models, measures=["MAE"]).pairs[0]
    >>> pair.difference, round(pair.p, 4)                               # 0, −1, −2, −2: t = −1.25 / (0.9574/2)
    (-1.25, 0.0796)
    """
    asked = DECISION_MEASURES.parts(measures) if isinstance(measures, str) else measures
    names = list(USUAL) if asked is None else list(map(canonical_name, asked))
    truth = number_column(y_true, "true value", "numbers")
    columns = {name: number_column(column, f"prediction of {name}", "numbers") for name, column in predictions.items()}
    chosen = _Chosen(test or "t", baseline, correction, alpha, level, resamples, seed, clusters)
    for name in names:
        entry = DECISION_MEASURES.find(name.partition("(")[0])
        if entry is None or entry.of != "numbers":
            known = ", ".join(each.name for each in DECISION_MEASURES if each.of == "numbers")
            raise MeasureError(f"predictions cannot be compared by {name}", hint=f"choose from {known}")

    def compare(name: str, a: str, b: str) -> tuple[float, float, PairedDifference]:
        entry, one, other = DECISION_MEASURES.parse(name), columns[a], columns[b]
        if entry.name in LOSSES:
            return chosen.by_items(losses(name, truth, one), losses(name, truth, other))
        if (first := linearised(name, truth, one)) is not None:
            second = linearised(name, truth, other)
            assert second is not None
            return chosen.by_items(first, second, how=", linearised")
        value_a, value_b = entry(truth, one), entry(truth, other)
        if entry.name in NOT_RESAMPLED:
            return value_a, value_b, PairedDifference(value_b - value_a, remark=NOT_RESAMPLED[entry.name])

        def weighed(column: FloatArray) -> Statistic:
            return lambda weight: entry(truth, column, weight=weight)

        return value_a, value_b, chosen.by_resampling(weighed(one), weighed(other), len(truth))

    return chosen.compared(names, list(columns), len(truth), compare, "predictions")


def compare_densities(
    log_likelihoods: Mapping[str, Any],
    *,
    test: str | None = None,
    baseline: str | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    clusters: IntArray | None = None,
) -> ClassifierComparison:
    """Compare density estimates by the mean log-likelihood of the same items, one column per estimate."""
    columns = {name: number_column(column, f"log-likelihood of {name}") for name, column in log_likelihoods.items()}
    chosen = _Chosen(test or "t", baseline, correction, alpha, level, resamples, seed, clusters)
    num_items = len(next(iter(columns.values())))
    return chosen.compared(
        ["log_likelihood"],
        list(columns),
        num_items,
        lambda _, a, b: chosen.by_items(columns[a], columns[b]),
        "density estimates",
    )


class _Chosen:
    """How to compare: the test, the family and the settings of intervals."""

    def __init__(
        self,
        test: str,
        baseline: str | None,
        correction: str,
        alpha: float,
        level: float,
        resamples: int | None,
        seed: int,
        clusters: IntArray | None,
    ) -> None:
        require_correction(correction)
        if clusters is not None and test != "t":
            hint = "use `test='t'`, whose variance compares clusters"
            raise GermaneError(f"`test={test!r}` is not supported with clusters", hint=hint)
        self.clusters = clusters
        self.entry = PAIRED_TESTS[test]
        self.baseline, self.correction, self.alpha = baseline, correction, alpha
        self.level, self.resamples, self.seed = level, resamples, seed

    def compared(
        self, measures: Sequence[str], names: Sequence[str], num_items: int, compare: Any, what: str
    ) -> ClassifierComparison:
        """Return the comparison of all pairs by all measures."""
        if len(names) < 2:
            found = ", ".join(names) or "none"
            raise GermaneError(f"expected at least two {what} to compare, found {found}", hint="add another column")
        tested: list[Tested] = [
            (measure, a, b, *compare(measure, a, b))
            for measure in measures
            for a, b in compared_pairs(names, self.baseline)
        ]
        how: dict[str, Any] = {"alpha": self.alpha, "level": self.level, "seed": self.seed, "baseline": self.baseline}
        notes = self._notes(measures, {outcome.test for *_, outcome in tested})
        return comparison_of(tested, num_items, self.correction, what=what, notes=notes, **how)

    def by_items(self, a: FloatArray, b: FloatArray, how: str = "") -> tuple[float, float, PairedDifference]:
        """Compare two means over the same items by the chosen test, with Student's interval of the difference.

        `how` is added to the names of the test and of the interval.
        """
        values = float(a.mean()), float(b.mean())
        with np.errstate(invalid="ignore"):
            differences = b - a
        if not np.isfinite(differences).all():
            outcome = PairedDifference(values[1] - values[0], remark="not finite for some items")
            return *values, outcome
        mean = float(differences.mean())
        if self.clusters is not None:
            return *values, self._by_clusters(differences, self.clusters, how)
        if len(differences) < 2:
            return *values, PairedDifference(mean, remark="only one item")
        affordable = max(FEWEST_RESAMPLES, min(USUAL_RESAMPLES, MOST_DRAWS // len(differences)))
        tested = self.entry(differences, resamples=self.resamples or affordable, seed=self.seed)
        p, statistic = float(tested.p), float(tested.statistic)
        if math.isclose(float(differences.min()), float(differences.max()), rel_tol=1e-12):
            all_zero = not differences.any()
            remark = "no item differs" if all_zero else "all items differ by the same amount"
            test = "none" if math.isnan(p) else f"{self.entry.name}{how}"
            return *values, PairedDifference(mean, math.nan, math.nan, p, statistic, test, "degenerate", remark)
        interval = mean_interval(differences, "t", self.level)
        low, high = float(interval.low), float(interval.high)
        return *values, PairedDifference(mean, low, high, p, statistic, f"{self.entry.name}{how}", f"t{how}")

    def _by_clusters(self, differences: FloatArray, clusters: IntArray, how: str) -> PairedDifference:
        """Test the mean difference by its variance over clusters of dependent items."""
        found = mean_of_clusters(differences, clusters, level=self.level)
        if not found.has_interval:
            return PairedDifference(found.value, interval=found.method, remark=found.remark)
        num = int(clusters.max()) + 1
        sums, sizes = (sums_by_cluster(each, clusters, num) for each in (differences, np.ones(len(differences))))
        t = found.value / math.sqrt(ratio_variance(sums, sizes))
        p = float(p_of_t(np.asarray(t), int((sizes > 0).sum()) - 1, "two"))
        return PairedDifference(found.value, found.low, found.high, p, t, f"t{how}, {CLUSTERS}", f"t{how}, {CLUSTERS}")

    def by_resampling(self, a: Statistic, b: Statistic, num_items: int) -> PairedDifference:
        """Compare two measures that are not means over items by a paired bootstrap; each takes the weights of items."""
        if self.clusters is not None:
            ones = np.ones(num_items)
            return PairedDifference(b(ones) - a(ones), remark="not tested: items are in clusters")
        affordable = max(FEWEST_ROW_RESAMPLES, min(USUAL_ROW_RESAMPLES, MOST_ROW_DRAWS // num_items))
        taken = self.resamples or affordable
        found = paired_row_bootstrap(a, b, num_items, level=self.level, resamples=taken, seed=self.seed)
        if num_items >= FEW_ITEMS or math.isnan(found.low):
            return found
        few = f"fewer than {FEW_ITEMS} items: the interval is too narrow"
        return replace(found, remark="; ".join(filter(None, [found.remark, few])))

    def _notes(self, measures: Sequence[str], tests: set[str]) -> tuple[Note, ...]:
        notes = []
        lower = [name for name in measures if lower_is_better(name)]
        if lower:
            what = f"lower is better for {', '.join(lower)}; differences are plain b − a"
            notes.append(Note("direction", "", what))
        if self.entry.owes and any(test.startswith(self.entry.name) for test in tests):
            notes.append(Note("caution", self.entry.name, self.entry.owes.replace("queries", "items")))
        return tuple(notes)
