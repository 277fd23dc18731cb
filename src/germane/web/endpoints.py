"""API endpoints: method and path, audience, input and output schemas, and the function behind each.

Routes and the OpenAPI description are both made of these, so that the description cannot lie. What goes in and out is
said in a part of JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from germane.errors import GermaneError
from germane.judging.store.people import Person
from germane.judging.store.sqlite import BusyError
from germane.web.batches import Afterwards
from germane.web.security import person_of
from germane.web.site import Site

Role = Literal["anyone", "anybody signed in", "assessors", "organisers and viewers", "organisers"]

Schema = Mapping[str, Any]

Function = TypeVar("Function", bound=Callable[..., Any])

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
MOST_BYTES = 2_000_000
DECLARED: list[Endpoint] = []
"""All endpoints of the modules that were imported."""


class ApiError(Exception):
    """A failed request, with its status and a message for the sender."""

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
        """The signed-in person; None only for endpoints that anyone may call."""
        assert self.signed_in is not None
        return self.signed_in

    def part(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])


@dataclass(eq=False)
class Endpoint:
    """Declare the function below as an endpoint; its docstring is the description.

    `takes` and `gives` are JSON schemas; a function may return a `Response` of its own instead of JSON. One that is
    `frequent` shares its commit with others, so it only does what is quick; the rest it returns as `Afterwards`.
    """

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    who: Role
    takes: Schema | None = None
    gives: Schema = field(default_factory=lambda: {"type": "object"})
    media_type: str = "application/json"
    takes_text: bool = False
    most_bytes: int = MOST_BYTES
    frequent: bool = False
    function: Callable[[Call], Any] = field(init=False)

    def __call__(self, function: Function) -> Function:
        self.function = function
        DECLARED.append(self)
        return function

    @property
    def summary(self) -> str:
        return " ".join((self.function.__doc__ or "").split())


def is_allowed(person: Person | None, who: Role) -> bool:
    """Whether this person may call an endpoint for this audience."""
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
    """Return the endpoint as a Starlette route. The functions block, so they run in a thread."""

    async def answer(request: Request) -> Response:
        try:
            body = await read_body(request, endpoint)
            if endpoint.frequent and site.batches is not None:
                result = await site.batches.run(partial(_call, endpoint, site, request, body))
            else:
                result = await run_in_threadpool(_call, endpoint, site, request, body)
                if isinstance(result, Afterwards):
                    result = await run_in_threadpool(result.function)
            return result if isinstance(result, Response) else JSONResponse(result)
        except ApiError as error:
            return JSONResponse({"error": str(error)}, status_code=error.status)
        except GermaneError as error:  # a page tries again after 503, and keeps what was said until then
            return JSONResponse({"error": str(error)}, status_code=503 if isinstance(error, BusyError) else 422)

    return Route(endpoint.path, answer, methods=[endpoint.method])


def _call(endpoint: Endpoint, site: Site, request: Request, body: Any) -> Any:
    person = person_of(request, site)
    if not is_allowed(person, endpoint.who):
        if person is None:
            raise ApiError(401, "sign in first: open the link you were given")
        raise ApiError(403, f"only {endpoint.who} may do this; you are signed in as {person.role}")
    return endpoint.function(Call(site, request, person, body))


async def read_body(request: Request, endpoint: Endpoint) -> Any:
    """Return the body, checked against the schema; None without a body."""
    if endpoint.takes is None and not endpoint.takes_text:
        return None
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > endpoint.most_bytes:
            raise ApiError(413, f"expected at most {endpoint.most_bytes:,} bytes")
    if endpoint.takes_text:
        return bytes(data)
    # A form of another site can send text/plain without asking; JSON it cannot.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise ApiError(415, "expected Content-Type application/json")
    try:
        body = json.loads(data, parse_constant=_no_constant)
        json.dumps(body, ensure_ascii=False).encode()  # half of a character could be stored nowhere
    except (ValueError, RecursionError):
        raise ApiError(400, "expected valid JSON") from None
    assert endpoint.takes is not None
    if problem := problem_with(body, endpoint.takes):
        raise ApiError(422, problem)
    return body


def _no_constant(name: str) -> float:
    raise ValueError(name)


INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


def text(most: int = 1000, **more: Any) -> Schema:
    """Schema of a string of at most `most` characters."""
    return {"type": "string", "maxLength": most, **more}


def one_of(*values: str) -> Schema:
    """Schema of one of these strings."""
    return {"type": "string", "enum": list(values)}


def a_list(items: Schema, most: int = 1000) -> Schema:
    """Schema of a list of such items."""
    return {"type": "array", "items": items, "maxItems": most}


def an_object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these properties and no others.

    >>> problem_with({"name": 1}, an_object({"name": text()}))
    'name: expected string, found integer'
    """
    known = {**required, **(optional or {})}
    return {"type": "object", "properties": known, "required": list(required), "additionalProperties": False}


def problem_with(value: Any, schema: Schema, where: str = "") -> str | None:
    """Return the first problem of a value, or None.

    >>> problem_with([1, 2, 3], a_list({"type": "number"}, most=2))
    'expected at most 2 entries, found 3'
    """
    prefix = f"{where}: " if where else ""
    kinds = schema.get("type", list(TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(isinstance(value, TYPES[kind]) and (kind == "boolean") >= isinstance(value, bool) for kind in kinds):
        return f"{prefix}expected {' or '.join(kinds)}, found {_kind(value)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{prefix}expected one of {', '.join(map(repr, schema['enum']))}, found {value!r:.60}"
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        return f"{prefix}expected at most {schema['maxLength']} characters, found {len(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not low <= value <= high:
            return f"{prefix}expected a number from {low} to {high}, found {value}"
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            return f"{prefix}expected at most {schema['maxItems']} entries, found {len(value)}"
        problems = (problem_with(one, schema["items"], f"{where}[{at}]") for at, one in enumerate(value))
        return next((problem for problem in problems if problem), None)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                return f"{prefix}expected {name!r}, found none"
        for name, one in value.items():
            if name in known:
                if problem := problem_with(one, known[name], f"{where}.{name}" if where else name):
                    return problem
            elif not schema.get("additionalProperties", True):
                return f"{prefix}unknown key {name!r:.60}; expected {', '.join(known)}"
    return None


def _kind(value: Any) -> str:
    kinds = ("boolean", "null", "object", "array", "string", "integer", "number")
    return next(name for name in kinds if isinstance(value, TYPES[name]))
