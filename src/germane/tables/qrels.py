"""The judgments: which documents people looked at for each query, and the grade they gave.

Three states stay apart everywhere: a document that is not listed was not pooled; a negative grade means pooled but not
judged; a grade of zero or more is a judgment.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from germane.errors import InputError
from germane.tables.ids import BoolArray, FloatArray, Ids, IntArray, to_bytes, to_text


@dataclass(frozen=True, eq=False)
class GroupJudgments:
    """The grade of each document in each group (a subtopic, or one assessor's set), for qrels that have several.

    Rows are in the order of `doc`, which points into the documents of the `Qrels`.
    """

    labels: Ids
    doc: IntArray
    group: IntArray
    grade: FloatArray


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments of all queries, queries in byte order and, within a query, documents in byte order.

    `grade` is one number per (query, document); with groups it is the highest grade that the document has in any of
    them. `scale` is the highest grade an assessor could give: it belongs to the whole set and survives taking a subset.
    """

    queries: Ids
    start: IntArray
    docs: Ids
    grade: FloatArray
    scale: float
    groups: GroupJudgments | None = None
    collection_size: int | None = None
    name: str = "qrels"

    @classmethod
    def from_columns(
        cls,
        query: Sequence[bytes],
        doc: Sequence[bytes],
        grade: Sequence[float] | FloatArray,
        group: Sequence[bytes] | None = None,
        *,
        scale: float | None = None,
        collection_size: int | None = None,
        name: str = "qrels",
    ) -> Qrels:
        """Build from one entry per judgment, in any order. A document judged twice (in one group) is an error."""
        grades = np.asarray(grade, dtype=np.float64)
        if len(grades) == 0:
            raise InputError(name, None, "expected judgments, found none", hint="is this the right file?")
        if not np.isfinite(grades).all():
            row = int(np.flatnonzero(~np.isfinite(grades))[0])
            raise InputError(
                name, None, f"expected a finite grade, found {grades[row]} for query {to_text(query[row])!r}"
            )
        keys = list(zip(query, doc, strict=True)) if group is None else list(zip(query, doc, group, strict=True))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        _reject_duplicates(keys, order, name)

        sorted_rows = np.asarray(order, dtype=np.int64)
        sorted_grades = grades[sorted_rows]
        new_doc = np.ones(len(order), dtype=bool)
        if group is not None:
            new_doc[1:] = [keys[a][:2] != keys[b][:2] for a, b in itertools.pairwise(order)]
        first_rows = sorted_rows[new_doc]
        doc_of_row = np.cumsum(new_doc) - 1
        doc_grade = np.full(len(first_rows), -np.inf)
        np.maximum.at(doc_grade, doc_of_row, sorted_grades)

        doc_queries = [query[row] for row in first_rows]
        starts = [i for i, q in enumerate(doc_queries) if i == 0 or q != doc_queries[i - 1]]
        groups = None
        if group is not None:
            labels = sorted(set(group))
            code = {label: i for i, label in enumerate(labels)}
            codes = np.fromiter((code[group[row]] for row in order), dtype=np.int64, count=len(order))
            groups = GroupJudgments(Ids.of(labels), doc_of_row, codes, sorted_grades)
        return cls(
            queries=Ids.of(doc_queries[i] for i in starts),
            start=np.asarray([*starts, len(doc_queries)], dtype=np.int64),
            docs=Ids.of(doc[row] for row in first_rows),
            grade=doc_grade,
            scale=_scale(doc_grade, scale, name),
            groups=groups,
            collection_size=collection_size,
            name=name,
        )

    @classmethod
    def from_dict(
        cls, judgments: Mapping[object, Mapping[object, float]], *, scale: float | None = None, name: str = "qrels"
    ) -> Qrels:
        """Build from ``{query: {document: grade}}``.

        >>> Qrels.from_dict({"q1": {"d1": 1, "d2": 0}})
        <qrels: 1 query, 2 judged documents, grades 0 to 1>
        """
        rows = [(to_bytes(q), to_bytes(d), grade) for q, docs in judgments.items() for d, grade in docs.items()]
        query, doc, grade = zip(*rows, strict=True) if rows else ((), (), ())
        return cls.from_columns(query, doc, np.asarray(grade, dtype=np.float64), scale=scale, name=name)

    def __repr__(self) -> str:
        queries = f"{len(self.queries)} quer{'y' if len(self.queries) == 1 else 'ies'}"
        grades = f"grades {self.grade.min():g} to {self.scale:g}"
        return f"<{self.name}: {queries}, {len(self.docs)} judged documents, {grades}>"

    @property
    def num_queries(self) -> int:
        return len(self.queries)

    @cached_property
    def query(self) -> IntArray:
        """The query of each document."""
        return np.repeat(np.arange(self.num_queries), np.diff(self.start))

    def count(self, which: BoolArray) -> IntArray:
        """How many documents of each query are marked in `which`."""
        return np.bincount(self.query[which], minlength=self.num_queries)

    def num_relevant(self, rel: float = 1) -> IntArray:
        """R: how many documents of each query have at least this grade."""
        return self.count(self.grade >= rel)

    @cached_property
    def ideal_order(self) -> IntArray:
        """Documents by query and, within a query, by falling grade: the best ranking there could be."""
        return np.lexsort((-self.grade, self.query))

    def take(self, queries: IntArray) -> Qrels:
        """The judgments of these queries, with the scale of the whole set."""
        keep = np.zeros(self.num_queries, dtype=bool)
        keep[queries] = True
        docs = np.flatnonzero(keep[self.query])
        sizes = np.diff(self.start)[keep]
        groups = self.groups
        if groups is not None:
            rows = np.isin(groups.doc, docs)
            groups = replace(
                groups, doc=np.searchsorted(docs, groups.doc[rows]), group=groups.group[rows], grade=groups.grade[rows]
            )
        return replace(
            self,
            queries=self.queries.take(np.flatnonzero(keep)),
            start=np.concatenate(([0], np.cumsum(sizes))),
            docs=self.docs.take(docs),
            grade=self.grade[docs],
            groups=groups,
        )


def _scale(grade: FloatArray, scale: float | None, name: str) -> float:
    highest = float(max(grade.max(), 0.0))
    if scale is None:
        return highest
    if highest > scale:
        raise InputError(name, None, f"expected grades up to {scale:g}, the scale's highest, found {highest:g}")
    return float(scale)


def _reject_duplicates(keys: Sequence[tuple[bytes, ...]], order: Sequence[int], name: str) -> None:
    for a, b in itertools.pairwise(order):
        if keys[a] == keys[b]:
            query, doc, *group = map(to_text, keys[a])
            within = f" in group {group[0]!r}" if group else ""
            raise InputError(
                name,
                None,
                f"expected one judgment per document, found document {doc!r} twice for query {query!r}{within}",
                hint="`germane check` lists every duplicate with its line",
            )
