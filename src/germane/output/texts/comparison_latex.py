"""A comparison as a table for a paper: mean scores, best values in bold, superscripts for significance, a caption."""

from __future__ import annotations

import math

from germane.output.rendering.latex import GAPS, escape_latex, gap_for, requirements, too_wide
from germane.tables.results.comparison import SystemComparison

DRAWING_TESTS = ("randomisation", "bootstrap", "randomised-tukey")
DRAWING_CORRECTIONS = ("max-t", "step-down-max-t")


def paper(comparison: SystemComparison, digits: int) -> str | None:
    """Set the means by system as a table with a caption; it takes a column where it fits one, else both.

    Groups of queries have no such table.
    """
    if not comparison.paired:
        return None
    scores = comparison.scores
    measures = list(dict.fromkeys(pair.measure for pair in comparison.pairs))
    names = [run.name for run in scores.runs]
    letters = {} if comparison.baseline is not None else {name: _letter(i) for i, name in enumerate(names)}
    marks = _letters_of_worse(comparison, letters) if letters else _signs_against_baseline(comparison)
    means = scores.mean()
    values = {m: [f"{means[name][m]:.{digits}f}".replace("nan", "--") for name in names] for m in measures}
    best = {measure: _best(comparison, measure, digits) for measure in measures}
    raised = {m: [marks.get((name, m), "") for name in names] for m in measures}

    def cell(measure: str, row: int) -> str:
        value, mark = values[measure][row], raised[measure][row]
        shown = rf"\textbf{{{value}}}" if value == best[measure] else value
        return shown + (f"$^{{{mark}}}$" if mark else "")

    head = [*([""] if letters else []), "System", *measures]
    texts = [[name] for name in head[: -len(measures)]]
    texts[-1] += names
    texts += [[m, *(v + mark for v, mark in zip(values[m], raised[m], strict=True))] for m in measures]
    rows = [
        [*([letters[name]] if letters else []), escape_latex(name), *(cell(m, row) for m in measures)]
        for row, name in enumerate(names)
    ]
    gap = gap_for(texts)
    table = "table" if gap else "table*"
    columns = f"{'ll' if letters else 'l'}{''.join(_alignment(values[m], raised[m]) for m in measures)}"
    lines = [
        f"{requirements([*names, *measures])}{_seed(comparison)}",
        *([] if gap else [too_wide(texts)]),
        rf"\begin{{{table}}}[t]",
        r"\centering",
        rf"\caption{{{_caption(comparison, measures, bool(marks))}}}",
        r"\label{tab:comparison}",
        *([rf"\setlength{{\tabcolsep}}{{{gap}pt}}"] if gap in GAPS[1:] else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *(" & ".join(row) + r" \\" for row in [[escape_latex(each) for each in head]]),
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\end{{{table}}}",
    ]
    return "\n".join(lines) + "\n"


def _alignment(values: list[str], raised: list[str]) -> str:
    """Numbers of one length stand below each other on the left too, where superscripts do not move them."""
    return "l" if any(raised) and len(set(map(len, values))) == 1 else "r"


def _significant(comparison: SystemComparison) -> list[tuple[str, str, str]]:
    """The measure, the better and the worse system of each pair that differs significantly."""
    found = []
    for pair in comparison.pairs:
        if not pair.slice and pair.measure not in comparison.scores.neutral and pair.significant(comparison.alpha):
            b_is_better = (pair.difference > 0) != comparison.scores.lower_is_better(pair.measure)
            found.append((pair.measure, *((pair.b, pair.a) if b_is_better else (pair.a, pair.b))))
    return found


def _letters_of_worse(comparison: SystemComparison, letters: dict[str, str]) -> dict[tuple[str, str], str]:
    """Letters of the significantly worse systems, by system and measure."""
    worse: dict[tuple[str, str], list[str]] = {}
    for measure, winner, loser in _significant(comparison):
        worse.setdefault((winner, measure), []).append(letters[loser])
    return {cell: "".join(sorted(found)) for cell, found in worse.items()}


def _signs_against_baseline(comparison: SystemComparison) -> dict[tuple[str, str], str]:
    """Signs by system and measure: + for better than the baseline, - for worse."""
    signs = {}
    for measure, winner, loser in _significant(comparison):
        other, sign = (loser, "-") if winner == comparison.baseline else (winner, "+")
        signs[other, measure] = sign
    return signs


def _seed(comparison: SystemComparison) -> str:
    """The seed, where significance depends on it."""
    draws = comparison.test in DRAWING_TESTS or comparison.correction in DRAWING_CORRECTIONS
    return f"; seed {comparison.seed}" if draws else ""


def _best(comparison: SystemComparison, measure: str, digits: int) -> str:
    """The best mean as printed: means that look the same are all best, and some measures have no better direction."""
    if measure in comparison.scores.neutral:
        return ""
    means = [run[measure] for run in comparison.scores.mean().values() if not math.isnan(run[measure])]
    choose = min if comparison.scores.lower_is_better(measure) else max
    return f"{choose(means):.{digits}f}" if means else ""


def _caption(comparison: SystemComparison, measures: list[str], marked: bool) -> str:
    """Return what a reader of the table has to know, as LaTeX: measures, queries, marks, test, adjustment and level."""
    queries = max(pair.num_queries for pair in comparison.pairs)
    named = escape_latex(measures[0] if len(measures) == 1 else f"{', '.join(measures[:-1])} and {measures[-1]}")
    baseline = "" if comparison.baseline is None else escape_latex(comparison.baseline)
    if not marked:
        marks = f"No system differs significantly from {baseline or 'another'}"
    elif baseline:
        marks = f"Superscripts mark systems significantly better ($+$) or worse ($-$) than {baseline}"
    else:
        marks = "Superscript letters name the systems that are significantly worse"
    test = escape_latex(comparison.test_in_words)
    return (
        f"Mean {named} over {queries} queries; the best values are in bold. {marks} "
        rf"({test}; $\alpha = {comparison.alpha:g}$)."
    )


def _letter(index: int) -> str:
    """a to z, then aa, ab, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
