"""CSV and TSV with a header, and BEIR judgments, which are TSV with a fixed header."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import BinaryIO

from germane.formats.rankings.entry import Format, Guess, Head, Recognise, scan_lines
from germane.formats.rows.column_names import Kind, find_roles, guess_kind, has_names
from germane.formats.rows.number_text import judgment_rows, run_columns
from germane.formats.rows.text import BOM, TextLayout
from germane.formats.rows.text_lines import float_column, has_bytes, ids_column, lines_of, whole_column
from germane.tables.columns.ids import Ids, to_bytes, to_text
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

BEIR_HEADER = ("query-id", "corpus-id", "score")


def _recogniser(name: str, separator: bytes) -> Recognise:
    def recognise(head: Head, kind: Kind | None, source: str, named: bool) -> Guess | None:
        number, first = head.lines[0]
        fields = first.removeprefix(BOM).rstrip(b"\r\n").split(separator)
        names = [to_text(field.strip().strip(b'"')) for field in fields]
        if not named and not has_names(names):
            return None
        kind = kind or guess_kind(names)
        if not named and name == "beir" and (kind != "qrels" or tuple(names) != BEIR_HEADER):
            return None
        roles = find_roles(names, kind, source, number)
        why = f"{'comma' if separator == b',' else 'tab'}-separated header: {', '.join(names)}"
        places = {role: place for role, place in roles._asdict().items() if role != "left_out"}
        layout = TextLayout(f"{name}-{kind}", num_fields=len(names), delimiter=separator, header_lines=1, **places)
        return Guess(name, kind, why, layout, roles.left_out)

    return recognise


def _write_rows(entry: Format, target: BinaryIO, rows: Iterable[Iterable[object]]) -> None:
    import csv

    assert entry.separator is not None
    # Bytes that are not UTF-8 are kept as surrogate escapes.
    text = io.TextIOWrapper(target, encoding="utf-8", errors="surrogateescape", newline="", write_through=True)
    writer = csv.writer(text, delimiter=entry.separator.decode(), lineterminator="\n")
    writer.writerows(rows)
    text.detach()


def _write_run(pieces: Iterable[Run], target: BinaryIO, *, name: str) -> None:
    entry = FORMATS[name]
    assert entry.separator is not None
    header: Iterable[str] | None = None
    for run in pieces:
        columns = run_columns(run)
        tag = Ids.of([] if run.tag is None else [run.tag])
        entry.reject_ids({"query id": run.queries, "document id": run.docs, "tag": tag})
        if header is None:
            header = list(columns)
            _write_rows(entry, target, [header])
        if any(has_bytes(ids, among=b'"' + entry.separator) for ids in (run.queries, run.docs, tag)):
            _write_rows(entry, target, zip(*columns.values(), strict=True))  # some need quotes
            continue
        numbers = [float_column(run.score), *([] if run.rank is None else [whole_column(run.rank)])]
        texts = ids_column(run.queries, run.query), ids_column(run.docs), *numbers
        end = b"" if run.tag is None else entry.separator + to_bytes(run.tag)
        target.write(lines_of(texts, [b"", *[entry.separator] * (len(texts) - 1), end + b"\n"]))


def _write_qrels(qrels: Qrels, target: BinaryIO, *, name: str) -> None:
    entry = FORMATS[name]
    if "sampling" not in entry.holds:
        qrels = replace(qrels, sampling=None)
    groups, strata = (None if each is None else each.labels for each in (qrels.groups, qrels.sampling))
    entry.reject_ids({"query id": qrels.queries, "document id": qrels.docs, "group": groups, "stratum": strata})
    header = BEIR_HEADER if name == "beir" else next(judgment_rows(qrels))
    _write_rows(entry, target, chain([header], (row.values() for row in judgment_rows(qrels))))


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


CSV = _table("csv", b",", "comma-separated columns with a header")
TSV = _table("tsv", b"\t", "tab-separated columns with a header")
BEIR = TSV._replace(
    name="beir",
    description="BEIR judgments: tab-separated columns with the header query-id corpus-id score",
    example="query-id\tcorpus-id\tscore\n1\t31715818\t1",
    endings=(),
    write_run=None,
    write_qrels=partial(_write_qrels, name="beir"),
    holds=frozenset(),
    recognise=_recogniser("beir", b"\t"),
)
FORMATS = {entry.name: entry for entry in (CSV, TSV, BEIR)}
