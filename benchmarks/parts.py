"""The parts of the benchmark. Each asserts that all tools found the same numbers before it says who was faster."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks.classify import BOOTSTRAPPED_ROWS, RESAMPLES, STREAMED_ROWS, stream_arguments, write_stream
from benchmarks.in_memory import FORMS
from benchmarks.learning import require_same_objective
from benchmarks.many_runs import ON_ONE_CORE, make_folder
from benchmarks.measure_process import ROOT, Measured, Task, measure
from benchmarks.peers import MEASURES, PEERS, Means, installed_peers
from benchmarks.resampling import TIMED_PAIRS, farthest_end, farthest_p, save_scores
from benchmarks.results import Part, Row
from benchmarks.retrieval import NUM_QUERIES, WORDS_PER_DOCUMENT, require_same_scores, sizes
from benchmarks.workloads import Files, Workload

SAME = 1e-9
SHARED = Path(os.environ.get("GERMANE_SHARED", ROOT.parent / "shared")) / "data"
SMALL = Workload(queries=20, depth=100)
CALLS = 3
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
CLASSIFY = {
    # way: by germane, by its peer, and the share of all rows that it is given
    "auc": ("AUC of {rows:,} scores", "sklearn", "roc_auc_score", 1),
    "curves": (
        "ROC, PR, DET and every rate at all of {rows:,} scores",
        "sklearn",
        "roc_curve + precision_recall_curve",
        10,
    ),
    "integers": ("confusion matrix of {rows:,} whole numbers", "sklearn", "confusion_matrix", 1),
    "objects": ("confusion matrix of {rows:,} texts, object array", "sklearn", "confusion_matrix", 10),
    "lists": ("confusion matrix of {rows:,} texts, list", "sklearn", "confusion_matrix", 10),
    "fixed width": ("confusion matrix of {rows:,} texts, fixed width", "sklearn", "confusion_matrix", 10),
}


@dataclass(frozen=True)
class Settings:
    """What to measure and how often."""

    files: Files
    workload: Workload
    growing: list[Workload]
    rounds: int
    starts: int
    robust_runs: int | None
    flips: int
    resamples: int
    labels: int
    documents: int
    vectors: int
    many_runs: tuple[int, int, int]
    with_sklearn: bool
    with_bm25s: bool
    large: bool
    peers: list[str]
    command: str
    busy_share: float | None


def files(settings: Settings) -> Part | None:
    """Whole processes on one file, against the peers; and the same lines in a worse order."""
    qrels = settings.files.qrels(settings.workload)
    run = settings.files.run(settings.workload)
    tasks = [_eval_task("germane", qrels, run)]
    tasks += [_peer_task(peer, qrels, run) for peer in settings.peers]
    tasks += [_eval_task(f"germane, {layout}", qrels, settings.files.run(settings.workload, layout))
              for layout in ("unsorted", "interleaved")]  # fmt: skip
    small_qrels, small_run = settings.files.qrels(SMALL), settings.files.run(SMALL)
    small = [_eval_task("germane", small_qrels, small_run)]
    small += [_peer_task(peer, small_qrels, small_run) for peer in settings.peers]
    print("  starting up, twice: only the second time has everything compiled that can be kept", flush=True)
    start = {name: each.seconds[1] for name, each in measure(small, rounds=2).items()}
    measured = measure(tasks, settings.rounds)
    _require_same([(name, _means(output)) for name, each in measured.items() for output in each.outputs])
    megabytes = run.stat().st_size / 1e6
    title = f"A file of {settings.workload.lines:,} lines, {megabytes:.0f} MB: whole process"
    rows = [_row(name, label, measured[name]) for name, label in LABELS.items() if name in measured]
    return _part(settings, title, [replace(row, start=_rounded(start.get(row.name))) for row in rows])


def growth(settings: Settings) -> Part | None:
    """Ever longer files, grouped by query: time should grow with them, memory should not."""
    tasks = [
        _eval_task(f"{each.lines}", settings.files.qrels(each), settings.files.run(each)) for each in settings.growing
    ]
    measured = measure(tasks, settings.rounds)
    rows = [
        _row(f"{each.lines}", f"germane, {each.lines:,} lines", measured[f"{each.lines}"], each.lines)
        for each in settings.growing
    ]
    return _part(settings, "Longer and longer files, grouped by query: whole process", rows)


def memory(settings: Settings) -> Part | None:
    """Only the call that evaluates, on data that is ready."""
    forms = [form for form in FORMS if form != "pytrec_eval" or form in settings.peers]
    if find_spec("pyarrow") is None:
        print("  pyarrow is not installed: Arrow is left out")
        forms.remove("arrow")
    size = [str(settings.workload.queries), str(settings.workload.depth)]
    module = [sys.executable, "-m", "benchmarks.in_memory"]
    measured = measure([Task(form, [[*module, form, *size, str(CALLS)]]) for form in forms], settings.rounds)
    answers = {form: [json.loads(output) for output in measured[form].outputs] for form in forms}
    _require_same([(form, each["means"]) for form in forms for each in answers[form]])
    calls = {form: [round(second, 4) for each in answers[form] for second in each["seconds"]] for form in forms}
    rows = [Row(form, FORM_LABELS[form], min(calls[form]), calls[form]) for form in forms]
    return _part(settings, f"{settings.workload.lines:,} scored documents in memory: the call that evaluates", rows)


def startup(settings: Settings) -> Part | None:
    """Three topics: what is left is starting up."""
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = SHARED / "trec_eval" / "qrels.test", SHARED / "trec_eval" / "results.test"
        if not run.exists():
            print("  no trec_eval fixture here: a made one of the same size is used")
            made = Files(Path(folder))
            qrels, run = made.qrels(Workload(3, 500)), made.run(Workload(3, 500))
        germane_eval = [*_germane(), "eval", str(qrels), str(run)]
        germane_compare = [*_germane(), "compare", str(qrels), str(run), str(_other_run(run, Path(folder)))]
        tasks = [
            Task("numpy", [[sys.executable, "-c", "import numpy"]]),
            Task("germane", [germane_eval]),
            Task("scipy", [[sys.executable, "-c", "import scipy.stats"]]),
            Task("compare", [germane_compare]),
        ]
        measure(tasks, rounds=1, quiet=True)
        measured = measure(tasks, settings.starts, quiet=True)
    labels = {
        "numpy": '`python -c "import numpy"`',
        "germane": "`germane eval`, three topics",
        "scipy": '`python -c "import scipy.stats"`',
        "compare": "`germane compare` of two runs, three topics",
    }
    rows = [_row(name, label, measured[name], count=median) for name, label in labels.items()]
    return _part(settings, f"Starting up, median of {settings.starts}", rows)


def _other_run(run: Path, folder: Path) -> Path:
    """The same run with every second line left out."""
    other = folder / "other.run"
    other.write_bytes(b"".join(run.read_bytes().splitlines(keepends=True)[::2]))
    return other


def robust(settings: Settings) -> Part | None:
    """Many runs of one collection: the judgments are read once."""
    folder = SHARED / "robust03"
    runs = sorted((folder / "runs").glob("*.gz"))[: settings.robust_runs]
    if not runs:
        print("  left out: the Robust runs are not here (set GERMANE_SHARED to the folder that has data/robust03)")
        return None
    qrels = folder / "qrels.txt.gz"
    one_by_one = Task("separate", [_eval(qrels, run) for run in runs])
    measured = measure([Task("together", [_eval(qrels, *runs)]), one_by_one], settings.rounds)
    together = [run["mean"] for run in json.loads(measured["together"].outputs[0])["runs"]]
    for alone, joint in zip(measured["separate"].outputs, together * settings.rounds, strict=True):
        _require_same([("a call of its own", _means(alone)), ("one call for all", joint)])
    labels = {"together": f"germane, {len(runs)} runs in one call", "separate": f"germane, {len(runs)} calls"}
    rows = [_row(name, label, measured[name]) for name, label in labels.items()]
    return _part(settings, "The Robust track of TREC 2003, compressed files: whole process", rows)


def many_runs(settings: Settings) -> Part | None:
    """A folder of runs in one call, on one core and on two; and pytrec_eval, run by run."""
    if not hasattr(os, "sched_setaffinity"):
        print("  left out: a process cannot be kept on one core here")
        return None
    runs, queries, depth = settings.many_runs
    with tempfile.TemporaryDirectory() as own_folder:
        print(f"  making {runs} runs", flush=True)
        qrels, folder = make_folder(Path(own_folder), *settings.many_runs)
        call = _eval(qrels, folder)
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
        _require_same([(name, found[run]) for name, found in means.items()])
    labels = {
        "two cores": "germane, one call",
        "one core": "germane, one call, one core",
        "pytrec_eval": "pytrec_eval, run by run",
    }
    title = f"A folder of {runs} runs, {queries} queries × {depth:,} documents each: whole process"
    return _part(settings, title, [_row(name, labels[name], each) for name, each in measured.items()])


def randomisation(settings: Settings) -> Part | None:
    """Sign flips for all pairs of systems on three measures: one call against scipy pair by pair."""
    measured, topics, systems = _resampled(settings, ["randomisation germane", "randomisation scipy"], settings.flips)
    ours, theirs = (found for _, found in measured.values())
    if (apart := farthest_p(ours, theirs, settings.flips)) > 6:
        raise SystemExit(f"p-values of germane and scipy lie {apart:.1f} standard errors apart")
    pairs = 3 * systems * (systems - 1) // 2
    timed = f"{min(TIMED_PAIRS, pairs)} of {pairs} timed, the rest by proportion"
    labels = {
        "randomisation germane": f"germane, {pairs} pairs in one call",
        "randomisation scipy": f"scipy {version('scipy')} permutation_test, pair by pair ({timed})",
    }
    title = f"{settings.flips:,} sign flips, {systems} systems, 3 measures, {topics} topics: the call that tests"
    return _part(settings, title, [Row(way, labels[way], min(took), took) for way, (took, _) in measured.items()])


def bootstrap(settings: Settings) -> Part | None:
    """BCa intervals of all means of all systems: one call against scipy, mean by mean and in one call."""
    ways = ["bca germane", "bca scipy by mean", "bca scipy at once"]
    measured, topics, systems = _resampled(settings, ways, settings.resamples)
    ours = measured["bca germane"][1]
    if (apart := max(farthest_end(ours, found) for _, found in measured.values())) > 6 / settings.resamples**0.5:
        raise SystemExit(f"intervals of germane and scipy lie {apart:.1%} of their width apart")
    labels = {
        "bca germane": f"germane, {3 * systems} means in one call",
        "bca scipy by mean": f"scipy {version('scipy')} bootstrap, mean by mean",
        "bca scipy at once": f"scipy {version('scipy')} bootstrap, {3 * systems} means in one call",
    }
    title = f"BCa intervals, {settings.resamples:,} resamples, {topics} topics: the call that finds them"
    return _part(settings, title, [Row(way, labels[way], min(took), took) for way, (took, _) in measured.items()])


def classify(settings: Settings) -> Part | None:
    """Labels and scores in memory, against scikit-learn; with --large also a file that is read in parts."""
    compared = {
        way: (
            f"germane, {what.format(rows=settings.labels // share)}",
            peer,
            f"scikit-learn, {call}",
            settings.labels // share,
        )
        for way, (what, peer, call, share) in CLASSIFY.items()
    }
    f1_label = f"germane, interval of F1, {RESAMPLES:,} resamples of {BOOTSTRAPPED_ROWS:,} rows"
    compared["f1"] = (f1_label, "scipy", "scipy bootstrap of scikit-learn's f1_score", BOOTSTRAPPED_ROWS)
    rows: list[Row] = []
    module = [sys.executable, "-m", "benchmarks.classify"]
    for way, (label, peer, peer_label, size) in compared.items():
        names = {f"{way} germane": label, **({f"{way} {peer}": peer_label} if settings.with_sklearn else {})}
        calls = {name: 1 if name == "f1 scipy" else CALLS for name in names}
        tasks = [Task(name, [[*module, name, str(size), str(calls[name])]]) for name in names]
        measured = measure(tasks, settings.rounds)
        answers = {name: [json.loads(output) for output in measured[name].outputs] for name in names}
        _require_near({name: each[0]["found"] for name, each in answers.items()}, exactly=way != "f1")
        for name, each in answers.items():
            seconds = [round(second, 6) for one in each for second in one["seconds"]]
            rows.append(Row(name, names[name], min(seconds), seconds, against=f"{way} germane"))
    if settings.large:
        rows.append(_streamed(settings))
    return _part(settings, "Labels and scores in memory: the call that evaluates", rows)


def _streamed(settings: Settings) -> Row:
    """A file that need not fit into memory: whole process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.parquet"
        print(f"  writing {STREAMED_ROWS:,} rows", flush=True)
        write_stream(path, STREAMED_ROWS)
        measured = measure([Task("stream", [[*_germane(), *stream_arguments(path)]])], rounds=1)
    return _row(
        "stream",
        f"germane classify --stream, a Parquet file of {STREAMED_ROWS:,} rows",
        measured["stream"],
        STREAMED_ROWS,
    )


