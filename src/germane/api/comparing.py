"""Is it really better: per-query scores in, differences with intervals, tests and effect sizes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from germane.api.family import (
    MANY_SYSTEM_TESTS,
    Column,
    Sides,
    adjusted_p,
    difference_intervals,
    differences_of,
    family_of,
    p_values,
)
from germane.errors import GermaneError, did_you_mean
from germane.formats.slices import read_slices
from germane.tables.comparison import Comparison, Pair, Variance
from germane.tables.ids import FloatArray
from germane.tables.measure import Measure
from germane.tables.scores import Note, RunInfo, Scores

MOVERS = 3
"""So many queries are named that gained most, and that lost most."""


def compare(
    scores: Scores | Mapping[str, Mapping[str, float]],
    *,
    baseline: str | None = None,
    test: str = "t",
    sides: Sides = "two",
    correction: str = "holm",
    alpha: float = 0.05,
    interval: str = "t",
    level: float = 0.95,
    equivalence: float | None = None,
    margin: float | None = None,
    wanted_difference: float | None = None,
    folds: tuple[float, float] | None = None,
    seed: int = 0,
    flips: int = 100_000,
) -> Comparison:
    """Compare systems on the same queries: all pairs, or all others with a baseline.

    `scores` come from `evaluate`, or are values by system and query (accuracy per item, say). The family of tests is
    all pairs times all measures (times all slices). `equivalence` and `margin` are the δ of the tests for equivalence
    and for not being worse; `wanted_difference` asks how many queries it takes to show one. `folds` says that rows are
    folds of a cross-validation, with the sizes of their training and test parts.

    >>> values = {"old": {"q1": 0.2, "q2": 0.4, "q3": 0.3}, "new": {"q1": 0.3, "q2": 0.6, "q3": 0.4}}
    >>> pair = compare(values).pairs[0]
    >>> round(pair.difference, 4), round(pair.p, 4)
    (0.1333, 0.0572)
    """
    scores = scores if isinstance(scores, Scores) else scores_of(scores)
    _require_comparable(scores)
    columns = family_of(scores, baseline)
    differences = [differences_of(scores, column) for column in columns]
    p, remarks = p_values(scores, columns, differences, test, sides, flips, seed, folds)
    adjusted = adjusted_p(columns, differences, p, test, correction, flips, seed)
    low, high = difference_intervals(columns, differences, interval, level, seed)
    alpha_each = alpha / len(columns)
    variance, residual_sd = _variances(scores)
    pairs = []
    for i, column in enumerate(columns):
        pair = _pair(scores, column, differences[i], residual_sd[column.slice, column.measure])
        pairs.append(
            replace(
                pair,
                low=float(low[i]),
                high=float(high[i]),
                p=float(p[i]),
                p_adjusted=float(adjusted[i]),
                **_asked(differences[i], scores, column, sides, alpha_each, equivalence, margin, wanted_difference),
            )
        )
    family = _family_in_words(scores, columns, baseline)
    told = "corrected resampled t" if folds else test
    result = Comparison(
        scores=scores,
        pairs=tuple(pairs),
        test=told,
        sides=sides,
        correction="holm over measures" if test in MANY_SYSTEM_TESTS else correction,
        family=family,
        num_tests=len(columns),
        alpha=alpha,
        interval=interval,
        level=level,
        seed=seed,
        baseline=baseline,
        equivalence=equivalence,
        margin=margin,
        wanted_difference=wanted_difference,
        variance=variance,
        letters={} if baseline is not None else _letters(scores, pairs, alpha),
    )
    return replace(result, notes=_notes(result, columns, remarks, test))


def compare_groups(
    scores: Scores,
    groups: str | Path | Mapping[str, str],
    *,
    test: str = "welch",
    sides: Sides = "two",
    correction: str = "holm",
    alpha: float = 0.05,
    level: float = 0.95,
    seed: int = 0,
    flips: int = 100_000,
) -> Comparison:
    """Compare two groups of different queries, such as control and treatment: each system and measure is one test.

    The groups are taken in order of their names: the difference is the second less the first.
    """
    from germane.stats.corrections import CORRECTIONS
    from germane.stats.effects import cliffs_delta
    from germane.stats.unpaired_intervals import welch_interval
    from germane.stats.unpaired_tests import UNPAIRED_TESTS

    assigned = read_slices(groups, list(scores.queries))
    if len(assigned) != 2:
        raise GermaneError(
            f"expected two groups of queries, found {len(assigned)}: {', '.join(assigned)}",
            hint="each line assigns a query to one of two groups, such as control and treatment",
        )
    if test not in UNPAIRED_TESTS:
        raise GermaneError(
            f"{test!r} is not a test of two groups{did_you_mean(test, UNPAIRED_TESTS)}",
            hint=f"these are: {', '.join(UNPAIRED_TESTS)}",
        )
    if correction not in CORRECTIONS and correction != "none":
        raise GermaneError(
            f"{correction!r} cannot adjust tests of two groups", hint=f"these can: {', '.join(CORRECTIONS)}"
        )
    place = {query: i for i, query in enumerate(scores.queries)}
    (name_a, queries_a), (name_b, queries_b) = assigned.items()
    shape = (len(scores.runs) * len(scores.measures), -1)
    control, treatment = (
        scores.values[:, :, [place[q] for q in queries]].reshape(shape).T for queries in (queries_a, queries_b)
    )
    result = UNPAIRED_TESTS[test](treatment, control, sides, resamples=flips, seed=seed)
    adjusted = result.p if correction == "none" else CORRECTIONS[correction].adjust(result.p)
    interval = welch_interval(treatment, control, level)
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
                p=float(result.p[i]),
                p_adjusted=float(adjusted[i]),
                effect={"cliffs_delta": cliffs_delta(treatment[:, i], control[:, i])},
                wins=None,
                ties=None,
                losses=None,
            )
        )
    family = f"{len(scores.runs)} systems × {len(scores.measures)} measures"
    note = Note("family", f"{len(pairs)} tests", f"in the family: {family}; adjusted by {correction}, alpha {alpha:g}")
    return Comparison(
        scores, tuple(pairs), test, sides, correction, family, len(pairs), alpha, "welch", level, seed, notes=(note,)
    )


def scores_of(values: Mapping[str, Mapping[str, float]], measure: str = "value") -> Scores:
    """Scores from plain values by system and query, such as accuracy per item. All systems have the same queries."""
    queries = sorted({query for by_query in values.values() for query in by_query}, key=lambda q: str(q).encode())
    for name, by_query in values.items():
        missing = [query for query in queries if query not in by_query]
        if missing:
            raise GermaneError(f"{name} has no value for {len(missing)} queries, such as {missing[0]!r}")
    table = np.asarray([[[by_query[q] for q in queries]] for by_query in values.values()], dtype=np.float64)
    ones = np.ones((len(values), len(queries)), dtype=bool)
    return Scores(
        runs=tuple(RunInfo(str(name)) for name in values),
        measures=(Measure(measure),),
        queries=tuple(map(str, queries)),
        values=table,
        numerator=table,
        denominator=np.ones_like(table),
        scored=ones,
        totals=np.zeros(1, dtype=bool),
    )


def _require_comparable(scores: Scores) -> None:
    names = [run.name for run in scores.runs]
    if len(names) < 2:
        raise GermaneError("expected at least two systems to compare, found one", hint="give several runs")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GermaneError(f"two systems are called {twice!r}", hint="give each a name of its own")
    if len(scores.queries) < 2:
        raise GermaneError("expected at least two queries, found one", hint="one query says nothing about others")
    if scores.totals.any():
        counts = [str(m) for m, total in zip(scores.measures, scores.totals, strict=True) if total]
        raise GermaneError(f"{counts[0]} is a count that is summed over queries; there is no mean to compare")
    if not (scores.scored == scores.scored[0]).all():
        differ = np.flatnonzero((scores.scored != scores.scored[0]).any(axis=0))
        shown = ", ".join(scores.queries[i] for i in differ[:5])
        raise GermaneError(
            f"the systems do not answer the same queries: {len(differ)} are missing from some of them ({shown})",
            hint="topics=qrels counts a missing query as an empty ranking",
        )
    undefined = np.isnan(scores.values) & scores.scored[:, None, :]
    if undefined.any():
        r, m, q = (int(i[0]) for i in np.nonzero(undefined))
        raise GermaneError(
            f"{scores.measures[m]} of {names[r]} is undefined for query {scores.queries[q]!r}"
            f" and {int(undefined.sum()) - 1} more values",
            hint="compare on a measure that is defined for all queries",
        )


def _pair(scores: Scores, column: Column, difference: FloatArray, residual_sd: float) -> Pair:
    """A pair with everything that does not depend on the rest of the family."""
    from germane.stats.effects import effects, gained_and_lost_most

    a, b = (scores.values[run, column.measure, column.queries] for run in (column.a, column.b))
    measure = str(scores.measures[column.measure])
    lower = scores.lower_is_better(measure)
    size = effects(b, a, residual_sd=residual_sd)
    up, down = gained_and_lost_most(-difference if lower else difference, MOVERS)
    gained, lost = (
        tuple((scores.queries[int(column.queries[i])], float(difference[i])) for i in movers) for movers in (up, down)
    )
    mean_a, mean_b = (float(np.cumsum(values)[-1]) / len(values) for values in (a, b))
    names = ("d_z", "g_z", "d_residual", "dominance", "cliffs_delta")
    return Pair(
        measure=measure,
        a=scores.runs[column.a].name,
        b=scores.runs[column.b].name,
        slice=column.slice,
        num_queries=len(column.queries),
        mean_a=mean_a,
        mean_b=mean_b,
        difference=mean_b - mean_a,
        low=np.nan,
        high=np.nan,
        p=np.nan,
        p_adjusted=np.nan,
        effect={name: float(getattr(size, name)) for name in names},
        wins=size.losses if lower else size.wins,
        ties=size.ties,
        losses=size.wins if lower else size.losses,
        gained=gained,
        lost=lost,
    )


def _asked(
    difference: FloatArray,
    scores: Scores,
    column: Column,
    sides: Sides,
    alpha: float,
    equivalence: float | None,
    margin: float | None,
    wanted: float | None,
) -> dict[str, Any]:
    """What belongs to a pair only where somebody asked for it, and what this set of queries could have shown."""
    from germane.stats.effects import margin_tests
    from germane.stats.power import queries_needed, smallest_difference

    sign = -1.0 if scores.lower_is_better(scores.measures[column.measure]) else 1.0
    a, b = (sign * scores.values[run, column.measure, column.queries] for run in (column.a, column.b))
    sd = float(np.std(difference, ddof=1))
    return {
        "p_equivalent": None if equivalence is None else margin_tests(b, a, equivalence).p_equivalent,
        "p_not_worse": None if margin is None else margin_tests(b, a, margin).p_not_worse,
        "smallest_detectable": smallest_difference(len(difference), sd, alpha, sides=sides),
        "queries_needed": None if wanted is None else queries_needed(wanted, sd, alpha, sides=sides),
    }


def _variances(scores: Scores) -> tuple[tuple[Variance, ...], dict[tuple[str, int], float]]:
    """The analysis of variance of each slice and measure, shown for three systems and more; and its residual sd."""
    from germane.stats.many_systems import two_way_anova

    shown, residual_sd = [], {}
    for column in {(c.slice, c.measure): c for c in family_of(scores, None)}.values():
        anova = two_way_anova(scores.values[:, column.measure, column.queries].T)
        residual_sd[column.slice, column.measure] = anova.residual_sd
        if len(scores.runs) > 2:
            shown.append(
                Variance(
                    str(scores.measures[column.measure]),
                    column.slice,
                    anova.systems.f,
                    anova.systems.p,
                    anova.queries.f,
                    anova.queries.p,
                    anova.residual_sd,
                )
            )
    return tuple(shown), residual_sd


def _letters(scores: Scores, pairs: Sequence[Pair], alpha: float) -> dict[tuple[str, str], dict[str, str]]:
    """Groups of systems that cannot be told apart, where there are three systems or more."""
    from germane.stats.letters import letters

    names = [run.name for run in scores.runs]
    if len(names) < 3:
        return {}
    place = {name: i for i, name in enumerate(names)}
    found = {}
    for key in dict.fromkeys((pair.slice, pair.measure) for pair in pairs):
        p, means = np.ones((len(names), len(names))), np.zeros(len(names))
        for pair in pairs:
            if (pair.slice, pair.measure) == key:
                i, j = place[pair.a], place[pair.b]
                p[i, j] = p[j, i] = pair.p_adjusted
                means[i], means[j] = pair.mean_a, pair.mean_b
        own = letters(p, means, alpha, higher_is_better=not scores.lower_is_better(key[1]))
        found[key] = dict(zip(names, own, strict=True))
    return found


def _family_in_words(scores: Scores, columns: Sequence[Column], baseline: str | None) -> str:
    pairs = len({(column.a, column.b) for column in columns})
    num_slices = len({column.slice for column in columns})
    parts = [f"{pairs} pair{'s' * (pairs > 1)} of systems" + (f" (all with {baseline})" if baseline else "")]
    parts.append(f"{len(scores.measures)} measure{'s' * (len(scores.measures) > 1)}")
    if num_slices > 1:
        parts.append(f"{num_slices} sets of queries (all and {num_slices - 1} slices)")
    return " × ".join(parts)


def _notes(comparison: Comparison, columns: Sequence[Column], remarks: Sequence[str], test: str) -> tuple[Note, ...]:
    from germane.stats.paired_tests import PAIRED_TESTS

    count = comparison.num_tests
    what = (
        f"in the family: {comparison.family}; adjusted by {comparison.correction}, "
        f"alpha {comparison.alpha:g}, seed {comparison.seed}"
    )
    notes = [Note("family", f"{count} test{'s' * (count > 1)}", what, count=count)]
    if test in MANY_SYSTEM_TESTS:
        notes.append(Note("correction", "", f"{test} covers the pairs within a measure; Holm goes over the measures"))
    owes = PAIRED_TESTS[test].owes if test in PAIRED_TESTS else ""
    if owes:
        notes.append(Note("caution", "", owes))
    for remark in dict.fromkeys(filter(None, remarks)):
        hit = [pair for pair, said in zip(comparison.pairs, remarks, strict=True) if said == remark]
        named = tuple(f"{pair.a} and {pair.b} on {pair.measure}" for pair in hit[:3])
        notes.append(Note("remark", f"{len(hit)} pair{'s' * (len(hit) > 1)}:", remark, count=len(hit), examples=named))
    return (*comparison.scores.notes, *notes)
