"""Coefficients of many pairs of rankings at once, with notes on missing items, ties and undefined values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypedDict

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.stats.rankings.coefficients import DEFAULT_P, Coefficient, asked_coefficients
from germane.stats.rankings.ranked_items import Pair
from germane.tables.notes.counts import notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

Missing = Literal["append", "common"]
Between = Literal["runs", "leaderboards", "measures"]
Names = str | Iterable[str]

DEFAULT_COEFFICIENTS = ("spearman", "tau-b", "tau-ap-b", "rbo-a", "rbo-a-min", "rbo-a-res")
NOUNS = {
    "runs": ("query", "documents"),
    "leaderboards": ("measure", "systems"),
    "measures": ("pair of measures", "systems"),
}
"""The nouns of a row and of its items."""
KEYS = {"runs": ("queries", "num_docs"), "leaderboards": ("measures", "num_systems")}
"""JSON keys of the rows, and of the number of items in either ranking."""
MEASURES = (F("coefficient", "name"), F("measure", "name"), F("num_systems", "count", "systems"), F("values", "value"))


@dataclass(frozen=True)
class Correlation:
    """Two rankings and their coefficients: of one query by two runs, of one measure by two leaderboards, or of systems
    by two measures. `of` is the query or measure of both.

    A coefficient is NaN if undefined; `num_items` counts the items in either ranking, `num_common` those in both.
    """

    first: str
    second: str
    of: str
    num_items: int
    num_common: int
    values: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Correlations(Result):
    """Coefficients of pairs of rankings: ``found["q1"]`` of two runs, ``found["AP"]`` of two leaderboards, and
    ``found["AP", "nDCG@10"]`` of two measures over the same `systems`.

    If a coefficient treats one ranking as the truth, it is the first one.
    """

    between: Between
    pairs: tuple[Correlation, ...]
    coefficients: tuple[str, ...]
    p: float = DEFAULT_P
    depth: int | None = None
    missing: Missing = "append"
    systems: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "correlate/1"

    def __getitem__(self, key: str | tuple[str, str]) -> Mapping[str, float]:
        """Return the coefficients of one query or measure, or of two measures."""
        found = {pair.of or (pair.first, pair.second): pair.values for pair in self.pairs}
        if key not in found:
            noun, _ = NOUNS[self.between]
            raise GermaneError(f"no shared {noun} {key!r}{did_you_mean(str(key), map(str, found))}")
        return found[key]

    def mean(self) -> dict[str, float]:
        """Return the mean of each coefficient over the rows where it is defined."""
        found = {}
        for name in self.coefficients:
            values = [pair.values[name] for pair in self.pairs if not math.isnan(pair.values[name])]
            # Sum sequentially, in row order: np.mean sums pairwise.
            found[name] = float(np.cumsum(values)[-1] / len(values)) if values else math.nan
        return found

    def matrix(self, coefficient: str) -> dict[str, dict[str, float]]:
        """Return the values of a coefficient by first and second ranking."""
        found: dict[str, dict[str, float]] = {}
        for pair in self.pairs:
            found.setdefault(pair.first, {})[pair.second] = pair.values[coefficient]
        return found

    def tables(self, *, per_query: bool = False) -> Iterator[Table]:
        """Yield the mean of runs, after every query if `per_query`; for leaderboards and measures, all rows."""
        if self.between == "measures":
            rows = [
                {"coefficient": name, "measure": first, "num_systems": len(self.systems), "values": values}
                for name in self.coefficients
                for first, values in self.matrix(name).items()
            ]
            yield table("correlations", MEASURES, rows)
            return
        (noun, items), (_, count), of_runs = NOUNS[self.between], KEYS[self.between], self.between == "runs"
        fields = (
            F("first", "name"),
            F("second", "name"),
            F(noun, "name", people="each", flat="each", nested="present", empty="mean"),
            F(count, "count", items, people="each", flat="each", nested="present", empty=""),
            F("num_common", "count", "common", people=not of_runs, flat="each", nested="present"),
            F("num_queries", "count", "queries", people=of_runs, flat=of_runs, nested="present", empty=""),
            F("values", "value"),
        )
        rows = [{**vars(pair), noun: pair.of, count: pair.num_items} for pair in self.pairs]
        if of_runs:
            names = {"first": self.pairs[0].first, "second": self.pairs[0].second}
            rows = [*(rows if per_query else []), {**names, "num_queries": len(rows), "values": self.mean()}]
        yield table("correlations", fields, rows, when={"each": per_query or not of_runs})

    def document(self, **_: object) -> dict[str, Any]:
        """Return the rows by query or measure; for measures, by coefficient, first and second measure."""
        head = {"between": self.between, "p": self.p, "depth": self.depth}
        if self.between == "measures":
            matrices = {name: self.matrix(name) for name in self.coefficients}
            measures = list(dict.fromkeys(pair.first for pair in self.pairs))
            names = {"systems": self.systems, "measures": measures, "coefficients": self.coefficients}
            return {**head, **names, "correlations": matrices}
        rows, count = KEYS[self.between]
        return {
            **head,
            "first": self.pairs[0].first,
            "second": self.pairs[0].second,
            "missing": self.missing,
            "coefficients": self.coefficients,
            f"num_{rows}": len(self.pairs),
            **({"mean": self.mean()} if self.between == "runs" else {}),
            rows: {
                pair.of: {count: pair.num_items, "num_common": pair.num_common, **pair.values} for pair in self.pairs
            },
        }


class How(TypedDict, total=False):
    """Options of a correlation, as stored in `Correlations`."""

    p: float
    depth: int | None
    missing: Missing


def correlations(
    between: Literal["runs", "leaderboards"],
    names: tuple[str, str],
    pairs: dict[str, Pair],
    coefficients: Names,
    notes: Sequence[Note] = (),
    *,
    p: float = DEFAULT_P,
    depth: int | None = None,
    missing: Missing = "append",
) -> Correlations:
    """Compute every coefficient of every pair; rankings are first cut at `depth`, then missing items are handled."""
    if missing not in ("append", "common"):
        raise GermaneError(f"expected missing='append' or 'common', found {missing!r}")
    if depth is not None and depth < 1:
        raise GermaneError(f"expected a depth ≥ 1, found {depth}")
    asked = asked_coefficients(coefficients)
    tops = {row: Pair(pair.a.top(depth), pair.b.top(depth)) for row, pair in pairs.items()}
    used = {row: common(pair) if missing == "common" else pair for row, pair in tops.items()}
    found = tuple(
        Correlation(*names, row, top.num_items, top.in_common, coefficients_of(used[row], asked, p))
        for row, top in tops.items()
    )
    noun, items = NOUNS[between]
    tied = [row for row, pair in used.items() if pair.a.tied or pair.b.tied]
    own = [
        *notes,
        *_in_one_only(found, items, missing),
        *notes_on_ids("ties", tied, noun, f"with tied {items}; coefficients treat ties differently"),
    ]
    for entry in asked:
        rows = [pair.of for pair in found if math.isnan(pair.values[entry.name])]
        why = entry.sections.get("Undefined", "")
        skipped = "; the mean skips them" if between == "runs" and len(rows) < len(pairs) else ""
        own += notes_on_ids("undefined", rows, noun, f"for which {entry.name} is undefined ({why}){skipped}")
    return Correlations(between, found, tuple(entry.name for entry in asked), p, depth, missing, notes=tuple(own))


def coefficients_of(pair: Pair, asked: Iterable[Coefficient], p: float) -> dict[str, float]:
    """Return the coefficients of two rankings by name."""
    return {entry.name: entry.of_pair(pair, p=p) for entry in asked}


def common(pair: Pair) -> Pair:
    """Return both rankings restricted to the items they share."""
    items = set(pair.a.ids) & set(pair.b.ids)
    return Pair(pair.a.keep(items), pair.b.keep(items))


def _in_one_only(pairs: Sequence[Correlation], items: str, missing: Missing) -> list[Note]:
    lone = sum(pair.num_items - pair.num_common for pair in pairs)
    if not lone:
        return []
    share = lone / sum(pair.num_items for pair in pairs)
    handling = {"append": "appended to the end of the other", "common": "skipped"}[missing]
    what = f"of {items} appear in only one ranking; {handling}"
    return [Note("unshared-items", f"{share:.1%}", what, count=lone, share=share)]
