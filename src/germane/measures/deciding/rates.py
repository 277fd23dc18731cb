"""Every rate of a two-by-two confusion matrix: a name, one expression, and what is known about it.

An expression speaks of TP, FP, FN and TN, and of the parameters it names. NumPy evaluates it for one matrix, for every
threshold or for thousands of resamples; threshold rules compare its exact fractions; a web page gets its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from germane.errors import MeasureError, did_you_mean
from germane.measures.deciding.expressions import Expression
from germane.tables.confusion import Cells
from germane.tables.ids import FloatArray
from germane.tables.spelling import given_once, written

IntervalKind = Literal["proportion", "two proportions", "ratio", "cells", "projected", "cost"]
"""How an interval can be made: of one proportion; of the sum or difference of two; of a ratio, on the log scale; by
drawing the cells again; of two proportions carried to another prevalence; of a sum of two, each with its cost."""

INFINITY = float("inf")
BETA = r"\d*\.?\d+"
"""How beta is written behind an F."""
AT_ONCE = 1 << 14
"""Thresholds or resamples whose rates are computed at once."""


@dataclass(frozen=True)
class Rate:
    """One rate: its formula and what the reports say of it."""

    name: str
    title: str
    formula: str
    names: tuple[str, ...] = ()
    """What else people call it."""
    interval: IntervalKind = "proportion"
    bounds: tuple[float, float] = (0, 1)
    better: Literal["higher", "lower", "neither"] = "higher"
    defaults: Mapping[str, float | None] = field(default_factory=dict)
    """Its parameters; one without a default must be given."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    reference: str = ""
    edge_cases: str = ""

    @cached_property
    def expression(self) -> Expression:
        return Expression(self.formula)

    def __call__(self, cells: Cells, **parameters: float) -> FloatArray:
        """Its value for each entry of the cells; NaN where it is 0 / 0.

        >>> rate_of("PPV")(Cells(20, 180, 10, 1820)).item()
        0.1
        """
        return self.expression(**cells._asdict(), **self.filled(parameters))

    def exact(self, cells: Cells, **parameters: float) -> Any:
        """Its value for four whole numbers, as a fraction."""
        return self.expression.exact(**cells._asdict(), **self.filled(parameters))

    def filled(self, parameters: Mapping[str, float]) -> dict[str, float]:
        """The parameters, defaults filled in."""
        for name, value in parameters.items():
            if name not in self.defaults:
                there = f"it has: {', '.join(self.defaults)}" if self.defaults else f"{self.name} has none"
                raise MeasureError(
                    f"{self.name} has no parameter {name!r}{did_you_mean(name, self.defaults)}", hint=there
                )
            least, greatest = self.ranges.get(name, (0, INFINITY))
            if not least <= value <= greatest or value == INFINITY:
                raise MeasureError(f"{name} of {self.name} lies between {least:g} and {greatest:g}, found {value:g}")
        full = {**self.defaults, **parameters}
        for name, filled in full.items():
            if filled is None:
                raise MeasureError(f"{self.name} needs {name}", hint=f"write {self.name}({name}=…)")
        return {name: filled for name, filled in full.items() if filled is not None}

    @property
    def needs_parameters(self) -> bool:
        """Whether it cannot be computed before something is chosen."""
        return None in self.defaults.values()


_PREVALENCE = {"prevalence": (0.0, 1.0)}
_TPR, _FPR = "TP / (TP + FN)", "FP / (FP + TN)"

