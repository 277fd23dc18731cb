"""Every rate of a two-by-two confusion matrix: a name, one expression, and what is known about it.

An expression speaks of TP, FP, FN and TN, and of the parameters it names. NumPy evaluates it for one matrix, for every
threshold or for thousands of resamples; threshold rules compare its exact fractions; a web page gets its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from germane.catalogue import REQUIRED, Catalogue, Parameter, Range, written
from germane.measures.decisions.expressions import Expression
from germane.measures.definition import MANY, MeasureEntry
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells

IntervalKind = Literal["proportion", "two proportions", "ratio", "cells", "projected", "cost"]
"""How an interval can be made: of one proportion; of the sum or difference of two; of a ratio, on the log scale; by
drawing the cells again; of two proportions carried to another prevalence; of a sum of two, each with its cost."""

BETA = r"\d*\.?\d+"
"""How beta is written behind an F."""
AT_ONCE = 1 << 14
"""Thresholds or resamples whose rates are computed at once."""


@dataclass(frozen=True, eq=False, repr=False)
class Rate(MeasureEntry):
    """One rate with its parameters: its formula and what the reports say of it."""

    target: Callable[..., Any] = field(init=False, default=Expression)
    title: str
    formula: str
    _: KW_ONLY
    interval: IntervalKind = "proportion"
    bounds: tuple[float, float] = (0, 1)
    takes: tuple[Parameter, ...] = ()
    reference: str = ""
    edge_cases: str = "NaN where it would divide 0 by 0."

    @cached_property
    def expression(self) -> Expression:
        return Expression(self.formula)

    def __call__(self, cells: Cells, **parameters: float) -> FloatArray:
        """Its value for each entry of the cells; NaN where it is 0 / 0.

        >>> RATES["PPV"](Cells(20, 180, 10, 1820)).item()
        0.1
        """
        return self.expression(**cells._asdict(), **self.filled(**parameters))

    def exact(self, cells: Cells, **parameters: float) -> Any:
        """Its value for four whole numbers, as a fraction."""
        return self.expression.exact(**cells._asdict(), **self.filled(**parameters))

    def filled(self, **parameters: float) -> dict[str, float]:
        """The parameters, defaults filled in; one that must be given has been."""
        chosen: Rate = self.choose(**{**dict(self.rest), **parameters})
        return chosen.settings

    @property
    def needs_parameters(self) -> bool:
        """Whether it cannot be computed before something is chosen."""
        return any(parameter.default is REQUIRED for parameter in self.takes)

    def __str__(self) -> str:
        """As a person writes it: F1, F0.5, cost(cost_fn=5, prevalence=0.01)."""
        if self.name == "F" and re.fullmatch(BETA, beta := written(self.settings["beta"])):
            return f"F{beta}"
        return super().__str__()

    __repr__ = __str__

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        return {parameter.name: parameter for parameter in self.takes}

    @property
    def aliases(self) -> tuple[str, ...]:
        return *super().aliases, self.title

    @property
    def home(self) -> tuple[str, str]:
        return __name__, self.name

    @cached_property
    def summary(self) -> str:
        return f"{self.title[0].upper()}{self.title[1:]}."

    @cached_property
    def sections(self) -> Mapping[str, str]:
        return {"Formula": self.formula, "Reference": self.reference, "Edge cases": self.edge_cases}


class Rates(Catalogue[Rate, Rate]):
    """Rates; a number after F is its beta."""

    def respell(self, name: str, *, any_case: bool) -> str | None:
        if beta := re.fullmatch(rf"[fF]({BETA})", name):
            return f"F(beta={beta[1]})"
        return without_ending(self, name) if any_case else None


def without_ending(catalogue: Catalogue[Any, Any], name: str) -> str | None:
    """A name less what scikit-learn's functions say at their end, where the catalogue knows it then."""
    shorter = re.sub(r"(?i)[_ ](?:score|loss)$", "", name)
    return shorter if shorter != name and shorter in catalogue else None


RATES = Rates("rate", Rate, Rate, example="MCC or F(beta=2)", lists="run `germane measures` for a list")
"""Every rate, in the order of the reports."""
_BETA = Parameter("beta", float, 1.0, range=Range(0))
_GIVEN = Parameter("prevalence", float, range=Range(0, 1))
_TPR, _FPR = "TP / (TP + FN)", "FP / (FP + TN)"
_TNR, _FNR = "TN / (TN + FP)", "FN / (FN + TP)"
_ALL = "(TP + FP + FN + TN)"
_of_two = partial(Rate, interval="two proportions")
_ratio = partial(Rate, interval="ratio", bounds=(0, MANY))
_projected = partial(
    Rate,
    interval="projected",
    takes=(_GIVEN,),
    reference="Mercaldo, Lau & Zhou, Statistics in Medicine 26 (2007), 2170-2183.",
)

