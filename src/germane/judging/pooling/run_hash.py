"""The hash of a run without a file: that of its rows in any order, which is the same wherever they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

SIZE = 1 << 256


def rows_sum(queries: Iterable[bytes], docs: Iterable[bytes], scores: Iterable[float]) -> int:
    """Return the sum of the SHA-256 of each row; sums of parts of a run can be added, modulo 2 to the power of 256."""
    total = 0
    for query, doc, score in zip(queries, docs, scores, strict=True):
        row = b"%s\0%s\0%s\n" % (query, doc, repr(score).encode())
        total += int.from_bytes(hashlib.sha256(row).digest(), "big")
    return total % SIZE


def hash_of_sum(total: int) -> str:
    """Return the sum of all rows in hexadecimal digits.

    >>> one, other = rows_sum([b"q1"], [b"d1"], [2.0]), rows_sum([b"q1"], [b"d2"], [1.0])
    >>> hash_of_sum(one + other) == hash_of_sum(rows_sum([b"q1", b"q1"], [b"d2", b"d1"], [1.0, 2.0]))
    True
    """
    return f"{total % SIZE:064x}"
