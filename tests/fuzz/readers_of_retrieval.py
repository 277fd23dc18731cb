"""What retrieval and vectors read: an index's folder, stop lists, records, templates, .npy files, ids and labels."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from germane.api.retrieval.indexing import index as build_index
from germane.api.vectors.inputs import load_vectors, read_ids
from germane.formats.learning.vector_file import open_vectors, read_column
from germane.retrieval.engines.record import read_record
from germane.retrieval.engines.servers.opensearch import read_template
from germane.retrieval.indexes.index import Index
from germane.retrieval.indexes.manifest import read_manifest
from germane.retrieval.indexes.mapped_array import BLOCK_SIZE, RULES
from germane.retrieval.search import search
from germane.retrieval.texts.stop_lists import read_stop_list
from tests.fuzz.checksums import whole, with_right_checksum
from tests.fuzz.readers import Reader, add, lasting_folder

OWN_LENGTH = {name for name, rule in RULES.items() if rule.as_long_as == name}
RUN = b"q1 Q0 d1 1 2.5 tag\n"


@cache
def index_folder() -> Path:
    folder = lasting_folder()
    (folder / "docs.jsonl").write_bytes(b'{"_id": "d1", "text": "red wine"}\n{"_id": "d2", "text": "white wine"}\n')
    build_index(folder / "index", [folder / "docs.jsonl"], analyser="plain")
    return folder / "index"


def manifests() -> Iterator[bytes]:
    yield (index_folder() / "manifest.json").read_bytes()


@cache
def segment_arrays() -> dict[str, bytes]:
    """The files of the only segment, by the name of their array."""
    folder = next(path for path in sorted(index_folder().iterdir()) if path.is_dir())
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.npy"))}


def segment_files() -> Iterator[bytes]:
    yield from segment_arrays().values()


def index_with_manifest(path: Path) -> object:
    """The manifest takes the place of a good one, in a copy of the index."""
    folder = path.parent / "index"
    if not folder.exists():
        shutil.copytree(index_folder(), folder)
    (folder / "manifest.json").write_bytes(with_right_checksum(path.read_bytes()))
    index = Index.open(folder)
    return index.num_places, index.num_terms, index.postings("wine")


def index_with_file(path: Path) -> object:
    """A file takes the place of one of a segment's, and the manifest has its checksums: damage that looks whole."""
    folder = path.parent / "index2"
    if not folder.exists():
        shutil.copytree(index_folder(), folder)
    good = json.loads((index_folder() / "manifest.json").read_bytes())
    entry = good["segments"][0]
    name = _place_of(path.read_bytes())
    target = folder / entry["folder"] / f"{name}.npy"
    try:
        shutil.copyfile(path, target)
        data = path.read_bytes()
        blocks = [data[at : at + BLOCK_SIZE] for at in range(0, len(data), BLOCK_SIZE)]
        sums = "".join(zlib.crc32(block).to_bytes(4, "little").hex() for block in blocks)
        size = np.dtype(entry["files"][name]["dtype"]).itemsize
        length = max(len(data) - 128, 0) // size if name in OWN_LENGTH else entry["files"][name]["length"]
        entry["files"][name] |= {"size": len(data), "length": length, "sums": sums}
        (folder / "manifest.json").write_bytes(with_right_checksum(json.dumps(good).encode()))
        index = Index.open(folder)
        found = [search(index, "red wine", model, 5).scores.tolist() for model in ("BM25", "VSM")]
        return found, [index.stored(doc) for doc in range(index.num_places)], index.vector(0)
    finally:
        shutil.copyfile(index_folder() / entry["folder"] / f"{name}.npy", target)


def _place_of(data: bytes) -> str:
    """The array whose place a file takes: a good file its own, any other one that its bytes choose."""
    names = list(segment_arrays())
    own = next((name for name, good in segment_arrays().items() if good == data), None)
    return own or names[int.from_bytes(hashlib.sha256(data).digest()[:4], "little") % len(names)]


def records() -> Iterator[bytes]:
    yield json.dumps(
        {"germane_retrieval": 2, "run": {"file": "x.run", "sha256": hashlib.sha256(RUN).hexdigest()}, "measures": {}}
    ).encode()


def record_beside_run(path: Path) -> object:
    whole(path).with_name("x.run").write_bytes(RUN)
    return read_record(path.with_name("x.run"))


def saved(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def vector_files() -> list[bytes]:
    return [saved(np.arange(12, dtype=kind).reshape(4, 3)) for kind in ("f4", "f8", "f2", "i1")]


def id_files() -> list[bytes]:
    return [b"d1\nd2\nd3\n", saved(np.array([3, 1, 2])), saved(np.array(["a", "bc"])), saved(np.array([b"x", b"yz"]))]


def vectors_of(path: Path) -> object:
    vectors = load_vectors(path, kind="int8")
    return vectors.num, np.asarray(open_vectors(path)[:1]).shape


add(
    Reader(
        "index_manifest",
        index_with_manifest,
        manifests,
        "manifest.json",
        (read_manifest, Index.open),
        json=True,
        share=0.15,
    )
)
add(Reader("index_segment", index_with_file, segment_files, "file.npy", (Index.open,), share=0.1, names_source=False))
add(Reader("stop_list", read_stop_list, lambda: [b"a\nthe\nof and\n# no\n"], "stop.txt", (read_stop_list,), share=0.3))
add(Reader("record", record_beside_run, records, "x.run.json", (read_record,), json=True, share=0.5))
add(
    Reader(
        "template",
        read_template,
        lambda: [b'{"size": "{{k}}", "query": {"match": {"body": "{{query}}"}}}'],
        "template.json",
        (read_template,),
        json=True,
        share=0.5,
    )
)
add(Reader("vectors", vectors_of, vector_files, "vectors.npy", (open_vectors, load_vectors)))
add(Reader("vector_ids", lambda path: read_ids(path, "document"), id_files, "ids.txt", (read_ids, read_column)))
