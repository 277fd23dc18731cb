"""Columns and tables of results: what programs call them, what people read, and who sees which."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

Kind = Literal[
    "name", "text", "flag", "list", "count", "value", "share", "difference", "effect", "statistic", "p", "interval",
    "difference interval", "parameter",
]  # fmt: skip
"""What a column holds; alignment, signs and digits for people follow from it."""
Better = Literal["higher", "lower", "neither"]
WORDS = frozenset({"name", "text", "flag", "list"})
"""The kinds that are set to the left."""
PLAIN = (str, int, Mapping)
"""What formats write themselves, beside numbers; anything else by its text."""


class Prose(str):
    """A paragraph, which every format folds as it likes; the lines of other text stay as they are."""

    __slots__ = ()


Look = Literal["", "name", "hit"]
"""How a piece of text is set off: not at all, as a name, or as a word that was searched for."""


class Pieces(str):
    """Lines of text made of pieces: a hit stands in brackets, and where there are colours, those set it off.

    >>> print(Pieces([("d1", "name"), ("  red ", ""), ("wine", "hit")]))
    d1  red [wine]
    """

    pieces: tuple[tuple[str, Look], ...]

    def __new__(cls, pieces: Iterable[tuple[str, Look]]) -> Pieces:
        given = tuple(pieces)
        made = super().__new__(cls, "".join(f"[{text}]" if look == "hit" else text for text, look in given))
        made.pieces = given
        return made


@dataclass(frozen=True)
class F:
    """A column, declared once at module level; it shows the attribute or key `key` of each row.

    `key` is the stable name that programs see, `label` the one for people, free to change. `people`, `flat` (CSV, TSV
    and data frames) and `nested` (JSON) are True, False or the name of a condition that is given to `table`. "filled"
    holds where any row has a value; "present", of `nested`, leaves the key out of the records that have none.

    An interval reads `low` and `high`, one called `x_interval` reads `x_low` and `x_high`; a mapping becomes a column
    for each of its keys, and ``people="first"`` shows only the first of them, `labels` only those that it names.
    """

    key: str
    kind: Kind
    label: str = ""
    people: bool | str = True
    flat: bool | str = True
    nested: bool | str = True
    last: bool = False
    """Whether people see it after all columns that are not."""
    empty: str | None = None
    """What people read where there is no value; a dash for numbers, nothing for words unless given."""
    drop: int = 0
    """On a narrow terminal, columns with the highest number go first, all at once; those of 0 stay."""
    digits: int | None = None
    """Decimals for people, whatever they ask for."""
    labels: Mapping[str, str] | None = None
    """Of a mapping, the keys that people see and that come first, with their headings."""

    def also(self, *keys: str) -> tuple[F, ...]:
        """This column, and others that differ from it in nothing but their key."""
        return (self, *(replace(self, key=key) for key in keys))


@dataclass(frozen=True)
class Column:
    """A declared column with its values, all plain: intervals and mappings have become several."""

    key: str
    kind: Kind
    values: Sequence[Any]
    label: str = ""
    path: tuple[str | int, ...] = ()
    """Where a record has it: ("effect", "d_z"), ("interval", 0)."""
    people: bool = True
    flat: bool = True
    nested: bool | Literal["present"] = True
    last: bool = False
    empty: str | None = None
    drop: int = 0
    digits: int | None = None
    better: Better = "neither"
    marks: Sequence[str] = ()
    """By row, stars or letters that people read behind the number."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or self.key)

    @property
    def is_number(self) -> bool:
        """Whether it is set to the right."""
        return self.kind not in WORDS


