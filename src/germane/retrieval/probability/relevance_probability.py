"""Turn scores into P(R|d), calibrated on judged rankings.

The scores of a ranking model need not be probabilities, and most are comparable only within a query; `normalise` makes
them comparable before the scores of all queries are pooled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError
from germane.measures.decisions.scores.isotonic import isotonic_fit
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.decisions import Decisions
from germane.tables.notes.counts import counted
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

Method = Literal["isotonic", "logistic"]
Normalise = Literal["none", "minmax", "zscore"]
Unjudged = Literal["non-relevant", "left out"]


@dataclass(frozen=True)
class Steps:
    """Isotonic fit: the share of relevant documents at ascending scores, interpolated linearly between them and
    constant beyond them."""

    scores: tuple[float, ...]
    shares: tuple[float, ...]

    def at(self, score: FloatArray) -> FloatArray:
        return np.interp(score, self.scores, self.shares)


@dataclass(frozen=True)
class Sigmoid:
    """Logistic fit: 1 / (1 + exp(-(intercept + slope·score)))."""

    intercept: float
    slope: float

    def at(self, score: FloatArray) -> FloatArray:
        return np.asarray(0.5 * (1 + np.tanh(0.5 * (self.intercept + self.slope * score))))


@dataclass(frozen=True)
class Calibration:
    """A fitted mapping from scores to probabilities of relevance, with the number of documents it was fitted on."""

    fit: Steps | Sigmoid
    normalise: Normalise
    num_relevant: int
    num_non_relevant: int

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Return P(R|d) for the documents of one query, from the scores of its whole ranking."""
        return self.fit.at(normalised(np.asarray(scores, np.float64), self.normalise))

    def to_json(self) -> dict[str, Any]:
        """Return the calibration as a JSON object."""
        return {
            "method": "isotonic" if isinstance(self.fit, Steps) else "logistic",
            **{key: list(value) if isinstance(value, tuple) else value for key, value in vars(self.fit).items()},
            "normalise": self.normalise,
            "num_relevant": self.num_relevant,
            "num_non_relevant": self.num_non_relevant,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Calibration:
        """Return the calibration from a JSON object."""
        fit: Steps | Sigmoid
        if given["method"] == "isotonic":
            fit = Steps(tuple(given["scores"]), tuple(given["shares"]))
        else:
            fit = Sigmoid(given["intercept"], given["slope"])
        return cls(fit, given["normalise"], given["num_relevant"], given["num_non_relevant"])


@checked
def calibrate(
    run: Run,
    qrels: Qrels,
    *,
    method: Method = "isotonic",
    normalise: Normalise = "none",
    unjudged: Unjudged = "non-relevant",
    rel: float = 1,
) -> Calibration:
    """Fit the probability of relevance as a function of the score, from a run with judged queries.

    Formula:    isotonic: the non-decreasing function of the score that best fits the outcomes, linear between steps;
                logistic: 1/(1 + exp(-(a + b·score))), fitted with Platt's targets (n+1)/(n+2) and 1/(m+2)
                normalise: none; minmax (s - min)/(max - min); zscore (s - mean)/deviation, over a query's documents
    Reference:  Platt, "Probabilistic outputs for support vector machines" (1999); Zadrozny & Elkan, KDD 2002.
    Edge cases: Queries without judgments are skipped. A query with equal scores is normalised to 0 for all. Unjudged
                documents count as non-relevant, or are excluded. Both relevant and non-relevant documents are required.

    >>> run = Run.from_dict({"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}})
    >>> learned = calibrate(run, Qrels.from_dict({"q": {"a": 1, "c": 1}}))
    >>> learned.probabilities(np.array([5.0, 3.5, 3.0, 0.0])).tolist()
    [1.0, 0.75, 0.5, 0.0]
    """
    for value, choices in ((method, Method), (normalise, Normalise), (unjudged, Unjudged)):
        if value not in get_args(choices):
            raise GermaneError(f"expected {' or '.join(get_args(choices))}, found {value!r}")
    scores, is_relevant = judged_scores(run, qrels, normalise, unjudged, rel)
    num_relevant, num_non_relevant = int(is_relevant.sum()), int((~is_relevant).sum())
    if not num_relevant or not num_non_relevant:
        raise GermaneError(
            f"expected relevant and non-relevant documents in the run, found {num_relevant} and {num_non_relevant}",
            hint="check that run and qrels have the same queries",
        )
    fit = isotonic_steps(is_relevant, scores) if method == "isotonic" else logistic_sigmoid(is_relevant, scores)
    return Calibration(fit, normalise, num_relevant, num_non_relevant)


def judged_scores(
    run: Run, qrels: Qrels, normalise: Normalise, unjudged: Unjudged, rel: float
) -> tuple[FloatArray, BoolArray]:
    """Return the normalised scores of all judged queries, and a mask of relevant documents."""
    grades: dict[bytes, dict[bytes, float]] = {query: {} for query in qrels.queries.to_bytes_list()}
    names = qrels.queries.to_bytes_list()
    for query, doc, grade in zip(qrels.query.tolist(), qrels.docs.to_bytes_list(), qrels.grade.tolist(), strict=True):
        grades[names[query]][doc] = grade
    scores: list[FloatArray] = [np.zeros(0)]
    found: list[float] = []
    docs = run.docs.to_bytes_list()
    order = np.argsort(run.query, kind="stable")
    ends = np.cumsum(np.bincount(run.query, minlength=len(run.queries)))
    for query_id, rows in zip(run.queries.to_bytes_list(), np.split(order, ends[:-1]), strict=True):
        if query_id in grades:
            scores.append(normalised(run.score[rows], normalise))
            found += [grades[query_id].get(docs[row], math.nan) for row in rows.tolist()]
    grade = np.array(found)
    together = np.concatenate(scores)
    if unjudged == "left out":
        is_judged = grade >= 0  # a negative grade means pooled but unjudged
        together, grade = together[is_judged], grade[is_judged]
    return together, grade >= rel


def normalised(scores: FloatArray, how: Normalise) -> FloatArray:
    """Normalise the scores of one query, to make them comparable with those of others."""
    if how == "none" or not len(scores):
        return scores
    low, spread = (scores.min(), np.ptp(scores)) if how == "minmax" else (scores.mean(), scores.std())
    return np.zeros(len(scores)) if spread == 0 else (scores - low) / spread


def isotonic_steps(is_relevant: BoolArray, scores: FloatArray) -> Steps:
    """Return the lowest and highest score of each block of the isotonic fit, with its share of relevant documents."""
    decisions = Decisions.of(is_relevant, scores)
    fit = isotonic_fit(decisions)
    first = np.append(0, fit.last[:-1] + 1)
    knots = {
        float(score): float(share)
        for places in (first, fit.last)
        for score, share in zip(decisions.thresholds[places], fit.share, strict=True)
    }
    ascending = sorted(knots)
    return Steps(tuple(ascending), tuple(knots[score] for score in ascending))


def logistic_sigmoid(is_relevant: BoolArray, scores: FloatArray, most_steps: int = 100) -> Sigmoid:
    """Fit a logistic function by Newton's method. Platt's targets, slightly inside 0 and 1, keep it finite.

    >>> fit = logistic_sigmoid(np.array([True, True, False, False]), np.array([2.0, 1.0, -1.0, -2.0]))
    >>> abs(fit.intercept) < 1e-9, fit.slope > 0
    (True, True)
    """
    centre, spread = scores.mean(), scores.std() or 1.0
    x = (scores - centre) / spread
    num_relevant, num_non_relevant = is_relevant.sum(), (~is_relevant).sum()
    target = np.where(is_relevant, (num_relevant + 1) / (num_relevant + 2), 1 / (num_non_relevant + 2))
    columns = np.stack([np.ones(len(x)), x])
    weights = np.zeros(2)

    def loss(at: FloatArray) -> float:
        return float((np.logaddexp(0, at @ columns) - target * (at @ columns)).sum())

    for _ in range(most_steps):
        p = 0.5 * (1 + np.tanh(0.5 * (weights @ columns)))
        slopes = columns @ (target - p)
        # The tiny ridge keeps the system solvable when all scores are equal.
        curvature = (columns * (p * (1 - p))) @ columns.T + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, slopes)
        while loss(weights + step) > loss(weights) + 1e-9 * abs(loss(weights)):
            step = step / 2  # a full step may overshoot when there are outlying scores
        weights = weights + step
        if np.abs(step).max() < 1e-10:
            break
    else:
        raise GermaneError(
            f"the logistic fit did not converge within {counted(most_steps, 'step')}", hint="use isotonic instead"
        )
    slope = float(weights[1] / spread)
    return Sigmoid(float(weights[0] - slope * centre), slope)
