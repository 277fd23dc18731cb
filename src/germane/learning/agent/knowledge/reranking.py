"""The agent's re-ranking model: probability of relevance given all features, learned across queries.

Its estimates are added to the scores of the strategy's best documents, and updated with every judgment. It is a
least-squares fit stored as two sums, so training rows need not be kept: new rows are added exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import Feature
from germane.learning.features.feature_set import feature_matrix, parse_feature
from germane.learning.features.scaling import Scaling, scale_by_query
from germane.learning.strategies.strategy import Strategy
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query
from germane.retrieval.search import Ranking
from germane.tables.columns.ids import FloatArray, IntArray


@dataclass(eq=False)
class NormalEquations:
    """Sufficient statistics of least squares: the fit equals that of all rows added, which need not be kept.

    Formula:    w = (XᵀX + ρ·n·D)⁻¹·Xᵀy over n rows, y = 1 for relevant and 0 for non-relevant; the first column of X is
                1, and D is the identity matrix with 0 for that column
    Edge cases: Without rows all weights are 0. A feature that is constant, or repeats others, shares their weight,
                because ρ > 0.

    >>> sums = NormalEquations.of_nothing(1)
    >>> sums.add([[0.0], [2.0]], [False, True])
    >>> sums.weights(ridge=0.0).tolist()                             # the line through (0, 0) and (2, 1)
    [0.0, 0.5]
    >>> sums.add([[0.0], [2.0]], [True, True])
    >>> sums.weights(ridge=0.0).tolist()                             # through (0, ½), the mean of two, and (2, 1)
    [0.5, 0.25]
    """

    products: FloatArray
    """The matrix XᵀX."""
    targets: FloatArray
    """The vector Xᵀy."""

    @classmethod
    def of_nothing(cls, num_features: int) -> NormalEquations:
        """Return the statistics of no rows."""
        return cls(np.zeros((num_features + 1, num_features + 1)), np.zeros(num_features + 1))

    @classmethod
    def of(cls, rows: npt.ArrayLike, is_relevant: npt.ArrayLike) -> NormalEquations:
        """Return the statistics of these rows."""
        sums = cls.of_nothing(np.asarray(rows).shape[1])
        sums.add(rows, is_relevant)
        return sums

    @property
    def num_rows(self) -> int:
        return round(float(self.products[0, 0]))

    @property
    def num_relevant(self) -> int:
        return round(float(self.targets[0]))

    def add(self, rows: npt.ArrayLike, is_relevant: npt.ArrayLike) -> None:
        """Add rows."""
        x = _with_ones(rows)
        self.products += np.einsum("ij,ik->jk", x, x)
        self.targets += np.einsum("ij,i->j", x, np.asarray(is_relevant, np.float64))

    def correct(self, row: npt.ArrayLike, *, relevant: bool) -> None:
        """Flip the label of a row added before to `relevant`."""
        self.targets += (1.0 if relevant else -1.0) * _with_ones(np.asarray([row]))[0]

    def take_in(self, other: NormalEquations) -> None:
        """Add all rows of other statistics."""
        self.products += other.products
        self.targets += other.targets

    def weights(self, ridge: float) -> FloatArray:
        """Return the intercept, then the weight of each feature; `ridge` is ρ."""
        if not self.num_rows:
            return np.zeros(len(self.targets))
        penalty = np.full(len(self.targets), ridge * self.products[0, 0])
        penalty[0] = 0.0
        return np.asarray(np.linalg.solve(self.products + np.diag(penalty), self.targets))

    def to_json(self) -> dict[str, Any]:
        """Return the sums as a JSON object."""
        return {"products": self.products.tolist(), "targets": self.targets.tolist()}

    @classmethod
    def from_json(cls, given: Mapping[str, Any], num_features: int) -> NormalEquations:
        """Return the sums from a JSON object."""
        products, targets = (np.asarray(given[name], np.float64) for name in ("products", "targets"))
        size = num_features + 1
        if products.shape != (size, size) or targets.shape != (size,):
            raise ValueError(f"expected sums for {num_features} features, found {products.shape} and {targets.shape}")
        return cls(products, targets)


def _with_ones(rows: npt.ArrayLike) -> FloatArray:
    x = np.asarray(rows, np.float64)
    return np.hstack([np.ones((len(x), 1)), x])


DEPTH = 100
"""Number of top documents of the strategy that are re-scored."""
RIDGE = 0.01
"""Ridge ρ of the least-squares fit: nearly equal features share their weight."""
SCALING: Scaling = "zscore"
OWN_SCORE = "strategy"
"""First feature: the score of the agent's strategy itself."""


