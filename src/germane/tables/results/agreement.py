"""Result of `agree`: inter-assessor agreement overall, by pair and by topic, and its effect on the order of systems."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from germane.errors import not_computed
from germane.tables.columns.ids import IntArray
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Prose, Table, by_key, table
from germane.tables.results.result import Result, attributes

TENTATIVE, GOOD = 0.67, 0.8
"""Krippendorff's conventional limits for alpha, which lecture 004 uses for kappa."""

WORDS = ("unreliable", "tentative conclusions only", "good")
READING = "above 0.8: good; 0.67 to 0.8: tentative conclusions only; below 0.67: unreliable"
MIN_FOR_COEFFICIENT = 10
"""Shared documents below which a pair or a topic gets no chance-corrected coefficient."""
MIN_FOR_MEAN = 30
"""Documents that every pair must share before a mean over pairs is given."""
PREVAILS = 2 / 3
"""Minimum share of a grade for the verdict to call it the most frequent one."""
SKEWED = 0.2
"""Minimum AC1 − alpha for the verdict to explain that a frequent grade lowers alpha."""


@dataclass(frozen=True)
class AgreementValue:
    """One agreement measure over all assessors, with its interval.

    `undefined` says why the value is NaN, `no_interval` why a value has no interval.
    """

    name: str
    title: str
    value: float
    low: float = math.nan
    high: float = math.nan
    undefined: str | None = None
    no_interval: str | None = None
    is_mean: bool = False
    """Whether it is a mean over several pairs of assessors."""

    @property
    def remark(self) -> str:
        """Reason why there is no value, or no interval; empty otherwise."""
        if self.undefined is not None:
            return f"undefined: {self.undefined}"
        return f"no interval: {self.no_interval}" if math.isnan(self.low) else ""


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Agreement of two assessors on the documents that both graded.

    `first_higher_by` is how much higher the first one grades on average, `confusion` counts grades of the first (rows)
    by grades of the second (columns). Chance-corrected measures are NaN below ten shared documents.
    """

    first: str
    second: str
    num_docs: int
    agreement: Mapping[str, float]
    first_higher_by: float
    confusion: IntArray


@dataclass(frozen=True)
class TopicAgreement:
    """Agreement on one topic: the documents graded by two or more assessors, and each measure over all assessors."""

    topic: str
    num_docs: int
    agreement: Mapping[str, float]


@dataclass(frozen=True)
class JudgeSummary:
    """One assessor: how much they graded, how strict they are, and how they did on control items."""

    assessor: str
    graded: int
    shared: int
    cannot_judge: int
    mean_grade: float
    relevant: float
    """Share of their grades that are relevant."""
    agreement: float
    """Share of grades by other assessors, on the same documents, that are the same."""
    distractors: int = 0
    distractors_failed: int = 0
    repeats: int = 0
    repeats_same: int = 0
    pair_share: float = math.nan
    """Share of all pairs of grades of a document that include one of theirs."""
    alpha_without: float = math.nan
    """Alpha of all other assessors, where one assessor is in most pairs; NaN where none is."""
    too_fast: int = 0
    """Judgments given too fast to have read the document (`MIN_READING_SECONDS`)."""


@dataclass(frozen=True)
class GradeAgreement:
    """One grade: how often it was given to shared documents and, when one assessor gives it, how often another does."""

    grade: float
    given: int
    agreement: float


@dataclass(frozen=True)
class RankingPair:
    """Rank correlations of the leaderboards by two assessors, over the topics both judged."""

    first: str
    second: str
    num_topics: int
    tau_b: float
    tau_ap_b: float


@dataclass(frozen=True, eq=False)
class RankingAgreement:
    """Effect of disagreement on systems: their means by each assessor's grades, and the leaderboards' correlations."""

    measure: str
    systems: tuple[str, ...]
    means: Mapping[str, tuple[float, ...]]
    """Mean of each system by assessor, over the topics of that assessor."""
    pairs: tuple[RankingPair, ...]

    @property
    def mean_tau(self) -> float:
        """The mean tau-b over the pairs that have one."""
        known = [pair.tau_b for pair in self.pairs if not math.isnan(pair.tau_b)]
        return sum(known) / len(known) if known else math.nan

    def by_system(self) -> list[dict[str, Any]]:
        """Return each system with its means by assessor, the highest mean over assessors first."""
        rows = [
            {"system": system, "means": {who: values[place] for who, values in self.means.items()}}
            for place, system in enumerate(self.systems)
        ]
        return sorted(rows, key=lambda row: -sum(row["means"].values()))

    def document(self, pairs: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the JSON of this result."""
        means = {who: dict(zip(self.systems, values, strict=True)) for who, values in self.means.items()}
        return {"measure": self.measure, "mean_tau_b": self.mean_tau, "means": means, "pairs": pairs}


