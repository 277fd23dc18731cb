"""Check runs and judgments on a cluster: the findings and counts of one machine, without line numbers.

Spark itself counts, in bounded memory, whatever the size of a query; problems of rows are explained by the strict
reader. Judgments are small, and are read by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from germane.distributed.frames import DOC, QUERY, RANK, ROW, SCORE, TAG, quoted
from germane.distributed.reading import FORMATS, format_of
from germane.distributed.session import clear_failures, collected
from germane.distributed.spark_run import SparkRun
from germane.errors import InputError
from germane.formats.rankings.survey import Totals
from germane.formats.rows.column_names import Kind, Roles, find_roles, guess_kind
from germane.formats.rows.columns import Columns, scan_objects
from germane.formats.rows.text import RowError, show
from germane.formats.rows.validation import Checked, Facts, summarise_qrels, summarise_run
from germane.tables.columns.ids import to_bytes, to_text

KINDS = ("parquet", "orc")
"""Formats whose rows Spark reads exactly as they are."""
FIRST_LINE = " (first on line "


def require_typed_rows(path: str, file_format: str | None) -> str:
    """Return the format of a path; refuse text, of which Spark reports only the first malformed row."""
    kind = FORMATS[format_of(path, file_format, hint="give the format, for example `format_name='parquet'`")]
    if kind not in KINDS:
        problem = "expected Parquet or ORC files to check on Spark, found text"
        raise InputError(path, None, problem, hint="check text files on one machine")
    return kind


@clear_failures()
def check_on_spark(run: SparkRun, kind: Kind | None, file_format: str | None, *, max_examples: int) -> Checked:
    """Read all rows of a frame on the cluster, and collect their problems."""
    source = run.path or "frame"
    names = list(run.frame.columns)
    found: Kind = kind or guess_kind(names)
    what = "a run" if found == "run" else "judgments"
    inferred = "; kind inferred, change with --kind" if kind is None else ""
    written = require_typed_rows(source, file_format)
    checked = Checked(source, source, f"{what} in {written} format (by its name){inferred}")
    if not run.frame.take(1):
        hint = "check that this is the right file"
        checked.add(InputError(source, None, "expected rows, found none", hint=hint), "empty", max_examples)
        return checked
    try:
        roles = find_roles(names, found, source)
    except InputError as error:
        checked.add(error, "fields", max_examples)
        return checked
    if found == "run":
        _check_run(run.frame, roles, checked, max_examples)
    else:
        _check_judgments(run.frame, roles, checked, max_examples)
    return checked


def _check_judgments(frame: Any, roles: Roles, checked: Checked, max_examples: int) -> None:
    names = [frame.columns[column] for column in roles.columns]
    items = collected(frame.select(*map(quoted, names))).to_pylist()
    rows = list(scan_objects(enumerate(items, start=1), "qrels", checked.source))
    _add_problems(rows, items, checked, names, max_examples)
    if not checked.num_problems:
        try:
            summarise_qrels(Columns.from_rows(rows, checked.source), checked)
        except InputError as error:  # errors visible only in the whole table
            checked.add(error, "table", 1)


def _check_run(frame: Any, roles: Roles, checked: Checked, max_examples: int) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    names = {QUERY: roles.query, DOC: roles.doc, SCORE: roles.value, RANK: roles.rank, TAG: roles.tag}
    own = {role: frame.columns[column] for role, column in names.items() if column is not None}
    rows = frame.select(*map(quoted, own.values()), F.monotonically_increasing_id().alias(ROW))
    valid = reduce(lambda some, more: some & more, [_is_valid(frame, role, name) for role, name in own.items()])
    wrong = rows.where(~valid)
    if num_wrong := wrong.count():
        items = collected(wrong.orderBy(ROW).limit(max_examples).select(*map(quoted, own.values()))).to_pylist()
        found = scan_objects(enumerate(items, start=1), "run", checked.source)
        _add_problems(found, items, checked, list(own.values()), max_examples)
        checked.counts["value"] = num_wrong
    # Ids compare as bytes, and integers as their decimal text.
    good = rows.where(valid).select(*(_plain(role, name).alias(role) for role, name in own.items()), ROW)
    _add_duplicates(good, checked, max_examples)
    if not checked.num_problems:
        _summarise(good, own, checked, -1.0 if roles.rank_only else 1.0)


def _is_valid(frame: Any, role: str, name: str) -> Any:
    """Return whether values can be an id or a number, as the strict reader has it."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql import types

    column, kind = F.col(quoted(name)), frame.schema[name].dataType
    if role in (SCORE, RANK):
        if isinstance(kind, types.IntegralType):
            return column.isNotNull()
        if not isinstance(kind, types.FloatType | types.DoubleType):
            return F.lit(False)
        return column.isNotNull() & ~F.isnan(column) & (F.abs(column) != float("inf"))
    if not isinstance(kind, types.IntegralType | types.StringType | types.BinaryType):
        return F.lit(False)
    return column.isNotNull() & (F.length(column.cast("string").cast("binary")) > 0)


