"""Different ids of one hash, so that a kernel which compares hashes alone gives a wrong answer.

The hash takes an id eight bytes at a time: h = mixed(h ^ word). It is one to one for each word, so two ids collide
where ``h1 ^ word2 == h1' ^ word2'``: any two first words have second words that make them collide, and about one pair
in four thousand has visible characters only.
"""

from __future__ import annotations

import itertools

MIX, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1
VISIBLE = bytes(byte for byte in range(33, 127) if byte not in b"\"#,'")


def mixed(h: int, word: int) -> int:
    """One step of the kernels' hash."""
    h = (h ^ word) * MIX & MASK
    return h ^ h >> 32


def hash_of(text: bytes) -> int:
    """The kernels' hash of an id."""
    h = 0
    for start in range(0, len(text), 8):
        h = mixed(h, int.from_bytes(text[start : start + 8], "little"))
    return h


def colliding_pair(allowed: bytes = VISIBLE) -> tuple[bytes, bytes]:
    """Two ids of sixteen characters and one hash, the first such pair."""
    first, second = b"document", b"00000000"
    wanted = mixed(0, int.from_bytes(first, "little")) ^ int.from_bytes(second, "little")
    for number in itertools.count():
        other = (b"%08d" % number)[::-1]  # the low bytes of a product depend on the low bytes alone, which come first
        rest = (mixed(0, int.from_bytes(other, "little")) ^ wanted).to_bytes(8, "little")
        if all(byte in allowed for byte in rest):
            return first + second, other + rest
    raise AssertionError
