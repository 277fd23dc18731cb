"""Two groups of different queries: control and treatment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from germane.api.comparisons.family_intervals import is_invertible, level_of_each, require_matching_level
from germane.api.comparisons.notes import notes_on_comparison
from germane.api.comparisons.systems import require_choices, require_means
from germane.errors import GermaneError, did_you_mean
from germane.formats.rows.slices import read_slices
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.effects import cliffs_delta
from germane.stats.significance.outcomes import Sides
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS, welch_interval
from germane.tables.notes.counts import counted
from germane.tables.results.comparison import Pair, SystemComparison
from germane.tables.results.scores import Scores

if TYPE_CHECKING:
    from germane.types import SlicesLike


def compare_groups(
    scores: Scores,
    groups: SlicesLike,
    *,
    test: str = "welch",
    sides: Sides = "two",
    correction: str = "bonferroni",
    alpha: float = 0.05,
    level: float | None = None,
    seed: int = 0,
    resamples: int = 100_000,
) -> SystemComparison:
    """Compare two groups of different queries, such as control and treatment: each system and measure is one test.

    Groups are ordered by name, and the difference is the second minus the first.
    """
    require_choices(alpha, level, test, None)
    require_means(scores)
    assigned = read_slices(groups, list(scores.queries))
    if len(assigned) != 2:
        hint = "assign each query to one of two groups, such as control and treatment"
        raise GermaneError(f"expected two groups of queries, found {len(assigned)}: {', '.join(assigned)}", hint=hint)
    if test not in UNPAIRED_TESTS:
        hint = f"choose from {', '.join(UNPAIRED_TESTS.names)}"
        raise GermaneError(f"{test!r} is not a test of two groups{did_you_mean(test, UNPAIRED_TESTS.names)}", hint=hint)
    if correction not in CORRECTIONS and correction != "none":
        hint = f"choose from {', '.join(CORRECTIONS.names)}"
        raise GermaneError(f"{correction!r} cannot adjust tests of two groups", hint=hint)
    place = {query: i for i, query in enumerate(scores.queries)}
    (name_a, queries_a), (name_b, queries_b) = assigned.items()
    shape = (len(scores.runs) * len(scores.measures), -1)
    places = ([place[q] for q in queries] for queries in (queries_a, queries_b))
    control, treatment = (scores.values[:, :, chosen].reshape(shape).T for chosen in places)
    tested = UNPAIRED_TESTS[test](treatment, control, sides, resamples=resamples, seed=seed)
    adjusted = tested.p if correction == "none" else CORRECTIONS[correction].adjust(tested.p)
    num_made = int(np.count_nonzero(~np.isnan(tested.p)))  # p is not adjusted for pairs that could not be tested
    matches = is_invertible(test, sides, correction, len(tested.p))
    wanted = 1 - alpha if level is None else level
    if matches:
        require_matching_level(level, alpha)
    each = level_of_each(correction, alpha, max(1, num_made)) if matches else wanted
    interval = welch_interval(treatment, control, each)
    pairs = []
    for i, (run, measure) in enumerate((run, measure) for run in scores.runs for measure in scores.measures):
        mean_a, mean_b = float(control[:, i].mean()), float(treatment[:, i].mean())
        pairs.append(
            Pair(
                measure=str(measure),
                a=f"{run.name} [{name_a}]",
                b=f"{run.name} [{name_b}]",
                slice="",
                num_queries=len(queries_a) + len(queries_b),
                mean_a=mean_a,
                mean_b=mean_b,
                difference=mean_b - mean_a,
                low=float(interval.low[i]),
                high=float(interval.high[i]),
                p=float(tested.p[i]),
                p_adjusted=float(adjusted[i]),
                effect={"cliffs_delta": cliffs_delta(treatment[:, i], control[:, i])},
                wins=None,
                ties=None,
                losses=None,
            )
        )
    family = f"{counted(len(scores.runs), 'system')} × {counted(len(scores.measures), 'measure')}"
    result = SystemComparison(
        scores=scores,
        pairs=tuple(pairs),
        test=test,
        sides=sides,
        correction=correction,
        family=f"{family}, {name_b} − {name_a}",
        num_tests=len(pairs),
        alpha=alpha,
        interval="welch",
        level=wanted,
        seed=seed,
        simultaneous=matches and len(pairs) > 1 and correction != "none",
        matches=matches,
        paired=False,
    )
    return replace(result, notes=notes_on_comparison(result, tested.remarks, test))
