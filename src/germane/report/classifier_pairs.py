"""A comparison of classifiers as a table for people, or as JSON for programs."""

from __future__ import annotations

import math
from typing import Any

from germane.report.grids import render_grid
from germane.report.performance_json import finite
from germane.tables.classifier_comparison import ClassifierComparison


def comparison_title(comparison: ClassifierComparison) -> str:
    """What the table shows, and what was declared before."""
    return (
        f"Differences b - a on the same {comparison.num_items:,} items, with {comparison.intervals_in_words}; "
        f"p {comparison.family_in_words}; * significant at {comparison.alpha:g}"
    )


def render_pairs(comparison: ClassifierComparison, style: str, digits: int) -> str:
    """One line a pair and measure."""

    def number(value: float) -> str:
        return "–" if math.isnan(value) else f"{value:.{digits}f}"

    def chance(value: float) -> str:
        return f"<{10**-digits:.{digits}f}" if value < 10**-digits else number(value)

    def signed(value: float) -> str:
        return "–" if math.isnan(value) else f"{value:+.{digits}f}"

    rows = [
        [
            pair.measure,
            pair.a,
            pair.b,
            number(pair.value_a),
            number(pair.value_b),
            *map(signed, (pair.difference, pair.low, pair.high)),
            pair.test,
            chance(pair.p),
            chance(pair.p_adjusted) + (" *" if pair.significant(comparison.alpha) else ""),
            pair.remark,
        ]
        for pair in comparison.pairs
    ]
    header = [
        "measure",
        "a",
        "b",
        "value a",
        "value b",
        "difference",
        "low",
        "high",
        "test",
        "p",
        "p adjusted",
        "remark",
    ]
    if not any(pair.remark for pair in comparison.pairs):
        header, rows = header[:-1], [row[:-1] for row in rows]
    return render_grid(header, rows, style)


def comparison_as_dict(comparison: ClassifierComparison) -> dict[str, Any]:
    """What other programs read; null where a number is not defined."""
    return {
        "num_items": comparison.num_items,
        "correction": comparison.correction,
        "family": comparison.family,
        "num_tests": comparison.num_tests,
        "alpha": comparison.alpha,
        "level": comparison.level,
        "simultaneous": False,
        "matches_test": False,
        "seed": comparison.seed,
        "baseline": comparison.baseline,
        "pairs": [
            {
                "measure": pair.measure,
                "a": pair.a,
                "b": pair.b,
                "value_a": finite(pair.value_a),
                "value_b": finite(pair.value_b),
                "difference": finite(pair.difference),
                "low": finite(pair.low),
                "high": finite(pair.high),
                "p": finite(pair.p),
                "p_adjusted": finite(pair.p_adjusted),
                "test": pair.test,
                "interval": pair.interval,
                **({"remark": pair.remark} if pair.remark else {}),
            }
            for pair in comparison.pairs
        ],
    }
