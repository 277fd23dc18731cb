"""Judgments (qrels): the judged documents of each query, and their grades.

Three states are distinguished everywhere: a document that is not listed was not pooled; a negative grade means pooled
but unjudged; a grade of zero or more is a judgment.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from germane.arguments import checked
from germane.errors import InputError
from germane.tables.columns.aligned_columns import aligned_columns, require_nested, require_one_length
from germane.tables.columns.array_columns import given_ids
from germane.tables.columns.ids import BoolArray, FloatArray, Ids, IntArray, first_row, names_of
from germane.tables.columns.one_column import number_column
from germane.tables.notes.counts import counted
from germane.tables.results.result import Backend, reach

if TYPE_CHECKING:
    from germane.types import AnyFrame

ONLY_STRATUM = "all"
"""Name of the stratum of a pool that was sampled as a whole."""


IdsLike: TypeAlias = Ids | Iterable[object]
NumbersLike: TypeAlias = Sequence[float] | FloatArray


class GroupJudgments(NamedTuple):
    """The grade of each document in each group (a subtopic, or one assessor's set), for qrels that have several.

    Rows are in the order of `doc`, which points into the documents of the `Qrels`.
    """

    labels: Ids
    doc: IntArray
    group: IntArray
    grade: FloatArray


@dataclass(frozen=True, eq=False)
class Sampling:
    """Sampling of a pool: the stratum of each document, and its inclusion probability.

    One entry per document of the `Qrels`. `stratum` points into `labels`; `inclusion` is 1 where everything was judged.
    """

    labels: Ids
    stratum: IntArray
    inclusion: FloatArray

    @classmethod
    def of_rows(cls, stratum: IdsLike | None, inclusion: NumbersLike | None, rows: int, name: str) -> Sampling | None:
        """Return the sampling from stratum and inclusion probability, one per row."""
        if stratum is None and inclusion is None:
            return None
        strata = Ids.of([ONLY_STRATUM] * rows) if stratum is None else given_ids(stratum, "stratum", name, empty=True)
        chance = np.ones(rows) if inclusion is None else number_column(inclusion, "inclusion probability", name)
        require_one_length({"grades": range(rows), "strata": strata, "inclusion probabilities": chance}, name)
        return cls(*strata.numbered(), chance)

    def take(self, docs: IntArray) -> Sampling:
        """Return the sampling of only these documents."""
        return replace(self, stratum=self.stratum[docs], inclusion=self.inclusion[docs])

    def inconsistent(self, rows: IntArray, others: IntArray) -> int | None:
        """Return the first position where the stratum or probability of `rows` differs from that of `others`."""
        same = (self.stratum[rows] == self.stratum[others]) & (self.inclusion[rows] == self.inclusion[others])
        return first_row(~same)


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgments of all queries, queries in byte order and, within a query, documents in byte order.

    `grade` is one number per (query, document); with groups it is the highest grade that the document has in any of
    them. `scale` is the highest grade an assessor could give: it belongs to the whole set and survives taking a subset.
    `sampling` is there for pools of which a sample was judged.
    """

    queries: Ids
    start: IntArray
    docs: Ids
    grade: FloatArray
    scale: float
    groups: GroupJudgments | None = None
    collection_size: int | None = None
    name: str = "qrels"
    sampling: Sampling | None = None

    @classmethod
    @checked
    def from_columns(
        cls,
        query: Ids | Iterable[object],
        doc: Ids | Iterable[object],
        grade: Sequence[float] | FloatArray,
        group: Ids | Iterable[object] | None = None,
        *,
        stratum: Ids | Iterable[object] | None = None,
        inclusion: Sequence[float] | FloatArray | None = None,
        scale: float | None = None,
        collection_size: int | None = None,
        name: str = "qrels",
    ) -> Qrels:
        """Return qrels from columns with one entry per judgment, in any order; a duplicate (in a group) is an error."""
        given = aligned_columns({"query": query, "doc": doc, "grade": grade, "group": group}, name)
        query, doc = (given_ids(given[each], role, name) for each, role in (("query", "query"), ("doc", "document")))
        grade = number_column(given["grade"], "grade", name)
        group = None if group is None else given_ids(given["group"], "group", name)
        require_one_length({"queries": query, "documents": doc, "grades": grade, "groups": group}, name)
        if len(grade) == 0:
            raise InputError(name, None, "expected judgments, found none", hint="is this the right file?")
        if (row := first_row(~np.isfinite(grade))) is not None:
            raise InputError(name, None, f"expected a finite grade, found {grade[row]} for query {query[row]!r}")
        queries, query_code = query.numbered()
        labels, group_code = (None, np.zeros(len(grade), dtype=np.int64)) if group is None else group.numbered()
        columns = (query_code, doc.byte_order(), group_code)
        order = np.lexsort(columns[::-1])
        changes = np.logical_or.accumulate([np.diff(column[order]) != 0 for column in columns])
        new_query, new_doc, new_row = (np.append(True, changed) for changed in changes)
        if (again := first_row(~new_row)) is not None:
            row = int(order[again])
            within = f" in group {group[row]!r}" if group is not None else ""
            problem = f"duplicate document {doc[row]!r} for query {query[row]!r}{within}"
            raise InputError(name, None, problem, hint="keep one judgment for each query and document")
        doc_of_row = np.cumsum(new_doc) - 1
        rows = Sampling.of_rows(stratum, inclusion, len(grade), name)
        if rows is not None:
            if (place := rows.inconsistent(order, order[new_doc][doc_of_row])) is not None:
                found = f"found two for document {doc[order[place]]!r} of query {query[order[place]]!r}"
                raise InputError(name, None, f"expected one stratum and inclusion probability per document, {found}")
            if (row := first_row(~((rows.inclusion > 0) & (rows.inclusion <= 1)))) is not None:
                found = f"found {rows.inclusion[row]} for document {doc[row]!r} of query {query[row]!r}"
                raise InputError(name, None, f"expected an inclusion probability above 0 and up to 1, {found}")
        doc_grade = np.maximum.reduceat(grade[order], np.flatnonzero(new_doc))
        return cls(
            queries=queries,
            start=np.append(np.flatnonzero(new_query[new_doc]), len(doc_grade)),
            docs=doc.take(order[new_doc]),
            grade=doc_grade,
            scale=scale_for(doc_grade, scale, name),
            groups=None if labels is None else GroupJudgments(labels, doc_of_row, group_code[order], grade[order]),
            collection_size=collection_size,
            name=name,
            sampling=None if rows is None else rows.take(order[new_doc]),
        )

    @classmethod
    @checked
    def from_dict(
        cls, judgments: Mapping[Any, Mapping[Any, float]], *, scale: float | None = None, name: str = "qrels"
    ) -> Qrels:
        """Return qrels from ``{query: {document: grade}}``.

        >>> Qrels.from_dict({"q1": {"d1": 1, "d2": 0}})
        <qrels: 1 query, 2 judged documents, grades 0 to 1>
        """
        require_nested(judgments, "{query: {document: grade}}", name)
        rows = [(query, doc, grade) for query, docs in judgments.items() for doc, grade in docs.items()]
        grades = number_column([grade for _, _, grade in rows], "grade", name)
        query, doc = Ids.of(query for query, _, _ in rows), Ids.of(doc for _, doc, _ in rows)
        return cls.from_columns(query, doc, grades, scale=scale, name=name)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the grades as ``{query: {document: grade}}``."""
        docs, grades, start = list(self.docs), self.grade.tolist(), self.start.tolist()
        rows = {query: slice(*start[i : i + 2]) for i, query in enumerate(self.queries)}
        return {query: dict(zip(docs[own], grades[own], strict=True)) for query, own in rows.items()}

    def to_frame(self, *, backend: Backend = "pandas") -> AnyFrame:
        """Return a frame with one row per judgment: query, doc, grade, and group, stratum and inclusion if any."""
        groups, sampling = self.groups, self.sampling
        doc = np.arange(len(self.docs)) if groups is None else groups.doc
        columns: dict[str, Any] = {"query": names_of(self.queries, self.query[doc]), "doc": names_of(self.docs, doc)}
        columns["grade"] = self.grade if groups is None else groups.grade
        if groups is not None:
            columns["group"] = names_of(groups.labels, groups.group)
        if sampling is not None:
            columns["stratum"] = names_of(sampling.labels, sampling.stratum[doc])
            columns["inclusion"] = sampling.inclusion[doc]
        made: AnyFrame = reach("frame_of_columns")(columns, backend)
        return made

    def __repr__(self) -> str:
        grades = f"grades {self.grade.min():g} to {self.scale:g}"
        return f"<{self.name}: {counted(len(self.queries), 'query')}, {len(self.docs)} judged documents, {grades}>"

    @property
    def num_queries(self) -> int:
        return len(self.queries)

    @cached_property
    def query(self) -> IntArray:
        """The query of each document."""
        return np.repeat(np.arange(self.num_queries), np.diff(self.start))

    def count(self, which: BoolArray) -> IntArray:
        """Return the number of documents of each query that are marked in `which`."""
        return np.bincount(self.query[which], minlength=self.num_queries)

    def num_relevant(self, rel: float = 1) -> IntArray:
        """Return R: the number of documents of each query with at least this grade."""
        return self.once(("num_relevant", rel), lambda: self.count(self.grade >= rel))

    def once(self, key: Hashable, work_out: Callable[[], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """Return a value that depends on the judgments alone, computed for the first run and cached for others."""
        if key not in self._worked_out:
            self._worked_out[key] = work_out()
            self._worked_out[key].flags.writeable = False  # shared by all runs
        return self._worked_out[key]

    @cached_property
    def _worked_out(self) -> dict[Hashable, npt.NDArray[Any]]:
        return {}

    @cached_property
    def ideal_order(self) -> IntArray:
        """Documents by query and, within a query, by falling grade: the ideal ranking."""
        return np.lexsort((-self.grade, self.query))

    def take(self, queries: IntArray) -> Qrels:
        """Return the judgments of these queries, with the scale of the whole set."""
        keep = np.zeros(self.num_queries, dtype=bool)
        keep[queries] = True
        docs = np.flatnonzero(keep[self.query])
        groups = self.groups
        if groups is not None:
            labels, doc, group, grade = groups
            rows = np.isin(doc, docs)
            groups = GroupJudgments(labels, np.searchsorted(docs, doc[rows]), group[rows], grade[rows])
        return replace(
            self,
            queries=self.queries.take(np.flatnonzero(keep)),
            start=np.concatenate(([0], np.cumsum(np.diff(self.start)[keep]))),
            docs=self.docs.take(docs),
            grade=self.grade[docs],
            groups=groups,
            sampling=None if self.sampling is None else self.sampling.take(docs),
        )


def scale_for(grade: FloatArray, scale: float | None, name: str) -> float:
    """Return the highest grade of the scale: `scale` if given, which no grade may exceed, else the highest grade."""
    highest = float(grade.max(initial=0.0))
    if scale is None:
        return highest
    if not highest <= scale < np.inf:
        problem = f"expected grades up to {scale:g}, the highest of the scale, found {highest:g}"
        raise InputError(name, None, problem, hint=f"use `scale={highest:g}`, or correct the grades")
    return float(scale)
