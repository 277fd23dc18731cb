"""The first lines of the comment on a merge request: the verdict, and missing queries."""

from __future__ import annotations

from collections.abc import Sequence

from germane.output.rendering.cells import p_text, signed
from germane.output.rendering.markdown_text import code, plain
from germane.tables.notes.counts import counted
from germane.tables.results.comparison import HeldDifference, Pair, SystemComparison

MOST_NAMED = 5
"""Maximum number of limits or runs listed in the first lines."""


def verdict(comparison: SystemComparison, held: Sequence[HeldDifference], digits: int) -> str:
    """State whether the limits were met or, without limits, whether any change is significant."""
    pairs = [pair for pair in comparison.pairs if not pair.slice]
    one = len({pair.b for pair in pairs}) == 1
    against = f"{code(pairs[0].b) if one else f'{len({p.b for p in pairs})} systems'} against {code(comparison.base)}"
    where = f"{against}, {pairs[0].num_queries} queries"
    if held:
        wrong = [each for each in held if not each.kept]
        outcomes = [_held_in_words(each, one, digits) for each in wrong or held]
        return f"**{'Failed' if wrong else 'Passed'}** ({where}): {_first(outcomes)}."
    clear = [pair for pair in pairs if pair.significant(comparison.alpha)]
    if not clear:
        shown = f": {_pair_in_words(comparison, pairs[0], digits)}" if one else ""
        return f"**No clear change** ({where}){shown}."
    better = [(pair.difference > 0) != comparison.scores.lower_is_better(pair.measure) for pair in clear]
    word = "Better" if all(better) else "Worse" if not any(better) else "Better and worse"
    texts = [f"{'' if one else f'{code(pair.b)} '}{_pair_in_words(comparison, pair, digits)}" for pair in clear]
    return f"**{word}** ({where}): {_first(texts)}."


def _first(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    return f"{'; '.join(texts[:MOST_NAMED])}{more}"


def not_answered(comparison: SystemComparison) -> str:
    """List queries missing from a run, which may explain a loss."""
    notes = [note for note in comparison.notes if note.code == "missing-queries"]
    missing = [
        f"{code(note.run or '')}: {plain(note.message, 80)} ({', '.join(map(code, note.examples))}"
        f"{', …' if (note.count or 0) > len(note.examples) else ''})"
        for note in notes[:MOST_NAMED]
    ]
    more = [f"and {counted(len(notes) - MOST_NAMED, 'more run')}"] if len(notes) > MOST_NAMED else []
    return f"**Missing queries:** {'; '.join([*missing, *more])}." if notes else ""


def _held_in_words(held: HeldDifference, one: bool, digits: int) -> str:
    pair = held.pair
    which, worse = ("upper", "above") if held.lower_is_better else ("lower", "below")
    whose = "" if one else f"{code(pair.b)} "
    outcome = "met" if held.kept else f"missed: the {which} end is {worse} it"
    return f"{whose}{_change(pair, digits)}, limit {held.limit:+g} {outcome}"


def _change(pair: Pair, digits: int) -> str:
    ends = f"{signed(pair.low, digits)} to {signed(pair.high, digits)}"
    return f"{code(pair.measure)} {signed(pair.difference, digits)} ({ends})"


def _pair_in_words(comparison: SystemComparison, pair: Pair, digits: int) -> str:
    p = p_text(pair.p_adjusted, digits).replace("<", "below ")
    family = "" if comparison.num_tests == 1 else f" for {comparison.num_tests} tests"
    return f"{_change(pair, digits)}, adjusted p {p}{family}"
