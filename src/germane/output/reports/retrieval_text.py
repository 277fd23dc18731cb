"""Text of the retrieval report: headings and settings."""

from __future__ import annotations

from germane.api.reports.rankings import RetrievalNumbers
from germane.output.page.shell import skeleton

TIES = {
    "docno": "broken by docno, descending (as trec_eval does)",
    "order": "kept in file order",
    "rank": "broken by the rank column",
    "best": "broken in favour of the run",
    "worst": "broken against the run",
    "expected": "mean over all orders of the tied documents; curves and rankings break ties by docno",
}
TOPICS = {
    "qrels": "all judged queries; missing ones score as empty rankings",
    "both": "only queries in both the run and the qrels",
}
TESTS = {
    "t": "paired t-test",
    "randomisation": "paired randomisation test",
    "bootstrap": "paired bootstrap test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "tukey": "Tukey's test, blocked by query",
    "randomised-tukey": "randomised Tukey test",
    "nemenyi": "Nemenyi's test",
}

SECTIONS = {
    "verdict": "Verdict",
    "leaderboard": "Leaderboard",
    "differences": "Differences",
    "queries": "Queries",
    "coverage": "Judgment coverage",
    "distribution": "Distribution",
    "curves": "Precision and recall",
    "cost": "Quality vs. cost",
    "relations": "Correlations",
    "method": "Methods",
}


def settings(numbers: RetrievalNumbers) -> list[tuple[str, str]]:
    """Return the settings behind the numbers, as pairs of a label and its text."""
    scores, comparison, choices = numbers.scores, numbers.comparison, numbers.choices
    levels = sorted({f"{float(str(dict(m.parameters).get('rel', 1))):g}" for m in scores.measures})
    judged = len(numbers.qrels.docs)
    lines = [
        ("Judgments", f"{numbers.qrels.name}: {len(scores.queries)} queries, {judged:,} judged documents"),
        ("Queries", TOPICS[scores.topics]),
        ("Ties", TIES[scores.ties]),
        ("Relevant", f"grade ≥ {' or '.join(levels)}; unjudged documents count as non-relevant"),
        ("Score precision", {"float64": "64-bit", "float32": "32-bit"}[scores.score_type]),
        ("Intervals of means", f"{choices.level * 100:g}% {choices.interval} intervals"),
    ]
    if comparison is not None:
        lines += [
            ("Test", f"{TESTS.get(comparison.test, comparison.test)}, two-sided"),
            ("Multiple tests", f"p {comparison.family_in_words}"),
            ("Intervals of differences", comparison.intervals_in_words),
            ("Significance level", f"α = {comparison.alpha:g}, for adjusted p-values"),
        ]
        if comparison.ranks:
            lines.append(("Intervals of ranks", f"{comparison.rank_intervals_in_words}; not simultaneous"))
    lines.append(("Random seed", str(choices.seed)))
    return lines


def body(title: str, numbers: RetrievalNumbers) -> str:
    """Return the skeleton of the page; the script fills it."""
    shown = {
        name: heading
        for name, heading in SECTIONS.items()
        if (name != "cost" or numbers.costs) and (name not in ("differences", "relations") or len(numbers.runs) > 1)
    }
    bar = '<div id="controls" class="controls" role="group" aria-label="Measure and systems"></div>'
    return skeleton(title, shown, bar)
