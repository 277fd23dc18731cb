"""Queries too large for a worker: counted in pieces, with the same ranks."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.distributed import large_queries
from germane.distributed.judged_runs import put_together
from germane.distributed.matching_tasks import MatchingTask, result
from germane.errors import InputError
from germane.tables.rankings.judged_run import JudgedRun, Ties
from tests.distributed.test_judged_runs import QRELS, differences, on_one_machine, runs
from tests.distributed.test_matching_tasks import ONE_RUN, Row, batches

pa = pytest.importorskip("pyarrow", reason="batches of rows need pyarrow")


class InPieces:
    """Rows of large queries as Spark would divide them, in batches of three."""

    def __init__(self, rows: Sequence[Row], sizes: dict[Any, int]) -> None:
        wanted = {query.decode(): size for (_, query), size in sizes.items()}
        cut = [(row, hash(row[1]) % 3) for row in rows if row[0] in wanted]
        cut.sort(key=lambda each: (each[0][0], each[1]))
        self.batches = []
        if cut:
            table = pa.Table.from_batches(batches([row for row, _ in cut], [len(cut)]))
            table = table.append_column("piece", pa.array([piece for _, piece in cut]))
            self.batches = table.to_batches(max_chunksize=3)

    def mapInArrow(self, task: Any, schema: str) -> Any:  # noqa: N802 - Spark's name
        found = list(task(iter(self.batches)))
        return pa.Table.from_batches(found, result((0, b""), 0).schema)


def judged(rows: list[Row], limit: int, ties: Ties, score_type: str = "float64") -> JudgedRun:
    task = MatchingTask(QRELS, ONE_RUN, ties, score_type, limit)
    found = pa.Table.from_batches(list(task(iter(batches(rows, [2])))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_queries, "_in_pieces", lambda _, sizes, shape: InPieces(rows, sizes))
        patch.setattr(large_queries, "broadcast", lambda frame, value: nullcontext(value))
        patch.setattr(large_queries, "collected", lambda table: table)
        results = large_queries.with_large_queries(None, found, QRELS, QRELS, (ONE_RUN, ties, score_type))
    [(_, run)] = put_together(results, [("run", "run")], QRELS, ties)
    return run


@given(
    runs(),
    st.integers(1, 9),
    st.sampled_from(["docno", "rank", "best", "worst", "expected"]),
    st.sampled_from(["float64", "float32"]),
)
def test_pieces_add_up_to_the_whole(rows: list[Row], limit: int, ties: Ties, score_type: str) -> None:
    found = judged(sorted(rows, key=lambda row: row[0]), limit, ties, score_type)
    assert differences(found, on_one_machine(sorted(rows, key=lambda row: row[0]), ties, score_type=score_type)) == []


RISING = [("q2", f"d{d}", float(d), 1) for d in range(20)]


def test_rising_scores_and_unknown_queries_are_seen() -> None:
    rows = [*RISING, *(("x9", f"d{d}", 1.0, 1) for d in range(20))]
    found = judged(rows, 4, "docno")
    assert differences(found, on_one_machine(rows)) == []
    assert (found.rising_queries, found.unknown_queries) == (1, ("x9",))


def test_a_piece_left_out_is_seen() -> None:
    fewer = [row for row in RISING if hash(row[1]) % 3]
    assert differences(judged(fewer, 4, "docno"), on_one_machine(RISING)) != []


@pytest.mark.parametrize("query", ["q2", "x9"])
def test_a_duplicate_in_a_large_query_is_found(query: str) -> None:
    rows = [(query, f"d{d}", float(d), 1) for d in (*range(20), 3)] + [("q3", "d3", 1.0, 1)]
    with pytest.raises(InputError, match=f"duplicate document 'd3' for query '{query}'"):
        judged(rows, 4, "docno")


def test_a_worker_holds_a_bounded_number_of_rows() -> None:
    """Of a large query only parts are held; the largest is at most twice the limit, and a batch."""
    from germane.distributed.whole_queries import LargePart, whole_queries

    rows = [("q1", "d", 1.0, 1), *(("q2", f"d{d}", float(d % 7), 1) for d in range(500)), ("q3", "d", 1.0, 1)]
    parts = list(whole_queries(iter(batches(rows, [3])), ONE_RUN, 10))
    sizes = [len(part.score) for part in parts if isinstance(part, LargePart)]
    assert sum(sizes) == 500
    assert max(sizes) <= 23
    assert [part.queries for part in parts if not isinstance(part, LargePart)] == [[b"q1"], [b"q3"]]
    assert np.concatenate([part.score for part in parts if isinstance(part, LargePart)]).tolist() == [
        float(d % 7) for d in range(500)
    ]
