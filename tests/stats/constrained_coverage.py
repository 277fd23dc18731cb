"""How often intervals of constrained rates, gain and lift cover: `PYTHONPATH=src python -m
tests.stats.constrained_coverage` prints the table.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from germane.measures.decisions.measure import DECISION_MEASURES
from germane.stats.intervals.scores import score_estimates
from germane.tables.decisions.decisions import Decisions

APART = 2.0
"""Distance between the two normal distributions of the scores, whose variance is 1: an AUC of 0.92."""


def _tpr_at(fpr: float) -> float:
    return float(ndtr(APART + ndtri(fpr)))


def _fpr_at(tpr: float) -> float:
    return float(ndtr(ndtri(tpr) - APART))


def _ppv_at(tpr: float, prevalence: float) -> float:
    hits, errors = prevalence * tpr, (1 - prevalence) * _fpr_at(tpr)
    return hits / (hits + errors)


def _tpr_at_ppv(ppv: float, prevalence: float) -> float:
    return float(brentq(lambda tpr: _ppv_at(tpr, prevalence) - ppv, 1e-12, 1 - 1e-12))


def _gain_at(share: float, prevalence: float) -> float:
    fpr = brentq(lambda x: prevalence * _tpr_at(x) + (1 - prevalence) * x - share, 1e-12, 1 - 1e-12)
    return _tpr_at(float(fpr))


TRUTHS: dict[str, Callable[[float], float]] = {
    "TPR(at_fpr=0.01)": lambda _: _tpr_at(0.01),
    "TPR(at_fpr=0.1)": lambda _: _tpr_at(0.1),
    "FPR(at_tpr=0.95)": lambda _: _fpr_at(0.95),
    "PPV(at_tpr=0.8)": lambda prevalence: _ppv_at(0.8, prevalence),
    "TPR(at_ppv=0.6)": lambda prevalence: _tpr_at_ppv(0.6, prevalence),
    "gain(at=0.2)": lambda prevalence: _gain_at(0.2, prevalence),
    "lift(at=0.2)": lambda prevalence: _gain_at(0.2, prevalence) / 0.2,
}
"""The value in the population, given the prevalence."""


def coverage(name: str, items: int, prevalence: float, trials: int, resamples: int = 400) -> tuple[float, float]:
    """Return the share of intervals that hold the population's value, and their mean width."""
    measure, truth = DECISION_MEASURES.parse(name), TRUTHS[name](prevalence)
    random, positives = np.random.default_rng((items, trials)), round(items * prevalence)
    labels = np.arange(items) < positives
    held, widths = 0, []
    for seed in range(trials):
        decisions = Decisions.of(labels, random.normal(size=items) + APART * labels)
        found = score_estimates({name: measure}, decisions, resamples=resamples, seed=seed)[name]
        if found.has_interval:
            held += found.low <= truth <= found.high
            widths.append(found.high - found.low)
    return (held / len(widths), float(np.mean(widths))) if widths else (math.nan, math.nan)


def table(trials: int = 2000, resamples: int = 400) -> str:
    """Coverage and mean width by measure, number of items and prevalence, as Markdown."""
    lines = ["| measure | items | prevalence | coverage | mean width |", "| :-- | --: | --: | --: | --: |"]
    for name in TRUTHS:
        for items in (100, 1000):
            for prevalence in (0.5, 0.05):
                share, width = coverage(name, items, prevalence, trials, resamples)
                lines.append(f"| `{name}` | {items:,} | {prevalence:g} | {share:.1%} | {width:.3f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table(*map(int, sys.argv[1:])))
