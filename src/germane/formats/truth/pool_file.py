"""Read and write pools: JSON lines that start with how the pool was built, or plain lists of documents as in TREC.

The first line is ``{"germane_pool": 1, "method": …, "parameters": …, "seed": …, "runs": […], "hash": …}``; each line
after it is an item, ``{"topic": "301", "doc": "FT911-3"}``, with ``stratum``, ``inclusion`` and ``kind`` unless they
have their defaults, and ``"sampled": false`` for a document that was pooled but not sampled. The hash detects files
that were changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from germane.errors import GermaneError, InputError
from germane.formats.files.sources import open_source, peek, source_name
from germane.formats.files.targets import open_target
from germane.formats.rows.text import BOM, CONTROL, data_lines, show
from germane.tables.columns.ids import to_bytes, to_text
from germane.tables.truth.pool import Pool, PooledRun, PoolItem, item_rows

VERSION = 1
GIVEN = "given"
"""Method of a pool read from a plain list, which does not state how it was built."""
MANIFEST = {"method": str, "parameters": dict, "seed": int, "runs": list, "hash": str}
MEND = "use the original file, or build the pool again with germane pool"
ITEM = {"topic": str, "doc": str, "stratum": str, "inclusion": (int, float), "kind": str, "sampled": bool}


def write_pool(pool: Pool, path: str | Path, *, overwrite: bool = True) -> None:
    """Write a pool with everything needed to reproduce it; without `overwrite`, an existing file is an error."""
    head = {"germane_pool": VERSION, **pool.manifest, "hash": pool.hash}
    with open_target(path, overwrite=overwrite) as target:
        for row in (head, *item_rows(pool)):
            target.write(json.dumps(row).encode("ascii") + b"\n")


def read_pool(path: str | Path) -> Pool:
    """Read a pool: germane's own format, or lines ``topic document`` or ``topic Q0 document …`` as in TREC."""
    source = source_name(path)
    with open_source(path) as stream:
        head, lines = peek(stream, 64)
        is_own = head.removeprefix(BOM).lstrip().startswith(b"{")
        return (_read_json if is_own else _read_plain)(lines, source)


def _read_json(lines: BinaryIO, source: str) -> Pool:
    rows = _objects(lines, source)
    _, manifest = next(rows)
    if manifest.pop("germane_pool", None) != VERSION:
        problem = f'expected a first line with "germane_pool": {VERSION}'
        hint = "create the file with `germane pool`, or write plain lines `topic document`"
        raise InputError(source, 1, problem, hint=hint)
    _require(manifest, MANIFEST, MANIFEST, source, 1)
    stated = manifest.pop("hash")
    items: dict[bool, list[PoolItem]] = {True: [], False: []}
    for number, row in rows:
        _require(row, ITEM, ("topic", "doc"), source, number)
        sampled = row.pop("sampled", True)
        try:
            items[sampled].append(PoolItem(**row))
        except GermaneError as error:
            raise InputError(source, number, error.message) from None
    try:
        runs = tuple(PooledRun(**run) for run in manifest.pop("runs"))
    except TypeError:
        raise InputError(source, 1, "expected runs with a name and a sha256") from None
    pool = _pool(items[True], source, runs=runs, unsampled=items[False], **manifest)
    if pool.hash != stated:
        raise InputError(source, None, "the file was changed: its hash does not match its items", hint=MEND)
    return pool


def _objects(lines: BinaryIO, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, data in data_lines(lines):
        try:
            row = json.loads(data)
            to_bytes(json.dumps(row, ensure_ascii=False))  # a lone surrogate cannot be written
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise InputError(source, number, f"expected a JSON object, found {show(data.rstrip())}")
        yield number, row


def _require(row: Mapping[str, Any], known: Mapping[str, Any], needed: Any, source: str, line: int) -> None:
    """Check the required and allowed keys of a line, and their types."""
    for name, value in row.items():
        kinds = known.get(name)
        if kinds is None:
            raise InputError(source, line, f"unknown key {name!r}", hint=f"choose from {', '.join(known)}")
        if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool) or value == "":
            raise InputError(source, line, f"invalid value of {name!r}: {value!r}")
    for name in needed:
        if name not in row:
            raise InputError(source, line, f"expected the key {name!r}, found {', '.join(map(repr, row))}")


def _read_plain(lines: BinaryIO, source: str) -> Pool:
    items: list[PoolItem] = []
    lines_of: dict[tuple[bytes, bytes], int] = {}
    for number, data in data_lines(lines, b"#"):
        if data.startswith(b"{") or b'"germane_pool"' in data:
            problem = f"expected a plain list or a pool with a complete first line, found {show(data.rstrip())}"
            raise InputError(source, number, problem, hint=MEND)
        if CONTROL.search(data):
            raise InputError(source, number, f"expected text, found binary data: {show(data.rstrip())}")
        fields = data.split()
        if len(fields) < 2:
            expected = "expected `topic document` or `topic Q0 document`"
            raise InputError(source, number, f"{expected}, found 1 field: {show(data.rstrip())}")
        topic, doc = fields[0], fields[1 if len(fields) == 2 else 2]
        if first := lines_of.get((topic, doc)):
            problem = f"duplicate document {to_text(doc)!r} for topic {to_text(topic)!r} (first on line {first})"
            raise InputError(source, number, problem)
        lines_of[topic, doc] = number
        items.append(PoolItem(to_text(topic), to_text(doc)))
    return _pool(items, source, method=GIVEN)


def _pool(items: list[PoolItem], source: str, **known: Any) -> Pool:
    if not items:
        raise InputError(
            source, None, "expected documents to judge, found none", hint="check that this is the right file"
        )
    try:
        return Pool.of(items, **known)
    except GermaneError as error:
        raise InputError(source, None, error.message) from None
