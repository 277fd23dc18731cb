"""What is known of each fusion method and normalisation: rows by hand, and a plain second implementation with dicts.

A new method has its rows and its implementation here.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from fractions import Fraction


def ratio(numerator: int, denominator: int) -> float:
    return float(Fraction(numerator, denominator))


# Three runs: a is first of two and missing in the third; d is in the third alone. Scores as they are.
RUNS = ("a:4 b:3 c:1", "a:9 c:6", "b:2 c:1 d:0.5")
BY_HAND = [
    # method       a                     b                      c                             d              why
    ("rrf(k=0)", (2.0, ratio(3, 2), ratio(4, 3), ratio(1, 3)), "1/1 + 1/1; 1/2 + 1/1; 1/3 + 1/2 + 1/2; 1/3"),
    ("rrf(k=1)", (1.0, ratio(5, 6), ratio(11, 12), ratio(1, 4)), "1/2 + 1/2; 1/3 + 1/2; 1/4 + 1/3 + 1/3; 1/4"),
    ("rrf", (2 / 61, 1 / 62 + 1 / 61, 1 / 63 + 2 / 62, 1 / 63), "k = 60"),
    ("isr", (4.0, 2.5, 3 * ratio(11, 18), ratio(1, 9)), "2(1 + 1); 2(1/4 + 1); 3(1/9 + 1/4 + 1/4); 1/9"),
    ("rbc(p=0.5)", (1.0, 0.75, 0.625, 0.125), "1/2 + 1/2; 1/4 + 1/2; 1/8 + 1/4 + 1/4; 1/8"),
    # n = 4; the runs leave 1, 1.5 and 1 to each document that they lack
    ("borda", (9.0, 8.5, 8.0, 4.5), "4 + 4 + 1; 3 + 1.5 + 4; 2 + 3 + 3; 1 + 1.5 + 2"),
    # a:b 2-1, a:c 2-1, a:d 2-1, b:c 2-1, b:d 2-0 (the second has neither), c:d 3-0
    ("condorcet", (3.0, 2.0, 1.0, 0.0), "no circle: everybody beats whoever comes after"),
    ("combsum", (13.0, 5.0, 8.0, 0.5), "4 + 9; 3 + 2; 1 + 6 + 1; 0.5"),
    ("combmnz", (26.0, 10.0, 24.0, 0.5), "times 2, 2, 3, 1"),
    ("combanz", (6.5, 2.5, ratio(8, 3), 0.5), "divided by 2, 2, 3, 1"),
    ("combmin", (4.0, 2.0, 1.0, 0.5), "what a run lacks does not count"),
    ("combmax", (9.0, 3.0, 6.0, 0.5), ""),
    ("combmed", (6.5, 2.5, 1.0, 0.5), "of 4 and 9; of 3 and 2; of 1, 6, 1; of 0.5"),
    ("weighted", (13.0, 5.0, 8.0, 0.5), "with weights of 1 it is combsum"),
]
WEIGHTED = [
    # method       a      b                 c                     d     with weights 2, 0, 1
    ("rrf(k=0)", (2.0, 2.0, ratio(2, 3) + 0.5, ratio(1, 3))),
    ("isr", (4.0, 3.0, 3 * (ratio(2, 9) + 0.25), ratio(1, 9))),
    ("rbc(p=0.5)", (1.0, 1.0, 0.5, 0.125)),
    ("borda", (9.0, 10.0, 7.0, 4.0)),  # 8 + 0 + 1; 6 + 0 + 4; 4 + 0 + 3; 2 + 0 + 2
    ("condorcet", (3.0, 2.0, 1.0, 0.0)),
    ("combmnz", (16.0, 16.0, 9.0, 0.5)),
    ("weighted", (8.0, 8.0, 3.0, 0.5)),
]
NORMALISED = [
    # normalisation  list            expected                      why
    ("minmax", "a:5 b:2 c:1", (1, 0.25, 0), ""),
    ("minmax", "a:-1 b:-2 c:-5", (1, 0.75, 0), "negative scores are as good as others"),
    ("minmax", "a:2 b:2", (1, 1), "all the same"),
    ("minmax", "a:-7", (1,), "one document"),
    ("max", "a:5 b:2 c:1", (1, 0.4, 0.2), ""),
    ("max", "a:4 b:-2", (1, -0.5), "the order stays"),
    ("max", "a:0 b:0", (1, 1), "all zero"),
    ("sum", "a:5 b:2 c:1", (0.8, 0.2, 0), "4, 1 and 0 above the lowest, of 5"),
    ("sum", "a:3 b:3 c:3 d:3", (0.25, 0.25, 0.25, 0.25), "all the same"),
    ("zmuv", "a:3 b:1", (1, -1), "mean 2, deviation 1"),
    ("zmuv", "a:8 b:2 c:2", (2**0.5, -(2**-0.5), -(2**-0.5)), "mean 4, variance (16 + 4 + 4) / 3"),
    ("zmuv", "a:3 b:3", (0, 0), "all the same"),
    ("rank", "a:9 b:1 c:0.5 d:0", (1, 0.75, 0.5, 0.25), ""),
    ("rank", "b:2 a:2", (1, 0.5), "b before a: ties by document id, Z before A"),
    ("reciprocal", "a:9 b:1 c:0.5", (1, 0.5, ratio(1, 3)), ""),
    ("none", "a:9 b:-1", (9, -1), ""),
]

Ranked = list[tuple[str, float]]
"""A list: documents and scores, best first."""


def _zmuv(scores: list[float]) -> list[float]:
    deviation = statistics.pstdev(scores)
    return [(score - statistics.mean(scores)) / deviation if deviation else 0.0 for score in scores]


PLAIN_NORMALISATIONS: dict[str, Callable[[list[float]], list[float]]] = {
    "minmax": lambda s: [(x - s[-1]) / (s[0] - s[-1]) if s[0] > s[-1] else 1.0 for x in s],
    "max": lambda s: [x / s[0] for x in s],
    "sum": lambda s: [(x - s[-1]) / sum(y - s[-1] for y in s) if s[0] > s[-1] else 1 / len(s) for x in s],
    "zmuv": _zmuv,
    "rank": lambda s: [1 - i / len(s) for i in range(len(s))],
    "reciprocal": lambda s: [1 / (i + 1) for i in range(len(s))],
    "none": lambda s: s,
}


def plain_fusion(name: str, lists: list[Ranked], weights: list[float]) -> dict[str, float]:
    """One query; the lists are not empty."""
    docs = {doc for ranked in lists for doc, _ in ranked}
    places = [{doc: i + 1 for i, (doc, _) in enumerate(ranked)} for ranked in lists]
    scores = [dict(ranked) for ranked in lists]
    fused = {}
    for doc in docs:
        ranks = [(place[doc], w) for place, w in zip(places, weights, strict=True) if doc in place]
        own = [(s[doc], w) for s, w in zip(scores, weights, strict=True) if doc in s]
        plain = [s for s, _ in own]
        if name == "rrf":
            fused[doc] = sum(w / (60 + rank) for rank, w in ranks)
        elif name == "isr":
            fused[doc] = len(ranks) * sum(w / rank**2 for rank, w in ranks)
        elif name == "rbc":
            fused[doc] = sum(w * 0.2 * 0.8 ** (rank - 1) for rank, w in ranks)
        elif name == "borda":
            fused[doc] = 0
            for place, w in zip(places, weights, strict=True):
                left = list(range(1, len(docs) - len(place) + 1))
                fused[doc] += w * (len(docs) - place[doc] + 1 if doc in place else sum(left) / len(left))
        elif name == "condorcet":
            fused[doc] = 0
            for other in docs - {doc}:
                margin = 0.0
                for place, w in zip(places, weights, strict=True):
                    here, there = place.get(doc, 9999), place.get(other, 9999)
                    margin += w * ((here < there) - (here > there))
                fused[doc] += 1 if margin > 1e-9 else 0.5 if margin > -1e-9 else 0
        else:
            fused[doc] = {
                "combsum": sum(plain),
                "weighted": sum(s * w for s, w in own),
                "combmnz": len(own) * sum(s * w for s, w in own),
                "combanz": sum(plain) / len(plain),
                "combmin": min(plain),
                "combmax": max(plain),
                "combmed": statistics.median(plain),
            }[name]
    return fused
