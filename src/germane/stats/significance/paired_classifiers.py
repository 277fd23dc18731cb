"""Paired tests of two classifiers on the same items: the test of each measure, and the paired bootstrap.

Accuracy, and TPR or TNR on the positives or the negatives: McNemar's test. AUC: DeLong's test. Tables of probabilities
for several classes: areas by the influence of each item, losses by a paired t-test. Anything else: a paired bootstrap,
which resamples items with the predictions of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from germane.catalogue import summary_of
from germane.errors import GermaneError
from germane.stats.intervals.bootstrap_ends import SAME
from germane.stats.intervals.cell_bootstrap import Draws, Kinds, Statistic, resample
from germane.stats.intervals.delong import paired_delong
from germane.stats.intervals.many_classes import AVERAGED
from germane.stats.significance.mcnemar import MCNEMAR, mcnemar
from germane.stats.significance.outcomes import PairedDifference, p_of_draws
from germane.stats.significance.paired_tables import paired_areas, paired_losses
from germane.tables.columns.ids import FloatArray, IntArray

OF_PROPORTIONS = ("ACC", "ERR", "TPR", "FNR", "TNR", "FPR")
"""Measures that are a proportion of a fixed set of items: all items, the positives or the negatives."""

AREAS_OF_CLASSES = tuple(f"{measure}[{average}]" for measure, average in AVERAGED)
"""Areas averaged over classes, for tables of probabilities."""


@dataclass(frozen=True)
class ClassifierTest:
    """A test of two classifiers on the same items, and the measures it applies to."""

    name: str
    function: Callable[..., object]
    description: str
    measures: tuple[str, ...] = ()
    """Measures that it applies to; empty for any measure."""
    owes: str = ""
    """A caution to report with the test, or an empty string."""


def joint_counts(truth: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike, num_classes: int) -> IntArray:
    """Count the items by true class and both predictions, coded from 0: truth × a × b.

    >>> joint_counts([0, 1, 1], [0, 1, 0], [1, 1, 0], 2).sum(axis=2).tolist()        # the confusion matrix of a
    [[1, 0], [1, 1]]
    """
    codes = [np.asarray(column, dtype=np.int64) for column in (truth, a, b)]
    if len({column.shape for column in codes}) > 1:
        raise GermaneError(f"expected columns of equal length, found {[column.size for column in codes]}")
    if any(((column < 0) | (column >= num_classes)).any() for column in codes):
        raise GermaneError(f"expected class codes from 0 to {num_classes - 1}")
    shape = (num_classes,) * 3
    flat = np.ravel_multi_index(tuple(codes), shape)
    return np.bincount(flat, minlength=num_classes**3).reshape(shape)


def paired_bootstrap(
    statistic: Callable[[FloatArray], FloatArray],
    joint: npt.ArrayLike,
    *,
    stratified: bool = False,
    **draws: Unpack[Draws],
) -> list[PairedDifference]:
    """Paired bootstrap of the difference b − a of any statistic of a confusion matrix.

    `joint` has the counts truth × a × b; `statistic` takes a stack of matrices (… × K × K, rows are true classes) and
    returns one number each, or several (… × m). p is twice the share of resampled differences on the other side of 0,
    including those at 0 and counting the data as one more resample. If there are none, the remark says that more
    resamples could give a smaller p.

    >>> joint = np.zeros((2, 2, 2), np.int64)
    >>> joint[1, 1, 1], joint[1, 0, 1], joint[1, 0, 0], joint[0, 0, 0], joint[0, 1, 0] = 30, 10, 10, 45, 5
    >>> def recall(counts: FloatArray) -> FloatArray:
    ...     return counts[..., 1, 1] / counts[..., 1, :].sum(axis=-1)
    >>> (found,) = paired_bootstrap(recall, joint)
    >>> round(found.difference, 3), 0.08 < found.low < 0.12, 0.3 < found.high < 0.35
    (0.2, True, True)
    """
    counts = np.asarray(joint)
    if counts.ndim != 3 or len(set(counts.shape)) != 1 or (counts != np.rint(counts)).any() or (counts < 0).any():
        raise GermaneError(f"expected integer counts by truth, a and b, found shape {counts.shape}")
    size = len(counts)
    there = np.flatnonzero(counts)
    if not len(there):
        return [PairedDifference(math.nan, remark="no items")]
    truth, a, b = np.unravel_index(there, counts.shape)
    targets = np.stack([truth * size + a, size * size + truth * size + b], axis=1)
    strata = truth.astype(np.int64) if stratified else None
    kinds = Kinds(counts.ravel()[there].astype(np.int64), targets, 2 * size * size, strata=strata)

    def difference(cells: FloatArray) -> FloatArray:
        first, second = np.moveaxis(cells.reshape(-1, 2, size, size), 1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(second) - statistic(first)

    return bootstrap_differences(difference, kinds, draws)


def paired_row_bootstrap(
    statistic_a: Callable[[FloatArray], float],
    statistic_b: Callable[[FloatArray], float],
    num_items: int,
    **draws: Unpack[Draws],
) -> PairedDifference:
    """Paired bootstrap of the difference b − a of statistics that are not functions of counts (AP, EER, Brier …).

    Each statistic takes the number of times each item was drawn and returns a number. BCa also evaluates the
    jackknife, item by item.

    >>> errors_a, errors_b = np.asarray([0.1, 0.4, 0.2, 0.3]), np.asarray([0.1, 0.1, 0.1, 0.1])
    >>> found = paired_row_bootstrap(lambda w: w @ errors_a / w.sum(), lambda w: w @ errors_b / w.sum(), 4)
    >>> round(found.difference, 3), found.high < 0
    (-0.15, True)
    """
    kinds = Kinds(np.ones(num_items, dtype=np.int64), np.arange(num_items)[:, None], num_items)

    def difference(draws: FloatArray) -> FloatArray:
        return np.asarray([statistic_b(drawn) - statistic_a(drawn) for drawn in draws])

    # Percentile by default: BCa would compute the statistic once per item.
    (found,) = bootstrap_differences(difference, kinds, {"method": "percentile", **draws})
    return found


def least_p(draws: int) -> float:
    """Return the smallest p that this many resamples can give, if none is on the other side of 0.

    >>> round(least_p(399), 4)
    0.005
    """
    return 2 * float(p_of_draws(np.asarray(0), draws))


def bootstrap_differences(difference: Statistic, kinds: Kinds, draws: Draws) -> list[PairedDifference]:
    """Return the bootstrap test and interval of each difference that `difference` computes for resamples of items."""
    estimates, resampled = resample(difference, kinds, **draws)
    found = []
    for each, drawn in zip(estimates, resampled.T, strict=True):
        defined = drawn[~np.isnan(drawn)]
        p, remark = math.nan, each.remark
        if each.has_interval:
            beyond = min(np.count_nonzero(defined <= SAME), np.count_nonzero(defined >= -SAME))
            p = min(1.0, 2 * float(p_of_draws(np.asarray(beyond), len(defined))))
            if not beyond:
                remark = "; ".join(filter(None, [remark, f"p is the smallest possible with {len(defined)} resamples"]))
        elif each.method == "degenerate" and abs(each.value) <= SAME:
            p, remark = 1.0, "no difference in any resample"
        test = "none" if math.isnan(p) else "paired bootstrap"
        found.append(PairedDifference(each.value, each.low, each.high, p, each.value, test, each.method, remark))
    return found


CLASSIFIER_TESTS = {
    test.name: test
    for test in (
        *(ClassifierTest(v.name, mcnemar, v.summary, OF_PROPORTIONS, v.owes) for v in MCNEMAR),
        ClassifierTest("delong", paired_delong, summary_of(paired_delong), ("AUC",)),
        ClassifierTest("influence", paired_areas, summary_of(paired_areas), AREAS_OF_CLASSES),
        ClassifierTest("paired t", paired_losses, summary_of(paired_losses), ("log_loss", "Brier")),
        ClassifierTest("paired bootstrap", paired_bootstrap, summary_of(paired_bootstrap)),
        ClassifierTest("paired bootstrap of rows", paired_row_bootstrap, summary_of(paired_row_bootstrap)),
    )
}
"""Every test by name; of those that apply to a measure, the first is the recommended one."""
