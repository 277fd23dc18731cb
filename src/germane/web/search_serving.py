"""`germane search --serve`: the search pages of one index, for the browsers of this machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from germane.retrieval.feedback import Feedback
from germane.retrieval.index import Index
from germane.retrieval.rounds import AskedModel
from germane.web.search_form import Form
from germane.web.search_pages import SearchPages
from germane.web.security import Guard
from germane.web.serving import listen
from germane.web.site import Address, local_addresses


def build_search_app(index: Index, usual: Form, addresses: tuple[Address, ...]) -> ASGIApp:
    """The search pages of an index, behind the guard that the judging pages have."""
    static = Mount("/static", StaticFiles(directory=str(files("germane.web") / "static")))
    app = Starlette(routes=[*SearchPages(index, usual).routes(), static])
    hosts = {address.host: address for address in addresses}
    return Guard(app, hosts)


def serve_search(
    index: Index,
    model: AskedModel,
    method: Feedback,
    size: int,
    *,
    text: str = "",
    port: int | None = None,
    started: Callable[[str], None],
) -> None:
    """Answer requests until interrupted; `started` gets the address, with the query `text` if there is one."""
    import uvicorn

    usual = Form(model=str(model), feedback=str(method), size=str(size))
    usual.num_results  # noqa: B018 - too many are an error before anything is served
    with listen("127.0.0.1", port) as listening:
        addresses = local_addresses(listening.getsockname()[1])
        app = build_search_app(index, usual, addresses)
        started(f"{addresses[0].origin}/" + (f"?{urlencode({'q': text})}" if text else ""))
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, proxy_headers=False, lifespan="off",
            ws="none", timeout_graceful_shutdown=3,
        )  # fmt: skip
        with suppress(KeyboardInterrupt):  # Ctrl+C is how it is meant to end
            uvicorn.Server(config).run(sockets=[listening])
