"""Average the values of the requested measures and print them as trec_eval does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from germane.tables.rankings.judged_run import PerQuery
from germane.trec_eval.c_numbers import fixed, sum_in_order
from germane.trec_eval.evaluation import Evaluation
from germane.trec_eval.only_here import SMALLEST
from germane.trec_eval.options import Options
from germane.trec_eval.table import ROWS, Row

ZScores = Mapping[tuple[bytes, bytes], tuple[float, float]]
NO_Z_SCORE = -1000000.0
TOPIC = b"\0"
"""Stands for the topic in a template; no argument contains it."""
ZERO_WHERE_MISSING = (b"num_ret", b"utility", b"relstring", b"rbp_resid")


@dataclass(frozen=True)
class Requested:
    """A row of the table with its parameters, and the names of its values."""

    row: Row
    values: tuple[Any, ...]
    names: list[bytes]


@dataclass(frozen=True, eq=False)
class Column:
    """One value for each topic, and how it is printed."""

    row: Row
    name: bytes
    values: PerQuery
    texts: list[bytes] | None


def requested(options: Options) -> list[Requested]:
    """Return the requested measures, in the order of the table."""
    chosen = []
    for row in ROWS:
        if row.name in options.requested:
            text = options.parameters.get(row.name)
            values = row.default if text is None else row.kind.parse(text)
            chosen.append(Requested(row, values, row.kind.label(row.name.encode(), values, text)))
    return chosen


def columns(evaluation: Evaluation, wanted: list[Requested], z_scores: ZScores | None) -> list[Column]:
    """Compute all requested values, for all topics."""
    table = []
    for request in wanted:
        texts = request.row.text(evaluation, request.values) if request.row.text else None
        with np.errstate(all="ignore"):  # trec_eval divides by zero, too
            computed = request.row.compute(evaluation, request.values)
        for name, values in zip(request.names, computed, strict=True):
            own = np.array(values, dtype=np.float64)
            if name in ZERO_WHERE_MISSING or name.startswith(b"unj"):
                own[evaluation.missing] = 0.0
                if texts:
                    texts = [b"''" if gone else text for text, gone in zip(texts, evaluation.missing, strict=True)]
            if z_scores is not None:
                own = _standardised(evaluation.topics, name, own, z_scores)
            table.append(Column(request.row, name, own, texts))
    return table


def _standardised(topics: list[bytes], name: bytes, values: PerQuery, z_scores: ZScores) -> PerQuery:
    result = np.full(len(values), NO_Z_SCORE)
    for i, (topic, value) in enumerate(zip(topics, values.tolist(), strict=True)):
        mean, deviation = z_scores.get((topic, name), (math.nan, 0.0))
        if deviation:
            result[i] = (value - mean) / deviation
        elif value == mean:
            result[i] = 0.0
    return result


def topic_lines(evaluation: Evaluation, table: list[Column]) -> Iterator[bytes]:
    """Yield the lines that -q prints, one topic at a time."""
    shown = [column for column in table if column.row.each_topic]
    # One template for all lines of a topic, and the values of all topics at once: there may be millions of lines.
    template = b"".join(_template(evaluation, column) for column in shown)
    values = [column.texts or _printable(evaluation, column) for column in shown]
    for topic, row in zip(evaluation.topics, zip(*values, strict=True), strict=True):
        yield template.replace(TOPIC, topic.replace(b"%", b"%%")) % row


def _template(evaluation: Evaluation, column: Column) -> bytes:
    fixed_part, _, _ = _line(evaluation, column, TOPIC, b"").replace(b"%", b"%%").rpartition(b"\n")
    return fixed_part + _pattern(evaluation, column) + b"\n"


def _pattern(evaluation: Evaluation, column: Column) -> bytes:
    if column.texts or not np.isfinite(column.values).all():
        return b"%s"
    return b"%d" if _is_whole(evaluation, column) else b"%6.4f"


def _printable(evaluation: Evaluation, column: Column) -> list[bytes] | list[float]:
    values: list[float] = column.values.tolist()
    return [*map(fixed, values)] if _pattern(evaluation, column) == b"%s" else values


def summary_lines(evaluation: Evaluation, table: list[Column]) -> Iterator[bytes]:
    """Yield the summary lines, over all topics."""
    for column in table:
        if column.row.overall:
            value = column.texts[-1] if column.texts else _summary_text(evaluation, column)
            yield _line(evaluation, column, b"all", value)


def _summarised(evaluation: Evaluation, column: Column) -> float:
    total = sum_in_order(column.values)
    complete = evaluation.options.complete
    num_topics = evaluation.num_judged_topics if complete else len(evaluation.topics)
    match column.row.summary:
        case "topics":
            return float(num_topics)
        case "relevant" if complete:
            return float(evaluation.num_positive)
        case "total" | "relevant":
            return total
        case "geometric":
            if complete:
                total += (num_topics - len(evaluation.topics)) * math.log(SMALLEST)
            return math.exp(total / num_topics)
    return total / num_topics


def _summary_text(evaluation: Evaluation, column: Column) -> bytes:
    value = _summarised(evaluation, column)
    return b"%d" % int(value) if _is_whole(evaluation, column) else fixed(value)


def _is_whole(evaluation: Evaluation, column: Column) -> bool:
    return column.row.whole and evaluation.options.z_scores is None


def _line(evaluation: Evaluation, column: Column, topic: bytes, value: bytes) -> bytes:
    start = b"" if column.texts or evaluation.options.z_scores is None else b"Z"
    return b"%s%s\t%s\t%s\n" % (start, column.name.ljust(22), topic, value)
