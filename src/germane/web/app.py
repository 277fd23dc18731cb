"""The application: pages, API and its description, static files and the guard around them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from germane.web import judging_api, organiser_api, sessions_api  # noqa: F401 - they declare the endpoints
from germane.web.endpoints import DECLARED, Endpoint, as_route
from germane.web.pages import Pages
from germane.web.security import guarded
from germane.web.site import Site

ENDPOINTS = tuple(DECLARED)
ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
ERRORS = {
    "401": "not signed in",
    "403": "not allowed for this person, or the request came from another site",
    "422": "invalid request body",
}


def build_app(site: Site) -> ASGIApp:
    """The judging app of one project."""
    from germane import __version__

    described = description(ENDPOINTS, __version__)

    async def openapi(_: Request) -> Response:
        return JSONResponse(described)

    routes = (as_route(endpoint, site) for endpoint in ENDPOINTS)
    return guarded([*Pages(site).routes(), *routes, Route("/openapi.json", openapi)], site.hosts)


def description(endpoints: Iterable[Endpoint], version: str) -> dict[str, Any]:
    """Describe the API as an OpenAPI 3.1 document, generated from the endpoints."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        path = re.sub(r"\{(\w+):\w+\}", r"{\1}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, path)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "germane judging",
            "version": version,
            "description": "Judge documents and manage assessors. Programs send a token, created by an organiser, "
            "as `Authorization: Bearer …`; pages use a cookie that only works from this site.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "germane"},
            },
            "schemas": {"Error": ERROR},
        },
    }


def _operation(endpoint: Endpoint, path: str) -> dict[str, Any]:
    done = {"description": "done", "content": {endpoint.media_type: {"schema": dict(endpoint.gives)}}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    refused = {status: {"description": meaning, "content": error} for status, meaning in ERRORS.items()}
    operation: dict[str, Any] = {
        "summary": endpoint.summary.partition(". ")[0].rstrip("."),
        "description": f"{endpoint.summary} For {endpoint.who}.",
        "operationId": endpoint.function.__name__,
        "security": [] if endpoint.who == "anyone" else [{"token": []}, {"session": []}],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in re.findall(r"\{(\w+)\}", path)
        ],
        "responses": {"200": done, **refused},
    }
    if endpoint.takes is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": dict(endpoint.takes)}}}
    elif endpoint.takes_text:
        operation["requestBody"] = {"required": True, "content": {"application/jsonl": {"schema": {"type": "string"}}}}
    return operation
