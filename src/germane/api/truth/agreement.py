"""`agree`: measure inter-assessor agreement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.api.truth.agreement_by_pair import agreement_of_pairs, alpha_without, coefficients, shares_of_pairs
from germane.api.truth.agreement_notes import notes_on_agreement
from germane.api.truth.agreement_on_systems import agreement_on_systems
from germane.api.truth.judgment_sources import Judged, load_judged
from germane.arguments import checked
from germane.errors import InputError
from germane.measures.agreement.measure import AGREEMENT, AgreementMeasure
from germane.measures.agreement.tally import Patterns
from germane.stats.intervals.agreement import FEW_TOPICS, agreement_intervals
from germane.tables.results.agreement import (
    MIN_FOR_MEAN,
    Agreement,
    AgreementValue,
    GradeAgreement,
    JudgeSummary,
    PairAgreement,
    TopicAgreement,
    headline,
)
from germane.tables.truth.judgments import Judgments, Ratings

if TYPE_CHECKING:
    from germane.types import JudgmentsLike, RunsLike

Measures = Sequence[AgreementMeasure]
Repeated = Sequence[tuple[str, tuple[float, float]]]


@checked
def agree(
    judgments: JudgmentsLike,
    *,
    grades: Sequence[float] | None = None,
    rel: float | None = None,
    with_calibration: bool = False,
    runs: RunsLike | None = None,
    measure: str = "AP",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Measure inter-assessor agreement.

    Judgments are a path or several (events, CSV, one qrels file per assessor; or the database of a judging project),
    `Judgments`, events, or a dict ``{assessor: {topic: {document: grade}}}``, where a grade of None is "cannot judge".
    `grades` is the scale and `rel` the minimum relevant grade: by default those of the project's rubric, or else the
    grades given, and 1. Only ordinary judgments count, and calibration items too with `with_calibration`. With `runs`,
    the leaderboards by each assessor are compared, by the `measure`.

    Krippendorff's alpha is the first of the measures and the one of the verdict. Means over pairs of assessors (the
    kappas, `overlap`) are NaN unless every pair shares 30 documents; two assessors are one pair and have no mean.

    >>> judges = {"ann": {"q": {"d1": 1, "d2": 0, "d3": 0}}, "bob": {"q": {"d1": 1, "d2": 0, "d3": 1}}}
    >>> report = agree(judges, resamples=100)
    >>> round(report["alpha_nominal"], 4), round(report["observed"], 4), round(report["kappa"], 4)
    (0.4444, 0.6667, 0.4)
    """
    held = load_judged(judgments)
    said = held.judgments
    grades = held.grades if grades is None else grades
    stated = 1.0 if held.rel is None else held.rel
    rel = stated if rel is None else rel
    ratings = said.ratings(*(("ordinary", "calibration") if with_calibration else ("ordinary",)))
    if len(ratings.assessors) < 2:
        who = ", ".join(ratings.assessors) or "none"
        hint = _what_is_missing(held, ratings)
        raise InputError(said.name, None, f"expected the judgments of two assessors or more, found {who}", hint=hint)
    shared = _shared(ratings)
    patterns = Patterns(shared.grade, grades=_scale(ratings, grades), rel=rel)
    measures = _measures_for(patterns)
    pairs = tuple(agreement_of_pairs(shared, patterns, measures))
    shares = shares_of_pairs(shared)
    without = alpha_without(shared, patterns, measures[0], shares)
    drawn: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed}
    overall, undefined = _overall(shared, patterns, measures, pairs, drawn)
    repeated = _repeated(said)
    judges = []
    for who in ratings.assessors:
        judge = _judge(who, said, ratings, rel, repeated)
        judges.append(replace(judge, pair_share=shares[who], alpha_without=without.get(who, math.nan)))
    nothing = np.zeros((len(patterns.grades),) * 2, dtype=np.int64)
    report = Agreement(
        assessors=ratings.assessors,
        topics=shared.topics,
        grades=tuple(patterns.grades.tolist()),
        rel=rel,
        num_items=len(ratings.topic),
        num_shared=len(shared.topic),
        overall=overall,
        pairs=pairs,
        by_topic=tuple(_by_topic(shared, patterns, measures)),
        by_grade=tuple(_by_grade(patterns)),
        judges=tuple(judges),
        confusion=sum((pair.confusion + pair.confusion.T for pair in pairs), nothing),
        repeats=_self_consistency(repeated, patterns.grades.tolist(), rel),
        ranking=None if runs is None else agreement_on_systems(said, ratings.assessors, runs, measure),
        resampled="documents" if len(shared.topics) < FEW_TOPICS else "topics, then documents within them",
        undefined_resamples=undefined,
        **drawn,
    )
    notes = notes_on_agreement(report, said, shared, scale_known=grades is not None, calibration=with_calibration)
    return replace(report, notes=tuple(notes))


