"""The agent: trained on a corpus with judgments, then used on other indexes, where it learns from feedback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from germane.api.learning.tuning import patterns_of
from germane.api.rankings.evaluation import load_qrels
from germane.api.retrieval.feedback import feedback_methods
from germane.api.retrieval.search import opened_index
from germane.arguments import checked
from germane.formats.truth.topics_file import Topic
from germane.learning.agent.agent import Agent as LearningAgent
from germane.learning.agent.simulation import Behaviour, Simulation, simulate_users
from germane.learning.agent.state import read_state
from germane.learning.agent.training.material import DEFAULT_TOLERANCE, Training
from germane.learning.agent.training.train import train_agent
from germane.learning.agent.utility import Utility
from germane.learning.strategies.space import DEFAULT_SPACE, expand
from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.cells import Progress
from germane.retrieval.engines.queries import Numbers, queries_of
from germane.retrieval.feedback import Feedback
from germane.retrieval.indexes.index import Index
from germane.retrieval.probability.ranking_principle import Costs
from germane.tables.notes.counts import counted
from germane.tables.rankings.measure import Measure

if TYPE_CHECKING:
    from germane.types import QrelsLike

DEFAULT_FEEDBACK = ("rocchio", "probabilistic(expand=20)")
JOURNAL = ".journal"
"""Extension added to the name of an agent's file during training."""


class Agent(LearningAgent):
    """A retrieval agent: `train` creates it, `save` and `open` store it, `search`, `learn` and `ask` use it.

    >>> texts = {"d1": "red wine", "d2": "white wine", "d3": "wine bar", "d4": "red roses", "d5": "roses, thorns"}
    >>> topics = {"1": "red wine", "2": "white wine", "3": "roses", "4": "thorns", "5": "bar", "6": "red"}
    >>> qrels = {"1": {"d1": 1}, "2": {"d2": 1}, "3": {"d4": 1}, "4": {"d5": 1}, "5": {"d3": 1}, "6": {"d4": 1}}
    >>> agent = Agent.train(Index.of(texts, "plain"), topics, qrels, space=["BM25", "QL"], folds=3)
    >>> str(agent.strategy), [line.doc for line in agent.search("wine", k=2).results]
    ('BM25', ['d1', 'd2'])
    >>> agent.learn("wine", {"d3": True}).num_new
    1
    >>> agent.search("wine", k=1).results[0].doc
    'd3'
    """

    @classmethod
    @checked
    def train(
        cls,
        index: Index | str | Path,
        topics: str | Path | Mapping[str, str | Topic],
        qrels: QrelsLike,
        *,
        space: str | Path | Strategy | Iterable[str | Strategy] | None = None,
        utility: str | Measure | Costs = "AP",
        costs: Costs | None = None,
        feedback: str | Feedback | Iterable[str | Feedback] = DEFAULT_FEEDBACK,
        folds: int = 5,
        seed: int = 0,
        depth: int = 1000,
        judged: int = 10,
        rel: float = 1,
        tolerance: float = DEFAULT_TOLERANCE,
        alpha: float = 0.05,
        field: str = "title",
        topic_numbers: Numbers = "given",
        qrels_format: str | None = None,
        resume: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Agent:
        """Train an agent on judged topics, with every choice made on held-out folds.

        `space` is one or several patterns of strategies, or a file of them. `utility` is a measure, or the costs of the
        Probability Ranking Principle: a strategy is chosen by the mean over queries, and a simpler one is preferred if
        it is shown to be as good within `tolerance` (for costs: in hundredths of the effect of one document). `costs`
        decide how many documents are returned; by default a relevant one is worth reading four others. Evidence from
        past queries (Binary Independence Indexing), and then the scores of a re-ranking model (least squares on
        features of the best documents), are added if that is significantly better on held-out folds. Among the
        `feedback` methods, the best one on the residual collection after judging the top `judged` documents is chosen.

        `resume` is a file that stores intermediate results, so that an interrupted training can continue.
        """
        opened, queries = opened_index(index), queries_of(topics, field, topic_numbers)
        truth = load_qrels(qrels, format=qrels_format)
        strategies = expand(DEFAULT_SPACE if space is None else patterns_of(space))
        aims = (strategies, Utility.of(utility, costs), feedback_methods(feedback))
        training = Training(folds, seed, depth, judged, rel, tolerance, alpha)
        state = train_agent(opened, queries, truth, *aims, training, journal=resume, progress=progress)
        return cls(state, opened)

    @classmethod
    @checked
    def open(cls, path: str | Path, index: Index | str | Path) -> Agent:
        """Open an agent from its file, for use on an index; `notes` say if it was trained on another one."""
        return cls(read_state(path), opened_index(index))

    def simulate(
        self,
        topics: str | Path | Mapping[str, str | Topic],
        qrels: QrelsLike,
        *,
        rounds: int = 3,
        judged: int = 10,
        error_rate: float = 0.0,
        ask: bool = False,
        measure: str | Measure | None = None,
        rel: float | None = None,
        seed: int = 0,
        field: str = "title",
        topic_numbers: Numbers = "given",
        qrels_format: str | None = None,
    ) -> Simulation:
        """Simulate users from judged topics, one after the other, and compare with an agent that does not learn.

        In each round a user judges the first `judged` documents not seen before, each wrongly with probability
        `error_rate`; with `ask` the last of these is the one that the agent asks about. Both agents are compared on the
        residual collection. The simulation uses a copy; this agent does not change.
        """
        queries = queries_of(topics, field, topic_numbers)
        utility = self.state.utility if measure is None else Utility.of(measure, self.costs)
        agents, behaviour = (self.copy(), self.copy()), Behaviour(judged, error_rate, ask)
        truth, least = load_qrels(qrels, format=qrels_format), self.state.origin.rel if rel is None else rel
        found = simulate_users(
            *agents, self.index, queries, truth, utility, rounds=rounds, behaviour=behaviour, rel=least, seed=seed
        )
        return replace(found, notes=(*found.notes, *self._notes_on(queries, found)))

    def _notes_on(self, queries: Mapping[str, str], found: Simulation) -> tuple[str, ...]:
        """Return notes on topics without judgments, and on those that the agent was trained on."""
        notes = []
        if unjudged := len(queries) - len(found.queries) - len(found.no_relevant_left):
            notes.append(f"{unjudged:,} of {counted(len(queries), 'query')} without judgments; skipped")
        if known := self.trained_on([queries[query] for query in found.queries]):
            share = f"{len(known):,} of {len(found.queries):,} scored topics were used in training"
            notes.append(f"{share}, so their results are optimistic; use other topics")
        return tuple(notes)
