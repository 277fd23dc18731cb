"""The scale that assessors judge on: grades with labels and keys, the minimum relevant grade, and the
rules.

A rubric has versions. Labels and text may be edited in place; new values make a new version, which says what became of
each old value, so that grades given under different versions can still be read together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import parse_json, shape_problem
from germane.tables.truth.judgments import JudgmentEvent

TAKEN_KEYS = frozenset("bulxcnmeft?")
"""Keys that the judging screen uses itself: back, undo, later, cannot judge, comment, next hit, more (m and e),
find, topic, help."""


@dataclass(frozen=True)
class Grade:
    """A grade of a scale; `text` explains when to give it, with an example."""

    value: float
    label: str
    key: str
    text: str = ""


@dataclass(frozen=True)
class Rubric:
    """A version of the scale. `rel` is the lowest grade that counts as relevant; `text` is Markdown.

    `mapping` gives, for each value of the version before, the value it now has, or None where nothing corresponds.
    """

    grades: tuple[Grade, ...]
    rel: float
    text: str = ""
    number: int = 1
    mapping: Mapping[float, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = self.values
        if len(values) < 2:
            raise GermaneError(f"expected a scale of at least two grades, found {listed(values) or 'none'}")
        if any(not math.isfinite(value) or value < 0 for value in values):
            hint = "“cannot judge” is a separate answer and needs no grade"
            raise GermaneError(f"expected grades of 0 or more, found {listed(values)}", hint=hint)
        if list(values) != sorted(set(values)):
            raise GermaneError(f"expected different grades, lowest first, found {listed(values)}")
        if self.rel not in values:
            raise GermaneError(f"expected rel to be one of the grades {listed(values)}, found {self.rel}")
        keys = [grade.key for grade in self.grades]
        for key in keys:
            if len(key) != 1 or key.casefold() in TAKEN_KEYS or key.isspace():
                hint = f"choose another key; reserved are {' '.join(sorted(TAKEN_KEYS))}"
                raise GermaneError(f"expected a key of one character for each grade, found {key!r}", hint=hint)
        if len({key.casefold() for key in keys}) < len(keys):
            raise GermaneError(f"expected a different key for each grade, found {' '.join(keys)}")

    @property
    def version(self) -> str:
        """The name of the version in events."""
        return str(self.number)

    @property
    def values(self) -> tuple[float, ...]:
        """The grades, lowest first."""
        return tuple(grade.value for grade in self.grades)

    def require(self, value: float | None) -> None:
        """Raise an error if a grade is not on the scale."""
        if value not in self.values:
            raise GermaneError(f"expected one of the grades {listed(self.values)}, found {value}")

    def next_version(
        self, grades: Sequence[Grade], rel: float, mapping: Mapping[float, float | None], *, text: str | None = None
    ) -> Rubric:
        """Return the next version with other values; `mapping` must cover every old value.

        >>> three = graded(["not", "related", "relevant"], rel=2)
        >>> binary().next_version(three.grades, 2, {0: 0, 1: 2}).version
        '2'
        """
        if set(mapping) != set(self.values):
            problem = f"expected the new value of each of {listed(self.values)}, found {listed(mapping) or 'none'}"
            raise GermaneError(problem, hint="map an old value to null if it has no new value")
        new = Rubric(tuple(grades), rel, self.text if text is None else text, self.number + 1, dict(mapping))
        for value in mapping.values():
            if value is not None:
                new.require(value)
        return new

    def as_json(self) -> str:
        """Return the rubric as JSON for `from_json`."""
        return json.dumps(asdict(self) | {"mapping": sorted(self.mapping.items())}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Rubric:
        """Read a rubric written by `as_json`.

        >>> Rubric.from_json(binary().as_json()) == binary()
        True
        """
        body = parse_json(text, "rubric", "a rubric")
        try:
            grades = tuple(
                Grade(float(one["value"]), one["label"], one["key"], one.get("text", "")) for one in body["grades"]
            )
            mapping = {float(old): None if new is None else float(new) for old, new in body["mapping"]}
            rel, number = float(body["rel"]), int(body.get("number", 1))
            texts = (body.get("text", ""), *(part for grade in grades for part in (grade.label, grade.key, grade.text)))
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise GermaneError(f"expected a rubric, found {shape_problem(error)}") from None
        if not all(isinstance(part, str) for part in texts):
            raise GermaneError("expected text for labels, keys and descriptions of a rubric")
        return cls(grades, rel, texts[0], number, mapping)


def binary(text: str = "") -> Rubric:
    """Return the binary scale: non-relevant and relevant, on the keys 0 and 1."""
    return graded(["not relevant", "relevant"], rel=1, text=text)


def graded(labels: Sequence[str], *, rel: float = 1, text: str = "") -> Rubric:
    """Return grades 0, 1, 2 … with these labels, on the digit keys.

    >>> [(grade.key, grade.label) for grade in graded(["not", "partly", "fully"]).grades]
    [('0', 'not'), ('1', 'partly'), ('2', 'fully')]
    """
    grades = tuple(Grade(float(value), label, str(value)) for value, label in enumerate(labels))
    return Rubric(grades, float(rel), text)


def parse_scale(scale: str, *, rel: float | None = None, text: str = "") -> Rubric:
    """A scale as typed on a command line: ``VALUE`` or ``VALUE=LABEL``, with commas between; relevant from the second
    grade on.

    >>> parse_scale("0=no,1=related,3=perfect", rel=3).values
    (0.0, 1.0, 3.0)
    >>> [grade.label for grade in parse_scale("0,1,2").grades], parse_scale("0,1") == binary()
    (['grade 0', 'grade 1', 'grade 2'], True)
    """
    typed = typed_grades(scale)
    if typed == [("0", ""), ("1", "")]:
        return binary(text)
    grades = [
        Grade(float(value), label or f"grade {value}", value if len(value) == 1 else str(place))
        for place, (value, label) in enumerate(typed)
    ]
    grades.sort(key=lambda grade: grade.value)
    threshold = grades[min(1, len(grades) - 1)].value if rel is None else rel
    return Rubric(tuple(grades), float(threshold), text)


def scale_values(scale: str) -> list[float]:
    """Return the grades of a scale typed on the command line, lowest first; labels are ignored.

    >>> scale_values("0,1,2"), scale_values("0=no,2=yes,1=partly")
    ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])
    """
    return sorted(float(value) for value, _ in typed_grades(scale))


def typed_grades(scale: str) -> list[tuple[str, str]]:
    """Return each grade of a typed scale with its label; missing labels are empty.

    >>> typed_grades("0=no, 1")
    [('0', 'no'), ('1', '')]
    """
    found = []
    for part in scale.split(","):
        value, _, label = part.partition("=")
        try:
            is_grade = math.isfinite(float(value))
        except ValueError:
            is_grade = False
        if not is_grade:
            hint = "write a scale as 0,1,2 or as 0=no,1=related,2=relevant"
            raise GermaneError(f"expected VALUE or VALUE=LABEL, found {part!r}", hint=hint)
        found.append((value.strip(), label.strip()))
    return found


def grade_now(value: float, given_under: str, versions: Sequence[Rubric]) -> float | None:
    """Map a grade of one rubric version to the last of `versions` (all, in order); None if nothing corresponds.

    >>> second = binary().next_version(graded(["no", "a bit", "yes"]).grades, 2, {0: 0, 1: 2})
    >>> grade_now(1, "1", [binary(), second])
    2
    """
    now: float | None = value
    for rubric in versions[int(given_under) :]:
        if now is not None:
            now = rubric.mapping[now]
    return now


def under_last_rubric(events: Iterable[JudgmentEvent], versions: Sequence[Rubric]) -> list[JudgmentEvent]:
    """Convert the grades of events to the last rubric version; grades without a counterpart are removed.

    What is left without a grade stands as "cannot judge": under the last version, nobody has judged it.

    >>> second = binary().next_version(graded(["no", "a bit", "yes"]).grades, 2, {0: 0, 1: 2})
    >>> said = JudgmentEvent("e1", "grade", "ann", "q1", "d1", 1.0, rubric="1")
    >>> under_last_rubric([said], [binary(), second])[0].grade
    2
    """
    return [_regraded(event, versions) for event in events] if len(versions) > 1 else list(events)


def _regraded(event: JudgmentEvent, versions: Sequence[Rubric]) -> JudgmentEvent:
    if event.grade is None or not event.rubric:
        return event
    known = [rubric.version for rubric in versions]
    if event.rubric not in known:
        expected = f"a version of the rubric ({', '.join(known)})"
        problem = f"expected {expected}, found {event.rubric!r} in event {event.event!r}"
        raise InputError("events", None, problem)
    grade = grade_now(event.grade, event.rubric, versions)
    if grade is None and event.kind == "grade":
        return replace(event, grade=None, kind="cannot")
    return replace(event, grade=grade)


def listed(values: Sequence[float] | Mapping[float, object]) -> str:
    """Return grades as text for people."""
    return ", ".join(f"{value:g}" for value in values)
