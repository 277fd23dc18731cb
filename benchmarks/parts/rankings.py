"""Evaluate runs: files, data in memory, start-up time, many runs."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from benchmarks.in_memory import FORMS
from benchmarks.many_runs import ON_ONE_CORE, make_folder
from benchmarks.measure_process import Task, measure
from benchmarks.parts.settings import (
    CALLS,
    SHARED,
    Settings,
    eval_command,
    eval_task,
    germane_command,
    means_of,
    part_of,
    peer_task,
    require_same,
    rounded,
    row_of,
)
from benchmarks.results import Part, Row
from benchmarks.workloads import Files, Workload

SMALL = Workload(queries=20, depth=100)
REPORTED = ("nDCG@10", "AP", "P@10", "RR", "R@100")
FEW_REPORTED = 17
"""Runs that a track of a dozen teams brings together."""
LABELS = {
    "germane": "germane",
    "germane, unsorted": "germane, lines of a query in any order",
    "germane, interleaved": "germane, all lines in any order",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
}
FORM_LABELS = {
    "pytrec_eval": "pytrec_eval, dict of dicts",
    "dicts": "germane, dict of dicts",
    "arrow": "germane, Arrow table, ids as strings",
    "integers": "germane, NumPy arrays, ids as integers",
    "bytes": "germane, NumPy arrays, ids as bytes",
}


def files(settings: Settings) -> Part | None:
    """Whole processes on one file, against the peers, also with the lines in less favourable orders."""
    qrels = settings.files.qrels(settings.workload)
    run = settings.files.run(settings.workload)
    tasks = [eval_task("germane", qrels, run)]
    tasks += [peer_task(peer, qrels, run) for peer in settings.peers]
    tasks += [eval_task(f"germane, {layout}", qrels, settings.files.run(settings.workload, layout))
              for layout in ("unsorted", "interleaved")]  # fmt: skip
    small_qrels, small_run = settings.files.qrels(SMALL), settings.files.run(SMALL)
    small = [eval_task("germane", small_qrels, small_run)]
    small += [peer_task(peer, small_qrels, small_run) for peer in settings.peers]
    print("  starting up, twice: only the second time has everything compiled that can be kept", flush=True)
    start = {name: each.seconds[1] for name, each in measure(small, rounds=2).items()}
    measured = measure(tasks, settings.rounds)
    require_same([(name, means_of(output)) for name, each in measured.items() for output in each.outputs])
    megabytes = run.stat().st_size / 1e6
    title = f"A file of {settings.workload.lines:,} lines, {megabytes:.0f} MB: whole process"
    rows = [row_of(name, label, measured[name]) for name, label in LABELS.items() if name in measured]
    return part_of(settings, title, [replace(row, start=rounded(start.get(row.name))) for row in rows])


def memory(settings: Settings) -> Part | None:
    """Only the evaluation call, on data in memory."""
    forms = [form for form in FORMS if form != "pytrec_eval" or form in settings.peers]
    if find_spec("pyarrow") is None:
        print("  pyarrow is not installed: Arrow is left out")
        forms.remove("arrow")
    size = [str(settings.workload.queries), str(settings.workload.depth)]
    module = [sys.executable, "-m", "benchmarks.in_memory"]
    measured = measure([Task(form, [[*module, form, *size, str(CALLS)]]) for form in forms], settings.rounds)
    answers = {form: [json.loads(output) for output in measured[form].outputs] for form in forms}
    require_same([(form, each["means"]) for form in forms for each in answers[form]])
    calls = {form: [round(second, 4) for each in answers[form] for second in each["seconds"]] for form in forms}
    rows = [Row(form, FORM_LABELS[form], min(calls[form]), calls[form]) for form in forms]
    return part_of(settings, f"{settings.workload.lines:,} scored documents in memory: the call that evaluates", rows)


def startup(settings: Settings) -> Part | None:
    """Three topics, to measure start-up. CPU seconds are reported, because threads of BLAS add theirs."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = SHARED / "trec_eval" / "qrels.test", SHARED / "trec_eval" / "results.test"
        if not run.exists():
            print("  no trec_eval fixture here: a made one of the same size is used")
            made = Files(Path(folder))
            qrels, run = made.qrels(Workload(3, 500)), made.run(Workload(3, 500))
        germane_eval = [*germane_command(), "eval", str(qrels), str(run)]
        germane_compare = [*germane_command(), "compare", str(qrels), str(run), str(_other_run(run, Path(folder)))]
        one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
        tasks = [
            Task("numpy", [[sys.executable, "-c", "import numpy"]], one_thread),
            Task("germane", [germane_eval], one_thread),
            Task("scipy", [[sys.executable, "-c", "import scipy.special"]], one_thread),
            Task("compare", [germane_compare], one_thread),
        ]
        measure(tasks, rounds=1, quiet=True)
        measured = measure(tasks, settings.starts, quiet=True)
    labels = {
        "numpy": '`python -c "import numpy"`',
        "germane": "`germane eval`, three topics",
        "scipy": '`python -c "import scipy.special"`',
        "compare": "`germane compare` of two runs, three topics",
    }
    times = {name: replace(each, seconds=each.processor_seconds) for name, each in measured.items()}
    rows = [row_of(name, label, times[name]) for name, label in labels.items()]
    return part_of(settings, f"Starting up: seconds of the processor, best of {settings.starts}", rows)


