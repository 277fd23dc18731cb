"""Helpers of several readers and writers: numbers as text, and the rows and ranks of runs and judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat

import numpy as np

from germane.tables.columns.ids import FloatArray, IntArray, to_text
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run


def number_of(text: str) -> float | None:
    """Return the number in a field, or None if it is not a number."""
    try:
        return float(text)
    except ValueError:
        return None


def whole(number: float) -> float | int:
    """Return an integral grade or rank as an integer, so that it is written without a fraction."""
    return int(number) if number == int(number) else number


def whole_or_repr(number: float) -> str:
    """Write a grade or rank as text that reads back to the same number, integers without a fraction.

    >>> whole_or_repr(2.0), whole_or_repr(0.5), whole_or_repr(-1.0)
    ('2', '0.5', '-1')
    """
    return repr(whole(float(number)))


def judgments(qrels: Qrels) -> Iterator[tuple[bytes, bytes, float, bytes | None]]:
    """Yield query, document, grade and group of each judgment; the group is None if there are none."""
    queries, docs = qrels.queries.to_bytes_list(), qrels.docs.to_bytes_list()
    query_of_doc = qrels.query.tolist()
    if qrels.groups is None:
        for query, doc, grade in zip(query_of_doc, docs, qrels.grade.tolist(), strict=True):
            yield queries[query], doc, grade, None
        return
    labels, given = qrels.groups.labels.to_bytes_list(), qrels.groups
    for row, group, grade in zip(given.doc.tolist(), given.group.tolist(), given.grade.tolist(), strict=True):
        yield queries[query_of_doc[row]], docs[row], grade, labels[group]


def sampled_rows(qrels: Qrels) -> Iterator[tuple[bytes | None, float]]:
    """Yield stratum and inclusion probability of each row of `judgments`; (None, 1.0) if nothing was sampled."""
    docs = range(len(qrels.docs)) if qrels.groups is None else qrels.groups.doc.tolist()
    if qrels.sampling is None:
        return repeat((None, 1.0), len(docs))
    labels, stratum = qrels.sampling.labels.to_bytes_list(), qrels.sampling.stratum.tolist()
    inclusion = qrels.sampling.inclusion.tolist()
    return ((labels[stratum[doc]], inclusion[doc]) for doc in docs)


def judgment_rows(qrels: Qrels) -> Iterator[dict[str, object]]:
    """Yield each judgment as a dict, with the column names of a file as keys."""
    for (query, doc, grade, group), (stratum, inclusion) in zip(judgments(qrels), sampled_rows(qrels), strict=True):
        row: dict[str, object] = {"qid": to_text(query), "docno": to_text(doc), "relevance": whole(grade)}
        if group is not None:
            row["subtopic"] = to_text(group)
        if stratum is not None:
            row |= {"stratum": to_text(stratum), "inclusion": inclusion}
        yield row


def run_columns(run: Run) -> dict[str, Iterable[object]]:
    """Return the columns of a run, with the column names of a file as keys."""
    queries = list(run.queries)
    columns: dict[str, Iterable[object]] = {
        "qid": (queries[code] for code in run.query.tolist()), "docno": run.docs, "score": run.score.tolist()
    }  # fmt: skip
    if run.rank is not None:
        columns["rank"] = map(whole, run.rank.tolist())
    if run.tag is not None:
        columns["tag"] = repeat(run.tag, len(run.docs))
    return columns


def ranks(run: Run) -> FloatArray | IntArray:
    """Return the rank of each row: its own, or else its rank by score.

    >>> ranks(Run.from_columns(["q", "q", "q"], ["d1", "d2", "d3"], [1.0, 2.0, 1.0]))
    array([3, 1, 2])
    """
    return score_places(run) if run.rank is None else run.rank


def score_places(run: Run) -> IntArray:
    """Return the rank of each row by descending score, ties by descending document id as in trec_eval."""
    order = np.lexsort((-run.score, run.query))
    score, query = run.score[order], run.query[order]
    tied = (score[1:] == score[:-1]) & (query[1:] == query[:-1])  # a difference of scores may overflow
    edges = np.diff(np.concatenate(([False], tied, [False])).astype(np.int8))
    for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        group = order[first : last + 1].tolist()
        order[first : last + 1] = sorted(group, key=run.docs.bytes_at, reverse=True)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order)) - np.searchsorted(query, query) + 1
    return places


def tag_of(run: Run) -> str:
    """Return the tag of the run or, if it has none, its name."""
    return run.tag if run.tag is not None else "_".join(run.name.split()) or "run"
