"""Settings of `classify`, shared by all its parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from germane.api.options import Average, Mcnemar, Task
from germane.errors import GermaneError, unknown
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES, Rate, reported_rates
from germane.measures.decisions.requests import ALL, Request, chosen_rate
from germane.stats.intervals.proportions import require_level
from germane.tables.decisions.confusion import Label, Rows
from germane.tables.decisions.label_text import require_separator


@dataclass(frozen=True)
class Settings:
    """Settings of `classify`: task, classes, measures and intervals.

    `interval` is the method for proportions; `bootstrap` the one for F, MCC, kappa and averages, which resamples cells,
    within each true class if `stratified`; `auc_scale` is the scale of DeLong's interval. By default `resamples` is
    2,000, and fewer for measures of many scores. `zero_division` is the value of 0 / 0. `measures` restricts the
    overall measures; without it these are the usual ones, and those in `also`. `baseline`, `correction` and `mcnemar`
    are for several classifiers, `test` for several predictions of numbers or densities. `quantiles` are columns by
    share, `vectors` the vectors of items. Where an item may have several labels, `thresholds` has one for each label,
    and `separator` stands between labels. `against` is the slice that others are compared with, by default all others.
    """

    task: Task = "classes"
    matrix: bool = False
    invert: bool = False
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
    also: tuple[str, ...] = ()
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
    against: str | None = None
    test: str | None = None
    quantiles: Mapping[float, Any] | None = None
    vectors: Any = None
    name: str | None = None
    progress: Callable[[int, int | None], None] | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any], measures: str | Iterable[str] | None = None) -> Settings:
        """Return the settings of these options; an invalid value is an error."""
        limits = options.get("threshold")
        if isinstance(limits, Mapping):
            options = {**options, "threshold": None, "thresholds": limits}
        given = DECISION_MEASURES.parts(measures) if isinstance(measures, str) else measures
        names = None if given is None else [name.strip() for name in given]
        extra = {name: options.get(name) for name in ("prevalence", "cost_fp", "cost_fn")}
        asked = tuple(str(Request.of(name, **extra)) for name in names or () if name.casefold() != ALL)
        is_usual = names is None or len(asked) < len(names)
        settings = cls(**options, measures=None if is_usual else asked, also=asked if is_usual else ())
        if settings.task not in get_args(Task):
            raise unknown("task", settings.task, get_args(Task))
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

    @property
    def requests(self) -> tuple[Request, ...]:
        """The measures asked for by name, each once."""
        return tuple(map(Request.read, dict.fromkeys((*(self.measures or ()), *self.also))))

    def wants(self, name: str) -> bool:
        """Whether a measure is asked for, overall, of a class or averaged; without `measures` all usual ones are."""
        return self.measures is None or any(request.name == name for request in self.requests)

    @property
    def wants_decisions(self) -> bool:
        """Whether a measure is asked for that needs decisions, and not scores or probabilities."""
        others = ("scores", "probabilities", "probability table")
        return self.measures is None or any(request.kind not in others for request in self.requests)

    @property
    def wants_probabilities(self) -> bool:
        """Whether a measure of probabilities is asked for."""
        return self.measures is None or any(request.kind == "probabilities" for request in self.requests)

    def extra(self, kind: str, usual: Collection[str]) -> list[str]:
        """Return the names of the measures of a kind that are asked for and not among the usual ones."""
        return list(dict.fromkeys(r.name for r in self.requests if r.kind == kind and r.name not in usual))

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

    def usual_rates(self) -> list[Rate]:
        """Return the rates of every report, and those that a given prevalence adds."""
        rates = reported_rates()
        if self.prevalence is not None:
            rates += [RATES[name].choose(prevalence=self.prevalence) for name in ("PPV_at", "NPV_at")]
        return rates

    def chosen_rates(self) -> list[Rate]:
        """Return the usual rates, and those asked for."""
        rates = self.usual_rates()
        asked = [chosen_rate(name) for name in self.extra("rate", [str(rate) for rate in rates])]
        return rates + [rate for rate in asked if rate is not None]

    def is_shown(self, name: str) -> bool:
        """Whether a measure of a result is among the overall ones; one that only a class was asked for is not."""
        if self.measures is not None:
            return name in self.measures
        rates = [r for r in self.requests if r.kind == "rate"]
        only_of_groups = {r.name for r in rates if r.group} - {r.name for r in rates if not r.group}
        return name not in only_of_groups or name in map(str, self.usual_rates())