for _rate in (
    Rate("TPR", "true positive rate", _TPR, names=("sensitivity", "recall", "hit rate", "CAR", "GAR")),
    Rate("TNR", "true negative rate", _TNR, names=("specificity", "selectivity", "CRR")),
    Rate("PPV", "positive predictive value", "TP / (TP + FP)", names=("precision",)),
    Rate("NPV", "negative predictive value", "TN / (TN + FN)"),
    Rate("FNR", "false negative rate", _FNR, names=("miss rate", "FRR", "FNMR"), better="lower"),
    Rate("FPR", "false positive rate", _FPR, names=("fall-out", "fallout", "FAR", "FMR"), better="lower"),
    Rate("FDR", "false discovery rate", "FP / (FP + TP)", better="lower"),
    Rate("FOR", "false omission rate", "FN / (FN + TN)", better="lower"),
    Rate("ACC", "accuracy", f"(TP + TN) / {_ALL}"),
    Rate("ERR", "error rate", f"(FP + FN) / {_ALL}", names=("misclassification rate",), better="lower"),
    _of_two("BA", "balanced accuracy", f"({_TPR} + {_TNR}) / 2", names=("balanced accuracy",)),
    _of_two("HTER", "half total error rate", f"({_FNR} + {_FPR}) / 2", better="lower"),
    Rate("prevalence", "share of positives", f"(TP + FN) / {_ALL}", better="neither"),
    Rate(
        "predicted",
        "share of items called positive",
        f"(TP + FP) / {_ALL}",
        names=("queue rate", "predicted prevalence"),
        better="neither",
    ),
    Rate(
        "F",
        "weighted harmonic mean of precision and recall",
        "(1 + beta ** 2) * TP / ((1 + beta ** 2) * TP + beta ** 2 * FN + FP)",
        names=("f-measure", "f-score"),
        interval="cells",
        takes=(_BETA,),
        reference="van Rijsbergen, Information Retrieval, Butterworths 1979.",
        edge_cases="TN plays no part. NaN if there is neither a positive nor anything called positive.",
    ),
    Rate("Jaccard", "overlap of what is and what is called positive", "TP / (TP + FP + FN)", names=("IoU", "CSI")),
    Rate(
        "MCC",
        "Matthews correlation coefficient",
        "(TP * TN - FP * FN) / sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))",
        names=("phi", "Matthews"),
        interval="cells",
        bounds=(-1, 1),
        reference="Matthews, Biochim. Biophys. Acta 405 (1975), 442-451.",
        edge_cases="NaN if a row or a column of the matrix is empty.",
    ),
    Rate(
        "kappa",
        "agreement beyond chance, each side with its own marginals",
        "2 * (TP * TN - FP * FN) / ((TP + FP) * (FP + TN) + (TP + FN) * (FN + TN))",
        names=("Cohen's kappa",),
        interval="cells",
        bounds=(-1, 1),
        reference="Cohen, Educational and Psychological Measurement 20 (1960), 37-46.",
    ),
    _of_two(
        "informedness",
        "informedness of the decisions",
        f"{_TPR} + {_TNR} - 1",
        names=("Youden", "J", "BM"),
        bounds=(-1, 1),
        reference="Youden, Cancer 3 (1950), 32-35.",
    ),
    _of_two(
        "markedness",
        "markedness of the decisions",
        "TP / (TP + FP) + TN / (TN + FN) - 1",
        names=("MK", "delta P"),
        bounds=(-1, 1),
    ),
    _ratio(
        "LR+",
        "positive likelihood ratio",
        f"({_TPR}) / ({_FPR})",
        names=("PLR",),
        edge_cases="Infinite if no negative is called positive.",
    ),
    _ratio(
        "LR-",
        "negative likelihood ratio",
        f"({_FNR}) / ({_TNR})",
        names=("NLR", "LR−"),
        better="lower",
        edge_cases="Infinite if every negative is called positive.",
    ),
    _ratio(
        "DOR",
        "diagnostic odds ratio",
        "(TP * TN) / (FP * FN)",
        names=("odds ratio",),
        edge_cases="Infinite if there is no error of one kind.",
    ),
    _projected(
        "PPV_at",
        "positive predictive value at another prevalence",
        f"{_TPR} * prevalence / ({_TPR} * prevalence + {_FPR} * (1 - prevalence))",
        names=("projected PPV",),
    ),
    _projected(
        "NPV_at",
        "negative predictive value at another prevalence",
        f"{_TNR} * (1 - prevalence) / ({_TNR} * (1 - prevalence) + {_FNR} * prevalence)",
        names=("projected NPV",),
    ),
    Rate(
        "cost",
        "expected cost of an item",
        f"cost_fn * prevalence * {_FNR} + cost_fp * (1 - prevalence) * {_FPR}",
        names=("expected cost",),
        interval="cost",
        bounds=(0, MANY),
        better="lower",
        takes=(*(Parameter(name, float, 1.0, range=Range(0)) for name in ("cost_fp", "cost_fn")), _GIVEN),
    ),
    Rate(
        "net_benefit",
        "true positives less the false ones, weighed by the odds at which one would act",
        f"TP / {_ALL} - FP / {_ALL} * act_at / (1 - act_at)",
        names=("net benefit",),
        interval="cells",
        bounds=(-MANY, 1),
        takes=(Parameter("act_at", float, range=Range(0, 1)),),
        reference="Vickers & Elkin, Medical Decision Making 26 (2006), 565-574.",
    ),
):
    RATES.put(_rate)


def reported_rates() -> list[Rate]:
    """The rates of a report: all that need no choice."""
    return [rate for rate in RATES if not rate.needs_parameters]


def rates_of(cells: Cells) -> dict[str, FloatArray]:
    """Every rate that needs no choice, for each entry of the cells.

    >>> round(rates_of(Cells(900, 2000, 100, 7000))["MCC"].item(), 3)
    0.448
    """
    chosen = reported_rates()
    columns = np.broadcast_arrays(*cells)
    found = [np.empty(columns[0].shape) for _ in chosen]
    flat = [column.reshape(-1) for column in (*columns, *found)]
    # In pieces that a cache holds: what a formula computes on the way is not worth memory of its own.
    for start in range(0, flat[0].size, AT_ONCE):
        piece = [column[start : start + AT_ONCE] for column in flat]
        as_floats = Cells(*(column.astype(np.float64) for column in piece[:4]))
        for rate, result in zip(chosen, piece[4:], strict=True):
            result[:] = rate(as_floats)
    return {str(rate): result for rate, result in zip(chosen, found, strict=True)}
