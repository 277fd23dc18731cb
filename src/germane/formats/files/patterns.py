"""Patterns of paths and addresses, such as 'runs/*.parquet', quoted so that the shell does not expand them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from germane.errors import InputError
from germane.formats.files.addresses import SCHEME, Address, is_address, place

WILDCARD = re.compile(r"[*?\[{]")
BRACES = re.compile(r"\{([^{}]*)\}")


def is_pattern(path: object) -> bool:
    """Return whether this is a pattern; a name with such characters that exists is a name.

    Addresses of file systems that only Spark reads, such as hdfs://, are left to it.

    >>> [is_pattern(path) for path in ("runs/*.parquet", "runs/bm25.parquet")]
    [True, False]
    """
    if not isinstance(path, str) or WILDCARD.search(path) is None:
        return False
    found = SCHEME.match(path)
    if found is not None and found[1] != "file" and not is_address(path):
        return False
    where = place(path)
    if isinstance(where, Address):
        return True
    return not os.path.exists(where)  # noqa: PTH110 - Path.exists raises an error for a name that is too long


def fixed_part(pattern: str) -> str:
    """Return the folders of a pattern before its first wildcard.

    >>> fixed_part("s3://bucket/runs/*/part-*"), fixed_part("*.run")
    ('s3://bucket/runs', '.')
    """
    return _split(pattern)[0]


def matches(pattern: str) -> list[Path | Address]:
    """Return the files and folders that a pattern matches, in byte order; it is an error if there are none."""
    found = found_by(pattern)
    if not found:
        hint = "check the pattern; * matches within a folder, ** any number of folders"
        raise InputError(pattern, None, "expected files that match the pattern, found none", hint=hint)
    return found


def found_by(pattern: str) -> list[Path | Address]:
    """Return the files and folders that a pattern matches, in byte order."""
    begin, rest = _split(pattern)
    start = place(begin)
    return sorted(_expand(start, rest), key=lambda path: os.fsencode(str(path))) if start.is_dir() else []


def _split(pattern: str) -> tuple[str, list[str]]:
    scheme, mark, path = pattern.rpartition("://")
    parts = path.split("/")
    first = next(number for number, part in enumerate(parts) if WILDCARD.search(part))
    begin = "/".join(parts[:first]) or ("/" if path.startswith("/") else ".")
    return scheme + mark + begin, [part for part in parts[first:] if part]


def _expand(folder: Path | Address, parts: Sequence[str]) -> Iterator[Path | Address]:
    """Yield what the rest of a pattern matches in a folder; hidden names must be written out."""
    part, *rest = parts
    inside = [child for child in folder.iterdir() if not child.name.startswith(".") or part.startswith(".")]
    if part == "**":
        if rest:
            yield from _expand(folder, rest)
        for child in inside:
            if child.is_dir():
                yield from _expand(child, parts)
            elif not rest:
                yield child
        return
    named = [child for child in inside if child.name == part]  # a name with wildcards that exists is a name
    for child in named or inside:
        if named or any(fnmatchcase(child.name, each) for each in _alternatives(part)):
            if not rest:
                yield child
            elif child.is_dir():
                yield from _expand(child, rest)


def _alternatives(part: str) -> list[str]:
    """Return the patterns that a part with braces stands for: ``{a,b}*`` is ``a*`` or ``b*``."""
    found = BRACES.search(part)
    if found is None:
        return [part]
    return [
        pattern
        for choice in found[1].split(",")
        for pattern in _alternatives(f"{part[: found.start()]}{choice}{part[found.end() :]}")
    ]
