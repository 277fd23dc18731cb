"""Term vectors of a server's documents, as the counts that relevance weights are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from germane.errors import GermaneError
from germane.retrieval.query import Collection, TermStats


def term_vectors_request(ids: Sequence[str], query: str, field: str) -> dict[str, Any]:
    """The body of ``_mtermvectors`` for documents by id and, last, for a query's text as a document of its own."""
    options = {
        "fields": [field],
        "term_statistics": True,
        "field_statistics": True,
        "positions": False,
        "offsets": False,
        "payloads": False,
    }
    docs: list[dict[str, Any]] = [{"_id": doc, **options} for doc in ids]
    if query:
        docs.append({"doc": {field: query}, **options})
    if not docs:
        raise GermaneError("expected documents or a query to count the terms of, found neither")
    return {"docs": docs}


def statistics_of(answer: Any, field: str, *, has_query: bool) -> dict[str, TermStats]:
    """The counts of each term in an answer; all its documents but the query's count as relevant."""
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
    """The counts of the shards in which the term was seen; those of a shard are known by the size of its field."""
    collection = Collection(
        sum(shard.collection.num_docs for shard in shards), sum(shard.collection.num_tokens for shard in shards)
    )
    df, cf = sum(shard.df for shard in shards), sum(shard.cf for shard in shards)
    return TermStats(term, df, cf, collection, num_relevant, relevant_with)


def _vector(doc: Any, field: str, *, is_query: bool) -> dict[str, TermStats]:
    if not isinstance(doc, Mapping) or "error" in doc:
        reason = doc.get("error", {}).get("reason") if isinstance(doc, Mapping) else doc
        raise GermaneError(f"the server has no term vectors: {reason}")
    if not doc.get("found", False) and not is_query:
        raise GermaneError(f"the index has no document {doc.get('_id')!r}")
    vector = doc.get("term_vectors", {}).get(field)
    if vector is None:  # the document has nothing in that field
        return {}
    try:
        whole = vector["field_statistics"]
        collection = Collection(int(whole["doc_count"]), int(whole["sum_ttf"]))
        # A query's word that no document holds comes without counts.
        return {
            term: TermStats(term, int(counts.get("doc_freq", 0)), int(counts.get("ttf", 0)), collection)
            for term, counts in vector["terms"].items()
        }
    except (KeyError, TypeError, ValueError) as error:
        raise GermaneError(
            f"expected counts of field {field!r} from the server, found an answer without {error}"
        ) from None
