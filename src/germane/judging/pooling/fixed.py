"""Methods that need no judgments: the union of the top k of all runs, or one ranking fused from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING, Method
from germane.judging.pooling.queue import FixedOrder, Queue
from germane.retrieval.fusion import FUSION, NORMALISATIONS, Lists
from germane.retrieval.fusion.fuse_runs import DEFAULT_NORMALISATION
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.rankings.judged_run import sum_by


@POOLING.add("depth", kind="fixed", random=False)
def depth_pool(lists: TopicLists, draws: Draws) -> Queue:
    """Pool the union of the top k of every run, as TREC does.

    Formula:    documents ordered by their best rank in any run; ties broken by document id, descending
    Reference:  Sparck Jones & Van Rijsbergen, "Report on the need for and provision of an 'ideal' information retrieval
        test collection", University of Cambridge 1975.
    Note:       with a budget, the pool is as deep as the budget allows; its last rank may be incomplete.

    >>> queue = depth_pool(TopicLists.of(["a b", "b c"]), Draws(0, "q1"))
    >>> [queue.docs[doc] for doc in queue.order]
    ['b', 'a', 'c']
    """
    return FixedOrder(lists.docs, lists.by_best_rank(lists.longest))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fused(Method):
    """Return the documents of the pool in the order of a fusion method.

    >>> queue = POOLING.parse("rrf").start(TopicLists.of(["a b", "b c"]), Draws(0, "q1"))
    >>> [queue.docs[doc] for doc in queue.order]
    ['b', 'a', 'c']
    """

    uses: str

    def start(self, lists: TopicLists, draws: Draws) -> Queue:
        held = np.flatnonzero(list(map(bool, lists.holders)))
        fusible = InRunOrder.of(lists, held)
        if self.uses == "scores" and len(held):
            fusible = replace(fusible, score=NORMALISATIONS[DEFAULT_NORMALISATION].target(fusible))
        scores = self.target(fusible, **dict(self.rest))
        return FixedOrder(lists.docs, held[np.argsort(-scores, kind="stable")].tolist())

    @property
    def home(self) -> tuple[str, str]:
        return __name__, self.name

    @property
    def declared(self) -> Mapping[str, str]:
        scores = f"by {DEFAULT_NORMALISATION}, within the depth of the pool" if self.uses == "scores" else ""
        return {**super().declared, "Scores": scores}


class InRunOrder(Lists):
    """Return the lists of one topic for fusion. Sums go run by run, so that published orders stay the same."""

    @classmethod
    def of(cls, lists: TopicLists, held: IntArray) -> InRunOrder:
        place = np.zeros(len(lists.docs), dtype=np.int64)
        place[held] = np.arange(len(held))
        runs = [run for run, ranking in enumerate(lists.ranked) if ranking]
        sizes = [len(lists.ranked[run]) for run in runs]
        rows = [doc for run in runs for doc in lists.ranked[run]]
        return cls(
            queries=Ids.of([lists.topic]),
            runs=tuple(str(run) for run in runs),
            weights=np.ones(len(runs)),
            docs=Ids.of([lists.docs[doc] for doc in held.tolist()]),
            query=np.zeros(len(held), dtype=np.int64),
            start=np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))),
            list_run=np.arange(len(runs)),
            list_query=np.zeros(len(runs), dtype=np.int64),
            candidate=place[rows],
            score=np.asarray([score for run in runs for score in lists.scores[run]]),
        )

    def total(self, values: FloatArray) -> FloatArray:
        return sum_by(self.candidate, values, len(self.docs))


for name in ("rrf", "rbp", "combmnz", "borda"):
    fusion = FUSION[name]
    POOLING.put(Fused(name, fusion.target, kind="fixed", random=False, uses=fusion.uses))
