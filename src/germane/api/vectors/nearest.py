"""`nearest`: the exact top k of vectors, as a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from germane.api.vectors.inputs import Embedding, embeddings_of
from germane.arguments import checked
from germane.errors import GermaneError
from germane.tables.rankings.run import Run
from germane.vectors.counting import TieOrder
from germane.vectors.pairs import NO_PAIRS, Pairs
from germane.vectors.relevance import same_ids
from germane.vectors.similarity import similarity_called
from germane.vectors.top_k import nearest_rows

if TYPE_CHECKING:
    from germane.types import IdsLike, Progress, VectorsLike


@checked
def nearest(
    queries: VectorsLike,
    docs: VectorsLike | None = None,
    *,
    k: int = 1000,
    similarity: str = "cosine",
    dtype: str | None = None,
    query_ids: IdsLike | None = None,
    doc_ids: IdsLike | None = None,
    exclude_self: bool | None = None,
    ties: TieOrder = "docno",
    progress: Progress | None = None,
) -> Run:
    """Return the exact k documents with the highest scores for each query, as a run.

    Inputs are those of `ge.vectors.evaluate`.

    >>> run = nearest([[1.0, 0.0]], [[0.0, 1.0], [1.0, 0.5], [1.0, 0.1]], k=2)
    >>> list(run.docs)
    ['2', '1']
    """
    embedding = one_embedding(queries, docs, query_ids, doc_ids, dtype)
    how, excluded = similarity_called(similarity), left_out(embedding, exclude_self)
    vectors = (embedding.queries, embedding.docs)
    found = nearest_rows(*vectors, k, how, excluded=excluded, ties=ties, progress=progress)
    return found.to_run(embedding.queries.ids, embedding.docs.ids, name=embedding.name)


def one_embedding(queries: Any, docs: Any, query_ids: Any, doc_ids: Any, dtype: str | None) -> Embedding:
    """Return the queries and documents of the only embedding."""
    embeddings = embeddings_of(queries, docs, query_ids, doc_ids, dtype)
    if len(embeddings) > 1:
        raise GermaneError(f"expected one embedding, found {len(embeddings)}", hint="call it once for each embedding")
    return embeddings[0]


def left_out(embedding: Embedding, exclude_self: bool | None) -> Pairs:
    """Return each query with its own document, if excluded; None excludes it where the queries are the documents."""
    itself = embedding.is_one_collection if exclude_self is None else exclude_self
    return same_ids(embedding.queries.ids, embedding.docs.ids) if itself else NO_PAIRS
