"""Indexing and search: germane against bm25s with numba, one method per process.

`python -m benchmarks.retrieval WAY DOCUMENTS FOLDER CALLS` prints the seconds of each call, and what it found. Both get
the same text, the same words, stop words and stemmer, and the same BM25; nothing is kept from one query for the next.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

NUM_QUERIES = 300
WORDS_PER_DOCUMENT = 60
NUM_WORDS = 200_000
K1, B = 1.2, 0.75
SAME_SCORES = 1e-4
ANALYSER = "words+fold+stop(lucene)+stem(porter)"

Found = list[Any]
Way = Callable[[int, Path], Callable[[], Found]]


def texts(documents: int) -> list[str]:
    """Generate text: words drawn by Zipf's law, about sixty per document."""
    words = np.array([word(i) for i in range(NUM_WORDS)], dtype=object)
    generator = np.random.Generator(np.random.PCG64(7))
    sizes = generator.integers(WORDS_PER_DOCUMENT - 30, WORDS_PER_DOCUMENT + 31, documents)
    drawn = words[_zipf(generator, int(sizes.sum()))]
    ends = np.cumsum(sizes)
    return [" ".join(drawn[end - size : end]) for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)]


def queries() -> list[str]:
    """Generate queries of three to nine words, drawn like those of the documents, so most contain a frequent word."""
    generator = np.random.Generator(np.random.PCG64(8))
    sizes = generator.integers(3, 10, NUM_QUERIES).tolist()
    return [" ".join(word(int(i)) for i in _zipf(generator, size)) for size in sizes]


@lru_cache(1)
def _shares() -> Any:
    weights = 1 / np.arange(2, NUM_WORDS + 2) ** 1.05
    return np.cumsum(weights / weights.sum())


def _zipf(generator: np.random.Generator, size: int) -> Any:
    return np.searchsorted(_shares(), generator.random(size))


def word(number: int) -> str:
    """Return a distinct word for each number, of letters that no stemmer treats as a suffix."""
    letters = "bcdfghjklmnpqrtvwxz"
    made = ""
    while True:
        made += letters[number % len(letters)]
        number //= len(letters)
        if number == 0:
            return f"{made}o{made[0]}"


def build_germane(documents: int, folder: Path) -> Callable[[], Found]:
    """From text in memory to an index on disk, including the document-major copy."""
    from germane.api.retrieval.indexing import index as build_index

    given = {str(i): text for i, text in enumerate(texts(documents))}

    def call() -> Found:
        return [build_index(folder / "germane", given, analyser=ANALYSER, texts=False, overwrite=True).num_docs]

    return call


def build_bm25s(documents: int, folder: Path) -> Callable[[], Found]:
    """From text in memory to an index on disk."""
    import bm25s
    import Stemmer

    given = texts(documents)
    stemmer = Stemmer.Stemmer("porter")
    bm25s.BM25(k1=K1, b=B, backend="numba").index([["a"]], show_progress=False)  # compiles

    def call() -> Found:
        tokens = bm25s.tokenize(
            given, token_pattern=r"[^\W_]+", stopwords=_stop_words(), stemmer=stemmer, show_progress=False
        )
        retriever = bm25s.BM25(k1=K1, b=B, backend="numba")
        retriever.index(tokens, show_progress=False)
        shutil.rmtree(folder / "bm25s", ignore_errors=True)
        retriever.save(folder / "bm25s", show_progress=False)
        return [documents]

    return call


def _search_germane(k: int, threads: int) -> Way:
    def way(_: int, folder: Path) -> Callable[[], Found]:
        from germane.retrieval.indexes.index import Index
        from germane.retrieval.query import Query
        from germane.retrieval.search import search_many

        index = Index.open(folder / "germane")
        asked = [Query.of(index.analyser.terms(query)) for query in queries()]

        def call() -> Found:
            return [ranking.scores for ranking in search_many(index, asked, "BM25", k, threads=threads)]

        return call

    return way


