"""What the retrieval page says in words: its sections, and what was measured and how."""

from __future__ import annotations

from germane.api.reports.rankings import RetrievalNumbers
from germane.output.page.shell import skeleton

TIES = {
    "docno": "by document id, descending, as trec_eval does",
    "order": "as the documents come in the file",
    "rank": "by the rank column",
    "best": "the best for the run",
    "worst": "the worst for the run",
    "expected": "the mean over all orders of the tied documents; in curves and rankings they stand by their ids",
}
TOPICS = {
    "qrels": "all queries of the judgments; one that a run lacks counts as an empty ranking",
    "both": "only queries that both the run and the judgments have",
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
    "leaderboard": "Leaderboard",
    "method": "What was measured, and how",
    "curves": "Precision and recall",
    "differences": "Differences",
    "distribution": "Distribution over queries",
    "cost": "Quality against cost",
    "queries": "Queries",
    "relations": "How systems and measures relate",
    "coverage": "How much was judged",
}


def settings(numbers: RetrievalNumbers) -> list[tuple[str, str]]:
    """What defines the numbers, in plain words, a line each."""
    scores, comparison, choices = numbers.scores, numbers.comparison, numbers.choices
    levels = sorted({f"{float(str(dict(m.parameters).get('rel', 1))):g}" for m in scores.measures})
    judged = len(numbers.qrels.docs)
    lines = [
        ("Judgments", f"{numbers.qrels.name}: {len(scores.queries)} queries, {judged:,} judged documents"),
        ("Queries", TOPICS[scores.topics]),
        ("Tied scores", f"ordered {TIES[scores.ties]}" if scores.ties != "expected" else TIES["expected"]),
        ("Relevant", f"a grade of {' or '.join(levels)} or more; unjudged documents count as not relevant"),
        ("Scores", {"float64": "read as 64-bit numbers", "float32": "read as 32-bit numbers"}[scores.score_type]),
        ("Interval of a mean", f"{choices.level * 100:g}%, {choices.interval}"),
    ]
    if comparison is not None:
        lines += [
            ("Test", f"{TESTS.get(comparison.test, comparison.test)}, two-sided"),
            ("Family of tests", f"p {comparison.family_in_words}"),
            ("Interval of a difference", comparison.intervals_in_words),
            ("Significant", f"adjusted p of {comparison.alpha:g} or less"),
        ]
    lines.append(("Seed", f"{choices.seed}, for whatever is drawn at random"))
    return lines


def body(title: str, numbers: RetrievalNumbers) -> str:
    """The page's skeleton; the script fills it."""
    shown = {
        name: heading
        for name, heading in SECTIONS.items()
        if (name != "cost" or numbers.costs) and (name not in ("differences", "relations") or len(numbers.runs) > 1)
    }
    bar = '<div id="controls" class="controls" role="group" aria-label="What is shown"></div>'
    return skeleton(title, shown, bar)
