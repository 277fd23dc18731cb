"""How far assessors agree: over all judges, by pair and by topic; and what that does to the ranking of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from germane.errors import GermaneError, did_you_mean
from germane.tables.counted import counted
from germane.tables.ids import FloatArray
from germane.tables.scores import Note

GOOD, TENTATIVE = 0.8, 0.67
"""The usual reading (lecture 004): above .8 agreement is good, between the two conclusions are tentative."""

READING = "above .8 is good agreement, .67 to .8 allows tentative conclusions, less allows none"
HEADLINE = "kappa_pooled"
PREVAILS = 2 / 3
"""The share of one grade from which it is said to prevail."""
SKEWED = 0.2
"""By so much does AC1 exceed kappa where one grade prevails so much that kappa says little."""


@dataclass(frozen=True)
class AgreementValue:
    """One measure over all judges, with its interval; `reason` says why there is none where the value is NaN."""

    name: str
    title: str
    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Two judges: the documents both graded, each measure, by how much the first grades higher on average, and how
    often which grade of the first (rows) met which of the second (columns).
    """

    first: str
    second: str
    items: int
    values: Mapping[str, float]
    higher: float
    confusion: FloatArray


@dataclass(frozen=True)
class TopicAgreement:
    """One topic: the documents that two or more graded, and each measure over all judges."""

    topic: str
    items: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class JudgeSummary:
    """One judge: what they graded, how strict they are, and how they did on the items that test them."""

    assessor: str
    graded: int
    shared: int
    cannot: int
    mean_grade: float
    relevant: float
    """The share of their grades that are relevant."""
    agreement: float
    """How often another judge of the same document gave the same grade."""
    distractors: int = 0
    distractors_failed: int = 0
    repeats: int = 0
    repeats_same: int = 0


@dataclass(frozen=True)
class GradeAgreement:
    """One grade: how often it was given to shared documents and, when one judge gives it, how often another does."""

    grade: float
    given: int
    agreement: float


@dataclass(frozen=True)
class RankingPair:
    """The leaderboards by two judges, over the topics both judged."""

    first: str
    second: str
    topics: int
    tau: float
    tau_ap: float


@dataclass(frozen=True, eq=False)
class RankingAgreement:
    """What it matters: the systems' mean by each judge's grades, and how alike the leaderboards are."""

    measure: str
    systems: tuple[str, ...]
    means: Mapping[str, tuple[float, ...]]
    """By judge, a mean for each system, over the topics of that judge."""
    pairs: tuple[RankingPair, ...]

    @property
    def mean_tau(self) -> float:
        """The mean tau-b over the pairs that have one."""
        known = [pair.tau for pair in self.pairs if not math.isnan(pair.tau)]
        return sum(known) / len(known) if known else math.nan


@dataclass(frozen=True, eq=False)
class AgreementReport:
    """Everything about the agreement of two or more assessors. `report["kappa"]` is the value of one measure."""

    assessors: tuple[str, ...]
    topics: tuple[str, ...]
    grades: tuple[float, ...]
    rel: float
    num_items: int
    num_shared: int
    overall: tuple[AgreementValue, ...]
    pairs: tuple[PairAgreement, ...]
    by_topic: tuple[TopicAgreement, ...]
    by_grade: tuple[GradeAgreement, ...]
    judges: tuple[JudgeSummary, ...]
    confusion: FloatArray
    """By grade × grade, over all pairs of judges in both directions: it is symmetric, and each pair counts twice."""
    repeats: Mapping[str, float] = field(default_factory=dict)
    """How far assessors agree with themselves on repeated items; empty where none were shown."""
    ranking: RankingAgreement | None = None
    level: float = 0.95
    resamples: int = 0
    seed: int = 0
    notes: tuple[Note, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.value(name).value

    def value(self, name: str) -> AgreementValue:
        """One measure with its interval."""
        by_name = {entry.name: entry for entry in self.overall}
        if name not in by_name:
            raise GermaneError(
                f"{name!r} was not computed{did_you_mean(name, by_name)}", hint=f"there are: {', '.join(by_name)}"
            )
        return by_name[name]

    def __repr__(self) -> str:
        return f"<agreement of {len(self.assessors)} judges on {self.num_shared} documents>"

    def __str__(self) -> str:
        return self.verdict

    @property
    def verdict(self) -> str:
        """What the numbers say, in a few sentences."""
        return " ".join(_sentences(self))


def _sentences(report: AgreementReport) -> list[str]:
    if not report.num_shared:
        return ["No document has grades of two judges yet."]
    judges = counted(len(report.assessors), "judge")
    shared = counted(report.num_shared, "document")
    agree = f"{judges} give the same grade to {shared} in {report['observed']:.0%} of the cases."
    kappa = report.value(HEADLINE)
    if math.isnan(kappa.value):
        return [agree, f"Kappa is undefined: {kappa.reason}."]
    mean = "" if len(report.pairs) == 1 else f", the mean of {len(report.pairs)} pairs,"
    ends = "" if math.isnan(kappa.low) else f" ({report.level:.0%} interval {kappa.low:.2f} to {kappa.high:.2f})"
    found = [agree, f"Kappa{mean} is {kappa.value:.2f}{ends}: {_reading(kappa)}; {READING}."]
    found += _on_skew(report, kappa)
    if report.ranking is not None and not math.isnan(report.ranking.mean_tau):
        systems, tau = len(report.ranking.systems), report.ranking.mean_tau
        alike = "hardly matters to" if tau >= 0.9 else "changes" if tau >= 0.7 else "overturns"
        found.append(
            f"Whose judgments are used {alike} the order of the {systems} systems by {report.ranking.measure}: "
            f"tau-b between judges is {tau:.2f} on average."
        )
    return found


def _reading(kappa: AgreementValue) -> str:
    value = kappa.value
    word = "good" if value > GOOD else "tentative" if value > TENTATIVE else "too low to build on"
    crossed = [bound for bound in (TENTATIVE, GOOD) if kappa.low <= bound < kappa.high]
    return (
        f"{word}, though the interval reaches across {' and '.join(map('{:g}'.format, crossed))}" if crossed else word
    )


def _on_skew(report: AgreementReport, kappa: AgreementValue) -> list[str]:
    first = report["AC1"]
    if math.isnan(first) or first - kappa.value < SKEWED:
        return []
    given = [entry.given for entry in report.by_grade]
    most = max(report.by_grade, key=lambda entry: entry.given)
    if max(given) < PREVAILS * sum(given):
        return []
    relevant = report["positive"]
    on_relevant = "" if math.isnan(relevant) else f", and where one says relevant another does in {relevant:.0%}"
    return [
        f"Grade {most.grade:g} prevails ({max(given) / sum(given):.0%} of all), which lowers kappa: AC1, which allows "
        f"for that, is {first:.2f}{on_relevant}."
    ]


def pair_names(assessors: Sequence[str]) -> list[tuple[str, str]]:
    """Each two of them."""
    return [(a, b) for i, a in enumerate(assessors) for b in assessors[i + 1 :]]
