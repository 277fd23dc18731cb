"""What the page on classifiers says in words: its sections, and what was measured and how."""

from __future__ import annotations

from germane.api.reports.decisions import DecisionNumbers
from germane.api.reports.scores import PROBIT_STEPS, STEPS
from germane.output.page.shell import skeleton

SECTIONS = {
    "overview": "At a glance",
    "threshold": "Move the threshold",
    "curves": "What the threshold trades",
    "calibration": "Calibration",
    "confusion": "Confusion matrix",
    "rates": "All measures, with intervals",
    "comparison": "Differences between classifiers",
    "method": "What was measured, and how",
}


def sections(numbers: DecisionNumbers) -> dict[str, str]:
    """The sections that there is something to say in."""
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
        found["confusion"] = "Confusion matrix of the predictions"
    return found


def _many_classes(numbers: DecisionNumbers) -> bool:
    return any(len(found.confusion) > 2 for found in numbers.with_matrix if found.confusion is not None)


def settings(numbers: DecisionNumbers) -> list[tuple[str, str]]:
    """What defines the numbers, in plain words, a line each."""
    first = numbers.performances[0]
    lines = [("Data", f"{numbers.name}: {first.num_rows:,} items")]
    lines += [(f"Column of {role}", name) for role, name in first.columns.items()]
    if numbers.views:
        view = numbers.views[0]
        total = view.decisions.num_positive + view.decisions.num_negative
        if len({each.positive for each in numbers.views}) == 1:
            lines.append(
                ("Positive", f"{view.positive}: {view.decisions.num_positive:,} of {total:,}, {view.prevalence:.2%}")
            )
        else:
            lines.append(("Positive", "each class in turn, against all others"))
        lines.append(("Called positive", "an item whose score is at or above the threshold"))
        kept, there = len(view.stops.thresholds), len(view.decisions)
        bound = (
            "all of them, and infinity, which calls nothing positive"
            if len(view.places) > there
            else f"{kept:,} are kept, with exact counts. What is left out lies less than 1/{STEPS} from what is kept, "
            f"in false and in true positive rate, and less than 1/{PROBIT_STEPS} of an axis of the DET curve"
        )
        lines.append(("Thresholds", f"{there:,} different scores in {view.name}; {bound}"))
    lines += [
        ("Intervals", f"{first.level * 100:g}%; the table of measures names how each is made"),
        ("Undefined", "a rate that is 0 / 0 is shown as –"),
        ("Seed", f"{first.seed}, for whatever is drawn at random"),
    ]
    return lines


def body(title: str, shown: dict[str, str], *, scored: bool) -> str:
    """The page's skeleton; the script fills it."""
    bar = '<div id="controls" class="controls deciding" role="region" aria-label="Threshold"></div>' if scored else ""
    return skeleton(title, shown, bar)
