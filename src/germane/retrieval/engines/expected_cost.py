"""Apply the Probability Ranking Principle to answers: convert scores to P(R|d), return what is worth its cost."""

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

EQUAL = "equal P(R|d) keep the order of the model's scores: each lower score is written as the next smaller number"


@dataclass(frozen=True)
class CalibrationChoice(Choice):
    """A calibration method, which turns scores into probabilities; its name is the method.

    `normalise` makes scores comparable between queries; z-scores predicted best of the three on Cranfield and CACM,
    for each of three models.

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
    """Isotonic regression: the non-decreasing step function that fits best."""


@CALIBRATIONS.add("logistic")
@dataclass(frozen=True)
class Logistic(CalibrationChoice):
    """Logistic regression: a logistic function of the score."""


def costs_of(given: str | Sequence[float] | Costs) -> Costs:
    """Parse costs: C and C′, optionally the cost of a missed relevant document, or ``bayes``.

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
        hint = "C is the cost of returning a relevant document (negative for a gain), C′ of a non-relevant one"
        raise GermaneError(f"expected costs as C,C′ (or C,C′,missed), or bayes, found {given!r}", hint=hint)
    return Costs(*numbers)


def named_costs(costs: Costs) -> str:
    """Return costs as part of a run's name.

    >>> named_costs(BAYES), named_costs(Costs(-1, 0.5))
    ('costs(0,1,1)', 'costs(-1,0.5)')
    """
    missed = (costs.missed,) if costs.missed else ()
    return f"costs({','.join(written(cost) for cost in (costs.relevant, costs.non_relevant, *missed))})"


@dataclass(frozen=True, eq=False)
class Worth:
    """A calibration and the costs of documents.

    `folds` is set for an engine that learns: the number of cross-validation folds in which past queries were ranked,
    each fold by what was learned from the others.
    """

    costs: Costs
    choice: CalibrationChoice
    calibration: Calibration
    folds: int | None = None

    def decided(self, answers: Sequence[Answer]) -> Decided:
        """Rank each answer by P(R|d) and cut it at the threshold of the costs."""
        kept, returned, expected, not_worth, all_worth, highest = [], {}, {}, [], [], 0.0
        for answer in answers:
            ranking = np.argsort(-answer.found.scores, kind="stable")  # not every engine sorts its answers
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
    """Turn probabilities, best first, into scores that keep the order: equal only where the model's scores are equal.

    A calibration maps many scores to one probability. Where scores differ, the next smaller floating-point number is
    written for the same probability (0 stays 0), so sorting the run restores the order of the model.

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
    """Documents returned for each query, and their expected cost."""

    worth: Worth
    answers: tuple[Answer, ...]
    returned: Mapping[str, int]
    expected_cost: Mapping[str, float]
    not_worth: tuple[str, ...]
    """Queries with candidates, none of which is worth its cost."""
    all_worth: tuple[str, ...]
    """Queries for which every candidate is returned."""
    highest: float
    """The highest probability of any candidate of any query."""

    def describe(self) -> dict[str, Any]:
        """Return the decision as JSON for the record beside the run."""
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
        """Return notes on how many documents were returned, and on queries with none or with all candidates."""
        facts = self.describe()
        if not self.returned:
            return []
        sizes, threshold = facts["returned"], self.worth.costs.threshold
        fit, folds = self.worth.calibration, "" if self.worth.folds is None else f" in {self.worth.folds} folds"
        judged = f"{fit.num_relevant:,} relevant and {fit.num_non_relevant:,} non-relevant past documents{folds}"
        what = (
            f"per query (median {sizes['median']:g}) have P(R|d) above {threshold:.4g} by {self.worth.choice}, learned "
            f"from {judged}; expected cost {facts['expected_cost']['mean']:.4g} per query"
        )
        notes = [Note("costs", f"{sizes['min']:,} to {sizes['max']:,} documents", what)]
        what = f"without results: no document is worth its cost (highest P(R|d) of all queries: {self.highest:.4g})"
        notes += notes_on_ids("nothing-worth-its-cost", self.not_worth, "query", what)
        full = [topic for topic in self.all_worth if self.returned[topic] == k]
        what = f"whose {k:,} candidates are all worth their cost; raise -k"
        return notes + notes_on_ids("more-may-be-worth", full, "query", what)
