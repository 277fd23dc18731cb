"""The exact top k of vectors, as a run that every other command and tool can read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from germane.api.vector_inputs import Embedding, embeddings_of
from germane.arguments import checked
from germane.errors import GermaneError
from germane.tables.run import Run
from germane.vectors.counting import TieOrder
from germane.vectors.nearest import nearest
from germane.vectors.pairs import NO_PAIRS, Pairs
from germane.vectors.relevance import same_ids
from germane.vectors.similarity import similarity_called


@checked
def find_nearest(
    queries: Any,
    docs: Any = None,
    *,
    k: int = 1000,
    similarity: str = "cosine",
    kind: str | None = None,
    query_ids: Any = None,
    doc_ids: Any = None,
    without_itself: bool | None = None,
    ties: TieOrder = "docno",
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """The k documents with the highest scores for each query, exactly, as a run; inputs are as in `evaluate_vectors`.

    >>> run = find_nearest([[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.5], [1.0, 0.1]], k=2)
    >>> list(run.docs)
    ['2', '1']
    """
    embedding = one_embedding(queries, docs, query_ids, doc_ids, kind)
    found = nearest(
        embedding.queries,
        embedding.docs,
        k,
        similarity_called(similarity),
        excluded=left_out(embedding, without_itself),
        ties=ties,
        progress=progress,
    )
    return found.to_run(embedding.queries.ids, embedding.docs.ids, name=embedding.name)


def one_embedding(queries: Any, docs: Any, query_ids: Any, doc_ids: Any, kind: str | None) -> Embedding:
    """The queries and documents of the one embedding that was given."""
    embeddings = embeddings_of(queries, docs, query_ids, doc_ids, kind)
    if len(embeddings) > 1:
        raise GermaneError(f"expected one embedding, found {len(embeddings)}", hint="ask for each by itself")
    return embeddings[0]


def left_out(embedding: Embedding, without_itself: bool | None) -> Pairs:
    """Each query with its own document, if that does not count; None means where the queries are the documents."""
    itself = embedding.is_one_collection if without_itself is None else without_itself
    return same_ids(embedding.queries.ids, embedding.docs.ids) if itself else NO_PAIRS
