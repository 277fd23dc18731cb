"""An OpenSearch or Elasticsearch index as an engine, using requests that both understand.

The address is ``opensearch+https://host:9200/index?fields=title^2,body`` or ``elasticsearch+http://…``; user and
password, or an API key, come from the environment (see `rest`).
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.files.json_text import parse_json
from germane.formats.files.sources import open_source
from germane.retrieval.engines.address import Address
from germane.retrieval.engines.protocol import Ranked, ranked
from germane.retrieval.engines.servers.rest import API_KEY, PASSWORD, USER, RestClient
from germane.retrieval.query import Collection, Query, TermStats
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note

SETTINGS = {"fields", "id"}
PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
KNOWN = ("query", "k")
MAY_BE_FORBIDDEN = (403, 404, 405)
"""Statuses for requests about sizes and versions that a search-only user may not send; these facts are then omitted."""


class OpenSearchEngine:
    """An index on an OpenSearch or Elasticsearch server.

    `fields` are searched by multi_match (default: all; ``title^2`` doubles the weight), or `template` is the request to
    send. `id` is the field that holds the document ids (default: ``_id``).
    """

    threads = 1  # so that times are those of a single client

    def __init__(
        self,
        url: str,
        *,
        template: str | Path | None = None,
        timeout_seconds: float = 60.0,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        address = Address.parse(url, SETTINGS, others_allowed=False)
        self.name = address.shown
        parts = address.parts
        if "@" in parts.netloc:
            hint = f"set {USER} and {PASSWORD}, or {API_KEY}, in the environment"
            raise GermaneError(f"{self.name}: the address contains a password, which others could see", hint=hint)
        self._family, _, scheme = parts.scheme.partition("+")
        index = parts.path.strip("/")
        if not index or "/" in index or not parts.hostname:
            hint = f"write {parts.scheme}://host:9200/index"
            raise GermaneError(f"{self.name}: expected a host and an index name", hint=hint)
        self._index = index
        self._path = f"/{quote(index, safe='*,%')}"
        self._fields = address.names("fields") or ("*",)
        self._id = address.settings.get("id", "_id")
        self._template_name = None if template is None else Path(template).name
        self._template = self._multi_match() if template is None else read_template(template)
        self._client = RestClient(urlsplit(f"{scheme}://{parts.netloc}"), timeout_seconds=timeout_seconds, pause=pause)

    def search(self, query: str, k: int) -> Ranked:
        return self._search(filled(self._template, query, k), k)

    def search_weighted(self, query: Query, k: int, *, field: str | None = None, binary: bool = False) -> Ranked:
        """Return the best documents for weighted terms, as feedback gives them; terms must be as the index stores them.

        A term's weight multiplies its score by the index's own model; with `binary` only the weight counts, once for
        each document that contains the term, as the relevance weights of the Binary Independence model require.
        """
        if negative := [term for term, weight in query.weights.items() if weight < 0]:
            hint = "the server rejects negative boosts; set negative weights to 0"
            raise GermaneError(f"{self.name}: negative weight for {negative[0]!r}", hint=hint)
        name = self._one_field(field)
        clauses = [
            {"constant_score": {"filter": {"term": {name: {"value": term}}}, "boost": weight}}
            if binary
            else {"term": {name: {"value": term, "boost": weight}}}
            for term, weight in query.weights.items()
            if weight > 0
        ]
        if not clauses:
            return ranked([], k)
        body = {**self._frame(), "size": k, "query": {"bool": {"should": clauses, "minimum_should_match": 1}}}
        return self._search(body, k)

    def term_statistics(
        self, docs: Iterable[str], *, query: str = "", field: str | None = None
    ) -> dict[str, TermStats]:
        """Return the counts of all terms of these documents, treated as judged relevant, and of the query text.

        Any relevance weight can be computed from them (S is the number of documents given, s the number of those with
        the term) and passed to `search_weighted`. Documents are named by ``_id``. Servers count within the shard that
        holds a document, deleted documents included: df and N are sums over the shards in which the term was seen, so
        they are estimates unless the index has one shard and was merged.
        """
        ids, name = list(docs), self._one_field(field)
        answer = self._client.request("POST", f"{self._path}/_mtermvectors", term_vectors_request(ids, query, name))
        return statistics_of(answer, name, has_query=bool(query))

    def describe(self) -> dict[str, Any]:
        root = self._client.request("GET", "/", unless=MAY_BE_FORBIDDEN) or {}
        version = root.get("version", {}) if isinstance(root, Mapping) else {}
        request = {"template": self._template_name} if self._template_name else {"fields": list(self._fields)}
        return {
            "engine": version.get("distribution", self._family),
            "version": version.get("number"),
            "address": self.name,
            "index": self._index,
            "model": self._template_name or "multi_match",
            **request,
            "request": self._template,
            "id": self._id,
        }

    def num_docs(self) -> int | None:
        return _whole(self._client.request("GET", f"{self._path}/_count", unless=(403, 405)), "count")

    def index_bytes(self) -> int | None:
        """Size of the primary shards, without replicas."""
        answer = self._client.request("GET", f"{self._path}/_stats/store", unless=MAY_BE_FORBIDDEN)
        return _whole(answer, "_all", "primaries", "store", "size_in_bytes")

    def notes(self) -> list[Note]:
        repeated = self._client.repeated
        amount = counted(repeated, "request")
        what = "sent again after a failure; times include the retries"
        return [Note("retried-requests", amount, what, count=repeated)] if repeated else []

    def close(self) -> None:
        self._client.close()

    def _frame(self) -> dict[str, Any]:
        """Options of every request: no texts, and no total count."""
        return {"_source": False if self._id == "_id" else [self._id], "track_total_hits": False}

    def _multi_match(self) -> dict[str, Any]:
        query = {"multi_match": {"query": "{{query}}", "fields": list(self._fields)}}
        return {"size": "{{k}}", "query": query, **self._frame()}

    def _one_field(self, field: str | None) -> str:
        if field is not None:
            return field
        if len(self._fields) == 1 and "*" not in self._fields[0]:
            return self._fields[0].partition("^")[0]
        found, hint = ", ".join(self._fields), "add ?fields=body to the address, or use `field=…`"
        raise GermaneError(f"{self.name}: expected one field to count terms in, found {found}", hint=hint)

    def _search(self, body: Any, k: int) -> Ranked:
        try:
            answer = self._client.request("POST", f"{self._path}/_search", body)
        except GermaneError as problem:
            if "window is too large" not in problem.message:
                raise
            # Paging with search_after would need a field that is unique in every document, which not every index has.
            hint = "use a smaller -k, or raise index.max_result_window (default 10,000); search_after is not supported"
            raise GermaneError(problem.message, hint=hint) from None
        return ranked([(self._doc_id(hit), self._score(hit)) for hit in _hits(answer)], k)

    def _doc_id(self, hit: Mapping[str, Any]) -> Any:
        if self._id == "_id":
            return hit.get("_id")
        value: Any = hit.get("_source") or {}
        if isinstance(value, Mapping) and self._id in value:
            return value[self._id]
        for part in self._id.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if value is None:
            hint = "list the field under _source in the template" if self._template_name else None
            raise GermaneError(f"document {hit.get('_id')!r} has no field {self._id!r}", hint=hint)
        return value

    def _score(self, hit: Mapping[str, Any]) -> Any:
        if hit.get("_score") is None:
            hint = 'add "track_scores": true to the template, which sorts'
            raise GermaneError(f"document {hit.get('_id')!r} has no score", hint=hint)
        return hit["_score"]


def _hits(answer: Any) -> list[Mapping[str, Any]]:
    """Return the documents of a complete answer: no failed shard, no timeout."""
    hits = answer.get("hits", {}).get("hits") if isinstance(answer, Mapping) else None
    if not isinstance(hits, list) or not all(isinstance(hit, Mapping) for hit in hits):
        raise GermaneError(f"expected hits.hits in the answer, found {str(answer)[:200]}")
    shards = answer.get("_shards", {})
    if shards.get("failed"):
        failures = shards.get("failures") or [{}]
        reason = failures[0].get("reason", {}).get("reason", "no reason given")
        raise GermaneError(f"{shards['failed']} of {shards.get('total')} shards failed: {reason}")
    if answer.get("timed_out"):
        raise GermaneError("the server timed out and returned a partial answer")
    return hits


def _whole(answer: Any, *keys: str) -> int | None:
    for key in keys:
        answer = answer.get(key) if isinstance(answer, Mapping) else None
    return answer if isinstance(answer, int) else None


def read_template(path: str | Path) -> Any:
    """Read a request template: JSON with the placeholders ``"{{query}}"`` and ``"{{k}}"``."""
    with open_source(path) as stream:
        text = stream.read()
    hint = 'a template is JSON with quoted placeholders: {"size": "{{k}}", "query": {"match": {"body": "{{query}}"}}}'
    template = parse_json(text, path, hint=hint)
    if not isinstance(template, dict):
        found = "null" if template is None else type(template).__name__
        raise InputError(path, None, f"expected a JSON object, found {found}")
    places = _places(template)
    for name in places:
        if name not in KNOWN:
            problem = f"unknown placeholder {{{{{name}}}}}{did_you_mean(name, KNOWN)}"
            raise InputError(path, None, problem, hint="choose from {{query}}, {{k}}")
    for name, example in (("query", '"query": "{{query}}"'), ("k", '"size": "{{k}}"')):
        if name not in places:
            raise InputError(path, None, f"expected a placeholder for {name}, found none", hint=f"add {example}")
    return template


def filled(template: Any, query: str, k: int) -> Any:
    """Fill query and k into a template. A placeholder that is a whole string becomes the value itself.

    >>> filled({"size": "{{k}}", "query": {"match": {"body": "{{query}}"}}}, 'say "hi"', 10)
    {'size': 10, 'query': {'match': {'body': 'say "hi"'}}}
    """
    values = {"query": query, "k": k}
    if isinstance(template, dict):
        return {name: filled(value, query, k) for name, value in template.items()}
    if isinstance(template, list):
        return [filled(value, query, k) for value in template]
    if not isinstance(template, str):
        return template
    if whole := PLACE.fullmatch(template):
        return values[whole[1]]
    return PLACE.sub(lambda place: str(values[place[1]]), template)


def _places(template: Any) -> list[str]:
    if isinstance(template, dict):
        return [name for value in template.values() for name in _places(value)]
    if isinstance(template, list):
        return [name for value in template for name in _places(value)]
    return PLACE.findall(template) if isinstance(template, str) else []


def term_vectors_request(ids: Sequence[str], query: str, field: str) -> dict[str, Any]:
    """Return the body of ``_mtermvectors`` for documents by id and, last, for a query text as a document."""
    left_out = dict.fromkeys(("positions", "offsets", "payloads"), False)
    options = {"fields": [field], "term_statistics": True, "field_statistics": True, **left_out}
    docs: list[dict[str, Any]] = [{"_id": doc, **options} for doc in ids]
    if query:
        docs.append({"doc": {field: query}, **options})
    if not docs:
        raise GermaneError("expected documents or a query, found neither")
    return {"docs": docs}


def statistics_of(answer: Any, field: str, *, has_query: bool) -> dict[str, TermStats]:
    """Return the counts of each term in an answer; every document except the query's counts as relevant."""
    docs = answer.get("docs") if isinstance(answer, Mapping) else None
    if not isinstance(docs, list):
        raise GermaneError(f"expected term vectors from the server, found {str(answer)[:200]}")
    vectors = [
        _vector(doc, field, is_query=has_query and place == len(docs)) for place, doc in enumerate(docs, start=1)
    ]
    num_relevant = len(docs) - has_query
    relevant_with = Counter(term for vector in vectors[:num_relevant] for term in vector)
    by_shard: dict[str, dict[Collection, TermStats]] = {}
    for vector in vectors:
        for term, found in vector.items():
            by_shard.setdefault(term, {})[found.collection] = found
    return {
        term: _added(term, list(shards.values()), num_relevant, relevant_with[term])
        for term, shards in by_shard.items()
    }