@dataclass(eq=False)
class RerankingModel:
    """The stored re-ranking model: sums over all rows learned from, without the training rows."""

    features: tuple[str, ...]
    """Features besides the strategy's score, as `germane learn` spells them."""
    depth: int
    weight: float
    """Score gain, in standard deviations, of a certainly relevant document over a certainly non-relevant one."""
    weight_after: float
    """The same weight after feedback for the query."""
    equations: NormalEquations
    told: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """Row of each judgment since training, by query and document, so that it can be changed."""

    @property
    def names(self) -> tuple[str, ...]:
        return (OWN_SCORE, *self.features)

    @property
    def num_new(self) -> int:
        return sum(map(len, self.told.values()))

    def weights(self) -> FloatArray:
        """Return the intercept, then the weight of each feature, as estimated now."""
        return self.equations.weights(RIDGE)

    def features_for(self, index: Index) -> tuple[Feature, ...]:
        """Return the model's features; an error if this index cannot provide them."""
        found = tuple(map(parse_feature, self.features))
        for one in found:
            if one.needs_positions and not index.has_positions:
                raise GermaneError(
                    f"the agent's re-ranking model uses {one.name}, which requires word positions; this index has none",
                    hint="index again with `germane index --positions`, or train an agent on this index",
                )
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the model as a JSON object."""
        return {
            "features": list(self.features),
            "scaling": SCALING,
            "ridge": RIDGE,
            "depth": self.depth,
            "weight": self.weight,
            "weight_after": self.weight_after,
            **self.equations.to_json(),
            "told": self.told,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> RerankingModel:
        """Return the model from a JSON object."""
        if (given["scaling"], given["ridge"]) != (SCALING, RIDGE):
            raise ValueError(f"a re-ranking model with scaling {given['scaling']!r} and ridge {given['ridge']!r}")
        features = tuple(parse_feature(str(name)).spelled for name in given["features"])
        told = {
            str(query): {str(doc): [float(value) for value in row] for doc, row in own.items()}
            for query, own in given["told"].items()
        }
        if any(len(row) != len(features) + 1 for own in told.values() for row in own.values()):
            raise ValueError("rows with a different number of features")
        equations = NormalEquations.from_json(given, len(features) + 1)
        weights = float(given["weight"]), float(given["weight_after"])
        return cls(features, int(given["depth"]), *weights, equations, told)


def candidate_rows(
    index: Index, features: Sequence[Feature], queries: Sequence[Query], best: Sequence[Ranking]
) -> list[FloatArray]:
    """Return rows for each query's best documents: the strategy's score, then the features, all scaled by query."""
    pairs = [(query, found) for query, found in zip(queries, best, strict=True) if len(found)]
    if not pairs:
        return [np.zeros((0, len(features) + 1)) for _ in best]
    batch = [Candidates(index, "", "", query, found.docs) for query, found in pairs]
    scores = np.concatenate([found.scores for _, found in pairs])
    matrix = np.column_stack([scores, feature_matrix(features, batch)])
    size = np.asarray([len(found) for found in best], np.int64)
    scaled = scale_by_query(matrix, np.repeat(np.arange(len(best)), size), SCALING)
    return np.split(scaled, np.cumsum(size)[:-1])


def opinion(weights: FloatArray, rows: FloatArray, candidates: IntArray, docs: IntArray) -> FloatArray:
    """Return the model's estimate for documents; non-candidates get that of the worst candidate.

    So no candidate is pushed below a document that was ranked lower and is not a candidate.

    >>> opinion(np.array([0.1, 0.2]), np.array([[1.0], [-1.0]]), np.array([4, 7]), np.array([7, 9, 4])).round(2)
    array([-0.1, -0.1,  0.3])
    """
    if not len(candidates):
        return np.zeros(len(docs))
    found = weights[0] + np.einsum("ij,j->i", rows, weights[1:])
    order = np.argsort(candidates)
    place = order[np.minimum(np.searchsorted(candidates, docs, sorter=order), len(candidates) - 1)]
    return np.asarray(np.where(candidates[place] == docs, found[place], found.min()))


class Reranker:
    """The model applied to an index; `judge` adds one judgment, to this object and to the model."""

    def __init__(self, index: Index, strategy: Strategy, depth: int, model: RerankingModel) -> None:
        """`depth` is that of the strategy's rankings, whose best documents are re-scored."""
        self.index = index
        self.strategy = strategy
        self.depth = depth
        self.model = model
        self._features = model.features_for(index)
        self._last: tuple[tuple[tuple[str, float], ...], IntArray, FloatArray] | None = None

    def of(self, query: Query, docs: IntArray, found: Ranking | None = None) -> FloatArray:
        """Return the model's estimates for documents by number; `found` is the strategy's ranking, if available."""
        candidates, rows = self._rows(query, found)
        return opinion(self._weights, rows, candidates, docs)

    def judge(self, text: str, query: Query, doc: str, *, relevant: bool) -> None:
        """Learn from a judged document, or correct what was learned; a non-candidate is ignored."""
        known = self.model.told.get(text, {}).get(doc)
        if known is not None:
            self.model.equations.correct(known, relevant=relevant)
        else:
            candidates, rows = self._rows(query)
            place = np.flatnonzero(candidates == self.index.doc_number(doc))
            if not len(place):
                return
            self.model.equations.add(rows[place], [relevant])
            self.model.told.setdefault(text, {})[doc] = rows[place[0]].tolist()
        self.__dict__.pop("_weights", None)

    @cached_property
    def _weights(self) -> FloatArray:
        return self.model.weights()

    def _rows(self, query: Query, found: Ranking | None = None) -> tuple[IntArray, FloatArray]:
        """Return the candidates of a query and their rows, which judgments do not change; cached for the last query."""
        key = tuple(query.weights.items())
        if self._last is None or self._last[0] != key:
            if found is None:
                found = self.strategy.rank(self.index, [query], self.depth, threads=1)[0]
            best = Ranking(found.docs[: self.model.depth], found.scores[: self.model.depth])
            [rows] = candidate_rows(self.index, self._features, [query], [best])
            self._last = (key, best.docs, rows)
        return self._last[1], self._last[2]