RATES = {
    rate.name: rate
    for rate in (
        Rate("TPR", "true positive rate", _TPR, ("sensitivity", "recall", "hit rate", "CAR", "GAR")),
        Rate("TNR", "true negative rate", "TN / (TN + FP)", ("specificity", "selectivity", "CRR")),
        Rate("PPV", "positive predictive value", "TP / (TP + FP)", ("precision",)),
        Rate("NPV", "negative predictive value", "TN / (TN + FN)"),
        Rate("FNR", "false negative rate", "FN / (FN + TP)", ("miss rate", "FRR", "FNMR"), better="lower"),
        Rate("FPR", "false positive rate", _FPR, ("fall-out", "fallout", "FAR", "FMR"), better="lower"),
        Rate("FDR", "false discovery rate", "FP / (FP + TP)", better="lower"),
        Rate("FOR", "false omission rate", "FN / (FN + TN)", better="lower"),
        Rate("ACC", "accuracy", "(TP + TN) / (TP + FP + FN + TN)"),
        Rate("ERR", "error rate", "(FP + FN) / (TP + FP + FN + TN)", ("misclassification rate",), better="lower"),
        Rate(
            "BA",
            "balanced accuracy",
            "(TP / (TP + FN) + TN / (TN + FP)) / 2",
            ("balanced accuracy",),
            interval="two proportions",
        ),
        Rate(
            "HTER",
            "half total error rate",
            "(FN / (FN + TP) + FP / (FP + TN)) / 2",
            interval="two proportions",
            better="lower",
        ),
        Rate("prevalence", "share of positives", "(TP + FN) / (TP + FP + FN + TN)", better="neither"),
        Rate(
            "predicted",
            "share of items called positive",
            "(TP + FP) / (TP + FP + FN + TN)",
            ("queue rate", "predicted prevalence"),
            better="neither",
        ),
        Rate(
            "F",
            "weighted harmonic mean of precision and recall",
            "(1 + beta ** 2) * TP / ((1 + beta ** 2) * TP + beta ** 2 * FN + FP)",
            ("f-measure", "f-score"),
            interval="cells",
            defaults={"beta": 1.0},
            reference="van Rijsbergen, Information Retrieval, Butterworths 1979.",
            edge_cases="TN plays no part. NaN if there is neither a positive nor anything called positive.",
        ),
        Rate("Jaccard", "overlap of what is and what is called positive", "TP / (TP + FP + FN)", ("IoU", "CSI")),
        Rate(
            "MCC",
            "Matthews correlation coefficient",
            "(TP * TN - FP * FN) / sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))",
            ("phi", "Matthews"),
            interval="cells",
            bounds=(-1, 1),
            reference="Matthews, Biochim. Biophys. Acta 405 (1975), 442-451.",
            edge_cases="NaN if a row or a column of the matrix is empty.",
        ),
        Rate(
            "kappa",
            "agreement beyond chance, each side with its own marginals",
            "2 * (TP * TN - FP * FN) / ((TP + FP) * (FP + TN) + (TP + FN) * (FN + TN))",
            ("Cohen's kappa",),
            interval="cells",
            bounds=(-1, 1),
            reference="Cohen, Educational and Psychological Measurement 20 (1960), 37-46.",
        ),
        Rate(
            "informedness",
            "informedness of the decisions",
            "TP / (TP + FN) + TN / (TN + FP) - 1",
            ("Youden", "J", "BM"),
            interval="two proportions",
            bounds=(-1, 1),
            reference="Youden, Cancer 3 (1950), 32-35.",
        ),
        Rate(
            "markedness",
            "markedness of the decisions",
            "TP / (TP + FP) + TN / (TN + FN) - 1",
            ("MK", "delta P"),
            interval="two proportions",
            bounds=(-1, 1),
        ),
        Rate(
            "LR+",
            "positive likelihood ratio",
            "(TP / (TP + FN)) / (FP / (FP + TN))",
            ("PLR",),
            interval="ratio",
            bounds=(0, INFINITY),
            edge_cases="Infinite if no negative is called positive.",
        ),
        Rate(
            "LR-",
            "negative likelihood ratio",
            "(FN / (FN + TP)) / (TN / (TN + FP))",
            ("NLR", "LR−"),
            interval="ratio",
            bounds=(0, INFINITY),
            better="lower",
            edge_cases="Infinite if every negative is called positive.",
        ),
        Rate(
            "DOR",
            "diagnostic odds ratio",
            "(TP * TN) / (FP * FN)",
            ("odds ratio",),
            interval="ratio",
            bounds=(0, INFINITY),
            edge_cases="Infinite if there is no error of one kind.",
        ),
        Rate(
            "PPV_at",
            "positive predictive value at another prevalence",
            f"{_TPR} * prevalence / ({_TPR} * prevalence + {_FPR} * (1 - prevalence))",
            ("projected PPV",),
            interval="projected",
            defaults={"prevalence": None},
            ranges=_PREVALENCE,
            reference="Mercaldo, Lau & Zhou, Statistics in Medicine 26 (2007), 2170-2183.",
        ),
        Rate(
            "NPV_at",
            "negative predictive value at another prevalence",
            "TN / (TN + FP) * (1 - prevalence) / (TN / (TN + FP) * (1 - prevalence) + FN / (FN + TP) * prevalence)",
            ("projected NPV",),
            interval="projected",
            defaults={"prevalence": None},
            ranges=_PREVALENCE,
            reference="Mercaldo, Lau & Zhou, Statistics in Medicine 26 (2007), 2170-2183.",
        ),
        Rate(
            "cost",
            "expected cost of an item",
            f"cost_fn * prevalence * FN / (FN + TP) + cost_fp * (1 - prevalence) * {_FPR}",
            ("expected cost",),
            interval="cost",
            bounds=(0, INFINITY),
            better="lower",
            defaults={"cost_fp": 1.0, "cost_fn": 1.0, "prevalence": None},
            ranges=_PREVALENCE,
        ),
        Rate(
            "net_benefit",
            "true positives less the false ones, weighed by the odds at which one would act",
            "TP / (TP + FP + FN + TN) - FP / (TP + FP + FN + TN) * act_at / (1 - act_at)",
            ("net benefit",),
            interval="cells",
            bounds=(-INFINITY, 1),
            defaults={"act_at": None},
            ranges={"act_at": (0.0, 1.0)},
            reference="Vickers & Elkin, Medical Decision Making 26 (2006), 565-574.",
        ),
    )
}
"""Every rate by its name, in the order of the reports."""


