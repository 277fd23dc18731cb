"""What a query counts for that has nothing relevant: tools differ, and so do whole published tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

Empty = Literal["zero", "one", "skip"]
"""It counts 0 (trec_eval, LETOR), 1 (LightGBM, many toolkits of learning to rank), or not at all."""

EMPTY: Mapping[str, float] = {"zero": 0.0, "one": 1.0, "skip": math.nan}
"""The value by its name; NaN is left out of means, and a note counts such queries."""
