"""A comparison as a table for a paper: means by system, the best in bold, and marks for what is significant."""

from __future__ import annotations

import math

from germane.output.rendering.latex import escape_latex
from germane.tables.results.comparison import SystemComparison

DRAWING_TESTS = ("randomisation", "bootstrap", "randomised-tukey")
DRAWING_CORRECTIONS = ("max-t", "step-down-max-t")


def paper(comparison: SystemComparison, digits: int) -> str | None:
    """Means by system; what a raised mark says is in the caption, which stands above the table as a comment.

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
    best = {measure: _best(comparison, measure, digits) for measure in measures}
    rows = []
    for name in names:
        cells = []
        for measure in measures:
            value = f"{means[name][measure]:.{digits}f}"
            above = marks.get((name, measure), "")
            shown = rf"\textbf{{{value}}}" if value == best[measure] else value
            cells.append(shown + (f"$^{{{above}}}$" if above else ""))
        rows.append(" & ".join([*([letters[name]] if letters else []), escape_latex(name), *cells]) + r" \\")
    head = " & ".join([*([""] if letters else []), "System", *map(escape_latex, measures)]) + r" \\"
    lines = [
        rf"% needs \usepackage{{booktabs}}{_seed(comparison)}",
        f"% {_caption(comparison)}",
        rf"\begin{{tabular}}{{{'ll' if letters else 'l'}{'r' * len(measures)}}}",
        r"\toprule",
    ]
    return "\n".join([*lines, head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _significant(comparison: SystemComparison) -> list[tuple[str, str, str]]:
    """The measure, the better system and the worse one of each pair that can be told apart."""
    found = []
    for pair in comparison.pairs:
        if not pair.slice and pair.measure not in comparison.scores.neutral and pair.significant(comparison.alpha):
            b_is_better = (pair.difference > 0) != comparison.scores.lower_is_better(pair.measure)
            found.append((pair.measure, *((pair.b, pair.a) if b_is_better else (pair.a, pair.b))))
    return found


def _letters_of_worse(comparison: SystemComparison, letters: dict[str, str]) -> dict[tuple[str, str], str]:
    """By system and measure: the letters of the systems that are worse."""
    worse: dict[tuple[str, str], list[str]] = {}
    for measure, winner, loser in _significant(comparison):
        worse.setdefault((winner, measure), []).append(letters[loser])
    return {cell: "".join(sorted(found)) for cell, found in worse.items()}


def _signs_against_baseline(comparison: SystemComparison) -> dict[tuple[str, str], str]:
    """By system and measure: + for what is better than the baseline, - for what is worse."""
    signs = {}
    for measure, winner, loser in _significant(comparison):
        other, sign = (loser, "-") if winner == comparison.baseline else (winner, "+")
        signs[other, measure] = sign
    return signs


def _seed(comparison: SystemComparison) -> str:
    """The seed, where what is significant depends on it."""
    draws = comparison.test in DRAWING_TESTS or comparison.correction in DRAWING_CORRECTIONS
    return f"; seed {comparison.seed}" if draws else ""


def _best(comparison: SystemComparison, measure: str, digits: int) -> str:
    """The best mean as it is printed: two that look the same are both best, and of some measures none is."""
    if measure in comparison.scores.neutral:
        return ""
    means = [run[measure] for run in comparison.scores.mean().values() if not math.isnan(run[measure])]
    choose = min if comparison.scores.lower_is_better(measure) else max
    return f"{choose(means):.{digits}f}" if means else ""


def _caption(comparison: SystemComparison) -> str:
    """What a reader of the table has to know, as LaTeX."""
    queries = max(pair.num_queries for pair in comparison.pairs)
    marks = "A raised letter names a system that is significantly worse"
    if comparison.baseline is not None:
        than = escape_latex(comparison.baseline)
        marks = f"A raised $+$ says significantly better than {than}, a raised $-$ significantly worse"
    test = escape_latex(comparison.test_in_words)
    return (
        rf"\caption{{Means over {queries} queries, the best in bold. {marks} "
        rf"(paired {test}; $\alpha = {comparison.alpha:g}$).}}"
    )


def _letter(index: int) -> str:
    """a to z, then aa, ab, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters
