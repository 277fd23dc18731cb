"""Rank documents: hand the model's weights to the kernel segment by segment, and merge the best of each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from germane.kernels import reference_postings, score_documents, top_k_many
from germane.kernels.reference_postings import GIVEN, NUM_PARAMETERS, Postings, Queries
from germane.retrieval.indexes.index import Index, Part
from germane.retrieval.models import MODELS, Model
from germane.retrieval.models.curves import CompiledCurve, Curve
from germane.retrieval.query import Query, TermStats
from germane.tables.columns.ids import FloatArray, Ids, IntArray, to_bytes
from germane.tables.columns.stretches import Stretches
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.tables.rankings.run import Run

QUERIES_PER_THREAD = 8
"""Queries per thread below which another thread does not pay off."""


class WeightedTerm(NamedTuple):
    """A query term under a model: its weight, the factors of the weight, and its curve."""

    stats: TermStats
    query_weight: float
    factors: Mapping[str, float]
    curve: Curve
    weight: float
    """Factor of the curve's values: query weight times all term factors."""

    @property
    def term(self) -> str:
        return self.stats.term


class Weigher:
    """Computes query weights under one model. Term-level quantities are computed once for all queries."""

    def __init__(self, model: Model, index: Index, terms: Iterable[str]) -> None:
        self.model = model
        self._known = index.statistics_of(terms)
        self._parts: dict[tuple[str, int, int], tuple[Mapping[str, float], Curve, float]] = {}

    def weigh(self, query: Query) -> list[WeightedTerm]:
        """Return the weighted terms of a query, in its order; terms that occur in no document are omitted."""
        known, judged = self._known, query.relevance
        terms = {term: known[term] for term in query.weights if term in known}
        if judged.num_relevant:
            terms = {
                term: replace(stats, num_relevant=judged.num_relevant, relevant_with=judged.of(term))
                for term, stats in terms.items()
            }
        weights = self.model.query_weights(query, terms)
        weighted = []
        for term, stats in terms.items():
            factors, curve, product = self._of_term(stats)
            weighted.append(WeightedTerm(stats, weights[term], factors, curve, weights[term] * product))
        return weighted

    def _of_term(self, stats: TermStats) -> tuple[Mapping[str, float], Curve, float]:
        key = stats.term, stats.num_relevant, stats.relevant_with
        parts = self._parts.get(key)
        if parts is None:
            factors = self.model.term_factors(stats)
            parts = self._parts[key] = (factors, self.model.curve(stats), math.prod(factors.values()))
        return parts


def weighted_terms(model: Model, query: Query, index: Index) -> list[WeightedTerm]:
    """Return the weighted terms of one query.

    >>> from germane.retrieval.indexes.index import Index
    >>> from germane.retrieval.models import BIR
    >>> index = Index.of({"d1": "red wine", "d2": "white wine", "d3": "red roses"}, analyser="plain")
    >>> [(t.term, round(t.weight, 3)) for t in weighted_terms(BIR(), Query.of(["roses", "nonesuch"]), index)]
    [('roses', 0.511)]
    """
    return Weigher(model, index, query.weights).weigh(query)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Documents by number in the index, best first, with their scores.

    Sorted by falling score; ties by ascending number.
    """

    docs: IntArray
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.docs)


_Prepared = tuple[list[WeightedTerm], float]
"""One query prepared for the kernel: its weighted terms, and the multiple of the document offset to add."""


def search(index: Index, query: str | Query, model: str | Model = "BM25", k: int = 1000) -> Ranking:
    """Return the k best documents for a query, among those that contain a query term.

    >>> index = Index.of({"d1": "red wine", "d2": "wine, wine", "d3": "roses"}, analyser="plain")
    >>> [index.doc_id(doc) for doc in search(index, "wine").docs]
    ['d2', 'd1']
    """
    return search_many(index, [query], model, k, threads=1)[0]


def search_many(
    index: Index,
    queries: Sequence[str | Query],
    model: str | Model = "BM25",
    k: int = 1000,
    *,
    threads: int | None = None,
) -> list[Ranking]:
    """Return the rankings of several queries; `threads` is the number of worker threads (default: all cores)."""
    found: list[list[tuple[IntArray, FloatArray]]] = [[] for _ in queries]
    for part, postings, columns in _by_part(index, queries, model):
        for query, (docs, scores) in enumerate(_in_threads(postings, columns, len(queries), k, threads)):
            found[query].append((docs + part.base, scores))
    return [_best(rankings, k) for rankings in found]


def scores_of_documents(index: Index, query: str | Query, model: str | Model, docs: IntArray) -> FloatArray:
    """Return the scores of these documents; NaN for one that contains no query term."""
    return scores_of_candidates(index, [query], model, [docs])[0]


def scores_of_candidates(
    index: Index, queries: Sequence[str | Query], model: str | Model, docs: Sequence[IntArray]
) -> list[FloatArray]:
    """Return the scores of several queries, each with its own documents."""
    scores = [np.full(len(wanted), np.nan) for wanted in docs]
    for part, postings, columns in _by_part(index, queries, model):
        for query, wanted in enumerate(docs):
            here = (wanted >= part.base) & (wanted < part.base + part.segment.num_docs)
            local = (wanted[here] - part.base).astype(np.int32)
            scores[query][here] = score_documents(postings, columns, query, local)
    return scores


def in_run_order(index: Index, ranking: Ranking) -> IntArray:
    """Return a ranking's documents with ties broken by id in descending byte order, as runs are written."""
    docs, scores = ranking.docs.copy(), ranking.scores
    starts = (1 + np.flatnonzero(scores[1:] != scores[:-1])).tolist()
    for first, last in itertools.pairwise([0, *starts, len(scores)]):
        if last - first > 1:
            docs[first:last] = sorted(docs[first:last], key=lambda doc: to_bytes(index.doc_id(int(doc))), reverse=True)
    return docs


