"""The lowest and the highest value a measure could have, had the retrieved unjudged documents been judged.

Each retrieved document without a judgment may take any grade of the scale; unretrieved ones stay as they are; R and
the ideal are counted again. Only measures for which the bounds are tight offer them. Where a higher grade can only help
and nothing is divided by R, the extremes are all lowest and all highest. For binary R, AP and Rprec it matters how many
of them are relevant, since each also raises R: every number is tried, placed as high and as low as possible.
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
    """The lowest and the highest value for each query.

    >>> from germane.measures.definition import MEASURES
    >>> bounds(MEASURES.parse("P@3"), judged("1 - 0"))
    (array([0.33333333]), array([0.66666667]))
    >>> bounds(MEASURES.parse("AP"), judged("1 - 0"))        # relevant or not, it is 1/1, or (1/1 + 2/2)/2
    (array([1.]), array([1.]))
    """
    definition = MEASURES[measure]
    _require_tight(definition, measure, run)
    low, high = np.asarray([_of_query(definition, measure, run, query) for query in range(run.num_queries)]).T
    return low, high


def _require_tight(definition: Definition, measure: Measure, run: JudgedRun) -> None:
    parameters = dict(measure.parameters)
    graded_as_binary = definition.unjudged == "recount" and run.qrels.scale < float(str(parameters.get("rel", 1)))
    loose = "judged_only" in parameters or "times" in parameters or parameters.get("over") == "retrieved"
    loose |= parameters.get("empty") == "skip"  # whether the query counts at all hangs on them
    loose |= ":" in str(parameters.get("gain"))  # the gain of a table need not grow with the grade
    loose |= parameters.get("by") == "query"  # the highest grade of the query hangs on them
    if definition.unjudged is None or loose or graded_as_binary:
        hint = f"they are for: {', '.join(d.name for d in MEASURES if d.unjudged)}"
        raise MeasureError(f"no tight bounds under unjudged documents are known for {measure}", hint=hint)
    if run.ties == "expected":
        raise MeasureError("bounds under unjudged documents need one order of the ties", hint="choose another tie rule")


def _of_query(definition: Definition, measure: Measure, run: JudgedRun, query: int) -> tuple[float, float]:
    judged = (run.query == query) & (run.grade >= 0)
    places = np.setdiff1d(np.arange(1, run.num_retrieved[query] + 1), run.rank[judged])
    if definition.unjudged == "monotone":
        if isinstance(measure.at, int):
            places = places[places <= measure.at]
        grades = np.stack([np.zeros(len(places)), np.full(len(places), run.qrels.scale)])
    else:
        # m relevant ones, m = 0, 1, ...: in the last m places, then in the first m places.
        m, place = np.arange(len(places) + 1)[:, None], np.arange(len(places))
        grades = np.concatenate([place >= len(places) - m, place < m]) * run.qrels.scale
    values = work(measure, _worlds(run, query, places, grades)).value
    return float(values.min()), float(values.max())


def _worlds(run: JudgedRun, query: int, places: IntArray, grades: FloatArray) -> JudgedRun:
    """One query over and over, each time with the documents at `places` judged as one row of `grades` says."""
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
