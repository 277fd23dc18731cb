"""Thresholds by slice: what the common threshold does in each, and what a rule chooses for it alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from germane.tables.results.columns import Column, F, Table, table
from germane.tables.results.performance import Estimate
from germane.tables.results.result import attributes, reach
from germane.tables.thresholds.choice import SetResult, ThresholdChoice

COMMON, OWN = "common", "own"
"""Which threshold a value is of: the one chosen on all items, or the one chosen on the slice."""
ROWS = (
    F("slice", "name"),
    F("set", "name"),
    F("num_rows", "count"),
    F("chosen_on", "name"),
    F("point", "name"),
    F("threshold", "value"),
    F("measure", "name"),
    *F("value", "value").also("low", "high"),
    F("interval", "text"),
    F("remark", "text"),
)


@dataclass(frozen=True)
class ThresholdSlice:
    """A slice: the choice of the rule on it, or the `reason` why there is none, and the results of each set.

    The results are by the name of the set, and by "common" or "own" threshold.
    """

    name: str
    own: ThresholdChoice | None
    reason: str
    results: Mapping[str, Mapping[str, SetResult]]

    def document(self) -> dict[str, Any]:
        """Return the JSON of the slice."""
        points = () if self.own is None else self.own.points
        return {
            "slice": self.name,
            "thresholds": [attributes(point, "name threshold value") for point in points],
            "reason": self.reason,
            "sets": {
                name: {chosen_on: found.document() for chosen_on, found in both.items()}
                for name, both in self.results.items()
            },
        }


def table_of_slices(slices: Sequence[ThresholdSlice], common: ThresholdChoice) -> Table:
    """Return one row per slice, set, threshold and rate."""
    rows = [
        {"slice": each.name, "set": data, "num_rows": found.num_rows, "chosen_on": chosen_on, "point": point.name}
        | {"threshold": point.threshold, "measure": measure, **vars(estimate), "interval": estimate.method}
        for each in slices
        for data, both in each.results.items()
        for chosen_on, found in both.items()
        for point in (common if chosen_on == COMMON or each.own is None else each.own).points
        for measure, estimate in found.rates[point.name].items()
    ]
    return table("slices", ROWS, rows)


def shown_slices(
    slices: Sequence[ThresholdSlice],
    whole: SetResult,
    common: ThresholdChoice,
    measures: Sequence[str],
    text: Callable[[float], str],
    digits: int,
) -> Iterator[Table]:
    """Yield a table for each point: one row per slice of a set, with these measures at both thresholds."""
    for point in common.points:
        columns: dict[str, list[str]] = {name: [] for name in measures}
        own_columns: dict[str, list[str]] = {name: [] for name in measures}
        names, counts, own_thresholds = [], [], []
        for name, each in [("(all)", None), *((each.name, each) for each in slices if whole.name in each.results)]:
            both = {COMMON: whole} if each is None else each.results[whole.name]
            choice = common if each is None else each.own
            names.append(name)
            counts.append(both[COMMON].num_rows)
            own_thresholds.append("–" if choice is None else text(choice[point.name].threshold))
            own = both.get(OWN, both[COMMON] if each is None else None)
            for measure in measures:
                columns[measure].append(_text(both[COMMON].rates[point.name].get(measure), digits))
                found = None if own is None else own.rates[point.name].get(measure)
                own_columns[measure].append("–" if found is None else _text(found, digits, ends=False))
        at = f"{point.name} {text(point.threshold)}"
        yield Table(
            "slices",
            (
                Column("slice", "name", names),
                Column("items", "count", counts),
                *(Column(f"{name} at {text(point.threshold)}", "value", values) for name, values in columns.items()),
                Column(f"own {point.name}", "value", own_thresholds),
                *(Column(f"{name} at own", "value", values, drop=1) for name, values in own_columns.items()),
            ),
            f"Slices of {whole.name}: at the common {at}, and at the threshold that the rule chooses for each",
        )


def _text(estimate: Estimate | None, digits: int, *, ends: bool = True) -> str:
    """Return a value with its interval as text."""
    if estimate is None:
        return "–"
    number: Callable[[float, int], str] = reach("number_text")
    interval = f" [{number(estimate.low, digits)}, {number(estimate.high, digits)}]"
    return number(estimate.value, digits) + (interval if ends and estimate.has_interval else "")
