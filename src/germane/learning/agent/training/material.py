"""Training data of an agent: an index, judged queries in folds, and cached rankings of strategies, with additions to
their scores or refined by feedback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.knowledge.calibration import standardised
from germane.learning.agent.knowledge.evidence import Evidence
from germane.learning.agent.knowledge.reranking import DEPTH, RIDGE, NormalEquations, candidate_rows, opinion
from germane.learning.agent.utility import Utility, relevant_numbers
from germane.learning.data.splits import QUERIES, k_folds
from germane.learning.features.feature import Feature
from germane.learning.features.feature_set import default_features
from germane.learning.strategies.strategy import Strategy, fused
from germane.learning.tuning.scorer import IndexScorer
from germane.retrieval.feedback import Feedback, Refined
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.binary_independence_indexing import BII, LearnedIndexing
from germane.retrieval.query import Query
from germane.retrieval.search import Ranking, as_query, search
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.qrels import Qrels

LEAST_FOLDS = 3
"""Minimum number of folds: one is held out, one is ranked, and BII and P(R|d) are learned from the rest."""
PRIOR_WEIGHT = 10.0
"""Prior weight λ of Binary Independence Indexing: a few past queries about a document should have little effect."""

DEFAULT_TOLERANCE = 0.01


@dataclass(frozen=True)
class Training:
    """Training settings: folds, ranking depth, tolerance of Occam's razor, and the minimum relevant grade."""

    folds: int = 5
    seed: int = 0
    depth: int = 1000
    judged: int = 10
    rel: float = 1.0
    tolerance: float = DEFAULT_TOLERANCE
    alpha: float = 0.05

    def __post_init__(self) -> None:
        for name, least in (("depth", 1), ("judged", 0), ("seed", 0), ("tolerance", 0)):
            if getattr(self, name) < least:
                raise GermaneError(f"expected {name} to be {least} or more, found {getattr(self, name)}")
        if not 0 < self.alpha < 1:
            raise GermaneError(f"expected alpha between 0 and 1, found {self.alpha:g}")


Rankings = Sequence[Ranking] | Mapping[int, Ranking]
"""Rankings by query index."""


@dataclass(frozen=True, eq=False)
class QueryRows:
    """Input of a re-ranking model: each query's best documents of a strategy, their rows, and sums over these."""

    docs: list[IntArray]
    rows: list[FloatArray]
    equations: list[NormalEquations]

    def learned(self, queries: IntArray) -> NormalEquations:
        """Return the summed statistics of these queries."""
        sums = NormalEquations.of_nothing(self.rows[0].shape[1])
        for place in queries.tolist():
            sums.take_in(self.equations[place])
        return sums

    def opinion(self, query: int, weights: FloatArray, docs: IntArray) -> FloatArray:
        """Score documents of one query with the re-ranking model."""
        return opinion(weights, self.rows[query], self.docs[query], docs)


