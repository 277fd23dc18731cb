"""Who may speak to us, and what a browser may do with what we say.

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
"""What an HTML document is shown under, on top of the page's own policy and of the iframe's sandbox."""

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
    """Why a request is turned away, with the status; None for one that may go on. Header names are in small letters.

    >>> from germane.web.site import local_addresses
    >>> hosts = {address.host: address for address in local_addresses(8642)}
    >>> refusal("POST", "/api/answers", {"host": "localhost:8642", "origin": "http://localhost:8642"}, hosts)
    >>> refusal("POST", "/api/answers", {"host": "localhost:8642", "origin": "http://evil.example"}, hosts)
    (403, 'this request comes from http://evil.example, and only our own pages may make it')
    """
    host = headers.get("host", "").lower()
    address = hosts.get(host)
    if address is None:
        return 421, f"nothing is served here under the name {host!r}; start with --allowed-host to add a name"
    if headers.get("authorization", "").lower().startswith("bearer "):
        return None
    if method in SAFE and not path.startswith("/api/"):
        return None
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None and origin != address.origin:
        return 403, f"this request comes from {origin}, and only our own pages may make it"
    own = ("same-origin", "none") if method in SAFE else ("same-origin",)
    if site is not None and site not in own:
        return 403, "this request comes from another site, and only our own pages may make it"
    if method not in SAFE and origin is None and site is None:
        return 403, "this request does not say where it comes from; a program should send a Bearer token"
    return None


class Guard:
    """Turns away what `refusal` refuses, and puts the headers on everything that goes out."""

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
    """Return an application of these routes and the static files; the guard is outermost, for crashes need headers."""
    static = Mount("/static", StaticFiles(directory=str(files("germane.web") / "static")))
    return Guard(Starlette(routes=[*routes, static]), hosts)


def address_of(request: Request, site: Site) -> Address:
    """The address under which this request reached us."""
    return site.hosts[request.headers["host"].lower()]


def cookie_name(address: Address) -> str:
    """Cookies ignore ports, so the name holds the port: two projects on one machine do not sign each other out."""
    if address.scheme == "https" and address.path == "/":
        return "__Host-germane"
    return f"germane_{address.host.rpartition(':')[2] if ':' in address.host else 'default'}"


def give_session(response: Response, session: str, address: Address) -> None:
    """Put the session's secret into the cookie."""
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
    """Take the cookie away."""
    response.delete_cookie(
        cookie_name(address), path=address.path, secure=address.scheme == "https", httponly=True, samesite="lax"
    )


def session_of(request: Request, site: Site) -> str | None:
    """The secret in the cookie."""
    return request.cookies.get(cookie_name(address_of(request, site)))


def person_of(request: Request, site: Site) -> Person | None:
    """Who makes this request. It reads the database: call it from a thread."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return person_of_token(site.database, token.strip())
    session = session_of(request, site)
    return None if session is None else person_of_session(site.database, session)