SHOWN_TOPICS, SHOWN_PAIRS = 5, 30
"""Maximum numbers of topics and of pairs shown by default."""
PAIR_LABELS = {
    "observed": "observed",
    "kappa_pooled": "kappa (pooled)",
    "kappa": "kappa (Cohen)",
    "kappa_quadratic": "quadratic",
    "AC1": "AC1",
    "overlap": "overlap",
}
"""Measures shown for a pair of assessors, with their headings."""
MEASURES = (
    F("name", "name", people=False),
    F("title", "text", "measure"),
    *F("value", "value").also("low", "high"),
    *F("undefined", "text", people=False, nested="present").also("no_interval"),
    F("remark", "text", people="filled", flat=False, nested=False),
)
PAIRS = (
    *F("first", "name").also("second"),
    F("num_docs", "count", "documents"),
    F("agreement", "value", labels=PAIR_LABELS),
    F("first_higher_by", "difference", digits=2),
    F("confusion", "list", people=False),
)
ASSESSORS = (
    F("assessor", "name"),
    *F("graded", "count").also("shared"),
    F("mean_grade", "value", digits=2),
    F("relevant", "share", digits=0),
    F("agreement", "share", "with others", digits=0),
    F("cannot_judge", "count"),
    F("distractors_failed", "count", people="distracted"),
    F("distractors", "count", "of", people="distracted"),
    F("repeats_same", "count", people="repeated"),
    F("repeats", "count", "of", people="repeated"),
    F("pair_share", "share", "in pairs", people="led", digits=0),
    F("alpha_without", "value", people="led"),
    F("too_fast", "count", people=False),
)
GRADES = (
    F("grade", "parameter"),
    F("given", "count"),
    F("agreement", "value", people=False),
    F("others", "share", nested=False, digits=0),
)
TOPICS = (F("topic", "name"), F("num_docs", "count", "documents"))
REPEATS = (F("measure", "name"), F("value", "value"))
SYSTEMS = (F("system", "name"), F("means", "value"))
RANKINGS = (
    *F("first", "name").also("second"),
    F("num_topics", "count", "topics"),
    F("tau_b", "value", "tau-b"),
    F("tau_ap_b", "value", "tau-ap-b"),
)


