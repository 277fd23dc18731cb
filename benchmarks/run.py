"""Measure germane against its peers; write results.json and, from it, the tables of two pages (render.PAGES).

python benchmarks/run.py                   all of it: about ten minutes
python benchmarks/run.py --only memory     one part; the others stay as they were
python benchmarks/run.py --quick           the same on small data: seconds; keeps no results
python benchmarks/run.py --render          no measuring: the tables again, from results.json
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bars import check
from benchmarks.measure_process import ROOT
from benchmarks.parts import PARTS, Settings
from benchmarks.peers import installed_peers
from benchmarks.render import PAGES, render, write_tables
from benchmarks.results import QUIET, RESULTS, Results, busy_share, this_machine
from benchmarks.workloads import Files, Workload

FULL = Workload(queries=6_980, depth=1_000)
GROWING = [Workload(queries, 1_000) for queries in (1_745, 6_980, 27_920)]
LARGE = Workload(queries=100_000, depth=1_000)
QUICK = Workload(queries=60, depth=100)
QUICK_GROWING = [Workload(queries, 100) for queries in (30, 60, 120)]


def main() -> None:
    """Parse, measure, save after each part, print."""
    options = _options()
    if options.render:
        _show(Results.load(options.output or RESULTS), options.pages)
        return
    with tempfile.TemporaryDirectory() as own_folder:
        folder = Path(own_folder) if options.quick else options.data
        results = _measure(options, folder)
    for bar, found in check(results) if not options.quick else ():  # small data cannot show speed
        verdict = "kept  " if bar.is_met_by(found) else "MISSED"
        print(f"{verdict} {bar.part}: {bar.what}: {found:.2f} ({bar.limit} {bar.value:g})")
    _show(results, None if options.quick else options.pages)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=PARTS, help="measure this part; may be repeated")
    parser.add_argument("--quick", action="store_true", help="small data, to see whether it runs")
    parser.add_argument("--large", action="store_true", help="also files of a hundred million rows (3.6 GB of disk)")
    parser.add_argument("--no-peers", action="store_true", help="only germane")
    parser.add_argument("--rounds", type=int, help="turns that each tool gets; the best counts  [3; 1 if quick]")
    parser.add_argument("--render", action="store_true", help="measure nothing; write the tables from the results")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()), help="where to keep the data made")
    parser.add_argument("--output", type=Path, help="where to keep results  [benchmarks/results.json]")
    parser.add_argument("--pages", type=Path, default=ROOT, help=f"the folder with {' and '.join(PAGES)}")
    return parser.parse_args()


def _measure(options: argparse.Namespace, folder: Path) -> Results:
    output = options.output or (None if options.quick else RESULTS)
    names = options.only or list(PARTS)
    growing = QUICK_GROWING if options.quick else [*GROWING, *([LARGE] if options.large else [])]
    settings = Settings(
        files=Files(folder),
        workload=QUICK if options.quick else FULL,
        growing=growing,
        rounds=options.rounds or (1 if options.quick else 3),
        starts=3 if options.quick else 21,
        robust_runs=2 if options.quick else None,
        flips=1_000 if options.quick else 100_000,
        resamples=999 if options.quick else 9_999,
        labels=20_000 if options.quick else 10_000_000,
        documents=2_000 if options.quick else 200_000,
        vectors=10_000 if options.quick else 1_000_000,
        many_runs=(12, 10, 50) if options.quick else (200, 250, 1_000),
        reported_runs=(24, 10, 50) if options.quick else (100, 50, 1_000),
        pooled_documents=(200, 1_000) if options.quick else (2_000, 20_000),
        load_seconds=2.0 if options.quick else 10.0,
        with_sklearn=not options.no_peers and _has("sklearn", "scikit-learn"),
        with_bm25s=not options.no_peers and _has("bm25s", "bm25s"),
        with_tantivy=not options.no_peers and _has("tantivy", "tantivy"),
        large=options.large and not options.quick,
        peers=[] if options.no_peers else installed_peers(),
        command=_command(options),
        busy_share=None,
    )
    results = _kept(output)
    for name in names:
        print(f"{name}: {(PARTS[name].__doc__ or '').strip()}", flush=True)
        busy = None if options.quick else busy_share()
        if busy is not None and busy > QUIET:
            print(f"  other processes use {busy:.0%} of this machine: the times are only indicative", flush=True)
        part = PARTS[name](replace(settings, busy_share=busy))
        if part is not None:
            results = results.with_part(name, part, list(PARTS))
        if output is not None:
            results.save(output)
    return results


def _has(module: str, name: str) -> bool:
    if find_spec(module) is None:
        print(f"{name} is not installed: left out")
        return False
    return True


def _kept(output: Path | None) -> Results:
    """Return earlier results, unless they are from another machine or other versions."""
    machine = this_machine()
    if output is None or not output.exists():
        return Results(machine)
    before = Results.load(output)
    if before.machine == machine:
        return before
    print("the results kept are of another machine or other versions: they are dropped")
    return Results(machine)


def _command(options: argparse.Namespace) -> str:
    """Return the command that reproduces this, without folders of this machine."""
    words = ["python benchmarks/run.py", *(f"--only {shlex.quote(part)}" for part in options.only or ())]
    words += [f"--{flag}" for flag in ("quick", "large", "no-peers") if getattr(options, flag.replace("-", "_"))]
    return " ".join([*words, *([f"--rounds {options.rounds}"] if options.rounds else [])])


def _show(results: Results, pages: Path | None) -> None:
    print(render(results))
    if pages is not None:
        write_tables(results, pages)
        print(f"written into {' and '.join(PAGES)}")


if __name__ == "__main__":
    main()
