"""Bounds on a measure: the lowest and highest value it could have if the retrieved unjudged documents were judged.

Each retrieved unjudged document may take any grade of the scale; unretrieved documents keep theirs; R and the ideal
ranking are recomputed. Only measures with tight bounds offer them. Where a higher grade can only help and nothing is
divided by R, the extremes are all-lowest and all-highest. For binary R, AP and Rprec the number of relevant ones
matters, because each also raises R: every number is tried, placed as high and as low as possible.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from germane.errors import MeasureError
from germane.measures.definition import MEASURES, Definition, work
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.rankings.judged_run import JudgedRun, PerQuery
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels


def bounds(measure: Measure, run: JudgedRun) -> tuple[PerQuery, PerQuery]:
    """Return the lowest and the highest possible value for each query.

    >>> from germane.measures.definition import MEASURES
    >>> bounds(MEASURES.parse("P@3"), judged("1 - 0"))
    (array([0.33333333]), array([0.66666667]))
    >>> bounds(MEASURES.parse("AP"), judged("1 - 0"))        # relevant or not, it is 1/1, or (1/1 + 2/2)/2
    (array([1.]), array([1.]))
    """
    definition = MEASURES[measure]
    _require_tight(definition, measure, run)
    if definition.unjudged == "monotone":
        cut = measure.at if isinstance(measure.at, int) else None
        lowest, highest = (work(measure, _all_judged(run, cut, grade)).value for grade in (0.0, run.qrels.scale))
        return np.minimum(lowest, highest), np.maximum(lowest, highest)
    low, high = np.asarray([_of_query(measure, run, query) for query in range(run.num_queries)]).T
    return low, high


def _require_tight(definition: Definition, measure: Measure, run: JudgedRun) -> None:
    parameters = dict(measure.parameters)
    graded_as_binary = definition.unjudged == "recount" and run.qrels.scale < float(str(parameters.get("rel", 1)))
    loose = "judged_only" in parameters or "times" in parameters or parameters.get("over") == "retrieved"
    loose |= parameters.get("empty") == "skip"  # they decide whether the query counts at all
    loose |= ":" in str(parameters.get("gain"))  # a gain table need not increase with the grade
    loose |= parameters.get("by") == "query"  # they decide the highest grade of the query
    if definition.unjudged is None or loose or graded_as_binary:
        hint = f"choose from {', '.join(d.name for d in MEASURES if d.unjudged)}"
        raise MeasureError(f"bounds for unjudged documents are not available for {measure}", hint=hint)
    if run.ties == "expected":
        raise MeasureError(
            "bounds for unjudged documents are not supported with `ties='expected'`", hint="use `ties='docno'`"
        )


def _all_judged(run: JudgedRun, cut: int | None, grade: float) -> JudgedRun:
    """The run, had every unjudged document down to the cutoff been given one grade."""
    qrels, queries = run.qrels, np.arange(run.num_queries)
    judged, hit = np.flatnonzero(qrels.grade >= 0), np.flatnonzero(run.grade >= 0)
    depth = run.depth(cut)
    query, rank = np.repeat(queries, depth), np.arange(depth.sum()) - np.repeat(np.cumsum(depth) - depth, depth) + 1
    shown = hit[run.rank[hit] <= depth[run.query[hit]]]
    unjudged = np.ones(len(query), dtype=bool)
    unjudged[(np.cumsum(depth) - depth)[run.query[shown]] + run.rank[shown] - 1] = False
    query, rank = query[unjudged], rank[unjudged]
    # Of each query first the documents that are judged, then those at these ranks.
    listed = np.concatenate([qrels.query[judged], query])
    order = np.argsort(listed, kind="stable")
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    doc = np.concatenate([number[np.searchsorted(judged, run.doc[hit])], number[len(judged) :]])
    ranks = np.concatenate([run.rank[hit], rank])
    by_rank = np.lexsort((ranks, np.concatenate([run.query[hit], query])))
    imagined = Qrels(
        queries=qrels.queries,
        start=np.searchsorted(listed[order], np.arange(run.num_queries + 1)),
        docs=Ids(np.zeros(0, dtype=np.uint8), np.zeros(len(order) + 1, dtype=np.int64)),
        grade=np.concatenate([qrels.grade[judged], np.full(len(query), grade)])[order],
        scale=qrels.scale,
        collection_size=qrels.collection_size,
    )
    ranks = ranks[by_rank]
    in_run = np.ones(run.num_queries, dtype=bool)
    return replace(run, qrels=imagined, in_run=in_run, doc=doc[by_rank], rank=ranks, first=ranks, last=ranks)


def _of_query(measure: Measure, run: JudgedRun, query: int) -> tuple[float, float]:
    judged = (run.query == query) & (run.grade >= 0)
    places = np.setdiff1d(np.arange(1, run.num_retrieved[query] + 1), run.rank[judged])
    # m relevant ones, m = 0, 1, ...: in the last m places, then in the first m places.
    m, place = np.arange(len(places) + 1)[:, None], np.arange(len(places))
    grades = np.concatenate([place >= len(places) - m, place < m]) * run.qrels.scale
    values = work(measure, _worlds(run, query, places, grades)).value
    return float(values.min()), float(values.max())


def _worlds(run: JudgedRun, query: int, places: IntArray, grades: FloatArray) -> JudgedRun:
    """Return one copy of the query per row of `grades`, with the documents at `places` judged as that row says."""
    qrels = run.qrels
    listed = np.arange(qrels.start[query], qrels.start[query + 1])
    judged_docs = listed[qrels.grade[listed] >= 0]
    hit = np.flatnonzero((run.query == query) & (run.grade >= 0))
    num_worlds, num_docs = len(grades), len(judged_docs) + len(places)
    start = np.arange(num_worlds + 1) * num_docs
    grade = np.concatenate([np.broadcast_to(qrels.grade[judged_docs], (num_worlds, len(judged_docs))), grades], axis=1)
    one_doc = np.concatenate([np.searchsorted(judged_docs, run.doc[hit]), len(judged_docs) + np.arange(len(places))])
    one_rank = np.concatenate([run.rank[hit], places])
    order = np.argsort(one_rank)
    doc = (start[:-1, None] + one_doc[order]).ravel()
    rank = np.tile(one_rank[order], num_worlds)
    imagined = Qrels(
        queries=Ids.of(map(str, range(num_worlds))),
        start=start,
        docs=Ids(np.zeros(0, dtype=np.uint8), np.zeros(num_worlds * num_docs + 1, dtype=np.int64)),
        grade=grade.ravel(),
        scale=qrels.scale,
        collection_size=qrels.collection_size,
    )
    num_retrieved = np.full(num_worlds, run.num_retrieved[query])
    in_run = np.ones(num_worlds, dtype=bool)
    return replace(
        run, qrels=imagined, in_run=in_run, num_retrieved=num_retrieved, doc=doc, rank=rank, first=rank, last=rank
    )
