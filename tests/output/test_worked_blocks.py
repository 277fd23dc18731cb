"""Law: what the page is given of any measure adds up, as the page adds it, to the value, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from germane.api.rankings.evaluation import evaluate
from germane.api.reports.queries import QueryRankings
from germane.api.reports.rankings import RetrievalNumbers, retrieval_numbers
from germane.measures.definition import MEASURES
from germane.output.page.blocks import as_json, plain
from germane.output.reports.retrieval_breakdowns import worked_block
from germane.tables.rankings.judged_run import Ties
from germane.tables.rankings.measure import Measure
from tests.laws.test_promotion import expected_settings
from tests.made_runs import all_settings

QRELS = {
    "q1": {"a": 1, "b": 0, "c": 3, "z": 1, "pooled": -1},
    "q2": {"a": 0, "b": 2, "far": 1},
    "q3": {"a": 0},
    "q4": {"a": 1, "b": 1, "c": 1},
}
RUNS = {
    "tied": {
        "q1": {"b": 2.0, "c": 2.0, "u": 2.0, "a": 1.0, "z": 1.0},
        "q2": {"v": 9.0, "a": 7.0, "b": 7.0, "far": 0.5},
    },
    "plain": {
        "q1": {"a": 3.0, "c": 2.0},
        "q2": {"b": 3.0},
        "q3": {"a": 1.0, "u": 0.5},
        "q4": {"b": 2.0, "u": 1.0, "a": 0.0},
    },
}


def of_plain_judgments(measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if "groups" not in MEASURES[measure].needs]


def column(columns: list[Any], kept: Any, system: int, keys: dict[str, Sequence[Any]], rows: slice) -> list[float]:
    """A column of one query, as worked.js looks it up."""
    if isinstance(kept, list):
        whole: list[float] = columns[kept[system]][rows]
        return whole
    if kept["from"] == "precision":
        return [(i + 1) / rank for i, (rank, _) in enumerate(keys["rank"])]
    first, second, value = (columns[kept[name]] for name in ("first", "second", "value"))
    table = dict(zip(zip(first, second, strict=True), value, strict=True))
    return [table[pair] for pair in keys[kept["from"]]]


def relevant_hits(query: QueryRankings, system: int) -> list[tuple[int, float]]:
    """Rank and grade of the relevant documents that are shown, as columns.js finds them."""
    ranked = [(rank, query.grades[doc]) for rank, doc in enumerate(query.top[system], start=1)]
    ranked += [(rank, query.grades[doc]) for doc, rank in query.beyond[system]]
    return [(rank, grade) for rank, grade in ranked if grade is not None and grade > 0]


def wrong_sums(numbers: RetrievalNumbers) -> Iterator[str]:
    """Each value that its terms do not add up to."""
    blocks = plain(worked_block(numbers))
    as_json(blocks)
    columns = blocks["columns"]
    for m, (measure, kept) in enumerate(zip(numbers.scores.measures, blocks["measures"], strict=True)):
        for r in range(len(numbers.runs)):
            base, over = (columns[kept[name][r]] for name in ("base", "over"))
            ends = np.cumsum([0, *kept["counts"][r]]).tolist()
            for q, query in enumerate(numbers.scores.queries):
                rows = slice(ends[q], ends[q + 1])
                if kept["rank"] is None:
                    hits = relevant_hits(numbers.rankings[q], r)[: ends[q + 1] - ends[q]]
                else:
                    rank, grade = (columns[kept[name][r]][rows] for name in ("rank", "grade"))
                    hits = list(zip(rank, grade, strict=True))
                keys: dict[str, Sequence[Any]] = {"rank": hits, "place": [(q, i) for i in range(len(hits))]}
                value = numbers.scores.values[r, m, q]
                total = 0.0
                for term in column(columns, kept["term"], r, keys, rows):
                    total += term
                if over[q] != 0 and (base[q] + total) / over[q] != value:
                    yield f"{measure} of {numbers.runs[r].name} for {query} is {value}"


@pytest.mark.parametrize("ties", ["docno", "best", "expected"])
def test_the_terms_of_every_measure_add_up_to_its_value(ties: Ties) -> None:
    measures = of_plain_judgments(expected_settings() if ties == "expected" else all_settings())
    assert len(measures) > 15
    numbers = retrieval_numbers(evaluate(QRELS, RUNS, measures, ties=ties, collection_size=40), {"depth": 2})
    assert list(wrong_sums(numbers)) == []


def test_the_law_catches_a_value_that_is_off_by_the_last_bit() -> None:
    numbers = retrieval_numbers(evaluate(QRELS, RUNS, "AP"), {"depth": 2})
    numbers.scores.values[1, 0, 0] += 1e-15
    assert len(list(wrong_sums(numbers))) == 1
