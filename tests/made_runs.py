"""Judged runs written as text, as a person reads them, and the same made up by hypothesis.

A ranking is its grades in rank order: ``-`` is a document that the judgments do not list, ``-1`` one that was pooled
but not judged, ``[1 0]`` two documents with the same score, ``2b`` grade 2 for subtopic b, ``1a2c`` grades for two
subtopics (without a letter it is subtopic a). Written order is also the order of ids, Z before A, so it is the order of
the default tie rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from germane.measures.definition import MEASURES, Definition
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import match
from germane.tables.rankings.measure import Measure, ParameterValue
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

COLLECTION_SIZE = 40
SCALE = 3.0
JUDGMENT = re.compile(r"(-?\d*\.?\d+)([a-z]*)")


@dataclass(frozen=True)
class Topic:
    """One query: groups of tied documents in rank order, and what the judgments list besides."""

    ranking: tuple[tuple[str, ...], ...] = ()
    missed: tuple[str, ...] = ()

    @classmethod
    def of(cls, ranking: str, missed: str = "") -> Topic:
        parts = re.findall(r"\[[^]]*\]|\S+", ranking)
        return cls(tuple(tuple(part.strip("[]").split()) for part in parts), tuple(missed.split()))

    def __repr__(self) -> str:
        ranking = " ".join(group[0] if len(group) == 1 else f"[{' '.join(group)}]" for group in self.ranking)
        return f"Topic.of({ranking!r}, {' '.join(self.missed)!r})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))  # how hypothesis shows a failing case

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents in rank order."""
        return tuple(document for group in self.ranking for document in group)

    def with_documents(self, documents: Sequence[str]) -> Topic:
        """Other documents at the same ranks, tied as before."""
        left = iter(documents)
        return Topic(tuple(tuple(next(left) for _ in group) for group in self.ranking), self.missed)


def gains(document: str) -> dict[str, float]:
    """The gain of a document for each subtopic that it was judged for; what nobody judged has none."""
    return {group: max(float(grade), 0.0) for grade, groups in JUDGMENT.findall(document) for group in groups or ("a",)}


def is_judged(document: str) -> bool:
    """Whether somebody gave it a grade of 0 or more."""
    return any(float(grade) >= 0 for grade, _ in JUDGMENT.findall(document))


def judged_run(
    topics: Sequence[Topic],
    *,
    ties: Ties = "docno",
    scale: float | None = SCALE,
    collection_size: int | None = COLLECTION_SIZE,
    shuffle: int | None = None,
) -> JudgedRun:
    """Match the topics, called q000, q001, ...; `shuffle` is the seed of another order of all lines."""
    judgments: list[tuple[str, str, float, str]] = []
    rows: list[tuple[int, str, float]] = []
    for number, topic in enumerate(topics):
        names = iter(f"d{9999 - i:04}" for i in range(10_000))
        for place, group in enumerate(topic.ranking):
            for document in group:
                name = next(names)
                rows.append((number, name, float(-place)))
                judgments += _judgments(number, name, document)
        for document in topic.missed:
            judgments += _judgments(number, next(names), document)
    if shuffle is not None:
        random = np.random.default_rng(shuffle)
        judgments = [judgments[i] for i in random.permutation(len(judgments))]
        rows = [rows[i] for i in random.permutation(len(rows))]
    qrels = Qrels.from_columns(
        [query.encode() for query, *_ in judgments],
        [doc.encode() for _, doc, *_ in judgments],
        [grade for *_, grade, _ in judgments],
        [group.encode() for *_, group in judgments],
        scale=scale,
        collection_size=collection_size,
    )
    run = Run.from_columns(
        [f"q{query:03}" for query, *_ in rows], [doc for _, doc, _ in rows], [score for *_, score in rows]
    )
    return match(qrels, run, ties=ties)


def _judgments(query: int, doc: str, document: str) -> Iterator[tuple[str, str, float, str]]:
    for grade, groups in JUDGMENT.findall(document):
        for group in groups or ("a",):
            yield f"q{query:03}", doc, float(grade), group


# Made up ---------------------------------------------------------------------------------------------------------

LISTED = ("-1", "0", "0", "0.5", "1", "1", "2", "3", "1b", "2ab", "1a2c", "0a1b")
DOCUMENTS = ("-", "-", *LISTED)


@st.composite
def topics(
    draw: st.DrawFn, documents: Sequence[str] = DOCUMENTS, max_size: int = 6, tied: bool = True, max_missed: int = 3
) -> Topic:
    """A topic with at least one judgment."""
    ranking: list[tuple[str, ...]] = []
    joined = st.booleans() if tied else st.just(False)
    for document, with_last in draw(st.lists(st.tuples(st.sampled_from(documents), joined), max_size=max_size)):
        if with_last and ranking:
            ranking[-1] = (*ranking[-1], document)
        else:
            ranking.append((document,))
    listed = st.sampled_from([document for document in documents if document != "-"])
    anything_listed = any(document != "-" for group in ranking for document in group)
    missed = draw(st.lists(listed, min_size=0 if anything_listed else 1, max_size=max_missed))
    return Topic(tuple(ranking), tuple(missed))


def several_topics(max_topics: int = 4, **given: object) -> st.SearchStrategy[list[Topic]]:
    """One to a few topics."""
    return st.lists(topics(**given), min_size=1, max_size=max_topics)  # type: ignore[arg-type]


# Measures with their parameters ----------------------------------------------------------------------------------

VALUES: dict[str, tuple[ParameterValue, ...]] = {
    "cut": (1, 2, 4, 10),
    "rel": (2,),
    "beta": (0.5, 2),
    "b": (0.5, 2),
    "p": (0.5, 0.95),
    "alpha": (0, 0.9),
    "times": (0.5, 2),
    "recall": (0, 0.25, 0.5, 1),
    "points": (3,),
    "base": (3,),
    "gain": ("exp",),
    "judged_only": (True,),
}
"""What else a parameter may be. One that is not here has its declared choices, or stays at its default."""


def settings_of(definition: Definition) -> list[Measure]:
    """The measure as it is by default, with each other value of each parameter, and most of these at a cutoff."""
    values: dict[str, tuple[ParameterValue, ...]] = {n: p.choices for n, p in definition.parameters.items()}
    values |= {name: VALUES[name] for name in (*values, "judged_only") if name in VALUES}
    if definition.name == "Utility":
        values.pop("b")  # there it is a weight, not van Rijsbergen's b
    single: list[dict[str, ParameterValue]] = [{name: value} for name, choices in values.items() for value in choices]
    at_a_cutoff = [{**given, "cut": 2} for given in single if "cut" in definition.parameters and "cut" not in given]
    return list(dict.fromkeys(definition.choose(**dict(given)) for given in ({}, *single, *at_a_cutoff)))


def all_settings() -> list[Measure]:
    """Every registered measure in all its settings."""
    return [measure for definition in MEASURES for measure in settings_of(definition)]
