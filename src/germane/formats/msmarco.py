"""MS MARCO's runs: query, document and rank, and no score. Its judgments are in TREC format."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from germane.formats.entry import Format, scan_lines
from germane.formats.writing import reject_ids, score_places, whole_or_repr
from germane.tables.run import Run


def write_run(run: Run, target: BinaryIO) -> None:
    """One line per retrieved document: its rank as it was read, or else its place by score."""
    reject_ids(run.queries, "query id", "msmarco", delimited=False, first_on_line=True)
    reject_ids(run.docs, "document id", "msmarco", delimited=False)
    queries = run.queries.to_bytes_list()
    rank = -run.score if has_only_ranks(run) else score_places(run)
    for query, doc, place in zip(run.query.tolist(), run.docs.to_bytes_list(), rank.tolist(), strict=True):
        target.write(b"%s\t%s\t%s\n" % (queries[query], doc, whole_or_repr(place).encode()))


def has_only_ranks(run: Run) -> bool:
    """Whether the scores are nothing but ranks, as in a run read from this format."""
    return run.rank is not None and np.array_equal(run.score, -run.rank)


FORMAT = Format(
    name="msmarco",
    description="MS MARCO runs (query document rank)",
    example="1048585\t7187158\t1",
    endings=("msmarco",),
    scan=scan_lines,
    write_run=write_run,
    write_qrels=None,
    holds=frozenset({"rank"}),
)