def run_of(index: Index, rankings: Sequence[Ranking], queries: Iterable[str], name: str) -> Run:
    """Return rankings as a run; a query without results keeps an empty ranking."""
    return Run(
        queries=queries if isinstance(queries, Ids) else Ids.of(queries),
        stretches=Stretches.of_sizes([len(ranking) for ranking in rankings]),
        docs=index.ids_of(np.concatenate([np.zeros(0, np.int64), *(ranking.docs for ranking in rankings)])),
        score=np.concatenate([np.zeros(0), *(ranking.scores for ranking in rankings)]),
        name=name,
    )


def as_query(query: str | Query, index: Index) -> Query:
    """Analyse a query text as the documents of the index were analysed."""
    return Query.of(index.analyser.terms(query)) if isinstance(query, str) else query


def _by_part(
    index: Index, queries: Sequence[str | Query], model: str | Model
) -> Iterator[tuple[Part, Postings, Queries]]:
    """Yield for each part the kernel's input: the postings, and the query terms among them."""
    model = MODELS.parse(model)
    prepared = _prepare(index, queries, model)
    scale, offset, lengths = model.scale(index), model.offset(index), model.lengths(index)
    for part in index.parts:
        columns = _columns(part, prepared, scale, offset, lengths)
        yield part, _postings(part, index, lengths, columns), columns


def _prepare(index: Index, queries: Sequence[str | Query], model: Model) -> list[_Prepared]:
    asked = [as_query(query, index) for query in queries]
    weigher = Weigher(model, index, (term for query in asked for term in query.weights))
    prepared = []
    for query in asked:
        terms = weigher.weigh(query)
        times = sum(term.query_weight for term in terms)
        # Strongest first: scores are summed in this order, so the kernel soon knows which documents cannot win.
        terms.sort(key=lambda term: (-abs(term.weight), term.stats.term))
        prepared.append((terms, times))
    return prepared


def _postings(part: Part, index: Index, lengths: IntArray, columns: Queries) -> Postings:
    segment = part.segment
    postings = segment.postings_of(columns.term)._replace(deleted=part.deleted)
    if lengths is index.lengths:
        return postings
    # This model divides by another count, of at least 1.
    length = lengths[part.base : part.base + segment.num_docs].astype(np.int32)
    return postings._replace(length=length, min_length=np.ones(segment.num_terms, np.int32))


def _columns(
    part: Part, prepared: list[_Prepared], scale: FloatArray | None, offset: FloatArray | None, lengths: IntArray
) -> Queries:
    """Return the query terms present in this segment, as the kernel expects them."""
    asked = list({term.stats.term: None for terms, _ in prepared for term in terms})
    places = dict(zip(asked, part.segment.term_numbers(asked).tolist(), strict=True))
    start = [0]
    rows: list[tuple[int, WeightedTerm]] = []
    for terms, _ in prepared:
        rows += [(number, term) for term in terms if (number := places[term.stats.term]) >= 0]
        start.append(len(rows))
    given: list[FloatArray] = []
    codes, parameters = [], []
    for number, term in rows:
        if isinstance(term.curve, CompiledCurve):
            codes.append(term.curve.code)
            parameters.append(term.curve.parameters)
        else:
            codes.append(GIVEN)
            parameters.append((float(sum(map(len, given))), *[0.0] * (NUM_PARAMETERS - 1)))
            given.append(_values(term.curve, part, number, lengths))
    here = slice(part.base, part.base + part.segment.num_docs)
    return Queries(
        np.asarray(start, np.int64),
        np.asarray([number for number, _ in rows], np.int64),
        np.asarray([term.weight for _, term in rows], np.float64),
        np.asarray(codes, np.int32),
        np.asarray(parameters, np.float64).reshape(-1, NUM_PARAMETERS),
        np.concatenate(given) if given else None,
        None if scale is None else np.ascontiguousarray(scale[here]),
        None if offset is None else np.ascontiguousarray(offset[here]),
        np.asarray([times for _, times in prepared], np.float64),
    )


def _values(curve: Curve, part: Part, number: int, lengths: IntArray) -> FloatArray:
    """Return the values of a custom curve at every posting of a term."""
    rows = slice(int(part.segment.start[number]), int(part.segment.start[number + 1]))
    length = lengths[np.asarray(part.segment.doc[rows], np.int64) + part.base]
    return np.asarray(curve.values(np.asarray(part.segment.tf[rows]), length), np.float64)


def _in_threads(
    postings: Postings, columns: Queries, num_queries: int, k: int, threads: int | None
) -> list[tuple[IntArray, FloatArray]]:
    """Rank queries in threads, each with a consecutive share; results do not depend on the number of threads."""
    workers = max(1, min(threads or num_threads(), num_queries // QUERIES_PER_THREAD))
    ends = [num_queries * i // workers for i in range(workers + 1)]

    def work(i: int) -> reference_postings.Rankings:
        return top_k_many(postings, columns, k, ends[i], ends[i + 1])

    return [
        (rankings.doc[first:last].astype(np.int64), rankings.score[first:last])
        for rankings in map_in_threads(work, range(workers))
        for first, last in itertools.pairwise(rankings.start.tolist())
    ]


def _best(rankings: list[tuple[IntArray, FloatArray]], k: int) -> Ranking:
    if len(rankings) == 1:
        return Ranking(*rankings[0])
    docs = np.concatenate([docs for docs, _ in rankings] or [np.zeros(0, np.int64)])
    scores = np.concatenate([scores for _, scores in rankings] or [np.zeros(0)])
    best = np.lexsort((docs, -scores))[:k]
    return Ranking(docs[best], scores[best])
