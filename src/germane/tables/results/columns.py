"""Columns and tables of results: keys for programs, headings for people, and where each is shown."""

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
"""Kind of a column; it determines alignment, signs and digits in text."""
Better = Literal["higher", "lower", "neither"]
WORDS = frozenset({"name", "text", "flag", "list"})
"""Kinds that are aligned to the left."""
PLAIN = (str, int, Mapping)
"""Types that formats write themselves, besides numbers; anything else is converted to text."""


class Prose(str):
    """A paragraph, which every format wraps; the lines of other text stay as they are."""

    __slots__ = ()


Look = Literal["", "name", "hit"]
"""Highlighting of a piece of text: none, a name, or a word that was searched for."""


class Pieces(str):
    """Lines of text made of pieces; a hit is in brackets, or in colour where the terminal has colours.

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

    `key` is the stable name for programs, `label` the heading for people, which may change. `people`, `flat` (CSV, TSV
    and data frames) and `nested` (JSON) say where the column is shown: True, False or the name of a condition that is
    given to `table`. "filled" holds if any row has a value; "present", for `nested`, omits the key from records that
    have none.

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
    """Whether text shows it after all columns without this flag."""
    empty: str | None = None
    """Text for a missing value; by default a dash for numbers, nothing for words."""
    drop: int = 0
    """Order of omission on a narrow terminal: columns with the highest number first, together; those of 0 stay."""
    digits: int | None = None
    """Fixed number of decimals in text."""
    labels: Mapping[str, str] | None = None
    """Keys of a mapping that are shown to people and come first, with their headings."""

    def also(self, *keys: str) -> tuple[F, ...]:
        """Return this column, and others that differ only in their key."""
        return (self, *(replace(self, key=key) for key in keys))


@dataclass(frozen=True)
class Column:
    """A declared column with its values, all plain: intervals and mappings have become several."""

    key: str
    kind: Kind
    values: Sequence[Any]
    label: str = ""
    path: tuple[str | int, ...] = ()
    """Path within a JSON record, such as ("effect", "d_z") or ("interval", 0)."""
    people: bool = True
    flat: bool = True
    nested: bool | Literal["present"] = True
    last: bool = False
    empty: str | None = None
    drop: int = 0
    digits: int | None = None
    better: Better = "neither"
    marks: Sequence[str] = ()
    """Stars or letters behind the number of each row."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.label or self.key)

    @property
    def is_number(self) -> bool:
        """Whether it is aligned to the right."""
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
    """Number of rows omitted from the middle, which text mentions but does not show."""

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def for_people(self) -> list[Column]:
        """Return the columns shown to people, in their order."""
        return sorted((column for column in self.columns if column.people), key=lambda column: column.last)

    def flat(self) -> dict[str, list[Any]]:
        """Return the columns for programs by key, numbers in full precision; None where undefined."""
        seen = [column for column in self.columns if column.flat]
        return {column.key: [_counted(column, plain(value)) for value in column.values] for column in seen}

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per row, as in JSON: numbers in full precision, None where undefined."""
        return list(self.each_record())

    def each_record(self, *, alone: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the records; with `alone`, as in JSON lines, each has the columns of a CSV row."""
        columns = [column for column in self.columns if column.nested or (alone and column.flat)]
        for row in range(len(self)):
            record: dict[str, Any] = {}
            for column in columns:
                value = for_json(column.values[row])
                if value is not None or column.nested != "present":
                    _put(record, column.path or (column.key,), value)
            yield record

    def chosen(self, rows: Sequence[int]) -> Table:
        """Return the table with only these rows."""

        def pick(values: Sequence[Any]) -> list[Any]:
            return [values[row] for row in rows] if len(values) else []

        columns = tuple(replace(c, values=pick(c.values), marks=pick(c.marks)) for c in self.columns)
        return replace(self, columns=columns, dim=pick(self.dim))

    def ends(self, most: int) -> Table:
        """Return the table with only its first and last rows, if it has more than `most`."""
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
    """Return a value as a plain Python object; None where undefined, and text for objects such as strategies.

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
    """Return a number, or None where it is not finite, as a mean that overflowed."""
    value = plain(value)
    return None if isinstance(value, float) and math.isinf(value) else value


def for_json(value: Any) -> Any:
    """Return a value that JSON can hold, which has neither NaN nor infinity.

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
    """Return records by their value under a key, without that key.

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

    `when` says which conditions hold, `marks` has the marks behind the numbers of a column by key, and `same` the
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
    """Return the columns of a declared one: two for an interval, one for each key of a mapping, else one."""
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
    """Return a table of lists by key: text where any value is text, else numbers; those in `counts` are counts.

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
    """Return a table of cells that are already text; a column of only numbers is aligned to the right.

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
    """Return a count as an integer, also where a sum made it a float."""
    return int(value) if column.kind == "count" and isinstance(value, float) and value.is_integer() else value


def _read(row: Any, key: str) -> Any:
    return row.get(key) if isinstance(row, Mapping) else getattr(row, key)


def _put(record: dict[str, Any], path: tuple[str | int, ...], value: Any) -> None:
    """Put a value at its path in a record: into an object by name, or at the end of a list."""
    first, *rest = path
    if not rest:
        record[first] = value  # type: ignore[index]
    elif isinstance(rest[0], int):
        record.setdefault(first, []).append(value)  # type: ignore[arg-type]
    else:
        _put(record.setdefault(first, {}), tuple(rest), value)  # type: ignore[arg-type]
