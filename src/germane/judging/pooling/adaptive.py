"""Adaptive methods, which choose each document by the judgments so far: move-to-front, Hedge, bandits, base-and-top.

To a bandit each run is an arm, and a pull judges the best document that it has left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from germane.catalogue import Count, Probability, Share
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING
from germane.judging.pooling.queue import FixedOrder, Queue, RunQueue
from germane.tables.columns.ids import FloatArray

Ties = Literal["random", "first"]
Credit = Literal["all", "pulled"]
Top = Literal["maxmean", "mm-ns", "thompson", "mtf", "hedge"]


@POOLING.add("mtf", kind="adaptive", random=True)
def move_to_front(lists: TopicLists, draws: Draws, *, ties: Ties = "random") -> Queue:
    """Move-to-front: judge the documents of the run with the highest priority until one is non-relevant.

    Formula:    all runs start with the same priority; after a relevant document the same run is used again; a
        non-relevant one lowers the priority of its run by 1, and the next is from a run of highest priority
    Reference:  Cormack, Palmer & Clarke, "Efficient Construction of Large Test Collections", SIGIR 1998.
    Note:       local: applied to each topic separately. Documents already judged are skipped without effect, and an
        exhausted run is dropped. ties = random chooses at random among the runs of highest priority; ties = first uses
        the run given first.
    """
    return MoveToFront(lists, draws, random_ties=ties == "random")


class MoveToFront(RunQueue):
    """The queue of `move_to_front`."""

    def __init__(self, lists: TopicLists, draws: Draws, *, random_ties: bool) -> None:
        super().__init__(lists, draws, random_ties=random_ties)
        self.priority = [0] * len(lists.ranked)
        self.in_front: int | None = None

    def choose(self, runs: Sequence[int]) -> int:
        """Return the run in front, while it has documents left."""
        if self.in_front is not None and self.in_front in runs:
            return self.in_front
        return self.best(runs, [self.priority[run] for run in runs])

    def update(self, run: int, doc: int, relevant: bool) -> None:
        """Keep the run in front, or lower its priority."""
        if relevant:
            self.in_front = run
        else:
            self.priority[run] -= 1
            if self.in_front == run:
                self.in_front = None


@POOLING.add("hedge", kind="adaptive", random=False)
def hedge(lists: TopicLists, draws: Draws, *, beta: Probability = 0.1) -> Queue:
    """Hedge: a weighted vote of the runs; each judgment updates their weights.

    Formula:    the next document has the highest sum over runs of w * g; g = ln(Z / rank) / 2, Z is the length of the
        longest list. Each judgment multiplies w by beta^loss; loss = -g if the document is relevant, g if not
    Reference:  Aslam, Pavlu & Savell, "A Unified Model for Metasearch, Pooling, and System Evaluation", CIKM 2003.
    Note:       a document missing from a run gets the mean g of the ranks below the run's list, down to the number of
        documents in all runs together (in the paper, down to the size of the collection).

    >>> queue = hedge(TopicLists.of(["a b", "b c", "b d"]), Draws(0, "q1"))
    >>> queue.docs[queue.next()]
    'b'
    """
    return Hedge(lists, beta)


class Hedge(Queue):
    """The queue of `hedge`. Ties go to the first document id, Z before A."""

    def __init__(self, lists: TopicLists, beta: float) -> None:
        super().__init__(lists.docs)
        self.gain = _gains(lists)
        self.log_weight = [0.0] * len(self.gain)
        self._log_beta = math.log(beta)
        self._left = np.asarray([0.0 if runs else -np.inf for runs in lists.holders])
        self._vote: FloatArray | None = None

    @property
    def weight(self) -> FloatArray:
        """Weight of each run; weights sum to 1."""
        highest = max(self.log_weight, default=0.0)
        weights = [math.exp(value - highest) for value in self.log_weight]
        total = math.fsum(weights)
        return np.asarray([weight / total for weight in weights])

    def next(self) -> int | None:
        """Return the document with the highest vote."""
        if self._vote is None:
            # Summed run by run: a matrix product would add in another order on another machine.
            self._vote = (self.weight[:, None] * self.gain).sum(axis=0) + self._left
        best = int(self._vote.argmax()) if len(self._vote) else -1
        return None if best < 0 or self._vote[best] == -np.inf else best

    def learn(self, doc: int, relevant: bool) -> None:
        """Update the weight of each run by its rank of the document."""
        sign = -1.0 if relevant else 1.0
        for run, gain in enumerate(self.gain[:, doc].tolist()):
            self.log_weight[run] += self._log_beta * sign * gain
        self._left[doc] = -np.inf
        self._vote = None


def _gains(lists: TopicLists) -> FloatArray:
    """ln(Z / rank) / 2 by run and document. Empty runs have no vote."""
    ranked = [ranking for ranking in lists.ranked if ranking]
    longest, n = lists.longest, sum(map(bool, lists.holders))
    by_rank = [math.log(longest / rank) / 2 for rank in range(1, n + 1)]
    gains = np.empty((len(ranked), len(lists.docs)))
    for row, ranking in zip(gains, ranked, strict=True):
        below = by_rank[len(ranking) :]
        row[:] = math.fsum(below) / len(below) if below else 0.0
        row[list(ranking)] = by_rank[: len(ranking)]
    return gains


@POOLING.add("maxmean", kind="adaptive", random=True)
def max_mean(lists: TopicLists, draws: Draws, *, credit: Credit = "all", ties: Ties = "random") -> Queue:
    """MaxMean: use the run with the highest share of relevant documents so far.

    Formula:    the run with the highest (1 + relevant) / (2 + judged), the posterior mean with a Beta(1, 1) prior
    Reference:  Losada, Parapar & Barreiro, "Multi-armed bandits for adjudicating documents in pooling-based evaluation
        of information retrieval systems", Information Processing & Management 53(5), 2017.
    Note:       credit = all counts a judgment for every run that ranks the document, credit = pulled only for the run
        that it was chosen from; implementations differ. ties = random chooses at random among the best runs; ties =
        first uses the run given first.
    """
    return Bandit(lists, draws, credit=credit, random_ties=ties == "random")


@POOLING.add("mm-ns", kind="adaptive", random=True)
def max_mean_non_stationary(
    lists: TopicLists, draws: Draws, *, decay: Share = 0, credit: Credit = "all", ties: Ties = "random"
) -> Queue:
    """MM-NS: non-stationary MaxMean, which discounts older judgments, since precision falls with depth.

    Formula:    as MaxMean, with relevant = decay * relevant + (1 if relevant), judged = decay * judged + 1
    Reference:  Losada, Parapar & Barreiro, "Multi-armed bandits for adjudicating documents in pooling-based evaluation
        of information retrieval systems", Information Processing & Management 53(5), 2017.
    Note:       with decay = 0, as published, only the latest judgment counts. credit and ties as for maxmean.
    """
    return Bandit(lists, draws, decay=decay, credit=credit, random_ties=ties == "random")


@POOLING.add("thompson", kind="adaptive", random=True)
def thompson(lists: TopicLists, draws: Draws, *, credit: Credit = "all") -> Queue:
    """Thompson sampling: use each run with the probability that it is the best.

    Formula:    draw a value from Beta(1 + relevant, 1 + judged - relevant) for each run; use the run with the highest
    Reference:  Losada, Parapar & Barreiro, "Multi-armed bandits for adjudicating documents in pooling-based evaluation
        of information retrieval systems", Information Processing & Management 53(5), 2017.
    Note:       credit as for maxmean.
    """
    return Thompson(lists, draws, credit=credit, random_ties=False)


class Bandit(RunQueue):
    """The queue of `max_mean`; with a decay below 1 it forgets."""

    def __init__(
        self, lists: TopicLists, draws: Draws, *, credit: Credit, random_ties: bool, decay: float = 1.0
    ) -> None:
        super().__init__(lists, draws, random_ties=random_ties)
        self.credit = credit
        self.decay = decay
        self.relevant = [0.0] * len(lists.ranked)
        self.pulls = [0.0] * len(lists.ranked)

    def choose(self, runs: Sequence[int]) -> int:
        """Return the run with the highest mean."""
        return self.best(runs, [(1 + self.relevant[run]) / (2 + self.pulls[run]) for run in runs])

    def update(self, run: int, doc: int, relevant: bool) -> None:
        """Credit the run, or all runs that rank the document, with the judgment."""
        for arm in self.lists.holders[doc] if self.credit == "all" else (run,):
            self.relevant[arm] = self.decay * self.relevant[arm] + relevant
            self.pulls[arm] = self.decay * self.pulls[arm] + 1


class Thompson(Bandit):
    """The queue of `thompson`."""

    def choose(self, runs: Sequence[int]) -> int:
        """Return the run with the highest draw."""
        from scipy.special import betaincinv

        chances = self.draws.uniform(len(self.judged), len(self.relevant))
        hits = [1 + self.relevant[run] for run in runs]
        misses = [1 + self.pulls[run] - self.relevant[run] for run in runs]
        return runs[int(betaincinv(hits, misses, [chances[run] for run in runs]).argmax())]


@POOLING.add("base+top", kind="adaptive", random=True)
def base_and_top(
    lists: TopicLists, draws: Draws, *, base: Count = 10, top: Top = "maxmean", credit: Credit = "all"
) -> Queue:
    """A shallow depth-k pool of every run, followed by an adaptive method.

    Formula:    the union of the top `base` of every run, as in depth; then the choices of `top`, which uses all
        judgments of the base
    Reference:  Voorhees, "On Building Fair and Reusable Test Collections using Bandit Techniques", CIKM 2018, who found
        a bandit alone unfair to some of the runs.
    Note:       top is maxmean, mm-ns, thompson, mtf or hedge; credit applies to the bandits. For mtf, and for bandits
        with credit = pulled, a document of the base counts for the run that ranks it highest.
    """
    method = POOLING[top]
    above = (method.choose(credit=credit) if "credit" in method.parameters else method).start(lists, draws)
    return BaseAndTop(FixedOrder(lists.docs, lists.by_best_rank(base)), above)


class BaseAndTop(Queue):
    """The queue of `base_and_top`."""

    def __init__(self, base: FixedOrder, top: Queue) -> None:
        super().__init__(base.docs)
        self.base = base
        self.top = top

    def next(self) -> int | None:
        """The base first."""
        doc = self.base.next()
        return self.top.next() if doc is None else doc

    def learn(self, doc: int, relevant: bool) -> None:
        """Tell both queues."""
        self.base.tell(doc, relevant)
        self.top.tell(doc, relevant)
