"""The HTML pages: the judging screen, which gets all data from the API, and the organiser's tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from germane.judging.bundle import all_bundles
from germane.judging.store.adjudication import cases
from germane.judging.store.people import Person, everybody, links_of
from germane.judging.store.progress import everybodys_progress, topic_progress
from germane.judging.store.project import settings_of
from germane.tables.truth.judgments import MIN_READING_SECONDS
from germane.web.document_view import KEY_NAMES, visible
from germane.web.endpoints import Role, is_allowed
from germane.web.organiser_api import agreement_of
from germane.web.security import person_of
from germane.web.site import Site

PAGES: Mapping[str, tuple[str, Role]] = {
    "judge": ("Judge", "assessors"),
    "progress": ("Progress", "organisers and viewers"),
    "agreement": ("Agreement", "organisers and viewers"),
    "adjudicate": ("Adjudicate", "organisers"),
    "people": ("People", "organisers"),
    "bundles": ("Bundles", "organisers"),
}


def environment() -> Environment:
    """Templates; all values are escaped."""
    loader = PackageLoader("germane.web")
    templates = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters |= {"visible": visible, "decimal": decimal}
    return templates


def decimal(value: float | None, digits: int = 3) -> str:
    """A number for a table.

    >>> decimal(-0.77649), decimal(float("nan"))
    ('−0.776', '–')
    """
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


class Pages:
    """The pages of one site. Their functions block: Starlette runs those that are not async in a thread."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.templates = environment()

    def routes(self) -> list[Route]:
        """All pages."""
        contents: dict[str, Callable[[Person], dict[str, Any]]] = {
            "judge": lambda _: {"keys": KEY_NAMES},
            "progress": self.progress,
            "agreement": lambda _: {"report": agreement_of(self.site)},
            "adjudicate": lambda _: {"settled": [case for case in cases(self.site.database) if case.settled]},
            "people": lambda _: {"people": everybody(self.site.database), "links": links_of(self.site.database)},
            "bundles": lambda _: {"bundles": all_bundles(self.site.database), "people": everybody(self.site.database)},
        }
        return [
            Route("/", self._first),
            Route("/enter", self._enter),
            *(Route(f"/{name}", self._page(name, content)) for name, content in contents.items()),
        ]

    def _first(self, request: Request) -> Response:
        person = person_of(request, self.site)
        if person is None:
            return RedirectResponse("enter", 303)
        # Whoever has others judge looks first: a key pressed on the judging screen would be a judgment.
        others = (one for one in everybody(self.site.database) if one.role == "assessor" and not one.disabled)
        looks = person.may_organise and any(others)
        return RedirectResponse("progress" if looks else self._menu(person)[0][0], 303)

    async def _enter(self, _: Request) -> Response:
        return self._render("enter", 200, title=self.site.title, person=None, menu=[], here="enter")

    def _page(self, name: str, content: Callable[[Person], dict[str, Any]]) -> Callable[[Request], Any]:
        def answer(request: Request) -> Response:
            person = person_of(request, self.site)
            if person is None:
                return RedirectResponse("enter", 303)
            known = {"title": self.site.title, "person": person, "menu": self._menu(person), "here": name}
            if not is_allowed(person, PAGES[name][1]):
                return self._render("refused", 403, who=PAGES[name][1], **known)
            return self._render(name, 200, **known, **content(person))

        return answer

    def _render(self, name: str, status: int, **values: Any) -> Response:
        return HTMLResponse(self.templates.get_template(f"{name}.html").render(**values), status)

    @staticmethod
    def _menu(person: Person) -> list[tuple[str, str]]:
        return [(name, title) for name, (title, who) in PAGES.items() if is_allowed(person, who)]

    def progress(self, _: Person) -> dict[str, Any]:
        """Progress by topic and by person."""
        topics = topic_progress(self.site.database)
        return {
            "topics": [(one, self.site.topic(one.topic).title) for one in topics],
            **{name: sum(getattr(one, name) for one in topics) for name in ("documents", "complete", "judgments")},
            "settings": settings_of(self.site.database),
            "people": everybodys_progress(self.site.database),
            "min_reading_seconds": MIN_READING_SECONDS,
        }