@dataclass(frozen=True, eq=False)
class Material:
    """Judged queries in the order of the qrels, and the fold of each; queries with the same words share a fold."""

    scorer: IndexScorer
    utility: Utility
    fold: IntArray
    rel: float
    _rankings: dict[Strategy, list[Ranking]] = field(default_factory=dict)
    _taught: dict[bytes, Evidence] = field(default_factory=dict)
    _rows: dict[Strategy, QueryRows] = field(default_factory=dict)

    @classmethod
    def of(cls, index: Index, queries: Mapping[str, str], qrels: Qrels, utility: Utility, how: Training) -> Material:
        """Build the training data from queries by id and judgments; unjudged queries are skipped."""
        scorer = IndexScorer(index, queries, qrels, utility.ranking_measure, how.depth)
        num, folds = len(scorer.queries), how.folds
        if folds < LEAST_FOLDS:
            raise GermaneError(f"expected {LEAST_FOLDS} folds or more, found {folds}")
        if num < folds:
            hint = f"use {num} folds" if num >= LEAST_FOLDS else f"judge at least {LEAST_FOLDS} queries"
            raise GermaneError(f"expected at least as many judged queries as folds ({folds}), found {num}", hint=hint)
        side = k_folds(scorer.queries, folds, seed=how.seed, groups=scorer.groups(), words=QUERIES).side_of()
        fold = np.asarray([int(side[query]) - 1 for query in scorer.queries], np.int64)
        return cls(scorer, utility, fold, how.rel)

    @property
    def index(self) -> Index:
        return self.scorer.index

    @property
    def depth(self) -> int:
        return self.scorer.k

    @cached_property
    def asked(self) -> list[Query]:
        """The analysed queries."""
        return [as_query(query, self.index) for query in self.scorer.given]

    @cached_property
    def relevant(self) -> list[IntArray]:
        """Numbers of the relevant documents of each query."""
        return relevant_numbers(self.index, self.scorer.qrels, self.rel)

    @property
    def everything(self) -> IntArray:
        return np.arange(len(self.fold))

    def rankings(self, strategy: Strategy) -> list[Ranking]:
        """Return a strategy's rankings of all queries, with standard scores; cached."""
        if strategy not in self._rankings:
            found = strategy.rank(self.index, self.asked, self.depth)
            self._rankings[strategy] = [Ranking(each.docs, standardised(each.scores)) for each in found]
        return self._rankings[strategy]

    def forget(self, strategy: Strategy) -> None:
        """Drop the cached rankings of a strategy: those of all strategies would not fit in memory."""
        self._rankings.pop(strategy, None)

    def learned(self, queries: IntArray) -> LearnedIndexing:
        """Learn Binary Independence Indexing from the judgments of these queries."""
        past = {self.scorer.queries[place]: self.asked[place] for place in queries.tolist()}
        return BII(PRIOR_WEIGHT, "non-relevant").fit(self.index, past, self.scorer.qrels.take(queries), rel=self.rel)

    def taught_by(self, queries: IntArray) -> Evidence:
        """Return the evidence learned from these queries; cached."""
        key = queries.tobytes()
        if key not in self._taught:
            self._taught[key] = Evidence(self.index, self.learned(queries), self._numbers)
        return self._taught[key]

    @cached_property
    def _numbers(self) -> dict[str, int | None]:
        return {doc: self.index.doc_number(doc) for doc in set(self.scorer.qrels.docs)}

    def evidence(self, rankings: Rankings, queries: IntArray, learn_from: IntArray) -> dict[int, FloatArray]:
        """Return the evidence for the documents of each query's ranking, learned from other queries."""
        evidence = self.taught_by(learn_from)
        return {place: evidence.of(self.asked[place], rankings[place].docs) for place in queries.tolist()}

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """Features of the re-ranking model besides the strategy's score: the default features of this index."""
        return default_features(self.index)

    def rows(self, strategy: Strategy) -> QueryRows:
        """Return a strategy's best documents as rows for a re-ranking model; cached."""
        if strategy not in self._rows:
            best = [Ranking(each.docs[:DEPTH], each.scores[:DEPTH]) for each in self.rankings(strategy)]
            rows = candidate_rows(self.index, self.features, self.asked, best)
            docs = [each.docs for each in best]
            sums = [
                NormalEquations.of(own, np.isin(found, known))
                for own, found, known in zip(rows, docs, self.relevant, strict=True)
            ]
            self._rows[strategy] = QueryRows(docs, rows, sums)
        return self._rows[strategy]

    def opinions(
        self, strategy: Strategy, rankings: Rankings, queries: IntArray, learn_from: IntArray
    ) -> dict[int, FloatArray]:
        """Return re-ranking estimates for the documents of each ranking, by a model learned from other queries."""
        rows = self.rows(strategy)
        weights = rows.learned(learn_from).weights(RIDGE)
        return {place: rows.opinion(place, weights, rankings[place].docs) for place in queries.tolist()}

    def turns(self, among: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield each fold of some queries, and the other folds."""
        for held in np.unique(self.fold[among]):
            here = self.fold[among] == held
            yield among[here], among[~here]


def combined(ranking: Ranking, evidence: FloatArray, weight: float) -> Ranking:
    """Return a ranking by score plus weighted evidence; ties by document number.

    >>> found = combined(Ranking(np.array([4, 7]), np.array([1.0, -1.0])), np.array([0.0, 3.0]), 1.0)
    >>> found.docs.tolist(), found.scores.tolist()
    ([7, 4], [2.0, 1.0])
    """
    if weight == 0:
        return ranking
    scores = ranking.scores + weight * evidence
    order = np.lexsort((ranking.docs, -scores))
    return Ranking(ranking.docs[order], scores[order])


def refined_ranking(
    index: Index, strategy: Strategy, method: Feedback, query: Query, judged: tuple[list[int], list[int]], depth: int
) -> Ranking:
    """Return the ranking of the refined query with standard scores; `judged` are relevant and non-relevant documents.

    Judgments replace pseudo-relevance feedback. A model that the method does not support (probabilistic feedback
    replaces an idf, which VSM does not have) is skipped; an error if no model is left. A method with a model of its own
    may build the same query for all parts: then there is nothing to fuse.
    """
    asked: dict[tuple[str, str], Refined] = {}
    refused: list[GermaneError] = []
    for part in strategy.parts:
        try:
            found = method.refine(index, part.model, query, *judged)
        except GermaneError as problem:
            refused.append(problem)
        else:
            asked[str(found.model), repr(found.query)] = found
    if not asked:
        raise refused[0]
    lists = [search(index, found.query, found.model, depth) for found in asked.values()]
    if len(lists) == 1 or strategy.fusion is None:
        ranking = lists[0]
    else:
        weights = strategy.weights if len(lists) == len(strategy.parts) else None
        if weights is None and strategy.fusion.weights == "needed":
            weights = (1.0,) * len(lists)
        ranking = fused(index, [[each] for each in lists], strategy, depth, weights)[0]
    return Ranking(ranking.docs, standardised(ranking.scores))
