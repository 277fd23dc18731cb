"""Protocols that compare rankings before and after feedback without credit for documents already seen.

Each takes the rankings before and after, the judgments, and the documents seen, by query in the order in which they
were seen, and returns the two rankings and the judgments to compare. They work on the rankings of any engine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from germane.errors import GermaneError, unknown
from germane.formats.rows.number_text import score_places
from germane.tables.columns.ids import BoolArray, Ids
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

FeedbackProtocol = Literal["residual", "frozen", "modified", "control"]
Rankings = Mapping[str, Sequence[str]]
"""Documents from best to worst, by query."""
Seen = Rankings


@dataclass(frozen=True, eq=False)
class View:
    """Both rankings and the judgments as they are compared; no judged query is dropped.

    `no_relevant_left` are the queries that had relevant documents but have none in this view.
    """

    before: Rankings
    after: Rankings
    qrels: Qrels
    no_relevant_left: tuple[str, ...] = ()


def residual(before: Rankings, after: Rankings, qrels: Qrels, seen: Seen, rel: float) -> View:
    """Residual collection: remove documents seen from both rankings and from the judgments.

    Reference:  Chang, Cirillo & Razon, "Evaluation of Feedback Retrieval Using Modified Freezing, Residual Collection
                and Test and Control Groups", in Salton (ed.), The SMART Retrieval System, Prentice-Hall 1971.
    """
    gone = {query: frozenset(docs) for query, docs in seen.items()}
    return _restricted(before, after, qrels, rel, lambda query, doc: doc not in gone.get(query, ()))


def frozen(before: Rankings, after: Rankings, qrels: Qrels, seen: Seen, rel: float) -> View:
    """Full freezing: documents seen keep the ranks at which they were seen; the new ranking starts below them.

    Reference:  Ruthven & Lalmas, "A Survey on the Use of Relevance Feedback for Information Access Systems", Knowledge
                Engineering Review 2003.
    """
    return View(before, {query: _kept_on_top(seen.get(query, ()), docs) for query, docs in after.items()}, qrels)


def modified(before: Rankings, after: Rankings, qrels: Qrels, seen: Seen, rel: float) -> View:
    """Modified freezing: ranks are frozen down to the last relevant document seen; the rest may change.

    Reference:  Chang, Cirillo & Razon 1971, as above.
    """
    relevant = _relevant(qrels, rel)
    kept = {query: _to_last(seen.get(query, ()), relevant[query]) for query in after}
    return View(before, {query: _kept_on_top(kept[query], docs) for query, docs in after.items()}, qrels)


def control(before: Rankings, after: Rankings, qrels: Qrels, members: Collection[str], rel: float) -> View:
    """Test and control groups: feedback uses one half of the collection, and rankings are compared on the other.

    Reference:  Chang, Cirillo & Razon 1971, as above.
    """
    kept = frozenset(members)
    return _restricted(before, after, qrels, rel, lambda _, doc: doc in kept)


VIEWS: Mapping[FeedbackProtocol, Callable[..., View]] = {
    "residual": residual,
    "frozen": frozen,
    "modified": modified,
    "control": control,
}


def view(
    protocol: str,
    before: Rankings,
    after: Rankings,
    qrels: Qrels,
    seen: Seen,
    *,
    rel: float = 1,
    members: Collection[str] | None = None,
    depth: int | None = None,
) -> View:
    """Apply one of the protocols; `members` are the documents of the control half. Cut at `depth`, if given.

    >>> qrels = Qrels.from_dict({"q": {"a": 1, "c": 1}})
    >>> found = view("residual", {"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}, qrels, {"q": ["a"]})
    >>> found.before, found.after, list(found.qrels.docs)
    ({'q': ['b', 'c']}, {'q': ['c', 'b']}, ['c'])
    """
    if protocol not in VIEWS:
        raise unknown("protocol", protocol, get_args(FeedbackProtocol))
    if (protocol == "control") != (members is not None):
        raise GermaneError("protocol=control and members (the documents of the control half) must be used together")
    found = VIEWS[protocol](before, after, qrels, seen if members is None else members, rel)  # type: ignore[index]
    if depth is None:
        return found
    return replace(found, before=cut(found.before, depth), after=cut(found.after, depth))


def split_documents(num_docs: int, seed: int) -> BoolArray:
    """Return a mask of the control half: a random half of the documents (the smaller one of an odd number).

    >>> int(split_documents(5, seed=0).sum())
    2
    """
    words = np.random.PCG64(seed).random_raw(num_docs) if num_docs else np.zeros(0)
    chosen = np.zeros(num_docs, dtype=np.bool_)
    chosen[np.argsort(words, kind="stable")[: num_docs // 2]] = True
    return chosen


def _kept_on_top(kept: Sequence[str], docs: Sequence[str]) -> list[str]:
    top = frozenset(kept)
    return [*kept, *(doc for doc in docs if doc not in top)]


def _to_last(seen: Sequence[str], relevant: Collection[str]) -> Sequence[str]:
    last = max((place for place, doc in enumerate(seen, start=1) if doc in relevant), default=0)
    return seen[:last]


def _relevant(qrels: Qrels, rel: float) -> defaultdict[str, set[str]]:
    queries, rows = list(qrels.queries), np.flatnonzero(qrels.grade >= rel)
    found: defaultdict[str, set[str]] = defaultdict(set)
    for query, doc in zip(qrels.query[rows].tolist(), qrels.docs.take(rows), strict=True):
        found[queries[query]].add(doc)
    return found


def _judged(qrels: Qrels, keep: Callable[[str, str], bool]) -> Qrels:
    """Return the judgments of the documents kept; a query that loses all of them stays, without judgments."""
    queries = list(qrels.queries)
    pairs = zip(qrels.query.tolist(), qrels.docs, strict=True)
    chosen = np.fromiter((keep(queries[query], doc) for query, doc in pairs), dtype=np.bool_, count=len(qrels.docs))
    docs = np.flatnonzero(chosen)
    groups = qrels.groups
    if groups is not None:
        rows = chosen[groups.doc]
        place = np.cumsum(chosen) - 1
        groups = groups._replace(doc=place[groups.doc[rows]], group=groups.group[rows], grade=groups.grade[rows])
    return replace(
        qrels,
        start=np.concatenate(([0], np.cumsum(qrels.count(chosen)))),
        docs=qrels.docs.take(docs) if len(docs) else Ids.of([]),
        grade=qrels.grade[docs],
        groups=groups,
        sampling=None if qrels.sampling is None else qrels.sampling.take(docs),
    )


def _restricted(before: Rankings, after: Rankings, qrels: Qrels, rel: float, keep: Callable[[str, str], bool]) -> View:
    """Restrict both rankings and the judgments to the documents kept."""
    left = _judged(qrels, keep)
    first, second = (
        {query: [doc for doc in docs if keep(query, doc)] for query, docs in rankings.items()}
        for rankings in (before, after)
    )
    gone = (qrels.num_relevant(rel) > 0) & (left.num_relevant(rel) == 0)
    return View(first, second, left, tuple(qrels.queries[int(query)] for query in np.flatnonzero(gone)))


def cut(rankings: Rankings, depth: int) -> dict[str, Sequence[str]]:
    """Cut rankings at a depth."""
    return {query: docs[:depth] for query, docs in rankings.items()}


def rankings_of(run: Run) -> dict[str, list[str]]:
    """Return the rankings of a run: by falling score, ties broken by document id descending, as in evaluation.

    >>> rankings_of(Run.from_dict({"q1": {"d1": 1.0, "d2": 2.0, "d3": 1.0}}))
    {'q1': ['d2', 'd3', 'd1']}
    """
    order = np.lexsort((score_places(run), run.query))
    queries = list(run.queries)
    rankings: dict[str, list[str]] = {query: [] for query in queries}
    for query, doc in zip(run.query[order].tolist(), run.docs.take(order), strict=True):
        rankings[queries[query]].append(doc)
    return rankings


def run_of(rankings: Rankings) -> dict[str, dict[str, float]]:
    """Return a run with the order of these rankings; scores fall by 1 from each document to the next.

    >>> run_of({"q1": ["d2", "d1"]})
    {'q1': {'d2': 2.0, 'd1': 1.0}}
    """
    return {
        query: {doc: float(len(docs) - place) for place, doc in enumerate(docs)} for query, docs in rankings.items()
    }