def _added(term: str, shards: list[TermStats], num_relevant: int, relevant_with: int) -> TermStats:
    """Add up the counts of the shards in which the term was seen; a shard is identified by its field statistics."""
    collection = Collection(
        sum(shard.collection.num_docs for shard in shards), sum(shard.collection.num_tokens for shard in shards)
    )
    df, cf = sum(shard.df for shard in shards), sum(shard.cf for shard in shards)
    return TermStats(term, df, cf, collection, num_relevant, relevant_with)


def _vector(doc: Any, field: str, *, is_query: bool) -> dict[str, TermStats]:
    if not isinstance(doc, Mapping) or "error" in doc:
        reason = doc.get("error", {}).get("reason") if isinstance(doc, Mapping) else doc
        raise GermaneError(f"the server returned no term vectors: {reason}")
    if not doc.get("found", False) and not is_query:
        raise GermaneError(f"unknown document {doc.get('_id')!r}")
    vector = doc.get("term_vectors", {}).get(field)
    if vector is None:  # the document has nothing in that field
        return {}
    try:
        whole = vector["field_statistics"]
        collection = Collection(int(whole["doc_count"]), int(whole["sum_ttf"]))
        # A query word that occurs in no document comes without counts.
        return {
            term: TermStats(term, int(counts.get("doc_freq", 0)), int(counts.get("ttf", 0)), collection)
            for term, counts in vector["terms"].items()
        }
    except (KeyError, TypeError, ValueError) as error:
        problem = f"expected counts for field {field!r} from the server, found none for {error}"
        raise GermaneError(problem) from None