def _require_near(found: dict[str, list[float]], *, exactly: bool) -> None:
    """Refuse results that differ: by rounding, or by more than random draws do."""
    if len(found) < 2:
        return
    (ours, first), (theirs, second) = found.items()
    apart = max(abs(a - b) for a, b in zip(first, second, strict=True)) if exactly else farthest_end(first, second)
    if apart > (SAME if exactly else 6 / RESAMPLES**0.5):
        raise SystemExit(f"{ours} and {theirs} found results that lie {apart:g} apart")


def retrieval(settings: Settings) -> Part | None:
    """Documents indexed, and queries answered from the index, against bm25s with numba."""
    documents = settings.documents
    peer = settings.with_bm25s
    with tempfile.TemporaryDirectory() as own_folder:
        folder = Path(own_folder)
        rows = _in_turn(settings, {"build germane": "germane, index", "build bm25s": "bm25s, index"}, documents, folder)
        disk = sizes(folder, with_bm25s=peer)
        rows = [replace(row, disk_mb=disk[row.name]) for row in rows]
        for k in (10, 1000):
            rows += _in_turn(
                settings,
                {
                    f"k{k} germane": f"germane, {NUM_QUERIES} queries, {k} best each",
                    f"k{k} germane, two threads": "germane, two threads",
                    f"k{k} bm25s": "bm25s with numba",
                },
                documents,
                folder,
            )
        first = {"first germane": "germane, start to first answer, whole process", "first bm25s": "bm25s with numba"}
        tasks = [_retrieval_task(name, documents, folder, 1) for name in first if peer or "bm25s" not in name]
        measured = measure(tasks, settings.rounds)
        rows += [replace(_row(name, first[name], measured[name]), against="first germane") for name in measured]
    title = f"{documents:,} made documents of about {WORDS_PER_DOCUMENT} words, BM25, same analyser and scores"
    return _part(settings, title, rows)


