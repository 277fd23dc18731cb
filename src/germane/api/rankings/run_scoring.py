"""Score one run: every measure for every query, with notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from germane.measures.caveats import notes_on
from germane.measures.definition import MEASURES, work
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.measure import Measure


class Scoring(NamedTuple):
    """Settings for scoring and reading runs, the same for all runs of a call."""

    measures: tuple[Measure, ...]
    ties: Ties
    topics: str
    score_type: str
    bounds: bool
    run_format: str | None

    @property
    def is_ours(self) -> bool:
        """Whether all measures are built in, so that any process that imports germane has them."""
        return all(MEASURES[measure].home[0].startswith("germane.") for measure in self.measures)


class ScoredRun(NamedTuple):
    """The scores of one run by measure × query; `scored` says which queries count, `in_run` which the run has."""

    values: FloatArray
    numerator: FloatArray
    denominator: FloatArray
    scored: BoolArray
    in_run: BoolArray
    low: FloatArray | None
    high: FloatArray | None
    notes: tuple[Note, ...]


def score_run(run: JudgedRun, scoring: Scoring) -> ScoredRun:
    """Compute all measures of one run."""
    shape = (len(scoring.measures), run.num_queries)
    values, numerator, denominator = (np.empty(shape) for _ in range(3))
    low, high = (np.empty(shape), np.empty(shape)) if scoring.bounds else (None, None)
    scored = run.in_run if scoring.topics == "both" else np.ones(run.num_queries, dtype=bool)
    for m, measure in enumerate(scoring.measures):
        worked = work(measure, run)
        values[m] = np.where(scored, worked.value, np.nan)
        numerator[m], denominator[m] = worked.numerator, worked.denominator
        if low is not None and high is not None:
            from germane.measures.bounds import bounds

            low[m], high[m] = (np.where(scored, end, np.nan) for end in bounds(measure, run))
    notes = [*notes_on(run, scoring.measures, scoring.topics), *_undefined(values, scored, scoring.measures, run.name)]
    return ScoredRun(values, numerator, denominator, scored, run.in_run, low, high, tuple(notes))


def _undefined(values: FloatArray, scored: BoolArray, measures: Sequence[Measure], run: str) -> list[Note]:
    notes = []
    for measure, row in zip(measures, values, strict=True):
        count = int(np.count_nonzero(~np.isfinite(row) & scored))
        if count:
            what = f"undefined for {measure}; skipped in means"
            notes.append(Note("undefined", counted(count, "query"), what, run, count))
    return notes
