"""Load judgments from files, a judging project's database, events, tables or dicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, InputError
from germane.formats.truth.judgments_file import JudgmentFile, events_of, read_judgments
from germane.judging.rubric import Rubric, under_last_rubric
from germane.tables.columns.aligned_columns import require_nested
from germane.tables.truth.judgments import JudgmentEvent, Judgments, standing
from germane.tables.truth.pool import Pool

SQLITE = b"SQLite format 3\x00"
POSTGRESQL = ("postgresql://", "postgresql+", "postgres://")


@dataclass(frozen=True, eq=False)
class Judged:
    """Events with their context: pairs that are listed without a judgment and, for a judging project, its pools, the
    versions of its rubric, and the record of how it judged.
    """

    events: tuple[JudgmentEvent, ...]
    listed: frozenset[tuple[str, str]] = frozenset()
    pools: tuple[Pool, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    record: Mapping[str, Any] | None = None
    name: str = "judgments"

    @property
    def judgments(self) -> Judgments:
        """Current judgments, in the grades of the last version of the rubric."""
        found = standing(under_last_rubric(self.events, self.rubrics), name=self.name)
        pooled = (item for pool in self.pools for item in pool.items if item.kind == "ordinary")
        return replace(found, listed=found.listed.union(self.listed, ((item.topic, item.doc) for item in pooled)))

    @property
    def grades(self) -> tuple[float, ...] | None:
        """The scale, where a rubric states it."""
        return self.rubrics[-1].values if self.rubrics else None

    @property
    def rel(self) -> float | None:
        """The lowest grade that is relevant, where a rubric states it."""
        return self.rubrics[-1].rel if self.rubrics else None


def load_judged(judgments: Any) -> Judged:
    """Load judgments, with their history where they have one."""
    if isinstance(judgments, Judged):
        return judgments
    if isinstance(judgments, Judgments):
        return Judged(tuple(events_of(judgments)), judgments.listed, name=judgments.name)
    if isinstance(judgments, JudgmentFile):
        name = " ".join(name for name, _ in judgments.read_as) or "judgments"
        return Judged(judgments.events, judgments.listed, name=name)
    if isinstance(judgments, Mapping):
        return load_judged(_from_dict(judgments))
    if isinstance(judgments, str | Path):
        return _from_paths([judgments])
    if isinstance(judgments, Iterable) and getattr(judgments, "ndim", 1) > 0:
        several = list(judgments)
        if several and all(isinstance(entry, JudgmentEvent) for entry in several):
            return Judged(tuple(several), name="events")
        if several and all(isinstance(entry, str | Path) for entry in several):
            return _from_paths(several)
    hint = "pass one or more paths, events, Judgments, or {assessor: {topic: {document: grade}}}"
    raise GermaneError(f"expected judgments, found {type(judgments).__name__}", hint=hint)


def _from_paths(paths: Sequence[str | Path]) -> Judged:
    projects = [path for path in paths if _is_project(path)]
    if not projects:
        return load_judged(read_judgments(paths))
    if len(paths) > 1:
        problem = f"{projects[0]} is a judging project, which cannot be combined with other files"
        raise GermaneError(problem, hint=_together(projects))
    return _from_project(projects[0])


def _together(projects: Sequence[str | Path]) -> str:
    """Return a hint for several projects, or a project and other files."""
    files = [f"{path}.events.jsonl" for path in projects if not str(path).startswith(POSTGRESQL)]
    if not files:
        return "use event files from the Progress page of `germane judge`"
    return f"use {' and '.join(files)}, or judge the second pool with --store {projects[0]}"


def _is_project(path: str | Path) -> bool:
    if str(path).startswith(POSTGRESQL):
        return True
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _from_project(path: str | Path) -> Judged:
    from germane.judging.store.connection import Database
    from germane.judging.store.events import all_events
    from germane.judging.store.project import pools_of, record_of, rubrics_of

    database = Database(path)
    try:
        return Judged(
            tuple(all_events(database)),
            pools=tuple(pools_of(database)),
            rubrics=tuple(rubrics_of(database)),
            record=record_of(database),
            name=Path(path).name if database.is_sqlite else "project",
        )
    finally:
        database.close()


def _from_dict(judges: Mapping[Any, Any]) -> Judgments:
    for who, topics in judges.items():
        require_nested(topics, "{assessor: {topic: {document: grade}}}", str(who))
        for grade in (grade for docs in topics.values() for grade in docs.values()):
            if grade is not None and not isinstance(grade, Real):
                raise InputError(str(who), None, f"expected a grade, a number or None, found {grade!r}")
    rows = [
        (str(who), str(topic), str(doc), math.nan if grade is None else float(grade))
        for who, topics in judges.items()
        for topic, docs in topics.items()
        for doc, grade in docs.items()
    ]
    judged = [row for row in rows if not row[3] < 0]  # a negative grade means pooled but unjudged
    who, topics, docs = ([row[i] for row in judged] for i in range(3))
    grades, listed = [row[3] for row in judged], [(topic, doc) for _, topic, doc, _ in rows]
    return Judgments.from_columns(who, topics, docs, grades, listed=listed)