@dataclass(frozen=True, eq=False)
class Agreement(Result):
    """Agreement of two or more assessors. `report["kappa"]` is the value of one measure."""

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
    confusion: IntArray
    """Counts by grade × grade over all pairs of assessors in both directions: symmetric, and each pair counts twice."""
    repeats: Mapping[str, float] = field(default_factory=dict)
    """Self-consistency of assessors on repeated items; empty where none were shown."""
    ranking: RankingAgreement | None = None
    resampled: str = "topics, then documents within them"
    """The units that the bootstrap draws."""
    undefined_resamples: int = 0
    """Resamples in which alpha is undefined."""
    level: float = 0.95
    resamples: int = 0
    seed: int = 0
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "agree/1"

    def tables(self, **_: object) -> Iterator[Table]:
        """Yield the measures; then pairs, assessors, grades, topics, repeated items, systems and their order."""
        shared = f"{counted(self.num_shared, 'document')} with two grades or more"
        over = f"{counted(len(self.assessors), 'assessor')}, {shared}, {counted(len(self.topics), 'topic')}"
        title = f"Agreement ({over}), with {self.level:.0%} intervals"
        yield table("measures", MEASURES, self.overall, title=title)
        yield table("pairs", PAIRS, self.pairs, title="Pairs of assessors")
        when = {
            "distracted": any(judge.distractors for judge in self.judges),
            "repeated": any(judge.repeats for judge in self.judges),
            "led": not all(math.isnan(judge.alpha_without) for judge in self.judges),
        }
        title = "Assessors (relevant: share of grades; with others: same grade as another assessor)"
        yield table("assessors", ASSESSORS, self.judges, title=title, when=when)
        title = "Grades (where one assessor gives this grade, share of each grade by another)"
        yield table("grades", GRADES, map(self._grade, self.by_grade, self.confusion), title=title)
        labels = {self.alpha.name: "alpha", "observed": "observed", "AC1": "AC1", "positive": "on relevant"}
        yield table("topics", (*TOPICS, F("agreement", "value", labels=labels)), self.by_topic, title="Topics")
        if self.repeats:
            again = [{"measure": name, "value": value} for name, value in self.repeats.items() if name != "items"]
            title = f"Self-consistency on {counted(round(self.repeats['items']), 'repeated item')}"
            yield table("repeats", REPEATS, again, title=title)
        if self.ranking is not None:
            title = f"Systems by assessor ({self.ranking.measure}, sorted by the mean over assessors)"
            yield table("systems", SYSTEMS, self.ranking.by_system(), title=title)
            yield table("rankings", RANKINGS, self.ranking.pairs, title="Rank correlation of systems between assessors")

    def _grade(self, entry: GradeAgreement, met: IntArray) -> dict[str, Any]:
        """Return a grade with the share of each grade that another assessor gives where one gives this."""
        shares = (count / met.sum() if met.sum() else math.nan for count in met)
        return {**vars(entry), "others": dict(zip((f"{grade:g}" for grade in self.grades), shares, strict=True))}

    def shown(self, *, per_query: bool = False, digits: int = 4) -> Iterator[Table | str]:
        """Yield the verdict; then the tables, long ones with the rows that matter most."""
        yield Prose(f"{self.verdict}\n")
        if self.num_shared:
            yield from (self._for_people(each, per_query) for each in self.tables())

    def _for_people(self, each: Table, per_query: bool) -> Table:
        if each.name == "measures":  # a note names the means that are not given
            given = [entry for entry in self.overall if not (entry.is_mean and entry.undefined)]
            return table(each.name, MEASURES, given, title=each.title)
        rows, title = list(range(len(each))), each.title
        if each.name == "pairs" and len(rows) > SHOWN_PAIRS:
            rows = sorted(rows, key=lambda row: -self.pairs[row].num_docs)[:SHOWN_PAIRS]
            title += f", the {SHOWN_PAIRS} of {len(each)} with the most shared documents"
        elif each.name == "topics" and len(rows) > SHOWN_TOPICS and not per_query:
            rows = sorted(rows, key=lambda row: self.by_topic[row].agreement["observed"])[:SHOWN_TOPICS]
            title = f"Topics with the least agreement ({SHOWN_TOPICS} of {len(each)}; per-query shows all)"
        documents = each.flat().get("num_docs")
        if documents and any(documents[row] < MIN_FOR_COEFFICIENT for row in rows):
            title += f" (coefficients need {MIN_FOR_COEFFICIENT} documents)"
        return replace(each.chosen(rows), title=title)

    def facts(self) -> dict[str, Any]:
        """Return the settings, the counts, the verdict, and the method of the intervals."""
        return {
            **attributes(self, "assessors grades rel"),
            "num_topics": len(self.topics),
            "num_docs": self.num_items,
            **attributes(self, "num_shared verdict"),
            "reading": READING,
            "headline": self.alpha.name,
            "interval": {"method": "percentile", **attributes(self, "resampled level resamples seed")},
        }

    def document(self, **_: object) -> dict[str, Any]:
        """Return the facts and tables; measures, topics and systems by name."""
        records = {each.name: each.records() for each in self.tables()}
        return {
            **self.facts(),
            "agreement": by_key(records["measures"], "name"),
            "pairs": records["pairs"],
            "topics": {each.topic: {"num_docs": each.num_docs, **each.agreement} for each in self.by_topic},
            "by_grade": records["grades"],
            "confusion": self.confusion,
            "by_assessor": records["assessors"],
            "self_consistency": self.repeats or None,
            "systems": None if self.ranking is None else self.ranking.document(records["rankings"]),
        }

    def __getitem__(self, name: str) -> float:
        return self.value(name).value

    def value(self, name: str) -> AgreementValue:
        """Return one measure with its interval."""
        by_name = {entry.name: entry for entry in self.overall}
        if name not in by_name:
            raise not_computed(name, by_name)
        return by_name[name]

    def __repr__(self) -> str:
        return f"<agreement of {len(self.assessors)} assessors on {self.num_shared} documents>"

    @property
    def alpha(self) -> AgreementValue:
        """Krippendorff's alpha: nominal for two grades, interval for more."""
        return self.value(headline(len(self.grades)))

    @property
    def verdict(self) -> str:
        """Summary of the numbers in a few sentences."""
        return " ".join(_sentences(self))