def _plain(role: str, name: str) -> Any:
    from pyspark.sql import functions as F  # noqa: N812

    column = F.col(quoted(name))
    return column.cast("double") if role in (SCORE, RANK) else column.cast("string").cast("binary")


def _add_problems(
    rows: Any, items: Sequence[Mapping[str, Any]], checked: Checked, names: Sequence[str], max_examples: int
) -> None:
    """Add the problems among the rows, which name query and document in place of a line."""
    for row in rows:
        if not isinstance(row, RowError):
            continue
        problem = row.problem.partition(FIRST_LINE)[0]
        if row.kind == "value" and row.line is not None:
            query, doc = (items[row.line - 1][name] for name in names[:2])
            problem += f" for document {_shown(doc)} of query {_shown(query)}"
        checked.add(InputError(checked.source, None, problem, hint=row.hint), row.kind, max_examples)


def _shown(value: object) -> str:
    return repr(to_text(to_bytes(value))) if isinstance(value, str | bytes | int) else repr(value)


def _add_duplicates(good: Any, checked: Checked, max_examples: int) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    again = good.groupBy(QUERY, DOC).agg(F.count("*").alias("n")).where("n > 1")
    total = again.agg(F.sum(F.col("n") - 1)).first()[0] or 0
    if total:
        for row in collected(again.orderBy(QUERY, DOC).limit(max_examples)).to_pylist():
            problem = f"duplicate document {show(row[DOC])} for query {show(row[QUERY])}"
            for _ in range(row["n"] - 1):
                checked.add(InputError(checked.source, None, problem), "duplicate", max_examples)
        checked.counts["duplicate"] = total


def _summarise(good: Any, own: Mapping[str, str], checked: Checked, sign: float) -> None:
    """Add the summary of a run without problems."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    ranks = [F.min(RANK).alias("best"), F.max(RANK).alias("worst")] if RANK in own else []
    levels = good.groupBy(QUERY, (F.col(SCORE) * sign).alias(SCORE)).agg(F.count("*").alias("n"), *ranks)
    if ranks:
        above = Window.partitionBy(QUERY).orderBy(F.col(SCORE).desc())
        levels = levels.withColumn("contradicts", F.lag("worst").over(above) > F.col("best"))
    contradicts = F.max(F.coalesce(F.col("contradicts"), F.lit(False))) if ranks else F.lit(False)
    by_query = levels.groupBy(QUERY).agg(
        F.sum("n").alias("n"),
        F.min(SCORE).alias("least"),
        F.max(SCORE).alias("greatest"),
        F.sum(F.when(F.col("n") > 1, F.col("n")).otherwise(0)).alias("tied"),
        contradicts.cast("int").alias("contradicts"),
    )
    totals = by_query.agg(
        F.count("*"), F.sum("n"), F.min("least"), F.max("greatest"), F.sum("tied"), F.sum("contradicts")
    )
    queries, documents, least, greatest, tied, wrong = totals.first()
    tags: list[str] = []
    if TAG in own:
        found = collected(good.groupBy(TAG).agg(F.min(ROW).alias(ROW)).orderBy(ROW)).column(TAG).to_pylist()
        tags = list(map(to_text, found))
    sums = Totals(documents, tied, wrong, least, greatest, only_ranks=False)
    summarise_run(Facts(queries, sums, tags, interleaved=False, left_out=()), checked)
