"""Open the engine that a source names: an index folder, a server's address or a function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from germane.errors import GermaneError, InputError, did_you_mean
from germane.retrieval.engines.callable import SPELLED, CallableEngine
from germane.retrieval.engines.protocol import Engine

if TYPE_CHECKING:
    from germane.retrieval.feedback.method import Feedback
    from germane.retrieval.indexes.index import Index
    from germane.retrieval.models import Model

POSTGRESQL = ("postgresql", "postgres")
OPENSEARCH = ("opensearch+https", "opensearch+http", "elasticsearch+https", "elasticsearch+http")


def open_engine(
    source: str | Path | Index | Engine | Callable[..., Any],
    *,
    model: str | Model | None = None,
    feedback: str | Feedback | None = None,
    template: str | Path | None = None,
    timeout_seconds: float = 60.0,
) -> Engine:
    """Return the engine behind a source. `model` and `feedback` require a germane index, `template` OpenSearch.

    >>> open_engine(lambda text: [("d1", 1.0)]).search("wine", k=10).ids
    ('d1',)
    """
    text = str(source) if isinstance(source, str | Path) else ""
    scheme = text.partition("://")[0] if "://" in text else ""
    if scheme:
        _refuse(text=scheme, model=model, feedback=feedback, template=None if scheme in OPENSEARCH else template)
        return _server(text, scheme, template, timeout_seconds)
    if callable(source) or (SPELLED.fullmatch(text) and not Path(text).exists()):
        _refuse(text=text or "a function", model=model, feedback=feedback, template=template)
        return CallableEngine.imported(text) if text else CallableEngine(source)  # type: ignore[arg-type]
    if not text and isinstance(source, Engine):
        _refuse(text="a custom engine", model=model, feedback=feedback, template=template)
        return source
    _refuse(text="an index", template=template)
    return _local(source, model, feedback)


def _server(url: str, scheme: str, template: str | Path | None, timeout_seconds: float) -> Engine:
    if scheme in POSTGRESQL:
        from germane.retrieval.engines.servers.postgresql import PostgresqlEngine

        return PostgresqlEngine(url, timeout_seconds=timeout_seconds)
    if scheme in OPENSEARCH:
        from germane.retrieval.engines.servers.opensearch import OpenSearchEngine

        return OpenSearchEngine(url, template=template, timeout_seconds=timeout_seconds)
    known = (POSTGRESQL[0], *OPENSEARCH)
    hint = f"choose from {', '.join(f'{name}://' for name in known)}"
    raise GermaneError(f"unknown engine {scheme}://{did_you_mean(scheme, known)}", hint=hint)


def _local(source: Any, model: str | Model | None, feedback: str | Feedback | None) -> Engine:
    from germane.retrieval.engines.local import DEFAULT_MODEL, LocalEngine
    from germane.retrieval.indexes.index import Index

    if not isinstance(source, str | Path | Index):
        hint = "pass an index folder, an address, module:function, or a function of the query text"
        raise GermaneError(f"expected a search engine, found {type(source).__name__}", hint=hint)
    if isinstance(source, str | Path) and not Path(source).exists():
        names = [entry.name for entry in Path(source).parent.iterdir()] if Path(source).parent.is_dir() else []
        hint = "SOURCE is an index folder, an address such as postgresql://…, or module:function"
        near = did_you_mean(Path(source).name, names, likeness=0.8)
        raise InputError(source, None, f"no such folder{near}", hint=hint)
    return LocalEngine(source, model=model or DEFAULT_MODEL, feedback=feedback)


def _refuse(text: str, **given: object) -> None:
    """Reject options that the engine would ignore."""
    why = {
        "model": "remove `model=`, or use a germane index; a server ranks by its own settings (address or template)",
        "feedback": "remove `feedback=`, or use a germane index",
        "template": "remove `template=`; it is the request sent to an OpenSearch or Elasticsearch index",
    }
    for name, value in given.items():
        if value is not None:
            raise GermaneError(f"{name} is not supported with {text}", hint=why[name])
