"""CSV and TSV with a header, and BEIR's judgments, which are a TSV with a certain header."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO

from germane.formats.entry import Format, scan_lines
from germane.formats.writing import judgments, reject_ids, sampled_rows, tag_of, whole_or_repr
from germane.tables.ids import Ids, to_text
from germane.tables.qrels import Qrels
from germane.tables.run import Run


def _write_rows(target: BinaryIO, delimiter: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    import csv

    # Bytes that are not UTF-8 come and go as surrogate escapes.
    text = io.TextIOWrapper(target, encoding="utf-8", errors="surrogateescape", newline="", write_through=True)
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    text.detach()


def _run_writer(name: str, delimiter: str) -> Callable[[Run, BinaryIO], None]:
    def write_run(run: Run, target: BinaryIO) -> None:
        reject_ids(run.queries, "query id", name, delimited=True, first_on_line=delimiter == "\t")
        reject_ids(run.docs, "document id", name, delimited=True)
        queries, docs, scores = list(run.queries), list(run.docs), run.score.tolist()
        columns = {
            "qid": [queries[code] for code in run.query.tolist()],
            "docno": docs,
            "score": [repr(score) for score in scores],
        }
        if run.rank is not None:
            columns["rank"] = [whole_or_repr(rank) for rank in run.rank.tolist()]
        if run.tag is not None:
            reject_ids(Ids.of([run.tag]), "tag", name, delimited=True)
            columns["tag"] = [tag_of(run)] * len(docs)
        _write_rows(target, delimiter, list(columns), zip(*columns.values(), strict=True))

    return write_run


def _qrels_writer(
    name: str, delimiter: str, header: tuple[str, str, str], *, sampled: bool = True
) -> Callable[[Qrels, BinaryIO], None]:
    def write_qrels(qrels: Qrels, target: BinaryIO) -> None:
        reject_ids(qrels.queries, "query id", name, delimited=True, first_on_line=delimiter == "\t")
        reject_ids(qrels.docs, "document id", name, delimited=True)
        if qrels.groups is not None:
            reject_ids(qrels.groups.labels, "group", name, delimited=True)
        if sampled and qrels.sampling is not None:
            reject_ids(qrels.sampling.labels, "stratum", name, delimited=True)
        rows = (
            [to_text(query), to_text(doc), whole_or_repr(grade)]
            + ([] if group is None else [to_text(group)])
            + ([] if stratum is None or not sampled else [to_text(stratum), repr(inclusion)])
            for (query, doc, grade, group), (stratum, inclusion) in zip(
                judgments(qrels), sampled_rows(qrels), strict=True
            )
        )
        groups = [] if qrels.groups is None else ["subtopic"]
        strata = ["stratum", "inclusion"] if sampled and qrels.sampling is not None else []
        _write_rows(target, delimiter, [*header, *groups, *strata], rows)

    return write_qrels


CSV = Format(
    name="csv",
    description="columns between commas, named by a header",
    example="qid,docno,score\n301,FT911-3,12.5",
    endings=("csv",),
    scan=scan_lines,
    write_run=_run_writer("csv", ","),
    write_qrels=_qrels_writer("csv", ",", ("qid", "docno", "relevance")),
    holds=frozenset({"score", "rank", "tag", "groups", "sampling"}),
)
TSV = Format(
    name="tsv",
    description="columns between tabs, named by a header",
    example="qid\tdocno\tscore\n301\tFT911-3\t12.5",
    endings=("tsv",),
    scan=scan_lines,
    write_run=_run_writer("tsv", "\t"),
    write_qrels=_qrels_writer("tsv", "\t", ("qid", "docno", "relevance")),
    holds=frozenset({"score", "rank", "tag", "groups", "sampling"}),
)
BEIR = Format(
    name="beir",
    description="BEIR judgments: columns between tabs, with the header query-id corpus-id score",
    example="query-id\tcorpus-id\tscore\n1\t31715818\t1",
    endings=(),
    scan=scan_lines,
    write_run=None,
    write_qrels=_qrels_writer("beir", "\t", ("query-id", "corpus-id", "score"), sampled=False),
)
