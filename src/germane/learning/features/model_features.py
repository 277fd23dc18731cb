"""The score of a ranking model as a feature: any model, as a person writes it; cosine is one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from germane.catalogue import sections_of
from germane.learning.features.candidates import Candidates
from germane.learning.features.feature import Better, Feature
from germane.retrieval.models import VSM, Model
from germane.retrieval.search import Weigher, scores_of_candidates
from germane.tables.columns.ids import FloatArray

LTC = VSM("ltc.ltc")
EMPTY_SUM = "A document that holds none of the query's words has the empty sum: 0, and for query likelihood its offset."


@dataclass(frozen=True)
class ModelScore(Feature):
    """What a model gives to each candidate.

    >>> from germane.retrieval.indexes.index import Index
    >>> from germane.retrieval.models import BIR
    >>> index = Index.of({"d1": "red wine", "d2": "white wine", "d3": "red roses"}, analyser="plain")
    >>> ModelScore(BIR()).values([Candidates.of(index, "q1", "roses", np.array([0, 2]))]).round(3)
    array([0.   , 0.511])
    """

    model: Model
    name: str = ""
    better: Better = "higher"
    needs_positions: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", str(self.model))

    def values(self, batch: Sequence[Candidates]) -> FloatArray:
        if not batch:
            return np.zeros(0)
        index, model = batch[0].index, self.model
        found = scores_of_candidates(index, [one.query for one in batch], model, [one.docs for one in batch])
        weigher = Weigher(model, index, {word for one in batch for word in one.query.weights})
        offset = model.offset(index)
        for one, scores in zip(batch, found, strict=True):
            none = np.isnan(scores)
            if none.any():
                times = sum([term.query_weight for term in weigher.weigh(one.query)])
                scores[none] = 0.0 if offset is None else times * offset[one.docs[none]]
        return np.concatenate(found)

    @property
    def summary(self) -> str:
        return (type(self.model).__doc__ or "").strip().partition("\n")[0]

    @property
    def sections(self) -> Mapping[str, str]:
        of_model = sections_of(type(self.model))
        edges = f"{of_model.get('Edge cases', '')} {EMPTY_SUM}".strip()
        return {**of_model, "Edge cases": edges}


@dataclass(frozen=True)
class Cosine(ModelScore):
    """α: the cosine of the angle between document and query, as vectors of weighted words.

    Formula:    Σ w(t, d)·w(t, q) / (|d|·|q|), w = (1 + ln tf) · ln(N/n): SMART's ltc.ltc
    Reference:  lecture 004, learning to rank; Manning, Raghavan & Schütze, Introduction to IR (2008), 15.4.
    Edge cases: No words in common: 0. The query's length is that of its known words.
    """

    model: Model = LTC
    name: str = "cosine"

    @property
    def summary(self) -> str:
        return (type(self).__doc__ or "").strip().partition("\n")[0]

    @property
    def sections(self) -> Mapping[str, str]:
        return sections_of(self)