def _search_bm25s(k: int) -> Way:
    def way(_: int, folder: Path) -> Callable[[], Found]:
        import bm25s
        import Stemmer

        retriever = bm25s.BM25.load(folder / "bm25s", backend="numba", show_progress=False)
        stemmer = Stemmer.Stemmer("porter")
        asked = bm25s.tokenize(
            queries(), token_pattern=r"[^\W_]+", stopwords=_stop_words(), stemmer=stemmer, return_ids=False,
            show_progress=False,
        )  # fmt: skip
        k1 = retriever.k1
        assert k1 == K1

        def call() -> Found:
            _, scores = retriever.retrieve(asked, k=k, n_threads=0, show_progress=False, backend_selection="numba")
            # Documents without any of the words come last with score 0; germane does not list them.
            return [row[row > 0] for row in scores]

        return call

    return way


def first_germane(_: int, folder: Path) -> Callable[[], Found]:
    """Open the index and answer one query; measured as a whole process."""

    def call() -> Found:
        from germane.retrieval.indexes.index import Index
        from germane.retrieval.search import search

        index = Index.open(folder / "germane")
        return [search(index, queries()[0], "BM25", 10).scores]

    return call


def first_bm25s(_: int, folder: Path) -> Callable[[], Found]:
    """Load the index and answer one query; measured as a whole process."""

    def call() -> Found:
        import bm25s
        import Stemmer

        retriever = bm25s.BM25.load(folder / "bm25s", backend="numba", show_progress=False)
        asked = bm25s.tokenize(
            queries()[:1], token_pattern=r"[^\W_]+", stopwords=_stop_words(), stemmer=Stemmer.Stemmer("porter"),
            return_ids=False, show_progress=False,
        )  # fmt: skip
        _, scores = retriever.retrieve(asked, k=10, n_threads=0, show_progress=False, backend_selection="numba")
        return [row[row > 0] for row in scores]

    return call


def _stop_words() -> list[str]:
    from germane.retrieval.texts.stop_lists import STOP_LISTS

    return sorted(STOP_LISTS["lucene"].words)


WAYS: dict[str, Way] = {
    "build germane": build_germane,
    "build bm25s": build_bm25s,
    "k10 germane": _search_germane(10, 1),
    "k10 bm25s": _search_bm25s(10),
    "k10 germane, two threads": _search_germane(10, 2),
    "k1000 germane": _search_germane(1000, 1),
    "k1000 bm25s": _search_bm25s(1000),
    "k1000 germane, two threads": _search_germane(1000, 2),
    "first germane": first_germane,
    "first bm25s": first_bm25s,
}


def sizes(folder: Path, *, with_bm25s: bool) -> dict[str, float]:
    """Return the megabytes on disk that a search reads: germane's term-major files, and all of bm25s's."""
    from germane.retrieval.indexes.index import Index

    found = {"build germane": Index.open(folder / "germane").size_in_bytes()["term-major"] / 1e6}
    if with_bm25s:
        found["build bm25s"] = sum(file.stat().st_size for file in (folder / "bm25s").iterdir()) / 1e6
    return {name: round(size, 1) for name, size in found.items()}


def require_same_scores(ours: list[Any], theirs: list[Any], name: str) -> None:
    """Raise an error if scores of rankings differ; documents with equal scores may be in any order."""
    for query, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        apart = np.abs(np.subtract(one, other)).max(initial=0) if np.shape(one) == np.shape(other) else np.inf
        if apart > SAME_SCORES:
            raise SystemExit(f"query {query}: the scores of germane and {name} lie {apart:g} apart")


def main() -> None:
    """Time one method, several calls."""
    way, documents, folder, calls = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    call = WAYS[way](documents, folder)
    if not way.startswith(("build", "first")):
        call()  # warm up: compile and map everything
    seconds = []
    for _ in range(calls):
        begin = time.perf_counter()
        found = call()
        seconds.append(time.perf_counter() - begin)
    shown = [np.round(np.asarray(each, dtype=np.float64), 6).tolist() for each in found]
    print(json.dumps({"seconds": seconds, "found": shown}))


if __name__ == "__main__":
    main()
