"""Frames of labels and scores prepared on a cluster, so that tasks read rows one by one as one machine reads them all.

Whether labels are truth values depends on all rows, and so does the number of rows that lack a value.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from germane.distributed.frames import quoted
from germane.errors import InputError
from germane.formats.decisions.label_kinds import TRUTH
from germane.formats.decisions.labelled_columns import Chosen
from germane.formats.decisions.missing_values import MISSING, MISSING_AMONG_VALUES, MISSING_HINT, excluded_note
from germane.tables.notes.note import Note


def with_truth_values(frame: Any, chosen: Chosen) -> Any | None:
    """Return the frame with text that is true or false as Booleans, or None if a label is another word or number."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import BooleanType, StringType

    labels = dict.fromkeys((chosen.truth, *chosen.predicted))
    kinds = {name: frame.schema[name].dataType for name in labels}
    others = []
    for name, kind in kinds.items():
        column = F.col(quoted(name))
        if isinstance(kind, StringType):
            others.append(~F.lower(F.trim(column)).isin(*TRUTH, *MISSING_AMONG_VALUES))
        elif not isinstance(kind, BooleanType):
            others.append(~column.isin(0, 1))
    if not others or frame.filter(reduce(or_, others)).take(1):
        return None
    for name, kind in kinds.items():
        if isinstance(kind, StringType):
            word = F.lower(F.trim(F.col(quoted(name))))
            frame = frame.withColumn(name, F.when(word.isin(*TRUTH), word == "true"))
    return frame


def complete_frame(frame: Any, chosen: Chosen) -> tuple[Any, list[Note]]:
    """Return the rows of a frame that have all values, and the note on the others."""
    found = _counted(frame, chosen)
    if not found["incomplete"]:
        return frame, []
    counts = [f"{name}: {found[name]:,}" for name in chosen.needed if found[name]]
    note = excluded_note(found["incomplete"], found["rows"], counts)
    return frame.filter(~reduce(or_, _absent(frame, chosen).values())), [note]


def missing_error(frame: Any, chosen: Chosen, source: str) -> InputError | None:
    """Return the error about the rows of a frame that lack a value, or None if none does."""
    found = _counted(frame, chosen)
    if not found["incomplete"]:
        return None
    counts = ", ".join(f"{name}: {found[name]:,}" for name in chosen.needed if found[name])
    problem = f"found none in {found['incomplete']:,} of {found['rows']:,} rows ({counts})"
    return InputError(source, None, f"expected a value in every row, {problem}", hint=MISSING_HINT)


def _counted(frame: Any, chosen: Chosen) -> dict[str, int]:
    """Return the number of rows, of those that lack a value, and of missing values by column."""
    from pyspark.sql import functions as F  # noqa: N812

    absent = _absent(frame, chosen)
    sums = [F.sum(mask.cast("long")) for mask in (reduce(or_, absent.values()), *absent.values())]
    (row,) = frame.agg(F.count("*"), *sums).collect()
    counts = [int(value or 0) for value in row]
    return {"rows": counts[0], "incomplete": counts[1], **dict(zip(absent, counts[2:], strict=True))}


def _absent(frame: Any, chosen: Chosen) -> dict[str, Any]:
    """Return for each column the condition that its value is missing."""
    from pyspark.sql import functions as F  # noqa: N812
    from pyspark.sql.types import DoubleType, FloatType, StringType

    found = {}
    for name in chosen.needed:
        column, kind = F.col(quoted(name)), frame.schema[name].dataType
        found[name] = column.isNull()
        if isinstance(kind, FloatType | DoubleType):
            found[name] = found[name] | F.isnan(column)
        elif isinstance(kind, StringType):
            found[name] = found[name] | F.lower(F.trim(column)).isin(*MISSING)
    return found
