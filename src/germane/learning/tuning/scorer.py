"""Score strategies on an index: rankings of judged queries, evaluated by one measure."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping

import numpy as np

from germane.errors import GermaneError
from germane.learning.data.leakage import words_of
from germane.learning.strategies.strategy import Strategy
from germane.measures.definition import MEASURES, work
from germane.retrieval.engines.queries import with_topics
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query
from germane.retrieval.search import as_query, run_of
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.matching import match
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels


class IndexScorer:
    """Scores strategies on judged queries, in the order of the qrels.

    >>> from germane.learning.strategies.strategy import parse_strategy
    >>> index = Index.of({"d1": "red wine", "d2": "wine, wine", "d3": "roses"}, analyser="plain")
    >>> scorer = IndexScorer(index, {"q": "wine"}, Qrels.from_dict({"q": {"d1": 1}}), "RR")
    >>> scorer(parse_strategy("BM25"), np.array([0]))
    array([0.5])
    """

    def __init__(
        self,
        index: Index,
        queries: Mapping[str, str | Query],
        qrels: Qrels,
        measure: str | Measure = "AP",
        k: int = 1000,
    ) -> None:
        if k < 1:
            raise GermaneError(f"expected k of 1 or more, found {k}")
        self.index = index
        self.qrels = with_topics(qrels, queries)
        self.queries = tuple(self.qrels.queries)
        self.given = [queries[query] for query in self.queries]
        self.measure = MEASURES.parse(measure) if isinstance(measure, str) else measure
        self.lower_is_better = MEASURES[self.measure].better == "lower"
        self.k = k
        self._asked = [as_query(query, index) for query in self.given]

    def __call__(self, strategy: Strategy, places: IntArray) -> FloatArray:
        """Return the measure's values for the queries at these ascending indices."""
        qrels = self.qrels if len(places) == len(self.queries) else self.qrels.take(places)
        rankings = strategy.rank(self.index, [self._asked[int(place)] for place in places], self.k, threads=1)
        run = run_of(self.index, rankings, qrels.queries, str(strategy))
        return work(self.measure, match(qrels, run)).value

    def empty_queries(self) -> list[str]:
        """Return the queries that have no words left after analysis."""
        return [name for name, query in zip(self.queries, self._asked, strict=True) if not query.weights]

    def groups(self) -> list[Hashable]:
        """Return a key for each query that is equal for queries with the same words, which must share a fold."""
        return [
            tuple(sorted(words_of(query))) if isinstance(query, str) else frozenset(query.weights.items())
            for query in self.given
        ]

    def fingerprint(self) -> str:
        """Return a hash of the index's documents and counts, of the queries and of the judgments."""
        digest = hashlib.sha256()
        living = self.index.living()
        collection = self.index.collection
        digest.update(f"{self.index.analyser.name} {collection.num_docs} {collection.num_tokens}".encode())
        digest.update(np.ascontiguousarray(self.index.lengths[living], np.int64).tobytes())
        for part in self.index.parts:
            digest.update(np.ascontiguousarray(part.segment.doc_ids.data).tobytes())
        for name, query in zip(self.queries, self._asked, strict=True):
            digest.update(repr((name, sorted(query.weights.items()), query.is_vector)).encode())
        digest.update(self.qrels.docs.data.tobytes() + self.qrels.grade.tobytes() + self.qrels.start.tobytes())
        return digest.hexdigest()
