"""Compare classifiers that gave probabilities for several classes: losses, areas over classes, top-k accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from germane.api.decisions.one_classifier import probability_table, true_labels
from germane.api.decisions.positive_class import positive_label
from germane.errors import GermaneError, unknown
from germane.measures.decisions.measure import DecisionMeasure
from germane.measures.decisions.names import base_name
from germane.measures.decisions.requests import Request, chosen_measure
from germane.measures.decisions.scores.many_classes import in_top, resampled
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.measures.decisions.scores.roc import area_under_roc
from germane.stats.groups.clustered_auc import paired_aucs_of_clusters
from germane.stats.groups.clustered_pairs import (
    paired_item_bootstrap_of_clusters,
    paired_means_of_clusters,
    paired_proportions_of_clusters,
)
from germane.stats.intervals.cell_bootstrap import Draws
from germane.stats.intervals.delong import paired_delong
from germane.stats.intervals.many_classes import AVERAGED, Influenced, Key, influences
from germane.stats.significance.mcnemar import Agreement, mcnemar
from germane.stats.significance.outcomes import PairedDifference
from germane.stats.significance.paired_classifiers import least_p, paired_row_bootstrap
from germane.stats.significance.paired_tables import paired_areas, paired_losses
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import Labels

Outcome = tuple[PairedDifference, float, float]
TABLE_MEASURES = ("log_loss", "Brier", "AUC[macro]")
"""Measures of tables of probabilities compared by default."""
OF_TABLES = (
    *("log_loss", "Brier", "miscalibration", "discrimination"),
    *("top_k_accuracy", "top_label_ECE", "classwise_ECE"),
)
"""Measures that are functions of a whole table."""
MOST_DRAWS = 4_000_000
"""Maximum items × resamples by default; each resample sorts nothing, but computes the measure again."""
FEWEST_RESAMPLES, USUAL_RESAMPLES = 200, 2000


class GivenTables(NamedTuple):
    """True classes, and a checked table for each classifier."""

    truth: Labels
    tables: Mapping[str, ProbabilityTable]

    @classmethod
    def of(cls, y_true: Any, given: Mapping[str, Any], labels: Sequence[Label] | None) -> GivenTables:
        """Check the probabilities of each classifier."""
        truth = true_labels(y_true, labels, "y_true")
        return cls(truth, {name: probability_table(table, truth, None) for name, table in given.items()})

    def decisions(self) -> dict[str, Any]:
        """Return the most probable class of each item, the first of equally probable ones, by classifier."""
        values = np.asarray(self.truth.values)
        return {name: values[table.probabilities.argmax(axis=1)] for name, table in self.tables.items()}

    def scores(self, positive: Label | None) -> dict[str, FloatArray]:
        """Return the probability of the positive class of two, by classifier; nothing for more classes."""
        if len(self.truth.values) > 2:
            return {}
        label, _ = positive_label(self.truth.values, positive)
        place = -1 if label is None else self.truth.values.index(label)
        return {name: np.ascontiguousarray(table.probabilities[:, place]) for name, table in self.tables.items()}


class TableComparer:
    """Tables of probabilities of several classifiers for the same items."""

    def __init__(
        self,
        tables: Mapping[str, ProbabilityTable],
        labels: Sequence[Label],
        *,
        version: str,
        level: float,
        resamples: int | None,
        seed: int,
        clusters: IntArray | None = None,
    ) -> None:
        self.tables, self.labels, self.clusters = tables, labels, clusters
        self.version, self.level, self.resamples, self.seed = version, level, resamples, seed
        self._areas: dict[tuple[str, Key], Influenced] = {}

    def comparer(self, request: Request) -> tuple[str, Callable[[str, str], Outcome]] | None:
        """Return the name of a measure of tables with the function that compares it; None for other measures.

        An area without an average is the macro one.
        """
        name, group = request
        if request.kind not in ("probability table", "probabilities", "scores"):
            return None
        if (key := (name, group or "macro")) in AVERAGED:
            return f"{name}[{key[1]}]", lambda a, b: self._by_influence(key, a, b)
        if name == "AUC":
            place = self._place(group)
            return str(request), lambda a, b: self._by_delong(place, a, b)
        if group or base_name(name) not in OF_TABLES:
            hint = "compare one class against the rest, with its probabilities as scores: `y_score=…` and `positive=…`"
            raise GermaneError(f"cannot compare probabilities of several classes by {request}", hint=hint)
        return name, self._comparer_of(chosen_measure(name))

    def _place(self, group: str) -> int:
        """Return the column of a class."""
        names = [str(label) for label in self.labels]
        if group not in names:
            averages = [average for measure, average in AVERAGED if measure == "AUC"]
            raise unknown("class or average", group, [*names, *averages])
        return names.index(group)

    def _comparer_of(self, chosen: DecisionMeasure) -> Callable[[str, str], Outcome]:
        if chosen.name == "top_k_accuracy":
            return lambda a, b: self._by_mcnemar(int(chosen.settings["k"]), a, b)
        if chosen.name in ("log_loss", "Brier"):
            return lambda a, b: self._by_losses(chosen, a, b)
        return lambda a, b: self._by_rows(chosen, a, b)

    def _by_influence(self, key: Key, a: str, b: str) -> Outcome:
        first, second = (self._area(name, key) for name in (a, b))
        if self.clusters is None:
            return paired_areas(first, second, level=self.level), first.value, second.value
        change = second.minus(first)
        how: dict[str, Any] = {"bound": 1.0, "test": "influence of clusters", "level": self.level}
        found = paired_means_of_clusters(change.influence + change.value, self.clusters, **how)
        return replace(found, difference=change.value), first.value, second.value

    def _by_delong(self, place: int, a: str, b: str) -> Outcome:
        """Compare by the AUC of one class against the rest."""
        is_class = self.tables[a].codes == place
        columns = [np.ascontiguousarray(self.tables[name].probabilities[:, place]) for name in (a, b)]
        values = [area_under_roc(Decisions.of(is_class, column)) for column in columns]
        if self.clusters is not None:
            found = paired_aucs_of_clusters(is_class, columns[0], columns[1], self.clusters, level=self.level)
            return found, values[0], values[1]
        return paired_delong(is_class, *columns, level=self.level), values[0], values[1]

    def _area(self, name: str, key: Key) -> Influenced:
        if (name, key) not in self._areas:
            self._areas[name, key] = influences(self.tables[name], [key])[key]
        return self._areas[name, key]

    def _by_losses(self, measure: DecisionMeasure, a: str, b: str) -> Outcome:
        losses = [_losses(self.tables[name], measure) for name in (a, b)]
        values = [measure(self.tables[name]) for name in (a, b)]
        if self.clusters is not None and all(np.isfinite(each).all() for each in losses):
            found = paired_means_of_clusters(losses[1] - losses[0], self.clusters, level=self.level)
            return found, values[0], values[1]
        return paired_losses(*losses, level=self.level), values[0], values[1]

    def _by_mcnemar(self, k: int, a: str, b: str) -> Outcome:
        right = [in_top(self.tables[name], k) for name in (a, b)]
        found: PairedDifference
        if self.clusters is None:
            found = mcnemar(Agreement.of(*right), self.version, level=self.level)
        else:
            found = paired_proportions_of_clusters(right[0], right[1], self.clusters, level=self.level)
        return found, float(right[0].mean()), float(right[1].mean())

    def _by_rows(self, measure: DecisionMeasure, a: str, b: str) -> Outcome:
        """Compare by a paired bootstrap of items."""
        num_items = len(self.tables[a].codes)
        taken = self.resamples
        if taken is None:
            taken = min(USUAL_RESAMPLES, max(FEWEST_RESAMPLES, MOST_DRAWS // num_items))

        def statistic(name: str) -> Callable[[FloatArray], float]:
            return lambda drawn: measure(resampled(self.tables[name], drawn))

        how: Draws = {"level": self.level, "resamples": taken, "seed": self.seed}
        if self.clusters is not None:
            found = paired_item_bootstrap_of_clusters(statistic(a), statistic(b), self.clusters, **how)
        else:
            found = paired_row_bootstrap(statistic(a), statistic(b), num_items, **how)
        fewer = self.resamples is None and taken < USUAL_RESAMPLES
        if fewer and not math.isnan(found.low) and found.p > least_p(taken):
            found = replace(found, remark="; ".join(filter(None, [found.remark, f"{taken} resamples"])))
        ones = np.ones(num_items)
        return found, statistic(a)(ones), statistic(b)(ones)


def _losses(table: ProbabilityTable, measure: DecisionMeasure) -> FloatArray:
    if measure.name == "Brier":
        return table.brier_losses()
    clip: float | None = measure.settings["clip"]
    return table.log_losses(clip)
