"""Result of a feedback evaluation: each method and round, before and after, with the queries it hurt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from germane.errors import GermaneError
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.rankings.judged_run import NoRelevant
from germane.tables.results.columns import F, Table, finite, table
from germane.tables.results.comparison import Pair
from germane.tables.results.result import Result, attributes
from germane.tables.results.scores import Scores

METHOD = (F("method", "name"), F("round", "count"))
TRIALS = (
    *METHOD,
    F("measure", "name"),
    F("num_queries", "count", "queries"),
    *F("before", "value").also("after"),
    F("difference", "difference", flat="tested"),
    F("interval", "difference interval", people="tested"),
    F("p", "p", people=False),
    F("p_adjusted", "p", "adjusted p", people="tested"),
    F("better", "count", people="tested"),
    F("same", "count", people=False),
    F("worse", "count", people="tested"),
    *F("full_before", "value", drop=1).also("full_after"),
    # The family is in every row, since a file of trials may be all that a program gets.
    F("correction", "text", people=False),
    F("num_tests", "count", people=False),
    F("family", "text", people=False),
)
CHANGES = (*METHOD, F("query", "name"), F("before", "value"), F("after", "value"))
DIFFERENCE = ("measure", "difference", "low", "high", "p", "p_adjusted", "better", "same", "worse")
"""The keys of a difference in JSON."""
CORRECTION = "bonferroni"
SHOWN_QUERIES = 5
"""Default number of hurt queries shown per trial."""


@dataclass(frozen=True)
class Change:
    """A query whose value of the first measure fell or rose after feedback."""

    query: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class FeedbackTrial:
    """Result of one method after one round.

    `scores` hold two runs, before and after, under the chosen protocol; `full` the same two on the whole list, where
    documents judged relevant move to the top: that is memory, not retrieval. `pairs` are the comparisons by measure,
    p-values adjusted for all trials and measures together (none where fewer than two queries are left).
    """

    method: str
    round: int
    scores: Scores
    full: Scores
    pairs: tuple[Pair, ...]
    seen: int
    relevant_seen: int
    no_relevant_left: tuple[str, ...]
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

    def rows(self) -> list[dict[str, Any]]:
        """Return the values by measure, with the comparison where there is one."""
        pairs = {pair.measure: pair for pair in self.pairs}
        values, full = self.scores.mean(), self.full.mean()
        rows = []
        for measure, before in values[self.before].items():
            after = values[self.after][measure]
            row = {
                **attributes(self, "method round"),
                "measure": measure,
                "num_queries": self.scores.num_queries(self.after),
                "before": before,
                "after": after,
                "difference": after - before,
                "full_before": full[self.before][measure],
                "full_after": full[self.after][measure],
            }
            if pair := pairs.get(measure):
                row |= attributes(pair, "difference low high p p_adjusted")
                row |= {"better": pair.wins, "same": pair.ties, "worse": pair.losses}
            rows.append({key: finite(value) for key, value in row.items()})
        return rows

    def document(self) -> dict[str, Any]:
        """Return the trial for JSON, with the values of every query."""
        rows, names = self.rows(), [str(measure) for measure in self.scores.measures]
        columns = ("before", "after", "full_before", "full_after")
        by_measure = {key: {row["measure"]: row[key] for row in rows} for key in columns}
        return {
            **attributes(self, "method round seen relevant_seen no_relevant_left"),
            "num_queries": self.scores.num_queries(self.after),
            "before": by_measure["before"],
            "after": by_measure["after"],
            "full_list": {"before": by_measure["full_before"], "after": by_measure["full_after"]},
            "differences": [{key: row[key] for key in DIFFERENCE} for row in rows] if self.pairs else [],
            "hurt": [vars(change) for change in self.hurt],
            "helped": [vars(change) for change in self.helped],
            "queries": {
                query: {
                    when: {name: finite(self.scores.values[run, m, place]) for m, name in enumerate(names)}
                    for run, when in enumerate(("before", "after"))
                }
                for place, query in enumerate(self.scores.queries)
            },
        }


ALPHA = 0.05
"""The significance level of the tests before and after; their intervals have the level 1 - alpha."""


@dataclass(frozen=True, eq=False)
class FeedbackEvaluation(Result):
    """Result of a feedback evaluation: every method after every round, all on the same queries."""

    trials: tuple[FeedbackTrial, ...]
    protocol: str
    model: str
    measures: tuple[str, ...]
    judged: int
    rel: float
    no_relevant: NoRelevant
    seed: int | None
    num_topics: int
    skipped: tuple[str, ...]
    """Queries skipped in all trials, since they have no relevant documents left in at least one."""
    analyser: str | None = None
    """Analyser of the index; None where the runs came from elsewhere."""
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "feedback/1"
    fact_names: ClassVar[str] = "protocol model analyser judged rel no_relevant seed skipped family num_tests"

    def tables(self, *, hurt: int | None = None) -> Iterator[Table]:
        """Yield the trials by measure; then the hurt and the helped queries, the first `hurt` of each trial."""
        rows = [row for trial in self.trials for row in trial.rows()]
        same = {"correction": CORRECTION, "num_tests": self.num_tests, "family": self.family}
        yield table("trials", TRIALS, rows, same=same, when={"tested": self.num_tests > 0})
        for name in ("hurt", "helped"):
            changes = [
                attributes(trial, "method round") | vars(change)
                for trial in self.trials
                for change in getattr(trial, name)[:hurt]
            ]
            yield table(name, CHANGES, changes, title=f"Queries {name} most, by {self.measures[0]}")

    def shown(self, *, digits: int = 4, hurt: int | None = None) -> Iterator[Table | str]:
        """Yield the trials, and the queries that lost most."""
        trials, losses, _ = self.tables(hurt=SHOWN_QUERIES if hurt is None else hurt)
        yield from (each for each in (trials, losses) if len(each))

    def document(self, *, hurt: int | None = None) -> dict[str, Any]:
        """Return the settings, and every trial with all its queries."""
        intervals = {"method": "t", "level": 1 - ALPHA, "simultaneous": self.num_tests > 1, "matches_test": True}
        return {
            **self.facts(),
            "topics": self.num_topics,
            "correction": CORRECTION,
            "interval": intervals,
            "trials": [trial.document() for trial in self.trials],
        }

    @property
    def num_tests(self) -> int:
        """Number of tests in the family; 0 where nothing is tested."""
        return sum(len(trial.pairs) for trial in self.trials)

    @property
    def family(self) -> str:
        """The family of tests, in words: p-values are adjusted for it, and intervals are simultaneous over it."""
        return f"{counted(len(self.trials), 'trial')} × {counted(len(self.measures), 'measure')}"

    def __getitem__(self, key: tuple[str, int]) -> FeedbackTrial:
        """Return one trial: ``evaluation["rocchio", 1]``."""
        for trial in self.trials:
            if (trial.method, trial.round) == key:
                return trial
        there = ", ".join(f"({trial.method!r}, {trial.round})" for trial in self.trials)
        raise GermaneError(f"unknown trial {key}", hint=f"choose from {there}")
