"""Indexes on disk: whatever is added, deleted and merged, an index is the one that a fresh build would make."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import GermaneError, InputError
from germane.formats.documents import blocks
from germane.formats.documents.reading import read_documents
from germane.retrieval.indexes import build as building
from germane.retrieval.indexes import index as index_module
from germane.retrieval.indexes import manifest
from germane.retrieval.indexes import merge as merging
from germane.retrieval.indexes.build import add_documents, build_index, delete_documents, merge_segments
from germane.retrieval.indexes.index import Index


class Doc(NamedTuple):
    id: str
    text: str
    title: str = ""


DOCS = {"d1": "red wine", "d2": "white wine and wine again", "d3": "", "d4": "red red roses"}


def documents(texts: Mapping[str, str] = DOCS) -> list[Doc]:
    return [Doc(id_, text) for id_, text in texts.items()]


def contents(index: Index) -> dict[str, object]:
    """All that an index knows, under ids and terms alone."""
    living = [int(doc) for doc in index.living()]
    ids = {index.doc_id(doc): doc for doc in living}
    terms = {term for part in index.parts for term in part.segment.vocabulary}
    postings = {}
    for term in sorted(terms):
        docs, tf = index.postings(term)
        if len(docs):
            stats = index.statistics(term)
            found = {index.doc_id(int(d)): int(n) for d, n in zip(docs, tf, strict=True)}
            where = {d: index.positions(term, ids[d]).tolist() for d in found} if index.has_positions else None
            postings[term] = (stats.df, stats.cf, found, where)
    return {
        "collection": index.collection,
        "postings": postings,
        "vectors": {id_: index.vector(doc) for id_, doc in sorted(ids.items())},
        "texts": {id_: index.stored(doc).text for id_, doc in sorted(ids.items())},
        "lengths": {id_: int(index.lengths[doc]) for id_, doc in sorted(ids.items())},
    }


def test_what_an_index_says_by_hand(tmp_path: Path) -> None:
    done = build_index(tmp_path / "index", documents(), analyser="plain", positions=True)
    assert (done.added, done.empty, done.examples_of_empty) == (4, 1, ("d3",))
    index = Index.open(tmp_path / "index")
    assert (index.collection.num_docs, index.collection.num_tokens) == (4, 10)
    wine = index.statistics("wine")
    assert (wine.df, wine.cf) == (2, 3)
    docs, tf = index.postings("wine")
    assert ([index.doc_id(int(d)) for d in docs], tf.tolist()) == (["d1", "d2"], [1, 2])
    number = index.doc_number("d2")
    assert number is not None
    assert index.positions("wine", number).tolist() == [1, 3]
    assert index.positions("red", number).tolist() == []
    assert index.vector(number) == {"again": 1, "and": 1, "white": 1, "wine": 2}
    assert index.stored(number).text == DOCS["d2"]
    assert index.statistics("beer").df == 0
    assert index.doc_number("d9") is None


def test_no_phrase_spans_two_parts_of_a_document(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "d1", "title": "Red", "text": "wine cellar"}')
    build_index(tmp_path / "i", read_documents(tmp_path / "c.jsonl"), analyser="plain", positions=True)
    index = Index.open(tmp_path / "i")
    assert index.positions("red", 0).tolist() == [0]
    assert index.positions("wine", 0).tolist() == [101]
    assert index.positions("cellar", 0).tolist() == [102]
    assert (index.stored(0).title, index.stored(0).text) == ("Red", "Red\nwine cellar")


WORDS = st.lists(st.sampled_from(["red", "white", "wine", "rose", "é", "the"]), max_size=6).map(" ".join)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.dictionaries(st.sampled_from("abcdefgh"), WORDS, min_size=1, max_size=4)),
        st.tuples(st.just("delete"), st.sets(st.sampled_from("abcdefgh"), max_size=3)),
        st.tuples(st.just("merge"), st.none()),
    ),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefgh"), WORDS, min_size=1), STEPS, st.booleans())
def test_adding_and_deleting_equals_building_anew(
    tmp_path_factory: pytest.TempPathFactory, first: dict[str, str], steps: list[tuple[str, object]], positions: bool
) -> None:
    folder = tmp_path_factory.mktemp("law")
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # the disk's own slowness is not what is tested
    changed = folder / "changed"
    build_index(changed, documents(first), analyser="plain", positions=positions)
    expected = dict(first)
    for what, argument in steps:
        if what == "add":
            assert isinstance(argument, dict)
            add_documents(changed, documents(argument), update=True)
            expected |= argument
        elif what == "delete":
            assert isinstance(argument, set)
            gone = [doc for doc in argument if doc in expected]
            delete_documents(changed, gone)
            for doc in gone:
                del expected[doc]
        else:
            merge_segments(changed)
    build_index(folder / "fresh", documents(expected), analyser="plain", positions=positions)
    monkeypatch.undo()
    assert contents(Index.open(changed)) == contents(Index.open(folder / "fresh"))


def test_the_law_of_building_anew_catches_counts_that_keep_the_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(tmp_path / "changed", documents(), analyser="plain")
    delete_documents(tmp_path / "changed", ["d2"])
    build_index(tmp_path / "fresh", [doc for doc in documents() if doc.id != "d2"], analyser="plain")
    assert contents(Index.open(tmp_path / "changed")) == contents(Index.open(tmp_path / "fresh"))
    monkeypatch.setattr("germane.retrieval.indexes.index.Part.deleted_counts", None)
    assert contents(Index.open(tmp_path / "changed")) != contents(Index.open(tmp_path / "fresh"))


def test_small_batches_make_the_same_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {f"d{i}": f"word{i % 7} word{i % 3} common é" for i in range(40)}
    build_index(tmp_path / "one", documents(texts), analyser="plain", positions=True)
    monkeypatch.setattr(blocks, "DOCS_PER_BLOCK", 3)
    monkeypatch.setattr(building, "MOST_WORDS", 20)
    monkeypatch.setattr(merging, "MOST_POSTINGS", 5)
    build_index(tmp_path / "many", documents(texts), analyser="plain", positions=True)
    one, many = Index.open(tmp_path / "one"), Index.open(tmp_path / "many")
    assert len(many.parts) == 1
    for name, array in one.parts[0].segment.arrays().items():
        other = many.parts[0].segment.arrays()[name]
        assert array.dtype == other.dtype, name
        assert np.array_equal(array, other), name


def test_too_many_segments_become_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MOST_SEGMENTS", 2)
    build_index(tmp_path / "i", documents(), analyser="plain")
    add_documents(tmp_path / "i", [Doc("e1", "more wine")])
    assert len(Index.open(tmp_path / "i").parts) == 2
    add_documents(tmp_path / "i", [Doc("e2", "more roses")])
    assert len(Index.open(tmp_path / "i").parts) == 1


def wrong_builds(folder: Path) -> Iterable[tuple[str, object, str]]:
    return [
        ("twice", lambda: build_index(folder / "n", [Doc("d1", "a"), Doc("d1", "b")]), "duplicate document id"),
        ("there already", lambda: build_index(folder / "i", []), "index already exists"),
        ("not an index", lambda: build_index(folder, []), "expected a new folder or an index"),
        ("known id", lambda: add_documents(folder / "i", [Doc("d1", "a")]), "1 id is already in the index: d1"),
        ("unknown id", lambda: delete_documents(folder / "i", ["d1", "x"]), "1 id is not in the index: x"),
        ("no index", lambda: Index.open(folder / "none"), "expected an index, found no such folder"),
    ]  # fmt: skip


def test_wrong_input_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain")
    before = contents(Index.open(tmp_path / "i"))
    for name, attempt, message in wrong_builds(tmp_path):
        with pytest.raises(GermaneError, match=message):
            attempt()  # type: ignore[operator]
        assert contents(Index.open(tmp_path / "i")) == before, name
    assert not (tmp_path / "n").exists()
    assert len(list((tmp_path / "i").glob("segment-*"))) == 1, "what a failed attempt wrote is swept away"


@pytest.mark.parametrize("file", ["doc.npy", "tf.npy", "texts.npy", "twin_term.npy"])
def test_a_damaged_file_is_named(tmp_path: Path, file: str) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain")
    [path] = (tmp_path / "i").glob(f"segment-*/{file}")
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    for attempt in (lambda: Index.open(tmp_path / "i", verify=True), lambda: contents(Index.open(tmp_path / "i"))):
        with pytest.raises(InputError, match=f"{file}: damaged index: expected checksum"):
            attempt()
    path.write_bytes(whole[:-3])
    with pytest.raises(InputError, match=f"{file}: damaged index: expected .* bytes, found"):
        Index.open(tmp_path / "i")
    path.write_bytes(b"")
    with pytest.raises(InputError, match=f"{file}: cannot read part of an index: the file is empty"):
        Index.open(tmp_path / "i")
    path.unlink()
    with pytest.raises(InputError, match=f"{file}: cannot read part of an index: No such file"):
        Index.open(tmp_path / "i")


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain")
    path = tmp_path / "i" / manifest.MANIFEST
    body = json.loads(path.read_text())
    for text in ("", "{", json.dumps(body | {"germane_index": 99}), json.dumps(body | {"segments": [{}]})):
        path.write_text(text)
        with pytest.raises(InputError, match=r"manifest\.json"):
            Index.open(tmp_path / "i")


def test_a_manifest_in_which_a_value_changed_is_damaged(tmp_path: Path) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain")
    path = tmp_path / "i" / manifest.MANIFEST
    path.write_text(path.read_text().replace('"positions": false', '"positions": true'))
    with pytest.raises(InputError, match=r"manifest\.json: damaged index: expected checksum"):
        Index.open(tmp_path / "i")


def test_an_index_that_was_copied_is_checked_again(tmp_path: Path) -> None:
    import shutil

    build_index(tmp_path / "i", documents(), analyser="plain")
    shutil.copytree(tmp_path / "i", tmp_path / "copy", copy_function=shutil.copy)
    assert contents(Index.open(tmp_path / "copy")) == contents(Index.open(tmp_path / "i"))


KILLED = """
import os, sys
from germane.formats.documents import blocks
from germane.retrieval.indexes import build as building
from germane.retrieval.indexes.build import add_documents

