"""Consolidate the judgments of several assessors into one grade per document, by a stated policy.

A policy chooses one of the grades that were given: none can come out that nobody gave. Adjudicated grades win under
every policy. What a policy could not decide is counted, and never decided in silence.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError
from germane.tables.columns.ids import to_bytes
from germane.tables.rankings.qrels import Qrels
from germane.tables.truth.judgments import ADJUDICATED, Judgments

Undecided = Literal["lowest", "highest", "skip"]
NOT_JUDGED = -1.0
"""The grade of a pooled document without a judgment in qrels: negative, as trec_eval expects."""


@dataclass(frozen=True, eq=False, repr=False)
class Policy(Entry):
    """A rule for several grades of a document, in ascending order and not all the same.

    The function gives one of them, or None where it cannot decide.
    """

    def decide(self, grades: list[float]) -> float | None:
        """Return one of the grades, or None if undecided."""
        chosen: float | None = self.target(grades)
        return chosen


POLICIES = Catalogue("policy", Policy, Policy, example="majority")


@POLICIES.add("majority")
def majority(grades: list[float]) -> float | None:
    """Use the grade that more than half of the assessors gave.

    >>> majority([0, 1, 1]), majority([0, 1]), majority([0, 1, 2])
    (1, None, None)
    """
    grade, votes = Counter(grades).most_common(1)[0]
    return grade if 2 * votes > len(grades) else None


@POLICIES.add("median")
def median(grades: list[float]) -> float | None:
    """Use the middle grade; with two middle grades, only if they are equal.

    >>> median([0, 1, 2]), median([0, 1, 1, 2]), median([0, 2])
    (1, 1, None)
    """
    low, high = grades[(len(grades) - 1) // 2], grades[len(grades) // 2]
    return low if low == high else None


@POLICIES.add("lowest-of-top-three")
def lowest_of_top_three(grades: list[float]) -> float | None:
    """Use the lowest of the three highest grades (of all, if fewer): three assessors must agree on at least that grade.

    >>> lowest_of_top_three([0, 1, 2, 2]), lowest_of_top_three([1, 2])
    (1, 1)
    """
    return grades[-3:][0]


@POLICIES.add("adjudicated")
def adjudicated(grades: list[float]) -> float | None:
    """Use only unanimous or adjudicated grades; the rest remains to be adjudicated."""
    return None


@dataclass(frozen=True)
class Decision:
    """The grade of one document (NaN: none), how it was decided, and the grades given, in ascending order."""

    topic: str
    doc: str
    grade: float
    how: str
    given: tuple[float, ...] = ()
    cannot: int = 0


@dataclass(frozen=True, eq=False)
class Consolidated:
    """One decision per listed document, in byte order of topic and document, with the policy."""

    decisions: tuple[Decision, ...]
    policy: str
    undecided: Undecided
    min_grades: int
    scale: float
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Number of excluded judgments by kind."""

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of documents by how they were decided."""
        return dict(sorted(Counter(decision.how for decision in self.decisions).items()))

    def qrels(self, *, name: str = "qrels") -> Qrels:
        """The grades as qrels; a pooled document without a grade has a negative one."""
        topics, docs = ([getattr(decision, key) for decision in self.decisions] for key in ("topic", "doc"))
        return Qrels.from_columns(topics, docs, self.grades, scale=self.scale, name=name)

    @property
    def grades(self) -> list[float]:
        """The grade of each document, a negative one where it has none."""
        return [NOT_JUDGED if math.isnan(decision.grade) else decision.grade for decision in self.decisions]


def consolidate(
    judgments: Judgments,
    policy: str = "majority",
    *,
    undecided: Undecided = "lowest",
    min_grades: int = 1,
    scale: float | None = None,
    listed: frozenset[tuple[str, str]] | None = None,
) -> Consolidated:
    """Consolidate judgments into one grade per document.

    `undecided` says what becomes of a document on which the policy cannot decide: the lowest or the highest of the
    grades given, or none. A document with fewer than `min_grades` grades gets none. Only ordinary judgments take part;
    distractors, calibration items and repeats do not. `listed` are the documents that were pooled, by default all that
    the judgments know of.

    >>> said = Judgments.from_columns(["a", "b", "c"], ["q"] * 3, ["d"] * 3, [0, 2, 2])
    >>> consolidate(said).decisions[0]
    Decision(topic='q', doc='d', grade=2.0, how='majority', given=(0.0, 2.0, 2.0), cannot=0)
    """
    chosen = POLICIES.parse(policy)
    if undecided not in ("lowest", "highest", "skip"):
        raise GermaneError(f"expected undecided to be lowest, highest or skip, found {undecided!r}")
    if min_grades < 1:
        raise GermaneError(f"expected min_grades of at least 1, found {min_grades}")
    given: dict[tuple[str, str], list[float]] = {}
    final: dict[tuple[str, str], float] = {}
    kinds: Counter[str] = Counter()
    grades = judgments.grade.tolist()
    for topic, doc, grade, kind in zip(judgments.topic, judgments.doc, grades, judgments.kind, strict=True):
        if kind == "ordinary":
            given.setdefault((topic, doc), []).append(grade)
        elif kind == ADJUDICATED:
            final[topic, doc] = grade
        else:
            kinds[kind] += 1
    pool = judgments.listed if listed is None else listed
    pairs = sorted(pool | given.keys() | final.keys(), key=lambda pair: tuple(map(to_bytes, pair)))
    decisions = tuple(_decided(pair, given.get(pair, []), final, chosen, undecided, min_grades) for pair in pairs)
    highest = float(np.nanmax(judgments.grade, initial=0.0)) if len(judgments) else 0.0
    if scale is not None and highest > scale:
        raise GermaneError(f"expected grades up to {scale:g}, the scale's highest, found {highest:g}")
    top = highest if scale is None else scale
    return Consolidated(decisions, policy, undecided, min_grades, top, dict(sorted(kinds.items())))


def _decided(
    pair: tuple[str, str],
    said: Sequence[float],
    final: Mapping[tuple[str, str], float],
    chosen: Policy,
    undecided: Undecided,
    min_grades: int,
) -> Decision:
    grades = sorted(grade for grade in said if not math.isnan(grade))
    given, cannot = tuple(grades), len(said) - len(grades)
    grade, how = math.nan, "unjudged"
    if pair in final:
        grade = final[pair]
        how = "not judgeable" if math.isnan(grade) else ADJUDICATED
    elif said and not grades:
        how = "not judgeable"
    elif grades and len(grades) < min_grades:
        how = "too few"
    elif len(grades) == 1:
        grade, how = grades[0], "one judgment"
    elif grades and grades[0] == grades[-1]:
        grade, how = grades[0], "unanimous"
    elif grades:
        found = chosen.decide(grades)
        if found is not None:
            grade, how = found, chosen.name
        elif undecided == "skip" or chosen.name == "adjudicated":
            how = "undecided"
        else:
            grade, how = grades[0] if undecided == "lowest" else grades[-1], f"{undecided}, undecided"
    return Decision(*pair, grade, how, given, cannot)
