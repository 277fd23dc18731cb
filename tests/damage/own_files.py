"""The files that germane writes and reads back: how each is written, how it is read, and which functions write it.

Where the reader must give the same value or refuse (`exact`), a checksum or a second copy stands behind it. Where it
need not, the file is one that people or other programs write, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import germane as ge
from germane.api.files.file_types import recognise
from germane.api.vectors.inputs import load_vectors
from germane.errors import InputError
from germane.formats.truth.judgments_file import read_events, write_events
from germane.formats.truth.pool_file import read_pool, write_pool
from germane.judging.release import check_release, write_release
from germane.judging.store.connection import Database
from germane.judging.store.events import all_events, catch_up_journal
from germane.judging.store.progress import everybodys_progress, topic_progress
from germane.judging.store.project import pools_of, record_of, rubrics_of, settings_of
from germane.judging.store.queues import next_tasks
from germane.learning.agent.state import AgentState, read_state, write_state
from germane.learning.data.splits import k_folds, read_split, write_split
from germane.learning.model_file import read_model
from germane.learning.tuning.journal import Journal
from germane.retrieval.engines.record import Retrieval, Target, read_record
from germane.tables.truth.judgments import JudgmentEvent
from germane.tables.truth.pool import Pool, PooledRun, PoolItem
from tests.fuzz.readers_of_learning import models
from tests.judging.projects import project, say
from tests.learning.agent import small_world


@dataclass(frozen=True)
class OwnFile:
    """`write` fills a folder, `read` reads what is in it; `files` are those that are damaged, one at a time."""

    name: str
    files: Sequence[str]
    write: Callable[[Path], object]
    read: Callable[[Path], object]
    writers: Sequence[str] = ()
    exact: bool = True


EVENTS = [
    JudgmentEvent(f"e{number}", "grade", who, "t1", f"d{number}", number % 3, time=f"2026-01-31T09:3{number}:00Z")
    for number, who in enumerate(["ann", "bob", "ann", "bob"])
]
ABOUT = {"measure": "AP", "queries": ["q1", "q2", "q3"]}
ENTRIES = [(f"BM25(k1={k1 / 10})", [0, 1, 2], [0.25, 1 / 3, k1 / 7]) for k1 in range(9, 15)]


def a_pool() -> Pool:
    items = [PoolItem("t1", f"d{number}", "top" if number < 2 else "deep", 1 / (1 + number)) for number in range(5)]
    return Pool.of(items, method="stratified", parameters={"depth": 5}, runs=(PooledRun("bm25", "0" * 64),))


@cache
def an_agent() -> AgentState:
    agent = small_world.trained(space=["BM25", "VSM"])
    agent.learn("merlot wine", {"wine0": True, "sea1": False})
    return agent.state


def write_journal(folder: Path) -> None:
    with Journal(folder / "tuning.jsonl", ABOUT) as journal:
        for text, places, values in ENTRIES:
            journal.add(text, np.array(places), np.array(values))


def strange_entries(folder: Path) -> object:
    """What nobody wrote. A last line that is cut is left out, and evaluated again."""
    with Journal(folder / "tuning.jsonl", ABOUT) as journal:
        found = [(text, places.tolist(), values.tolist()) for text, places, values in journal.entries()]
    return [entry for entry in found if entry not in ENTRIES]


def write_retrieved(folder: Path) -> None:
    run = ge.Run.from_columns(["q1", "q1", "q2"], ["d1", "d2", "d1"], [2.5, 1.5, 0.5])
    times, topics = {"q1": 0.0125, "q2": 0.25}, {"file": "topics.tsv", "count": 2}
    retrieval = Retrieval(run, {"engine": "germane", "model": "BM25"}, 10, times, 0.2625, 1, topics, 3, 4096)
    Target.of(folder / "x.run").write(retrieval, "1")


def write_released(folder: Path) -> None:
    write_release(EVENTS, folder / "release", rel=1, version="1")


def released(folder: Path) -> object:
    if wrong := check_release(folder / "release"):
        raise InputError(folder / "release", None, "; ".join(wrong))
    manifest = json.loads((folder / "release" / "manifest.json").read_bytes())
    return manifest, (folder / "release" / "qrels.txt").read_bytes()


def write_project(folder: Path) -> None:
    with Database(folder / "project.db") as database:
        project(database, "t1: d1 d2 d3 d4; t2: d1 d2 d3*distractor")
        for who in ("ann", "bob"):
            for place, task in enumerate(next_tasks(database, who, 3)):
                say(database, who, task, place % 3)


def judged(folder: Path) -> object:
    """All that a server reads when it starts; the events are there twice, in the database and in the journal."""
    with Database(folder / "project.db") as database:
        settings_of(database), rubrics_of(database), pools_of(database), record_of(database)
        topic_progress(database), everybodys_progress(database)
        catch_up_journal(database)
        assert database.journal is not None
        copies = {event.event: event for event in read_events(database.journal.path)}
        events = list(all_events(database))
        return [(event, copies[event.event]) for event in events], len(events)


def write_vectors(folder: Path) -> None:
    np.save(folder / "vectors.npy", np.arange(24, dtype="f4").reshape(8, 3))


STORE = "germane.judging.store"
OWN_FILES = [
    OwnFile(
        "model", ["model.json"], lambda folder: (folder / "model.json").write_bytes(models()[0]),
        lambda folder: read_model(folder / "model.json").to_json(), ["germane.learning.model_file:write_model"],
    ),
    OwnFile(
        "agent", ["agent.json"], lambda folder: write_state(an_agent(), folder / "agent.json"),
        lambda folder: read_state(folder / "agent.json").to_json(),
        ["germane.learning.agent.state:write_state", "germane.cli.commands.agent:train"],
    ),
    OwnFile(
        "split", ["split.json"], lambda folder: write_split(k_folds(range(20), 4, seed=1), folder / "split.json"),
        lambda folder: read_split(folder / "split.json"), ["germane.learning.data.splits:write_split"],
    ),
    OwnFile(
        "tuning journal", ["tuning.jsonl"], write_journal, strange_entries,
        [f"germane.learning.tuning.journal:Journal.{name}" for name in ("__init__", "_begin")],
    ),
    OwnFile(
        "retrieved run", ["x.run", "x.run.json"], write_retrieved, lambda folder: read_record(folder / "x.run"),
        ["germane.retrieval.engines.record:Target.write"],
    ),
    OwnFile(
        "pool", ["pool.jsonl"], lambda folder: write_pool(a_pool(), folder / "pool.jsonl"),
        lambda folder: read_pool(folder / "pool.jsonl"), ["germane.formats.truth.pool_file:write_pool"],
    ),
    OwnFile(
        "release",
        [f"release/{file}" for file in ("manifest.json", "qrels.txt", "events.jsonl", "decisions.tsv")],
        write_released, released, ["germane.judging.release:write_release"],
    ),
    OwnFile(
        "judging project", ["project.db", "project.db.events.jsonl"], write_project, judged,
        [f"{STORE}.sqlite:sqlite_engines", f"{STORE}.sqlite:back_up",
         *(f"{STORE}.journal:Journal.{name}" for name in ("_append", "_remove_torn_line"))],
    ),
    OwnFile(
        "recognised project", ["project.db"], write_project,
        lambda folder: recognise(folder / "project.db"), exact=False,
    ),
    OwnFile(
        "events", ["events.jsonl"], lambda folder: write_events(EVENTS, folder / "events.jsonl"),
        lambda folder: read_events(folder / "events.jsonl"), ["germane.formats.truth.judgments_file:write_events"],
        exact=False,
    ),
    OwnFile(
        "vectors", ["vectors.npy"], write_vectors,
        lambda folder: load_vectors(folder / "vectors.npy", kind="int8").num, exact=False,
    ),
]  # fmt: skip

INDEX = "a file of an index: tests/retrieval/test_index_damage.py"
TEXT = "text in a format that people edit and other programs write: its reader is in tests/fuzz"
NEVER = "germane never reads it back, or only to see whether it is about to write the same"
UNDER = "opens or locks what a writer named here, or excused here, writes"

NOT_HERE = {
    "germane.api.files.file_types:_database": NEVER,
    "germane.api.rankings.scoring_process:main": NEVER,
    "germane.cli.commands.compare:command": NEVER,
    "germane.cli.commands.demo:_compare_pictures": NEVER,
    "germane.cli.commands.demo:_run_steps": NEVER,
    "germane.cli.shell.help_formatter:HelpFormatter.write_text": NEVER,
    "germane.cli.commands.demo:_write_data": TEXT,
    "germane.cli.commands.exercise:_write": TEXT,
    "germane.cli.commands.judge:_write_bundle": NEVER,
    "germane.cli.commands.topics:sample": TEXT,
    "germane.demo.files_for_lecturer:make": TEXT,
    "germane.demo.files_for_ml_engineer:write_payments": TEXT,
    "germane.demo.files_for_researcher:_write": TEXT,
    "germane.demo.files_for_researcher:make": TEXT,
    "germane.demo.files_for_search_engineer:make": TEXT,
    "germane.demo.standard_library:main": NEVER,
    "germane.demo.tutorials:_make": NEVER,
    "germane.demo.tutorials:write_tutorial": NEVER,
    "germane.formats.documents.records:ParquetRows.records": "a temporary file of one process",
    "germane.formats.files.file_lock:acquire_lock": UNDER,
    "germane.formats.files.file_lock:only_writer": UNDER,
    "germane.formats.learning.letor_file:write_letor": TEXT,
    "germane.formats.rankings.arrow_file:_write_parquet": UNDER,
    "germane.formats.rankings.conversion:_Streamed.write": TEXT,
    "germane.formats.rankings.conversion:_complete": "a temporary file of one process",
    "germane.formats.rankings.ranking_files:write_qrels": TEXT,
    "germane.formats.rankings.ranking_files:write_run": TEXT,
    "germane.formats.rankings.scan:plain_copy": "a temporary file of one process",
    "germane.formats.files.targets:_compressed": UNDER,
    "germane.formats.files.targets:open_target": UNDER,
    "germane.formats.files.targets:_uploaded": "a temporary file of one process",
    f"{STORE}.connection:_postgresql": "a server, which has checksums of its own",
    "germane.output.plots.figures:write_figure": NEVER,
    "germane.output.reports.writing:report": NEVER,
    "germane.output.rendering:write": NEVER,
    "germane.retrieval.indexes.array_file:write_array": INDEX,
    "germane.retrieval.indexes.array_file:ArrayFolder.create": INDEX,
    "germane.retrieval.indexes.manifest:writing": INDEX,
    "germane.retrieval.indexes.manifest:_sweep": INDEX,
    "germane.retrieval.indexes.manifest:write_manifest": INDEX,
    "germane.retrieval.indexes.mapped_array:MappedArray.__init__": INDEX,
}
"""By function that writes, why the file is not damaged here."""


# Readers that trust what they read; the law must catch each -----------------------------------------------------------


def unchecked_split(folder: Path) -> object:
    return json.loads((folder / "split.json").read_bytes().decode("utf-8", "replace"), strict=False)["sides"]


def place_that_is_an_address(folder: Path) -> object:
    data = (folder / "places.bin").read_bytes()
    return data[data[0] :][0]


def size_that_is_believed(folder: Path) -> object:
    data = (folder / "sized.bin").read_bytes()
    return len(bytearray(int.from_bytes(data[:8], "little"))), hashlib.sha256(data[8:]).hexdigest()


def careless() -> list[tuple[OwnFile, str]]:
    """Each with what must be said of it."""
    return [
        (OwnFile("unchecked split", ["split.json"], OWN_FILES[2].write, unchecked_split), "another value"),
        (
            OwnFile("place", ["places.bin"], lambda folder: (folder / "places.bin").write_bytes(bytes(4)),
                    place_that_is_an_address),
            "raises IndexError",
        ),
        (
            OwnFile("size", ["sized.bin"], lambda folder: (folder / "sized.bin").write_bytes(bytes(64)),
                    size_that_is_believed, exact=False),
            "more memory|raises OverflowError",
        ),
    ]  # fmt: skip
