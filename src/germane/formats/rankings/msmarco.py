"""MS MARCO's runs: query, document and rank, and no score. Its judgments are in TREC format."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from germane.formats.rankings.entry import Format, Guess, Head, scan_lines
from germane.formats.rankings.layout import TextLayout
from germane.formats.rows.column_names import Kind
from germane.formats.rows.number_text import score_places, whole_or_repr
from germane.formats.rows.text import INTEGER
from germane.tables.rankings.run import Run

MSMARCO_RUN = TextLayout("msmarco-run", query=0, doc=1, value=2, num_fields=3, rank_only=True)


def recognise(head: Head, kind: Kind | None, source: str, *, named: bool) -> Guess | None:
    """Three fields, a whole number the last."""
    if named:
        return Guess("msmarco", "run", "told to read it as msmarco", MSMARCO_RUN)
    of_three = [row for row in head.rows if len(row) == 3]
    # Longer lines further down: a TREC run whose first line is broken.
    if kind == "qrels" or len(head.rows[0]) != 3 or max(map(len, head.rows)) >= 6:
        return None
    if all(INTEGER.fullmatch(row[2]) for row in of_three):
        return Guess("msmarco", "run", "3 fields to a line, a whole number the last: its rank", MSMARCO_RUN)
    return None


def write_run(run: Run, target: BinaryIO) -> None:
    """One line per retrieved document: its rank as it was read, or else its place by score."""
    FORMAT.reject_ids(run.queries, "query id", first_on_line=True)
    FORMAT.reject_ids(run.docs, "document id")
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
    recognise=recognise,
    separator=b" ",
)
