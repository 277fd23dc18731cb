"""Classification measures other than rates of four cells: each is a function whose docstring is its documentation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from germane.catalogue import Catalogue
from germane.measures.decisions.rates import without_ending
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
]
"""The input of a measure: a `Confusion`; `Decisions`; `Decisions` whose scores are probabilities, or a table of
probabilities; such a table only; two columns of numbers; true values and both ends of predicted intervals; the
contingency table of two clusterings; vectors of items and their clusters; a column of log-likelihoods; two tables of
items × labels."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecisionMeasure(MeasureEntry):
    """A classification measure: a function of its inputs that returns one number."""

    of: Input

    def __call__(self, *inputs: Any, **parameters: Any) -> float:
        return float(self.target(*inputs, **{**dict(self.rest), **parameters}))


class DecisionMeasures(Catalogue[DecisionMeasure, DecisionMeasure]):
    """Classification measures; names of scikit-learn functions are accepted too."""

    def respell(self, name: str, *, any_case: bool) -> str | None:
        return without_ending(self, name) if any_case else None


FAMILIES = (
    *("clustering", "cluster_shape", "densities", "label_sets", "matrix", "regression", "quantiles"),
    *("scores.probabilities", "scores.calibration"),
    *("scores.roc", "scores.detection_error", "scores.precision_recall", "scores.top_items", "scores.many_classes"),
)
DECISION_MEASURES = DecisionMeasures(
    "measure",
    DecisionMeasure,
    DecisionMeasure,
    [f"germane.measures.decisions.{family}" for family in FAMILIES],
    example="AUC or EER(at=hull)",
    lists="run `germane measures` for a list",
)
decision_measure = DECISION_MEASURES.define
