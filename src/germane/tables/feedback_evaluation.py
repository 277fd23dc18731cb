"""What an evaluation of feedback found: each method after each round, before and after, with the queries it hurt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from germane.errors import GermaneError
from germane.tables.comparison import Pair
from germane.tables.counted import counted
from germane.tables.scores import Note, Scores

Lost = Literal["remove", "keep"]
"""What becomes of queries that have no relevant document left: they are out of every trial, or count as 0."""


@dataclass(frozen=True)
class Change:
    """A query that lost or gained by feedback, on the first measure."""

    query: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class FeedbackTrial:
    """One method after one round.

    `scores` hold two runs, before and after, in the view that was asked for; `full` the same two on the whole list,
    where whatever was judged relevant has come to the top: that is memory, not retrieval. `pairs` are the comparisons
    by measure, p-values adjusted for all trials and measures together (none where fewer than two queries are left).
    """

    method: str
    round: int
    scores: Scores
    full: Scores
    pairs: tuple[Pair, ...]
    seen: int
    relevant_seen: int
    lost: tuple[str, ...]
    hurt: tuple[Change, ...]
    helped: tuple[Change, ...]

    @property
    def before(self) -> str:
        """The name of the run before feedback."""
        return self.scores.runs[0].name

    @property
    def after(self) -> str:
        """The name of the run after it."""
        return self.scores.runs[1].name


ALPHA = 0.05
"""The significance level of the tests before and after; their intervals have the level 1 - alpha."""


@dataclass(frozen=True, eq=False)
class FeedbackEvaluation:
    """Every method after every round, all on the same queries, and how they were compared."""

    trials: tuple[FeedbackTrial, ...]
    by: str
    model: str
    measures: tuple[str, ...]
    judged: int
    rel: float
    lost: Lost
    seed: int | None
    num_topics: int
    removed: tuple[str, ...]
    """Queries that count in no trial: they have no relevant documents in the view of some trial."""
    analyser: str | None = None
    """How an index made terms of text; None where the runs came from elsewhere."""
    notes: tuple[Note, ...] = ()

    @property
    def num_tests(self) -> int:
        """The number of tests in the family; 0 where nothing is tested."""
        return sum(len(trial.pairs) for trial in self.trials)

    @property
    def family(self) -> str:
        """The tests that p-values are adjusted for, and that the intervals hold for together."""
        return f"{counted(len(self.trials), 'trial')} × {counted(len(self.measures), 'measure')}"

    def __getitem__(self, key: tuple[str, int]) -> FeedbackTrial:
        """One trial: ``evaluation["rocchio", 1]``."""
        for trial in self.trials:
            if (trial.method, trial.round) == key:
                return trial
        there = ", ".join(f"({trial.method!r}, {trial.round})" for trial in self.trials)
        raise GermaneError(f"no trial {key}", hint=f"there are: {there}")
