"""Splits of ids into sides, by share or into folds: stratified, grouped, and recorded.

>>> split = split_by_share(["q1", "q2", "q3", "q4", "q5"], {"train": 0.6, "test": 0.4}, seed=1)
>>> {side: len(ids) for side, ids in split.sides.items()}
{'train': 3, 'test': 2}
>>> Split.from_json(split.to_json()) == split
True
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import parse_json, require_checksum, shape_problem, with_checksum
from germane.formats.files.sources import open_source, source_name
from germane.formats.files.targets import open_target
from germane.tables.columns.aligned_columns import aligned_columns, require_same_ids
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import as_list, one_column
from germane.tables.decisions.labels import is_hashable

VERSION = 2
MEND = "split the ids again, or restore the file from a backup"
USUAL_SHARES: Mapping[str, float] = {"train": 0.6, "validation": 0.2, "test": 0.2}
TOLERANCE = 1e-9
SHOWN = 3


class Words(NamedTuple):
    """Words for messages about a split: its groups, and what is said of ids that share one."""

    groups: str = "groups"
    alike: str = "share a group with another"


GROUPS = Words()
QUERIES = Words("different queries", "have the same words as another")
"""Words for queries, grouped by equal words."""


@dataclass(frozen=True)
class Split:
    """Assignment of ids to sides, with all settings needed to repeat it.

    `how` is ``shares`` or ``folds``; `stratified` and `grouped` say whether labels and groups were used.
    """

    sides: Mapping[str, tuple[str, ...]]
    how: str
    seed: int
    shares: Mapping[str, float]
    stratified: bool = False
    grouped: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        _require_distinct([id_ for ids in self.sides.values() for id_ in ids])

    def side_of(self) -> dict[str, str]:
        """Return the side of each id."""
        return {id_: side for side, ids in self.sides.items() for id_ in ids}

    def rotations(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield, for each side in turn, the ids of all other sides (for training) and its own (held out)."""
        for held_out, own in self.sides.items():
            yield tuple(id_ for side, ids in self.sides.items() if side != held_out for id_ in ids), own

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON object."""
        return with_checksum(
            {
                "germane_split": VERSION,
                "how": self.how,
                "seed": self.seed,
                "stratified": self.stratified,
                "grouped": self.grouped,
                "shares": dict(self.shares),
                "sides": {side: list(ids) for side, ids in self.sides.items()},
                "notes": list(self.notes),
            }
        )

    @classmethod
    def from_json(cls, record: Mapping[str, Any], name: str = "split") -> Split:
        """Return a split from its record."""
        if record.get("germane_split") != VERSION:
            found = record.get("germane_split", "none")
            problem = f'expected a split record ("germane_split": {VERSION}), found {found}'
            raise InputError(name, None, problem, hint=MEND)
        require_checksum(record, name, "the split record", hint=MEND)
        try:
            return cls(
                sides={str(side): tuple(map(str, ids)) for side, ids in record["sides"].items()},
                how=str(record["how"]),
                seed=int(record["seed"]),
                shares={str(side): float(share) for side, share in record["shares"].items()},
                stratified=bool(record["stratified"]),
                grouped=bool(record["grouped"]),
                notes=tuple(map(str, record.get("notes", ()))),
            )
        except GermaneError as problem:
            raise InputError(name, None, problem.message, hint=problem.hint) from None
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as problem:
            raise InputError(name, None, f"expected a split record, found {shape_problem(problem)}") from None


@checked
def split_by_share(
    ids: Sequence[object],
    shares: Mapping[str, float] = USUAL_SHARES,
    *,
    seed: int = 0,
    labels: Sequence[object] | Mapping[str, object] | None = None,
    groups: Sequence[object] | Mapping[str, object] | None = None,
) -> Split:
    """Split ids at random by share. With `labels` each side gets its share of every label (stratified); with `groups`
    (a query for each row, a person for each picture) a group stays on one side. Both are by position, or mappings by
    id.

    The order of the ids does not matter: the same ids and seed give the same sides.
    """
    if len(shares) < 2 or any(not share > 0 for share in shares.values()):
        raise GermaneError(f"expected at least two sides with shares above 0, found {dict(shares)}")
    if abs(sum(shares.values()) - 1) > TOLERANCE:
        raise GermaneError(f"expected shares that add up to 1, found {sum(shares.values()):g}")
    return _split("shares", ids, shares, seed, labels, groups)


@checked
def k_folds(
    ids: Sequence[object],
    k: int = 5,
    *,
    seed: int = 0,
    labels: Sequence[object] | Mapping[str, object] | None = None,
    groups: Sequence[object] | Mapping[str, object] | None = None,
    words: Words = GROUPS,
) -> Split:
    """Split ids into k folds of equal size, named 1 to k; `Split.rotations` holds out each in turn.

    >>> [held_out for _, held_out in k_folds(["a", "b", "c", "d"], 2, groups=["x", "x", "y", "y"]).rotations()]
    [('c', 'd'), ('a', 'b')]
    """
    if k < 2:
        raise GermaneError(f"expected at least 2 folds, found {k}")
    return _split("folds", ids, {str(fold): 1 / k for fold in range(1, k + 1)}, seed, labels, groups, words)


@checked
def write_split(split: Split, path: str | Path) -> None:
    """Write the record of a split to a file."""
    with open_target(path) as target:
        target.write((json.dumps(split.to_json(), indent=1, ensure_ascii=False) + "\n").encode())


@checked
def read_split(path: str | Path) -> Split:
    """Read a split from its record file."""
    with open_source(path) as stream:
        data = stream.read()
    record = parse_json(data, source_name(path), "the split record")
    if not isinstance(record, dict):
        raise InputError(source_name(path), None, "expected a split record, found something else")
    return Split.from_json(record, source_name(path))


def _split(
    how: str,
    given_ids: Sequence[object],
    shares: Mapping[str, float],
    seed: int,
    labels: Sequence[object] | Mapping[str, object] | None,
    groups: Sequence[object] | Mapping[str, object] | None,
    words: Words = GROUPS,
) -> Split:
    given = {"labels": labels, "groups": groups}
    aligned_columns({"ids": given_ids, **{name: v for name, v in given.items() if not isinstance(v, Mapping)}})
    ids = [str(id_) for id_ in as_list(one_column(given_ids, "ids", "ids"))]
    labels, groups = (_by_id(values, ids, name) for name, values in given.items())
    for name, values in (("label", labels), ("group", groups)):
        if values is not None and len(values) != len(ids):
            raise GermaneError(f"expected a {name} for each of {len(ids):,} ids, found {len(values):,}")
    _require_distinct(ids)
    order = sorted(range(len(ids)), key=lambda place: ids[place])
    unit = _numbered([place if groups is None else groups[place] for place in order])
    label = _numbered([None if labels is None else labels[place] for place in order])
    num_units, num_labels = int(unit.max(initial=-1)) + 1, int(label.max(initial=-1)) + 1
    if num_units < len(shares):
        parts = "folds" if how == "folds" else "sides"
        what = "ids" if groups is None else words.groups
        alike = int((np.bincount(unit)[unit] > 1).sum()) if ids else 0
        detail = f" ({alike:,} of {len(ids):,} {words.alike})" if alike else ""
        hint = f"use fewer {parts}"
        raise GermaneError(f"{len(shares)} {parts} require {len(shares)} {what}, found {num_units}{detail}", hint=hint)
    counts = np.zeros((num_units, num_labels))
    np.add.at(counts, (unit, label), 1.0)
    side = _sides(counts, np.asarray(list(shares.values())), seed)[unit]
    names = list(shares)
    if empty := [name for place, name in enumerate(names) if not (side == place).any()]:
        raise GermaneError(
            f"{len(ids):,} ids are too few; none left for {', '.join(empty)}", hint="use more ids, or fewer sides"
        )
    sides = {name: tuple(ids[order[row]] for row in np.flatnonzero(side == place)) for place, name in enumerate(names)}
    rare = int(np.count_nonzero(counts.sum(axis=0) < len(shares))) if labels is not None else 0
    notes = (f"{rare} of {num_labels} labels have fewer ids than sides, so some sides lack them",) if rare else ()
    return Split(sides, how, seed, dict(shares), labels is not None, groups is not None, notes)


def _sides(counts: FloatArray, shares: FloatArray, seed: int) -> IntArray:
    """Assign each unit, by its number of ids per label, to the side that lacks most; largest units first.

    A unit goes to the side where it brings the counts by side and label closest to their shares (squared distance; rare
    labels count as much as frequent ones).
    """
    shuffled = np.argsort(np.random.PCG64(seed).random_raw(len(counts)), kind="stable")
    shuffled = shuffled[np.argsort(-counts.sum(axis=1)[shuffled], kind="stable")]
    of_label = counts.sum(axis=0)
    missing = shares[:, None] * of_label
    side = np.zeros(len(counts), np.int64)
    for place in shuffled.tolist():
        own = counts[place]
        cost = ((own**2 - 2 * own * missing) / of_label).sum(axis=1).round(9)
        total = missing.sum(axis=1).round(9)
        side[place] = chosen = int(np.lexsort((-total, cost))[0])
        missing[chosen] -= own
    return side


def _by_id(given: Any, ids: Sequence[str], name: str) -> list[Any] | None:
    """Return one hashable value for each id, by position or from a mapping by id."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        require_same_ids(dict.fromkeys(ids), given, ("ids", name), name)
        given = [given[id_] for id_ in ids]
    values = as_list(one_column(given, name, name))
    wrong = next((value for value in values if not is_hashable(value)), None)
    if wrong is not None:
        raise GermaneError(f"expected text or numbers as {name}, found {wrong!r}")
    return values


def _numbered(values: Sequence[object]) -> IntArray:
    """Number values in order of appearance; equal values get equal numbers."""
    codes: dict[object, int] = {}
    return np.asarray([codes.setdefault(value, len(codes)) for value in values], np.int64)


def _require_distinct(ids: Sequence[str]) -> None:
    seen: set[str] = set()
    if twice := [id_ for id_ in ids if id_ in seen or seen.add(id_)]:  # type: ignore[func-returns-value]
        shown = ", ".join(list(dict.fromkeys(twice))[:SHOWN])
        raise GermaneError(
            f"duplicate id: {shown}", hint="list each id once; put ids that belong together into a group"
        )
