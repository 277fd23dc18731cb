"""Damage an index's files at random, and see whether each use of it gives an error or the same result as before.

As a program, in a process of its own because the finding may be a crash:
`python -m tests.retrieval.index_damage FOLDER DAMAGES [FILE …]`, where FOLDER is empty and all files are the default.
It prints a line for each case before that is tried, and one for each finding.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import germane as ge
from germane.errors import GermaneError
from germane.learning.features.candidates import Candidates
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.indexes import array_file, mapped_array
from germane.retrieval.indexes.build import add_documents, build_index, delete_documents, merge_segments
from germane.retrieval.models import MODELS
from germane.retrieval.query import Query
from germane.retrieval.rounds import asked_model, search_round
from germane.retrieval.search import search

QUERY = "wine grape cellar"
SMALL_BLOCKS = 512
"""Bytes per checksum here: so small that the files of a small index have several blocks, touched at different times."""
READS_PER_DAMAGE, WRITES_PER_DAMAGE = 3, 1


class Doc(NamedTuple):
    id: str
    text: str
    title: str = "a title"


def made_index(folder: Path) -> None:
    """Two segments, a list of deleted documents in each, positions and texts."""
    chance = random.Random(7)
    words = [*QUERY.split(), *(f"word{i}" for i in range(300))]

    def documents(first: int, last: int) -> list[Doc]:
        sizes = (chance.randint(3, 30) for _ in range(first, last))
        texts = (" ".join(chance.choices(words, weights=[40, 30, 20, *[1] * 300], k=size)) for size in sizes)
        return [Doc(f"doc{i}", text) for i, text in zip(range(first, last), texts, strict=True)]

    build_index(folder, documents(0, 150), analyser="plain", positions=True)
    add_documents(folder, documents(150, 250))
    delete_documents(folder, ["doc3", "doc200"])


def _ranking(index: ge.retrieval.Index, name: str) -> object:
    found = search(index, QUERY, name, 20)
    return [(index.doc_id(int(doc)), score) for doc, score in zip(found.docs, found.scores, strict=True)]


def _refined(index: ge.retrieval.Index, method: str) -> object:
    model = MODELS.parse("BM25")
    refined = FEEDBACK.parse(method).pseudo(index, model, Query.of(index.analyser.terms(QUERY)))
    return list(refined.query.weights.items()), search(index, refined.query, refined.model, 10).scores.tolist()


def _round(index: ge.retrieval.Index, model: str, text: str) -> object:
    return search_round(index, text, asked_model(model), FEEDBACK.parse("rocchio"), {}, size=5)


def _windows(index: ge.retrieval.Index, _: None) -> object:
    some = Candidates.of(index, "q", QUERY, index.living()[::7])
    return some.tf.tolist(), some.window.tolist(), some.extent.tolist(), some.idf.tolist()


def _documents(index: ge.retrieval.Index, _: None) -> object:
    docs = index.living()[::11]
    return [(index.stored(int(doc)), index.vector(int(doc)), index.doc_number(index.doc_id(int(doc)))) for doc in docs]


def _explained(index: ge.retrieval.Index, _: None) -> object:
    return str(ge.explain(index, QUERY, index.doc_id(5)))


def _retrieved(folder: Path) -> object:
    run = ge.retrieve(folder, {"q1": QUERY, "q2": "word7"}).run
    return list(run.docs), run.score.tolist()


def contents(index: ge.retrieval.Index) -> object:
    """All that an index knows of its living documents."""
    living = index.living()
    return (
        index.collection, index.num_terms(), [index.stored(int(doc)) for doc in living],
        [index.vector(int(doc)) for doc in living], [_positions(index, int(doc)) for doc in living[::20]],
        [_ranking(index, name) for name in ("BM25", "VSM")],
    )  # fmt: skip


def _positions(index: ge.retrieval.Index, doc: int) -> list[list[int]]:
    return [index.positions(term, doc).tolist() for term in index.vector(doc)]


def reads() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Every way of reading an index: each model and each feedback method there is, and the rest by name."""
    for cls in MODELS:
        yield f"search {cls.name}", lambda folder, cls=cls: _ranking(ge.retrieval.Index.open(folder), cls.name)  # type: ignore[misc]
    for method in FEEDBACK.names:
        yield f"feedback {method}", lambda folder, m=method: _refined(ge.retrieval.Index.open(folder), m)  # type: ignore[misc]
    yield "phrase", lambda folder: _round(ge.retrieval.Index.open(folder), "boolean", '"wine grape" AND NOT cellar')
    yield "page", lambda folder: _round(ge.retrieval.Index.open(folder), "BM25", QUERY)
    yield "windows", lambda folder: _windows(ge.retrieval.Index.open(folder), None)
    yield "documents", lambda folder: _documents(ge.retrieval.Index.open(folder), None)
    yield "explain", lambda folder: _explained(ge.retrieval.Index.open(folder), None)
    yield "describe", lambda folder: {**vars(ge.retrieval.Index.open(folder).describe()), "path": ""}
    yield "retrieve", _retrieved