def _other_run(run: Path, folder: Path) -> Path:
    """Return the run without every second line."""
    other = folder / "other.run"
    other.write_bytes(b"".join(run.read_bytes().splitlines(keepends=True)[::2]))
    return other


def robust(settings: Settings) -> Part | None:
    """Many runs of one collection, with the judgments read once."""
    folder = SHARED / "robust03"
    runs = sorted((folder / "runs").glob("*.gz"))[: settings.robust_runs]
    if not runs:
        print("  skipped: no Robust runs (set GERMANE_SHARED to the folder with data/robust03)")
        return None
    qrels = folder / "qrels.txt.gz"
    one_by_one = Task("separate", [eval_command(qrels, run) for run in runs])
    measured = measure([Task("together", [eval_command(qrels, *runs)]), one_by_one], settings.rounds)
    together = [run["mean"] for run in json.loads(measured["together"].outputs[0])["runs"]]
    for alone, joint in zip(measured["separate"].outputs, together * settings.rounds, strict=True):
        require_same([("a call of its own", means_of(alone)), ("one call for all", joint)])
    labels = {"together": f"germane, {len(runs)} runs in one call", "separate": f"germane, {len(runs)} calls"}
    rows = [row_of(name, label, measured[name]) for name, label in labels.items()]
    return part_of(settings, "The Robust track of TREC 2003, compressed files: whole process", rows)


def many_runs(settings: Settings) -> Part | None:
    """A folder of runs in one call, on one core and on two; and pytrec_eval, run by run."""
    if not hasattr(os, "sched_setaffinity"):
        print("  left out: a process cannot be kept on one core here")
        return None
    runs, queries, depth = settings.many_runs
    with tempfile.TemporaryDirectory() as own_folder:
        print(f"  making {runs} runs", flush=True)
        qrels, folder = make_folder(Path(own_folder), *settings.many_runs)
        call = eval_command(qrels, folder)
        tasks = [Task("two cores", [call]), Task("one core", [[sys.executable, "-c", ON_ONE_CORE, *call]])]
        if "pytrec_eval" in settings.peers:
            module = [sys.executable, "-m", "benchmarks.many_runs"]
            tasks.append(Task("pytrec_eval", [[*module, str(qrels), str(folder)]]))
        measured = measure(tasks, settings.rounds)
    printed = {name: json.loads(each.outputs[0]) for name, each in measured.items()}
    means = {name: found if name == "pytrec_eval" else [run["mean"] for run in found["runs"]]
             for name, found in printed.items()}  # fmt: skip
    if printed["two cores"] != printed["one core"]:
        raise SystemExit("germane found other results on two cores than on one")
    for run in range(runs):
        require_same([(name, found[run]) for name, found in means.items()])
    labels = {
        "two cores": "germane, one call",
        "one core": "germane, one call, one core",
        "pytrec_eval": "pytrec_eval, run by run",
    }
    title = f"A folder of {runs} runs, {queries} queries × {depth:,} documents each: whole process"
    return part_of(settings, title, [row_of(name, labels[name], each) for name, each in measured.items()])


def report(settings: Settings) -> Part | None:
    """One page on a few runs, and one on many: how long it takes to write, and how large it is."""
    if find_spec("vl_convert") is None:
        print("  left out: vl-convert-python is not installed")
        return None
    runs, queries, depth = settings.reported_runs
    with tempfile.TemporaryDirectory() as own_folder:
        print(f"  making {runs} runs", flush=True)
        qrels, folder = make_folder(Path(own_folder), runs, queries, depth)
        files = [str(path) for path in sorted(folder.iterdir())]
        counts = {f"{count} runs": min(count, runs) for count in (FEW_REPORTED, runs)}
        pages = {name: Path(own_folder) / f"{count}.html" for name, count in counts.items()}
        measures = [word for measure in REPORTED for word in ("-m", measure)]
        tasks = [
            Task(name, [[*germane_command(), "report", str(qrels), *files[:count], *measures, "-o", str(pages[name])]])
            for name, count in counts.items()
        ]
        measured = measure(tasks, settings.rounds)
        sizes = {name: round(page.stat().st_size / 1e6, 2) for name, page in pages.items()}
    rows = [replace(row_of(name, f"germane, {name}", each), disk_mb=sizes[name]) for name, each in measured.items()]
    title = f"A report of {len(REPORTED)} measures, {queries} queries × {depth:,} documents: whole process"
    return part_of(settings, title, rows)
