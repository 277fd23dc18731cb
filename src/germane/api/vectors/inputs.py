"""Read embeddings and labels, and check them against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from germane.api.rankings.evaluation import path_of
from germane.errors import GermaneError, InputError
from germane.formats.learning.vector_file import open_vectors, read_column
from germane.tables.columns.id_columns import find_duplicate
from germane.tables.columns.ids import Ids, IntArray, to_bytes
from germane.tables.rankings.qrels import Qrels
from germane.vectors.matrix import KINDS, PACK_HINT, Vectors, is_tensor
from germane.vectors.relevance import rows_of

OPEN = ("uint16", "uint8")
"""Stored integers that may represent another type, such as bfloat16 or packed bits."""


@dataclass(frozen=True, eq=False)
class Embedding:
    """Vectors of queries and documents from one embedding model."""

    name: str
    queries: Vectors
    docs: Vectors
    path: str | None = None
    """The file of the documents, or of the queries where these are the documents."""

    @property
    def is_one_collection(self) -> bool:
        """Whether the queries are the documents."""
        return self.queries is self.docs


def embeddings_of(queries: Any, docs: Any, query_ids: Any, doc_ids: Any, dtype: str | None) -> list[Embedding]:
    """Return the embeddings with their names: one, or those of a dict."""
    if dtype is not None and dtype not in KINDS:
        raise GermaneError(f"expected dtype to be one of {', '.join(KINDS)}, found {dtype!r}")
    given = _by_name(queries, docs)
    alone = [pair[1] is None for pair in given.values()]
    if any(alone) != all(alone):
        hint = "pass documents for all embeddings, or for none"
        raise GermaneError("expected documents with every embedding or with none, found both", hint=hint)
    if all(alone) and doc_ids is not None:
        raise GermaneError("`doc_ids=` requires documents, found only queries", hint="use `query_ids=…`")
    own = None if query_ids is None else read_ids(query_ids, "query")
    theirs = None if doc_ids is None else read_ids(doc_ids, "document")
    found = []
    for name, (each, collection) in given.items():
        several = "" if len(given) == 1 else f" of {name}"
        vectors = load_vectors(each, own, dtype, f"queries{several}")
        others = vectors if collection is None else load_vectors(collection, theirs, dtype, f"documents{several}")
        if dtype is not None and dtype not in (vectors.kind, others.kind):
            pack = PACK_HINT if dtype == "binary" else None
            raise InputError(others.name, None, f"expected {dtype} vectors, found {others.kind}", hint=pack)
        found.append(Embedding(name, vectors, others, path_of(each if collection is None else collection)))
    return found


def require_shared_queries(qrels: Qrels, embedding: Embedding) -> None:
    """Refuse judgments that share no query with vectors whose ids are row numbers, since their ids are missing."""
    ids = embedding.queries.ids
    if (rows_of(qrels.queries, ids) >= 0).any():
        return
    numbers, judged = (", ".join(list(some.take(np.arange(min(3, len(some)))))) for some in (ids, qrels.queries))
    problem = f"vectors and qrels share no query: vectors are numbered {numbers}, …; {qrels.name} has {judged}"
    raise InputError(embedding.queries.name, None, problem, hint="add query ids: `query_ids=…`")


def _by_name(queries: Any, docs: Any) -> dict[str, tuple[Any, Any]]:
    if not isinstance(queries, Mapping):
        named = queries if docs is None else docs
        return {Path(named).stem if isinstance(named, str | Path) else "vectors": (queries, docs)}
    if docs is not None:
        problem = "expected the documents of several embeddings in the same dict, found them separately"
        raise GermaneError(problem, hint="pass {name: (queries, documents)}")
    if not queries:
        raise GermaneError("expected at least one embedding, found none")
    pairs = {}
    for name, value in queries.items():
        pair = value if isinstance(value, tuple) else (value, None)
        if len(pair) != 2:
            raise GermaneError(f"expected (queries, documents) as {name}, found a tuple of {len(pair)}")
        pairs[str(name)] = pair
    return pairs


def load_vectors(source: Any, ids: Ids | None = None, kind: str | None = None, name: str = "vectors") -> Vectors:
    """Load vectors from a path, an array or a tensor; `kind` decides where 8 or 16 bits are ambiguous."""
    array = source
    if isinstance(source, str | Path):
        array, name = open_vectors(source), str(source)
    elif not is_tensor(source):  # a tensor stays on its device
        array = np.asanyarray(source)
    leaves_open = str(array.dtype).removeprefix("torch.") in OPEN
    vectors = Vectors.of(array, kind=kind if leaves_open else None, ids=ids, name=name)
    if vectors.num == 0:
        raise InputError(name, None, "expected vectors, found none")
    return vectors


def read_ids(source: Any, role: str) -> Ids:
    """Read the ids of vectors, which must be distinct."""
    name = path_of(source) or f"{role} ids"
    ids = read_column(source, role, name)
    twice = find_duplicate(np.zeros(len(ids), dtype=np.int64), ids)
    if twice is not None:
        first, second = (row + 1 for row in twice)
        problem = f"duplicate id {ids[twice[0]]!r} in rows {first} and {second}"
        raise InputError(name, None, problem)
    return ids


@dataclass(frozen=True, eq=False)
class GivenLabels:
    """Labels of queries and of the documents that count, cameras if there are any, and which documents count."""

    query: Ids
    doc: Ids
    cameras: tuple[Ids, Ids] | None
    keep: IntArray | None
    num_docs: int
    """Number of documents including those that do not count."""

    def kept(self, embedding: Embedding) -> Embedding:
        """Return the embedding with only the documents that count."""
        for vectors, count in ((embedding.queries, len(self.query)), (embedding.docs, self.num_docs)):
            if vectors.num != count:
                raise InputError(vectors.name, None, f"expected {count} vectors, one per label, found {vectors.num}")
        return embedding if self.keep is None else replace(embedding, docs=embedding.docs.take(self.keep))


def labels_of(
    embedding: Embedding, labels: tuple[Any, Any], given_cameras: tuple[Any, Any], junk: Sequence[object]
) -> GivenLabels | None:
    """Return the given labels of queries and documents, and their cameras, checked; None without labels."""
    has_cameras = any(given is not None for given in given_cameras)
    if all(given is None for given in labels):
        if has_cameras or junk:
            raise GermaneError("cameras and junk labels require labels", hint="pass query_labels and doc_labels")
        return None
    query, doc = _both("label", embedding, *labels)
    cameras = _both("camera", embedding, *given_cameras) if has_cameras else None
    keep = None
    if junk:
        if embedding.is_one_collection:
            hint = "remove the vectors with that label, or pass the documents too"
            raise GermaneError("junk labels require documents, found only queries", hint=hint)
        unwanted = {to_bytes(label) for label in junk}
        marked = np.asarray([label in unwanted for label in doc.to_bytes_list()])
        if not marked.any():
            hint = "check `junk_labels=…` against the document labels"
            raise GermaneError(f"no document has the junk label {', '.join(map(str, junk))}", hint=hint)
        keep = np.flatnonzero(~marked)
        doc = doc.take(keep)
        cameras = None if cameras is None else (cameras[0], cameras[1].take(keep))
    return GivenLabels(query, doc, cameras, keep, embedding.docs.num)


def _both(what: str, embedding: Embedding, of_queries: Any, of_docs: Any) -> tuple[Ids, Ids]:
    """Return a column for the queries and one for the documents; the same one where these are the same."""
    if embedding.is_one_collection:
        if of_queries is None or of_docs is not None:
            hint = f"pass only query_{what}s, or pass the documents too"
            raise GermaneError(f"expected only query_{what}s, since the queries are the documents", hint=hint)
        column = _column(of_queries, what, embedding.queries)
        return column, column
    if of_queries is None or of_docs is None:
        missing = "queries" if of_queries is None else "documents"
        hint = f"pass both query_{what}s and doc_{what}s"
        raise GermaneError(f"expected {what}s for the {missing} too, found none", hint=hint)
    return _column(of_queries, what, embedding.queries), _column(of_docs, what, embedding.docs)


def _column(source: Any, what: str, vectors: Vectors) -> Ids:
    name = path_of(source) or f"{what}s"
    column = read_column(source, what, name)
    if len(column) != vectors.num:
        expected = f"expected {vectors.num} {what}s, one per vector in {vectors.name}"
        raise InputError(name, None, f"{expected}, found {len(column)}")
    return column
