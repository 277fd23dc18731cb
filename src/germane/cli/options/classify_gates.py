"""Gates on a classifier: `--fail-under MCC=.5`, on the value or on the worse end of its interval."""

from __future__ import annotations

import re
from collections.abc import Sequence

from germane.cli.options.gates import missed, parse_limit, require_limits, worse_end
from germane.errors import GermaneError, unknown
from germane.measures.decisions.names import canonical_name, lower_is_better
from germane.tables.decisions.confusion import Label
from germane.tables.results.performance import Performance

Gate = tuple[str, str, float]
"""The class or average that is meant (empty: over everything), the measure, the limit."""


def parse_gates(texts: Sequence[str]) -> list[Gate]:
    """Read ``MCC=.5`` and ``F1[macro]=.8``.

    >>> parse_gates(["recall=.9", "F1[macro]=.8"])
    [('', 'TPR', 0.9), ('macro', 'F1', 0.8)]
    """
    gates = []
    for text in texts:
        written, limit = parse_limit(text, "MCC=.5 or 'F1[macro]=.8'")
        match = re.fullmatch(r"(.+?)(?:\[([^\]]+)\])?", written)
        assert match is not None  # any text is a name
        gates.append((match[2] or "", canonical_name(match[1]), limit))
    return gates


def failures(performance: Performance, gates: Sequence[Gate], look_at: str) -> list[str]:
    """One line for each gate that a classifier does not pass; a value that is not defined passes none."""
    require_limits(gates, look_at)
    lines = []
    for group, measure, limit in gates:
        if not group and measure not in performance.overall and measure in performance.averages.get("macro", {}):
            raise GermaneError(
                f"{measure} of which class, or averaged how?",
                hint=f"write '{measure}[macro]' or '{measure}[CLASS]', or add --average or --positive",
            )
        estimate = performance[(measure, _label(performance, group)) if group else measure]
        lower = lower_is_better(measure)
        value, what = estimate.value, "value"
        if look_at == "lower":
            said = {"why": estimate.remark, "hint": "use --gate value"}
            value, what = worse_end(measure, value, estimate.low, estimate.high, lower_is_better=lower, **said)
        name = f"{measure}[{group}]" if group else measure
        lines += missed(performance.name, f"the {what} of {name}", value, limit, lower_is_better=lower)
    return lines


def _label(performance: Performance, group: str) -> Label:
    """The class or average that a text names; a class may be a number."""
    names: dict[str, Label] = {str(label): label for label in (*performance.by_class, *performance.averages)}
    if group not in names:
        raise unknown("class or average", group, names)
    return names[group]
