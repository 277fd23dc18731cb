"""Rankings for display, query by query: read again from the source, in the order that the measures used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.formats.rankings.ranking_files import read_run
from germane.formats.rows.memory import run_from
from germane.stats.rankings.ranked_items import Ranking
from germane.tables.columns.ids import FloatArray, to_text
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import match
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

UNLISTED = -1.0

GradesByQuery = Mapping[bytes, Mapping[bytes, float]]


@dataclass(frozen=True, eq=False)
class TopRanking:
    """The top documents of a run: by query, in rank order; and as rankings with ties."""

    documents: Mapping[bytes, Sequence[bytes]]
    rankings: Mapping[str, Ranking]


@dataclass(frozen=True, eq=False)
class QueryRankings:
    """One query: the documents that matter, their grades (None where not listed), and their ranks in each run.

    `top` holds documents in rank order by run, as indices into `documents`; `beyond` the relevant documents further
    down with their ranks, by run. A relevant document that is in neither was not retrieved.
    """

    documents: list[str]
    grades: list[float | None]
    top: list[list[int]]
    beyond: list[list[tuple[int, int]]]

    def by_best_rank(self) -> list[str]:
        """Return the documents in the order of their best rank in any run; those not retrieved come last."""
        best: dict[int, int] = {}
        for ranking, further in zip(self.top, self.beyond, strict=True):
            for place, rank in [*((place, rank) for rank, place in enumerate(ranking, 1)), *further]:
                best[place] = min(rank, best.get(place, rank))
        last = max(best.values(), default=0) + 1
        return [self.documents[i] for i in sorted(range(len(self.documents)), key=lambda i: (best.get(i, last), i))]


def run_of(source: Any, name: str, run_format: str | None) -> Run:
    """Load a run into memory."""
    if isinstance(source, JudgedRun):
        raise GermaneError(f"{name} is a JudgedRun, which has no rankings", hint="pass the original run")
    if isinstance(source, str | Path):
        return replace(read_run(source, format=run_format), name=name)
    return run_from(source, name=name, check_duplicates=False)


def top_ranking(run: Run, listed: GradesByQuery, ties: Ties, score_type: str, depth: int) -> TopRanking:
    """Return the top documents of each judged query, in the order that the measures use."""
    first = _first_rows(run, listed, score_type, depth)
    if not len(first.docs):
        return TopRanking({}, {})
    grades = _grades(first, listed)
    listing_all = Qrels.from_columns(first.queries.take(first.query), first.docs, grades, name=run.name)
    placed = match(listing_all, run, ties=ties, score_type=score_type)
    names, docs = listing_all.queries.to_bytes_list(), listing_all.docs.to_bytes_list()
    documents: dict[bytes, list[bytes]] = {}
    for query, doc, rank in zip(placed.query.tolist(), placed.doc.tolist(), placed.rank.tolist(), strict=True):
        if rank <= depth:
            documents.setdefault(names[query], []).append(docs[doc])
    return TopRanking(documents, _rankings(first))


def _first_rows(run: Run, listed: GradesByQuery, score_type: str, depth: int) -> Run:
    """Return the rows that can be among the top: those whose score is at least that of the last one shown."""
    score = run.score.astype(np.float32).astype(np.float64) if score_type == "float32" else run.score
    order = np.lexsort((-score, run.query))
    sizes = np.bincount(run.query, minlength=len(run.queries))
    start = np.cumsum(sizes) - sizes
    last = score[order][np.minimum(start + depth, start + sizes)[sizes > 0] - 1]
    least = np.zeros(len(sizes))
    least[sizes > 0] = last
    judged = np.asarray([name in listed for name in run.queries.to_bytes_list()], dtype=bool)
    keep = np.flatnonzero((score >= least[run.query]) & judged[run.query])
    return replace(run, stretches=Stretches.of(run.query[keep]), docs=run.docs.take(keep), score=score[keep], rank=None)


def _grades(run: Run, listed: GradesByQuery) -> FloatArray:
    names = run.queries.to_bytes_list()
    rows = zip(run.query.tolist(), run.docs.to_bytes_list(), strict=True)
    return np.asarray([listed[names[query]].get(doc, UNLISTED) for query, doc in rows], dtype=np.float64)


def grades_by_query(qrels: Qrels) -> GradesByQuery:
    """The grades of the judgments, by query and document."""
    docs, grades, start = qrels.docs.to_bytes_list(), qrels.grade.tolist(), qrels.start.tolist()
    return {
        name: dict(zip(docs[a:b], grades[a:b], strict=True))
        for name, a, b in zip(qrels.queries.to_bytes_list(), start[:-1], start[1:], strict=True)
    }


def _rankings(run: Run) -> dict[str, Ranking]:
    """Return the rankings by query; equal scores are ties, whatever the order shown."""
    order = np.argsort(run.query, kind="stable")
    ends = np.cumsum(np.bincount(run.query, minlength=len(run.queries)))
    docs = run.docs.to_bytes_list()
    return {
        to_text(query): Ranking.from_scores([docs[row] for row in rows.tolist()], run.score[rows], source=run.name)
        for query, rows in zip(run.queries.to_bytes_list(), np.split(order, ends[:-1]), strict=True)
        if len(rows)
    }


def rankings_by_query(
    qrels: Qrels, grades: GradesByQuery, judged: Sequence[JudgedRun], tops: Sequence[TopRanking], depth: int
) -> list[QueryRankings]:
    """Return the rankings of all runs side by side, in the order of the judged queries."""
    docs = qrels.docs.to_bytes_list()
    further = [_beyond(run, depth) for run in judged]
    found = []
    for index, query in enumerate(qrels.queries.to_bytes_list()):
        place: dict[bytes, int] = {}
        top = [[place.setdefault(doc, len(place)) for doc in t.documents.get(query, ())] for t in tops]
        deep = (by_query.get(index, ()) for by_query in further)
        beyond = [[(place.setdefault(docs[doc], len(place)), rank) for doc, rank in ranks] for ranks in deep]
        for doc, grade in grades[query].items():
            if grade > 0:
                place.setdefault(doc, len(place))
        own = [grades[query].get(doc) for doc in place]
        found.append(QueryRankings([to_text(doc) for doc in place], own, top, beyond))
    return found


def _beyond(run: JudgedRun, depth: int) -> dict[int, list[tuple[int, int]]]:
    """Return the relevant documents below the top, by query."""
    deep = np.flatnonzero((run.rank > depth) & (run.grade > 0))
    by_query: dict[int, list[tuple[int, int]]] = {}
    rows = (run.query[deep].tolist(), run.doc[deep].tolist(), run.rank[deep].tolist())
    for query, doc, rank in zip(*rows, strict=True):
        by_query.setdefault(query, []).append((doc, rank))
    return by_query
