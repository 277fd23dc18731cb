"""What came of learning to rank: the model, and how it did on queries that it had not seen."""

from __future__ import annotations

from dataclasses import dataclass

from germane.learning.model_file import RankingModel
from germane.tables.comparison import Pair
from germane.tables.scores import Note, Scores


@dataclass(frozen=True)
class FoldRecord:
    """One fold: what was chosen on the other queries, and which queries were held out.

    `feature` is the best single feature there, with a minus where low values were the better ones.
    """

    number: int
    num_learned_from: int
    held_out: tuple[str, ...]
    C: float | None
    feature: str


@dataclass(frozen=True, eq=False)
class LearnedRanking:
    """The model learned from all queries, and the held-out scores of models learned in the same way from fewer.

    `scores` have a run for the first stage (where there is one), for the best single feature, and for the learner, each
    query scored by what was chosen and learned without it. `pairs` compare the learner with each of the others.
    """

    model: RankingModel
    scores: Scores
    pairs: tuple[Pair, ...]
    folds: tuple[FoldRecord, ...]
    learned: str
    best_feature: str
    first_stage: str | None
    level: float
    seed: int
    C: float | None
    num_rows: int
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        return str(self.scores)
