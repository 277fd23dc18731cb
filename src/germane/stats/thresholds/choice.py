"""Choose a threshold by a rule.

Candidates are every score that occurs, and infinity, which predicts nothing positive. Values are computed in floating
point; those within rounding of the best, or of a target, are then compared as exact fractions of the counts, so that
rounding never decides a tie. Of tied thresholds, the highest is used.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.stats.intervals.proportions import require_level
from germane.stats.thresholds.aims import Objective, PairRule, Rule, Target, TargetBy
from germane.stats.thresholds.rules import parse_rule
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.thresholds.choice import (
    RULE_IN,
    RULE_OUT,
    THRESHOLD,
    ChosenThreshold,
    TargetValue,
    ThresholdChoice,
    Undecided,
)

ROUNDING = 1e-11
"""Values whose difference, relative to the largest, is smaller are compared exactly."""

Exact = Fraction | float


def choose_threshold(
    dev: Decisions, rule: str | Rule = "youden", *, target_by: TargetBy = "value", level: float = 0.95
) -> ThresholdChoice:
    """Choose a threshold on development data by a rule.

    `target_by="lower"` tests a target against the worse limit of the rate's Wilson interval at `level`, not against
    the rate itself.

    >>> dev = Decisions.of([True, True, False, True, False], [0.9, 0.8, 0.7, 0.4, 0.1])
    >>> choose_threshold(dev, "accuracy").points[0].tied
    (0.8, 0.4)
    >>> choose_threshold(dev, "TPR where PPV>=0.7").threshold
    0.4
    """
    rule = parse_rule(rule)
    require_choosable(dev, rule, target_by, level)
    thresholds, cells = candidates(dev)
    if isinstance(rule, PairRule):
        return _choose_pair(rule, thresholds, cells, target_by, level)
    allowed = np.ones(len(thresholds), dtype=np.bool_)
    for target in rule.targets:
        met = meets(target, cells, target_by, level)
        if not met.any():
            raise _unreached(target, thresholds, cells, target_by, level)
        allowed &= met
    if not allowed.any():
        hint = "relax one of the targets; each can be met on its own, but not all together"
        raise GermaneError(f"no threshold meets all of {', '.join(map(str, rule.targets))}", hint=hint)
    tied = best_places(rule.objective, cells, allowed)
    here, best = _at(cells, int(tied[0])), tuple(thresholds[tied].tolist())
    value = rule.objective.value(here)
    standing = tuple(target_value(target, here, target_by, level) for target in rule.targets)
    point = ChosenThreshold(THRESHOLD, best[0], here, value, best, standing)
    words = in_words(rule, target_by, level)
    return ThresholdChoice(str(rule), words, rule.objective.text, target_by, level, (point,), undecided=None)


def candidates(dev: Decisions) -> tuple[FloatArray, Cells]:
    """Return all candidate thresholds, highest first, and the four cells at each."""
    thresholds, tp, fp = dev.thresholds, dev.true_positives, dev.false_positives
    if thresholds[0] != np.inf:
        thresholds = np.concatenate(([np.inf], thresholds))
        tp, fp = (np.concatenate((np.zeros(1, dtype=column.dtype), column)) for column in (tp, fp))
    return thresholds, Cells(tp, fp, tp[-1] - tp, fp[-1] - fp)


def best_places(objective: Objective, cells: Cells, allowed: BoolArray) -> IntArray:
    """Return the indices of the allowed candidates where the objective is best, highest threshold first."""
    upward = objective(cells) if objective.better == "higher" else -objective(cells)
    usable = allowed & ~np.isnan(upward)
    if not usable.any():
        raise GermaneError(f"{objective.text} is undefined (0 / 0) at every allowed threshold")
    best = upward[usable].max()
    if np.isinf(best):
        return np.flatnonzero(usable & (upward == best))
    finite = np.abs(upward[np.isfinite(upward)])
    near = np.flatnonzero(usable & (upward >= best - ROUNDING * finite.max()))
    values = _exact_values(objective.exact, objective.formula.names, cells, near)
    top = max(values) if objective.better == "higher" else min(values)
    return near[[value == top for value in values]]


def meets(target: Target, cells: Cells, target_by: TargetBy, level: float) -> BoolArray:
    """Return at which thresholds a target is met; an undefined rate never meets it."""
    values = target.tested(cells, target_by, level)
    met = target.reached_within(values, 0.0)
    if target_by == "value":
        close = np.abs(values - float(target.limit)) <= ROUNDING * max(1.0, abs(float(target.limit)))
        near = np.flatnonzero(close)
        if len(near):
            exact = _exact_values(target.chosen.exact, target.chosen.expression.names, cells, near)
            met[near] = [target.reached(value) for value in exact]
    return met


def target_value(target: Target, cells: Cells, target_by: TargetBy, level: float) -> TargetValue:
    """Return the value of a target's rate for four cells, and whether it is met."""
    value, bound = float(target.chosen(cells)), float(target.tested(cells, target_by, level))
    met = target.reached(target.chosen.exact(cells)) if target_by == "value" else target.reached(bound)
    return TargetValue(str(target), value, bound, met)


