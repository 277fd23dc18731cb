"""Coefficients of many pairs of rankings at once, with what a reader of the numbers must know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.stats.coefficients import DEFAULT_P, asked_coefficients
from germane.stats.rankings import Pair
from germane.tables.counted_notes import notes_on_ids
from germane.tables.ids import FloatArray, IntArray
from germane.tables.scores import Note

Missing = Literal["append", "common"]
Kind = Literal["runs", "leaderboards"]

DEFAULT_COEFFICIENTS = ("spearman", "tau-b", "tau-ap-b", "rbo-a", "rbo-a-min", "rbo-a-res")
NOUNS = {"runs": ("query", "documents"), "leaderboards": ("measure", "systems")}
"""What a row is, and what its items are."""


@dataclass(frozen=True, eq=False)
class Correlations:
    """Coefficients between two things, row by row: the queries of two runs, or the measures of two leaderboards.

    `values` has a row per query or measure and a column per coefficient, NaN where undefined; `num_items` counts the
    documents or systems of each row that either has, `in_common` those that both have.
    """

    kind: Kind
    names: tuple[str, str]
    rows: tuple[str, ...]
    coefficients: tuple[str, ...]
    values: FloatArray
    num_items: IntArray
    in_common: IntArray
    p: float = DEFAULT_P
    depth: int | None = None
    missing: Missing = "append"
    notes: tuple[Note, ...] = ()

    def __getitem__(self, row: str) -> dict[str, float]:
        """The coefficients of one query or measure."""
        if row not in self.rows:
            noun, _ = NOUNS[self.kind]
            raise GermaneError(f"no {noun} {row!r} in common{did_you_mean(row, self.rows)}")
        return dict(zip(self.coefficients, self.values[self.rows.index(row)].tolist(), strict=True))

    def mean(self) -> dict[str, float]:
        """The mean of each coefficient over the rows where it is defined."""
        defined = ~np.isnan(self.values)
        # Added one after the other, in the order of the rows: np.mean adds pairwise.
        sums = np.cumsum(np.where(defined, self.values, 0.0), axis=0)[-1]
        counts = np.count_nonzero(defined, axis=0)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return dict(zip(self.coefficients, means.tolist(), strict=True))


def correlations(
    kind: Kind,
    names: tuple[str, str],
    pairs: dict[str, Pair],
    coefficients: str | Iterable[str],
    *,
    p: float,
    depth: int | None,
    missing: Missing,
    notes: Sequence[Note] = (),
) -> Correlations:
    """Every coefficient of every pair; rankings are cut at `depth` first, and then what one lacks is dealt with."""
    if missing not in ("append", "common"):
        raise GermaneError(f"expected missing to be append or common, found {missing!r}")
    if depth is not None and depth < 1:
        raise GermaneError(f"expected a depth of 1 or more, found {depth}")
    asked = asked_coefficients(coefficients)
    tops = [Pair(pair.a.top(depth), pair.b.top(depth)) for pair in pairs.values()]
    used = [common(pair) for pair in tops] if missing == "common" else tops
    values = np.asarray([[entry.of_pair(pair, p=p) for entry in asked] for pair in used])
    found = Correlations(
        kind,
        names,
        tuple(pairs),
        tuple(entry.name for entry in asked),
        values,
        np.asarray([pair.num_items for pair in tops]),
        np.asarray([pair.in_common for pair in tops]),
        p,
        depth,
        missing,
    )
    noun, items = NOUNS[kind]
    tied = [row for row, pair in zip(pairs, used, strict=True) if pair.a.tied or pair.b.tied]
    own = [
        *_in_one_only(found),
        *notes_on_ids("ties", tied, noun, f"with tied {items}; coefficients differ in what they make of them"),
    ]
    for entry, column in zip(asked, values.T, strict=True):
        rows = [row for row, value in zip(pairs, column, strict=True) if np.isnan(value)]
        why = entry.sections.get("Undefined", "")
        what = f"undefined for {entry.name} ({why}){_skipped(kind, rows, pairs)}"
        own += notes_on_ids("undefined", rows, noun, what)
    return Correlations(**{**vars(found), "notes": (*notes, *own)})


def common(pair: Pair) -> Pair:
    """The two rankings of the items that both have."""
    items = set(pair.a.ids) & set(pair.b.ids)
    return Pair(pair.a.keep(items), pair.b.keep(items))


def _skipped(kind: Kind, rows: Sequence[str], pairs: dict[str, Pair]) -> str:
    return "; the mean skips them" if kind == "runs" and len(rows) < len(pairs) else ""


def _in_one_only(found: Correlations) -> list[Note]:
    lone = int((found.num_items - found.in_common).sum())
    if not lone:
        return []
    share = lone / int(found.num_items.sum())
    _, items = NOUNS[found.kind]
    fate = {"append": "correlations append them at the end of the other", "common": "left out"}[found.missing]
    return [Note("in-one-only", f"{share:.1%}", f"of {items} in one ranking only; {fate}", count=lone, share=share)]
