"""Indexes to which two processes add documents, from which they delete, and which they merge or make."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from germane.formats.documents.reading import Document
from germane.retrieval.indexes.build import add_documents, build_index, delete_documents, merge_segments
from germane.retrieval.indexes.index import Index
from tests.writers.race import Race, Ready, add, begin_with_nothing

OLD = 200
REFUSAL = "another process is writing to this index"


def document(name: str) -> Document:
    return Document(name, f"red wine of {name}")


@cache
def template() -> Path:
    """An index of two segments."""
    folder = Path(tempfile.mkdtemp(prefix="germane-race-")) / "index"
    build_index(folder, [document(f"old{n}") for n in range(OLD)], analyser="plain")
    add_documents(folder, [document("another")])
    return folder


def begin(folder: Path) -> None:
    shutil.copytree(template(), folder / "index")


def add_one(folder: Path, number: int, ready: Ready) -> str:
    ready()
    add_documents(folder / "index", [document(f"new{number}")])
    return f"new{number}"


def delete_one(folder: Path, number: int, ready: Ready) -> str:
    ready()
    delete_documents(folder / "index", [f"old{number}"])
    return f"old{number} is deleted"


def merge_or_add(folder: Path, number: int, ready: Ready) -> str:
    ready()
    if number % 2:
        return add_one(folder, number, lambda: None)
    merge_segments(folder / "index")
    return "another"


def make(folder: Path, number: int, ready: Ready) -> str:
    ready()
    build_index(folder / "index", [document(f"new{number}")], analyser="plain")
    return f"new{number}"


def open_or_merge(folder: Path, number: int, ready: Ready) -> str:
    """A merge removes the segments that it replaces; one process opens the index again and again until that is done."""
    ready()
    if number % 2:
        merge_segments(folder / "index")
    else:
        num_parts = 2
        while num_parts > 1:
            index = Index.open(folder / "index", verify=True)
            assert index.collection.num_docs == OLD + 1
            num_parts = len(index.parts)
    return "another"


def documents_of(folder: Path) -> set[str]:
    """The documents, once every byte of the index was verified; and those that are deleted."""
    index = Index.open(folder / "index", verify=True)
    number = {name: index.doc_number(name) for part in index.parts for name in part.segment.doc_ids}
    kept = {name for name, place in number.items() if place is not None}
    deleted = {f"old{n} is deleted" for n in range(OLD) if f"old{n}" not in kept}
    return kept | deleted


add(Race("index_add", begin, add_one, documents_of, refusal=REFUSAL, retries=True, kills=True))
add(Race("index_delete", begin, delete_one, documents_of, refusal=REFUSAL, retries=True, kills=True))
add(Race("index_merge", begin, merge_or_add, documents_of, refusal=REFUSAL, retries=True))
add(
    Race(
        "index_new",
        begin_with_nothing,
        make,
        documents_of,
        refusal=f"{REFUSAL}|index already exists|expected a new folder or an index",
    )
)
add(Race("index_open", begin, open_or_merge, documents_of))
