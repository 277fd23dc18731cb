"""How far a project's assessors agree, read under the rubric in use, and kept until something new is judged."""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

from germane.api.truth.agreement import agree
from germane.errors import GermaneError
from germane.judging.rubric import under_last_rubric
from germane.judging.store.events import all_events, num_events
from germane.judging.store.project import rubrics_of
from germane.tables.results.agreement import Agreement
from germane.tables.truth.judgments import standing
from germane.web.site import Site

RESAMPLES = 300

_known: WeakKeyDictionary[Site, tuple[int, Agreement | str]] = WeakKeyDictionary()
_lock = Lock()


def agreement_of(site: Site) -> Agreement | str:
    """The report or, where there is none to make, the reason."""
    with _lock:
        count = num_events(site.database)
        found = _known.get(site)
        if found is None or found[0] != count:
            found = _known[site] = (count, _agreement(site))
        return found[1]


def _agreement(site: Site) -> Agreement | str:
    rubric = site.rubric
    try:
        said = standing(under_last_rubric(all_events(site.database), rubrics_of(site.database)))
        return agree(said, grades=rubric.values, rel=rubric.rel, resamples=RESAMPLES)
    except GermaneError as error:
        return error.message
