"""How far a project's assessors agree, read under the rubric in use, and kept until something new is judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Lock
from weakref import WeakKeyDictionary

from germane.api.agreeing import agree
from germane.errors import GermaneError
from germane.judging.rubric import grade_now
from germane.judging.store import Database, all_events, num_events, rubrics_of
from germane.tables.agreement_report import AgreementReport
from germane.tables.judgments import JudgmentEvent, standing
from germane.web.site import Site

RESAMPLES = 300

_known: WeakKeyDictionary[Site, tuple[int, AgreementReport | str]] = WeakKeyDictionary()
_lock = Lock()


def agreement_of(site: Site) -> AgreementReport | str:
    """The report or, where there is none to make, the reason."""
    with _lock:
        count = num_events(site.database)
        found = _known.get(site)
        if found is None or found[0] != count:
            found = _known[site] = (count, _agreement(site))
        return found[1]


def _agreement(site: Site) -> AgreementReport | str:
    rubric = site.rubric
    try:
        said = standing(events_now(site.database))
        return agree(said, grades=rubric.values, rel=rubric.relevant_from, resamples=RESAMPLES)
    except GermaneError as error:
        return error.message


def events_now(database: Database) -> Iterator[JudgmentEvent]:
    """The events with their grades as the newest rubric has them; one that means nothing there counts as no grade."""
    rubrics = rubrics_of(database)
    for event in all_events(database):
        grade = None if event.grade is None else grade_now(event.grade, event.rubric, rubrics)
        is_lost = event.kind == "grade" and grade is None
        yield replace(event, grade=grade, kind="cannot" if is_lost else event.kind)
