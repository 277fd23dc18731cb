"""Index and search documents, against bm25s and tantivy."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.measure_process import Task, measure
from benchmarks.parts.settings import CALLS, Settings, part_of, row_of
from benchmarks.results import Part, Row
from benchmarks.retrieval import NUM_QUERIES, WORDS_PER_DOCUMENT, require_same_scores, sizes, texts

TANTIVY = ("tantivy", "tantivy, split at spaces")
ONE_CORE = ", one core"


def retrieval(settings: Settings) -> Part | None:
    """Index documents and run queries, against bm25s with numba."""
    documents = settings.documents
    peer = settings.with_bm25s
    with tempfile.TemporaryDirectory() as own_folder:
        folder = Path(own_folder)
        rows = _in_turn(settings, {"build germane": "germane, index", "build bm25s": "bm25s, index"}, documents, folder)
        disk = sizes(folder, with_bm25s=peer)
        rows = [replace(row, disk_mb=disk[row.name]) for row in rows]
        for k in (10, 1000):
            rows += _in_turn(
                settings,
                {
                    f"k{k} germane": f"germane, {NUM_QUERIES} queries, {k} best each",
                    f"k{k} germane, two threads": "germane, two threads",
                    f"k{k} bm25s": "bm25s with numba",
                },
                documents,
                folder,
            )
        first = {"first germane": "germane, start to first answer, whole process", "first bm25s": "bm25s with numba"}
        tasks = [_retrieval_task(name, documents, folder, 1) for name in first if peer or "bm25s" not in name]
        measured = measure(tasks, settings.rounds)
        rows += [replace(row_of(name, first[name], measured[name]), against="first germane") for name in measured]
    title = f"{documents:,} made documents of about {WORDS_PER_DOCUMENT} words, BM25, same analyser and scores"
    return part_of(settings, title, rows)


def indexing(settings: Settings) -> Part | None:
    """Build an index, against tantivy with the same cores: by call from memory, by whole process from a file."""
    names = [name for name in ("germane", *TANTIVY) if settings.with_tantivy or name == "germane"]
    with tempfile.TemporaryDirectory() as own_folder:
        folder = Path(own_folder)
        file = folder / "documents.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for number, text in enumerate(texts(settings.documents)):
                lines.write(json.dumps({"id": str(number), "text": text}) + "\n")
        calls = [f"{name}{cores}" for cores in ("", ONE_CORE) for name in names]
        tasks = [_indexing_task(name, str(settings.documents), folder, CALLS) for name in calls]
        measured = measure(
            [*tasks, *(_indexing_task(f"file {name}", str(file), folder, 1) for name in names)], settings.rounds
        )
    found = {name: [json.loads(output) for output in each.outputs] for name, each in measured.items()}
    for name, answers in found.items():
        for answer in answers:
            if answer["found"] != found["germane"][0]["found"]:
                raise SystemExit(f"{name} and germane do not have the same documents and words")
    rows = []
    for name in calls:
        seconds = [round(second, 6) for answer in found[name] for second in answer["seconds"]]
        against = f"germane{ONE_CORE}" if name.endswith(ONE_CORE) else "germane"
        peak = row_of(name, "", measured[name]).peak_mb
        rows.append(Row(name, name, min(seconds), seconds, peak_mb=peak, against=against))
    for name in names:
        row = row_of(f"file {name}", f"{name}, a file of JSON lines, whole process", measured[f"file {name}"])
        rows.append(replace(row, against="file germane"))
    title = f"an index on disk of {settings.documents:,} made documents of about {WORDS_PER_DOCUMENT} words"
    return part_of(settings, title, rows)


def _indexing_task(name: str, source: str, folder: Path, calls: int) -> Task:
    way = name.removeprefix("file ")
    return Task(name, [[sys.executable, "-m", "benchmarks.indexing", way, source, str(folder), str(calls)]])


def _in_turn(settings: Settings, labels: dict[str, str], documents: int, folder: Path) -> list[Row]:
    """Time calls inside interleaved processes; all must find the same scores."""
    names = [name for name in labels if settings.with_bm25s or "bm25s" not in name]
    measured = measure([_retrieval_task(name, documents, folder, CALLS) for name in names], settings.rounds)
    answers = {name: [json.loads(output) for output in measured[name].outputs] for name in names}
    first = answers[names[0]][0]["found"]
    for name in names[1:]:
        require_same_scores(first, answers[name][0]["found"], name)
    rows = []
    for name in names:
        seconds = [round(second, 6) for each in answers[name] for second in each["seconds"]]
        peak = row_of(name, "", measured[name]).peak_mb
        rows.append(Row(name, labels[name], min(seconds), seconds, peak_mb=peak, against=names[0]))
    return rows


def _retrieval_task(name: str, documents: int, folder: Path, calls: int) -> Task:
    return Task(name, [[sys.executable, "-m", "benchmarks.retrieval", name, str(documents), str(folder), str(calls)]])
