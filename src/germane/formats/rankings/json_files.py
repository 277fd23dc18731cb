"""JSON: a dict of dicts, as Python tools exchange runs and judgments, or one object per line.

The dict is ``{query: {document: value}}``; the keys of the objects are the usual column names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np

from germane.errors import InputError
from germane.formats.files.json_text import STARTS_LIKE_JSON, first_json_value, json_object, json_problem
from germane.formats.rankings.entry import Detected, Format, Guess, Head
from germane.formats.rows.column_names import Kind, guess_kind
from germane.formats.rows.columns import Columns, Numbered, id_value, number_value, scan_objects
from germane.formats.rows.number_text import judgment_rows, judgments, run_columns, whole
from germane.formats.rows.text import INTEGER, RowError, TextRow, data_lines
from germane.formats.rows.text_lines import float_column, has_bytes, ids_column, lines_of, whole_column
from germane.tables.columns.ids import Ids, to_bytes, to_text
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run


def recognise(head: Head, kind: Kind | None, source: str, named: bool) -> Guess | None:
    """Recognise an object whose first value is an object."""
    if not named and not (STARTS_LIKE_JSON.match(head.data) and first_json_value(head.data) in (None, b"{")):
        return None
    values = re.findall(rb":\s*(-?[0-9][0-9.eE+-]*)", head.data)
    guessed: Kind = "qrels" if all(map(INTEGER.fullmatch, values)) else "run"
    return Guess("json", kind or guessed, "starts with { and contains objects: a dict of dicts")


def read(detected: Detected) -> Columns:
    """Read all columns; queries without documents are kept as empty rankings."""
    data = _load(detected)
    columns = Columns.from_rows(_scan(data, detected), detected.source)
    code = {to_bytes(query): number for number, query in enumerate(data)}
    renumbered = np.asarray([code[query] for query in columns.queries.to_bytes_list()], dtype=np.int64)
    return Columns(Ids.of(data), Stretches.of(renumbered[columns.query]), columns.doc, columns.value)


def scan(detected: Detected) -> Iterator[TextRow | RowError]:
    """Yield each document of each query as a row, numbered in order."""
    try:
        data = _load(detected)
    except InputError as error:
        yield RowError(error.source, error.line, "json", error.problem, hint=error.hint)
        return
    yield from _scan(data, detected)


def _scan(data: dict[str, Any], detected: Detected) -> Iterator[TextRow | RowError]:
    source = detected.source
    number = 0
    for query, docs in data.items():
        if not isinstance(docs, dict):
            found = f"{docs!r} for query {query!r}"
            yield RowError(source, None, "value", f"expected an object {{document: value}}, found {found}")
            continue
        try:
            query_id = id_value(query, "a query")
        except ValueError as error:
            yield RowError(source, None, "value", str(error))
            continue
        if not docs and detected.kind == "qrels":
            problem = f"expected at least one judgment per query, found none for {query!r}"
            yield RowError(source, None, "empty", problem, hint="remove the query, or add a document with grade 0")
        for doc, value in docs.items():
            number += 1
            try:
                row = TextRow(number, query_id, id_value(doc, "a document"), number_value(value, "value"))
            except ValueError as error:
                yield RowError(source, None, "value", f"{error}, in query {query!r}, document {doc!r}")
                continue
            yield row
    if not data:
        yield RowError(source, None, "empty", "expected queries, found none", hint="check that this is the right file")


def _load(detected: Detected) -> dict[str, Any]:
    def without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
        item = dict(pairs)
        if len(item) < len(pairs):
            seen: set[str] = set()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            problem = f"duplicate query or document {twice!r} in one object"
            raise InputError(detected.source, None, problem)
        return item

    try:
        text = detected.stream.read().decode("utf-8-sig")
        data = json.loads(text, object_pairs_hook=without_duplicates)
    except UnicodeDecodeError as error:
        problem = f"expected UTF-8 text: {json_problem(error)}"
        raise InputError(detected.source, None, problem, hint="save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        problem = f"invalid JSON at column {error.colno}: {error.msg}"
        raise InputError(detected.source, error.lineno, problem, hint="check that the file is complete") from None
    except RecursionError:
        raise InputError(detected.source, None, "expected a dict of dicts, found much deeper nesting") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(detected.source, None, f"invalid JSON: {json_problem(error)}") from None
    if not isinstance(data, dict):
        raise InputError(detected.source, None, f"expected a dict of dicts, found a {type(data).__name__}")
    return data


def write_run(pieces: Iterable[Run], target: BinaryIO) -> None:
    """Write the run as one object, documents in the order of the run."""
    data: dict[str, dict[str, float]] = {}
    for run in pieces:
        inner = [data.setdefault(query, {}) for query in run.queries]
        for query, doc, score in zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True):
            inner[query][doc] = score
    target.write(json.dumps(data, indent=1).encode() + b"\n")


def write_qrels(qrels: Qrels, target: BinaryIO) -> None:
    """Write the judgments as one object; integral grades are written as integers, as pytrec_eval requires."""
    data: dict[str, dict[str, float | int]] = {query: {} for query in qrels.queries}
    for query, doc, grade, _ in judgments(qrels):
        data[to_text(query)][to_text(doc)] = whole(grade)
    target.write(json.dumps(data, indent=1).encode() + b"\n")


def recognise_lines(head: Head, kind: Kind | None, source: str, named: bool) -> Guess | None:
    """Recognise an object whose first value is not an object."""
    if not named and not (STARTS_LIKE_JSON.match(head.data) and first_json_value(head.data) not in (None, b"{")):
        return None
    names = [to_text(name) for name in re.findall(rb'"((?:[^"\\]|\\.)*)"\s*:', head.lines[0][1])]
    return Guess("jsonl", kind or guess_kind(names), "starts with { and contains plain values: one object per line")


def scan_rows(detected: Detected) -> Iterator[TextRow | RowError]:
    """Yield each line as a row."""
    return scan_objects(_objects(detected), detected.kind, detected.source)


def _objects(detected: Detected) -> Iterator[Numbered]:
    for number, data in data_lines(detected.stream):
        try:
            yield number, json_object(data, detected.source, number, unique=True)
        except InputError as error:
            yield number, RowError(error.source, number, "json", error.problem)


def write_run_lines(pieces: Iterable[Run], target: BinaryIO) -> None:
    """Write one line per retrieved document, in the order of the run."""
    for run in pieces:
        tag = Ids.of([] if run.tag is None else [run.tag])
        if any(has_bytes(ids, below=0x20, above=0x7E, among=b'"\\') for ids in (run.queries, run.docs, tag)):
            columns = run_columns(run)
            for values in zip(*columns.values(), strict=True):
                target.write(json.dumps(dict(zip(columns, values, strict=True))).encode() + b"\n")
            continue
        texts = [ids_column(run.queries, run.query), ids_column(run.docs), float_column(run.score)]
        between = [b'{"qid": "', b'", "docno": "', b'", "score": ']
        if run.rank is not None:
            texts.append(whole_column(run.rank))
            between.append(b', "rank": ')
        end = b"" if run.tag is None else b', "tag": "%s"' % to_bytes(run.tag)
        target.write(lines_of(texts, [*between, end + b"}\n"]))


def write_qrels_lines(qrels: Qrels, target: BinaryIO) -> None:
    """Write one line per judgment."""
    for row in judgment_rows(qrels):
        target.write(json.dumps(row).encode() + b"\n")


JSON = Format(
    name="json",
    description="a dict of dicts, {query: {document: score or grade}}",
    example='{"301": {"FT911-3": 12.5}}',
    endings=("json",),
    scan=scan,
    write_run=write_run,
    write_qrels=write_qrels,
    holds=frozenset({"score", "empty queries"}),
    read=read,
    recognise=recognise,
)
JSON_LINES = Format(
    name="jsonl",
    description="one object per line, with the usual column names as keys",
    example='{"qid": "301", "docno": "FT911-3", "score": 12.5}',
    endings=("jsonl", "ndjson"),
    scan=scan_rows,
    write_run=write_run_lines,
    write_qrels=write_qrels_lines,
    holds=frozenset({"score", "rank", "tag", "groups", "sampling"}),
    recognise=recognise_lines,
)
