"""From what somebody names as a source to the engine that answers: a folder, an address, a function."""

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
    """The engine behind a source. `model` and `feedback` are for germane's own indexes, `template` for OpenSearch.

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
        _refuse(text="an engine of its own", model=model, feedback=feedback, template=template)
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
    hint = f"there are: {', '.join(f'{name}://' for name in known)}"
    raise GermaneError(f"no engine is reached by {scheme}://{did_you_mean(scheme, known)}", hint=hint)


def _local(source: Any, model: str | Model | None, feedback: str | Feedback | None) -> Engine:
    from germane.retrieval.engines.local import DEFAULT_MODEL, LocalEngine
    from germane.retrieval.indexes.index import Index

    if not isinstance(source, str | Path | Index):
        hint = "the folder of an index, an address, module:function, or a function of the query's text"
        raise GermaneError(f"expected something to search in, found {type(source).__name__}", hint=hint)
    if isinstance(source, str | Path) and not Path(source).exists():
        names = [entry.name for entry in Path(source).parent.iterdir()] if Path(source).parent.is_dir() else []
        hint = "SOURCE is the folder of an index, an address such as postgresql://…, or module:function"
        near = did_you_mean(Path(source).name, names, likeness=0.8)
        raise InputError(source, None, f"no such folder{near}", hint=hint)
    return LocalEngine(source, model=model or DEFAULT_MODEL, feedback=feedback)


def _refuse(text: str, **given: object) -> None:
    """An option that the source cannot follow is no option to be passed over in silence."""
    why = {
        "model": "a model is chosen for an index of germane's own; a server ranks by its own settings, in the address "
        "or in the template",
        "feedback": "feedback in a batch needs an index of germane's own",
        "template": "a template is the request to an OpenSearch or Elasticsearch index",
    }
    for name, value in given.items():
        if value is not None:
            raise GermaneError(f"{name} is not for {text}", hint=why[name])
