"""Files of the researcher's tutorial: judgments of 50 topics, and ten runs like those of a research group.

Everything is simulated with a fixed seed; no system was run. Each document has a true grade. It matches its topic by
words and by meaning, both with noise, and a system ranks by a mixture of the two and its own noise. So systems of one
kind make the same mistakes, as real ones do.

The runs have typical problems: one lacks topics, one has rounded scores and therefore ties, one is compressed and one
is a JSON file. Only the older systems were pooled, so the newer ones retrieve unjudged documents.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from germane.tables.columns.ids import FloatArray, IntArray

SEED = 20
TOPICS = [f"T{number}" for number in range(101, 151)]
NUM_DOCS = 250
"""Number of documents per topic that systems can retrieve."""

DEPTH = 100
"""Number of documents per topic in a run."""

POOL_DEPTH = 12


@dataclass(frozen=True)
class System:
    """A simulated system: its weights of words, meaning and noise, and whether it was pooled."""

    name: str
    words: float
    meaning: float
    noise: float
    pooled: bool


SYSTEMS = [
    System("tfidf", 1.0, 0.00, 0.45, pooled=True),
    System("bm25", 1.0, 0.10, 0.25, pooled=True),
    System("bm25_rm3", 1.0, 0.22, 0.30, pooled=True),
    System("lm_dirichlet", 1.0, 0.06, 0.30, pooled=True),
    System("doc2query", 1.0, 0.30, 0.30, pooled=True),
    System("dense", 0.1, 1.00, 0.60, pooled=True),
    System("dense_tuned", 0.2, 1.00, 0.30, pooled=False),
    System("splade", 0.8, 0.80, 0.30, pooled=False),
    System("hybrid", 0.7, 0.80, 0.35, pooled=False),
    System("reranker", 0.6, 1.00, 0.15, pooled=False),
]
WITHOUT_TOPICS = {"dense_tuned": {"T117", "T131", "T144"}}
ROUNDED = "lm_dirichlet"
COMPRESSED = "splade"
AS_JSON = "hybrid"


Ranked = dict[str, float]
"""Top documents of a system for a topic, best first, with their scores."""


def make(folder: Path) -> None:
    """Write `qrels.txt`, and the runs to a folder `runs`."""
    rng = np.random.default_rng(SEED)
    judgments: list[str] = []
    rankings: dict[str, dict[str, Ranked]] = {system.name: {} for system in SYSTEMS}
    for topic in TOPICS:
        documents, grades, ranked = _topic(rng)
        for system, found in ranked.items():
            rankings[system][topic] = found
        pool = {doc for each in SYSTEMS if each.pooled for doc in list(ranked[each.name])[:POOL_DEPTH]}
        graded = sorted(zip(documents, grades.tolist(), strict=True))
        judgments += [f"{topic} 0 {document} {grade}\n" for document, grade in graded if document in pool]
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    (folder / "qrels.txt").write_text("".join(judgments), encoding="utf-8", newline="\n")
    for name, by_topic in rankings.items():
        left_out = WITHOUT_TOPICS.get(name, set())
        _write(folder / "runs", name, {topic: found for topic, found in by_topic.items() if topic not in left_out})


def _topic(rng: np.random.Generator) -> tuple[list[str], IntArray, dict[str, Ranked]]:
    """Generate the documents of a topic, their grades, and the ranking of each system."""
    order = np.argsort(rng.random(NUM_DOCS))  # so that ids do not reveal grades
    documents = [f"doc{number:04d}" for number in (1000 + order).tolist()]
    num_relevant = 8 + int(rng.integers(20))
    grades = np.zeros(NUM_DOCS, dtype=np.int64)
    grades[:num_relevant] = 1 + (rng.random(num_relevant) < 0.3)
    # Relevant documents score a little higher, and more so for an easy topic.
    lift = (0.3 + 0.9 * rng.random()) * (0.55 + 0.30 * grades) * (grades > 0)
    words = lift * (0.3 + 1.4 * rng.random()) + _noise(rng)
    meaning = lift * (0.3 + 1.4 * rng.random()) + _noise(rng)
    return documents, grades, {system.name: _ranked(system, documents, words, meaning, rng) for system in SYSTEMS}


def _noise(rng: np.random.Generator) -> FloatArray:
    """Generate noise around 0 with a standard deviation of 0.5, as means of uniform numbers, equal on every machine."""
    return np.asarray(rng.random(NUM_DOCS) + rng.random(NUM_DOCS) + rng.random(NUM_DOCS) - 1.5)


def _ranked(
    system: System, documents: list[str], words: FloatArray, meaning: FloatArray, rng: np.random.Generator
) -> Ranked:
    scores = 10 + 5 * (system.words * words + system.meaning * meaning + system.noise * _noise(rng))
    rounded = [round(score, _decimals(system.name)) for score in scores.tolist()]
    return dict(sorted(zip(documents, rounded, strict=True), key=lambda found: (-found[1], found[0]))[:DEPTH])


def _decimals(name: str) -> int:
    return 0 if name == ROUNDED else 6


def _write(folder: Path, name: str, found: dict[str, Ranked]) -> None:
    text = "".join(
        f"{topic} Q0 {document} {rank} {score:.{_decimals(name)}f} {name}\n"
        for topic, ranked in found.items()
        for rank, (document, score) in enumerate(ranked.items(), start=1)
    )
    if name == AS_JSON:
        (folder / f"{name}.json").write_text(json.dumps(found) + "\n", encoding="utf-8", newline="\n")
    elif name == COMPRESSED:
        # Without a timestamp and a file name, so that the bytes are reproducible.
        (folder / f"{name}.run.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        (folder / f"{name}.run").write_text(text, encoding="utf-8", newline="\n")
