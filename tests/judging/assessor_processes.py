"""Assessors as processes, for test_concurrency: ``assessor_processes.py race|careless|kills STORE FOLDER NUMBER``.

A script, so that everything is imported once, in a process with one thread, and each assessor is a fork of it. Each
assessor writes the ids of the events that were acknowledged to a file of its own in FOLDER.
"""

import multiprocessing
import os
import random
import signal
import sys
import time
import uuid
from multiprocessing.synchronize import Barrier
from pathlib import Path

import sqlalchemy as sa

from germane.judging.store import schema
from germane.judging.store.answers import Answer
from germane.judging.store.connection import Database
from germane.judging.store.events import catch_up_journal, record
from germane.judging.store.leases import num_other_holders, renew
from germane.judging.store.order import candidates
from germane.judging.store.project import settings_of
from germane.judging.store.queues import next_tasks


def write_down(file: int, event: str) -> None:
    """A killed process leaves behind what it has written, as the machine itself goes on."""
    os.write(file, f"{event}\n".encode())


def judge(store: str, folder: str, name: str, together: Barrier | None = None, *, at_length: bool = False) -> None:
    """Judge until nothing is left, with the second thoughts and the double clicks that people have."""
    draw = random.Random(name)
    acknowledged = os.open(Path(folder, f"{name}.acknowledged"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with Database(store, journal=Path(folder, "journal.jsonl")) as database:
        if together is not None:
            together.wait(60)  # everybody at once
        while tasks := next_tasks(database, name, 3):
            renew(database, name, seen=[tasks[0].task])
            for task in tasks:
                kinds = ["grade", "undo", "grade"] if draw.random() < 0.2 else ["grade"]
                for kind in kinds * (5 if at_length else 1):
                    grade = draw.randrange(3) if kind == "grade" else None
                    given = Answer(str(uuid.uuid4()), task.task, kind, grade, rubric="1")  # type: ignore[arg-type]
                    for receipt in record(database, name, [given] * draw.choice([1, 1, 2])):
                        assert receipt.status in ("stored", "already"), receipt
                    write_down(acknowledged, given.event)


def judge_carelessly(store: str, folder: str, name: str, together: Barrier) -> None:
    """The broken specimen: it counts in one transaction and claims in another, with nothing locked in between.

    The first time, all have counted before anybody claims: more people than documents, so that two meet for sure.
    """
    first = True
    with Database(store, journal=Path(folder, "journal.jsonl")) as database:
        settings = settings_of(database)
        while wanted := candidates(database, name, settings, 1):
            with database.read() as connection:
                others = num_other_holders(connection, wanted[0].item, name, database.clock())
            if first:
                together.wait(60)
                first = False
            if others >= settings.judgments_per_document:
                continue
            task = str(uuid.uuid4())
            with database.write() as connection:
                connection.execute(
                    schema.tasks.insert().values(
                        task=task,
                        item=wanted[0].item,
                        assessor=name,
                        kind="ordinary",
                        claimed=database.clock(),
                        lease_until=database.clock() + 60,
                        ordering="shuffle",
                    )
                )
            record(database, name, [Answer(str(uuid.uuid4()), task, "grade", 1, rubric="1")])


def kill_again_and_again(store: str, folder: str, times: int) -> None:
    """Writers under load, killed without warning, and started again on what they left behind."""
    draw = random.Random(1)
    forks = multiprocessing.get_context("fork")
    for _ in range(times):
        writers = [
            forks.Process(target=judge, args=(store, folder, f"a{n}"), kwargs={"at_length": True}) for n in range(3)
        ]
        before = size(folder)
        for writer in writers:
            writer.start()
        deadline = time.monotonic() + 20
        while size(folder) < before + 37 * 10 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(draw.random() * 0.1)
        for writer in writers:
            assert writer.is_alive(), "a writer ended by itself"
            assert writer.pid is not None
            os.kill(writer.pid, signal.SIGKILL)
        for writer in writers:
            writer.join()
        with Database(store, journal=Path(folder, "journal.jsonl")) as database:
            catch_up_journal(database)
            if database.is_sqlite:
                with database.read() as connection:
                    assert connection.execute(sa.text("PRAGMA integrity_check")).scalar() == "ok"


def size(folder: str) -> int:
    return sum(file.stat().st_size for file in Path(folder).glob("*.acknowledged"))


def main(what: str, store: str, folder: str, number: int) -> None:
    if what == "kills":
        kill_again_and_again(store, folder, number)
        return
    target = judge if what == "race" else judge_carelessly
    forks = multiprocessing.get_context("fork")
    together = forks.Barrier(number)
    assessors = [forks.Process(target=target, args=(store, folder, f"a{n}", together)) for n in range(number)]
    for assessor in assessors:
        assessor.start()
    for assessor in assessors:
        assessor.join()
    assert [assessor.exitcode for assessor in assessors] == [0] * number


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
