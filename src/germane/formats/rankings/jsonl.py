"""JSON lines: an object per row, with the names that columns have elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from germane.errors import InputError
from germane.formats.files.json_text import STARTS_LIKE_JSON, first_json_value, json_object
from germane.formats.rankings.entry import Detected, Format, Guess, Head
from germane.formats.rows.column_names import Kind, guess_kind
from germane.formats.rows.named_rows import Numbered, scan_objects
from germane.formats.rows.number_text import judgments, sampled_rows
from germane.formats.rows.text import BOM, RowError, TextRow
from germane.tables.columns.ids import to_text
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run


def recognise(head: Head, kind: Kind | None, source: str, *, named: bool) -> Guess | None:
    """An object whose first value is plain."""
    line = head.lines[0][1]
    if not named and not (STARTS_LIKE_JSON.match(head.data) and first_json_value(head.data) not in (None, b"{")):
        return None
    names = [to_text(name) for name in re.findall(rb'"((?:[^"\\]|\\.)*)"\s*:', line)]
    why = "told to read it as jsonl" if named else "starts with { and holds plain values: an object per line"
    return Guess("jsonl", kind or guess_kind(names), why)


def scan(detected: Detected) -> Iterator[TextRow | RowError]:
    """Each line as a row."""
    return scan_objects(_objects(detected), detected.kind, detected.source)


def _objects(detected: Detected) -> Iterator[Numbered]:
    for number, line in enumerate(detected.stream, start=1):
        data = line.removeprefix(BOM) if number == 1 else line
        if not data.strip():
            continue
        try:
            yield number, json_object(data, detected.source, number, unique=True)
        except InputError as error:
            yield number, RowError(error.source, number, "json", error.problem)


def write_run(run: Run, target: BinaryIO) -> None:
    """One line per retrieved document, in the order of the run."""
    import json

    queries = list(run.queries)
    rank = None if run.rank is None else run.rank.tolist()
    for row, (query, doc, score) in enumerate(zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True)):
        item: dict[str, object] = {"qid": queries[query], "docno": doc, "score": score}
        if rank is not None:
            item["rank"] = _whole(rank[row])
        if run.tag is not None:
            item["tag"] = run.tag
        target.write(json.dumps(item).encode() + b"\n")


def write_qrels(qrels: Qrels, target: BinaryIO) -> None:
    """One line per judgment."""
    import json

    samples = sampled_rows(qrels)
    for (query, doc, grade, group), (stratum, inclusion) in zip(judgments(qrels), samples, strict=True):
        item: dict[str, object] = {"qid": to_text(query), "docno": to_text(doc), "relevance": _whole(grade)}
        if group is not None:
            item["subtopic"] = to_text(group)
        if stratum is not None:
            item |= {"stratum": to_text(stratum), "inclusion": inclusion}
        target.write(json.dumps(item).encode() + b"\n")


def _whole(number: float) -> float | int:
    return int(number) if number == int(number) else number


FORMAT = Format(
    name="jsonl",
    description="an object per line, with the names of columns",
    example='{"qid": "301", "docno": "FT911-3", "score": 12.5}',
    endings=("jsonl", "ndjson"),
    scan=scan,
    write_run=write_run,
    write_qrels=write_qrels,
    holds=frozenset({"score", "rank", "tag", "groups", "sampling"}),
    recognise=recognise,
)
