"""Read files as leniently as trec_eval does, with its exit statuses for files it rejects.

Everything is bytes. Tables are dictionaries by topic, topics in byte order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from germane.measures.foreign_names import TrecVersion
from germane.trec_eval.c_numbers import atof, atol
from germane.trec_eval.options import BAD_INPUT, NO_Z_SCORES, EarlyExitError


class Judgment(NamedTuple):
    """One line of a qrels file. `group` is the second column."""

    group: bytes
    doc: bytes
    grade: int


class Preference(NamedTuple):
    """One line of a preference file."""

    group: bytes
    subgroup: bytes
    doc: bytes
    level: float


Line = TypeVar("Line", Judgment, Preference)


@dataclass(frozen=True)
class Ranking:
    """The documents retrieved for one topic, in file order."""

    docs: list[bytes]
    scores: list[float]


@dataclass(frozen=True)
class Results:
    """A run, and the tag of its last line."""

    rankings: dict[bytes, Ranking]
    tag: bytes


def read_judgments(path: str, version: TrecVersion) -> dict[bytes, list[Judgment]]:
    """Read qrels; grades are truncated to integers: 0.7 becomes 0."""
    lines = _judgment_lines(path, 4, version)
    return sorted_groups((topic, Judgment(group, doc, atol(grade))) for topic, group, doc, grade in lines)


def read_judgment_groups(path: str, version: TrecVersion) -> dict[bytes, list[Judgment]]:
    """Read qrels whose second column is the judgment group; here a duplicate is an error."""
    table = {topic: sorted(lines) for topic, lines in read_judgments(path, version).items()}
    for lines in table.values():
        for line, next_line in pairwise(lines):
            if line[:2] == next_line[:2]:
                raise _cannot_read(path, f"duplicate document {line.doc.decode(errors='replace')} in one group")
    return table


def read_preferences(path: str, version: TrecVersion) -> dict[bytes, list[Preference]]:
    """Read preferences: topic, judgment group, subgroup, document, level."""
    lines = _judgment_lines(path, 5, version)
    rows = ((topic, Preference(group, subgroup, doc, atof(level))) for topic, group, subgroup, doc, level in lines)
    return sorted_groups(rows)


def read_qrels_as_preferences(path: str, version: TrecVersion) -> dict[bytes, list[Preference]]:
    """Read qrels as preferences: one subgroup per group."""
    lines = _judgment_lines(path, 4, version)
    return sorted_groups((topic, Preference(group, b"0", doc, atof(level))) for topic, group, doc, level in lines)


def read_results(path: str, version: TrecVersion) -> Results:
    """Read a run; version 9 stores 32-bit scores, version 10 accepts comments and ``-`` for standard input."""
    data = sys.stdin.buffer.read() if version == 10 and path.startswith("-") else _content(path)
    if not data:
        raise _cannot_read(path, "the file is empty")
    docs: dict[bytes, list[bytes]] = {}
    scores: dict[bytes, list[float]] = {}
    tag = b""
    for number, line in enumerate(data.split(b"\n"), start=1):
        fields = line.split(None, 6)
        if not fields or (version == 10 and fields[0].startswith(b"#")):
            continue
        if len(fields) < 6:
            raise _cannot_read(path, f"expected 6 fields on line {number}, found {len(fields)}")
        topic, _, doc, _, score, tag = fields[:6]
        docs.setdefault(topic, []).append(doc)
        scores.setdefault(topic, []).append(atof(score))
    keep = _as_float32 if version == 9 else list[float]
    return Results({topic: Ranking(docs[topic], keep(scores[topic])) for topic in sorted(docs)}, tag)


def read_z_scores(path: str) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """Read mean and standard deviation by topic and measure."""
    try:
        lines = list(_judgment_lines(path, 4, 9))
    except EarlyExitError as error:
        raise EarlyExitError(NO_Z_SCORES, error.message) from None
    return {(topic, measure): (atof(mean), atof(deviation)) for topic, measure, mean, deviation in lines}


def sorted_groups(lines: Iterator[tuple[bytes, Line]]) -> dict[bytes, list[Line]]:
    """Group lines by topic, or by judgment group, in byte order."""
    table: dict[bytes, list[Line]] = {}
    for group, line in lines:
        table.setdefault(group, []).append(line)
    return {group: table[group] for group in sorted(table)}


def _judgment_lines(path: str, num_fields: int, version: TrecVersion) -> Iterator[list[bytes]]:
    """Yield lines with exactly `num_fields` fields; in version 10 a line that starts with # is a comment."""
    data = _content(path)
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), start=1):
        if version == 10 and line.startswith(b"#"):
            continue
        fields = line.split()
        if len(fields) != num_fields:
            raise _cannot_read(path, f"expected {num_fields} fields on line {number}, found {len(fields)}")
        yield fields


def _content(path: str) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _cannot_read(path, error.strerror or "no such file") from None
    if not data:
        raise _cannot_read(path, "the file is empty")
    return data


def _cannot_read(path: str, problem: str) -> EarlyExitError:
    return EarlyExitError(BAD_INPUT, f"trec_eval: Quit in file '{path}': {problem}\n")


def _as_float32(scores: list[float]) -> list[float]:
    with np.errstate(over="ignore"):
        return [float(score) for score in np.asarray(scores).astype(np.float32)]
