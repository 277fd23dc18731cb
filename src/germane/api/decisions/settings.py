"""Settings of `classify`, shared by all its parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from germane.api.options import Average, Mcnemar, Task
from germane.errors import GermaneError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import grouped_name
from germane.measures.decisions.rates import RATES, Rate, reported_rates
from germane.stats.intervals.proportions import require_level
from germane.tables.decisions.confusion import Label, Rows
from germane.tables.decisions.label_text import require_separator


@dataclass(frozen=True)
class Settings:
    """Settings of `classify`: task, classes, measures and intervals.

    `interval` is the method for proportions; `bootstrap` the one for F, MCC, kappa and averages, which resamples cells,
    within each true class if `stratified`; `auc_scale` is the scale of DeLong's interval. By default `resamples` is
    2,000, and fewer for measures of many scores. `zero_division` is the value of 0 / 0. `measures` restricts the
    overall measures. `thresholds` has one for each label and `separator` stands between labels, where an item may have
    several. `baseline`, `correction` and `mcnemar` are for several classifiers.
    """

    task: Task = "classes"
    matrix: bool = False
    rows: Rows = "truth"
    stream: bool = False
    labels: Sequence[Label] | None = None
    positive: Label | None = None
    one_class: Label | None = None
    threshold: float | None = None
    thresholds: Mapping[Label, float] | None = None
    separator: str | None = None
    average: Average | None = None
    are_probabilities: bool | None = None
    measures: tuple[str, ...] | None = None
    level: float = 0.95
    interval: str = "wilson"
    bootstrap: Literal["bca", "percentile"] = "bca"
    stratified: bool = False
    auc_scale: Literal["logit", "plain"] = "logit"
    resamples: int | None = None
    seed: int = 0
    zero_division: float = math.nan
    prevalence: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    baseline: str | None = None
    correction: str = "holm"
    mcnemar: Mcnemar = "exact"
    name: str | None = None
    progress: Callable[[int, int | None], None] | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any], measures: str | Iterable[str] | None = None) -> Settings:
        """Return the settings of these options; an invalid value is an error."""
        names = DECISION_MEASURES.parts(measures) if isinstance(measures, str) else measures
        limits = options.get("threshold")
        if isinstance(limits, Mapping):
            options = {**options, "threshold": None, "thresholds": limits}
        settings = cls(**options, measures=None if names is None else tuple(map(grouped_name, names)))
        require_level(settings.level)
        if settings.resamples is not None and settings.resamples < 1:
            raise GermaneError(f"expected resamples of 1 or more, found {settings.resamples}")
        if settings.thresholds is not None and settings.task != "label-sets":
            hint = "use one number, or `task='label-sets'`"
            raise GermaneError("a threshold for each label requires several labels per item", hint=hint)
        if any(
            limit is not None and math.isnan(limit)
            for limit in (settings.threshold, *(settings.thresholds or {}).values())
        ):
            raise GermaneError("expected a number as threshold, found NaN")
        if settings.separator is not None:
            require_separator(settings.separator)
            if settings.task != "label-sets":
                raise GermaneError("`separator=` is for sets of labels", hint="add `task='label-sets'`")
        if settings.average == "samples" and settings.task != "label-sets":
            hint = "choose from macro, micro, weighted"
            raise GermaneError("`average='samples'` requires several labels per item", hint=hint)
        for name, most in (("zero_division", 1), ("prevalence", 1), ("cost_fp", math.inf), ("cost_fn", math.inf)):
            value = getattr(settings, name)
            if value is not None and (value < 0 or value > most):
                expected = "between 0 and 1" if most == 1 else "of 0 or more"
                raise GermaneError(f"expected {name} {expected}, found {value:g}")
        return settings

    def wants(self, name: str) -> bool:
        """Whether a measure is asked for, by its name in results; without `measures` all are."""
        return self.measures is None or name in self.measures

    @property
    def wants_decisions(self) -> bool:
        """Whether a measure is asked for that needs decisions, and not scores or probabilities."""
        return self.measures is None or any(kind not in ("scores", "probabilities") for kind in self._kinds)

    @property
    def wants_probabilities(self) -> bool:
        """Whether a measure of probabilities is asked for."""
        return self.measures is None or "probabilities" in self._kinds

    @property
    def _kinds(self) -> list[str]:
        """What the measures asked for need; rates need a matrix."""
        found = [DECISION_MEASURES.find(name.partition("(")[0]) for name in self.measures or ()]
        return ["matrix" if one is None else one.of for one in found]

    @property
    def cell_resamples(self) -> int:
        """Number of resamples of the cells of a matrix, which are cheap."""
        return self.resamples or 2000

    def of_cells(self) -> dict[str, Any]:
        """Return the options for resampling cells."""
        taken = self.cell_resamples
        return {"level": self.level, "stratified": self.stratified, "resamples": taken, "seed": self.seed}

    def of_rates(self) -> dict[str, Any]:
        """Return the options of `rate_estimates`."""
        return {"proportion": self.interval, "cells_method": self.bootstrap, **self.of_cells()}

    def chosen_rates(self) -> list[Rate]:
        """Return the rates of every report, and those that a given prevalence adds."""
        rates = reported_rates()
        if self.prevalence is not None:
            rates += [RATES[name].choose(prevalence=self.prevalence) for name in ("PPV_at", "NPV_at")]
        return rates
