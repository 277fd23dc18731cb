"""The application: pages, API, static files and the guard around them."""

from __future__ import annotations

from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from germane.web import judging_api, organiser_api, sessions_api
from germane.web.endpoints import as_route
from germane.web.openapi import description
from germane.web.pages import Pages
from germane.web.security import Guard
from germane.web.site import Site

ENDPOINTS = (*sessions_api.ENDPOINTS, *judging_api.ENDPOINTS, *organiser_api.ENDPOINTS)


def build_app(site: Site) -> ASGIApp:
    """The judging app of one project."""
    from germane import __version__

    described = description(ENDPOINTS, __version__)

    async def openapi(_: Request) -> Response:
        return JSONResponse(described)

    app = Starlette(
        routes=[
            *Pages(site).routes(),
            *(as_route(endpoint, site) for endpoint in ENDPOINTS),
            Route("/openapi.json", openapi),
            Mount("/static", StaticFiles(directory=str(files("germane.web") / "static"))),
        ]
    )
    return Guard(app, site.hosts)  # outermost, so that even the answer to a crash has its headers
