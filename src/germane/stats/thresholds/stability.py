"""Stability of the choice of a threshold, by the bootstrap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from germane.stats.intervals.resampling import bootstrap_counts, cell_draws, require_draws
from germane.stats.thresholds.aims import BestRule, PairRule, Rule, TargetBy
from germane.stats.thresholds.choice import candidates, choose_threshold
from germane.stats.thresholds.rules import parse_rule
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.confusion import Cells, Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.thresholds.choice import RULE_IN, RULE_OUT, THRESHOLD, Movement, ThresholdStability

MOST_ROWS = 20_000
"""Up to this many rows, resample row by row; above, resample groups of equal class and score."""

MOST_GROUPS = 20_000
"""Above this many groups, resample row by row after all, with fewer resamples."""

MOST_DRAWS = 40_000_000
"""Maximum number of rows drawn in all those resamples, which takes a few seconds."""

BLOCK = 64
"""Number of resamples of groups in memory at once."""

ROUNDING = 1e-12
"""In resamples, values within this distance (relative to the largest) are tied, without exact fractions."""

USUAL_RESAMPLES = 2000
LEAST_RESAMPLES = 40
"""Minimum number of resamples for the limits of a 95% interval."""


def threshold_stability(
    dev: Decisions,
    rule: str | Rule = "youden",
    *,
    target_by: TargetBy = "value",
    resamples: int | None = None,
    seed: int = 0,
    level: float = 0.95,
) -> ThresholdStability:
    """Repeat the choice on resampled rows: the interval of the threshold, how often it is the same, and its optimism.

    Rows are resampled regardless of class; an integer weight w counts as w rows. A resample with one class only, or
    without a threshold that meets the targets, counts as `unmet`. By default there are 2,000 resamples, and fewer or
    none if they would take minutes; if `resamples` is given, all of them are drawn, however long it takes.

    >>> dev = Decisions.of([True] * 20 + [False] * 20, [0.8] * 20 + [0.3] * 20)
    >>> threshold_stability(dev, "youden", resamples=100)["threshold"].same
    1.0
    """
    rule = parse_rule(rule)
    choice = choose_threshold(dev, rule, target_by=target_by, level=level)
    if resamples is not None:
        require_draws(resamples, LEAST_RESAMPLES)
    names = [point.name for point in choice.points]
    possible, remark = _affordable(dev, resamples)
    if not possible:
        return ThresholdStability({name: Movement(unmet=np.nan) for name in names}, 0, seed, level, remark)
    thresholds, cells = candidates(dev)
    found: dict[str, list[tuple[IntArray, FloatArray]]] = {name: [] for name in names}
    for drawn in _resampled_cells(dev, len(thresholds), possible, seed):
        for name, places in _choices(rule, drawn, target_by, level).items():
            found[name].append((places, _gain(rule, name, drawn, cells, places)))
    movements = {}
    for point in choice.points:
        places, gains = map(np.concatenate, zip(*found[point.name], strict=True))
        movements[point.name] = _movement(thresholds, places, gains, point.threshold, level)
    return ThresholdStability(movements, possible, seed, level, remark)


def _affordable(dev: Decisions, asked: int | None) -> tuple[int, str]:
    """Return the number of resamples, and why there are fewer than usual."""
    if dev.weighted:
        return 0, "not resampled: weights are not integers"
    rows = dev.num_positive + dev.num_negative
    groups = np.count_nonzero(dev.positives_at) + np.count_nonzero(dev.negatives_at)
    most = int(MOST_DRAWS // rows)
    if asked is not None:
        return asked, ""
    if rows <= MOST_ROWS or groups <= MOST_GROUPS or most >= USUAL_RESAMPLES:
        return USUAL_RESAMPLES, ""
    many = f"{rows:,} rows with {len(dev):,} distinct scores take long"
    if most < LEAST_RESAMPLES:
        return 0, f"not resampled: {many}; use --resamples 200 to resample anyway"
    return most, f"only {most:,} resamples: {many}; use --resamples {USUAL_RESAMPLES} for more"


def _resampled_cells(dev: Decisions, num_candidates: int, resamples: int, seed: int) -> Iterator[Cells]:
    """Yield blocks of the four cells at every candidate (columns) in each resample (rows)."""
    groups = np.stack([dev.positives_at, dev.negatives_at], axis=1).ravel()
    held = np.flatnonzero(groups)
    for drawn in _resampled_groups(groups[held], resamples, seed):
        at_score = np.zeros((len(drawn), len(groups)))
        at_score[:, held] = drawn
        ahead = num_candidates - len(dev)  # the candidate that predicts nothing positive
        tp, fp = (np.pad(np.cumsum(at_score[:, side::2], axis=1), ((0, 0), (ahead, 0))) for side in (0, 1))
        yield Cells(tp, fp, tp[:, -1:] - tp, fp[:, -1:] - fp)


def _resampled_groups(sizes: Counts, resamples: int, seed: int) -> Iterator[Counts]:
    """Yield blocks of the number of rows of each non-empty group in each resample."""
    if sizes.sum() <= MOST_ROWS or len(sizes) > MOST_GROUPS:
        starts = np.cumsum(sizes) - sizes
        for counts in bootstrap_counts(int(sizes.sum()), resamples, seed):
            yield np.add.reduceat(counts, starts, axis=1)
        return
    for block, begin in enumerate(range(0, resamples, BLOCK)):
        own_seed = int(np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)[0])
        yield cell_draws(sizes, min(BLOCK, resamples - begin), own_seed)


def _choices(rule: Rule, cells: Cells, target_by: TargetBy, level: float) -> dict[str, IntArray]:
    """Return the candidate that each resample chooses, -1 for none.

    A score that is not in a resample has the cells of the next higher one, so the highest of tied candidates is always
    in the resample. Only rule-in looks for the lowest one, and must skip those that are not.
    """
    both = (cells.TP[:, -1:] > 0) & (cells.FP[:, -1:] > 0)
    met = [
        target.reached_within(target.tested(cells, target_by, level), ROUNDING if target_by == "value" else 0.0) & both
        for target in rule.targets
    ]
    if isinstance(rule, PairRule):
        rule_out, rule_in = met
        called = cells.TP + cells.FP
        rule_in[:, 1:] &= called[:, 1:] > called[:, :-1]
        last = rule_in.shape[1] - 1 - _first(rule_in[:, ::-1])
        return {RULE_OUT: _first(rule_out), RULE_IN: np.where(rule_in.any(axis=1), last, -1)}
    upward = rule.objective(cells) if rule.objective.better == "higher" else -rule.objective(cells)
    usable = np.logical_and.reduce([*met, ~np.isnan(upward), np.broadcast_to(both, upward.shape)])
    size = np.max(np.abs(upward), axis=1, keepdims=True, where=np.isfinite(upward), initial=0.0)
    best = np.max(upward, axis=1, keepdims=True, where=usable, initial=-np.inf)
    return {THRESHOLD: _first(usable & (upward >= best - ROUNDING * size))}


def _first(marks: BoolArray) -> IntArray:
    """Return the first marked column of each row, -1 if there is none."""
    return np.where(marks.any(axis=1), marks.argmax(axis=1), -1)


def _gain(rule: Rule, name: str, drawn: Cells, original: Cells, places: IntArray) -> FloatArray:
    """Return how much better the chosen threshold is in its resample than on the original rows; NaN for none."""
    rows = np.arange(len(places))
    there = Cells(*(column[rows, places] for column in drawn))
    here = Cells(*(column[places] for column in original))
    if isinstance(rule, BestRule):
        value, up = rule.objective.reported, rule.objective.better == "higher"
    else:
        target = rule.rule_out if name == RULE_OUT else rule.rule_in
        value, up = target.chosen.__call__, target.at_least
    with np.errstate(invalid="ignore"):  # the gain of an infinite ratio is NaN
        gain = value(there) - value(here)
    gain[~np.isfinite(gain) | (places < 0)] = np.nan
    return gain if up else -gain


def _movement(thresholds: FloatArray, places: IntArray, gains: FloatArray, chosen: float, level: float) -> Movement:
    made = places >= 0
    if not made.any():
        return Movement(unmet=1.0)
    found = thresholds[places[made]]
    # Both limits are chosen thresholds: no interpolation, since one may be infinite.
    tail = round((1 - level) / 2, 12)  # 2.5% of 40 is the first, despite the rounding of 1 - 0.95
    low, high = np.quantile(found, [tail, 1 - tail], method="inverted_cdf")
    same = float(np.count_nonzero(found == chosen) / len(places))
    unmet, optimism = float(1 - made.mean()), float(gains[made].mean())
    return Movement(low=float(low), high=float(high), same=same, unmet=unmet, optimism=optimism)
