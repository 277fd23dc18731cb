"""Data frames of Spark as runs: which column is what, and every column in the form that the kernels take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from germane.distributed.spark_run import SparkRun
from germane.errors import GermaneError, InputError
from germane.formats.rows.column_names import Roles, find_roles
from germane.formats.rows.text import NUMBER
from germane.tables.columns.array_columns import ID_HINT
from germane.tables.rankings.judged_run import Ties

FRAME, TAG, QUERY, DOC, SCORE, RANK, SAID, ROW = "frame", "tag", "query", "document", "score", "rank", "said", "row"
"""What the columns are called on their way through the cluster; `said` is text that should have been a number."""


@dataclass(frozen=True)
class Shape:
    """Which columns travel through the cluster: only those that some frame has and something asks for."""

    frames: bool
    tags: bool
    ranks: bool
    text: bool

    @property
    def keys(self) -> list[str]:
        """The columns whose values together tell the rankings apart."""
        return [FRAME] * self.frames + [TAG] * self.tags + [QUERY]


def quoted(name: str) -> str:
    """The name of a column as Spark takes it whatever it is made of: a dot in it means nothing.

    >>> quoted("p.spam")
    '`p.spam`'
    """
    return f"`{name.replace('`', '``')}`"


def require_tie_rule(ties: Ties) -> None:
    """Refuse a tie rule that rows without an order cannot follow."""
    if ties == "order":
        hint = "`ties='docno'` is trec_eval's rule; `ties='rank'` orders by a rank column"
        raise GermaneError("`ties='order'` needs rows in an order, and on a cluster rows have none", hint=hint)


def shape_of(runs: list[tuple[str, SparkRun]], ties: Ties) -> Shape:
    """What these frames need together."""
    require_tie_rule(ties)
    return Shape(
        frames=len(runs) > 1,
        tags=any(_roles(run, name).tag is not None for name, run in runs),
        ranks=ties == "rank",
        text=any(run.has_text for _, run in runs),
    )


def as_rows(run: SparkRun, name: str, number: int, shape: Shape) -> Any:
    """The rows of one frame with the columns of the shape, ids as bytes, exactly as one machine would write them.

    The place of a row in its frame goes with it: rising scores are told by it, errors name the same document each time,
    and a run that came sorted is sorted again by it, which the kernel has less work with.
    """
    from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

    roles = _roles(run, name)
    source = run.path or name
    value, said = _number(run, roles.value, "rank" if roles.rank_only else "score", source)
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
            raise InputError(source, None, "expected a rank column for ties=rank, found none")
        columns[RANK], bad_rank = _number(run, place, "rank", source)
        said = F.coalesce(said, bad_rank)
    if shape.text:
        columns[SAID] = said
    return run.frame.select(*(column.alias(title) for title, column in columns.items()))


def _roles(run: SparkRun, name: str) -> Roles:
    return find_roles(run.frame.columns, "run", run.path or name)


def _id(run: SparkRun, place: int, role: str, source: str) -> Any:
    """A column of ids as bytes; whole numbers as their decimal text."""
    from pyspark.sql import types

    kind, column = _column(run, place)
    if isinstance(kind, types.BinaryType):
        return column
    if not isinstance(kind, types.StringType | types.CharType | types.VarcharType | types.IntegralType):
        raise InputError(source, None, f"expected text as {role} ids, found a column of {_called(kind)}", hint=ID_HINT)
    return column.cast("string").cast("binary")


def _number(run: SparkRun, place: int, role: str, source: str) -> tuple[Any, Any]:
    """A column of numbers and, where it is a column of text, beside it whatever cannot be read as a number."""
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
    """A column's type, and the column."""
    from pyspark.sql import functions as F  # noqa: N812

    return run.frame.schema.fields[place].dataType, F.col(quoted(run.frame.columns[place]))


def _called(kind: Any) -> str:
    """The name of a type as Arrow has it, and so as every other error about columns does."""
    from pyspark.sql.pandas.types import to_arrow_type

    return str(to_arrow_type(kind))
