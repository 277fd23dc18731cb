"""A comparison as tables for people, or as JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from germane.report.grids import escape_latex, render_grid
from germane.report.notes import note_as_dict
from germane.tables.comparison import Comparison, Pair, Variance

STYLES = ("table", "markdown", "latex", "csv", "json")


def render_comparison(comparison: Comparison, style: str, *, digits: int = 4) -> str:
    """Write a comparison in one of the styles."""
    if style == "json":
        import json

        return json.dumps(comparison_as_dict(comparison), indent=1) + "\n"
    if style == "latex":
        return _latex(comparison, digits)
    pairs = _pairs(comparison, style, digits)
    if style == "csv":
        return pairs
    title = "**{}**" if style == "markdown" else "{}"
    parts = [f"{title.format(_means_title(comparison))}\n\n{_means(comparison, style, digits)}"]
    parts.append(f"{title.format(_pairs_title(comparison))}\n\n{pairs}")
    if comparison.variance:
        parts.append(f"{title.format('Two-way analysis of variance')}\n\n{_variances(comparison.variance, style)}")
    movers = _movers(comparison, digits)
    if movers:
        parts.append(movers)
    return "\n".join(parts)


def _means_title(comparison: Comparison) -> str:
    letters = "; systems that share a letter cannot be told apart" if comparison.letters else ""
    return f"Means{letters}"


def _pairs_title(comparison: Comparison) -> str:
    level = f"{comparison.level:.0%} {comparison.interval} interval"
    sides = {"two": "two-sided", "greater": "one-sided, greater", "less": "one-sided, less"}[comparison.sides]
    return f"Differences b - a, with {level}; {comparison.test} test, {sides}, adjusted by {comparison.correction}"


def _means(comparison: Comparison, style: str, digits: int) -> str:
    scores = comparison.scores
    slices = sorted({pair.slice for pair in comparison.pairs})
    measures = list(dict.fromkeys(pair.measure for pair in comparison.pairs))
    rows = []
    for label in slices:
        queries = scores.slices[label] if label else None
        means = scores.aggregate("mean", queries)
        for run in scores.runs:
            cells = []
            for measure in measures:
                letters = comparison.letters.get((label, measure), {}).get(run.name, "")
                cells.append(f"{means[run.name][measure]:.{digits}f}{f' {letters}' if letters else ''}")
            count = str(scores.num_queries(run.name, queries))
            rows.append([run.name, *([label] if slices != [""] else []), count, *cells])
    header = ["run", *(["slice"] if slices != [""] else []), "queries", *measures]
    return render_grid(header, rows, style)


def _pairs(comparison: Comparison, style: str, digits: int) -> str:
    in_full = style == "csv"
    with_slice = any(pair.slice for pair in comparison.pairs)
    header = ["measure", *(["slice"] if with_slice else []), "a", "b", "difference", "low", "high", "p", "p adjusted"]
    header += list(comparison.pairs[0].effect) if in_full else ["d_z"]
    header += ["wins", "ties", "losses"]
    optional: dict[str, list[float | int | None]] = {
        "p equivalent": [pair.p_equivalent for pair in comparison.pairs],
        "p not worse": [pair.p_not_worse for pair in comparison.pairs],
        "detectable": [pair.smallest_detectable for pair in comparison.pairs],
        "queries needed": [pair.queries_needed for pair in comparison.pairs],
    }
    shown = {name: column for name, column in optional.items() if any(value is not None for value in column)}
    rows = []
    for i, pair in enumerate(comparison.pairs):
        effects = pair.effect.values() if in_full else [pair.effect["d_z"]]
        row = [pair.measure, *([pair.slice] if with_slice else []), pair.a, pair.b]
        row += [_signed(x, digits) for x in (pair.difference, pair.low, pair.high)]
        row += [_p(pair.p, digits), _p(pair.p_adjusted, digits) + _star(pair, comparison, style)]
        row += [_signed(effect, 2) for effect in effects]
        row += [_optional(count, digits) for count in (pair.wins, pair.ties, pair.losses)]
        row += [_optional(column[i], digits) for column in shown.values()]
        rows.append(row)
    return render_grid([*header, *shown], rows, style)


def _optional(value: float | int | None, digits: int) -> str:
    return "" if value is None else str(value) if isinstance(value, int) else f"{value:.{digits}f}"


def _signed(number: float, digits: int) -> str:
    return "nan" if math.isnan(number) else f"{number:+.{digits}f}"


def _p(p: float, digits: int) -> str:
    least = 10.0**-digits
    return "nan" if math.isnan(p) else f"<{least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def _star(pair: Pair, comparison: Comparison, style: str) -> str:
    if style == "csv":
        return ""
    return " *" if pair.significant(comparison.alpha) else ""


def _variances(variance: Sequence[Variance], style: str) -> str:
    with_slice = any(v.slice for v in variance)
    header = ["measure", *(["slice"] if with_slice else [])]
    header += ["F systems", "p systems", "F queries", "p queries", "residual sd"]
    rows = [
        [
            v.measure,
            *([v.slice] if with_slice else []),
            f"{v.f_systems:.2f}",
            _p(v.p_systems, 4),
            f"{v.f_queries:.2f}",
            _p(v.p_queries, 4),
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


def _latex(comparison: Comparison, digits: int) -> str:
    """Means by system, each marked with the letters of the systems that it is significantly better than."""
    scores = comparison.scores
    measures = list(dict.fromkeys(pair.measure for pair in comparison.pairs))
    names = [run.name for run in scores.runs]
    mark = {name: _letter(i) for i, name in enumerate(names)}
    better: dict[tuple[str, str], list[str]] = {}
    for pair in comparison.pairs:
        if not pair.slice and pair.significant(comparison.alpha):
            up = pair.difference > 0
            winner, loser = (pair.b, pair.a) if up else (pair.a, pair.b)
            if scores.lower_is_better(pair.measure):
                winner, loser = loser, winner
            better.setdefault((winner, pair.measure), []).append(mark[loser])
    means = scores.mean()
    rows = []
    for name in names:
        cells = []
        for measure in measures:
            above = "".join(sorted(better.get((name, measure), [])))
            cells.append(f"{means[name][measure]:.{digits}f}" + (f"$^{{{above}}}$" if above else ""))
        rows.append(" & ".join([mark[name], escape_latex(name), *cells]) + r" \\")
    caption = (
        f"% {comparison.test} test, adjusted by {comparison.correction}; family: {comparison.family}; "
        f"alpha {comparison.alpha:g}; seed {comparison.seed}. A letter marks a system that is significantly worse."
    )
    head = " & ".join(["", "System", *map(escape_latex, measures)]) + r" \\"
    lines = [r"% needs \usepackage{booktabs}", caption, rf"\begin{{tabular}}{{ll{'r' * len(measures)}}}", r"\toprule"]
    return "\n".join([*lines, head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _letter(index: int) -> str:
    """a to z, then aa, ab, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


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
        "interval": {"method": comparison.interval, "level": comparison.level},
        "seed": comparison.seed,
        "baseline": comparison.baseline,
        "equivalence": comparison.equivalence,
        "margin": comparison.margin,
        "means": comparison.scores.mean(),
        "pairs": [_pair_as_dict(pair) for pair in comparison.pairs],
        "variance": [_plain(vars(v)) for v in comparison.variance],
        "letters": [
            {"slice": label, "measure": measure, "letters": dict(letters)}
            for (label, measure), letters in comparison.letters.items()
        ],
        "notes": [note_as_dict(note) for note in comparison.notes],
    }


def _pair_as_dict(pair: Pair) -> dict[str, Any]:
    full = _plain(vars(pair))
    full["interval"] = [full.pop("low"), full.pop("high")]
    full["effect"] = _plain(dict(pair.effect))
    full["gained"], full["lost"] = ([list(mover) for mover in movers] for movers in (pair.gained, pair.lost))
    return {key: value for key, value in full.items() if value is not None or key not in _ONLY_IF_ASKED}


_ONLY_IF_ASKED = ("p_equivalent", "p_not_worse", "smallest_detectable", "queries_needed")


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()}
