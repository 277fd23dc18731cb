"""TREC's runs and judgments: fields between white space, the lingua franca of retrieval experiments.

The second column of judgments is a group (the subtopic, in diversity tracks) where it is not the same in every line.
The second column of a run, ``Q0``, says nothing.
"""

from __future__ import annotations

from typing import BinaryIO

from germane.formats.entry import Format, scan_lines
from germane.formats.writing import judgments, ranks, reject_ids, tag_of, whole_or_repr
from germane.tables.ids import Ids, to_bytes
from germane.tables.qrels import Qrels
from germane.tables.run import Run


def write_run(run: Run, target: BinaryIO) -> None:
    """One line per retrieved document, in the order of the run."""
    reject_ids(run.queries, "query id", "trec", delimited=False, first_on_line=True)
    reject_ids(run.docs, "document id", "trec", delimited=False)
    reject_ids(Ids.of([tag_of(run)]), "tag", "trec", delimited=False)
    queries, tag = run.queries.to_bytes_list(), to_bytes(tag_of(run))
    columns = zip(run.query.tolist(), run.docs.to_bytes_list(), ranks(run).tolist(), run.score.tolist(), strict=True)
    for query, doc, rank, score in columns:
        numbers = f"{whole_or_repr(rank)} {score!r}".encode()
        target.write(b"%s Q0 %s %s %s\n" % (queries[query], doc, numbers, tag))


def write_qrels(qrels: Qrels, target: BinaryIO) -> None:
    """One line per judgment."""
    reject_ids(qrels.queries, "query id", "trec", delimited=False, first_on_line=True)
    reject_ids(qrels.docs, "document id", "trec", delimited=False)
    if qrels.groups is not None:
        reject_ids(qrels.groups.labels, "group", "trec", delimited=False)
    for query, doc, grade, group in judgments(qrels):
        target.write(b"%s %s %s %s\n" % (query, group or b"0", doc, whole_or_repr(grade).encode()))


FORMAT = Format(
    name="trec",
    description="TREC runs (query Q0 document rank score tag) and judgments (query group document grade)",
    example="301 Q0 FT911-3 1 12.5 bm25",
    endings=("run", "trec", "txt", "qrels"),
    scan=scan_lines,
    write_run=write_run,
    write_qrels=write_qrels,
    holds=frozenset({"score", "rank", "tag", "groups"}),
)