def _in_turn(settings: Settings, labels: dict[str, str], documents: int, folder: Path) -> list[Row]:
    """Calls measured inside processes, which take turns; all must find the same scores."""
    names = [name for name in labels if settings.with_bm25s or "bm25s" not in name]
    measured = measure([_retrieval_task(name, documents, folder, CALLS) for name in names], settings.rounds)
    answers = {name: [json.loads(output) for output in measured[name].outputs] for name in names}
    first = answers[names[0]][0]["found"]
    for name in names[1:]:
        require_same_scores(first, answers[name][0]["found"], name)
    rows = []
    for name in names:
        seconds = [round(second, 6) for each in answers[name] for second in each["seconds"]]
        peak = _row(name, "", measured[name]).peak_mb
        rows.append(Row(name, labels[name], min(seconds), seconds, peak_mb=peak, against=names[0]))
    return rows


def _retrieval_task(name: str, documents: int, folder: Path, calls: int) -> Task:
    return Task(name, [[sys.executable, "-m", "benchmarks.retrieval", name, str(documents), str(folder), str(calls)]])


LEARNED = {
    "C=.01": "Ranking SVM, C = .01",
    "C=1": "Ranking SVM, C = 1",
    "made": "Ranking SVM, a million made pairs",
}


def learning(settings: Settings) -> Part | None:
    """A Ranking SVM without pairs, against LinearSVC on the differences of all pairs."""
    folder = SHARED / "lambdarank"
    if not folder.exists():
        print(
            "  left out: the learning-to-rank rows are not here (set GERMANE_SHARED to the folder with data/lambdarank)"
        )
        return None
    rows: list[Row] = []
    for group, what in LEARNED.items():
        labels = {f"{group} germane": f"germane, {what}"}
        if settings.with_sklearn:
            labels |= {
                f"{group} sklearn": "scikit-learn, LinearSVC on pairs, tol=1e-8",
                f"{group} sklearn, default tol": "scikit-learn, LinearSVC on pairs, its own tolerance",
            }
        rows += _learned(settings, labels, folder)
    memory = {
        "few pairs germane": "germane, 96 thousand pairs",
        "many pairs germane": "germane, 102 million pairs, same rows",
    }
    rows += _learned(settings, memory, folder)
    return _part(settings, "Learning to rank, real rows and made ones: the call that fits", rows)


