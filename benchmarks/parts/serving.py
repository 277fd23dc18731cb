"""The two web services under load: answers acknowledged by `germane judge`, pages of `germane search --serve`.

Each is a real server, started by its command; twenty people are real clients on 127.0.0.1, in another process on the
same cores. Before a time is printed, every acknowledged answer was found in the database, exactly once.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.measure_process import CORES, ROOT
from benchmarks.parts.settings import Settings, germane_command, part_of
from benchmarks.results import Part, Row
from benchmarks.retrieval import queries, texts
from benchmarks.served import Browser, Server, serving

PEOPLE = 20
TOPICS = 50
JUDGMENTS_PER_DOCUMENT = 3
WARM_UP_SECONDS = 2.0
TEXT = "Some words about wine, grapes and cellars, as long as the abstract of a paper. " * 20


def judging(settings: Settings) -> Part | None:
    """Twenty assessors at once: acknowledged answers, on a small pool and on one of ten times the size."""
    small, large = settings.pooled_documents
    with _two_cores():
        rows = [*_judged(settings, small, "", busy=False), *_judged(settings, large, "large ", busy=True)]
    return part_of(settings, f"{PEOPLE} assessors at once, {TOPICS} topics, SQLite: time per acknowledged answer", rows)


def _judged(settings: Settings, documents: int, name: str, *, busy: bool) -> list[Row]:
    with tempfile.TemporaryDirectory() as own_folder:
        folder = Path(own_folder)
        words, names = _project(folder, documents), [f"a{number}" for number in range(PEOPLE)]
        people = [word for each in names for word in ("--assessor", each)]
        with serving([*words, *people], links=1 + PEOPLE) as server:
            organiser, *cookies = [_cookie(server, link) for link in server.links]
            asked = {"port": server.port, "cookies": dict(zip(names, cookies, strict=True))}
            before = server.processor_seconds()
            with _others_at_work(server.port, organiser, folder) if busy else _nobody_else() as troubles:
                done = _clients("assessors", settings, asked)
            after, peak = server.processor_seconds(), server.peak_mb()
        acknowledged = [event for one in done for event in one["acknowledged"]]
        _require(troubles + [problem for one in done for problem in one["problems"]])
        _require_stored(folder / "pool.judging.db", acknowledged)
    times = sorted(second for one in done for second in one["answer_seconds"])
    each = settings.load_seconds / max(1, len(times))
    processor = None if before is None or after is None else round((after - before) / max(1, len(acknowledged)), 5)
    label = f"{documents:,} documents" + (", besides progress, agreement, agree and release" if busy else "")
    rows = [Row(f"{name}answer", label, round(each, 6), [round(each, 6)], processor, peak, against=f"{name}answer")]
    return [*rows, _percentile(f"{name}p99", "until an answer is acknowledged, 99th percentile", times)]


def _project(folder: Path, documents: int) -> list[str]:
    """Write a pool in which every topic has an equal part of the documents; gives the words of the command."""
    with (folder / "docs.jsonl").open("w", encoding="utf-8") as file:
        for number in range(documents):
            print(json.dumps({"id": f"d{number}", "title": f"Document {number}", "text": TEXT}), file=file)
    pool = [f"q{number % TOPICS} d{number}\n" for number in range(documents)]
    (folder / "pool.txt").write_text("".join(pool), encoding="utf-8")
    (folder / "topics.tsv").write_text(
        "".join(f"q{topic}\twine {topic}\n" for topic in range(TOPICS)), encoding="utf-8"
    )
    files = [str(folder / "pool.txt"), "--documents", str(folder / "docs.jsonl")]
    more = ["--judgments-per-doc", str(JUDGMENTS_PER_DOCUMENT), "--organiser", "ann", "--port", "0"]
    return [*germane_command(), "judge", *files, "--query-texts", str(folder / "topics.tsv"), *more]


@contextmanager
def _others_at_work(port: int, organiser: str, folder: Path) -> Iterator[list[str]]:
    """An organiser who looks at progress and agreement, and commands on the live project, each every other second."""
    over, troubles = threading.Event(), list[str]()
    browser = Browser(port)
    browser.cookie = organiser

    def look() -> None:
        while not over.wait(1):
            for page in ("/progress", "/agreement"):
                status = browser.request("GET", page)[0]
                troubles.extend([] if status == 200 else [f"{page}: status {status}"])

    def command() -> None:
        number = 0
        while not over.wait(1):
            number += 1
            for words in (["agree"], ["release", "--policy", "majority", "--output", str(folder / f"release{number}")]):
                line = [*germane_command(), words[0], str(folder / "pool.judging.db"), *words[1:]]
                done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
                troubles.extend([] if done.returncode == 0 else [f"{' '.join(words)}: {done.stderr}"])

    threads = [threading.Thread(target=each) for each in (look, command)]
    for thread in threads:
        thread.start()
    try:
        yield troubles
    finally:
        over.set()
        for thread in threads:
            thread.join()
        browser.close()


@contextmanager
def _nobody_else() -> Iterator[list[str]]:
    yield []


def searching(settings: Settings) -> Part | None:
    """Twenty people search at once, with marks and documents."""
    with tempfile.TemporaryDirectory() as own_folder, _two_cores():
        folder = Path(own_folder)
        with (folder / "docs.jsonl").open("w", encoding="utf-8") as file:
            for number, text in enumerate(texts(settings.documents)):
                print(json.dumps({"id": f"d{number}", "title": text[:40], "text": text}), file=file)
        indexing = [*germane_command(), "index", str(folder / "index"), str(folder / "docs.jsonl")]
        subprocess.run(indexing, check=True, capture_output=True)
        with serving(
            [*germane_command(), "search", str(folder / "index"), "--serve", "--port", "0"], links=1
        ) as server:
            done = _clients("searchers", settings, {"port": server.port, "people": PEOPLE, "queries": queries()})
            peak = server.peak_mb()
    _require([problem for one in done for problem in one["problems"]])
    times = sorted(second for one in done for second in one["seconds"])
    each = round(settings.load_seconds / max(1, len(times)), 6)
    rows = [Row("page", "a page: results, results after marks, a document", each, [each], None, peak, against="page")]
    rows += [_percentile(f"p{share}", f"until a page has come, {share}th percentile", times) for share in (50, 99)]
    title = f"{PEOPLE} people search {settings.documents:,} made documents at once: time per page"
    return part_of(settings, title, rows)


def _percentile(name: str, label: str, times: list[float]) -> Row:
    if not times:
        raise SystemExit("nothing was answered in time to be counted")
    share = int(name[-2:])
    found = round(times[min(len(times) - 1, len(times) * share // 100)], 6)
    return Row(name, label, found, [found], against=name)


def _clients(module: str, settings: Settings, asked: dict[str, Any]) -> list[Any]:
    asked = asked | {"warm_up": WARM_UP_SECONDS, "seconds": settings.load_seconds}
    command = [sys.executable, "-m", f"benchmarks.{module}"]
    done = subprocess.run(command, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, cwd=ROOT, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def _cookie(server: Server, link: str) -> str:
    browser = Browser(server.port)
    browser.sign_in(link)
    browser.close()
    return browser.cookie


@contextmanager
def _two_cores() -> Iterator[None]:
    """Server and clients share the cores that all parts of the benchmark use."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:CORES])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _require(problems: list[str]) -> None:
    if problems:
        raise SystemExit(f"{len(problems)} problems under load; the first: {problems[0]}")


def _require_stored(path: Path, acknowledged: list[str]) -> None:
    """Raise an error unless every acknowledged answer is in the database exactly once."""
    with closing(sqlite3.connect(path)) as database:
        stored = Counter(event for (event,) in database.execute("SELECT event FROM events"))
    if lost := [event for event in acknowledged if stored[event] != 1]:
        raise SystemExit(f"{len(lost)} of {len(acknowledged)} acknowledged answers are not stored exactly once")
