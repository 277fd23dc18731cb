"""Mistakes with ranking measures, each with a value that the measures themselves compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from germane.api.rankings.evaluation import judge_run, load_qrels
from germane.exercises.task import Mistake
from germane.measures.definition import MEASURES, given_to, work
from germane.measures.explain import Explanation, explain
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.measure import Measure

QUERY = "Q1"
COLLECTION = 20
"""Size of the collection, for measures that need it."""


@dataclass(frozen=True)
class Drawn:
    """A ranking, best first, and the grade of every judged document."""

    ranking: tuple[str, ...]
    grades: Mapping[str, int]

    @property
    def missed(self) -> list[str]:
        """Relevant documents that were not retrieved."""
        return sorted(doc for doc, grade in self.grades.items() if grade > 0 and doc not in self.ranking)

    @cached_property
    def judged(self) -> JudgedRun:
        """The ranking matched with the judgments, once for all measures."""
        scores = {doc: float(len(self.ranking) - place) for place, doc in enumerate(self.ranking)}
        grades = dict(self.grades)
        qrels = load_qrels({QUERY: grades}, scale=max(grades.values()), collection_size=COLLECTION)
        return judge_run(qrels, {QUERY: scores})

    def explanation(self, measure: Measure) -> Explanation:
        """Return the breakdown of a measure."""
        return explain(measure, self.judged, QUERY)

    def value(self, measure: Measure) -> float:
        """Return the value of a measure."""
        return float(work(measure, self.judged).value[0])


Way = Callable[[Drawn, Measure], float]


def _with(**changed: Any) -> Way:
    """Return a mistake: the same measure with other parameters; NaN if these are the ones asked for."""

    def value(drawn: Drawn, measure: Measure) -> float:
        alternative = MEASURES[measure].choose(**{**given_to(measure), **changed})
        return math.nan if alternative == measure else drawn.value(alternative)

    return value


def _instead(name: str, *, at: bool = True) -> Way:
    """Return a mistake: another measure, at the same cutoff if both have one."""

    def value(drawn: Drawn, measure: Measure) -> float:
        suffix = f"@{measure.at}" if at and measure.at is not None and MEASURES[measure].at == "cut" else ""
        return drawn.value(MEASURES.parse(name + suffix))

    return value


def _found_only(drawn: Drawn, measure: Measure) -> float:
    return replace(drawn, grades={d: g for d, g in drawn.grades.items() if d in drawn.ranking}).value(measure)


def _from_below(drawn: Drawn, measure: Measure) -> float:
    return replace(drawn, ranking=drawn.ranking[::-1]).value(measure)


def _no_cutoff(drawn: Drawn, measure: Measure) -> float:
    definition = MEASURES[measure]
    if measure.at is None or definition.at != "cut":
        return math.nan
    return drawn.value(definition.choose(**{k: v for k, v in given_to(measure).items() if k != "cut"}))


def _two_grades(drawn: Drawn, measure: Measure) -> float:
    return replace(drawn, grades={doc: min(grade, 1) for doc, grade in drawn.grades.items()}).value(measure)


def _every_rank(drawn: Drawn, measure: Measure) -> float:
    depth = len(drawn.ranking)
    return math.fsum(drawn.value(MEASURES.parse(f"P@{rank}")) for rank in range(1, depth + 1)) / depth


def _middle_of_both(drawn: Drawn, measure: Measure) -> float:
    return (_instead("P")(drawn, measure) + _instead("R")(drawn, measure)) / 2


def _at_recall(name: str) -> Way:
    """Return a mistake: another measure at the same recall level."""
    return lambda drawn, measure: drawn.value(MEASURES.parse(f"{name}@{measure.at}"))


def _less_than_one(name: str = "") -> Way:
    """Return a mistake: one minus a measure, by default the one asked for."""
    return lambda drawn, measure: 1 - drawn.value(MEASURES.parse(name) if name else measure)


_P, _R = ("given the precision", _instead("P")), ("given the recall", _instead("R"))
_WHOLE = ("given the precision of the whole list", _instead("P"))
_AP = ("given the average precision", _instead("AP"))
_LEVELS = (
    ("used precision only up to the next recall level, not at all higher recall (to=between)", _with(to="between")),
    ("used precision at all higher recall, not only up to the next level (to=beyond)", _with(to="beyond")),
)
_DISCOUNTED = (
    ("used 2^grade - 1 as the gain, not the grade", _with(gain="exp")),
    ("used the grade as the gain, not 2^grade - 1", _with(gain="linear")),
    ("divided by log2(i) from rank 2 on, not by log2(i + 1)", _with(discount="original")),
    ("divided by the rank i, not by log2(i + 1)", _with(discount="zipf")),
)
_WAYS: dict[str, tuple[tuple[str, Way], ...]] = {
    "P": (("divided by the number of relevant documents, which is the recall", _instead("R")),),
    "R": (("divided by the number of retrieved documents, which is the precision", _instead("P")),),
    "F": (
        ("used the arithmetic mean of precision and recall, not the harmonic mean", _middle_of_both),
        ("given precision more weight, as with beta = 1/2", _with(beta=0.5)),
        ("given recall more weight, as with beta = 2", _with(beta=2.0)),
        ("ignored beta, as with beta = 1", _with(beta=1.0)),
        _P,
        _R,
    ),
    "E": (("given F: E is 1 - F", _instead("F")), _P, _R),
    "Fallout": (
        ("divided by the number of retrieved documents, which gives 1 - precision", _less_than_one("P")),
        _P,
        _R,
    ),
    "AP": (
        ("divided by the relevant documents that were retrieved, not by all R of them", _with(over="retrieved")),
        ("averaged the precision at every rank, not only at relevant documents", _every_rank),
        ("summed the precision at each relevant document, not trapezoids (area=step)", _with(area="step")),
        ("used the interpolated precision at each relevant document", _with(area="interpolated")),
        ("summed trapezoids over every rank (area=sawtooth)", _with(area="sawtooth")),
        ("summed trapezoids between relevant documents (area=trapezoid)", _with(area="trapezoid")),
        _WHOLE,
        ("given the R-precision", _instead("Rprec", at=False)),
    ),
    "Rprec": (_WHOLE, ("given the recall of the whole list", _instead("R")), _AP),
    "RR": (("given the rank itself, not its reciprocal", lambda drawn, _: 1 / drawn.value(MEASURES.parse("RR"))), _AP),
    "IPrec": (
        *_LEVELS,
        ("used the precision where this recall is reached, not the highest from there on", _at_recall("PAtRecall")),
        _WHOLE,
    ),
    "IPrecAvg": (*_LEVELS, ("used ten recall levels, not eleven", _with(points=10)), _AP),
    "PAtRecall": (("interpolated: used the highest precision at this recall or higher", _at_recall("IPrec")), _WHOLE),
    "Efficiency": (
        ("not divided the distance by the square root of 2", lambda d, m: 1 - (1 - d.value(m)) * math.sqrt(2)),
        ("given the distance divided by the square root of 2: the efficiency is one minus that", _less_than_one()),
        ("given F1 of the whole list", _instead("F")),
    ),
    "CG": (
        ("discounted by rank, which is DCG", _instead("DCG")),
        ("counted relevant documents instead of summing grades", _two_grades),
    ),
    "nCG": (
        ("divided by the cumulative gain of the ideal ranking, not by k times the highest grade", _with(by="ideal")),
        ("not divided at all, which is CG", _instead("CG")),
        ("given the precision: every grade above 0 counted as 1", _instead("P")),
    ),
    "DCG": (
        *_DISCOUNTED,
        ("divided by the natural logarithm of i + 1", _with(discount="log", base=math.e)),
        ("not discounted, which is CG", _instead("CG")),
        ("divided by the DCG of the ideal ranking, which is nDCG", _instead("nDCG")),
    ),
    "nDCG": (
        *_DISCOUNTED,
        ("not applied the cutoff to the ideal ranking", _with(ideal="full")),
        ("not divided by the DCG of the ideal ranking", _instead("DCG")),
        ("not discounted", _instead("nCG(by=ideal)")),
    ),
    "AUC": (("given one minus the area", _less_than_one()), _AP),
    "EER": (("given one minus the error rate", _less_than_one()),),
}
"""Mistakes by measure, before those that apply to any measure."""

_WITH_ANY: tuple[tuple[str, Way], ...] = (
    ("ignored relevant documents that were not retrieved", _found_only),
    ("ignored the cutoff", _no_cutoff),
    ("counted every grade above 0 as 1", _two_grades),
    ("read the ranking from the bottom", _from_below),
)


def ranking_mistakes(drawn: Drawn, measure: Measure) -> Iterator[Mistake]:
    """Yield the mistakes with this measure, then those that apply to any measure."""
    for done, way in _WAYS.get(MEASURES[measure].name, ()):
        yield Mistake(done, way(drawn, measure))
    for done, way in _WITH_ANY:
        yield Mistake(done, way(drawn, measure), general=True)
