"""Numbers behind a report on predicted numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from germane.api.decisions.classification import name_of
from germane.errors import GermaneError
from germane.tables.decisions.number_predictions import NumberPredictions
from germane.tables.results.classifier_comparison import ClassifierComparison
from germane.tables.results.performance import Performance
from germane.tables.results.performances import Performances


@dataclass(frozen=True, eq=False)
class RegressionNumbers:
    """Numbers behind a report: each model's estimates and predictions, and their comparison."""

    name: str
    performances: tuple[Performance, ...]
    comparison: ClassifierComparison | None

    @property
    def predicted(self) -> dict[str, NumberPredictions]:
        """Return the models with a prediction for each item, by name."""
        found = {each.name: each.numbers for each in self.performances}
        return {name: each for name, each in found.items() if each is not None and each.predicted is not None}

    def require_predictions(self, kind: str) -> dict[str, NumberPredictions]:
        """Return the predictions by model, for a figure that needs some."""
        if not self.predicted:
            problem = f"a figure of kind {kind} needs predictions, found only quantiles"
            raise GermaneError(problem, hint="name them: `predicted=…`")
        return self.predicted

    @property
    def with_quantiles(self) -> Performance | None:
        """The model with quantiles, if there is one."""
        return next((each for each in self.performances if each.numbers is not None and each.numbers.quantiles), None)

    def require_quantiles(self, kind: str) -> Performance:
        """Return the model with quantiles, for a figure that needs some."""
        if self.with_quantiles is None:
            hint = "name their columns: `quantiles={0.1: …, 0.9: …}`"
            raise GermaneError(f"a figure of kind {kind} needs quantiles, found none", hint=hint)
        return self.with_quantiles


def regression_numbers(found: Performances) -> RegressionNumbers:
    """Return the numbers behind a report on predicted numbers."""
    performances, name = list(found), found[0].name
    if found.inputs is not None:
        name = found.inputs.options.get("name") or name_of(found.inputs.given[0])
    if len(performances) == 1 and (column := performances[0].columns.get("predicted")) is not None:
        performances = [replace(performances[0], name=column)]
    return RegressionNumbers(name, tuple(performances), found.comparison)
