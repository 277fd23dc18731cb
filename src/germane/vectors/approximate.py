"""Compare the answers of an approximate index with the exact top k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.formats.rows.number_text import score_places
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from germane.vectors.matrix import Vectors
from germane.vectors.on_numpy import Scoring
from germane.vectors.pairs import Pairs
from germane.vectors.relevance import rows_of
from germane.vectors.similarity import Similarity
from germane.vectors.top_k import Nearest


@dataclass(frozen=True, eq=False)
class Answers:
    """Documents that an index returned for each query, by row number, best first; -1 after the last."""

    doc: IntArray
    name: str = "approximate"
    num_excluded: int = 0
    """Number of returned documents that are excluded, such as the query itself; they are omitted here."""

    @classmethod
    def of_rows(cls, rows: npt.NDArray[Any], num_queries: int, num_docs: int, *, name: str = "approximate") -> Answers:
        """Build answers from the neighbours that an index returns: one row per query, -1 where it found no more.

        >>> Answers.of_rows(np.array([[2, -1, 0]]), 1, 3).doc
        array([[ 2,  0, -1]])
        """
        if rows.ndim != 2 or len(rows) != num_queries or rows.dtype.kind not in "iu":
            expected = f"integers, one row for each of {num_queries} queries"
            raise InputError(name, None, f"expected {expected}, found {rows.dtype.name} of shape {rows.shape}")
        doc = rows.astype(np.int64)
        wrong = (doc < -1) | (doc >= num_docs)
        if wrong.any():
            row, column = (int(i[0]) for i in np.nonzero(wrong))
            expected = f"row numbers of {num_docs} documents (from 0), or -1 for none"
            raise InputError(name, None, f"expected {expected}, found {doc[row, column]} in row {row}")
        ordered = np.sort(doc, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
        if twice.any():
            row, column = (int(i[0]) for i in np.nonzero(twice))
            raise InputError(name, None, f"duplicate document {ordered[row, column]} in row {row}")
        return cls(_to_the_left(doc), name)

    @classmethod
    def of_run(cls, run: Run, queries: Ids, docs: Ids) -> Answers:
        """Build answers from a run: by score, ties broken by document id descending, as in evaluation."""
        query = _known(run.queries, queries, run.name, "query", "queries")[run.query]
        doc = _known(run.docs, docs, run.name, "document", "documents")
        place = score_places(run)
        rows = np.full((len(queries), int(place.max(initial=0))), -1)
        rows[query, place - 1] = doc
        return cls(rows, run.name)

    def without(self, excluded: Pairs) -> Answers:
        """Return the answers without excluded pairs; later documents move up."""
        width = int(max(self.doc.max(initial=0), excluded.doc.max(initial=0))) + 1
        code = np.where(self.doc >= 0, np.arange(len(self.doc))[:, None] * width + self.doc, -1)
        gone = np.isin(code, excluded.query * width + excluded.doc)
        return Answers(_to_the_left(np.where(gone, -1, self.doc)), self.name, self.num_excluded + int(gone.sum()))

    def to_run(self, queries: Ids, docs: Ids, k: int) -> Run:
        """Return the first k of each query as a run; scores are negative ranks, because indexes score differently."""
        doc = self.doc[:, :k]
        there = doc >= 0
        rank = (np.nonzero(there)[1] + 1).astype(np.float64)
        sizes = Stretches.of_sizes(there.sum(axis=1).tolist())
        return Run(queries, sizes, docs.take(doc[there]), -rank, rank, name=self.name)


def credited(answers: Answers, exact: Nearest, queries: Vectors, docs: Vectors, similarity: Similarity) -> Answers:
    """Return the first k of each query, accepting any document that scores as well as the exact k-th.

    The tie-breaking rule decides which of several equal documents are in the exact top k, so returning another one is
    not an error. Such a document is replaced by one that the index missed.
    """
    k = exact.doc.shape[1]
    doc = np.array(answers.doc[:, :k])
    query, column = np.nonzero(doc >= 0)
    score = np.full(doc.shape, np.nan)
    scoring = Scoring(queries, docs, similarity, queries.all_squared_norms(), np.float64)
    score[query, column] = scoring.scores(Pairs.of(query, doc[query, column]))
    last = exact.score[np.arange(len(doc)), np.maximum(exact.num, 1) - 1]
    for q in np.flatnonzero((score == last[:, None]).any(axis=1)).tolist():
        listed = exact.doc[q, : exact.num[q]]
        equal = np.flatnonzero((score[q] == last[q]) & ~np.isin(doc[q], listed))
        missed = listed[(exact.score[q, : exact.num[q]] == last[q]) & ~np.isin(listed, doc[q])]
        some = min(len(equal), len(missed))
        doc[q, equal[:some]] = missed[:some]
    return Answers(doc, answers.name, answers.num_excluded)


def as_truth(exact: Nearest, queries: Ids, docs: Ids) -> Qrels:
    """Return the exact top k as qrels: recall against them is the recall of an approximate index."""
    there = np.arange(exact.doc.shape[1]) < exact.num[:, None]
    query = np.nonzero(there)[0]
    doc = docs.take(exact.doc[there])
    ids = queries.to_bytes_list()
    return Qrels.from_columns([ids[q] for q in query.tolist()], doc.to_bytes_list(), np.ones(len(query)), name="exact")


def _to_the_left(doc: IntArray) -> IntArray:
    """Return each row without gaps, in its order."""
    return np.take_along_axis(doc, np.argsort(doc < 0, axis=1, kind="stable"), axis=1)


def _known(wanted: Ids, ids: Ids, name: str, what: str, several: str) -> IntArray:
    rows = rows_of(wanted, ids)
    if (rows < 0).any():
        unknown = wanted[int(np.flatnonzero(rows < 0)[0])]
        hint = f"check that the run and the vectors of the {several} use the same ids"
        raise InputError(name, None, f"no vector for {what} {unknown!r}", hint=hint)
    return rows
