"""What a comparison of two classifiers on the same items says."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class PairedDifference:
    """`b` against `a` on the same items: the difference is b less a, so what is better is as the measure says.

    `test` names what gave the p-value, `interval` what gave the two ends; NaN where there is none, and then the remark
    says why.
    """

    difference: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    statistic: float = math.nan
    test: str = "none"
    interval: str = "none"
    remark: str = ""
