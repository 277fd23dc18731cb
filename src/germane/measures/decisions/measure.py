"""Classification measures other than rates of four cells: each is a function whose docstring is its documentation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from germane.catalogue import Catalogue, Written, spell
from germane.measures.decisions.rates import RATES, without_ending
from germane.measures.definition import MeasureEntry

Input = Literal[
    "matrix",
    "scores",
    "probabilities",
    "probability table",
    "numbers",
    "intervals",
    "clusters",
    "vectors",
    "densities",
    "label sets",
    "label scores",
]
"""The input of a measure: a `Confusion`; `Decisions`; `Decisions` whose scores are probabilities, or a table of
probabilities; such a table only; two columns of numbers; true values and both ends of predicted intervals; the
contingency table of two clusterings; vectors of items and their clusters; a column of log-likelihoods; two tables of
items × labels; a table of items × labels and their scores."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecisionMeasure(MeasureEntry):
    """A classification measure: a function of its inputs that returns one number."""

    of: Input

    def __call__(self, *inputs: Any, **parameters: Any) -> float:
        return float(self.target(*inputs, **{**dict(self.rest), **parameters}))

    def written_with(self, keys: Iterable[str]) -> str:
        """Return the name with these parameters, even at their defaults."""
        return spell(self.name, [(key, self.settings[key]) for key in keys])


class DecisionMeasures(Catalogue[DecisionMeasure, DecisionMeasure]):
    """Classification measures; names of scikit-learn functions are accepted too.

    A rate with limits on others, as in ``TPR(at_fpr=0.01)`` or ``TPR@FPR=1%``, is the measure `CONSTRAINED`.
    """

    def read(self, text: str) -> Written:
        found = super().read(text)
        limits = [(key, value) for key, value in found.arguments if key.casefold().startswith(("at_", "at-"))]
        if found.at is not None and "=" in found.at:
            rate, _, value = found.at.partition("=")
            limits.append((f"at_{rate.strip()}", value))
        if not limits or found.name not in RATES:
            return found
        rate = spell(found.name, [(key, value) for key, value in found.arguments if (key, value) not in limits])
        pairs = [("rate", rate), ("limits", ", ".join(f"{key}={value.strip()}" for key, value in limits))]
        return Written(CONSTRAINED, pairs, None, found.group)

    def respell(self, name: str, *, any_case: bool) -> str | None:
        return without_ending(self, name) if any_case else None


FAMILIES = (
    *("clustering", "cluster_shape", "densities", "labels.sets", "labels.ranking", "matrix", "regression", "quantiles"),
    *("scores.probabilities", "scores.calibration"),
    *("scores.roc", "scores.detection_error", "scores.precision_recall", "scores.top_items", "scores.many_classes"),
    *("scores.constrained", "scores.gains"),
)
CONSTRAINED = "rate_at"
"""Name of the measure of constrained rates, which are written as the rate with its limits."""
DECISION_MEASURES = DecisionMeasures(
    "measure",
    DecisionMeasure,
    DecisionMeasure,
    [f"germane.measures.decisions.{family}" for family in FAMILIES],
    example="AUC or EER(at=hull)",
    lists="run `germane measures` for a list",
)
decision_measure = DECISION_MEASURES.define