def _overall(
    shared: Ratings, patterns: Patterns, measures: Measures, pairs: Sequence[PairAgreement], drawn: Mapping[str, Any]
) -> tuple[tuple[AgreementValue, ...], int]:
    """Return every measure over all assessors with its interval, and the number of resamples without an alpha."""
    graders = [who for who, column in zip(shared.assessors, shared.grade.T, strict=True) if not np.isnan(column).all()]
    missing = {entry.name: _why_no_mean(pairs, entry, graders) for entry in measures}
    given = [entry for entry in measures if missing[entry.name] is None]
    found = agreement_intervals(patterns, shared.topic_of_item, given, **drawn)
    intervals = dict(zip((entry.name for entry in given), found, strict=True))
    values = []
    for entry in measures:
        is_mean = entry.over == "pairs" and len(graders) > 2
        title = f"{entry.title}, mean over pairs" if is_mean else entry.title
        if missing[entry.name] is not None:
            values.append(AgreementValue(entry.name, title, math.nan, undefined=missing[entry.name], is_mean=is_mean))
            continue
        ends = intervals[entry.name]
        value, why = float(entry.of(patterns)), entry.reason(patterns)
        values.append(AgreementValue(entry.name, title, value, ends.low, ends.high, why, ends.reason, is_mean))
    return tuple(values), found[0].undefined


def _why_no_mean(pairs: Sequence[PairAgreement], entry: AgreementMeasure, graders: Sequence[str]) -> str | None:
    """Return why a measure has no mean over the pairs of those who graded a shared document, or None if it has one."""
    if entry.over == "judges" or len(graders) < 3:
        return None
    among = [pair for pair in pairs if pair.first in graders and pair.second in graders]
    least = min(among, key=lambda pair: pair.num_docs)
    if least.num_docs < MIN_FOR_MEAN:
        return f"a mean over pairs requires {MIN_FOR_MEAN} shared documents for every pair; some share {least.num_docs}"
    if any(math.isnan(pair.agreement[entry.name]) for pair in among):
        return "a mean over pairs requires a value for every pair; some have none"
    return None


def _what_is_missing(held: Judged, ratings: Ratings) -> str:
    """Return a hint for judgments of fewer than two assessors; a judging project may still wait for them."""
    if held.record is None:
        return "name one file per assessor, or a file with a column for the assessor"
    who = f"only {ratings.assessors[0]} has" if ratings.assessors else "no one has"
    return f"{who} judged in this project yet; send assessors the links that `germane judge` prints"


def _scale(ratings: Ratings, grades: Sequence[float] | None) -> list[float]:
    """Return the grades of the scale: those stated, or all that were given to any document, shared or not."""
    given = np.unique(ratings.grade[~np.isnan(ratings.grade)])
    return list(given) if grades is None else list(grades)


def _shared(ratings: Ratings) -> Ratings:
    """Return the items graded by two or more assessors, which agreement is computed on."""
    rows = np.flatnonzero(ratings.num_grades > 1)
    topic, doc = (tuple(column[i] for i in rows) for column in (ratings.topic, ratings.doc))
    return Ratings(ratings.assessors, topic, doc, ratings.grade[rows])


