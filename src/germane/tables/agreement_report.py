"""How far assessors agree: over all judges, by pair and by topic; and what that does to the ranking of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from germane.errors import GermaneError, did_you_mean
from germane.tables.counted import counted
from germane.tables.ids import FloatArray
from germane.tables.scores import Note

TENTATIVE, GOOD = 0.67, 0.8
"""Krippendorff's limits for alpha, which lecture 004 has for kappa: conventions, both of them."""

WORDS = ("unreliable", "tentative conclusions only", "good")
READING = "above 0.8: good; 0.67 to 0.8: tentative conclusions only; below 0.67: unreliable"
MIN_FOR_COEFFICIENT = 10
"""Shared documents below which a pair or a topic gets no chance-corrected coefficient."""
MIN_FOR_MEAN = 30
"""Documents that every pair must share before a mean over pairs is given."""
PREVAILS = 2 / 3
"""The share of one grade from which it is said to prevail."""
SKEWED = 0.2
"""AC1 exceeds alpha by this much where one grade prevails so much that alpha says little."""


@dataclass(frozen=True)
class AgreementValue:
    """One measure over all judges, with its interval.

    `reason` says why the value is NaN, `no_interval` why a value has no interval.
    """

    name: str
    title: str
    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None
    no_interval: str | None = None
    is_mean: bool = False
    """Whether it is a mean over several pairs of assessors."""


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Two judges: the documents both graded, each measure, by how much the first grades higher on average, and how
    often which grade of the first (rows) met which of the second (columns). Chance-corrected measures are NaN where
    they share fewer than ten documents.
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
    pair_share: float = math.nan
    """The share of all pairs of grades of a document that one of theirs is part of."""
    alpha_without: float = math.nan
    """Alpha of all others, where one assessor is in most pairs; NaN where nobody is."""
    too_fast: int = 0
    """Judgments given before anybody could have read the document (`MIN_READING_SECONDS`)."""


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
    resampled: str = "topics, then documents within them"
    """The units that the bootstrap draws."""
    undefined_resamples: int = 0
    """Resamples in which alpha is undefined."""
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
        return f"<agreement of {len(self.assessors)} assessors on {self.num_shared} documents>"

    def __str__(self) -> str:
        return self.verdict

    @property
    def alpha(self) -> AgreementValue:
        """Krippendorff's alpha: nominal for two grades, interval for more."""
        return self.value(headline(len(self.grades)))

    @property
    def verdict(self) -> str:
        """What the numbers say, in a few sentences."""
        return " ".join(_sentences(self))


def headline(num_grades: int) -> str:
    """Return the name of the alpha that suits a scale."""
    return "alpha_interval" if num_grades > 2 else "alpha_nominal"


def _sentences(report: AgreementReport) -> list[str]:
    if not report.num_shared:
        return ["No document has grades of two assessors yet."]
    assessors = counted(len(report.assessors), "assessor")
    shared = counted(report.num_shared, "document")
    gwet = "" if math.isnan(report["AC1"]) else f"; AC1 is {report['AC1']:.2f}"
    agree = f"{assessors} give the same grade to {shared} in {report['observed']:.0%} of the cases{gwet}."
    alpha = report.alpha
    if math.isnan(alpha.value):
        return [f"{alpha.title} is undefined: {alpha.reason}.", agree]
    found = [f"{alpha.title}, is {alpha.value:.2f} {_reading(alpha, report.level)} ({READING}).", agree]
    found += _on_skew(report, alpha)
    if report.ranking is not None and not math.isnan(report.ranking.mean_tau):
        systems, tau = len(report.ranking.systems), report.ranking.mean_tau
        alike = "hardly matters to" if tau >= 0.9 else "changes" if tau >= 0.7 else "overturns"
        found.append(
            f"Whose judgments are used {alike} the order of the {systems} systems by {report.ranking.measure}: "
            f"tau-b between assessors is {tau:.2f} on average."
        )
    return found


def _reading(alpha: AgreementValue, level: float) -> str:
    """The interval in words; without one there is no verdict, and none that its ends do not share."""
    if math.isnan(alpha.low):
        return f"without an interval, so there is no verdict: {alpha.no_interval}"
    ends = f"({level:.0%} interval {alpha.low:.2f} to {alpha.high:.2f})"
    low, high = (WORDS[(end >= TENTATIVE) + (end > GOOD)] for end in (alpha.low, alpha.high))
    return f"{ends}: {low}" if low == high else f"{ends}, anything from {low} to {high}"


def _on_skew(report: AgreementReport, alpha: AgreementValue) -> list[str]:
    gwet = report["AC1"]
    if math.isnan(gwet) or gwet - alpha.value < SKEWED:
        return []
    given = [entry.given for entry in report.by_grade]
    most = max(report.by_grade, key=lambda entry: entry.given)
    if max(given) < PREVAILS * sum(given):
        return []
    relevant = report["positive"]
    on_relevant = "" if math.isnan(relevant) else f", and where one says relevant another does in {relevant:.0%}"
    return [
        f"Grade {most.grade:g} prevails ({max(given) / sum(given):.0%} of all), which lowers alpha; AC1 allows for "
        f"that{on_relevant}."
    ]


def pair_names(assessors: Sequence[str]) -> list[tuple[str, str]]:
    """Each two of them."""
    return [(a, b) for i, a in enumerate(assessors) for b in assessors[i + 1 :]]
