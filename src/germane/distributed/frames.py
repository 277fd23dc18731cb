"""Spark data frames as runs: the role of each column, and columns in the form that the kernels need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from germane.distributed.session import collected
from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError
from germane.formats.rows.column_names import Roles, find_roles
from germane.formats.rows.text import NUMBER
from germane.tables.columns.array_columns import ID_HINT
from germane.tables.columns.ids import to_text
from germane.tables.rankings.judged_run import Ties

FRAME, TAG, QUERY, DOC, SCORE, RANK, TEXT, ROW = "frame", "tag", "query", "document", "score", "rank", "text", "row"
PIECE, PROBLEM = "piece", "problem"
"""Column names within the cluster; `TEXT` holds text that should have been a number."""


Place = tuple[int, bytes]
"""A run: the number of its frame, and its tag."""


@dataclass(frozen=True)
class Shape:
    """Columns sent through the cluster: only those that a frame has and the evaluation needs."""

    frames: bool
    tags: bool
    ranks: bool
    text: bool
    pieces: bool = False
    """Whether large rankings are divided into pieces."""

    @property
    def keys(self) -> list[str]:
        """The columns that together identify a ranking."""
        return [FRAME] * self.frames + [TAG] * self.tags + [QUERY]


def quoted(name: str) -> str:
    """Return a column name quoted for Spark, so that dots in it have no meaning.

    >>> quoted("p.spam")
    '`p.spam`'
    """
    return f"`{name.replace('`', '``')}`"


def require_tie_rule(ties: Ties) -> None:
    """Reject a tie-breaking rule that unordered rows cannot follow."""
    if ties == "order":
        hint = "use `ties='docno'` (as trec_eval does) or `ties='rank'` (by a rank column)"
        raise GermaneError("`ties='order'` is not supported on a cluster, where rows have no order", hint=hint)


def shape_of(runs: list[tuple[str, SparkRun]], ties: Ties) -> Shape:
    """Return the columns that these frames need together."""
    require_tie_rule(ties)
    return Shape(
        frames=len(runs) > 1,
        tags=any(_roles(run, name).tag is not None for name, run in runs),
        ranks=ties == "rank",
        text=any(run.has_text for _, run in runs),
    )


def as_rows(run: SparkRun, name: str, number: int, shape: Shape) -> Any:
    """Return the rows of one frame with the columns of the shape, ids as bytes, exactly as on one machine.

    The position of a row in its frame is included: it serves to detect rising scores, makes errors name the same
    document every time, and lets a sorted run be sorted again, which saves the kernel work.
    """
    from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

    roles = _roles(run, name)
    source = run.path or name
    value, text = _number(run, roles.value, "rank" if roles.rank_only else "score", source)
    columns = {
        QUERY: _id(run, roles.query, "query", source),
        DOC: _id(run, roles.doc, "document", source),
        SCORE: -value if roles.rank_only else value,
        ROW: F.monotonically_increasing_id(),
    }
    if shape.frames:
        columns[FRAME] = F.lit(number)
    if shape.tags:
        columns[TAG] = F.lit(bytearray(b"-")) if roles.tag is None else _id(run, roles.tag, "tag", source)
    if shape.ranks:
        place = roles.value if roles.rank_only else roles.rank
        if place is None:
            raise InputError(
                source, None, "expected a rank column for ties=rank, found none", hint="use `ties='docno'`"
            )
        columns[RANK], bad_rank = _number(run, place, "rank", source)
        text = F.coalesce(text, bad_rank)
    if shape.text:
        columns[TEXT] = text
    return run.frame.select(*(column.alias(title) for title, column in columns.items()))


def union_of(frames: Sequence[tuple[str, SparkRun]], shape: Shape) -> Any:
    """Return the rows of all frames as one frame."""
    rows = [as_rows(run, name, number, shape) for number, (name, run) in enumerate(frames)]
    return reduce(lambda some, more: some.unionByName(more), rows)


def runs_in(rows: Any, shape: Shape, names: Sequence[str]) -> dict[Place, str]:
    """Return the name of each run in frames with these names: a frame has one run, or one for each tag."""
    tags: list[list[bytes]] = [[] for _ in names]
    if shape.tags:
        for row in collected(rows.select(*shape.keys[:-1]).distinct()).to_pylist():
            tags[row.get(FRAME, 0)] += [] if row[TAG] is None else [row[TAG]]
    found: dict[Place, str] = {}
    for number, (name, own) in enumerate(zip(names, map(sorted, tags), strict=True)):
        for tag in own or [b""]:
            found[number, tag] = name if len(own) < 2 else called(name, to_text(tag), beside=len(names) > 1)
    require_distinct(found.values())
    return found


def collected_qrels(frame: Any) -> Any:
    """Return the columns of judgments as an Arrow table; only columns with a role are collected."""
    roles = find_roles(frame.columns, "qrels", "qrels")
    return collected(frame.select(*(quoted(frame.columns[column]) for column in roles.columns)))


def called(name: str, tag: str, *, beside: bool) -> str:
    """Return the name of a run that is one of several tags of a frame, beside other frames or not."""
    return f"{name}/{tag}" if beside else tag


def require_distinct(names: Iterable[str]) -> None:
    """Refuse two runs with the same name, as frames and tags may make."""
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise GermaneError(f"duplicate run name {name!r}", hint="give each run a different name")


def where(place: Place, sources: Sequence[str]) -> str:
    """Return the location of a run for an error: the source of its frame and, if it has one, its tag."""
    number, tag = place
    return f"{sources[number]} ({to_text(tag)})" if tag else sources[number]


def _roles(run: SparkRun, name: str) -> Roles:
    return find_roles(run.frame.columns, "run", run.path or name)


def _id(run: SparkRun, place: int, role: str, source: str) -> Any:
    """Return a column of ids as bytes; integers as decimal text."""
    from pyspark.sql import types

    kind, column = _column(run, place)
    if isinstance(kind, types.BinaryType):
        return column
    if not isinstance(kind, types.StringType | types.CharType | types.VarcharType | types.IntegralType):
        raise InputError(source, None, f"expected text as {role} ids, found a column of {_called(kind)}", hint=ID_HINT)
    return column.cast("string").cast("binary")


def _number(run: SparkRun, place: int, role: str, source: str) -> tuple[Any, Any]:
    """Return a numeric column and, for a text column, also the texts that are not numbers."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql import types

    kind, column = _column(run, place)
    nothing = F.lit(None).cast("string")
    if isinstance(kind, types.NumericType):
        return column.cast("double"), nothing
    if not run.has_text:
        raise InputError(source, None, f"expected numbers as {role}, found a column of {_called(kind)}")
    is_number = F.trim(column).rlike(f"^(?:{NUMBER.pattern.decode()})$")
    return F.when(is_number, F.trim(column).cast("double")), F.when(~is_number, column).otherwise(nothing)


def _column(run: SparkRun, place: int) -> tuple[Any, Any]:
    """Return a column's type, and the column."""
    from pyspark.sql import functions as F  # noqa: N812

    return run.frame.schema.fields[place].dataType, F.col(quoted(run.frame.columns[place]))


def _called(kind: Any) -> str:
    """Return the name of a type in Arrow, as in all other errors about columns."""
    from pyspark.sql.pandas.types import to_arrow_type

    return str(to_arrow_type(kind))