class Doc:
    title = ""
    def __init__(self, id): self.id, self.text = id, "more wine " * 50

def endless():
    for i in range(1000):
        if i == 500:
            os._exit(9)      # as if the machine had lost power
        yield Doc(f"n{i}")

blocks.DOCS_PER_BLOCK, building.MOST_WORDS = 10, 1000
add_documents(sys.argv[1], endless())
"""


def test_an_interrupted_write_leaves_the_old_index(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    build_index(folder, documents(), analyser="plain")
    before = contents(Index.open(folder))
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], env={**os.environ}, check=False)
    assert done.returncode == 9
    assert len(list(folder.glob("segment-*"))) > 1, "the interrupted writer had written something"
    assert contents(Index.open(folder)) == before
    add_documents(folder, [Doc("e1", "wine")])
    assert len(list(folder.glob("segment-*"))) == 2, "the next writer sweeps up"


def test_what_is_no_index_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "segment-000001").mkdir(parents=True)
    (mine / "segment-000001" / "data.csv").write_text("precious")
    (mine / "notes.txt").write_text("mine")
    attempts: list[Callable[[], object]] = [
        lambda: add_documents(mine, [Doc("d1", "wine")]),
        lambda: delete_documents(mine, ["d1"]),
        lambda: merge_segments(mine),
        lambda: build_index(mine, documents()),
        lambda: build_index(mine, documents(), overwrite=True),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match="expected"):
            attempt()
    assert (mine / "segment-000001" / "data.csv").read_text() == "precious"
    assert sorted(path.name for path in mine.iterdir()) == ["notes.txt", "segment-000001"]


def test_a_first_build_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    script = KILLED.replace("add_documents(sys.argv[1], endless())", "building.build_index(sys.argv[1], endless())")
    assert subprocess.run([sys.executable, "-c", script, str(folder)], check=False).returncode == 9
    assert folder.exists()
    build_index(folder, documents(), analyser="plain")
    assert Index.open(folder).collection.num_docs == 4
    assert len(list(folder.glob("segment-*"))) == 1


def test_a_damaged_manifest_can_be_overwritten(tmp_path: Path) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain")
    (tmp_path / "i" / manifest.MANIFEST).write_text("{")
    build_index(tmp_path / "i", documents({"x": "tea"}), analyser="plain", overwrite=True)
    assert Index.open(tmp_path / "i").collection.num_docs == 1


def test_a_reader_meets_a_merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "i"
    build_index(folder, documents(), analyser="plain")
    add_documents(folder, [Doc("e1", "wine")])
    map_parts = index_module.mapped_parts
    calls: list[int] = []

    def late(*given: Any) -> list[index_module.Part]:
        if not calls:
            calls.append(1)
            merge_segments(folder)
        return map_parts(*given)

    monkeypatch.setattr(index_module, "mapped_parts", late)
    index = Index.open(folder)
    assert (index.collection.num_docs, len(index.parts)) == (5, 1)


def test_terms_that_only_deleted_documents_held_are_not_counted(tmp_path: Path) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain")
    before = Index.open(tmp_path / "i").num_terms()
    add_documents(tmp_path / "i", [Doc("e1", "green tea")])
    assert Index.open(tmp_path / "i").num_terms() == before + 2
    delete_documents(tmp_path / "i", ["e1"])
    assert Index.open(tmp_path / "i").num_terms() == before


FULL = """
import resource, signal, sys
from germane.errors import GermaneError
from germane.retrieval.indexes.build import add_documents