@dataclass(frozen=True)
class Table:
    """Named columns of equal length; `title` and `below` are lines for people, `dim` marks rows that matter less."""

    name: str
    columns: tuple[Column, ...]
    title: str = ""
    below: tuple[str, ...] = ()
    dim: Sequence[bool] = ()
    left_out: int = 0
    """Rows that people are told of and do not see, from the middle of those that are here."""

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def for_people(self) -> list[Column]:
        """The columns that people see, in their order."""
        return sorted((column for column in self.columns if column.people), key=lambda column: column.last)

    def flat(self) -> dict[str, list[Any]]:
        """The columns for programs by key, every number in full; None where one is not defined."""
        seen = [column for column in self.columns if column.flat]
        return {column.key: [_counted(column, plain(value)) for value in column.values] for column in seen}

    def records(self) -> list[dict[str, Any]]:
        """One dict a row, as JSON has it: every number in full, None where one is not defined."""
        return list(self.each_record())

    def each_record(self, *, alone: bool = False) -> Iterator[dict[str, Any]]:
        """The records, one after the other; one that stands `alone`, as in lines of JSON, has what a row of CSV has."""
        columns = [column for column in self.columns if column.nested or (alone and column.flat)]
        for row in range(len(self)):
            record: dict[str, Any] = {}
            for column in columns:
                value = for_json(column.values[row])
                if value is not None or column.nested != "present":
                    _put(record, column.path or (column.key,), value)
            yield record

    def chosen(self, rows: Sequence[int]) -> Table:
        """The same with these rows only."""

        def pick(values: Sequence[Any]) -> list[Any]:
            return [values[row] for row in rows] if len(values) else []

        columns = tuple(replace(c, values=pick(c.values), marks=pick(c.marks)) for c in self.columns)
        return replace(self, columns=columns, dim=pick(self.dim))

    def ends(self, most: int) -> Table:
        """The same with its first and last rows only, if it is longer than that."""
        rows = range(len(self))
        if len(rows) <= most:
            return self
        return replace(self.chosen([*rows[: most - most // 2], *rows[-(most // 2) :]]), left_out=len(rows) - most)

    def __str__(self) -> str:
        """The table as people read it, under its title."""
        from germane.tables.results.result import reach

        return cast("str", reach("table_as_text")(self))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns for programs as an Arrow stream: ``polars.DataFrame(table)``."""
        from germane.tables.results.result import reach

        return reach("frame")(self, "pyarrow").__arrow_c_stream__(requested_schema)


def plain(value: Any) -> Any:
    """A value as Python's own; None where it is not defined, and as text what has a spelling, such as a strategy.

    >>> from fractions import Fraction
    >>> [plain(0.5), plain(float("nan")), plain(float("inf")), plain(Fraction(1, 2))]
    [0.5, None, inf, '1/2']
    """
    value = value.tolist() if hasattr(value, "tolist") else value  # a number or an array of numpy
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, (list, tuple)):
        return list(map(plain, value))
    return value if value is None or isinstance(value, PLAIN) else str(value)


def finite(value: Any) -> Any:
    """A number, or None where it is not a finite one: what a mean over queries that overflowed is."""
    value = plain(value)
    return None if isinstance(value, float) and math.isinf(value) else value


def for_json(value: Any) -> Any:
    """A value as JSON can hold it, which knows neither NaN nor infinity.

    >>> for_json({"low": float("nan"), "high": float("inf"), "gained": (("q1", 0.5),)})
    {'low': None, 'high': 'Infinity', 'gained': [['q1', 0.5]]}
    """
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, Mapping):
        return {key: for_json(each) for key, each in value.items()}
    value = plain(value)
    if isinstance(value, list):
        return [for_json(each) for each in value]
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def by_key(records: Iterable[Mapping[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    """Records by what they have under a key, without it.

    >>> by_key([{"name": "AC1", "value": 0.5}], "name")
    {'AC1': {'value': 0.5}}
    """
    return {record[key]: {name: value for name, value in record.items() if name != key} for record in records}


def table(
    name: str,
    fields: Iterable[F],
    rows: Iterable[Any],
    *,
    title: str = "",
    below: Iterable[str] = (),
    when: Mapping[str, object] | None = None,
    marks: Mapping[str, Sequence[str]] | None = None,
    same: Mapping[str, Any] | None = None,
    dim: Sequence[bool] = (),
) -> Table:
    """Apply declared columns to rows, which are objects or mappings.

    `when` says which conditions hold, `marks` has by key what stands behind the numbers of a column, and `same` the
    columns that have one value for all rows.

    >>> pairs = table("pairs", (F("a", "name"), F("interval", "interval")), [{"a": "x", "low": 0.1, "high": 0.2}])
    >>> pairs.records(), pairs.flat()
    ([{'a': 'x', 'interval': [0.1, 0.2]}], {'a': ['x'], 'low': [0.1], 'high': [0.2]})
    """
    rows, columns = list(rows), list[Column]()
    for field in fields:
        if field.kind.endswith("interval"):
            stem = field.key.removesuffix("interval")
            values: list[Any] = [(_read(row, f"{stem}low"), _read(row, f"{stem}high")) for row in rows]
        elif same and field.key in same:
            values = [same[field.key]] * len(rows)
        else:
            values = [_read(row, field.key) for row in rows]
        for made in columns_of(field, values, when=when, marks=(marks or {}).get(field.key, ())):
            taken = any(column.key == made.key for column in columns)
            columns.append(replace(made, key=".".join(map(str, made.path))) if taken and made.path else made)
    return Table(name, tuple(columns), title, tuple(below), dim)


def columns_of(
    field: F,
    values: Sequence[Any],
    *,
    when: Mapping[str, object] | None = None,
    better: Better = "neither",
    marks: Sequence[str] = (),
) -> list[Column]:
    """The columns that a declared one becomes: two of an interval, one for each key of a mapping, else one."""
    filled = any(plain(value) not in (None, "") for value in values)
    holds = {"filled": filled, "present": filled, **(when or {})}

    def seen(who: bool | str) -> bool:
        return bool(holds[who]) if isinstance(who, str) and who != "first" else bool(who)

    nested: bool | Literal["present"] = "present" if field.nested == "present" else seen(field.nested)
    one = Column(
        field.key, field.kind, values, field.label or field.key.replace("_", " "), (), seen(field.people),
        seen(field.flat), nested, field.last, field.empty, field.drop, field.digits, better, marks,
    )  # fmt: skip
    if field.kind.endswith("interval"):
        stem = field.key.removesuffix("interval")
        kind: Kind = "difference" if field.kind.startswith("difference") else "value"
        before = f"{field.label} " if field.label else stem.replace("_", " ")
        return [
            replace(one, key=f"{stem}{end}", kind=kind, label=f"{before}{end}", path=(field.key, place),
                    values=[value[place] for value in values])
            for place, end in enumerate(("low", "high"))
        ]  # fmt: skip
    if values and isinstance(values[0], Mapping):
        labels = field.labels or {}
        there = dict.fromkeys(name for value in values for name in value)
        names = [*(name for name in labels if name in there), *(name for name in there if name not in labels)]
        shown = names[:1] if field.people == "first" else labels or names
        return [
            replace(one, key=name, label=labels.get(name, name), path=(field.key, name),
                    values=[value.get(name) for value in values], people=one.people and name in shown)
            for name in names
        ]  # fmt: skip
    return [one]


def table_of_columns(name: str, columns: Mapping[str, Sequence[Any]], *, counts: Container[str]) -> Table:
    """A table of lists by key: words where there is any, else numbers, of which those in `counts` are counts.

    >>> print(table_of_columns("rows", {"score": [0.5, 0.25], "TP": [1, 2.5]}, counts={"TP"}), end="")
     score      TP
    0.5000       1
    0.2500  2.5000
    """

    made = []
    for key, values in columns.items():
        number: Kind = "count" if key in counts else "value"
        made.append(Column(key, "name" if any(isinstance(value, str) for value in values) else number, values))
    return Table(name, tuple(made))


def table_of_texts(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table of cells that are written already; a column of numbers only is set to the right.

    >>> print(table_of_texts(["run", "AP"], [["bm25", "0.5"], ["dense", "–"]]), end="")
    run     AP
    bm25   0.5
    dense    –
    """
    number = re.compile(r"[-+<]?[\d.]+%?( \*)?|[-+]?inf|nan|–|")
    columns = []
    for place, label in enumerate(header):
        texts = [row[place] for row in rows]
        kind: Kind = "value" if texts and all(map(number.fullmatch, texts)) else "text"
        columns.append(Column(label, kind, texts, empty=""))
    return Table("", tuple(columns))


def _counted(column: Column, value: Any) -> Any:
    """A count as a whole number, also where a sum made a float of it."""
    return int(value) if column.kind == "count" and isinstance(value, float) and value.is_integer() else value


def _read(row: Any, key: str) -> Any:
    return row.get(key) if isinstance(row, Mapping) else getattr(row, key)


def _put(record: dict[str, Any], path: tuple[str | int, ...], value: Any) -> None:
    """Put a value where its path leads: into an object by name, or at the end of a list."""
    first, *rest = path
    if not rest:
        record[first] = value  # type: ignore[index]
    elif isinstance(rest[0], int):
        record.setdefault(first, []).append(value)  # type: ignore[arg-type]
    else:
        _put(record.setdefault(first, {}), tuple(rest), value)  # type: ignore[arg-type]
