"""The plain references of the kernels that sort and count scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

COMPILED = False
Scores = npt.NDArray[Any]
Truth = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]

_ALL_BUT_SIGN = np.uint64((1 << 63) - 1)


def _keys(scores: Scores) -> Keys:
    """Smaller for higher scores."""
    return _flipped((scores.astype(np.float64) + 0.0).view(np.uint64))


def _flipped(bits: Keys) -> Keys:
    return np.where(bits > _ALL_BUT_SIGN, bits, bits ^ _ALL_BUT_SIGN)


def score_range(scores: Scores) -> tuple[int, int, int]:
    """The smallest key, the largest one, and the first row that is NaN (or -1)."""
    nan_rows = np.flatnonzero(np.isnan(scores))
    keys = _keys(scores[: nan_rows[0]] if len(nan_rows) else scores)
    nan_row = int(nan_rows[0]) if len(nan_rows) else -1
    return int(keys.min(initial=np.iinfo(np.uint64).max)), int(keys.max(initial=0)), nan_row


def count_keys(scores: Scores, is_positive: Truth, lowest: int, shift: int, counts: Counts) -> None:
    """Add to `counts` (by class, negatives first, and bin) how many keys fall into each bin of 2**shift keys."""
    bins = (_keys(scores) - np.uint64(lowest)) >> np.uint64(shift)
    np.add.at(counts, (is_positive.astype(np.int64), bins.astype(np.int64)), 1)


def place_keys(
    scores: Scores,
    is_positive: Truth,
    lowest: int,
    shift: int,
    bucket_of: npt.NDArray[np.int32],
    places: Counts,
    keys: Keys,
) -> None:
    """Write each key where its class and bucket go on: at `places` (class × bucket), which move on with it."""
    all_keys = _keys(scores)
    buckets = bucket_of[((all_keys - np.uint64(lowest)) >> np.uint64(shift)).astype(np.int64)]
    group = is_positive.astype(np.int64) * places.shape[1] + buckets
    counts = np.bincount(group, minlength=places.size)
    before = np.cumsum(counts) - counts
    order = np.argsort(group, kind="stable")
    keys[np.arange(len(group)) + np.repeat(places.ravel() - before, counts)] = all_keys[order]
    places += counts.reshape(places.shape)


def sort_bucket(
    keys: Keys,
    spare: Keys,
    num_positive: int,
    before_positive: int,
    before_negative: int,
    true_positives: Counts,
    false_positives: Counts,
) -> int:
    """Sort the keys of a bucket, its positives first; write its thresholds and the counts at or above each.

    The bits of the thresholds, highest first, come to lie in `spare`. Returns how many there are. A bucket holds less
    than 2**32 keys.
    """
    positives, negatives = np.sort(keys[:num_positive]), np.sort(keys[num_positive:])
    distinct = np.unique(keys)
    spare[: len(distinct)] = _flipped(distinct)
    true_positives[: len(distinct)] = before_positive + np.searchsorted(positives, distinct, side="right")
    false_positives[: len(distinct)] = before_negative + np.searchsorted(negatives, distinct, side="right")
    return len(distinct)


def twice_area(true_positives: Counts, false_positives: Counts) -> int:
    """Twice the area under the points (false positives, true positives), from (0, 0) on; below 2**63."""
    heights = true_positives + np.concatenate((np.zeros(1, dtype=np.int64), true_positives[:-1]))
    return int(np.diff(false_positives, prepend=np.int64(0)) @ heights) if len(true_positives) else 0
