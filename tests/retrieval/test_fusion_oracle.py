"""Fusion against a plain second implementation with dicts, on runs of many queries, and on runs of TREC."""

import statistics
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from germane.api.rankings.evaluation import evaluate
from germane.api.retrieval.fusion import fuse
from germane.retrieval.fusion import FUSION, NORMALISATIONS, Method, Normalisation, fuse_runs
from germane.tables.rankings.run import Run

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


def made_runs(seed: int, num_runs: int = 3, num_queries: int = 12) -> list[dict[str, dict[str, float]]]:
    """Runs that lack some queries, have lists of different lengths and a few ties."""
    rng = np.random.default_rng(seed)
    runs = []
    for _ in range(num_runs):
        queries = [f"q{i}" for i in range(num_queries) if rng.random() < 0.9]
        docs = {query: rng.choice(25, rng.integers(1, 20), replace=False) for query in queries}
        runs.append({q: {f"d{d}": float(rng.integers(1, 60)) / 4 for d in own} for q, own in docs.items()})
    return runs


WEIGHTS = {"a": 0.7, "b": 0.2, "c": 0.1}
CASES = [
    (method, entry, weights)
    for method in FUSION
    for entry in (NORMALISATIONS if method.uses == "scores" else [None])
    for weights in (None, WEIGHTS)
    if method.weights == "optional" or (weights is None) == (method.weights == "refused")
]


@pytest.mark.parametrize(("method", "entry", "weights"), CASES)
def test_the_plain_second_implementation_agrees(
    method: Method, entry: Normalisation | None, weights: dict[str, float] | None
) -> None:
    runs = dict(zip("abc", made_runs(seed=len(method.name)), strict=True))
    tables = [Run.from_dict(run, name=name) for name, run in runs.items()]
    fused = by_query(fuse_runs(tables, method, weights=weights, normalise=None if entry is None else entry.name))
    for query, found in fused.items():
        having = [name for name in runs if query in runs[name]]
        lists = [plain_list(runs[name][query], entry) for name in having]
        expected = plain_fusion(method.name, lists, [(weights or dict.fromkeys(runs, 1.0))[name] for name in having])
        assert found == pytest.approx(expected, abs=1e-12)
        assert list(found.values()) == sorted(found.values(), reverse=True)


def plain_list(scores: dict[str, float], entry: Normalisation | None) -> Ranked:
    """In order, and normalised."""
    ranked = sorted(sorted(scores, reverse=True), key=lambda doc: -scores[doc])
    falling = [scores[doc] for doc in ranked]
    values = falling if entry is None else PLAIN_NORMALISATIONS[entry.name](falling)
    return list(zip(ranked, values, strict=True))


def by_query(run: Run) -> dict[str, dict[str, float]]:
    names = list(run.queries)
    found: dict[str, dict[str, float]] = {query: {} for query in names}
    for query, doc, score in zip(run.query.tolist(), run.docs, run.score.tolist(), strict=True):
        found[names[query]][doc] = score
    return found


ROBUST03 = [
    # runs and their MAP        that of both, fused by rrf
    ("pircRBa1", 0.3101, "aplrob03a", 0.2998, 0.3265),
    ("InexpC2", 0.2249, "THUIRr0301", 0.2597, 0.2583),
]


@pytest.mark.shared
@pytest.mark.parametrize(("one", "ap_one", "two", "ap_two", "ap_both"), ROBUST03)
def test_runs_of_trec(shared: Path, one: str, ap_one: float, two: str, ap_two: float, ap_both: float) -> None:
    data = shared / "data" / "robust03"
    paths = [str(data / "runs" / f"{name}.gz") for name in (one, two)]
    fused = fuse(paths)
    assert (len(fused.queries), fused.tag, fused.notes) == (100, "rrf(k=60)", ())
    runs: list[str | Run] = [*paths, fused]
    found = evaluate(data / "qrels.txt.gz", runs, ["AP"]).mean()
    assert [mean["AP"] for mean in found.values()] == pytest.approx([ap_one, ap_two, ap_both], abs=0.00005)