def _learned(settings: Settings, labels: dict[str, str], folder: Path) -> list[Row]:
    module = [sys.executable, "-m", "benchmarks.learning"]
    calls = {name: 1 if "sklearn" in name else CALLS for name in labels}
    measured = measure(
        [Task(name, [[*module, name, str(folder), str(calls[name])]]) for name in labels], settings.rounds
    )
    answers = {name: [json.loads(output) for output in measured[name].outputs] for name in labels}
    if len(labels) > 2:
        require_same_objective({name: each[0]["found"][0] for name, each in answers.items() if "default" not in name})
    rows = []
    for name, label in labels.items():
        seconds = [round(second, 6) for each in answers[name] for second in each["seconds"]]
        peak = _row(name, "", measured[name]).peak_mb
        rows.append(Row(name, label, min(seconds), seconds, peak_mb=peak, against=next(iter(labels))))
    return rows


VECTORS = {
    "product": "NumPy, the matrix product alone",
    "1 judged": "germane, exact ranks, 1 judged document per query",
    "50 judged": "germane, exact ranks, 50 judged documents per query",
    "sort": "NumPy, the product and a full sort",
}


def vectors(settings: Settings) -> Part | None:
    """Exact ranks among all vectors, against the matrix product alone and a full sort."""
    module = [sys.executable, "-m", "benchmarks.vectors", str(settings.vectors), str(settings.rounds)]
    found = json.loads(measure([Task("vectors", [module])], 1)["vectors"].outputs[0])
    rows = [
        Row(name, label, min(found[name]), [round(second, 4) for second in found[name]])
        for name, label in VECTORS.items()
    ]
    return _part(settings, f"1,000 queries × {settings.vectors:,} documents × 384: the calls alone", rows)


