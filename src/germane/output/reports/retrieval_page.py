"""The page on runs: the numbers as blocks of data, the figures as specs, and the words around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from germane.api.reports.rankings import RetrievalNumbers
from germane.api.reports.texts import Texts
from germane.measures.definition import BETTER, MEASURES
from germane.output.page.blocks import ColumnPool
from germane.output.page.shell import page
from germane.output.plots import curves, queries, systems
from germane.output.plots.theme import Spec, tooltips
from germane.output.reports.retrieval_breakdowns import worked_blocks
from germane.output.reports.retrieval_rows import difference_axis
from germane.output.reports.retrieval_text import body, settings
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
        "pairs": _pairs(numbers),
        "rankings": _rankings(numbers),
        "documents": texts.documents,
        **worked_blocks(numbers),
        "relations": _relations(numbers),
        "coverage": _coverage(numbers),
    }
    return page(title, body(title, numbers), "retrieval.js", data, _specs(numbers.comparison, texts))


def _specs(comparison: SystemComparison | None, texts: Texts) -> dict[str, Any]:
    """The figures without their rows: the page fills them in for the measure and the systems that are chosen."""
    wide = {"width": "container"}
    axis = () if comparison is None else difference_axis("system less A", comparison)
    specs = {
        "leaderboard": systems.leaderboard([], **wide),
        "forest": systems.forest([], axis=axis, **wide),
        "distribution": systems.distribution([], [], **wide),
        "differences": queries.differences([], axis="B less A", **wide),
        "iprec": curves.interpolated_precision([], TWO, **wide),
        "pr": curves.precision_recall([], TWO, **wide),
        "coverage": curves.coverage([], TWO, **wide),
        "cost": systems.cost([], **wide),
        "heat": queries.heat_map([], **wide),
    }
    return specs if texts.questions is None else {name: _saying_questions(spec) for name, spec in specs.items()}


def _saying_questions(spec: Spec) -> Spec:
    """The figure with the question wherever a pointer that rests on a mark is told the query."""
    return {**spec, "layer": [_layer_saying_questions(layer) for layer in spec["layer"]]}


def _layer_saying_questions(layer: Spec) -> Spec:
    fields = layer.get("encoding", {}).get("tooltip") or []
    if all(field["field"] != "query" for field in fields):
        return layer
    return {**layer, "encoding": {**layer["encoding"], "tooltip": [*fields, *tooltips(question="question")]}}


def _overview(numbers: RetrievalNumbers, title: str, texts: Texts) -> dict[str, Any]:
    """What is small and needed at once."""
    scores, comparison = numbers.scores, numbers.comparison
    means, medians = scores.mean(), scores.aggregate("median")
    assert scores.intervals is not None
    names = [str(measure) for measure in scores.measures]
    letters = {} if comparison is None else {m: comparison.letters.get(("", m), {}) for m in names}
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
        "settings": settings(numbers),
        "notes": [{**note.to_dict(), "amount": note.amount, "what": note.what} for note in dict.fromkeys(notes)],
        "interval": {"method": numbers.choices.interval, "level": numbers.choices.level},
        "depth": numbers.choices.depth,
        "baseline": numbers.choices.baseline,
        "not_compared": numbers.not_compared,
        "alpha": numbers.choices.alpha,
        "costs": numbers.costs,
    }


def _questions(texts: Texts, names: Sequence[str]) -> list[dict[str, str] | None] | None:
    """By query, what was asked; None where that was not said."""
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
        "total": bool(definition.total),
    }


def _values(scores: Scores) -> dict[str, Any]:
    """Every value, by measure and run, queries in their order."""
    pool = ColumnPool()
    by_measure = [[pool.add(scores.values[r, m]) for r in range(len(scores.runs))] for m in range(len(scores.measures))]
    return {"columns": pool.columns, "at": by_measure}


def _pairs(numbers: RetrievalNumbers) -> dict[str, Any]:
    """The comparison as columns; systems and measures by their places."""
    comparison = numbers.comparison
    if comparison is None:
        return {"measure": []}
    system = {run.name: i for i, run in enumerate(numbers.runs)}
    measure = {str(m): i for i, m in enumerate(numbers.scores.measures)}
    pairs = [pair for pair in comparison.pairs if not pair.slice]
    plain = ("difference", "low", "high", "p", "p_adjusted", "wins", "ties", "losses")
    return {
        "measure": [measure[pair.measure] for pair in pairs],
        "a": [system[pair.a] for pair in pairs],
        "b": [system[pair.b] for pair in pairs],
        **{name: [getattr(pair, name) for pair in pairs] for name in plain},
        "d_z": [pair.effect["d_z"] for pair in pairs],
        "significant": [pair.verdict(comparison.alpha) for pair in pairs],
        "intervals": comparison.intervals_in_words,
        "family": f"p {comparison.family_in_words}",
    }


def _rankings(numbers: RetrievalNumbers) -> list[dict[str, Any]]:
    return [
        {
            "documents": query.documents,
            "grades": query.grades,
            "top": query.top,
            "beyond": [[place for pair in by_run for place in pair] for by_run in query.beyond],
        }
        for query in numbers.rankings
    ]


def _relations(numbers: RetrievalNumbers) -> dict[str, Any]:
    """Between runs, and between measures where there are two of each."""
    from germane.stats.rankings.agreement_of_rankings import between_measures

    runs = numbers.relations
    scores = numbers.scores
    found: dict[str, Any] = {}
    if runs is not None:
        found["runs"] = {"coefficients": runs.coefficients, "values": runs.values, "p": runs.p, "depth": runs.depth}
    if len(scores.runs) > 1 and len(scores.measures) > 1:
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