def in_words(rule: Rule, target_by: TargetBy, level: float) -> str:
    """Describe the rule in words."""
    end = f"the worse limit of the {100 * level:g}% Wilson interval"
    tested = f", targets tested against {end}" if target_by == "lower" else ""
    if isinstance(rule, PairRule):
        out, within = (
            f"the highest threshold with {rule.rule_out} rules out",
            f"the lowest with {rule.rule_in} rules in",
        )
        return f"{out}, {within}, undecided in between{tested}"
    targets = " and ".join(map(str, rule.targets))
    return f"{rule.objective.words}{f' among thresholds with {targets}' if targets else ''}{tested}"


def require_choosable(dev: Decisions, rule: Rule, target_by: str, level: float) -> None:
    """Raise an error if there is nothing to choose, or the targets cannot be tested."""
    if dev.one_class:
        missing = "negatives" if dev.num_positive else "positives"
        problem = f"choosing a threshold requires positives and negatives, found no {missing}"
        raise GermaneError(problem, hint="check that the positive label matches the data")
    if target_by not in ("value", "lower"):
        raise GermaneError(f"expected target_by='value' or 'lower', found {target_by!r}")
    require_level(level)
    if target_by == "lower" and not rule.targets:
        raise GermaneError(
            f"`target_by='lower'` requires a rule with a target, found {rule}", hint="use `target_by='value'`"
        )
    require_intervals(dev, target_by)


def require_intervals(decisions: Decisions, target_by: str) -> None:
    """Raise an error if the Wilson interval to test is undefined."""
    if target_by == "lower" and decisions.weighted:
        hint = "use `target_by='value'`, or remove the weights"
        raise GermaneError("a Wilson interval requires integer weights", hint=hint)


def _choose_pair(
    rule: PairRule, thresholds: FloatArray, cells: Cells, target_by: TargetBy, level: float
) -> ThresholdChoice:
    points = []
    # Thresholds decrease from left to right, so the first one that meets a target is the highest.
    for name, target, end in ((RULE_OUT, rule.rule_out, 0), (RULE_IN, rule.rule_in, -1)):
        met = np.flatnonzero(meets(target, cells, target_by, level))
        if not len(met):
            raise _unreached(target, thresholds, cells, target_by, level)
        place = int(met[end])
        threshold, here = float(thresholds[place]), _at(cells, place)
        standing = target_value(target, here, target_by, level)
        points.append(ChosenThreshold(name, threshold, here, standing.value, (threshold,), (standing,)))
    zone = Undecided.between(points[0].cells, points[1].cells)
    words = in_words(rule, target_by, level)
    return ThresholdChoice(str(rule), words, str(rule), target_by, level, tuple(points), zone)


def _unreached(target: Target, thresholds: FloatArray, cells: Cells, target_by: TargetBy, level: float) -> GermaneError:
    tested = target.tested(cells, target_by, level)
    what = f"{target.chosen}" if target_by == "value" else f"{100 * level:g}% Wilson limit of {target.chosen}"
    if np.isnan(tested).all():
        return GermaneError(f"no threshold meets {target}: {target.chosen} is undefined (0 / 0) at every threshold")
    place = int(np.nanargmax(tested) if target.at_least else np.nanargmin(tested))
    most = "highest" if target.at_least else "lowest"
    where = f"{tested[place]:.4g}, at {threshold_text(float(thresholds[place]), thresholds)}"
    hint = "relax the target, or collect more data"
    if target_by != "value":
        hint = "relax the target, collect more data, or use `target_by='value'`"
    return GermaneError(f"no threshold meets {target}: the {most} {what} is {where}", hint=hint)


def _exact_values(function: Callable[[Cells], Exact], names: Any, cells: Cells, places: IntArray) -> list[Exact]:
    """Return exact values of a formula, computed once for thresholds that share the cells it uses."""
    used = [column[places] for name, column in cells._asdict().items() if name in names]
    _, first, group = np.unique(np.stack(used), axis=1, return_index=True, return_inverse=True)
    values = [function(_at(cells, int(place))) for place in places[first]]
    return [values[at] for at in group.ravel()]


def _at(cells: Cells, place: int) -> Cells:
    return Cells(*(column[place].item() for column in cells))
