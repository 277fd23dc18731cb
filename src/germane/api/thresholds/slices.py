"""A rule applied to each slice of the items, beside the common threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from germane.api.thresholds.sets import ScoredSet, applied_to
from germane.errors import GermaneError
from germane.stats.thresholds.aims import Rule, TargetBy
from germane.stats.thresholds.choice import choose_threshold
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.thresholds.choice import SetResult, ThresholdChoice
from germane.tables.thresholds.slices import COMMON, OWN, ThresholdSlice

SHOWN = 3
"""Maximum number of slices that a note lists."""


def slices_of(
    sets: Sequence[ScoredSet],
    common: ThresholdChoice,
    rule: Rule,
    target_by: TargetBy,
    settings: Mapping[str, Any],
    resamples: int | None,
) -> tuple[ThresholdSlice, ...]:
    """Return what the common threshold does in each slice of each set, and what the rule chooses there on the first."""
    names = dict.fromkeys(name for each in sets for name in each.slices)
    found = []
    for name in names:
        parts = [_part(each, name) for each in sets if name in each.slices]
        own, reason = _own_choice(sets[0], name, rule, target_by, common.level)
        results: dict[str, dict[str, SetResult]] = {}
        for part in parts:
            results[part.name] = {COMMON: applied_to(part, common, rule, settings, resamples)}
            if own is not None:
                results[part.name][OWN] = applied_to(part, own, rule, settings, resamples)
        found.append(ThresholdSlice(name, own, reason, results))
    return tuple(found)


def notes_on_slices(slices: Sequence[ThresholdSlice]) -> list[Note]:
    """Return a note on slices in which the rule chooses nothing."""
    without = [f"{each.name}: {each.reason}" for each in slices if each.own is None]
    if not without:
        return []
    what = "without a threshold of their own, since the rule chooses none there; use the common one"
    amount = counted(len(without), "slice")
    return [Note("no-choice-in-slice", amount, what, count=len(without), examples=tuple(without[:SHOWN]))]


def _part(data: ScoredSet, name: str) -> ScoredSet:
    return replace(data, decisions=data.slices[name], slices={})


def _own_choice(
    chosen_on: ScoredSet, name: str, rule: Rule, target_by: TargetBy, level: float
) -> tuple[ThresholdChoice | None, str]:
    """Return what the rule chooses in a slice, or why it chooses nothing."""
    if name not in chosen_on.slices:
        return None, f"not in {chosen_on.name}"
    try:
        return choose_threshold(chosen_on.slices[name], rule, target_by=target_by, level=level), ""
    except GermaneError as problem:
        return None, problem.message
