"""An endpoint of the API: a method and a path, who may call it, what goes in and out, and the function behind it.

Routes and the OpenAPI description are both made of these, so that the description cannot lie.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from germane.errors import GermaneError
from germane.judging.store.people import Person
from germane.web.schemas import Schema, problem_with
from germane.web.security import person_of
from germane.web.site import Site

Role = Literal["anyone", "anybody signed in", "assessors", "organisers and viewers", "organisers"]

Function = TypeVar("Function", bound=Callable[..., Any])

MOST_BYTES = 2_000_000
DECLARED: list[Endpoint] = []
"""All endpoints of the modules that were imported."""


class ApiError(Exception):
    """A request that cannot be answered, with the status and a sentence for whoever sent it."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True)
class Call:
    """A request as an endpoint's function sees it."""

    site: Site
    request: Request
    signed_in: Person | None
    body: Any = None

    @property
    def person(self) -> Person:
        """Who calls. Only endpoints for anyone have none."""
        assert self.signed_in is not None
        return self.signed_in

    def part(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])


@dataclass(eq=False)
class Endpoint:
    """Declare the function below as an endpoint; its docstring is the description.

    `takes` and `gives` are JSON schemas; a function may return a `Response` of its own instead of JSON.
    """

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    who: Role
    takes: Schema | None = None
    gives: Schema = field(default_factory=lambda: {"type": "object"})
    media_type: str = "application/json"
    takes_text: bool = False
    most_bytes: int = MOST_BYTES
    function: Callable[[Call], Any] = field(init=False)

    def __call__(self, function: Function) -> Function:
        self.function = function
        DECLARED.append(self)
        return function

    @property
    def summary(self) -> str:
        return " ".join((self.function.__doc__ or "").split())


def is_allowed(person: Person | None, who: Role) -> bool:
    """Whether this person may call what is there for these."""
    if who == "anyone":
        return True
    if person is None or person.disabled:
        return False
    if who == "organisers":
        return person.may_organise
    if who == "organisers and viewers":
        return person.may_organise or person.role == "viewer"
    return person.may_judge if who == "assessors" else True


def as_route(endpoint: Endpoint, site: Site) -> Route:
    """The endpoint as Starlette wants it. The functions block, so they run in a thread."""

    async def answer(request: Request) -> Response:
        try:
            body = await read_body(request, endpoint)
            return await run_in_threadpool(_call, endpoint, site, request, body)
        except ApiError as error:
            return JSONResponse({"error": str(error)}, status_code=error.status)

    return Route(endpoint.path, answer, methods=[endpoint.method])


def _call(endpoint: Endpoint, site: Site, request: Request, body: Any) -> Response:
    person = person_of(request, site)
    if not is_allowed(person, endpoint.who):
        if person is None:
            raise ApiError(401, "sign in first: open the link that you were given")
        raise ApiError(403, f"this is for {endpoint.who}, and you are signed in as {person.role}")
    try:
        result = endpoint.function(Call(site, request, person, body))
    except GermaneError as error:
        raise ApiError(422, str(error)) from None
    return result if isinstance(result, Response) else JSONResponse(result)


async def read_body(request: Request, endpoint: Endpoint) -> Any:
    """The body, checked against the schema; None where there is none to read."""
    if endpoint.takes is None and not endpoint.takes_text:
        return None
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > endpoint.most_bytes:
            raise ApiError(413, f"expected at most {endpoint.most_bytes:,} bytes")
        chunks.append(chunk)
    data = b"".join(chunks)
    if endpoint.takes_text:
        return data
    # A form of another site can send text/plain without asking; JSON it cannot.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise ApiError(415, "expected a body of type application/json")
    try:
        body = json.loads(data, parse_constant=_no_constant)
        json.dumps(body, ensure_ascii=False).encode()  # half of a character could be stored nowhere
    except (ValueError, RecursionError):
        raise ApiError(400, "expected JSON, found something else") from None
    assert endpoint.takes is not None
    problem = problem_with(body, endpoint.takes)
    if problem is not None:
        raise ApiError(422, problem)
    return body


def _no_constant(name: str) -> float:
    raise ValueError(name)
