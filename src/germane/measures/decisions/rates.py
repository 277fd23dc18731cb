"""Every rate of a two-by-two confusion matrix: its name, one expression, and its documentation.

An expression uses TP, FP, FN, TN and the rate's parameters. NumPy evaluates it for one matrix, for every threshold or
for thousands of resamples; threshold rules compare its exact fractions; the report page evaluates its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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
"""Method for the interval of a rate: one proportion; sum or difference of two proportions; ratio, on the log scale;
bootstrap of the cells; two proportions projected to another prevalence; cost-weighted sum of two proportions."""

BETA = r"\d*\.?\d+"
"""Pattern of the number in names such as F1 and F0.5."""
AT_ONCE = 1 << 14
"""Number of thresholds or resamples per chunk, so that the arrays of a chunk fit the cache."""


@dataclass(frozen=True, eq=False, repr=False)
class Rate(MeasureEntry):
    """A rate of a two-by-two confusion matrix, with its parameters, formula and documentation."""

    target: Callable[..., Any] = field(init=False, default=Expression)
    title: str
    formula: str
    _: KW_ONLY
    interval: IntervalKind = "proportion"
    bounds: tuple[float, float] = (0, 1)
    takes: tuple[Parameter, ...] = ()
    reference: str = ""
    edge_cases: str = "NaN if the denominator is 0."

    @cached_property
    def expression(self) -> Expression:
        return Expression(self.formula)

    def __call__(self, cells: Cells, **parameters: float) -> FloatArray:
        """Return the rate for each entry of the cells; NaN where it is 0 / 0.

        >>> RATES["PPV"](Cells(20, 180, 10, 1820)).item()
        0.1
        """
        return self.expression(**cells._asdict(), **self.filled(**parameters))

    def exact(self, cells: Cells, **parameters: float) -> Any:
        """Return the rate for four integer cells, as an exact fraction."""
        return self.expression.exact(**cells._asdict(), **self.filled(**parameters))

    def filled(self, **parameters: float) -> dict[str, float]:
        """Return the parameters with defaults filled in; raise an error if a required one is missing."""
        chosen: Rate = self.choose(**{**dict(self.rest), **parameters})
        return chosen.settings

    @property
    def needs_parameters(self) -> bool:
        """Whether the rate has a required parameter."""
        return any(parameter.default is REQUIRED for parameter in self.takes)

    def __str__(self) -> str:
        """Return the name with parameters, as people write it: F1, F0.5, cost(cost_fn=5, prevalence=0.01)."""
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
    """The catalogue of rates; a number after F is its beta."""

    def respell(self, name: str, *, any_case: bool) -> str | None:
        if beta := re.fullmatch(rf"[fF]({BETA})", name):
            return f"F(beta={beta[1]})"
        return without_ending(self, name) if any_case else None


def without_ending(catalogue: Catalogue[Any, Any], name: str) -> str | None:
    """Return a name without the suffix of scikit-learn's functions (_score, _loss), if that is in the catalogue."""
    shorter = re.sub(r"(?i)[_ ](?:score|loss)$", "", name)
    return shorter if shorter != name and shorter in catalogue else None


RATES = Rates("rate", Rate, Rate, example="MCC or F(beta=2)", lists="run `germane measures` for a list")
"""Every rate, in the order of reports."""
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
        "share of items predicted positive",
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
        edge_cases="Ignores TN. NaN if nothing is positive and nothing is predicted positive.",
    ),
    Rate(
        "Jaccard",
        "Jaccard index of the positive and the predicted positive items",
        "TP / (TP + FP + FN)",
        names=("IoU", "CSI"),
    ),
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
        "chance-corrected agreement of predicted and true labels, own marginals",
        "2 * (TP * TN - FP * FN) / ((TP + FP) * (FP + TN) + (TP + FN) * (FN + TN))",
        names=("Cohen's kappa",),
        interval="cells",
        bounds=(-1, 1),
        reference="Cohen, Educational and Psychological Measurement 20 (1960), 37-46.",
    ),
    _of_two(
        "informedness",
        "informedness of the predictions",
        f"{_TPR} + {_TNR} - 1",
        names=("Youden", "J", "BM"),
        bounds=(-1, 1),
        reference="Youden, Cancer 3 (1950), 32-35.",
    ),
    _of_two(
        "markedness",
        "markedness of the predictions",
        "TP / (TP + FP) + TN / (TN + FN) - 1",
        names=("MK", "delta P"),
        bounds=(-1, 1),
    ),
    _ratio(
        "LR+",
        "positive likelihood ratio",
        f"({_TPR}) / ({_FPR})",
        names=("PLR",),
        edge_cases="Infinite if no negative is predicted positive.",
    ),
    _ratio(
        "LR-",
        "negative likelihood ratio",
        f"({_FNR}) / ({_TNR})",
        names=("NLR", "LR−"),
        better="lower",
        edge_cases="Infinite if every negative is predicted positive.",
    ),
    _ratio(
        "DOR",
        "diagnostic odds ratio",
        "(TP * TN) / (FP * FN)",
        names=("odds ratio",),
        edge_cases="Infinite if FP or FN is 0.",
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
        "expected cost per item",
        f"cost_fn * prevalence * {_FNR} + cost_fp * (1 - prevalence) * {_FPR}",
        names=("expected cost",),
        interval="cost",
        bounds=(0, MANY),
        better="lower",
        takes=(*(Parameter(name, float, 1.0, range=Range(0)) for name in ("cost_fp", "cost_fn")), _GIVEN),
    ),
    Rate(
        "net_benefit",
        "share of true positives minus share of false positives times the odds of act_at",
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
    """Return the rates of a report: all without a required parameter."""
    return [rate for rate in RATES if not rate.needs_parameters]


def rates_of(cells: Cells, rates: Sequence[Rate] = ()) -> dict[str, FloatArray]:
    """Return these rates for each entry of the cells; by default, all without a required parameter.

    >>> round(rates_of(Cells(900, 2000, 100, 7000))["MCC"].item(), 3)
    0.448
    """
    chosen = rates or reported_rates()
    columns = np.broadcast_arrays(*cells)
    found = [np.empty(columns[0].shape) for _ in chosen]
    flat = [column.reshape(-1) for column in (*columns, *found)]
    # In chunks that fit the cache, so that intermediate arrays stay small.
    for start in range(0, flat[0].size, AT_ONCE):
        piece = [column[start : start + AT_ONCE] for column in flat]
        as_floats = Cells(*(column.astype(np.float64) for column in piece[:4]))
        for rate, result in zip(chosen, piece[4:], strict=True):
            result[:] = rate(as_floats)
    return {str(rate): result for rate, result in zip(chosen, found, strict=True)}
