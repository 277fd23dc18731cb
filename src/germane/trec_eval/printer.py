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
        for name, values in zip(request.names, request.row.compute(evaluation, request.values), strict=True):
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
    """Yield the lines that -q prints."""
    shown = [column for column in table if column.row.each_topic]
    for i, topic in enumerate(evaluation.topics):
        for column in shown:
            yield _line(evaluation, column, topic, column.texts[i] if column.texts else float(column.values[i]))


def summary_lines(evaluation: Evaluation, table: list[Column]) -> Iterator[bytes]:
    """Yield the summary lines, over all topics."""
    for column in table:
        if column.row.overall:
            value = column.texts[-1] if column.texts else _summarised(evaluation, column)
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


def _line(evaluation: Evaluation, column: Column, topic: bytes, value: bytes | float) -> bytes:
    start = b""
    if not isinstance(value, bytes):
        start = b"" if evaluation.options.z_scores is None else b"Z"
        value = b"%d" % int(value) if column.row.whole and not start else fixed(value)
    return b"%s%s\t%s\t%s\n" % (start, column.name.ljust(22), topic, value)
