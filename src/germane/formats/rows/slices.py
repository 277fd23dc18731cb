"""Read slices: groups of queries, from a file with one `query slice` pair per line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from germane.errors import InputError, did_you_mean
from germane.formats.files.sources import open_source
from germane.tables.columns.ids import to_text


def read_slices(source: str | Path | Mapping[str, str], queries: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the queries of each slice, sorted by slice name.

    >>> read_slices({"q1": "short", "q2": "long", "q3": "short"}, ["q1", "q2", "q3"])
    {'long': ('q2',), 'short': ('q1', 'q3')}
    """
    name: str | Path = "slices"
    if isinstance(source, Mapping):
        pairs = [(str(query), str(group)) for query, group in source.items()]
    else:
        name, pairs = source, read_pairs(source, "a query and its slice")
    known, assigned, groups = set(queries), set[str](), dict[str, list[str]]()
    for query, group in pairs:
        if query not in known:
            raise InputError(name, None, f"unknown query {query!r}{did_you_mean(query, known)}")
        if query in assigned:
            raise InputError(name, None, f"expected one slice per query, found several for {query!r}")
        assigned.add(query)
        groups.setdefault(group, []).append(query)
    return {group: tuple(groups[group]) for group in sorted(groups)}


def read_pairs(path: str | Path, what: str) -> list[tuple[str, str]]:
    """Read two fields per line, skipping empty lines and comments."""
    pairs = []
    with open_source(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith(b"#"):
                continue
            fields = line.split()
            if len(fields) != 2:
                problem = f"expected {what}, found {to_text(line.strip())!r}"
                raise InputError(path, number, problem, hint="write two fields per line, separated by white space")
            pairs.append((to_text(fields[0]), to_text(fields[1])))
    if not pairs:
        raise InputError(path, None, f"expected {what} per line, found no lines")
    return pairs