class Doc:
    title, id, text = "", "large", "wine " * 200_000

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))   # no file may grow beyond: the disk is full
try:
    add_documents(sys.argv[1], [Doc()])
except GermaneError as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the limit on a file's size is Unix's")
def test_a_full_disk_is_an_error_and_the_index_stays(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    build_index(folder, documents(), analyser="plain")
    before = contents(Index.open(folder))
    done = subprocess.run([sys.executable, "-c", FULL, str(folder)], capture_output=True, text=True, check=True)
    assert "cannot write: File too large; the index is unchanged" in done.stdout
    assert contents(Index.open(folder)) == before
    assert len(list(folder.glob("segment-*"))) == 1


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    build_index(folder, documents(), analyser="plain")

    def meanwhile() -> Iterable[Doc]:
        with pytest.raises(GermaneError, match="another process is writing to this index"):
            delete_documents(folder, ["d1"])
        yield Doc("e1", "wine")

    add_documents(folder, meanwhile())
    assert Index.open(folder).collection.num_docs == 5


def test_texts_may_be_left_out(tmp_path: Path) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain", keep_texts=False)
    add_documents(tmp_path / "i", [Doc("e1", "wine")])
    index = Index.open(tmp_path / "i")
    assert {index.stored(int(doc)).text for doc in index.living()} == {""}
    assert index.statistics("wine").df == 3


def test_sizes_are_told_apart(tmp_path: Path) -> None:
    build_index(tmp_path / "i", documents(), analyser="plain", positions=True)
    sizes = Index.open(tmp_path / "i").size_in_bytes()
    assert list(sizes) == ["term-major", "twin", "positions", "documents"]
    assert all(size > 0 for size in sizes.values())
