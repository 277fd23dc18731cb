"""Simulated users: they search, judge the results as the qrels do, and search again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from germane.errors import GermaneError
from germane.learning.agent.answers import Ranked
from germane.learning.agent.questions import Question
from germane.learning.agent.training.choices import p_value
from germane.learning.agent.training.feedback_trials import residual_judgments, without
from germane.learning.agent.utility import Marked, Utility, measure_values, relevant_numbers
from germane.retrieval.engines.queries import with_topics
from germane.retrieval.indexes.index import Index
from germane.retrieval.search import Ranking
from germane.stats.intervals.means import mean_interval
from germane.stats.significance.corrections import bonferroni
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.columns import F, Table, table
from germane.tables.results.comparison import adjusted_for
from germane.tables.results.result import Result

DRAWS = 2.0**64


class Learner(Protocol):
    """A learner that can be simulated: it ranks, learns and may ask. It never sees the qrels."""

    def ranked(self, query: str) -> Ranked: ...
    def learn(self, query: str, judgments: Mapping[str, bool]) -> object: ...
    def ask(self, query: str) -> Question: ...


@dataclass(frozen=True)
class Behaviour:
    """Behaviour of a user in a round: judge the first `judged` documents not seen before, each wrongly with probability
    `error_rate`; with `ask`, the last of these is the document that the agent asks about.

    >>> str(Behaviour(judged=5, error_rate=0.1, ask=True))
    'judges the top 4 and the one asked about (error rate 10%)'
    """

    judged: int = 10
    error_rate: float = 0.0
    ask: bool = False

    def __post_init__(self) -> None:
        if self.judged < 1:
            raise GermaneError(f"expected at least 1 judged document per round, found {self.judged}")
        if not 0 <= self.error_rate <= 1:
            raise GermaneError(f"expected an error rate between 0 and 1, found {self.error_rate:g}")

    def __str__(self) -> str:
        what = f"the top {self.judged - 1} and the one asked about" if self.ask else f"the top {self.judged}"
        return f"judges {what}" + (f" (error rate {self.error_rate:.0%})" if self.error_rate else "")


@dataclass
class Person:
    """A user with one query, who knows the relevant documents but judges only those shown."""

    relevant: IntArray
    behaviour: Behaviour
    draws: np.random.PCG64
    seen: list[int] = field(default_factory=list)
    errors: int = 0

    def looks_at(self, found: Ranked, question: int | None) -> list[int]:
        """Return the documents judged in this round."""
        seen = set(self.seen)
        new = [doc for doc in found.docs.tolist() if doc not in seen and doc != question]
        if question is None:
            return new[: self.behaviour.judged]
        return [*new[: self.behaviour.judged - 1], question]

    def judges(self, docs: Sequence[int]) -> dict[int, bool]:
        """Return the user's judgments of these documents."""
        judgments = {}
        for doc in docs:
            truth = bool(np.isin(doc, self.relevant))
            wrong = self.behaviour.error_rate > 0 and int(self.draws.random_raw()) / DRAWS < self.behaviour.error_rate
            self.errors += wrong
            judgments[doc] = truth != wrong
        self.seen += docs
        return judgments


ALPHA = 0.05
"""Significance level of the tests; intervals have level 1 - alpha."""


@dataclass(frozen=True)
class SimulatedRound:
    """Utility after a round on the residual collection, of the learning agent and of the frozen one."""

    number: int
    num_queries: int
    frozen: float
    agent: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    better: int
    worse: int
    num_judged: int
    num_relevant: int
    num_errors: int


ROUNDS = (
    F("number", "count", "round"),
    F("num_judged", "count", "judged"),
    F("num_relevant", "count", "relevant"),
    F("num_errors", "count", "wrong"),
    F("num_queries", "count", "queries"),
    F("frozen", "value"),
    F("agent", "value", "learning"),
    F("difference", "difference"),
    F("low", "difference"),
    F("high", "difference"),
    F("p", "p", people=False),
    F("p_adjusted", "p", "adjusted p"),
    F("better", "count"),
    F("worse", "count"),
    F("family", "text", people=False, nested=False),
)