WRITES: dict[str, Callable[[Path], object]] = {
    "add": lambda folder: add_documents(folder, [Doc("new", "wine and word9")]),
    "update": lambda folder: add_documents(folder, [Doc("doc7", "wine and word9")], update=True),
    "delete": lambda folder: delete_documents(folder, ["doc10", "doc201"]),
    "merge": merge_segments,
}


def damages(data: bytes, chance: random.Random) -> bytes:
    """The same number of bytes, some of them others."""
    changed, size = bytearray(data), len(data)
    at, length = chance.randrange(size), chance.randint(1, min(size, chance.choice((8, 64, 600))))
    other = chance.randrange(size)
    length = min(length, size - at, size - other)
    match chance.choice(("bit", "bits", "run", "zeros", "swap", "cut", "shift", "number")):
        case "bit":
            changed[at] ^= 1 << chance.randrange(8)
        case "bits":
            for place in chance.choices(range(size), k=20):
                changed[place] ^= 1 << chance.randrange(8)
        case "run":
            changed[at : at + length] = chance.randbytes(length)
        case "zeros":
            changed[at : at + length] = bytes(length)
        case "swap":
            changed[at : at + length], changed[other : other + length] = (
                data[other : other + length],
                data[at : at + length],
            )
        case "cut":
            changed[at:] = bytes(size - at)
        case "shift":
            changed[at:] = (chance.randbytes(1) + changed[at:])[: size - at]
        case "number":
            number = chance.choice((-1, 1 << 30, 0x7FFFFFFF, 1 << 16)).to_bytes(4, "little", signed=True)
            changed[at : at + 4] = number[: min(4, size - at)]
    return bytes(changed)


def outcome(use: Callable[[Path], object], folder: Path) -> tuple[str, object]:
    """What came of it: a value, or an error of ours that names a file of the index and says what to do."""
    try:
        return "value", use(folder)
    except GermaneError as error:
        named = (
            re.search(
                rf"{re.escape(str(folder))}/\S+: (damaged index|cannot read part of an index|expected)", error.message
            )
            and error.hint
        )
        return ("error", str(error)) if named else ("unnamed", str(error))
    except Exception as error:  # anything else is a finding
        return "other", repr(error)


def said(line: str) -> None:
    """Write a line at once: the next thing may be a crash."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def findings(work: Path, num_damages: int, only: list[str]) -> Iterator[str]:
    """Every case in which damage led to another result, to another exception, or into an index that looks whole."""
    for module in (array_file, mapped_array):
        vars(module)["BLOCK_SIZE"] = SMALL_BLOCKS
    os.fsync = lambda fd: None  # what is written here need not outlive the machine
    whole = work / "whole"
    made_index(whole)
    uses = dict(reads())
    expected = {name: use(whole) for name, use in uses.items()}
    written = {}
    for name, write in WRITES.items():
        copy = shutil.copytree(whole, work / name)
        write(copy)
        written[name] = contents(ge.retrieval.Index.open(copy, verify=True))
    files = sorted(
        path.relative_to(whole).as_posix() for path in whole.rglob("*") if path.is_file() and path.stat().st_size
    )
    for file in [name for name in files if not only or any(name.endswith(wanted) for wanted in only)]:
        for number in range(num_damages):
            chance = random.Random(f"{file} {number}")
            data = (whole / file).read_bytes()
            bad = damages(data, chance)
            names = chance.sample(sorted(uses), READS_PER_DAMAGE)
            changes = chance.sample(sorted(WRITES), WRITES_PER_DAMAGE)
            said("|".join(["case", file, str(number), *names, *changes]))
            folder = _damaged_copy(whole, work / "damaged", file, bad)
            for name in names + changes:  # the change comes last
                if name in uses:
                    kind, value = outcome(uses[name], folder)
                    good = expected[name]
                else:
                    kind, value = outcome(lambda path, name=name: _after(WRITES[name], path), folder)  # type: ignore[misc]
                    good = written[name]
                if kind not in ("value", "error"):
                    yield f"{file} {number} {name}: {kind}: {value}"
                elif kind == "value" and repr(value) != repr(good):
                    yield f"{file} {number} {name}: another result"


def _after(write: Callable[[Path], object], folder: Path) -> object:
    write(folder)
    return contents(ge.retrieval.Index.open(folder, verify=True))


def _damaged_copy(whole: Path, folder: Path, file: str, data: bytes) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder, copy_function=os.link)  # files of an index are never written to twice
    before = (folder / file).stat()
    (folder / file).unlink()
    (folder / file).write_bytes(data)
    os.utime(folder / file, ns=(before.st_atime_ns, before.st_mtime_ns))
    return folder


if __name__ == "__main__":
    for finding in findings(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]):
        said(f"finding|{finding}")
    said("done")
