"""The README's benchmark table says what was measured, and the benchmark runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bars import BARS, check
from benchmarks.measure_process import Task, measure
from benchmarks.render import BEGIN, END, HEADLINES, PAGES, render, render_gist, replace_table, table_in, write_tables
from benchmarks.results import RESULTS, Part, Results, Row
from benchmarks.workloads import Files, Workload, make_qrels, make_run
from tests.conftest import ROOT

SMALL = Workload(queries=7, depth=40)


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_show_what_was_measured(name: str) -> None:
    shown = table_in((ROOT / name).read_text(encoding="utf-8"))
    assert shown == PAGES[name](Results.load(RESULTS)), "python benchmarks/run.py --render writes it from results.json"


def test_a_headline_is_about_rows_that_were_measured() -> None:
    measured = Results.load(RESULTS).parts
    for part, ours, theirs, *_ in HEADLINES:
        assert measured[part].row(ours), (part, ours)
        assert measured[part].row(theirs), (part, theirs)


def test_the_gist_is_how_many_times_faster() -> None:
    rows = [row("germane", 0.5), row("pytrec_eval", 8.0)]
    (line,) = [line for line in render_gist(results(files=rows)).splitlines() if "pytrec_eval" in line]
    assert line == "| files | 500 ms | pytrec_eval: 8.00 s | **16 ×** |"


def test_a_page_without_a_place_for_the_figures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("no markers", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"README\.md"):
        write_tables(results(part=[row("a", 0.5)]), tmp_path)


def test_results_name_no_machine_and_no_path() -> None:
    assert "/" not in RESULTS.read_text(encoding="utf-8").replace("benchmarks/run.py", "")


# The table -------------------------------------------------------------------------------------------------------


def row(name: str, seconds: float, peak_mb: float | None = None, lines: int | None = None) -> Row:
    return Row(name, name, seconds, [seconds], peak_mb=peak_mb, lines=lines)


def results(busy_share: float = 0.0, **parts: list[Row]) -> Results:
    machine = {"cores_used": 2, "processor": "cpu", "system": "os", "python": "3", "versions": {"germane": "1"}}
    return Results(machine, {name: Part(name, "2026-01-02", "run", busy_share, rows) for name, rows in parts.items()})


ROWS_AND_LINES = [
    # first row             second row                      its line                                  why
    (row("a", 0.5),         row("b", 8.0, 1900),            "8.00 s | 1.9 GB | 16 × slower",          "8 / 0.5"),
    (row("a", 0.5),         row("b", 12.25, 250),           "12.2 s | 250 MB | 24 × slower",          "24.5, to even"),
    (row("a", 2.0),         row("b", 0.25),                 "250 ms |  | 8.0 × faster",               "2 / 0.25"),
    (row("a", 2.0),         row("b", 2.0),                  "2.00 s |  | 1.0 × slower",               "the same"),
    (row("a", 1.0, 36, 9),  row("b", 4.0, 36, 8_000_000),   "4.00 s | 36 MB | 0.500 s per million lines", "4 / 8"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "line", "why"), ROWS_AND_LINES)
def test_a_row_is_compared_with_the_first_of_its_part(first: Row, second: Row, line: str, why: str) -> None:
    assert f"| b | {line} |" in render(results(part=[first, second])).splitlines(), why


def test_the_first_row_has_nothing_to_be_compared_with() -> None:
    assert "| a | 500 ms | 40 MB |  |" in render(results(part=[row("a", 0.5, 40), row("b", 1.0)])).splitlines()


def test_the_table_says_whether_the_machine_was_busy() -> None:
    assert "up to 50% of the machine" in render(results(busy_share=0.5, part=[row("a", 0.5)]))
    assert "of the machine" not in render(results(busy_share=0.02, part=[row("a", 0.5)]))


def test_the_table_goes_between_the_markers_and_nowhere_else() -> None:
    assert replace_table(f"before {BEGIN} old {END} after", "new\n") == f"before {BEGIN}\nnew\n{END} after"


def test_the_table_in_a_text_is_the_one_put_there() -> None:
    table = render(results(part=[row("a", 0.5)]))
    text = replace_table(f"{BEGIN}{END}", table)
    assert text is not None
    assert table_in(text) == table
    assert replace_table(text, table) == text


@pytest.mark.parametrize("text", ["", BEGIN, END, f"{END} {BEGIN}"])
def test_a_text_without_both_markers_stays_as_it_is(text: str) -> None:
    assert replace_table(text, "table") is None
    assert table_in(text) is None


def test_results_survive_being_kept(tmp_path: Path) -> None:
    before = results(files=[row("germane", 0.5, 40.5), row("ranx", 20.0, None, 7)])
    before.save(tmp_path / "results.json")
    assert Results.load(tmp_path / "results.json") == before


def test_a_part_measured_anew_replaces_only_itself() -> None:
    before = results(startup=[row("numpy", 1.0)], files=[row("germane", 2.0)])
    after = before.with_part("startup", results(startup=[row("numpy", 3.0)]).parts["startup"], ["files", "startup"])
    assert [(name, part.rows[0].seconds) for name, part in after.parts.items()] == [("files", 2.0), ("startup", 3.0)]


# The promises ----------------------------------------------------------------------------------------------------


def verdicts(measured: Results) -> dict[str, bool]:
    return {f"{bar.part}: {bar.what}": bar.is_met_by(found) for bar, found in check(measured)}


def test_promises_are_held_against_ratios() -> None:
    files = [row("germane", 0.5, 40), row("pytrec_eval", 7.5), row("ranx", 17.0), row("germane, interleaved", 3.5)]
    memory = [row("pytrec_eval", 3.0), row("dicts", 1.0), row("bytes", 0.4)]
    assert verdicts(results(files=files, memory=memory)) == {
        "files: times as long as germane: pytrec_eval": True,  # 15
        "files: times as long as germane: ranx": False,  # 34 < 35
        "files: peak memory in MB": True,
        "files: times as long as sorted: interleaved": False,  # 7 > 6
        "memory: times as fast as pytrec_eval: dicts": True,  # 3
        "memory: times as fast as pytrec_eval: NumPy bytes": False,  # 7.5 < 10
    }


GROWING = [
    # seconds, MB and lines of the longer file   linear  flat    why
    ((2.0, 40.0, 20_000_000),                    True,   True,   "twice the lines, twice the time"),
    ((3.0, 40.0, 20_000_000),                    False,  True,   "twice the lines, three times the time"),
    ((2.0, 51.0, 20_000_000),                    True,   False,  "1.1 bytes of memory for each further line"),
]  # fmt: skip


@pytest.mark.parametrize(("longer", "linear", "flat", "why"), GROWING)
def test_time_may_grow_with_the_lines_and_memory_may_not(
    longer: tuple[float, float, int], linear: bool, flat: bool, why: str
) -> None:
    growth = [row("shorter", 1.0, 40.0, 10_000_000), row("longer", *longer)]
    assert list(verdicts(results(growth=growth)).values()) == [linear, flat], why


@pytest.mark.parametrize(("longer", "linear", "flat", "why"), GROWING)
def test_each_kind_of_work_is_compared_with_itself(
    longer: tuple[float, float, int], linear: bool, flat: bool, why: str
) -> None:
    def kept(*rows: Row) -> list[bool]:
        made = results(growth=list(rows))
        found = verdicts(Results(made.machine, {"growth of others": made.parts["growth"]}))
        return [is_kept for name, is_kept in found.items() if "check" in name]

    others = [row("csv 1", 9.0, 900.0, 1), row("check 10", 1.0, 40.0, 10_000_000), row("check 20", *longer)]
    # A further line may take two bytes here: all formats and commands are promised alike.
    assert kept(*others) == [linear, True], why
    assert kept(*others[:-1], row("check 20", 2.0, 61.0, 20_000_000)) == [True, False], "2.1 bytes"


def test_every_promise_is_about_a_part_that_exists() -> None:
    from benchmarks.parts import PARTS

    assert {bar.part for bar in BARS} <= set(PARTS)


# The data --------------------------------------------------------------------------------------------------------


def test_a_file_says_what_the_columns_say(tmp_path: Path) -> None:
    run = make_run(SMALL)
    lines = [line.split() for line in Files(tmp_path).run(SMALL).read_text().splitlines()]
    assert [int(query) for query, *_ in lines] == run.query.tolist()
    assert [int(doc) for _, _, doc, *_ in lines] == run.doc.tolist()
    assert [int(rank) for *_, rank, _, _ in lines] == run.rank.tolist()
    assert [float(score) for *_, score, _ in lines] == run.scores().tolist()


@pytest.mark.parametrize("layout", ["unsorted", "interleaved"])
def test_layouts_hold_the_same_lines_in_another_order(tmp_path: Path, layout: str) -> None:
    files = Files(tmp_path)
    first, other = (files.run(SMALL, each).read_text().splitlines() for each in ("sorted", layout))  # type: ignore[arg-type]
    assert first != other
    assert sorted(first) == sorted(other)
    grouped = [line.split()[0] for line in first] == [line.split()[0] for line in other]
    assert grouped == (layout == "unsorted")


def test_no_document_and_no_score_comes_twice_in_a_query() -> None:
    run = make_run(SMALL)
    for query in np.unique(run.query):
        mine = run.query == query
        assert len(set(run.doc[mine])) == SMALL.depth
        assert len(set(run.scores()[mine].astype(np.float32))) == SMALL.depth


def test_a_larger_workload_begins_as_a_smaller_one() -> None:
    larger = make_run(Workload(SMALL.queries + 3, SMALL.depth))
    assert larger.doc[: SMALL.lines].tolist() == make_run(SMALL).doc.tolist()
    judged = make_qrels(Workload(500, 40))
    assert 500 < len(judged.doc) < 600


def test_data_of_another_version_is_removed_and_ours_is_kept(tmp_path: Path) -> None:
    (tmp_path / "germane-benchmarks-0").mkdir()
    made = Files(tmp_path).run(SMALL)
    written = made.stat().st_mtime_ns
    assert Files(tmp_path).run(SMALL).stat().st_mtime_ns == written
    assert [folder.name for folder in tmp_path.iterdir()] == [made.parent.name]


# The measuring ---------------------------------------------------------------------------------------------------


def test_memory_is_that_of_the_process_and_not_of_the_one_that_started_it() -> None:
    ballast = b"x" * 200_000_000
    small = Task("small", [[sys.executable, "-c", "print(1)"]])
    large = Task("large", [[sys.executable, "-c", "x = b'x' * 100_000_000; print(len(x))"]])
    measured = measure([small, large], rounds=2, quiet=True)
    assert len(ballast) == 200_000_000
    assert measured["small"].outputs == ["1\n", "1\n"]
    assert len(measured["small"].seconds) == 2
    if measured["small"].peak_memory is not None and measured["large"].peak_memory is not None:
        assert measured["small"].peak_memory < 60_000_000
        assert measured["large"].peak_memory > 100_000_000


def test_a_command_that_fails_ends_the_benchmark(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="failed"):
        measure([Task("broken", [[sys.executable, "-c", "raise ValueError('why')"]])], rounds=1)
    assert "why" in capfd.readouterr().err


@pytest.mark.slow
def test_the_benchmark_runs(tmp_path: Path) -> None:
    output = tmp_path / "results.json"
    command = [sys.executable, "benchmarks/run.py", "--quick", "--no-peers", "--output", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(Results.load(output).parts) >= {"files", "growth", "memory", "startup"}
