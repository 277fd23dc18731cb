"""Text on a comparison: its family of tests, its correction, and its notes."""

from __future__ import annotations

from collections.abc import Sequence

from germane.api.comparisons.test_family import MANY_SYSTEM_TESTS, MAX_T_CORRECTIONS, Column, num_groups
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import Scores

RANDOM = ("randomisation", "bootstrap", "randomised-tukey", "permutation")
"""Tests that resample at random, so that the seed matters."""


def correction_in_words(columns: Sequence[Column], test: str, correction: str) -> str:
    """Return what adjusts p: the correction, or the test itself where it covers all pairs."""
    if test not in MANY_SYSTEM_TESTS:
        return correction
    return f"the {test} test, bonferroni over measures" if num_groups(columns) > 1 else f"the {test} test"


def family_in_words(scores: Scores, columns: Sequence[Column], baseline: str | None) -> str:
    """Return the family in words: pairs × measures × sets of queries."""
    pairs = len({(column.a, column.b) for column in columns})
    num_slices = len({column.slice for column in columns})
    which = f"with {baseline}" if baseline else "of systems"
    parts = [f"{counted(pairs, 'pair')} {which}", counted(len(scores.measures), "measure")]
    if num_slices > 1:
        parts.append(f"{num_slices} sets of queries: all and {counted(num_slices - 1, 'slice')}")
    return " × ".join(parts)


def notes_on_comparison(comparison: SystemComparison, remarks: Sequence[str], test: str) -> tuple[Note, ...]:
    """Return the notes: the family, how to read intervals and power, the test's caution, unusual pairs."""

    count, alpha = comparison.num_tests, comparison.alpha
    seed = f", seed {comparison.seed}" if test in RANDOM or comparison.correction in MAX_T_CORRECTIONS else ""
    what = f"p-value{'s' * (count > 1)} {comparison.family_in_words}, α = {alpha:g}{seed}"
    notes = [Note("family", "", what, count=count)]
    if not comparison.matches:
        what = "intervals are unadjusted and do not decide significance; the adjusted p-values do"
        notes.append(Note("unadjusted-intervals", "", what))
    limits = {"equivalence p": comparison.equivalence, "non-inferiority p": comparison.margin}
    asked = [name for name, delta in limits.items() if delta]
    if asked and count > 1:
        notes.append(
            Note(
                "unadjusted-intervals",
                "",
                f"not adjusted for {count} tests: {' and '.join(asked)}; compare them with α/{count} (Bonferroni)",
            )
        )
    if any(pair.minimum_detectable is not None for pair in comparison.pairs):
        level = f"{alpha:g}/{count}" if count > 1 else f"{alpha:g}"
        what = f"detectable: smallest true difference found with 80% power (t-test, α = {level})"
        notes.append(Note("power", "", what))
    lower = [str(m) for m in comparison.scores.measures if comparison.scores.lower_is_better(m)]
    if lower:
        what = "wins and effect sizes account for it, but differences are plain b − a"
        notes.append(Note("direction", "", f"lower is better for {', '.join(lower)}; {what}"))
    neutral = [str(m) for m in comparison.scores.measures if str(m) in comparison.scores.neutral]
    if neutral:
        what = 'a "win" only means a higher value'
        notes.append(Note("direction", "", f"no better direction for {', '.join(neutral)}; {what}"))
    too_small = [label for label, queries in comparison.scores.slices.items() if len(queries) < 2]
    if too_small and comparison.paired:
        amount = counted(len(too_small), "slice")
        notes.append(Note("small-slices", amount, "with only one query; skipped", examples=tuple(too_small)))
    entry = PAIRED_TESTS.find(test) or UNPAIRED_TESTS.find(test)
    if entry is not None and entry.owes:
        notes.append(Note("caution", entry.name, entry.owes))
    for remark in dict.fromkeys(filter(None, remarks)):
        hit = [pair for pair, said in zip(comparison.pairs, remarks, strict=True) if said == remark]
        named = tuple(f"{pair.a} and {pair.b} on {pair.measure}" for pair in hit[:3])
        notes.append(Note("unusual-p-values", f"{counted(len(hit), 'pair')}:", remark, count=len(hit), examples=named))
    return (*comparison.scores.notes, *notes)