PARTS: dict[str, Callable[[Settings], Part | None]] = {
    "files": files,
    "growth": growth,
    "memory": memory,
    "startup": startup,
    "robust": robust,
    "many runs": many_runs,
    "randomisation": randomisation,
    "bootstrap": bootstrap,
    "classify": classify,
    "retrieval": retrieval,
    "learning": learning,
    "vectors": vectors,
}


def _resampled(
    settings: Settings, ways: list[str], draws: int
) -> tuple[dict[str, tuple[list[float], list[float]]], int, int]:
    """By way, the seconds of all calls and what they found; and how many topics and systems it was found for."""
    folder = SHARED / "robust03"
    runs = sorted((folder / "runs").glob("*.gz"))[: settings.robust_runs]
    if not runs:
        print("  the Robust runs are not here: made scores are used")
    with tempfile.TemporaryDirectory() as own_folder:
        scores = Path(own_folder) / "scores.npy"
        topics, systems = save_scores(folder / "qrels.txt.gz", runs, scores)
        module = [sys.executable, "-m", "benchmarks.resampling"]
        tasks = [Task(way, [[*module, way, str(scores), str(draws), str(CALLS)]]) for way in ways]
        measured = measure(tasks, settings.rounds)
    answers = {way: [json.loads(output) for output in measured[way].outputs] for way in ways}
    seconds = {way: [round(each, 4) for one in answers[way] for each in one["seconds"]] for way in ways}
    return {way: (seconds[way], answers[way][0]["found"]) for way in ways}, topics, systems


def chosen_peers() -> list[str]:
    """The peers that are installed; says which are not."""
    found = installed_peers()
    for peer in PEERS:
        if peer not in found:
            print(f"{peer} is not installed: left out")
    return found


def _germane() -> list[str]:
    """The command as it is installed, or as the source tree has it."""
    script = Path(sys.executable).parent / ("germane.exe" if os.name == "nt" else "germane")
    return [str(script)] if script.exists() else [sys.executable, "-c", "from germane.cli import main; main()"]


def _eval(qrels: Path, *runs: Path) -> list[str]:
    """Evaluate files, printing all digits."""
    measures = [word for measure in MEASURES for word in ("-m", measure)]
    return [*_germane(), "eval", str(qrels), *map(str, runs), *measures, "--format", "json"]


def _eval_task(name: str, qrels: Path, run: Path) -> Task:
    return Task(name, [_eval(qrels, run)])


def _peer_task(peer: str, qrels: Path, run: Path) -> Task:
    return Task(peer, [[sys.executable, "-m", "benchmarks.peers", peer, str(qrels), str(run)]])


def _means(output: str) -> Means:
    """The means that germane or a peer printed."""
    printed = json.loads(output)
    means: Means = printed["runs"][0]["mean"] if "runs" in printed else printed
    return means


def _require_same(found: list[tuple[str, Means]]) -> None:
    (first, expected), *others = found
    for name, means in others:
        for measure_name, value in expected.items():
            if abs(means[measure_name] - value) > SAME:
                raise SystemExit(f"{measure_name} is {value} by {first} and {means[measure_name]} by {name}")


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)


def _row(
    name: str, label: str, measured: Measured, lines: int | None = None, count: Callable[[list[float]], float] = min
) -> Row:
    return Row(
        name,
        label,
        round(count(measured.seconds), 4),
        [round(each, 4) for each in measured.seconds],
        round(count(measured.processor_seconds), 4),
        None if measured.peak_memory is None else round(measured.peak_memory / 1e6, 1),
        lines,
    )


def _part(settings: Settings, title: str, rows: list[Row]) -> Part:
    return Part(title, datetime.now(UTC).date().isoformat(), settings.command, settings.busy_share, rows)
