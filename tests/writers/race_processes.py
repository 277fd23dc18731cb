"""Run races: ``python -m tests.writers.race_processes race|careless|kill NAME TIMES FOLDER``; the NAME ``all`` is all.

A script, so that everything is imported once, in a process with one thread, and each writer is a fork of it. It prints
how many races there were and what was lost, and ends with 1 where something was.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from multiprocessing.synchronize import Barrier
from pathlib import Path

from germane.errors import GermaneError
from tests.writers import races_of_agents, races_of_indexes, races_of_judging, races_of_outputs
from tests.writers.careless import CARELESS
from tests.writers.race import RACES, Race, Ready

FORKS = multiprocessing.get_context("fork")
WAIT_SECONDS = 60
BATCH = 20
"""Races that two processes run one after the other before all is checked."""
MODULES = (races_of_agents, races_of_indexes, races_of_judging, races_of_outputs)
"""Importing these fills the registry."""


def keep_trying(race: Race, folder: Path, number: int, ready: Ready) -> str | None:
    """What a writer was promised; None where it was refused for good."""
    while True:
        try:
            return race.write(folder, number, ready)
        except GermaneError as problem:
            if race.refusal is None or not re.search(race.refusal, str(problem)):
                raise
        if not race.retries:
            return None
        ready = lambda: None
        time.sleep(0.001)


def write_down(folder: Path, number: int, promised: str | None) -> None:
    """In one write, so that a writer that is killed leaves whole lines."""
    with Path(f"{folder}.promised-{number}").open("ab", buffering=0) as file:
        file.write(b"" if promised is None else f"{promised}\n".encode())


def one_writer(race: Race, folders: Sequence[Path], number: int, together: Barrier) -> None:
    """One of the two writers of each race; they meet before each write."""

    def ready() -> None:
        together.wait(WAIT_SECONDS)

    try:
        for folder in folders:
            write_down(folder, number, keep_trying(race, folder, number, ready))
    except BaseException:
        together.abort()  # the other one must not wait
        raise


def many_writes(race: Race, folder: Path, first: int) -> None:
    for number in range(first, first + 50):
        write_down(folder, 0, keep_trying(race, folder, number, lambda: None))


def promises(folder: Path) -> list[str]:
    return [line for file in folder.parent.glob(f"{folder.name}.promised-*") for line in file.read_text().splitlines()]


def lost(race: Race, folder: Path) -> list[str]:
    """What was promised and is not there, or why the file cannot be read."""
    promised = promises(folder)
    if not promised:
        return ["nobody could write"]
    if race.retries and len(promised) < 2:
        return ["a writer gave up"]
    try:
        return sorted(set(promised) - race.there(folder))
    except (GermaneError, AssertionError, OSError, ValueError):
        return [f"damaged: {traceback.format_exc(limit=-1)}"]


def run_races(race: Race, folders: Sequence[Path]) -> list[str]:
    """Two writers at once, in one folder after the other."""
    for folder in folders:
        folder.mkdir(parents=True)
        race.begin(folder)
    together = FORKS.Barrier(2)
    writers = [FORKS.Process(target=one_writer, args=(race, folders, n, together)) for n in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    failed = [f"writer {n} failed: exit {w.exitcode}" for n, w in enumerate(writers) if w.exitcode != 0]
    return failed or [what for folder in folders for what in lost(race, folder)]


def run_kill(race: Race, folder: Path, draw: random.Random) -> list[str]:
    """One writer, killed at a random moment while it writes again and again; then another one, who must not wait."""
    folder.mkdir(parents=True)
    race.begin(folder)
    race.write(folder, 0, lambda: None)
    writer = FORKS.Process(target=many_writes, args=(race, folder, 1))
    writer.start()
    deadline = time.monotonic() + WAIT_SECONDS
    while not promises(folder) and writer.is_alive() and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(draw.random() * 0.1)
    assert writer.pid is not None
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    last = f"promised after {len(promises(folder))} writes"
    try:
        missing = sorted(set(promises(folder)) - race.there(folder))
        begin = time.monotonic()
        race.write(folder, 55, lambda: None)
        slow = [] if time.monotonic() - begin < WAIT_SECONDS / 4 else ["the next writer had to wait"]
        race.there(folder)
    except (GermaneError, AssertionError, OSError, ValueError):
        return [f"{last}, damaged: {traceback.format_exc(limit=-1)}"]
    return [*missing, *slow]


def main(what: str, name: str, times: int, place: Path) -> int:
    registry = CARELESS if what == "careless" else RACES
    chosen = [race for race in registry.values() if name in (race.name, "all") and (what != "kill" or race.kills)]
    draw = random.Random(1)
    total = 0
    for race in chosen:
        found: list[str] = []
        begin = time.monotonic()
        for first in range(0, times, BATCH):
            folders = [place / race.name / str(number) for number in range(first, min(first + BATCH, times))]
            if what == "kill":
                found += [lost for folder in folders for lost in run_kill(race, folder, draw)]
            else:
                found += run_races(race, folders)
            shutil.rmtree(place / race.name)
        total += len(found)
        seconds = time.monotonic() - begin
        lines = [f"{race.name}: {times} x {what} in {seconds:.0f} s, {len(found)} lost", *found[:3]]
        sys.stdout.write("\n  ".join(lines) + "\n")
        sys.stdout.flush()
    return int(total > 0 or not chosen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
