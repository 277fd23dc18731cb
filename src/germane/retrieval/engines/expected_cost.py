"""Answers by the Probability Ranking Principle: scores become P(R|d), and what is not worth its cost is left out."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from germane.catalogue import Catalogue, Choice, Entry, written
from germane.errors import GermaneError
from germane.retrieval.engines.protocol import Ranked
from germane.retrieval.engines.requests import Answer
from germane.retrieval.probability.ranking_principle import BAYES, Costs, decide
from germane.retrieval.probability.relevance_probability import Calibration, Method, Normalise, Unjudged, calibrate
from germane.tables.columns.ids import FloatArray
from germane.tables.notes.counts import notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

EQUAL = "documents of equal P(R|d) keep the order of the model's scores: each lower score gets the next smaller number"


@dataclass(frozen=True)
class CalibrationChoice(Choice):
    """How scores are to become probabilities; its name is the method.

    Scores are made comparable between queries by `normalise`; z-scores predicted best of the three on Cranfield and
    CACM, for each of three models.

    >>> str(CALIBRATIONS.parse("logistic( normalise=none )"))
    'logistic(normalise=none)'
    """

    normalise: Normalise = "zscore"
    unjudged: Unjudged = "non-relevant"

    def learn(self, run: Run, qrels: Qrels, rel: float) -> Calibration:
        method = cast("Method", self.name)
        return calibrate(run, qrels, method=method, normalise=self.normalise, unjudged=self.unjudged, rel=rel)


CALIBRATIONS = Catalogue("calibration", Entry, CalibrationChoice, example="isotonic or logistic(normalise=none)")


@CALIBRATIONS.add("isotonic")
@dataclass(frozen=True)
class Isotonic(CalibrationChoice):
    """The rising step function that fits best."""


@CALIBRATIONS.add("logistic")
@dataclass(frozen=True)
class Logistic(CalibrationChoice):
    """A logistic function of the score."""


def costs_of(given: str | Sequence[float] | Costs) -> Costs:
    """Costs as people give them: C and C′, a third number for what is missed, or ``bayes``.

    >>> costs_of("-1,0.5").threshold == costs_of((-1, 0.5)).threshold == 0.5 / 1.5
    True
    >>> costs_of("bayes")
    Costs(relevant=0, non_relevant=1, missed=1)
    """
    if isinstance(given, Costs):
        return given
    if isinstance(given, str) and given.strip().casefold() == "bayes":
        return BAYES
    parts = given.split(",") if isinstance(given, str) else list(given)
    try:
        numbers = [float(part) for part in parts]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) not in (2, 3):
        hint = "C is the cost of returning a relevant document (a gain is below 0), C′ of any other"
        raise GermaneError(f"expected costs as C,C′ (or C,C′,missed), or bayes, found {given!r}", hint=hint)
    return Costs(*numbers)


def named_costs(costs: Costs) -> str:
    """As part of a run's name.

    >>> named_costs(BAYES), named_costs(Costs(-1, 0.5))
    ('costs(0,1,1)', 'costs(-1,0.5)')
    """
    missed = (costs.missed,) if costs.missed else ()
    return f"costs({','.join(written(cost) for cost in (costs.relevant, costs.non_relevant, *missed))})"


@dataclass(frozen=True, eq=False)
class Worth:
    """How scores become probabilities, and what documents cost.

    `folds` is there for an engine that learns too: so many parts of the past queries were ranked by what the other
    parts taught.
    """

    costs: Costs
    choice: CalibrationChoice
    calibration: Calibration
    folds: int | None = None

    def decided(self, answers: Sequence[Answer]) -> Decided:
        """Each answer ranked by P(R|d) and cut where the costs say."""
        kept, returned, expected, not_worth, all_worth, highest = [], {}, {}, [], [], 0.0
        for answer in answers:
            ranking = np.argsort(-answer.found.scores, kind="stable")  # not every engine sorts what it finds
            scores = answer.found.scores[ranking]
            decision = decide(self.calibration.probabilities(scores), self.costs)
            first = decision.order[: decision.num_returned]
            ids = tuple(answer.found.ids[place] for place in ranking[first].tolist())
            kept.append(replace(answer, found=Ranked(ids, stepped(decision.probability[: len(ids)], scores[first]))))
            if answer.seconds is None:
                continue
            returned[answer.topic], expected[answer.topic] = len(ids), decision.expected_cost
            if len(scores):
                highest = max(highest, float(decision.probability[0]))
                if not ids:
                    not_worth.append(answer.topic)
                if len(ids) == len(scores):
                    all_worth.append(answer.topic)
        return Decided(self, tuple(kept), returned, expected, tuple(not_worth), tuple(all_worth), highest)


def stepped(probability: FloatArray, scores: FloatArray) -> FloatArray:
    """Probabilities, best first, as scores that keep the order: equal only where the model's scores are equal too.

    A calibration gives one probability to many scores. Where the score is another, the next smaller number stands for
    the same probability (0 stays 0), so whoever sorts the run finds the order in which the model ranked.

    >>> steps = stepped(np.array([0.5, 0.5, 0.5, 0.25]), np.array([9.0, 8.0, 8.0, 1.0]))
    >>> bool(steps[0] > steps[1] == steps[2] > steps[3]), float(np.abs(steps - [0.5, 0.5, 0.5, 0.25]).max()) < 1e-15
    (True, True)
    """
    steps = probability.copy()
    for i in range(1, len(steps)):
        if scores[i] == scores[i - 1]:
            steps[i] = steps[i - 1]
        else:
            steps[i] = max(min(steps[i], np.nextafter(steps[i - 1], -1.0)), 0.0)
    return steps


@dataclass(frozen=True, eq=False)
class Decided:
    """What is returned of each answer, and the expected cost of that, by topic."""

    worth: Worth
    answers: tuple[Answer, ...]
    returned: Mapping[str, int]
    expected_cost: Mapping[str, float]
    not_worth: tuple[str, ...]
    """Topics with candidates of which none is worth its cost."""
    all_worth: tuple[str, ...]
    """Topics of which every candidate is returned."""
    highest: float
    """The highest probability of any candidate."""

    def describe(self) -> dict[str, Any]:
        """For the record beside the run."""
        costs, sizes, expected = self.worth.costs, list(self.returned.values()), list(self.expected_cost.values())
        return {
            "name": named_costs(costs),
            "relevant": costs.relevant,
            "non_relevant": costs.non_relevant,
            "missed": costs.missed,
            "threshold": costs.threshold,
            "calibration": {
                "name": str(self.worth.choice),
                "unjudged": self.worth.choice.unjudged,
                "folds": self.worth.folds,
                **self.worth.calibration.to_json(),
            },
            "ties": EQUAL,
            "returned": {
                "min": min(sizes, default=None),
                "median": statistics.median(sizes) if sizes else None,
                "max": max(sizes, default=None),
                "by_query": dict(self.returned),
            },
            "expected_cost": {
                "total": sum(expected),
                "mean": sum(expected) / len(expected) if expected else None,
                "by_query": dict(self.expected_cost),
            },
        }

    def notes(self, k: int) -> list[Note]:
        """What a reader should know: how many were returned, and for which topics none or all of them."""
        told = self.describe()
        if not self.returned:
            return []
        sizes, threshold = told["returned"], self.worth.costs.threshold
        fit, folds = self.worth.calibration, "" if self.worth.folds is None else f" in {self.worth.folds} folds"
        judged = f"{fit.num_relevant:,} relevant and {fit.num_non_relevant:,} other documents of past topics{folds}"
        what = (
            f"per topic (median {sizes['median']:g}) have P(R|d) above {threshold:.4g} by {self.worth.choice}, learned "
            f"from {judged}; expected cost {told['expected_cost']['mean']:.4g} per topic"
        )
        notes = [Note("costs", f"{sizes['min']:,} to {sizes['max']:,} documents", what)]
        what = f"without a document worth its cost (the highest P(R|d) of all topics is {self.highest:.4g})"
        notes += notes_on_ids("nothing-worth-its-cost", self.not_worth, "topic", what)
        full = [topic for topic in self.all_worth if self.returned[topic] == k]
        what = f"of which all {k:,} candidates are worth it: raise -k"
        return notes + notes_on_ids("more-may-be-worth", full, "topic", what)
