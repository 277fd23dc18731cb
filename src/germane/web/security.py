"""Request checks and response headers: who may send what, and what a browser may do with the answer.

A request must name a host that is ours (so that no other site can point its name at this machine), and one that changes
something or reads the API with a cookie must come from our own pages. Programs send a Bearer token instead; then
cookies do not count, and there is nothing that another site could make a browser do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from germane.judging.store.people import Person, person_of_session, person_of_token
from germane.web.site import Address, Site

SAFE = ("GET", "HEAD", "OPTIONS")
SESSION_DAYS = 30

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        # Text can never become markup by mistake: only the cleaned documents pass through the one policy named here.
        "require-trusted-types-for 'script'",
        "trusted-types germane-document",
    ]
)
"""The pages' content security policy."""

DOCUMENT_POLICY = "default-src 'none'; script-src 'none'; style-src 'self'; img-src data:; form-action 'none'"
"""Content security policy of HTML documents, besides the page's own policy and the iframe's sandbox."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def refusal(method: str, path: str, headers: Mapping[str, str], hosts: Mapping[str, Address]) -> tuple[int, str] | None:
    """Return the reason and status for rejecting a request; None to accept it. Header names are in lower case.

    >>> from germane.web.site import local_addresses
    >>> hosts = {address.host: address for address in local_addresses(8642)}
    >>> refusal("POST", "/api/answers", {"host": "localhost:8642", "origin": "http://localhost:8642"}, hosts)
    >>> refusal("POST", "/api/answers", {"host": "localhost:8642", "origin": "http://evil.example"}, hosts)
    (403, 'request from http://evil.example refused: only pages of this site may send it')
    """
    host = headers.get("host", "").lower()
    address = hosts.get(host)
    if address is None:
        return 421, f"host not allowed: {host!r}; add it with --allowed-host"
    if headers.get("authorization", "").lower().startswith("bearer "):
        return None
    if method in SAFE and not path.startswith("/api/"):
        return None
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None and origin != address.origin:
        return 403, f"request from {origin} refused: only pages of this site may send it"
    own = ("same-origin", "none") if method in SAFE else ("same-origin",)
    if site is not None and site not in own:
        return 403, "request from another site refused: only pages of this site may send it"
    if method not in SAFE and origin is None and site is None:
        return 403, "request without an Origin header; programs must send a Bearer token"
    return None


class Guard:
    """Reject requests for which `refusal` has a reason, and add security headers to every response."""

    def __init__(self, app: ASGIApp, hosts: Mapping[str, Address]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                is_static = scope["path"].startswith("/static/")
                headers.setdefault("Cache-Control", "no-cache" if is_static else "no-store")
            await send(message)

        answer: ASGIApp = self.app
        refused = refusal(scope["method"], scope["path"], Headers(scope=scope), self.hosts)
        if refused is not None:
            answer = JSONResponse({"error": refused[1]}, status_code=refused[0])
        await answer(scope, receive, send_guarded)


def guarded(routes: Sequence[BaseRoute], hosts: Mapping[str, Address]) -> ASGIApp:
    """Return an application of these routes and the static files; the guard is outermost to cover crashes."""
    static = Mount("/static", StaticFiles(directory=str(files("germane.web") / "static")))
    return Guard(Starlette(routes=[*routes, static]), hosts)


def address_of(request: Request, site: Site) -> Address:
    """Return the address under which this request reached us."""
    return site.hosts[request.headers["host"].lower()]


def cookie_name(address: Address) -> str:
    """Return the cookie's name. Cookies ignore ports, so it contains the port to keep projects separate."""
    if address.scheme == "https" and address.path == "/":
        return "__Host-germane"
    return f"germane_{address.host.rpartition(':')[2] if ':' in address.host else 'default'}"


def give_session(response: Response, session: str, address: Address) -> None:
    """Set the cookie to the session's secret."""
    response.set_cookie(
        cookie_name(address),
        session,
        max_age=SESSION_DAYS * 86_400,
        path=address.path,
        secure=address.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def forget_session(response: Response, address: Address) -> None:
    """Delete the cookie."""
    response.delete_cookie(
        cookie_name(address), path=address.path, secure=address.scheme == "https", httponly=True, samesite="lax"
    )


def session_of(request: Request, site: Site) -> str | None:
    """Return the secret in the cookie."""
    return request.cookies.get(cookie_name(address_of(request, site)))


def person_of(request: Request, site: Site) -> Person | None:
    """Return the person who makes this request. It reads the database: call it from a thread."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return person_of_token(site.database, token.strip())
    session = session_of(request, site)
    return None if session is None else person_of_session(site.database, session)