def _measures_for(patterns: Patterns) -> list[AgreementMeasure]:
    """Return the measures: alpha, which suits any number of assessors and missing grades, observed, AC1, others.

    Weighted measures are omitted for two grades, as is the overlap of all for two assessors.
    """
    known = [entry for entry in AGREEMENT if not (entry.weighted and len(patterns.grades) < 3)]
    if patterns.num_judges < 3:
        known = [entry for entry in known if entry.name != "overlap_all"]
    first = (headline(len(patterns.grades)), "observed", "AC1")
    return sorted(known, key=lambda entry: first.index(entry.name) if entry.name in first else len(first))


def _by_topic(shared: Ratings, patterns: Patterns, measures: Measures) -> Iterable[TopicAgreement]:
    for place, topic in enumerate(shared.topics):
        rows = np.flatnonzero(shared.topic_of_item == place)
        own = Patterns(shared.grade[rows], grades=patterns.grades.tolist(), rel=patterns.rel)
        wanted = [entry for entry in measures if entry.over == "judges" or own.num_judges == 2]
        yield TopicAgreement(topic, len(rows), coefficients(own, wanted, len(rows)))


def _by_grade(patterns: Patterns) -> Iterable[GradeAgreement]:
    together = patterns.tally(patterns.weights).coincidences
    given = together.sum(axis=1)
    for code, grade in enumerate(patterns.grades.tolist()):
        same = together[code, code] / given[code] if given[code] else math.nan
        yield GradeAgreement(grade, round(float(given[code])), float(same))


def _judge(who: str, said: Judgments, ratings: Ratings, rel: float, repeated: Repeated) -> JudgeSummary:
    own = [i for i, assessor in enumerate(said.assessor) if assessor == who]
    grades = ratings.grade[:, ratings.assessors.index(who)]
    given = ~np.isnan(grades)
    others = np.delete(ratings.grade, ratings.assessors.index(who), axis=1)[given]
    met = ~np.isnan(others)
    same = (others == grades[given][:, None]).sum()
    distractors = [float(said.grade[i]) for i in own if said.kind[i] == "distractor"]
    again = [grades for assessor, grades in repeated if assessor == who]
    return JudgeSummary(
        who,
        graded=int(given.sum()),
        shared=int(met.any(axis=1).sum()),
        cannot_judge=sum(said.kind[i] == "ordinary" and math.isnan(said.grade[i]) for i in own),
        mean_grade=float(grades[given].mean()) if given.any() else math.nan,
        relevant=float((grades[given] >= rel).mean()) if given.any() else math.nan,
        agreement=float(same / met.sum()) if met.any() else math.nan,
        distractors=len(distractors),
        distractors_failed=sum(grade >= rel for grade in distractors),
        repeats=len(again),
        repeats_same=sum(a == b for a, b in again),
        too_fast=said.too_fast.get(who, 0),
    )


def _repeated(said: Judgments) -> Repeated:
    """Return the assessors who graded an item twice, with both grades."""
    keys = zip(said.assessor, said.topic, said.doc, strict=True)
    rows = list(zip(keys, said.grade.tolist(), said.kind, strict=True))
    first = {key: grade for key, grade, kind in rows if kind in ("ordinary", "calibration")}
    again = [(key[0], (first[key], grade)) for key, grade, kind in rows if kind == "repeat" and key in first]
    return [(who, grades) for who, grades in again if not any(map(math.isnan, grades))]


def _self_consistency(repeated: Repeated, grades: Sequence[float], rel: float) -> dict[str, float]:
    """Return the agreement of assessors' first and second grades on repeated items."""
    if not repeated:
        return {}
    both = np.asarray([pair for _, pair in repeated])
    patterns = Patterns(both, grades=sorted({*grades, *both.ravel().tolist()}), rel=rel)
    return {"items": float(len(both)), **coefficients(patterns, _measures_for(patterns)[:3], len(both))}