def rate_of(name: str) -> Rate:
    """The rate behind a name or one of its other names, however its words are joined.

    >>> rate_of("sensitivity").name, rate_of("fall-out").name, rate_of("Hit_Rate").name
    ('TPR', 'FPR', 'TPR')
    """
    known = {plain_name(alias): rate for rate in RATES.values() for alias in (rate.title, rate.name, *rate.names)}
    if plain_name(name) not in known:
        raise MeasureError(
            f"no rate is called {name!r}{did_you_mean(name, known)}", hint="`germane measures` lists them"
        )
    return known[plain_name(name)]


def plain_name(name: str) -> str:
    """A name as names are compared: in lower case, with blanks between words; the sign at the end of LR- stays."""
    return re.sub(r"[-_ ]+(?=\w)", " ", name.casefold())


@dataclass(frozen=True)
class ChosenRate:
    """A rate with its parameters, those at their defaults left out: what is computed, gated on, maximised."""

    rate: Rate
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = {key: value for key, value in self.parameters.items() if self.rate.defaults.get(key) != value}
        object.__setattr__(self, "parameters", own)

    def __str__(self) -> str:
        """As a person writes it: F1, F0.5, cost(cost_fn=5, prevalence=0.01)."""
        if self.rate.name == "F" and re.fullmatch(BETA, beta := written(self.parameters.get("beta", 1.0))):
            return f"F{beta}"
        given = {key: self.parameters[key] for key in self.rate.defaults if key in self.parameters}
        inside = ", ".join(f"{key}={written(value)}" for key, value in given.items())
        return f"{self.rate.name}({inside})" if inside else self.rate.name

    def __call__(self, cells: Cells) -> FloatArray:
        return self.rate(cells, **self.parameters)

    def exact(self, cells: Cells) -> Any:
        return self.rate.exact(cells, **self.parameters)


def parse_rate(text: str) -> ChosenRate:
    """What a person types: ``MCC``, ``recall``, ``F2``, ``F(beta=0.5)``, ``cost(cost_fn=5, prevalence=.01)``.

    >>> [str(parse_rate(text)) for text in ("precision", "F1", "F2", "f(beta=1)", "cost(prevalence=.1)")]
    ['PPV', 'F1', 'F2', 'F1', 'cost(prevalence=0.1)']
    """
    name, given = name_and_parameters(text)
    sugar = re.fullmatch(rf"[fF]({BETA})", name)
    if sugar:
        name, given = "F", given_once([("beta", float(sugar[1])), *given.items()], name, error=MeasureError)
    rate = rate_of(name)
    rate.filled(given)
    return ChosenRate(rate, given)


def name_and_parameters(text: str) -> tuple[str, dict[str, float]]:
    """Take what a person types apart.

    >>> name_and_parameters("cost(cost_fn=5, prevalence=.01)")
    ('cost', {'cost_fn': 5.0, 'prevalence': 0.01})
    """
    match = re.fullmatch(r"\s*([^()=]+?)\s*(?:\(([^()]*)\))?\s*", text)
    if match is None:
        raise MeasureError(f"expected the name of a rate, with its parameters in brackets, found {text!r}")
    given: list[tuple[str, float]] = []
    for part in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        key, _, value = (piece.strip() for piece in part.partition("="))
        try:
            given.append((key, float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)))
        except ValueError:
            raise MeasureError(f"expected parameter=number in {text!r}, found {part!r}") from None
    return match[1], given_once(given, match[1], error=MeasureError)


def all_rates() -> list[Rate]:
    """Every rate, in the order of the reports."""
    return list(RATES.values())


def reported_rates() -> list[ChosenRate]:
    """The rates of a report: all that need no choice."""
    return [ChosenRate(rate) for rate in RATES.values() if not rate.needs_parameters]


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
