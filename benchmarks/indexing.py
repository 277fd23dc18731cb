"""Building an index on disk: germane against tantivy, one method per process.

`python -m benchmarks.indexing WAY SOURCE FOLDER CALLS` prints the seconds of each call, and what the index holds: the
number of documents, and in how many of them each of some words is. SOURCE is a number of made documents in memory, or
a file of JSON lines. A way that ends in "one core" is held to one.

tantivy gets as many threads as there are cores, and either germane's analysis (words, folded, without stop words and
accents, stemmed) or its own fastest, which splits at spaces.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.retrieval import NUM_WORDS, texts, word

ANALYSER = "words+fold+accents+stop(lucene)+stem(porter)"
COUNTED = (0, 1, 2, 10, 100, 1_000, 10_000, NUM_WORDS - 1)
"""Words, by rank of frequency, whose documents are counted in each index."""
HEAP = 256_000_000
"""Memory of tantivy's writer in bytes, about germane's; more does not make it faster."""

Found = list[int]
Way = Callable[[str, Path], Callable[[], Callable[[], Found]]]


def germane(source: str, folder: Path) -> Callable[[], Callable[[], Found]]:
    """germane's index, with the document-major copy that tantivy does not have."""
    from germane.api.retrieval.indexing import index
    from germane.retrieval.indexes.index import Index

    path = folder / "germane"
    documents: Any = source if not source.isdigit() else {str(i): text for i, text in enumerate(texts(int(source)))}

    def found() -> Found:
        made = Index.open(path)
        return [made.collection.num_docs, *(made.statistics(word(rank)).df for rank in COUNTED)]

    def call() -> Callable[[], Found]:
        index(path, documents, analyser=ANALYSER, texts=False, overwrite=True)
        return found

    return call


def tantivy(source: str, folder: Path, *, tokenizer: str = "same") -> Callable[[], Callable[[], Found]]:
    """tantivy's index, with frequencies and without positions, merged when it is done."""
    import tantivy as tv

    from germane.retrieval.texts.stop_lists import STOP_LISTS

    path = folder / "tantivy"
    given = texts(int(source)) if source.isdigit() else None
    stop_words = sorted(STOP_LISTS["lucene"].words)

    def same() -> Any:
        analyser = tv.TextAnalyzerBuilder(tv.Tokenizer.simple())
        steps = [tv.Filter.lowercase(), tv.Filter.ascii_fold(), tv.Filter.custom_stopword(stop_words)]
        for step in (*steps, tv.Filter.stemmer("english")):
            analyser = analyser.filter(step)
        return analyser.build()

    fields = tv.SchemaBuilder()
    fields.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    fields.add_text_field("text", tokenizer_name=tokenizer, index_option="freq")
    schema = fields.build()

    def call() -> Callable[[], Found]:
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        made = tv.Index(schema, path=str(path))
        made.register_tokenizer("same", same())
        made.register_tokenizer("spaces", tv.TextAnalyzerBuilder(tv.Tokenizer.whitespace()).build())
        writer = made.writer(heap_size=HEAP, num_threads=len(os.sched_getaffinity(0)))
        for number, text in enumerate(given) if given is not None else _read(source):
            document = tv.Document()
            document.add_text("id", str(number))
            document.add_text("text", text)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

        def found() -> Found:
            made.reload()
            searcher = made.searcher()
            words = [tv.Query.term_query(schema, "text", word(rank)) for rank in COUNTED]
            return [searcher.num_docs, *(searcher.search(query, limit=1, count=True).count for query in words)]

        return found

    return call


def _read(path: str) -> Iterable[tuple[str, str]]:
    with Path(path).open("rb") as lines:
        for line in lines:
            record = json.loads(line)
            yield record["id"], record["text"]


def tantivy_spaces(source: str, folder: Path) -> Callable[[], Callable[[], Found]]:
    """tantivy, splitting at spaces and nothing else."""
    return tantivy(source, folder, tokenizer="spaces")


WAYS: dict[str, Way] = {"germane": germane, "tantivy": tantivy, "tantivy, split at spaces": tantivy_spaces}


def main() -> None:
    """Time one method, several calls."""
    way, source, folder, calls = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    if way.endswith(", one core"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    call = WAYS[way.removesuffix(", one core")](source, folder)
    seconds = []
    for _ in range(calls):
        begin = time.perf_counter()
        found = call()
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": seconds, "found": found()}))


if __name__ == "__main__":
    main()
