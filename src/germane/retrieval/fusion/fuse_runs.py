"""Fuse several runs into one: build lists, normalise, apply the method, and collect notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from germane.catalogue import written
from germane.errors import GermaneError, InputError, unknown
from germane.retrieval.fusion.facts import FusionFacts
from germane.retrieval.fusion.lists import Lists, lists_of
from germane.retrieval.fusion.method import FUSION, NORMALISATIONS, Method, Normalisation
from germane.retrieval.fusion.normalisation import equal_scores
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.run import Run
from germane.tables.results.rankings import Rankings

DEFAULT_NORMALISATION = "minmax"


def fuse_runs(
    runs: Sequence[Run],
    method: str | Method = "rrf",
    *,
    weights: Mapping[str, float] | None = None,
    normalise: str | None = None,
    depth: int | None = None,
    k: int | None = None,
    ties: str = "docno",
) -> Rankings:
    """Fuse runs with distinct names; `germane.fuse` documents the parameters.

    >>> a = Run.from_dict({"q": {"d1": 2.0, "d2": 1.0}}, name="a")
    >>> b = Run.from_dict({"q": {"d2": 9.0, "d3": 8.0}}, name="b")
    >>> fused = fuse_runs([a, b], "borda")
    >>> list(fused.docs), fused.score, fused.tag
    (['d2', 'd1', 'd3'], array([5., 4., 3.]), 'borda')
    """
    plan = plan_fusion([run.name for run in runs], method, weights, normalise, depth=depth, k=k, ties=ties)
    lists = plan.lists(runs)
    facts = FusionFacts.of(lists)
    facts.require_shared_queries(plan.names)
    fused = plan.fuse(lists, facts)
    return replace(fused, notes=tuple(facts.notes(plan)))


@dataclass(frozen=True)
class FusionPlan:
    """A fusion with all of its parameters, for any part of the queries."""

    names: tuple[str, ...]
    method: Method
    scaling: Normalisation | None
    weights: list[float] | None
    depth: int | None
    k: int | None
    ties: str
    tag: str

    def lists(self, runs: Sequence[Run]) -> Lists:
        """Return the rankings of the runs."""
        return lists_of(runs, self.weights, depth=self.depth, ties=self.ties)

    def fuse(self, lists: Lists, facts: FusionFacts) -> Rankings:
        """Return the fused rankings of all queries, and add to the facts what normalisation shows."""
        with np.errstate(all="ignore"):  # overflow is detected and reported below
            if self.scaling is not None:
                facts.equal = np.bincount(lists.list_run[equal_scores(lists)], minlength=len(lists.runs))
                lists = replace(lists, score=_finite(lists, self.scaling.target(lists)))
                facts.num_negative = int(np.count_nonzero(lists.score < 0))
            scores = self.method.fuse(lists)
        if not np.isfinite(scores).all():
            hint = "use `normalise='minmax'` to scale them to 0…1"
            raise GermaneError(f"{self.method}: the scores are too large to sum", hint=hint)
        return _as_run(lists, scores, self.k, self.tag)


def plan_fusion(
    names: Sequence[str],
    method: str | Method = "rrf",
    weights: Mapping[str, float] | None = None,
    normalise: str | None = None,
    *,
    depth: int | None = None,
    k: int | None = None,
    ties: str = "docno",
) -> FusionPlan:
    """Check the parameters of a fusion of runs with these names."""
    chosen = FUSION.parse(method)
    scaling = _normalisation(chosen, normalise)
    for name, value in (("depth", depth), ("k", k)):
        if value is not None and value < 1:
            raise GermaneError(f"expected {name} to be 1 or more, found {value}")
    by_run = _weights(chosen, names, weights)
    tag = _tag(chosen, scaling, weights, depth=depth, top=k, ties=None if ties == "docno" else ties)
    return FusionPlan(tuple(names), chosen, scaling, by_run, depth, k, ties, tag)


def _as_run(lists: Lists, scores: FloatArray, k: int | None, tag: str) -> Rankings:
    order = np.lexsort((-scores, lists.query))  # candidates are ordered Z to A, which breaks ties
    first = np.cumsum(lists.num_candidates) - lists.num_candidates
    rank = np.arange(len(order)) - first[lists.query[order]] + 1
    kept = slice(None) if k is None else rank <= k
    order, rank = order[kept], rank[kept]
    sizes = np.bincount(lists.query[order], minlength=len(lists.queries))
    return Rankings(
        queries=lists.queries,
        stretches=Stretches.of_sizes(sizes.tolist()),
        docs=lists.docs.take(order),
        score=scores[order],
        rank=rank.astype(np.float64),
        tag=tag,
        name=tag,
    )


def _normalisation(method: Method, asked: str | None) -> Normalisation | None:
    if method.uses == "scores":
        return NORMALISATIONS.parse(DEFAULT_NORMALISATION if asked is None else asked)
    if asked is not None:
        by_score = ", ".join(other.name for other in FUSION if other.uses == "scores")
        hint = f"remove `normalise=`, or use a method with scores: {by_score}"
        raise GermaneError(f"{method.name} uses only ranks, so normalisation is not supported", hint=hint)
    return None


def _weights(method: Method, names: Sequence[str], weights: Mapping[str, float] | None) -> list[float] | None:
    """Return the weight of each run, in the order of the runs."""
    if weights is None:
        if method.weights == "needed":
            example = ",".join(f"{name}={1 / len(names):.2g}" for name in names)
            raise GermaneError(f"{method.name} requires a weight for each run", hint=f"use `weights={example!r}`")
        return None
    if method.weights == "refused":
        able = ", ".join(other.name for other in FUSION if other.weights != "refused")
        raise GermaneError(
            f"{method.name} does not support weights", hint=f"remove `weights=`, or use a method with weights: {able}"
        )
    for name, weight in weights.items():
        if name not in names:
            raise unknown("run", name, names)
        if not (np.isfinite(weight) and weight >= 0):
            raise GermaneError(f"expected a weight of 0 or more for {name}, found {weight}")
    if missing := [name for name in names if name not in weights]:
        hint = "use a weight of 0 to ignore a run"
        raise GermaneError(f"expected a weight for each run, found none for {', '.join(missing)}", hint=hint)
    if not any(weights.values()):
        raise GermaneError("expected a weight above 0 for at least one run, found 0 for all")
    return [float(weights[name]) for name in names]


def _tag(
    method: Method, scaling: Normalisation | None, weights: Mapping[str, float] | None, **rest: int | str | None
) -> str:
    """Return method and parameters without white space, as the last field of a TREC run requires."""
    parts = [f"{name}={written(value)}" for name, value in method.settings.items()]
    parts += [] if scaling is None else [f"normalise={scaling}"]
    if weights is not None:
        named = "/".join(f"{'_'.join(name.split())}:{written(float(weight))}" for name, weight in weights.items())
        parts.append(f"weights={named}")
    parts += [f"{name}={value}" for name, value in rest.items() if value is not None]
    return f"{method.name}({','.join(parts)})" if parts else method.name


def _finite(lists: Lists, values: FloatArray) -> FloatArray:
    if not np.isfinite(values).all():
        bad = lists.row_list[int(np.flatnonzero(~np.isfinite(values))[0])]
        run, query = lists.runs[int(lists.list_run[bad])], lists.queries[int(lists.list_query[bad])]
        hint = "use `normalise='rank'` or `normalise='reciprocal'`, which ignore scores"
        raise InputError(run, None, f"the scores of query {query!r} are too far apart to normalise", hint=hint)
    return values
