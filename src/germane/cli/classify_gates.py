"""Gates on a classifier: `--fail-under MCC=.5`, on the value or on the worse end of its interval."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from germane.errors import GermaneError, did_you_mean
from germane.measures.deciding.names import canonical_name, lower_is_better
from germane.tables.confusion import Label
from germane.tables.performance import Performance

Gate = tuple[str, str, float]
"""The class or average that is meant (empty: over everything), the measure, the limit."""


def parse_gates(texts: Sequence[str]) -> list[Gate]:
    """Read ``MCC=.5`` and ``F1[macro]=.8``.

    >>> parse_gates(["recall=.9", "F1[macro]=.8"])
    [('', 'TPR', 0.9), ('macro', 'F1', 0.8)]
    """
    return [_gate(text) for text in texts]


def _gate(text: str) -> Gate:
    match = re.fullmatch(r"(.+?)(?:\[([^\]]+)\])?=([-+.\deE]+%?)", text)
    try:
        if match is None:
            raise ValueError
        return match[2] or "", canonical_name(match[1]), _limit(match[3])
    except ValueError as problem:
        if isinstance(problem, GermaneError):
            raise
        raise GermaneError(
            f"expected --fail-under MEASURE=VALUE such as MCC=.5 or 'F1[macro]=.8', found {text!r}"
        ) from None


def _limit(text: str) -> float:
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def failures(performance: Performance, gates: Sequence[Gate], look_at: str) -> list[str]:
    """One line for each gate that a classifier does not pass; a value that is not defined passes none."""
    lines = []
    for group, measure, limit in gates:
        if not group and measure not in performance.overall and measure in performance.averages.get("macro", {}):
            raise GermaneError(
                f"{measure} of which class, or averaged how?",
                hint=f"write '{measure}[macro]' or '{measure}[CLASS]', or add --average or --positive",
            )
        estimate = performance[(measure, _label(performance, group)) if group else measure]
        lower = lower_is_better(measure)
        if look_at == "lower":
            value, what = (estimate.high, "upper end") if lower else (estimate.low, "lower end")
            if math.isnan(value) and not math.isnan(estimate.value):
                raise GermaneError(
                    f"{measure} has no interval{f' ({estimate.remark})' if estimate.remark else ''}",
                    hint="use --gate value",
                )
        else:
            value, what = estimate.value, "value"
        if not (value <= limit if lower else value >= limit):
            name = f"{measure}[{group}]" if group else measure
            lines.append(
                f"{performance.name}: the {what} of {name} is {value:.4f}, {'above' if lower else 'under'} {limit:g}"
            )
    return lines


def _label(performance: Performance, group: str) -> Label:
    """The class or average that a text names; a class may be a number."""
    names: dict[str, Label] = {str(label): label for label in (*performance.by_class, *performance.averages)}
    if group not in names:
        raise GermaneError(
            f"no class or average is called {group!r}{did_you_mean(group, names)}",
            hint=f"there are: {', '.join(names)}",
        )
    return names[group]