@dataclass(frozen=True, eq=False)
class Simulation(Result):
    """All rounds, on the same queries. Round 0 comes before any judgment for a query: a gain there was learned from
    earlier users."""

    rounds: tuple[SimulatedRound, ...]
    behaviour: Behaviour
    utility: str
    seed: int
    queries: tuple[str, ...]
    no_relevant_left: tuple[str, ...]
    agent_values: FloatArray
    """Utility by round × query; queries without relevant documents left are excluded."""
    frozen_values: FloatArray
    notes: tuple[str, ...] = ()

    schema: ClassVar[str] = "agent-simulate/1"
    fact_names: ClassVar[str] = "utility seed no_relevant_left"

    @property
    def family(self) -> str:
        """The family of tests for which p-values are adjusted."""
        return adjusted_for("bonferroni", len(self.rounds) - 1, "rounds 1 and later")

    def tables(self) -> Iterator[Table]:
        """Return the utility by round, of the learning agent and of the frozen one."""
        yield table("rounds", ROUNDS, self.rounds, same={"family": self.family}, title=f"Utility: {self.utility}")

    def document(self) -> dict[str, Any]:
        """Return the rounds, and the utility of every query."""
        columns = zip(self.queries, self.agent_values.T, self.frozen_values.T, strict=True)
        return {
            **self.facts(),
            "behaviour": {**vars(self.behaviour), "description": str(self.behaviour)},
            "rounds": self.table().records(),
            "queries": {query: {"learning": learning, "frozen": frozen} for query, learning, frozen in columns},
        }

    def explained(self) -> Simulation:
        """Return the simulation with notes for readers of the numbers."""
        notes = [
            f"each user {self.behaviour} in each round (seed {self.seed})",
            "residual collection: documents seen by a user are removed from both rankings and from the qrels",
            "the learning agent also learns from earlier users; round 0 shows the gain from that",
            f"p: paired t-test over queries, {self.family}",
            "intervals of rounds 1 and later are simultaneous at 95%; round 0 is not adjusted",
        ]
        if left := len(self.no_relevant_left):
            what = "query has" if left == 1 else "queries have"
            notes.append(f"{left} {what} no relevant document left after the last round; excluded from all rounds")
        return replace(self, notes=(*notes, *self.notes))


def simulate_users(
    agent: Learner,
    frozen: Learner,
    index: Index,
    queries: Mapping[str, str],
    qrels: Qrels,
    utility: Utility,
    *,
    rounds: int = 3,
    behaviour: Behaviour | None = None,
    rel: float = 1,
    seed: int = 0,
) -> Simulation:
    """Simulate one user per judged query, who searches and judges for some rounds, one user after another.

    `agent` learns from all of them in turn; `frozen` does not learn. Both are compared on the residual collection:
    documents that the user has seen are removed from both rankings and from the judgments. Queries without relevant
    documents left after the last round are excluded from all rounds.
    """
    way = behaviour or Behaviour()
    if rounds < 1:
        raise GermaneError(f"expected 1 round or more, found {rounds}")
    truth = with_topics(qrels, queries)
    relevant = relevant_numbers(index, truth, rel)
    draws = np.random.PCG64(seed)
    before: list[Ranked] = []
    after: list[list[Ranked]] = [[] for _ in range(rounds + 1)]
    seen: list[list[IntArray]] = [[] for _ in range(rounds + 1)]
    errors = [0] * (rounds + 1)
    for place, query in enumerate(truth.queries):
        person = Person(relevant[place], way, draws)
        text = queries[query]
        before.append(frozen.ranked(text))
        for number in range(rounds + 1):
            if number:
                _one_round(agent, index, text, person)
            after[number].append(agent.ranked(text))
            seen[number].append(np.asarray(person.seen, np.int64))
            errors[number] += person.errors
    left = [residual_judgments(index, truth, docs, rel) for docs in seen]
    kept = np.flatnonzero(left[-1].num_relevant(rel) > 0)
    if not len(kept):
        raise GermaneError("no query has a relevant document left", hint="use fewer rounds, or fewer judged documents")

    def values(rankings: list[Ranked], number: int) -> FloatArray:
        judged = [(rankings[place], seen[number][place], relevant[place]) for place in kept]
        return _values(index, judged, left[number].take(kept), utility)

    learning = np.asarray([values(own, number) for number, own in enumerate(after)])
    standing = np.asarray([values(before, number) for number in range(rounds + 1)])
    names = list(truth.queries)
    return Simulation(
        rounds=tuple(_compared(learning, standing, seen, relevant, errors)),
        behaviour=way,
        utility=str(utility),
        seed=seed,
        queries=tuple(names[place] for place in kept),
        no_relevant_left=tuple(name for place, name in enumerate(names) if place not in set(kept.tolist())),
        agent_values=learning,
        frozen_values=standing,
    ).explained()


