"""Report on predicted numbers: data blocks, figure specs and the text around them."""

from __future__ import annotations

from typing import Any

from germane.api.reports.regression import RegressionNumbers
from germane.output.page.shell import page, skeleton
from germane.output.plots import predictions
from germane.output.reports.classification_page import estimate_groups, forest_of_pairs, notes_on
from germane.output.reports.regression_rows import MAX_POINTS, error_rows, predicted_rows, quantile_rows
from germane.tables.results.columns import for_json

SECTIONS = {
    "overview": "Overview",
    "predictions": "Predictions and errors",
    "quantiles": "Calibration of quantiles",
    "rates": "Measures with confidence intervals",
    "comparison": "Differences between models",
    "method": "Methods",
}


def regression_page(numbers: RegressionNumbers, title: str = "Regression report") -> str:
    """Return the complete, self-contained page."""
    shown = {"predictions": bool(numbers.predicted), "quantiles": numbers.with_quantiles is not None}
    shown["comparison"] = numbers.comparison is not None
    sections = {name: heading for name, heading in SECTIONS.items() if shown.get(name, True)}
    data = {
        "overview": _overview(numbers),
        "estimates": [estimate_groups(found) for found in numbers.performances],
        "figures": _rows(numbers),
    }
    return page(title, skeleton(title, sections), "regression.js", data, _specs(numbers))


def _rows(numbers: RegressionNumbers) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if numbers.predicted:
        found["points"] = predicted_rows(numbers)["rows"]
    if numbers.with_quantiles is not None:
        found["quantiles"] = quantile_rows(numbers)["rows"]
    return found


def _specs(numbers: RegressionNumbers) -> dict[str, Any]:
    """The figures without their rows, which the page has once for all of them."""
    wide: dict[str, Any] = {"width": "container"}
    found: dict[str, Any] = {}
    if numbers.predicted:
        found["predicted"] = predictions.against_truth(**{**predicted_rows(numbers), "rows": []})
        found["residuals"] = predictions.errors(**{**error_rows(numbers), "rows": []}, **wide)
    if numbers.with_quantiles is not None:
        found["quantiles"] = predictions.quantile_calibration([], level=numbers.with_quantiles.level)
    if numbers.comparison is not None:
        found["forest"] = forest_of_pairs()
    return found


def _overview(numbers: RegressionNumbers) -> dict[str, Any]:
    first, comparison = numbers.performances[0], numbers.comparison
    drawn = min(MAX_POINTS, max(map(len, numbers.predicted.values()), default=0))
    return {
        "name": numbers.name,
        "num_items": first.num_rows,
        "num_drawn": drawn,
        "called": "Model",
        "classifiers": [found.name for found in numbers.performances],
        "level": first.level,
        "settings": _settings(numbers),
        "notes": [{**note.to_dict(), "amount": note.amount, "what": note.what} for note in notes_on(numbers)],
        "nothing_noted": "No issues.",
        "comparison": None
        if comparison is None
        else {
            **for_json(comparison.document()),
            "intervals_in_words": comparison.intervals_in_words,
            "family_in_words": comparison.family_in_words,
        },
    }


def _settings(numbers: RegressionNumbers) -> list[tuple[str, str]]:
    """Settings that define the numbers: name and text."""
    first = numbers.performances[0]
    lines = [("Data", f"{numbers.name}: {first.num_rows:,} items")]
    lines += [(f"Column: {role}", name) for role, name in first.columns.items()]
    lines += [
        ("Error", "predicted − true"),
        ("Intervals", f"{first.level * 100:g}% confidence; the table of measures names the method of each"),
    ]
    if numbers.comparison is not None:
        tests = dict.fromkeys(pair.test for pair in numbers.comparison.pairs if pair.test != "none")
        lines.append(("Test", f"paired by item: {', '.join(tests) or 'none'}; p {numbers.comparison.family_in_words}"))
    return [*lines, ("Random seed", str(first.seed))]
