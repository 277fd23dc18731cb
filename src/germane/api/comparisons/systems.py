"""Compare systems on the same queries: differences with intervals, tests and effect sizes from per-query scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from germane.api.comparisons.family_intervals import family_intervals
from germane.api.comparisons.notes import correction_in_words, family_in_words, notes_on_comparison
from germane.api.comparisons.test_family import MANY_SYSTEM_TESTS, Column, Family, family_of
from germane.errors import GermaneError
from germane.stats.intervals.ranks import rank_intervals
from germane.stats.significance.columns import column_means
from germane.stats.significance.effects import Effects, effects_of_rows, gained_and_lost_most, margin_tests
from germane.stats.significance.folds import Folds
from germane.stats.significance.letters import letters
from germane.stats.significance.many_systems import friedman, two_way_anova
from germane.stats.significance.outcomes import Sides
from germane.stats.significance.power import queries_needed, smallest_difference
from germane.tables.columns.ids import FloatArray
from germane.tables.notes.counts import counted
from germane.tables.results.comparison import LETTERED, Pair, RankVariance, SystemComparison, Variance
from germane.tables.results.scores import Scores

MOVERS = 3
"""Maximum number of queries named as largest gains, and as largest losses."""


def compare_systems(
    scores: Scores,
    *,
    baseline: str | None = None,
    test: str = "t",
    sides: Sides = "two",
    correction: str = "bonferroni",
    alpha: float = 0.05,
    interval: str | None = None,
    level: float | None = None,
    equivalence: float | None = None,
    margin: float | None = None,
    difference: float | None = None,
    folds: tuple[float, float] | Folds | None = None,
    seed: int = 0,
    resamples: int = 100_000,
) -> SystemComparison:
    """Compare systems on the same queries: all pairs, or each against a baseline; see `compare`."""
    _require_comparable(scores)
    require_choices(alpha, level, test, folds, interval)
    folds = Folds(*folds) if isinstance(folds, tuple) else folds
    baseline = None if baseline is None else scores.runs[scores.run_index(baseline)].name
    columns = family_of(scores, baseline)
    family = Family(scores, columns, test, sides, correction, alpha, interval, level, folds, resamples, seed)
    family.require_correction()
    p, remarks = family.p_values()
    adjusted = family.adjusted(p)
    ends = family_intervals(family, adjusted)
    plans = test not in MANY_SYSTEM_TESTS and folds is None
    variance, residual_sd = _variances(scores)
    sizes, means = _sizes(family, residual_sd), _means(scores, columns)
    pairs = []
    for i, (column, own) in enumerate(zip(columns, family.differences, strict=True)):
        tested: dict[str, Any] = {"low": float(ends.low[i]), "high": float(ends.high[i])}
        tested |= {"p": float(p[i]), "p_adjusted": float(adjusted[i])} | _margins(
            scores, column, equivalence, margin, folds
        )
        tested |= _plan(own, sides, alpha / len(columns), difference) if plans else {}
        of_group = means[column.slice, column.measure]
        tested |= {"mean_a": of_group[column.a], "mean_b": of_group[column.b]}
        pairs.append(_pair(scores, column, own, sizes[i], tested))
    result = SystemComparison(
        scores=scores,
        pairs=tuple(pairs),
        test=folds.test_name if folds else test,
        sides=sides,
        correction=correction_in_words(columns, test, correction),
        family=family_in_words(scores, columns, baseline),
        num_tests=len(columns),
        alpha=alpha,
        interval=ends.method,
        level=ends.level,
        simultaneous=ends.simultaneous,
        matches=ends.matches,
        seed=seed,
        baseline=baseline,
        equivalence=equivalence,
        margin=margin,
        planned_difference=difference,
        variance=() if folds else variance,  # it assumes independent queries
        friedman=_friedmans(scores) if test == "nemenyi" else (),
        letters={} if baseline is not None else _letters(scores, pairs, alpha),
        ranks=_ranks(scores, 1 - alpha, seed) if len(scores.runs) > LETTERED else {},
    )
    return replace(result, notes=notes_on_comparison(result, remarks, test))


def _require_comparable(scores: Scores) -> None:
    names = [run.name for run in scores.runs]
    if len(names) < 2:
        hint = "name two runs or a folder, for example germane compare qrels.txt a.run b.run"
        raise GermaneError(f"expected at least two systems to compare, found {len(names)}", hint=hint)
    paths = [run.path for run in scores.runs if run.path is not None]
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise GermaneError(f"duplicate run {twice}", hint="name each file once")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GermaneError(f"duplicate system name {twice!r}", hint="give each system a different name")
    if len(scores.queries) < 2:
        raise GermaneError("expected at least two queries, found one", hint="statistics need at least two queries")
    if not (scores.scored == scores.scored[0]).all():
        differ = np.flatnonzero((scores.scored != scores.scored[0]).any(axis=0))
        shown = ", ".join(scores.queries[i] for i in differ[:5])
        problem = f"systems were run on different queries; {len(differ)} are missing from at least one ({shown})"
        raise GermaneError(problem, hint='use `topics="qrels"` to score a missing query as an empty ranking')
    require_means(scores)


def require_means(scores: Scores) -> None:
    """Refuse measures without a mean: counts, which are summed, and measures with undefined values."""
    if scores.totals.any():
        counts = [str(m) for m, total in zip(scores.measures, scores.totals, strict=True) if total]
        problem = f"cannot compare {counts[0]}: it is a count, summed over queries, without a mean"
        raise GermaneError(problem, hint="choose a measure with a mean, such as AP")
    undefined = np.isnan(scores.values) & scores.scored[:, None, :]
    if undefined.any():
        r, m, q = (int(i[0]) for i in np.nonzero(undefined))
        problem = f"{scores.measures[m]} of {scores.runs[r].name} is undefined for query {scores.queries[q]!r}"
        in_all = f"({counted(int(undefined.sum()), 'value')} in all)"
        raise GermaneError(f"{problem} {in_all}", hint="choose a measure that is defined for all queries")


def require_choices(alpha: float, level: float | None, test: str, folds: object, interval: str | None = None) -> None:
    """Refuse invalid values of alpha and level, and a test or an interval that is not supported with folds."""
    for name, value in (("alpha", alpha), ("level", level)):
        if value is not None and not 0 < value < 1:
            raise GermaneError(f"expected {name} between 0 and 1, found {value}")
    if folds is not None and test != "t":
        raise GermaneError("folds are always tested by the corrected resampled t-test", hint="remove `test=`")
    if folds is not None and interval not in (None, "t"):
        raise GermaneError(
            f"the {interval} interval assumes independent queries, found folds", hint="remove `interval=`"
        )


def _sizes(family: Family, residual_sd: Mapping[tuple[str, int], float]) -> list[Effects]:
    """Return the effect sizes of each test, positive where b is better."""
    found: dict[int, Effects] = {}
    for tests, a, b in family.by_table:
        first = family.columns[tests[0]]
        sign = -1.0 if family.scores.lower_is_better(family.scores.measures[first.measure]) else 1.0
        sizes = effects_of_rows(sign * b, sign * a, residual_sd=residual_sd[first.slice, first.measure])
        found |= dict(zip(tests, sizes, strict=True))
    return [found[i] for i in range(len(family.columns))]


def _means(scores: Scores, columns: Sequence[Column]) -> dict[tuple[str, int], list[float]]:
    """Return the mean of each system by slice and measure."""
    groups = {(column.slice, column.measure): column.queries for column in columns}
    return {(s, m): column_means(scores.values[:, m, queries].T).tolist() for (s, m), queries in groups.items()}


def _pair(scores: Scores, column: Column, difference: FloatArray, size: Effects, tested: Mapping[str, Any]) -> Pair:
    """Return a pair; `tested` has everything that depends on the rest of the family."""

    measure = str(scores.measures[column.measure])
    moved = gained_and_lost_most(-difference if scores.lower_is_better(measure) else difference, MOVERS)
    gained, lost = (
        tuple((scores.queries[column.queries[i]], float(difference[i])) for i in movers) for movers in moved
    )
    names = ("d_z", "g_z", "d_residual", "dominance", "cliffs_delta")
    return Pair(
        measure=measure,
        a=scores.runs[column.a].name,
        b=scores.runs[column.b].name,
        slice=column.slice,
        num_queries=len(column.queries),
        difference=tested["mean_b"] - tested["mean_a"],
        effect={name: getattr(size, name) for name in names},
        wins=size.wins,
        ties=size.ties,
        losses=size.losses,
        gained=gained,
        lost=lost,
        **tested,
    )


def _margins(
    scores: Scores, column: Column, equivalence: float | None, margin: float | None, folds: Folds | None
) -> dict[str, Any]:
    """Return the p-values of the tests for equivalence and non-inferiority, None where not asked for."""

    if equivalence is None and margin is None:
        return {}
    sign = -1.0 if scores.lower_is_better(scores.measures[column.measure]) else 1.0
    a, b = (sign * scores.values[run, column.measure, column.queries] for run in (column.a, column.b))
    return {
        "p_equivalent": None if equivalence is None else margin_tests(b, a, equivalence, folds).p_equivalent,
        "p_noninferior": None if margin is None else margin_tests(b, a, margin, folds).p_noninferior,
    }


def _plan(difference: FloatArray, sides: Sides, alpha: float, wanted: float | None) -> dict[str, Any]:
    """Return the minimum detectable difference, and the number of queries needed to show a wanted one."""

    sd = float(np.std(difference, ddof=1))
    return {
        "minimum_detectable": smallest_difference(len(difference), sd, alpha, sides=sides),
        "queries_needed": None if wanted is None else queries_needed(wanted, sd, alpha, sides=sides),
    }


def _variances(scores: Scores) -> tuple[tuple[Variance, ...], dict[tuple[str, int], float]]:
    """Return the analysis of variance of each slice and measure (of three systems or more), and its residual sd."""

    shown, residual_sd = [], {}
    for column in {(c.slice, c.measure): c for c in family_of(scores, None)}.values():
        anova = two_way_anova(scores.values[:, column.measure, column.queries].T)
        residual_sd[column.slice, column.measure] = anova.residual_sd
        if len(scores.runs) > 2:
            tests = (anova.systems.f, anova.systems.p, anova.queries.f, anova.queries.p)
            shown.append(Variance(str(scores.measures[column.measure]), column.slice, *tests, anova.residual_sd))
    return tuple(shown), residual_sd


def _friedmans(scores: Scores) -> tuple[RankVariance, ...]:
    """Return Friedman's test of each slice and measure; Nemenyi's test is its follow-up for pairs."""

    found = []
    for column in {(c.slice, c.measure): c for c in family_of(scores, None)}.values():
        result = friedman(scores.values[:, column.measure, column.queries].T)
        ranks = {run.name: float(rank) for run, rank in zip(scores.runs, result.mean_ranks, strict=True)}
        measure = str(scores.measures[column.measure])
        found.append(RankVariance(measure, column.slice, result.chi_squared, result.df, result.p, ranks))
    return tuple(found)


def _letters(scores: Scores, pairs: Sequence[Pair], alpha: float) -> dict[tuple[str, str], dict[str, str]]:
    """Return letters that group systems without a significant difference, for three systems or more."""

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


def _ranks(scores: Scores, level: float, seed: int) -> dict[tuple[str, str], dict[str, tuple[int, int]]]:
    """The first and last rank of each system, by slice and measure."""

    found = {}
    for column in {(c.slice, c.measure): c for c in family_of(scores, None)}.values():
        measure, values = scores.measures[column.measure], scores.values[:, column.measure, column.queries].T
        ends = rank_intervals(values, level, higher_is_better=not scores.lower_is_better(measure), seed=seed)
        both = zip(scores.runs, ends.low.tolist(), ends.high.tolist(), strict=True)
        found[column.slice, str(measure)] = {run.name: (low, high) for run, low, high in both}
    return found
