"""The kinds of tasks, and which kind a name means."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from germane.catalogue import nearest_entry
from germane.errors import GermaneError
from germane.exercises.task import Kind
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES
from germane.measures.definition import MEASURES

SUBJECTS = (
    *("rankings", "several_queries", "confusion", "scores", "predictions", "agreement", "statistics", "correlations"),
    "models",
)
"""Modules of tasks, in the order of the course."""
KINDS: tuple[Kind, ...] = tuple(
    kind for subject in SUBJECTS for kind in import_module(f"germane.exercises.tasks.{subject}").KINDS
)


def course_topics() -> Iterator[tuple[Kind, str]]:
    """Yield every topic of the course, with its kind."""
    for kind in KINDS:
        yield from ((kind, topic.partition(":")[2] or topic) for topic in kind.topics)


def kinds_of(topic: str) -> list[tuple[Kind, str]]:
    """Return the kinds that know a topic, the preferred one first; `KIND:TOPIC` chooses a kind.

    Names with one meaning come before names of measures, which may be measures of rankings or of decisions. A ranking
    measure that needs the size of the collection comes last: AUC and EER usually mean those of scores.

    >>> [(kind.name, name) for kind, name in kinds_of("ERR")], [kind.name for kind, _ in kinds_of("AUC")]
    ([('ranking', 'ERR'), ('rates', 'ERR')], ['scores', 'ranking'])
    >>> kinds_of("rates:ERR")[0][0].title
    'Confusion matrix'
    """
    prefix, colon, rest = topic.partition(":")
    named = [kind for kind in KINDS if colon and kind.name == prefix]
    asked = rest if named else topic
    among = named or [
        kind for kind in KINDS if kind.name != "classes"
    ]  # tasks with three classes are never the default
    found = [(kind, name) for kind in among if (name := kind.known_as(asked)) is not None]
    if not found:
        near = nearest_entry(topic, RATES, DECISION_MEASURES, others=[name for _, name in course_topics()])
        raise GermaneError(
            f"unknown topic {topic!r}{f'; did you mean {near}?' if near else ''}",
            hint="run `germane exercise make --list` for a list, or use any ranking measure, rate or model",
        )
    return sorted(found, key=lambda one: _place(*one))


def _place(kind: Kind, topic: str) -> int:
    if kind.name in ("queries", "agreement", "tests", "correlation", "predictions"):
        return 0
    needs_size = kind.name == "ranking" and MEASURES[MEASURES.parse(topic)].needs
    return 2 if needs_size else 1
