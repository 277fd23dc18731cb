"""CSV and TSV with a header, and BEIR's judgments, which are a TSV with a certain header."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from functools import partial
from typing import BinaryIO

from germane.formats.rankings.entry import Format, Guess, Head, Recognise, scan_lines
from germane.formats.rankings.layout import TextLayout
from germane.formats.rows.column_names import Kind, find_roles, guess_kind, has_names
from germane.formats.rows.number_text import judgments, sampled_rows, tag_of, whole_or_repr
from germane.formats.rows.text import BOM
from germane.tables.columns.ids import Ids, to_text
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

BEIR_HEADER = ("query-id", "corpus-id", "score")


def _recogniser(name: str, separator: bytes) -> Recognise:
    def recognise(head: Head, kind: Kind | None, source: str, *, named: bool) -> Guess | None:
        number, first = head.lines[0]
        names = _header(first, separator)
        if not named and not has_names(names):
            return None
        kind = kind or guess_kind(names)
        if not named and name == "beir" and (kind != "qrels" or tuple(names) != BEIR_HEADER):
            return None
        roles = find_roles(names, kind, source, number)
        why = f"a header with {'commas' if separator == b',' else 'tabs'}: {', '.join(names)}"
        places = {role: place for role, place in roles._asdict().items() if role != "left_out"}
        layout = TextLayout(f"{name}-{kind}", num_fields=len(names), delimiter=separator, header_lines=1, **places)
        return Guess(name, kind, f"told to read it as {name}" if named else why, layout, roles.left_out)

    return recognise


def _header(line: bytes, separator: bytes) -> list[str]:
    names = line.removeprefix(BOM).rstrip(b"\r\n").split(separator)
    return [to_text(name.strip().strip(b'"')) for name in names]


def _write_rows(entry: Format, target: BinaryIO, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    import csv

    assert entry.separator is not None
    # Bytes that are not UTF-8 come and go as surrogate escapes.
    text = io.TextIOWrapper(target, encoding="utf-8", errors="surrogateescape", newline="", write_through=True)
    writer = csv.writer(text, delimiter=entry.separator.decode(), lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    text.detach()


def _write_run(run: Run, target: BinaryIO, *, name: str) -> None:
    entry = FORMATS[name]
    entry.reject_ids(run.queries, "query id", first_on_line=True)
    entry.reject_ids(run.docs, "document id")
    queries, docs, scores = list(run.queries), list(run.docs), run.score.tolist()
    columns = {
        "qid": [queries[code] for code in run.query.tolist()],
        "docno": docs,
        "score": [repr(score) for score in scores],
    }
    if run.rank is not None:
        columns["rank"] = [whole_or_repr(rank) for rank in run.rank.tolist()]
    if run.tag is not None:
        entry.reject_ids(Ids.of([run.tag]), "tag")
        columns["tag"] = [tag_of(run)] * len(docs)
    _write_rows(entry, target, list(columns), zip(*columns.values(), strict=True))


def _write_qrels(qrels: Qrels, target: BinaryIO, *, name: str) -> None:
    entry = FORMATS[name]
    sampled = "sampling" in entry.holds and qrels.sampling is not None
    entry.reject_ids(qrels.queries, "query id", first_on_line=True)
    entry.reject_ids(qrels.docs, "document id")
    if qrels.groups is not None:
        entry.reject_ids(qrels.groups.labels, "group")
    if sampled and qrels.sampling is not None:
        entry.reject_ids(qrels.sampling.labels, "stratum")
    rows = (
        [to_text(query), to_text(doc), whole_or_repr(grade)]
        + ([] if group is None else [to_text(group)])
        + ([] if stratum is None or not sampled else [to_text(stratum), repr(inclusion)])
        for (query, doc, grade, group), (stratum, inclusion) in zip(judgments(qrels), sampled_rows(qrels), strict=True)
    )
    header = BEIR_HEADER if name == "beir" else ("qid", "docno", "relevance")
    groups = [] if qrels.groups is None else ["subtopic"]
    _write_rows(entry, target, [*header, *groups, *(["stratum", "inclusion"] if sampled else [])], rows)


def _table(name: str, separator: bytes, description: str) -> Format:
    sep = separator.decode()
    return Format(
        name=name,
        description=description,
        example=f"qid{sep}docno{sep}score\n301{sep}FT911-3{sep}12.5",
        endings=(name,),
        scan=scan_lines,
        write_run=partial(_write_run, name=name),
        write_qrels=partial(_write_qrels, name=name),
        holds=frozenset({"score", "rank", "tag", "groups", "sampling"}),
        recognise=_recogniser(name, separator),
        separator=separator,
    )


CSV = _table("csv", b",", "columns between commas, named by a header")
TSV = _table("tsv", b"\t", "columns between tabs, named by a header")
BEIR = Format(
    name="beir",
    description="BEIR judgments: columns between tabs, with the header query-id corpus-id score",
    example="query-id\tcorpus-id\tscore\n1\t31715818\t1",
    endings=(),
    scan=scan_lines,
    write_run=None,
    write_qrels=partial(_write_qrels, name="beir"),
    recognise=_recogniser("beir", b"\t"),
    separator=b"\t",
)
FORMATS = {entry.name: entry for entry in (CSV, TSV, BEIR)}
