"""What goes wrong with the measures of a ranking, each as a value that the measures themselves compute."""

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
"""How many documents there are, where a measure asks for it."""


@dataclass(frozen=True)
class Drawn:
    """A ranking, best first, and the grade of every document that was judged."""

    ranking: tuple[str, ...]
    grades: Mapping[str, int]

    @property
    def missed(self) -> list[str]:
        """What is relevant and was not retrieved."""
        return sorted(doc for doc, grade in self.grades.items() if grade > 0 and doc not in self.ranking)

    @cached_property
    def judged(self) -> JudgedRun:
        """The ranking seen through the judgments: matched once, for all measures."""
        scores = {doc: float(len(self.ranking) - place) for place, doc in enumerate(self.ranking)}
        grades = dict(self.grades)
        qrels = load_qrels({QUERY: grades}, scale=max(grades.values()), collection_size=COLLECTION)
        return judge_run(qrels, {QUERY: scores})

    def explanation(self, measure: Measure) -> Explanation:
        """A measure, worked out."""
        return explain(measure, self.judged, QUERY)

    def value(self, measure: Measure) -> float:
        """Its value alone."""
        return float(work(measure, self.judged).value[0])


Way = Callable[[Drawn, Measure], float]


def _with(**changed: Any) -> Way:
    """The same measure with other parameters; no mistake where it was asked for with them."""

    def value(drawn: Drawn, measure: Measure) -> float:
        alternative = MEASURES[measure].choose(**{**given_to(measure), **changed})
        return math.nan if alternative == measure else drawn.value(alternative)

    return value


def _instead(name: str, *, at: bool = True) -> Way:
    """Another measure, at the same cutoff where both have one."""

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
    """Another measure at the same level of recall."""
    return lambda drawn, measure: drawn.value(MEASURES.parse(f"{name}@{measure.at}"))


def _less_than_one(name: str = "") -> Way:
    """One less a measure, or less the one that is asked for."""
    return lambda drawn, measure: 1 - drawn.value(MEASURES.parse(name) if name else measure)


_P, _R = ("given the precision", _instead("P")), ("given the recall", _instead("R"))
_WHOLE = ("given the precision of the whole list", _instead("P"))
_AP = ("given the average precision", _instead("AP"))
_LEVELS = (
    ("looked only up to the next level of recall, not at all beyond (to=between)", _with(to="between")),
    ("looked at all recall beyond, not only up to the next level (to=beyond)", _with(to="beyond")),
)
_DISCOUNTED = (
    ("taken 2^grade - 1 for the gain, not the grade", _with(gain="exp")),
    ("taken the grade for the gain, not 2^grade - 1", _with(gain="linear")),
    ("divided by log2(i) from rank 2 on, not by log2(i + 1)", _with(discount="original")),
    ("divided by the rank i, not by log2(i + 1)", _with(discount="zipf")),
)
_WAYS: dict[str, tuple[tuple[str, Way], ...]] = {
    "P": (("divided by the number of relevant documents, which is the recall", _instead("R")),),
    "R": (("divided by the number of retrieved documents, which is the precision", _instead("P")),),
    "F": (
        ("taken the mean of precision and recall, not their harmonic mean", _middle_of_both),
        ("weighed precision and recall the other way round, as with beta = 1/2", _with(beta=0.5)),
        ("weighed recall more, as with beta = 2", _with(beta=2.0)),
        ("left beta out, as with beta = 1", _with(beta=1.0)),
        _P,
        _R,
    ),
    "E": (("given F: E is 1 - F", _instead("F")), _P, _R),
    "Fallout": (("divided by what was retrieved, which is 1 - precision", _less_than_one("P")), _P, _R),
    "AP": (
        ("divided by the relevant documents that were retrieved, not by all R of them", _with(over="retrieved")),
        ("taken the mean of the precision at every rank, not only where a relevant document stands", _every_rank),
        ("added up the precision at each relevant document, not trapezoids (area=step)", _with(area="step")),
        ("taken the interpolated precision at each relevant document", _with(area="interpolated")),
        ("added up trapezoids over every rank (area=sawtooth)", _with(area="sawtooth")),
        ("added up trapezoids through the relevant documents (area=trapezoid)", _with(area="trapezoid")),
        _WHOLE,
        ("given the R-precision", _instead("Rprec", at=False)),
    ),
    "Rprec": (_WHOLE, ("given the recall of the whole list", _instead("R")), _AP),
    "RR": (("given the rank itself, not one over it", lambda drawn, _: 1 / drawn.value(MEASURES.parse("RR"))), _AP),
    "IPrec": (
        *_LEVELS,
        ("taken the precision where that recall is reached, not the highest from there on", _at_recall("PAtRecall")),
        _WHOLE,
    ),
    "IPrecAvg": (*_LEVELS, ("taken ten levels of recall, or another number than eleven", _with(points=10)), _AP),
    "PAtRecall": (("interpolated: taken the highest precision at that recall or beyond", _at_recall("IPrec")), _WHOLE),
    "Efficiency": (
        ("not divided the distance by the root of 2", lambda d, m: 1 - (1 - d.value(m)) * math.sqrt(2)),
        ("given the distance over the root of 2: the efficiency is one minus that", _less_than_one()),
        ("given F1 of the whole list", _instead("F")),
    ),
    "CG": (
        ("discounted by rank, which is DCG", _instead("DCG")),
        ("counted relevant documents instead of adding grades", _two_grades),
    ),
    "nCG": (
        ("divided by the cumulated gain of the ideal ranking, not by k times the highest grade", _with(by="ideal")),
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
        ("made the ideal ranking of all relevant documents, though the cutoff ends it, too", _with(ideal="full")),
        ("not divided by the DCG of the ideal ranking", _instead("DCG")),
        ("not discounted", _instead("nCG(by=ideal)")),
    ),
    "AUC": (("given one minus the area", _less_than_one()), _AP),
    "EER": (("given one minus it", _less_than_one()),),
}
"""What goes wrong with each measure; what goes wrong with any comes after it."""

_WITH_ANY: tuple[tuple[str, Way], ...] = (
    ("left out the relevant documents that were not retrieved", _found_only),
    ("ignored the cutoff", _no_cutoff),
    ("counted every grade above 0 as 1", _two_grades),
    ("read the ranking from the bottom", _from_below),
)


def ranking_mistakes(drawn: Drawn, measure: Measure) -> Iterator[Mistake]:
    """What goes wrong with this measure, and then what goes wrong with any."""
    for done, way in _WAYS.get(MEASURES[measure].name, ()):
        yield Mistake(done, way(drawn, measure))
    for done, way in _WITH_ANY:
        yield Mistake(done, way(drawn, measure), general=True)
