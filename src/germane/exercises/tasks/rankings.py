"""Tasks on one ranking: any measure of `germane eval` for one query."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np

from germane.exercises.task import Kind, Table, Task, chosen, understood_by
from germane.exercises.tasks.ranking_mistakes import COLLECTION, Drawn, ranking_mistakes
from germane.measures.definition import MEASURES, Definition
from germane.measures.explain import values_named
from germane.tables.rankings.measure import Measure

HIGHEST = 3

TOPICS = (
    *("P", "P@3", "R", "R@3", "F1", "F(beta=2)", "E", "ranking:Fallout", "Success@2", "RR", "AP", "AP(area=sawtooth)"),
    *("AP(area=trapezoid)", "Rprec", "IPrec@0.5", "IPrec(to=between)@0.4", "IPrecAvg", "PAtRecall@0.4", "Efficiency"),
    *("CG@4", "nCG@4", "DCG@4", "DCG(gain=exp)@4", "nDCG@5", "nDCG(gain=exp)@5", "ranking:AUC"),
)


def _draw(topic: str, rng: np.random.Generator) -> Task | None:
    measure = MEASURES.parse(topic)
    definition = MEASURES[measure]
    graded = "rel" not in definition.parameters or definition.parameters["rel"].default is None
    drawn = _drawn(rng, graded)
    explanation = drawn.explanation(measure)
    yes_or_no = definition.name == "Success"
    if not yes_or_no and not definition.bounds[0] < explanation.value < definition.bounds[1]:
        return None
    return Task(
        topic,
        _question(topic, drawn, graded, definition),
        (_table(drawn, graded),),
        definition_lines(measure),
        float(explanation.value),
        str(explanation).partition("\n\n")[2].removeprefix(f"{explanation.formula}\n\n"),
        () if yes_or_no else list(ranking_mistakes(drawn, measure)),
    )


def _drawn(rng: np.random.Generator, graded: bool) -> Drawn:
    """Generate six to eight ranked documents, two to four of them relevant, and one or two missed relevant ones."""
    size, hits, missed = (int(rng.integers(low, high)) for low, high in ((6, 9), (2, 5), (1, 3)))
    names = chosen(rng, ascii_uppercase, size + missed)
    relevant = {*chosen(rng, names[:size], hits), *names[size:]}
    grades = {name: int(rng.integers(1, HIGHEST + 1)) if graded else 1 for name in names if name in relevant}
    if graded and HIGHEST not in grades.values():
        grades[names[size]] = HIGHEST  # so that the highest grade given is the highest of the scale
    return Drawn(tuple(names[:size]), {name: grades.get(name, 0) for name in names})


def _table(drawn: Drawn, graded: bool) -> Table:
    """Return the ranking with the grade of each document."""
    words = str if graded else lambda grade: "yes" if grade else "no"
    rows = tuple((str(rank), doc, words(drawn.grades[doc])) for rank, doc in enumerate(drawn.ranking, start=1))
    return Table(("rank", "document", "grade" if graded else "relevant"), rows)


def _question(topic: str, drawn: Drawn, graded: bool, definition: Definition) -> str:
    missed = [f"{doc} (grade {drawn.grades[doc]})" if graded else doc for doc in drawn.missed]
    scale = f" Grades go from 0 to {HIGHEST}." if graded else ""
    size = f" The collection has {COLLECTION} documents." if "collection size" in definition.needs else ""
    return (
        f"A system returned this ranking for a query. Also relevant, but not retrieved: {', '.join(missed)}."
        f"{scale}{size} What is {topic}?"
    )


def definition_lines(measure: Measure) -> tuple[str, ...]:
    """Return the summary, the formula with its values and, for a measure with parameters, the note on them."""
    definition = MEASURES[measure]
    note = definition.sections.get("Note", "") if measure.parameters else ""
    normalises = definition.name[1:] if definition.name in ("nDCG", "nERR") else ""
    first = MEASURES[normalises].sections["Formula"] if normalises else ""
    formula = definition.sections.get("Formula", "")
    defaults = {name: one.default for name, one in definition.parameters.items() if name != definition.at}
    values = values_named(formula, {**defaults, **dict(measure.parameters)})
    return tuple(filter(None, (definition.summary, first, formula, values, note)))


def _needs_no_groups(measure: Measure) -> bool:
    return "groups" not in MEASURES[measure].needs


KINDS = (Kind("ranking", "One ranking", TOPICS, understood_by(MEASURES.parse, _needs_no_groups), _draw),)