def _one_round(agent: Learner, index: Index, text: str, person: Person) -> None:
    found = agent.ranked(text)
    question = None
    if person.behaviour.ask and len(set(found.docs.tolist()) - set(person.seen)):
        question = index.doc_number(agent.ask(text).doc)
    docs = person.looks_at(found, question)
    if docs:
        agent.learn(text, {index.doc_id(doc): judgment for doc, judgment in person.judges(docs).items()})


def _compared(
    agent: FloatArray, frozen: FloatArray, seen: list[list[IntArray]], relevant: list[IntArray], errors: list[int]
) -> Iterator[SimulatedRound]:
    """Yield every round, from the values of both agents (rounds × queries)."""
    gains = agent - frozen
    p = np.asarray([p_value(gain) for gain in gains])
    adjusted = [p[0], *bonferroni(p[1:])]
    num_tests = max(1, int(np.count_nonzero(~np.isnan(p[1:]))))
    for number, (gain, docs) in enumerate(zip(gains, seen, strict=True)):
        # Round 0 is a separate question; the others are one family with simultaneous intervals.
        level = 1 - ALPHA / (num_tests if number else 1)
        ends = mean_interval(gain, level=level) if len(gain) > 1 else None
        yield SimulatedRound(
            number=number,
            num_queries=len(gain),
            frozen=float(frozen[number].mean()),
            agent=float(agent[number].mean()),
            difference=float(gain.mean()),
            low=math.nan if ends is None else float(ends.low),
            high=math.nan if ends is None else float(ends.high),
            p=float(p[number]),
            p_adjusted=float(adjusted[number]),
            better=int((gain > 0).sum()),
            worse=int((gain < 0).sum()),
            num_judged=sum(map(len, docs)),
            num_relevant=sum(int(np.isin(d, known).sum()) for d, known in zip(docs, relevant, strict=True)),
            num_errors=errors[number],
        )


def _values(
    index: Index, judged: list[tuple[Ranked, IntArray, IntArray]], judgments: Qrels, utility: Utility
) -> FloatArray:
    """Return the utility of rankings without seen documents; costs count what is returned of the rest, by P(R|d).

    Each query has its ranking, the documents seen, and the relevant documents.
    """
    if utility.measure is not None:
        unseen = [without(Ranking(each.docs, each.scores), docs) for each, docs, _ in judged]
        return measure_values(index, unseen, judgments, utility.measure)
    values = []
    for each, docs, known in judged:
        left = ~np.isin(each.docs, docs)
        rest = np.setdiff1d(known, docs)
        marked = Marked.of([Ranking(each.docs[left], each.scores[left])], [rest], standard=False)
        values.append(-marked.costs(0, each.probabilities[left], utility.costs))
    return np.asarray(values)
