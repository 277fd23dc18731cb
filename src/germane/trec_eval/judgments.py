"""The judgments of a file, by topic in byte order: its lines, and the documents that they list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from germane.measures.foreign_names import TrecVersion
from germane.tables.columns.id_columns import encode_queries
from germane.tables.columns.ids import BoolArray, IntArray, first_row
from germane.tables.rankings.qrels import Qrels
from germane.trec_eval import reader, scanning
from germane.trec_eval.reader import JudgmentFormat, Lines


@dataclass(frozen=True, eq=False)
class Judgments:
    """The lines of a judgment file in file order, the topic and the document (a row of `qrels`) of each one.

    `qrels` lists each document of a topic once, with the grade on its first line.
    """

    form: JudgmentFormat
    qrels: Qrels
    lines: Lines
    topic: IntArray
    row: IntArray

    @cached_property
    def repeated(self) -> BoolArray:
        """Whether a topic lists a document twice."""
        return np.bincount(self.topic, minlength=self.qrels.num_queries) > np.diff(self.qrels.start)

    @cached_property
    def group(self) -> IntArray:
        """Number of the group of each line; groups are numbered in byte order."""
        return self.lines.group.numbered()[1]

    @cached_property
    def subgroup(self) -> IntArray:
        """Number of the subgroup of each line."""
        given = self.lines.subgroup
        return np.zeros(len(self.row), dtype=np.int64) if given is None else given.numbered()[1]

    @cached_property
    def by_topic(self) -> list[IntArray]:
        """The lines of each topic."""
        return np.split(np.argsort(self.topic, kind="stable"), np.cumsum(np.bincount(self.topic))[:-1])


def read_judgments(path: str, form: JudgmentFormat, version: TrecVersion) -> Judgments:
    """Read judgments; a document twice in one judgment group is an error in that format."""
    data = reader.content(path)
    lines = scanning.scan_judgments(data, form, version)
    judgments = _by_topic(form, reader.judgment_lines(data, path, form, version) if lines is None else lines)
    if form.contains == "qrels_jg":
        _reject_duplicates(judgments, path)
    return judgments


def _by_topic(form: JudgmentFormat, lines: Lines) -> Judgments:
    names, stretches = encode_queries(lines.topic)
    topics, place = names.numbered()
    topic = place[stretches.rows]
    doc = lines.doc.byte_order()
    order = np.lexsort((doc, topic))
    docs = doc[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (docs[1:] != docs[:-1]) | (np.diff(topic[order]) != 0)
    row = np.zeros(len(order), dtype=np.int64)
    row[order] = np.cumsum(new) - 1
    first = order[new]
    start = np.searchsorted(topic[first], np.arange(len(topics) + 1))
    level = lines.level[first]
    qrels = Qrels(topics, start, lines.doc.take(first), level, float(level.max(initial=0.0)))
    return Judgments(form, qrels, lines, topic, row)


def _reject_duplicates(judgments: Judgments, path: str) -> None:
    order = np.lexsort((judgments.row, judgments.group, judgments.topic))
    row, group = judgments.row[order], judgments.group[order]
    again = first_row((np.diff(row) == 0) & (np.diff(group) == 0))
    if again is not None:
        doc = judgments.qrels.docs.bytes_at(int(row[again])).decode(errors="replace")
        raise reader.cannot_read(path, f"duplicate document {doc} in one group")