def headline(num_grades: int) -> str:
    """Return the name of the alpha that suits a scale."""
    return "alpha_interval" if num_grades > 2 else "alpha_nominal"


def _sentences(report: Agreement) -> list[str]:
    if not report.num_shared:
        return ["No document has grades of two assessors yet."]
    assessors, shared = counted(len(report.assessors), "assessor"), counted(report.num_shared, "document")
    gwet = "" if math.isnan(report["AC1"]) else f"; AC1 is {report['AC1']:.2f}"
    agree = f"{assessors} gave the same grade in {report['observed']:.0%} of cases, on {shared}{gwet}."
    alpha = report.alpha
    if math.isnan(alpha.value):
        return [f"{alpha.title} is undefined: {alpha.undefined}.", agree]
    found = [f"{alpha.title}, is {alpha.value:.2f} {_reading(alpha, report.level)} ({READING}).", agree]
    found += _on_skew(report, alpha)
    if report.ranking is not None and not math.isnan(report.ranking.mean_tau):
        systems, tau = len(report.ranking.systems), report.ranking.mean_tau
        alike = "hardly changes" if tau >= 0.9 else "changes" if tau >= 0.7 else "overturns"
        order = f"the order of the {systems} systems by {report.ranking.measure}"
        found.append(f"The choice of assessor {alike} {order}: tau-b between assessors is {tau:.2f} on average.")
    return found


def _reading(alpha: AgreementValue, level: float) -> str:
    """Return the interval with its verdict; without an interval there is none."""
    if math.isnan(alpha.low):
        return f"without an interval, so there is no verdict: {alpha.no_interval}"
    ends = f"({level:.0%} interval {alpha.low:.2f} to {alpha.high:.2f})"
    low, high = (WORDS[(end >= TENTATIVE) + (end > GOOD)] for end in (alpha.low, alpha.high))
    return f"{ends}: {low}" if low == high else f'{ends}, between "{low}" and "{high}"'


def _on_skew(report: Agreement, alpha: AgreementValue) -> list[str]:
    if math.isnan(report["AC1"]) or report["AC1"] - alpha.value < SKEWED:
        return []
    most = max(report.by_grade, key=lambda entry: entry.given)
    given = sum(entry.given for entry in report.by_grade)
    if most.given < PREVAILS * given:
        return []
    relevant = report["positive"]
    on_relevant = "" if math.isnan(relevant) else f", and agreement on relevant documents is {relevant:.0%}"
    frequent = f"Grade {most.grade:g} is by far the most frequent ({most.given / given:.0%} of all)"
    return [f"{frequent}, which lowers alpha; AC1 accounts for that{on_relevant}."]


def pair_names(assessors: Sequence[str]) -> list[tuple[str, str]]:
    """Return all pairs of assessors."""
    return list(itertools.combinations(assessors, 2))
