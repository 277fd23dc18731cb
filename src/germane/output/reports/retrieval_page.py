"""The page on runs: the numbers as blocks of data, the figures as specs, and the words around them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from germane.api.reports.rankings import FINE_LEVELS, LEVELS, RetrievalNumbers
from germane.api.reports.texts import PICTURE, Texts
from germane.measures.definition import BETTER, MEASURES
from germane.output.page.blocks import Ragged, Rows
from germane.output.page.shell import page
from germane.output.plots import curves, queries, systems
from germane.output.plots.theme import Spec, tooltips
from germane.output.reports.retrieval_breakdowns import worked_block
from germane.output.reports.retrieval_pairs import pairs_block
from germane.output.reports.retrieval_rows import difference_axis
from germane.output.reports.retrieval_text import body, settings
from germane.output.reports.retrieval_verdict import verdicts
from germane.tables.rankings.measure import Measure
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import Scores

TWO = ["B", "A"]
"""The systems that a reader compares, in the order of their colours."""


NO_TEXTS = Texts()


def retrieval_page(numbers: RetrievalNumbers, title: str = "Retrieval report", texts: Texts = NO_TEXTS) -> str:
    """The page, complete: everything it shows is inside."""
    data = {
        "overview": _overview(numbers, title, texts),
        "values": _values(numbers.scores),
        "pairs": pairs_block(numbers),
        "rankings": _rankings(numbers),
        "documents": {"texts": texts.documents or {}, "words": texts.words},
        "worked": worked_block(numbers),
        "curves": _curves(numbers),
        "relations": _relations(numbers),
        "coverage": _coverage(numbers),
    }
    pictures = any(text.startswith(PICTURE) for text in (texts.documents or {}).values())
    specs = _specs(numbers.comparison, texts)
    return page(title, body(title, numbers), "retrieval.js", data, specs, pictures=pictures)


def _specs(comparison: SystemComparison | None, texts: Texts) -> dict[str, Any]:
    """The figures without their rows: the page fills them in for the measure and the systems that are chosen."""
    wide = {"width": "container"}
    axis = () if comparison is None else difference_axis("difference", comparison)
    specs = {
        "leaderboard": systems.leaderboard([], marks="ranks" if comparison and comparison.ranks else "letters", **wide),
        "forest": systems.forest([], axis=axis, **wide),
        "distribution": systems.distribution([], [], **wide),
        "differences": queries.differences([], axis="difference", width="container"),
        "iprec": curves.interpolated_precision([], TWO, **wide),
        "pr": curves.precision_recall([], TWO, **wide),
        "coverage": curves.coverage([], TWO, **wide),
        "cost": systems.cost([], **wide),
        "heat": queries.heat_map([], **wide),
    }
    return specs if texts.questions is None else {name: _saying_questions(spec) for name, spec in specs.items()}


def _saying_questions(spec: Spec) -> Spec:
    """Return the figure with the query text in every tooltip that has the query."""
    return {**spec, "layer": [_layer_saying_questions(layer) for layer in spec["layer"]]}


def _layer_saying_questions(layer: Spec) -> Spec:
    fields = layer.get("encoding", {}).get("tooltip") or []
    if all(field["field"] != "query" for field in fields):
        return layer
    return {**layer, "encoding": {**layer["encoding"], "tooltip": [*fields, *tooltips(question="query text")]}}


def _overview(numbers: RetrievalNumbers, title: str, texts: Texts) -> dict[str, Any]:
    """Return the small data that the page needs at once."""
    scores, comparison = numbers.scores, numbers.comparison
    means, medians = scores.mean(), scores.aggregate("median")
    assert scores.intervals is not None
    names = [str(measure) for measure in scores.measures]
    many = comparison is not None and bool(comparison.ranks)
    letters = {} if comparison is None or many else {m: comparison.letters.get(("", m), {}) for m in names}
    notes = [*scores.notes, *(() if comparison is None else comparison.notes), *texts.notes]
    return {
        "title": title,
        "systems": [run.name for run in scores.runs],
        "measures": [_measure(scores, measure) for measure in scores.measures],
        "queries": list(scores.queries),
        "questions": _questions(texts, scores.queries),
        "num_queries": [scores.num_queries(run.name) for run in scores.runs],
        "means": [[means[run.name][m] for m in names] for run in scores.runs],
        "medians": [[medians[run.name][m] for m in names] for run in scores.runs],
        "low": scores.intervals.low,
        "high": scores.intervals.high,
        "letters": [[letters[m].get(run.name, "") for m in names] for run in scores.runs]
        if any(letters.values())
        else None,
        **(_of_many_systems(comparison, scores) if comparison is not None and many else {}),
        "settings": settings(numbers),
        "notes": [{**note.to_dict(), "amount": note.amount, "what": note.what} for note in dict.fromkeys(notes)],
        "interval": {"method": numbers.choices.interval, "level": numbers.choices.level},
        "depth": numbers.choices.depth,
        "baseline": numbers.choices.baseline,
        "not_compared": numbers.not_compared,
        "alpha": numbers.choices.alpha,
        "costs": numbers.costs,
        "verdicts": verdicts(numbers),
    }


def _of_many_systems(comparison: SystemComparison, scores: Scores) -> dict[str, Any]:
    """By measure, intervals of ranks and who is not significantly worse than the best; None if not compared."""
    names, place = [run.name for run in scores.runs], {run.name: i for i, run in enumerate(scores.runs)}
    measures = [str(measure) for measure in scores.measures]
    ranks = {measure: comparison.ranks.get(("", measure)) for measure in measures}
    tied = [[place[name] for name in comparison.tied_for_best(m)] if ranks[m] else None for m in measures]
    return {
        "ranks": [own and np.asarray([own[name] for name in names]) for own in ranks.values()],
        "rank_interval": comparison.rank_intervals_in_words,
        "tied": [own or None for own in tied] if any(tied) else None,
    }


def _questions(texts: Texts, names: Sequence[str]) -> list[dict[str, str] | None] | None:
    """Return the topic of each query, or None without query texts."""
    if texts.questions is None:
        return None
    parts = ("title", "description", "narrative")
    found = (texts.questions.get(name) for name in names)
    return [None if topic is None else {part: getattr(topic, part) for part in parts} for topic in found]


def _measure(scores: Scores, measure: Measure) -> dict[str, Any]:
    definition = MEASURES[measure]
    return {
        "name": str(measure),
        "summary": definition.summary,
        "formula": definition.sections.get("Formula", ""),
        "better": BETTER[definition.better],
        "lower": scores.lower_is_better(measure),
        "neither": definition.better == "neither",
        "bounds": [float(end) if math.isfinite(end) else None for end in definition.bounds],
        "total": bool(definition.total),
    }


def _values(scores: Scores) -> list[Any]:
    """Every value, by measure and run, queries in their order."""
    return [scores.values[:, m] for m in range(len(scores.measures))]


def _rankings(numbers: RetrievalNumbers) -> Rows:
    """By query, what each run retrieved: documents are places in the query's own list.

    Relevant documents further down stand as `deep`, with their ranks as steps from the one before.
    """
    found = numbers.rankings
    deep = [[[pair[0] for pair in run] for run in query.beyond] for query in found]
    ranks = [[np.diff([pair[1] for pair in run], prepend=0) for run in query.beyond] for query in found]
    columns = {
        "documents": [query.documents for query in found],
        "grades": Ragged(
            np.asarray([grade for query in found for grade in query.grades], dtype=np.float64),
            np.asarray([len(query.grades) for query in found]),
        ),
        "top": _ragged([query.top for query in found]),
        "deep": _ragged(deep),
        "steps": _ragged(ranks),
    }
    return Rows(columns)


def _ragged(lists: Sequence[Sequence[Any]]) -> Ragged:
    """Lists of numbers, by query and run."""
    counts = np.asarray([[len(own) for own in of_query] for of_query in lists])
    return Ragged(np.concatenate([np.asarray(own) for of_query in lists for own in of_query]), counts)


def _curves(numbers: RetrievalNumbers) -> dict[str, Any]:
    """What the points of the curves follow from, besides the rankings: relevant documents, and who answered what."""
    scored = numbers.scores.scored
    return {
        "levels": LEVELS,
        "fine_levels": FINE_LEVELS,
        "relevant": numbers.qrels.num_relevant(1),
        "scored": None if scored.all() else scored.astype(np.int8),
    }


def _relations(numbers: RetrievalNumbers) -> dict[str, Any]:
    """Between runs, and between measures where there are two measures and more than two runs."""
    from germane.stats.rankings.agreement_of_rankings import between_measures

    runs = numbers.relations
    scores = numbers.scores
    found: dict[str, Any] = {}
    if runs is not None:
        below = runs.values[:, *np.tril_indices(len(scores.runs), -1)]  # each two once
        found["runs"] = {"coefficients": runs.coefficients, "below": below, "p": runs.p, "depth": runs.depth}
    if len(scores.runs) > 2 and len(scores.measures) > 1:
        matrix = between_measures(scores, ("tau-b",)).matrix("tau-b")
        found["measures"] = [list(row.values()) for row in matrix.values()]
    return found


def _coverage(numbers: RetrievalNumbers) -> dict[str, Any]:
    found = numbers.coverage
    means = found.mean()
    bounds = []
    for scores in numbers.bounds:
        low, high = scores.extreme_means("low"), scores.extreme_means("high")
        assert low is not None
        assert high is not None
        ends = [[low[run.name][0], high[run.name][0]] for run in scores.runs]
        bounds.append({"measure": str(scores.measures[0]), "ends": ends})
    return {
        "cutoffs": [measure.at for measure in found.measures],
        "judged": [list(means[run.name].values()) for run in found.runs],
        "bounds": bounds,
    }
