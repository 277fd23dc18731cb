"""Bandits: each run is an arm, and a pull judges the best document that it has left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from germane.catalogue import Share
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING
from germane.judging.pooling.move_to_front import Ties
from germane.judging.pooling.queue import Queue, RunQueue

Credit = Literal["all", "pulled"]


@POOLING.add("maxmean", kind="adaptive", random=True)
def max_mean(lists: TopicLists, draws: Draws, *, credit: Credit = "all", ties: Ties = "random") -> Queue:
    """MaxMean: pull the run whose documents were relevant most often so far.

    Formula:    the run with the highest (1 + relevant) / (2 + judged), the mean of a Beta(1, 1) prior so updated
    Reference:  Losada, Parapar & Barreiro, "Multi-armed bandits for adjudicating documents in pooling-based evaluation
        of information retrieval systems", Information Processing & Management 53(5), 2017.
    Note:       credit = all counts a judgment for every run that ranks the document, pulled only for the run that was
        pulled: implementations differ in this. ties = random takes any of the best runs, first the one given first.
    """
    return Bandit(lists, draws, credit=credit, random_ties=ties == "random")


@POOLING.add("mm-ns", kind="adaptive", random=True)
def max_mean_non_stationary(
    lists: TopicLists, draws: Draws, *, decay: Share = 0, credit: Credit = "all", ties: Ties = "random"
) -> Queue:
    """MM-NS: MaxMean that forgets, since the deeper a run is judged the worse it gets.

    Formula:    as MaxMean, with relevant = decay * relevant + (1 if relevant), judged = decay * judged + 1
    Reference:  Losada, Parapar & Barreiro, "Multi-armed bandits for adjudicating documents in pooling-based evaluation
        of information retrieval systems", Information Processing & Management 53(5), 2017.
    Note:       with decay = 0, the published choice, only the last outcome counts. credit and ties as for maxmean.
    """
    return Bandit(lists, draws, decay=decay, credit=credit, random_ties=ties == "random")


@POOLING.add("thompson", kind="adaptive", random=True)
def thompson(lists: TopicLists, draws: Draws, *, credit: Credit = "all") -> Queue:
    """Thompson sampling: pull each run as often as it is likely to be the best.

    Formula:    the run with the highest of one draw each from Beta(1 + relevant, 1 + judged - relevant)
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
        """The run of the highest mean."""
        return self.best(runs, [(1 + self.relevant[run]) / (2 + self.pulls[run]) for run in runs])

    def update(self, run: int, doc: int, relevant: bool) -> None:
        """Give the run, or all runs that rank the document, what it was worth."""
        for arm in self.lists.holders[doc] if self.credit == "all" else (run,):
            self.relevant[arm] = self.decay * self.relevant[arm] + relevant
            self.pulls[arm] = self.decay * self.pulls[arm] + 1


class Thompson(Bandit):
    """The queue of `thompson`."""

    def choose(self, runs: Sequence[int]) -> int:
        """The run of the highest draw."""
        from scipy.special import betaincinv

        chances = self.draws.uniform(len(self.judged), len(self.relevant))
        hits = [1 + self.relevant[run] for run in runs]
        misses = [1 + self.pulls[run] - self.relevant[run] for run in runs]
        return runs[int(betaincinv(hits, misses, [chances[run] for run in runs]).argmax())]
