"""Text of the classification report: headings and settings."""

from __future__ import annotations

from germane.api.reports.decisions import DecisionNumbers
from germane.api.reports.scores import PROBIT_STEPS, STEPS
from germane.output.page.shell import skeleton

SECTIONS = {
    "overview": "Overview",
    "threshold": "Threshold explorer",
    "curves": "Trade-off curves",
    "calibration": "Calibration",
    "confusion": "Confusion matrix",
    "rates": "Measures with confidence intervals",
    "comparison": "Differences between classifiers",
    "method": "Methods",
}


def sections(numbers: DecisionNumbers) -> dict[str, str]:
    """Sections with content, by id."""
    scored = bool(numbers.views)
    shown = {
        "threshold": scored,
        "curves": scored,
        "calibration": any(view.probabilities for view in numbers.views),
        "confusion": bool(numbers.with_matrix) and (numbers.predicted or not scored or _many_classes(numbers)),
        "comparison": numbers.comparison is not None,
    }
    found = {name: heading for name, heading in SECTIONS.items() if shown.get(name, True)}
    if scored and "confusion" in found:
        found["confusion"] = "Confusion matrix of the predicted labels"
    return found


def _many_classes(numbers: DecisionNumbers) -> bool:
    return any(len(found.confusion) > 2 for found in numbers.with_matrix if found.confusion is not None)


def settings(numbers: DecisionNumbers) -> list[tuple[str, str]]:
    """Settings that define the numbers: name and text."""
    first = numbers.performances[0]
    lines = [("Data", f"{numbers.name}: {first.num_rows:,} items")]
    lines += [(f"Column: {role}", name) for role, name in first.columns.items()]
    if numbers.views:
        view = numbers.views[0]
        total = view.decisions.num_positive + view.decisions.num_negative
        if len({each.positive for each in numbers.views}) == 1:
            lines.append(
                (
                    "Positive class",
                    f"{view.positive}: {view.decisions.num_positive:,} of {total:,} items ({view.prevalence:.2%})",
                )
            )
        else:
            lines.append(("Positive class", "each class in turn, versus the rest"))
        lines.append(("Predicted positive", "score at or above the threshold"))
        kept, there = len(view.stops.thresholds), len(view.decisions)
        bound = (
            "all of them, and infinity, above which no item is predicted positive"
            if len(view.places) > there
            else f"{kept:,} are shown, with exact counts; the others are less than 1/{STEPS} away in false and true "
            f"positive rate, and less than 1/{PROBIT_STEPS} of an axis of the DET curve"
        )
        lines.append(("Thresholds", f"{there:,} distinct scores in {view.name}; {bound}"))
    lines += [
        ("Intervals", f"{first.level * 100:g}% confidence; the table of measures names the method of each"),
        ("Undefined values", "a rate of 0/0 is shown as –"),
        ("Random seed", str(first.seed)),
    ]
    return lines


def body(title: str, shown: dict[str, str], *, scored: bool) -> str:
    """HTML skeleton of the page, filled by its script."""
    bar = '<div id="controls" class="controls deciding" role="region" aria-label="Threshold"></div>' if scored else ""
    return skeleton(title, shown, bar)
