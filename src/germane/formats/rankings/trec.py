"""White-space-separated formats: TREC runs and judgments, and MS MARCO runs.

The second column of TREC judgments is a group (in diversity tracks, the subtopic) unless it is the same on every line.
The second column of TREC runs, ``Q0``, is ignored. MS MARCO runs have query, document and rank, but no score; MS MARCO
judgments are in TREC format.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np

from germane.formats.rankings.entry import Format, Guess, Head, scan_lines
from germane.formats.rows.column_names import Kind
from germane.formats.rows.number_text import judgments, ranks, score_places, tag_of, whole_or_repr
from germane.formats.rows.text import INTEGER, TREC_QRELS, TREC_RUN, TextLayout, looks_like_number, looks_like_run
from germane.formats.rows.text_lines import float_column, ids_column, lines_of, whole_column
from germane.tables.columns.ids import Ids, to_bytes
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

MSMARCO_RUN = TextLayout("msmarco-run", query=0, doc=1, value=2, num_fields=3, rank_only=True)


def recognise(head: Head, kind: Kind | None, source: str, named: bool) -> Guess | None:
    """Recognise runs (six fields, the fifth a score) and judgments (four fields, the fourth a grade)."""
    rows = head.rows
    num_fields = f"{len(rows[0])} fields per line" if rows else ""
    if named:
        return _guess(kind or ("run" if rows and fits_run(rows[0]) else "qrels"), "")
    if kind is None and len(rows[0]) == 5 and rows[0][1] == b"Q0":
        return _guess("run", "the second field is Q0, as in a run, but one of six fields is missing")
    if kind != "qrels" and any(fits_run(row) and (kind == "run" or looks_like_number(row[4])) for row in rows):
        return _guess("run", f"{num_fields}, the fifth a score")
    if kind != "run" and any(map(fits_qrels, rows)) and not looks_like_run(rows[0]):
        return _guess("qrels", f"{num_fields}, the fourth a grade")
    return None


def _guess(kind: Kind, why: str) -> Guess:
    return Guess("trec", kind, why, TREC_RUN if kind == "run" else TREC_QRELS)


def fits_run(fields: list[bytes]) -> bool:
    """Return whether a line could belong to a run."""
    return len(fields) >= 6 and (looks_like_number(fields[4]) or INTEGER.fullmatch(fields[3]) is not None)


def fits_qrels(fields: list[bytes]) -> bool:
    """Return whether a line could belong to judgments."""
    return len(fields) >= 4 and (looks_like_number(fields[3]) or fields[1] in (b"0", b"Q0"))


def write_run(pieces: Iterable[Run], target: BinaryIO) -> None:
    """Write one line per retrieved document, in the order of the run."""
    for run in pieces:
        tag = tag_of(run)
        FORMAT.reject_ids({"query id": run.queries, "document id": run.docs, "tag": Ids.of([tag])})
        numbers = whole_column(ranks(run)), float_column(run.score)
        columns = ids_column(run.queries, run.query), ids_column(run.docs), *numbers
        target.write(lines_of(columns, [b"", b" Q0 ", b" ", b" ", b" %s\n" % to_bytes(tag)]))


def write_qrels(qrels: Qrels, target: BinaryIO) -> None:
    """Write one line per judgment."""
    groups = None if qrels.groups is None else qrels.groups.labels
    FORMAT.reject_ids({"query id": qrels.queries, "document id": qrels.docs, "group": groups})
    for query, doc, grade, group in judgments(qrels):
        target.write(b"%s %s %s %s\n" % (query, group or b"0", doc, whole_or_repr(grade).encode()))


def recognise_msmarco(head: Head, kind: Kind | None, source: str, named: bool) -> Guess | None:
    """Recognise three fields, the last an integer."""
    rows = head.rows
    # Longer lines further down mean a TREC run with a broken first line.
    if not named and (kind == "qrels" or len(rows[0]) != 3 or max(map(len, rows)) >= 6):
        return None
    if named or all(INTEGER.fullmatch(row[2]) for row in rows if len(row) == 3):
        return Guess("msmarco", "run", "3 fields per line, the last an integer: the rank", MSMARCO_RUN)
    return None


def write_msmarco(pieces: Iterable[Run], target: BinaryIO) -> None:
    """Write one line per retrieved document, with its rank as read, or else by score."""
    for run in pieces:
        MSMARCO.reject_ids({"query id": run.queries, "document id": run.docs})
        rank = whole_column(-run.score if has_only_ranks(run) else score_places(run))
        columns = ids_column(run.queries, run.query), ids_column(run.docs), rank
        target.write(lines_of(columns, [b"", b"\t", b"\t", b"\n"]))


def has_only_ranks(run: Run) -> bool:
    """Return whether the scores are just negated ranks, as in a run read from this format."""
    return run.rank is not None and np.array_equal(run.score, -run.rank)


FORMAT = Format(
    name="trec",
    description="TREC runs (query Q0 document rank score tag) and judgments (query group document grade)",
    example="301 Q0 FT911-3 1 12.5 bm25",
    endings=("run", "trec", "txt", "qrels"),
    scan=scan_lines,
    write_run=write_run,
    write_qrels=write_qrels,
    holds=frozenset({"score", "rank", "tag", "groups"}),
    recognise=recognise,
    separator=b" ",
)
MSMARCO = FORMAT._replace(
    name="msmarco",
    description="MS MARCO runs (query document rank)",
    example="1048585\t7187158\t1",
    endings=("msmarco",),
    write_run=write_msmarco,
    write_qrels=None,
    holds=frozenset({"rank"}),
    recognise=recognise_msmarco,
)
