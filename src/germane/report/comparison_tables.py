"""A comparison as tables for people, or as JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from germane.report.comparison_latex import comparison_as_latex, described_test
from germane.report.grids import render_grid
from germane.report.notes import note_as_dict
from germane.tables.comparison import Comparison, Pair, RankVariance, Variance

STYLES = ("table", "markdown", "latex", "csv", "json")


def render_comparison(comparison: Comparison, style: str, *, digits: int = 4) -> str:
    """Write a comparison in one of the styles."""
    if style == "json":
        import json

        return json.dumps(comparison_as_dict(comparison), indent=1) + "\n"
    if style == "csv":
        return _csv(comparison)
    if style == "latex":
        return comparison_as_latex(comparison, digits) if comparison.paired else _pairs(comparison, style, digits)
    title = "**{}**" if style == "markdown" else "{}"
    parts = [] if not comparison.paired else [(_means_title(comparison), _means(comparison, style, digits))]
    parts.append((_pairs_title(comparison), _pairs(comparison, style, digits)))
    if comparison.variance:
        parts.append(("Two-way analysis of variance", _variances(comparison.variance, style)))
    if comparison.friedman:
        parts.append(("Friedman's test and mean ranks", _friedman(comparison.friedman, style)))
    movers = _movers(comparison, digits)
    return "\n".join([*(f"{title.format(name)}\n\n{grid}" for name, grid in parts), *([movers] if movers else [])])


def _means_title(comparison: Comparison) -> str:
    letters = "; systems that share a letter cannot be told apart" if comparison.letters else ""
    return f"Means{letters}"


def _pairs_title(comparison: Comparison) -> str:
    interval = comparison.intervals_in_words
    return f"Differences b - a, with {interval}; {described_test(comparison)}; * significant at {comparison.alpha:g}"


def _means(comparison: Comparison, style: str, digits: int) -> str:
    scores = comparison.scores
    slices = list(dict.fromkeys(pair.slice for pair in comparison.pairs))
    measures = list(dict.fromkeys(pair.measure for pair in comparison.pairs))
    rows = []
    for label in slices:
        queries = scores.slices[label] if label else None
        means = scores.aggregate("mean", queries)
        up = -1 if scores.lower_is_better(measures[0]) else 1
        ordered = sorted(scores.runs, key=lambda run: -up * means[run.name][measures[0]])
        for run in ordered if comparison.letters else scores.runs:
            cells = []
            for measure in measures:
                letters = comparison.letters.get((label, measure), {}).get(run.name, "")
                cells.append(f"{means[run.name][measure]:.{digits}f}{f' {letters}' if letters else ''}")
            count = str(scores.num_queries(run.name, queries))
            rows.append([run.name, *([label or "all"] if len(slices) > 1 else []), count, *cells])
    header = ["run", *(["slice"] if len(slices) > 1 else []), "queries", *measures]
    return render_grid(header, rows, style)


def _pairs(comparison: Comparison, style: str, digits: int) -> str:
    """One line a pair: what it is, how large, how sure; p stands last."""
    with_slice = any(pair.slice for pair in comparison.pairs)
    effect = next(iter(comparison.pairs[0].effect))
    columns: dict[str, list[str]] = {"measure": [pair.measure for pair in comparison.pairs]}
    if with_slice:
        columns["slice"] = [pair.slice or "all" for pair in comparison.pairs]
    columns["a"], columns["b"] = [pair.a for pair in comparison.pairs], [pair.b for pair in comparison.pairs]
    if not comparison.paired:
        columns["mean a"] = [f"{pair.mean_a:.{digits}f}" for pair in comparison.pairs]
        columns["mean b"] = [f"{pair.mean_b:.{digits}f}" for pair in comparison.pairs]
    columns["difference"] = [signed(pair.difference, digits) for pair in comparison.pairs]
    columns["low"] = [signed(pair.low, digits) for pair in comparison.pairs]
    columns["high"] = [signed(pair.high, digits) for pair in comparison.pairs]
    columns[effect] = [signed(pair.effect[effect], 2) for pair in comparison.pairs]
    optional: dict[str, list[float | int | None]] = {
        "wins": [pair.wins for pair in comparison.pairs],
        "ties": [pair.ties for pair in comparison.pairs],
        "losses": [pair.losses for pair in comparison.pairs],
        "detectable": [pair.smallest_detectable for pair in comparison.pairs],
        "queries needed": [pair.queries_needed for pair in comparison.pairs],
        "p equivalent": [pair.p_equivalent for pair in comparison.pairs],
        "p not worse": [pair.p_not_worse for pair in comparison.pairs],
    }
    for name, values in optional.items():
        if any(value is not None for value in values):
            columns[name] = [_optional(value, digits) for value in values]
    columns["p"] = [p_text(pair.p, digits) for pair in comparison.pairs]
    columns["p adjusted"] = [
        p_text(pair.p_adjusted, digits) + (" *" if pair.significant(comparison.alpha) else "")
        for pair in comparison.pairs
    ]
    return render_grid(list(columns), list(zip(*columns.values(), strict=True)), style)


def _csv(comparison: Comparison) -> str:
    """One line a pair with every number in full, for other programs; p and interval with what they hold for."""
    names = [
        "measure",
        "slice",
        "a",
        "b",
        "num_queries",
        "mean_a",
        "mean_b",
        "difference",
        "low",
        "high",
        "p",
        "p_adjusted",
    ]
    counts = ["wins", "ties", "losses", "smallest_detectable", "queries_needed", "p_equivalent", "p_not_worse"]
    effects = list(comparison.pairs[0].effect)
    declared = {
        "interval": comparison.interval,
        "level": str(comparison.level),
        "simultaneous": str(comparison.simultaneous).lower(),
        "matches_test": str(comparison.matches).lower(),
        "correction": comparison.correction,
        "num_tests": str(comparison.num_tests),
        "family": comparison.family,
    }
    rows = [
        [
            *(_in_full(getattr(pair, name)) for name in names),
            *(_in_full(pair.effect[name]) for name in effects),
            *(_in_full(getattr(pair, name)) for name in counts),
            *declared.values(),
        ]
        for pair in comparison.pairs
    ]
    return render_grid([*names, *effects, *counts, *declared], rows, "csv")


def _in_full(value: float | int | str | None) -> str:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)


def _optional(value: float | int | None, digits: int) -> str:
    if value is None or math.isnan(value):
        return ""
    return str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def signed(number: float, digits: int) -> str:
    """With its sign; what rounds to nothing has none."""
    return "" if math.isnan(number) else f"{round(number, digits) + 0.0:+.{digits}f}"


def p_text(p: float, digits: int) -> str:
    """A p-value; one that would be printed as 0 is said to be below the least that is printed."""
    least = 10.0**-digits
    return "" if math.isnan(p) else f"<{least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def _friedman(friedman: Sequence[RankVariance], style: str) -> str:
    with_slice = any(f.slice for f in friedman)
    names = list(friedman[0].mean_ranks)
    header = ["measure", *(["slice"] if with_slice else []), "chi squared", "df", "p", *names]
    rows = [
        [
            f.measure,
            *([f.slice or "all"] if with_slice else []),
            f"{f.chi_squared:.2f}",
            str(f.df),
            p_text(f.p, 4),
            *(f"{f.mean_ranks[name]:.2f}" for name in names),
        ]
        for f in friedman
    ]
    return render_grid(header, rows, style)


def _variances(variance: Sequence[Variance], style: str) -> str:
    with_slice = any(v.slice for v in variance)
    header = ["measure", *(["slice"] if with_slice else [])]
    header += ["F systems", "p systems", "F queries", "p queries", "residual sd"]
    rows = [
        [
            v.measure,
            *([v.slice or "all"] if with_slice else []),
            f"{v.f_systems:.2f}",
            p_text(v.p_systems, 4),
            f"{v.f_queries:.2f}",
            p_text(v.p_queries, 4),
            f"{v.residual_sd:.4f}",
        ]
        for v in variance
    ]
    return render_grid(header, rows, style)


def _movers(comparison: Comparison, digits: int) -> str:
    """For a single pair, the queries that moved most; for many it would be a flood."""
    lines = []
    if len({(pair.a, pair.b) for pair in comparison.pairs}) == 1:
        for pair in comparison.pairs:
            if pair.slice:
                continue
            for verb, queries in (("gained", pair.gained), ("lost", pair.lost)):
                if queries:
                    named = ", ".join(f"{query} {change:+.{digits}f}" for query, change in queries)
                    lines.append(f"{pair.measure}: {verb} most: {named}\n")
    return "".join(lines)


def comparison_as_dict(comparison: Comparison) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    from germane import __version__

    return {
        "germane": __version__,
        "test": comparison.test,
        "sides": comparison.sides,
        "correction": comparison.correction,
        "family": comparison.family,
        "num_tests": comparison.num_tests,
        "alpha": comparison.alpha,
        "interval": {
            "method": comparison.interval,
            "level": comparison.level,
            "simultaneous": comparison.simultaneous,
            "matches_test": comparison.matches,
        },
        "seed": comparison.seed,
        "baseline": comparison.baseline,
        "equivalence": comparison.equivalence,
        "margin": comparison.margin,
        "wanted_difference": comparison.wanted_difference,
        **({"means": comparison.scores.mean()} if comparison.paired else {}),
        "pairs": [_pair_as_dict(pair, comparison) for pair in comparison.pairs],
        "variance": [_plain(vars(v)) for v in comparison.variance],
        "friedman": [{**_plain(vars(f)), "mean_ranks": dict(f.mean_ranks)} for f in comparison.friedman],
        "letters": [
            {"slice": label, "measure": measure, "letters": dict(letters)}
            for (label, measure), letters in comparison.letters.items()
        ],
        "notes": [note_as_dict(note) for note in comparison.notes],
    }


def _pair_as_dict(pair: Pair, comparison: Comparison) -> dict[str, Any]:
    full = _plain(vars(pair))
    asked = {
        "p_equivalent": comparison.equivalence,
        "p_not_worse": comparison.margin,
        "queries_needed": comparison.wanted_difference,
    }
    ordered: dict[str, Any] = {}
    for key, value in full.items():
        if key == "low":
            ordered["interval"] = [value, full["high"]]
        elif key == "effect":
            ordered["effect"] = _plain(dict(pair.effect))
        elif key in ("gained", "lost"):
            ordered[key] = [list(mover) for mover in value]
        elif key != "high" and (key not in asked or asked[key] is not None):
            ordered[key] = value
    return ordered


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()}
