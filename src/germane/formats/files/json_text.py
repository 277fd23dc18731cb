"""Read JSON from files, with error messages about the JSON and not about the library that parses it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, InputError
from germane.formats.rows.text import BOM, show
from germane.tables.columns.ids import to_bytes

# The start of an object, possibly truncated; keys contain no line break, and a query id may be {".
STARTS_LIKE_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*(?:\Z|\}|"(?:[^"\\\n]|\\.)*(?:\Z|"\s*(?:\Z|:)))')
_FIRST_VALUE = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(.)', re.DOTALL)


def first_json_value(data: bytes) -> bytes | None:
    """Return the first byte of the first value of a JSON object, or None if it has none."""
    found = _FIRST_VALUE.match(data.removeprefix(BOM))
    return None if found is None else found.group(1)


def json_problem(error: ValueError | RecursionError) -> str:
    """Describe why a text is not valid JSON.

    >>> for text in ('{"a": }', b'"\\xff"', "[" * 100_000, "9" * 5000):
    ...     try:
    ...         json.loads(text)
    ...     except (ValueError, RecursionError) as error:
    ...         json_problem(error)
    'Expecting value at column 7'
    'byte 0xff at offset 1 is not UTF-8'
    'nested too deeply'
    'a number with too many digits'
    """
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02x} at offset {error.start} is not UTF-8"
    if isinstance(error, UnicodeEncodeError):
        return f"\\u{ord(error.object[error.start]):04x} without the other half of its surrogate pair"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number with too many digits" if "digits" in str(error) else str(error)


def json_object(
    line: bytes | str, source: str | Path, number: int, *, unique: bool = False, hint: str | None = None
) -> dict[str, Any]:
    """Return the JSON object in one line of a file; with `unique`, duplicate keys are an error.

    >>> json_object('{"a": 1, "a": 2}', "rows.jsonl", 7, unique=True)
    Traceback (most recent call last):
    germane.errors.InputError: rows.jsonl:7: expected a JSON object, found '{"a": 1, "a": 2}' (duplicate key)
    """
    why = ""
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
        item = json.loads(text, object_pairs_hook=without_doubles if unique else None)
    except (ValueError, RecursionError) as error:
        why = f" ({json_problem(error)})"
    else:
        if isinstance(item, dict):
            return item
    found = show(to_bytes(line).rstrip())
    raise InputError(source, number, f"expected a JSON object, found {found}{why}", hint=hint)


def without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object from its pairs; raise a ValueError if a key is duplicated."""
    item = dict(pairs)
    if len(item) < len(pairs):
        raise ValueError("duplicate key")
    return item


def parse_json(
    data: bytes | str, source: str | Path, expected: str = "JSON", *, hint: str | None = None, **how: Any
) -> Any:
    """Parse JSON text; `how` is passed to `json.loads`.

    >>> parse_json(b"[1, 2", "split.json", "the record of a split")
    Traceback (most recent call last):
    germane.errors.InputError: split.json:1: expected the record of a split, found a damaged file: Expecting ','
    delimiter at column 6
    """
    try:
        text = data.removeprefix(BOM).decode("utf-8") if isinstance(data, bytes) else data
        value = json.loads(text, **how)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate cannot be written
        return value
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        problem = f"expected {expected}, found a damaged file: {json_problem(error)}"
        raise InputError(source, line, problem, hint=hint) from None


def checksum_of(body: Mapping[str, Any]) -> str:
    """Return the checksum of a JSON object without its "checksum" key, independent of key order and white space.

    >>> checksum_of({"a": 1, "b": 2}) == checksum_of({"b": 2, "checksum": "x", "a": 1})
    True
    """
    text = json.dumps({name: value for name, value in body.items() if name != "checksum"}, sort_keys=True)
    import hashlib  # loads OpenSSL, which is slow

    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def with_checksum(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object as it will be read back (text keys, lists for tuples), with its checksum.

    >>> list(with_checksum({"places": (1, 2)}).items())
    [('places', [1, 2]), ('checksum', 'd0bfc60466f551ba12dfd68224067c5a')]
    """
    as_read: dict[str, Any] = json.loads(json.dumps(body))
    return {**as_read, "checksum": checksum_of(as_read)}


def require_checksum(
    body: Mapping[str, Any], source: str | Path, what: str, *, hint: str, line: int | None = None
) -> None:
    """Raise an error if the checksum of an object does not match; `what` names the object, with its article."""
    expected, found = body.get("checksum"), checksum_of(body)
    if expected != found:
        shown = expected if isinstance(expected, str) and len(expected) == len(found) else "none"
        problem = f"{what} was damaged or edited: expected checksum {shown!r}, found {found!r}"
        raise InputError(source, line, problem, hint=hint)


def shape_problem(error: Exception) -> str:
    """Describe what is wrong with the structure of a JSON file, given the exception of its reader.

    >>> shape_problem(KeyError("seed")), shape_problem(TypeError("'int' object is not iterable"))
    ("a wrong or missing 'seed'", 'a wrong or missing value')
    """
    if isinstance(error, GermaneError):
        return error.message
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return f"a wrong or missing {error.args[0]!r}"
    return "a wrong or missing value"
