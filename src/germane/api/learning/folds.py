"""Cross-validation of a ranking by query: each query is scored by a model chosen and learned without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from germane.api.rankings.evaluation import evaluate
from germane.errors import GermaneError
from germane.learning.data.splits import Split, Words, k_folds
from germane.learning.learners.learner import Learner, Ranker, require_grades
from germane.learning.outcome import FoldRecord
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.ranking_data import RankingData
from germane.tables.rankings.run import Run
from germane.tables.results.scores import Scores

WORDS = Words("different queries", "are the same as another")
"""Words of error messages on duplicate queries, which have the same text or, without texts, the same rows."""

INNER_FOLDS = 4
"""Folds for choosing among several values of C, within the training queries."""


@dataclass(frozen=True, eq=False)
class Task:
    """Data and settings of learning: rows (plain and scaled), the judgments for scoring, and the learner."""

    rows: RankingData
    scaled: RankingData
    truth: Qrels
    learner: Learner
    choices_of_c: tuple[float | None, ...]
    rel: float
    measure: Measure
    groups: Mapping[str, str]
    seed: int

    def fit(self, queries: IntArray, c: float | None) -> Ranker:
        """Learn from some of the queries."""
        part = self.scaled.take_queries(queries)
        require_grades(part)
        return self.learner.fit(part, c, self.rel)

    def run_of(self, scores: FloatArray, name: str) -> Run:
        """A run with these scores of all rows."""
        return Run(self.rows.queries, Stretches.of(self.rows.query), doc_ids(self.rows), scores, name=name)

    def values(self, runs: Sequence[Run]) -> FloatArray:
        """Return the quality of rankings by run and query; higher is better."""
        found: Scores = evaluate(self.truth, {run.name: run for run in runs}, [self.measure])
        place = {query: i for i, query in enumerate(found.queries)}
        sign = -1.0 if found.lower_is_better(self.measure) else 1.0
        return sign * found.values[:, 0][:, [place[query] for query in self.rows.queries]]

    def split(self, queries: IntArray, folds: int) -> list[tuple[IntArray, IntArray]]:
        """Return the training and the held-out queries of each fold; duplicate queries stay together."""
        rotations = self.split_ids(queries, folds).rotations()
        return [(self.places(learned), self.places(held)) for learned, held in rotations]

    def split_ids(self, queries: IntArray, folds: int) -> Split:
        ids = [self.rows.queries[int(query)] for query in queries]
        return k_folds(ids, folds, seed=self.seed, groups=[self.groups[id_] for id_ in ids], words=WORDS)

    def places(self, ids: Sequence[str]) -> IntArray:
        place = {query: i for i, query in enumerate(self.rows.queries)}
        return np.asarray(sorted(place[id_] for id_ in ids), np.int64)

    def rows_of(self, queries: IntArray) -> IntArray:
        return np.flatnonzero(np.isin(self.rows.query, queries))


def doc_ids(rows: RankingData) -> Ids:
    """Return the documents of rows; row numbers where documents have no ids."""
    return Ids.of(range(1, rows.num_rows + 1)) if rows.docs is None else rows.docs


def choose_c(task: Task, queries: IntArray) -> float | None:
    """Return the best C on folds of these queries; the first one of equally good values."""
    choices = task.choices_of_c
    if len(choices) == 1:
        return choices[0]
    scores = np.zeros((len(choices), task.rows.num_rows))
    distinct = len({task.groups[task.rows.queries[int(query)]] for query in queries})
    if distinct < 2:
        raise GermaneError("too few queries to choose among several values of C", hint="use one value: `C=…`")
    for learned, held in task.split(queries, min(INNER_FOLDS, distinct)):
        at = task.rows_of(held)
        for place, c in enumerate(choices):
            scores[place, at] = task.fit(learned, c).decision_function(task.scaled.features[at])
    values = task.values([task.run_of(row, str(place)) for place, row in enumerate(scores)])[:, queries]
    return choices[int(np.argmax(_means(values)))]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out scores of all rows: each by a model, or a feature, chosen without its query."""

    learned: FloatArray
    best_feature: FloatArray
    folds: tuple[FoldRecord, ...]
    split: Split


def cross_validate(
    task: Task, folds: int, directions: Mapping[str, str], progress: Callable[[int, int], None] | None = None
) -> HeldOut:
    """Learn on all folds but one and score that one, for each fold; choose the best single feature in the same way."""
    signs = {"higher": (1.0,), "lower": (-1.0,), "neither": (1.0, -1.0)}
    singles = [(name, sign) for name in task.rows.names for sign in signs[directions.get(name, "neither")]]
    columns = [sign * task.rows.column(name) for name, sign in singles]
    of_single = task.values([task.run_of(column, str(place)) for place, column in enumerate(columns)])
    learned, best = np.zeros(task.rows.num_rows), np.zeros(task.rows.num_rows)
    everything = np.arange(task.rows.num_queries)
    split = task.split_ids(everything, folds)
    records = []
    for number, (known, held) in enumerate(split.rotations(), start=1):
        to_learn, at = task.places(known), task.rows_of(task.places(held))
        c = choose_c(task, to_learn)
        learned[at] = task.fit(to_learn, c).decision_function(task.scaled.features[at])
        chosen = int(np.argmax(_means(of_single[:, to_learn])))
        best[at] = columns[chosen][at]
        name, sign = singles[chosen]
        records.append(FoldRecord(number, len(to_learn), held, c, name if sign > 0 else f"-{name}"))
        if progress is not None:
            progress(number, folds)
    return HeldOut(learned, best, tuple(records), split)


def _means(values: FloatArray) -> FloatArray:
    """Return the mean of each row over defined queries; a query undefined for one row is undefined for all."""
    known = values[:, ~np.isnan(values).any(axis=0)]
    return np.cumsum(known, axis=1)[:, -1] / known.shape[1] if known.shape[1] else np.zeros(len(values))
