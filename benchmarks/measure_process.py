"""Wall time and peak memory of whole processes, run one at a time and interleaved.

A process that is started reports, as its peak, at least the memory of the one that started it. So the measuring is done
by a small process of its own, which has loaded nothing: `python -m benchmarks.measure_process`, JSON in and JSON out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORES = 2


@dataclass(frozen=True)
class Task:
    """A task to measure: a command, or several in a row that count as one."""

    name: str
    commands: list[list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    """Environment variables for the commands."""


@dataclass(frozen=True)
class Measured:
    """Times of a task (seconds), its highest peak memory (bytes), and its output.

    The seconds of the processor, of all cores together, tell a slow program from a busy machine.
    """

    seconds: list[float]
    processor_seconds: list[float]
    peak_memory: int | None
    outputs: list[str]


@dataclass(frozen=True)
class Process:
    """A finished process; peak memory in bytes, if the system reports it."""

    seconds: float
    processor_seconds: float
    peak_memory: int | None
    output: str


def measure(tasks: list[Task], rounds: int, *, quiet: bool = False) -> dict[str, Measured]:
    """Run every task once, then every task again, so that a slow minute of a shared machine affects all of them."""
    request = json.dumps({"tasks": [asdict(task) for task in tasks], "rounds": rounds, "quiet": quiet})
    command = [sys.executable, "-m", "benchmarks.measure_process"]
    answer = subprocess.run(command, input=request, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    if answer.returncode != 0:
        raise SystemExit("a command failed; its error message is above")
    return {name: Measured(**measured) for name, measured in json.loads(answer.stdout).items()}


def _main() -> None:
    request = json.load(sys.stdin)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    measured: dict[str, Measured] = {}
    for turn in range(request["rounds"]):
        for task in request["tasks"]:
            before = measured.get(task["name"], Measured([], [], None, []))
            now = _add(before, [_run(command, task["environment"]) for command in task["commands"]])
            measured[task["name"]] = now
            if not request["quiet"]:
                times = f"{now.seconds[-1]:9.3f} s ({now.processor_seconds[-1]:.3f} s of processors)"
                print(f"  round {turn + 1}: {task['name']:<28} {times}", file=sys.stderr, flush=True)
    json.dump({name: asdict(each) for name, each in measured.items()}, sys.stdout)


def _add(before: Measured, processes: list[Process]) -> Measured:
    """Add up earlier measurements and processes that count as one."""
    peaks = [process.peak_memory for process in processes] + [before.peak_memory]
    return Measured(
        [*before.seconds, sum(process.seconds for process in processes)],
        [*before.processor_seconds, sum(process.processor_seconds for process in processes)],
        max((peak for peak in peaks if peak is not None), default=None),
        [*before.outputs, *(process.output for process in processes)],
    )


def _run(command: list[str], environment: dict[str, str]) -> Process:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        # An installed package has its bytecode; a tree that may not write any would compile every module at each start.
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        variables |= environment
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=variables)
        peak, busy = None, 0.0
        if hasattr(os, "wait4"):
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
            busy = usage.ru_utime + usage.ru_stime
        else:
            process.wait()
        seconds = time.perf_counter() - begin
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{errors.read().decode(errors='replace')}")
        return Process(seconds, busy, peak, output.read().decode())


if __name__ == "__main__":
    _main()
