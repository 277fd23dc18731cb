"""Measures of scores that are met in parts: of a file larger than memory, sorted on disk, or on Spark."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from germane.api.decisions.scores import (
    CALIBRATION,
    RESAMPLED,
    VARIANTS,
    greatest_loss,
    infinite_loss,
    why_no_interval,
    with_remark,
)
from germane.api.decisions.settings import Settings
from germane.errors import GermaneError, InputError
from germane.measures.decisions.names import base_name
from germane.measures.decisions.requests import chosen_measure
from germane.measures.decisions.scores.probabilities import probabilities_of
from germane.measures.decisions.scores.streamed import StreamedScores
from germane.measures.decisions.scores.streamed_requests import NOT_STREAMED, can_stream
from germane.stats.intervals.delong import auc_with_interval
from germane.stats.intervals.scores import mean_estimate
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.score_spill import SpilledScores
from germane.tables.results.performance import Estimate

if TYPE_CHECKING:
    from germane.distributed.decision_counts import ScoreBins

USUAL = ("AUC", "AP", *RESAMPLED, *VARIANTS, "log_loss", "Brier", *CALIBRATION)
STREAMED = tuple(name for name in USUAL if name not in NOT_STREAMED)


class Engine(NamedTuple):
    """A way to evaluate rows that are not held at once: its name, and what to do about a measure that it lacks."""

    name: str
    otherwise: str


STREAM = Engine("--stream", "remove `stream=True`")
SPARK = Engine("Spark", "pass the rows as a local file")


def require_streamed(settings: Settings, engine: Engine) -> None:
    """Refuse measures of scores that are not computed part by part."""
    for request in settings.requests:
        if request.kind in ("scores", "probabilities") and not can_stream(request.name):
            problem = f"{request.name} is not supported with {engine.name}, which meets the scores once, highest first"
            hint = f"choose rates, measures of the confusion matrix, {', '.join(STREAMED)}; or {engine.otherwise}"
            raise GermaneError(problem, hint=hint)


def scores_to_add(
    scores: SpilledScores | ScoreBins, settings: Settings, *, decided: bool, source: str
) -> StreamedScores:
    """Return where to add these scores, highest first; without decisions, probabilities get the threshold 0.5."""
    totals = scores.num_positive, scores.num_negative
    if not sum(totals):
        raise InputError(source, None, "expected at least one weight above 0, found none")
    ends = np.asarray([scores.highest, scores.lowest])
    probabilities = settings.are_probabilities
    if probabilities is None:
        probabilities = scores.lowest >= 0 and scores.highest <= 1
    if probabilities:
        none = np.zeros(2, dtype=np.int64)
        probabilities_of(Decisions(ends, none, none, 0))
    threshold = 0.5 if settings.threshold is None and probabilities and not decided else settings.threshold
    names = [*settings.extra("scores", STREAMED), *(settings.extra("probabilities", STREAMED) if probabilities else ())]
    return StreamedScores(
        totals,
        probabilities=bool(probabilities),
        threshold=threshold,
        weighted=scores.weighted,
        requested=tuple(names),
    )


def streamed_overall(found: StreamedScores, settings: Settings, engine: Engine) -> dict[str, Estimate]:
    """Return every measure of scores that can be streamed, as `score_overall` does."""
    estimates = {
        name: Estimate(value, remark=f"no interval with {engine.name}" if name in ("AP", *RESAMPLED) else "")
        for name, value in found.measures().items()
        if settings.wants(name)
    }
    estimates |= _losses(found, settings)
    estimates["AUC"] = _auc(found, settings)
    estimates = {name: with_remark(name, estimates[name]) for name in STREAMED if name in estimates}
    return estimates | _requested(found, estimates, settings, engine)


def _requested(
    found: StreamedScores, usual: Mapping[str, Estimate], settings: Settings, engine: Engine
) -> dict[str, Estimate]:
    """Return the measures that were asked for beside the usual ones."""
    estimates = {
        name: Estimate(value, remark=why_no_interval(name) or f"no interval with {engine.name}")
        for name, value in found.requested().items()
    }
    for name in settings.extra("probabilities", STREAMED) if found.losses else ():
        if base_name(name) != "log_loss":
            continue
        if clip := chosen_measure(name).settings["clip"]:
            bounds = 0.0, greatest_loss(clip)
            estimates[name] = mean_estimate(found.sums.losses[clip], settings.level, bounds, weighted=found.weighted)
        else:
            estimates[name] = usual["log_loss"]
    return estimates


def _auc(found: StreamedScores, settings: Settings) -> Estimate:
    if found.one_class or found.weighted:
        remark = "weights are not integers"
        if found.one_class:
            remark = f"no {'negatives' if found.positive else 'positives'}"
        return Estimate(found.auc, remark=remark)
    return auc_with_interval(found.auc, *found.placements, level=settings.level, scale=settings.auc_scale)


def _losses(found: StreamedScores, settings: Settings) -> dict[str, Estimate]:
    estimates = {}
    for name, most in (("log_loss", math.inf), ("Brier", 1.0)):
        if name in found.losses:
            estimates[name] = mean_estimate(found.losses[name], settings.level, (0.0, most), weighted=found.weighted)
    if found.impossible:
        estimates["log_loss"] = infinite_loss(Estimate(math.inf), found.impossible)
    return estimates
