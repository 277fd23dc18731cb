"""Breakdown of an average over classes, of a measure of the whole matrix, and of calibration by bins."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from germane.errors import MeasureError
from germane.measures.agreement.kappa import agreement_by_chance, distances
from germane.measures.decisions.explain import DecisionExplanation, explain_cells
from germane.measures.decisions.matrix import Average, averaged
from germane.measures.decisions.measure import DecisionMeasure
from germane.measures.decisions.rates import Rate
from germane.measures.decisions.requests import Request, chosen_measure
from germane.measures.decisions.scores.calibration import Bins, bin_sums, calibration_values
from germane.measures.decisions.scores.probabilities import brier
from germane.tables.decisions.confusion import Cells, Confusion, Label
from germane.tables.decisions.decisions import Decisions


def explain_average(rate: Rate, average: Average, confusion: Confusion) -> DecisionExplanation:
    """Break down the average of a rate: the cells and the value of each class, and what it adds to the average.

    >>> from germane.measures.decisions.rates import RATES
    >>> print(explain_average(RATES.parse("F1"), "macro", Confusion.of_matrix([[8, 2], [1, 9]])))
    class  TP  FP  FN  TN      F1    term
    0       8   1   2   9  0.8421  0.4211
    1       9   2   1   8  0.8571  0.4286
    <BLANKLINE>
    F1[macro] = sum of the terms = 0.8496
    """
    name, cells = f"{rate}[{average}]", confusion.all_cells()
    if rate.interval == "ratio":
        hint = f"explain {rate} of one class: {rate}[{confusion.labels[0]}]"
        raise MeasureError(f"{name} may be infinite for a class, so it has no mean over classes", hint=hint)
    values, value = rate(cells), averaged(rate, confusion.counts, average).item()
    columns: dict[str, Any] = {"class": [str(label) for label in confusion.labels]}
    columns |= {cell: column.tolist() for cell, column in cells._asdict().items()}
    columns[str(rate)] = values.tolist()
    if average == "micro":
        summed = explain_cells(str(rate), Cells(*(column.sum().item() for column in cells)))
        first, *others = summed.lines
        lines = (f"{name}: {rate} of the sums of the cells", first, *others)
        return DecisionExplanation(name, columns, lines, value)
    weights = confusion.support.astype(np.float64) if average == "weighted" else np.ones(len(confusion))
    weights = np.where(np.isnan(values), 0, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns["term"] = np.where(weights > 0, values * weights / weights.sum(), 0).tolist()
    return DecisionExplanation(name, columns, (f"{name} = sum of the terms = {value:.4f}",), value, "term")


def explain_mean(
    request: Request, sizes: Mapping[Label, float], values: Mapping[Label, float], value: float
) -> DecisionExplanation:
    """Break down the average of a measure of scores: the value of each class, and what it adds to the average.

    >>> print(explain_mean(Request("AUC", "weighted"), {"a": 1, "b": 3}, {"a": 0.5, "b": 0.75}, 0.6875))
    class  items     AUC    term
    a          1  0.5000  0.1250
    b          3  0.7500  0.5625
    <BLANKLINE>
    AUC[weighted] = sum of the terms = 0.6875
    """
    each = np.asarray([values[label] for label in sizes])
    weights = np.asarray(list(sizes.values()), dtype=np.float64)
    there = ~np.isnan(each) & (weights > 0)
    weights = np.where(there, 1.0 if request.group == "macro" else weights, 0.0)
    terms = np.where(there, each, 0) * weights / (weights.sum() or 1.0)
    if request.group not in ("macro", "weighted") or not math.isclose(terms.sum(), value, abs_tol=1e-9):
        problem = f"{request} has no breakdown, because it is not a mean over classes"
        raise MeasureError(problem, hint=f"explain {request.name} of a class: {request.name}[{next(iter(sizes))}]")
    columns: dict[str, Any] = {"class": [str(label) for label in sizes], "items": list(sizes.values())}
    columns |= {request.name: each.tolist(), "term": terms.tolist()}
    return DecisionExplanation(str(request), columns, (f"{request} = sum of the terms = {value:.4f}",), value, "term")


def explain_matrix(name: str, confusion: Confusion) -> DecisionExplanation:
    """Break down a measure of the whole matrix: the sums of each class, and the formula with its numbers.

    >>> print(explain_matrix("kappa(weights=linear)", Confusion.of_matrix([[13, 2, 5], [4, 15, 1], [2, 1, 57]])))
    class  items  predicted  correct
    0         20         19       13
    1         20         18       15
    2         60         63       57
    <BLANKLINE>
    observed disagreement = mean distance of the true and the predicted class = 0.2200
    expected disagreement = that of independent classes with these frequencies = 0.7880
    kappa(weights=linear) = 1 − observed / expected = 0.7208
    """
    chosen, counts = chosen_measure(name), confusion.counts
    value = chosen(confusion)
    true, predicted, correct = counts.sum(axis=1), counts.sum(axis=0), np.diag(counts)
    columns: dict[str, Any] = {"class": [str(label) for label in confusion.labels]}
    columns |= {"items": true.tolist(), "predicted": predicted.tolist(), "correct": correct.tolist()}
    lines = _lines(chosen, confusion)
    term = ""
    if chosen.name == "BA":
        with np.errstate(invalid="ignore"):
            recall = correct / true
            columns["TPR"], columns["term"] = recall.tolist(), np.nan_to_num(recall / (true > 0).sum()).tolist()
        lines, term = ["sum of the terms"], "term"
    *before, last = lines
    return DecisionExplanation(name, columns, (*before, f"{name} = {last} = {value:.4f}"), value, term)


def _lines(chosen: DecisionMeasure, confusion: Confusion) -> list[str]:
    """Return the lines before the value; the last one is the formula."""
    counts, n = confusion.counts, confusion.total
    true, predicted, correct = counts.sum(axis=1), counts.sum(axis=0), np.trace(counts)
    if chosen.name == "ACC":
        return [f"correct / items = {correct:g} / {n:g}"]
    if chosen.name == "MCC":
        shared, squares = (true * predicted).sum(), [(sums.astype(float) ** 2).sum() for sums in (true, predicted)]
        formula = f"({correct:g} · {n:g} − {shared:g}) / √(({n:g}² − {squares[0]:g}) ({n:g}² − {squares[1]:g}))"
        return ["(c n − sum of t p) / √((n² − sum of t²)(n² − sum of p²)); t items of a class, p predicted", formula]
    if chosen.name != "kappa":
        return [chosen.sections.get("Formula", chosen.summary), "value of this formula"]
    used = chosen.settings
    if used["weights"] is None:
        by_chance = float(agreement_by_chance(counts, chance=used["chance"]))
        kind = "its own" if used["chance"] == "own" else "pooled"
        return [
            f"P(A) = correct / items = {correct:g} / {n:g} = {correct / n:.4f}",
            f"P(E) = agreement by chance, from {kind} frequencies of the classes = {by_chance:.4f}",
            "(P(A) − P(E)) / (1 − P(E))",
        ]
    apart = distances(np.arange(len(confusion)), used["weights"])
    both = (true + predicted) / 2
    rows, columns = (true, predicted) if used["chance"] == "own" else (both, both)
    distance = "distance" if used["weights"] == "linear" else "squared distance"
    observed, expected = (counts * apart).sum() / n, (rows @ apart @ columns) / n**2
    return [
        f"observed disagreement = mean {distance} of the true and the predicted class = {observed:.4f}",
        f"expected disagreement = that of independent classes with these frequencies = {expected:.4f}",
        "1 − observed / expected",
    ]


def explain_bins(name: str, decisions: Decisions) -> DecisionExplanation:
    """Break down a measure of calibration over bins, or a part of the Brier score, bin by bin.

    >>> print(explain_bins("ECE(bins=2)", Decisions.of([True, False], [0.8, 0.4])))
    items  mean probability  share of positives   apart    term
        1            0.8000              1.0000  0.2000  0.1000
        1            0.4000              0.0000  0.4000  0.2000
    <BLANKLINE>
    ECE(bins=2) = sum of the terms = 0.3000
    """
    is_binned = name.endswith("(binned)") or name == "uncertainty"
    used = {} if is_binned else {key: chosen_measure(name).settings[key] for key in ("bins", "binning")}
    sums = bin_sums(decisions, **used)
    held, n = sums.held(), decisions.num_positive + decisions.num_negative
    share = decisions.num_positive / n if n else math.nan
    apart = np.abs(held.claimed - held.happened)
    if is_binned:
        value = calibration_values(brier(decisions), sums, decisions)[name]
    else:
        value = chosen_measure(name)(decisions)
    columns = _columns(held, apart)
    terms = {
        "ECE": apart,
        "miscalibration(binned)": apart**2,
        "discrimination(binned)": (held.happened - share) ** 2,
    }.get(name if is_binned else chosen_measure(name).name)
    if terms is not None:
        columns["term"] = (held.count * terms / n).tolist()
        return DecisionExplanation(name, columns, (f"{name} = sum of the terms = {value:.4f}",), value, "term")
    line = {
        "uncertainty": f"π (1 − π) = {share:.4f} · {1 - share:.4f}",
        "within(binned)": "what the spread of probabilities within bins adds to the Brier score",
    }.get(name, "largest difference in any bin")
    return DecisionExplanation(name, columns, (f"{name} = {line} = {value:.4f}",), value)


def _columns(held: Bins, apart: Any) -> dict[str, Any]:
    return {
        "items": held.count.tolist(),
        "mean probability": held.claimed.tolist(),
        "share of positives": held.happened.tolist(),
        "apart": apart.tolist(),
    }
