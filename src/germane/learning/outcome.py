"""The result of learning to rank: the model, and its scores on held-out queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from germane.learning.model_file import RankingModel
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, finite, table
from germane.tables.results.comparison import Pair
from germane.tables.results.result import Result
from germane.tables.results.scores import Scores

MEANS = (
    F("run", "name", "held out"),
    F("measure", "name"),
    F("queries", "count"),
    F("mean", "value"),
    F("low", "value"),
    F("high", "value"),
)
DIFFERENCES = (
    F("against", "name"),
    F("measure", "name"),
    F("difference", "difference"),
    F("low", "difference"),
    F("high", "difference"),
    F("p", "p", people=False),
    F("p_adjusted", "p", "adjusted p"),
    F("better", "count"),
    F("worse", "count"),
    # The family of p and interval is in every row: a program may get only the file of differences.
    F("correction", "text", people=False),
    F("num_tests", "count", people=False),
    F("family", "text", people=False),
)
FOLDS = (
    F("fold", "count"),
    F("learned_from", "count"),
    F("num_held_out", "count", "held out", nested=False),
    F("held_out", "list", people=False),
    F("C", "parameter", empty=""),
    F("best_feature", "text", "best single feature"),
)
WEIGHTS = (F("feature", "name"), F("weight", "difference", "weight in the model"))


@dataclass(frozen=True)
class FoldRecord:
    """One fold: what was chosen on the other queries, and which queries were held out.

    `learned_from` is the number of queries outside the fold. `best_feature` is the best single feature on those, with a
    minus sign if lower values are better.
    """

    fold: int
    learned_from: int
    held_out: tuple[str, ...]
    C: float | None
    best_feature: str

    @property
    def num_held_out(self) -> int:
        """Number of queries in the fold."""
        return len(self.held_out)


@dataclass(frozen=True, eq=False)
class LearnedRanking(Result):
    """The model learned from all queries, and held-out scores of models learned in the same way from fewer.

    `scores` have a run for the first stage (if any), for the best single feature, and for the learner, each query
    scored by what was chosen and learned without it. `pairs` compare the learner with each of the others.
    """

    model: RankingModel
    scores: Scores
    pairs: tuple[Pair, ...]
    folds: tuple[FoldRecord, ...]
    seed: int
    C: float | None
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "learn/1"

    def tables(self) -> Iterator[Table]:
        """Return held-out means with intervals, differences, choices by fold, and the weights of a linear model."""
        held = self.model.held_out
        yield table("means", MEANS, held["means"], same={"queries": held["queries"]})
        rows = [{**vars(p), "against": p.a, "better": p.wins, "worse": p.losses} for p in self.pairs]
        same = {"correction": held["correction"], "num_tests": len(rows), "family": held["family"]}
        yield table("differences", DIFFERENCES, rows, same=same, title=f"{self.model.learner} vs. the others")
        yield table("folds", FOLDS, self.folds, title="Choices by fold")
        weights = sorted((self.weights or {}).items(), key=lambda item: -abs(item[1]))
        yield table("weights", WEIGHTS, [{"feature": name, "weight": weight} for name, weight in weights])

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Return all tables that have rows."""
        yield from filter(len, self.tables())

    @property
    def weights(self) -> dict[str, float] | None:
        """Weights of a linear model by feature; None for other models."""
        found: dict[str, float] | None = self.model.to_json()["weights"]
        return found

    def document(self) -> dict[str, Any]:
        """Return the model, its held-out quality, and the values of every query."""
        model, scores, names = self.model, self.scores, [str(measure) for measure in self.scores.measures]
        keys = ("learner", "features", "scaling", "first_stage", "depth", "analyser", "held_out")
        return {
            **{key: getattr(model, key) for key in keys},
            "C": self.C,
            "seed": self.seed,
            "rows": model.training["rows"],
            "folds": self.table("folds").records(),
            "weights": self.weights,
            "queries": {
                query: {
                    run.name: {name: finite(scores.values[r, m, place]) for m, name in enumerate(names)}
                    for r, run in enumerate(scores.runs)
                }
                for place, query in enumerate(scores.queries)
            },
        }
