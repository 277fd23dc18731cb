"""Read files as leniently as trec_eval does, line by line, with its exit statuses for files it rejects.

This is the reference for `scanning`, and reads whatever is out of the ordinary. Everything is bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from germane.measures.foreign_names import TrecVersion
from germane.progress import open_counted
from germane.tables.columns.ids import FloatArray, Ids
from germane.trec_eval.c_numbers import atof, atol
from germane.trec_eval.options import BAD_INPUT, NO_Z_SCORES, EarlyExitError


class JudgmentFormat(NamedTuple):
    """The columns of a judgment file, and what it contains."""

    contains: Literal["qrels", "qrels_jg", "prefs"]
    num_fields: int = 4
    doc: int = 2
    level: int = 3
    subgroup: int | None = None
    whole: bool = True
    """Whether levels are truncated to integers: 0.7 becomes 0."""


FORMATS = {
    b"qrels": JudgmentFormat("qrels"),
    b"qrels_jg": JudgmentFormat("qrels_jg"),
    b"prefs": JudgmentFormat("prefs", num_fields=5, doc=3, level=4, subgroup=2, whole=False),
    b"qrels_prefs": JudgmentFormat("prefs", whole=False),
}
"""The values of -R."""


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of a judgment file as columns, in file order. The group is the second field.

    Without the column `subgroup`, all lines belong to one.
    """

    topic: Ids
    group: Ids
    subgroup: Ids | None
    doc: Ids
    level: FloatArray


@dataclass(frozen=True)
class Ranking:
    """The documents retrieved for one topic, in file order."""

    docs: Sequence[bytes]
    scores: Sequence[float]


@dataclass(frozen=True)
class Results:
    """A run, and the tag of its last line."""

    rankings: dict[bytes, Ranking]
    tag: bytes


def judgment_lines(data: bytes, path: str, form: JudgmentFormat, version: TrecVersion) -> Lines:
    """Return the columns of a judgment file."""
    fields = [*_judgment_lines(data, path, form.num_fields, version)]
    subgroup = None if form.subgroup is None else Ids.of(line[form.subgroup] for line in fields)
    number = atol if form.whole else atof
    level = np.asarray([number(line[form.level]) for line in fields], dtype=np.float64)
    topic, group, doc = (Ids.of(line[column] for line in fields) for column in (0, 1, form.doc))
    return Lines(topic, group, subgroup, doc, level)


def read_results(path: str, version: TrecVersion) -> Results:
    """Read a run; version 9 stores 32-bit scores, version 10 accepts comments."""
    data = content(path)
    docs: dict[bytes, list[bytes]] = {}
    scores: dict[bytes, list[float]] = {}
    tag = b""
    for number, line in enumerate(data.split(b"\n"), start=1):
        fields = run_fields(line, version)
        if not fields:
            continue
        if len(fields) < 6:
            raise cannot_read(path, f"expected 6 fields on line {number}, found {len(fields)}")
        topic, _, doc, _, score, tag = fields[:6]
        docs.setdefault(topic, []).append(doc)
        scores.setdefault(topic, []).append(atof(score))
    keep = _as_float32 if version == 9 else list[float]
    return Results({topic: Ranking(docs[topic], keep(scores[topic])) for topic in docs}, tag)


def is_standard_input(path: str, version: TrecVersion) -> bool:
    """Return whether a run is read from standard input."""
    return version == 10 and path.startswith("-")


def run_fields(line: bytes, version: TrecVersion) -> list[bytes]:
    """Return the first six fields of a line of a run, and the rest; none if the line is blank or a comment."""
    fields = line.split(None, 6)
    return [] if fields and version == 10 and fields[0].startswith(b"#") else fields


def read_z_scores(path: str) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """Read mean and standard deviation by topic and measure."""
    try:
        lines = list(_judgment_lines(content(path), path, 4, 9))
    except EarlyExitError as error:
        raise EarlyExitError(NO_Z_SCORES, error.message) from None
    return {(topic, measure): (atof(mean), atof(deviation)) for topic, measure, mean, deviation in lines}


def content(path: str) -> bytes:
    """Return the bytes of a file."""
    try:
        with open_counted(path) as file:
            data = file.read()
    except OSError as error:
        raise cannot_read(path, error.strerror or "no such file") from None
    if not data:
        raise cannot_read(path, "the file is empty")
    return data


def cannot_read(path: str, problem: str) -> EarlyExitError:
    """Return the error that ends the program because of a file."""
    return EarlyExitError(BAD_INPUT, f"trec_eval: Quit in file '{path}': {problem}\n")


def _judgment_lines(data: bytes, path: str, num_fields: int, version: TrecVersion) -> Iterator[list[bytes]]:
    """Yield lines with exactly `num_fields` fields; in version 10 a line that starts with # is a comment."""
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), start=1):
        if version == 10 and line.startswith(b"#"):
            continue
        fields = line.split()
        if len(fields) != num_fields:
            raise cannot_read(path, f"expected {num_fields} fields on line {number}, found {len(fields)}")
        yield fields


def _as_float32(scores: list[float]) -> list[float]:
    with np.errstate(over="ignore"):
        return [float(score) for score in np.asarray(scores).astype(np.float32)]
