"""How often intervals of agreement cover: `PYTHONPATH=src python -m tests.stats.agreement_coverage` prints the table.

Assessors are right about a document with one probability, independently. Two grades of a document then agree with
probability p² + (1 − p)². Alpha estimates the agreement beyond chance of such grades; the mean of kappas over pairs of
assessors who share hardly a document does not.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from germane.measures.agreement.measure import AGREEMENT
from germane.measures.agreement.tally import Patterns
from germane.stats.intervals.agreement import agreement_intervals
from germane.tables.columns.ids import FloatArray


@dataclass(frozen=True)
class Design:
    """How many documents, assessors and grades of a document there are, and how good the assessors are."""

    documents: int
    assessors: int
    grades: int
    right: float = 0.92
    prevalence: float = 0.3

    @property
    def truth(self) -> float:
        """Agreement of two grades of a document beyond that of grades of any two documents."""
        relevant = self.prevalence * self.right + (1 - self.prevalence) * (1 - self.right)
        same, by_chance = self.right**2 + (1 - self.right) ** 2, relevant**2 + (1 - relevant) ** 2
        return (same - by_chance) / (1 - by_chance)

    def drawn(self, random: np.random.Generator) -> FloatArray:
        """Grades of documents × assessors, NaN where there is none."""
        table = np.full((self.documents, self.assessors), np.nan)
        relevant = random.random((self.documents, 1)) < self.prevalence
        who = np.argsort(random.random(table.shape), axis=1)[:, : self.grades]
        right = random.random(who.shape) < self.right
        np.put_along_axis(table, who, np.where(right, relevant, ~relevant).astype(np.float64), axis=1)
        return table


DESIGNS = (
    Design(60, 12, 2),
    Design(60, 12, 3),
    Design(200, 20, 2),
    Design(200, 20, 3),
    Design(200, 4, 3),
    Design(30, 6, 2),
    Design(15, 4, 2),
    Design(60, 12, 2, right=0.95, prevalence=0.08),
)


@dataclass(frozen=True)
class Coverage:
    """Of one measure over all trials: mean, spread, share with an interval, share covered, contradictions."""

    mean: float
    deviation: float
    given: float
    covered: float
    contradicted: int

    @property
    def covered_if_given(self) -> float:
        return self.covered / self.given


def coverage(design: Design, name: str, trials: int, *, resamples: int = 400) -> Coverage:
    """Draw judgments again and again; a trial without an interval covers nothing."""
    measure = AGREEMENT.parse(name)
    values, given, covered, contradicted = [], 0, 0, 0
    for trial in range(trials):
        table = design.drawn(np.random.default_rng((trial, design.documents, design.assessors, design.grades)))
        patterns, topics = Patterns(table, grades=(0, 1)), np.zeros(design.documents, dtype=np.int64)
        [found] = agreement_intervals(patterns, topics, [measure], resamples=resamples, seed=trial)
        value = float(measure.of(patterns))
        values.append(value)
        if not np.isnan(found.low):
            given += 1
            covered += found.low <= design.truth <= found.high
            contradicted += not found.low <= value <= found.high
    known = np.asarray(values)[~np.isnan(values)]
    return Coverage(float(known.mean()), float(known.std()), given / trials, covered / trials, contradicted)


def table(trials: int = 1_000, kappa_trials: int = 120) -> str:
    """Coverage by design, as Markdown."""
    lines = [
        "| documents, assessors, grades a document | true value | alpha (sd) | mean of kappas (Cohen) "
        "| coverage, alpha | if there is an interval | coverage, mean of kappas |",
        "| :-- | --: | --: | --: | --: | --: | --: |",
    ]
    for design in DESIGNS:
        alpha = coverage(design, "alpha_nominal", trials)
        kappa = coverage(design, "kappa", kappa_trials, resamples=100)
        odd = "" if design.prevalence == 0.3 else f"; right {design.right:g}, prevalence {design.prevalence:g}"
        lines.append(
            f"| {design.documents}, {design.assessors}, {design.grades}{odd} | {design.truth:.3f} "
            f"| {alpha.mean:.3f} ({alpha.deviation:.2f}) | {kappa.mean:.3f} | {alpha.covered:.1%} "
            f"| {alpha.covered_if_given:.1%} | {kappa.covered:.0%} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
