"""One path, one reading: a folder gives the same runs, means and notes on every engine, whatever its files are."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from germane.cli.commands.eval import command
from germane.distributed.reading import read_runs
from germane.errors import InputError

ROWS = [(f"00{q}", f"d{d}", (d * 7 + q) % 10 + 0.5) for q in range(6) for d in range(12)]
NAMES = ("qid", "docno", "score")
Row = tuple[str, str, float]
Evaluate = Callable[..., dict[str, Any]]


def parquet(path: Path, rows: Sequence[Row], names: Sequence[str] = NAMES) -> None:
    pa = pytest.importorskip("pyarrow", reason="writing Parquet needs pyarrow")
    from pyarrow import parquet as pq

    columns = dict(zip(NAMES, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(NAMES, ())
    types = {"qid": pa.string(), "docno": pa.string(), "score": pa.float64()}
    pq.write_table(pa.table({name: pa.array(columns[name], types[name]) for name in names}), path)


def csv(path: Path, rows: Sequence[Row], names: Sequence[str] = NAMES) -> None:
    lines = [",".join(str(row[NAMES.index(name)]) for name in names) for row in rows]
    text = "\n".join([",".join(names), *lines]) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def jsonl(path: Path, rows: Sequence[Row], names: Sequence[str] = NAMES) -> None:
    objects = [{name: row[NAMES.index(name)] for name in names} for row in rows]
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))


WRITERS = {"parquet": parquet, "csv": csv, "csv.gz": csv, "jsonl": jsonl}
"""The formats that both engines read."""


def in_parts(folder: Path, ending: str) -> None:
    """As Spark writes: parts, one of them empty, and its notes."""
    for part in range(4):
        WRITERS[ending](folder / f"part-0000{part}.{ending}", ROWS[part::4])
    WRITERS[ending](folder / f"part-00004.{ending}", [])
    (folder / "_SUCCESS").touch()
    (folder / ".part-00000.crc").write_bytes(b"crc")
    (folder / "_committed_1").write_bytes(b"{}")


def in_shards(folder: Path, ending: str) -> None:
    """As Hugging Face writes."""
    for part in range(3):
        WRITERS[ending](folder / f"test-0000{part}-of-00003.{ending}", ROWS[part * 24 : (part + 1) * 24])


def with_marker(folder: Path, ending: str) -> None:
    """Names of any kind, and the mark that a job wrote them."""
    for part, name in enumerate(("a", "b")):
        WRITERS[ending](folder / f"{name}.{ending}", ROWS[part::2])
    (folder / "_SUCCESS").touch()


def by_key(folder: Path, ending: str) -> None:
    """A folder for each query; its id, 00, is no number 0."""
    for query in sorted({query for query, _, _ in ROWS}):
        (folder / f"qid={query}").mkdir()
        rows = [row for row in ROWS if row[0] == query]
        WRITERS[ending](folder / f"qid={query}" / f"x.{ending}", rows, ("docno", "score"))


def separate(folder: Path, ending: str) -> None:
    """Two runs, and a file that the system keeps there."""
    WRITERS[ending](folder / f"dense.{ending}", ROWS)
    WRITERS[ending](folder / f"sparse.{ending}", [(q, d, -s) for q, d, s in ROWS])
    (folder / ".DS_Store").write_bytes(b"x")


FOLDERS: dict[Callable[[Path, str], None], list[str]] = {  # how a folder is written: the names of its runs
    in_parts: ["best"],
    in_shards: ["best"],
    with_marker: ["best"],
    by_key: ["best"],
    separate: ["dense", "sparse"],
}


def mixed(folder: Path, ending: str) -> None:
    in_parts(folder, ending)
    WRITERS[ending](folder / f"other.{ending}", ROWS)


def called_otherwise(folder: Path, ending: str) -> None:
    for part in range(2):
        WRITERS[ending](folder / f"data_{part}.{ending}", ROWS[part * 36 : (part + 1) * 36])


def keys_and_files(folder: Path, ending: str) -> None:
    by_key(folder, ending)
    WRITERS[ending](folder / f"loose.{ending}", ROWS)


EITHER = (mixed, called_otherwise, keys_and_files)
"""Folders that could be read in both ways."""


def made(tmp_path: Path, how: Callable[[Path, str], None], ending: str) -> list[str]:
    folder = tmp_path / "best.runs" / "best"
    folder.mkdir(parents=True)
    how(folder, ending)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{query} 0 {doc} {i % 3}\n" for i, (query, doc, _) in enumerate(ROWS) if i % 5))
    return [str(qrels), str(folder), "-m", "AP nDCG@5"]


def evaluated(arguments: list[str]) -> dict[str, Any]:
    result = CliRunner().invoke(command, [*arguments, "--format", "json"])
    if result.exception is not None:
        raise result.exception
    found = json.loads(result.stdout)
    return {"runs": [(run["name"], run["mean"]) for run in found["runs"]], "notes": found["notes"]}


def readings(engines: Sequence[Evaluate], arguments: list[str]) -> Iterator[dict[str, Any]]:
    """What each engine makes of a path."""
    for engine in engines:
        try:
            yield engine(arguments)
        except InputError as error:
            yield {"error": error.problem}


def differing(engines: Sequence[Evaluate], arguments: list[str]) -> list[dict[str, Any]]:
    """The readings of a path, where they are not all the same."""
    found = list(readings(engines, arguments))
    return [] if all(each == found[0] for each in found) else found


def on_spark(arguments: list[str]) -> dict[str, Any]:
    return evaluated([*arguments, "--engine", "spark"])


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("how", FOLDERS, ids=lambda how: how.__name__)
def test_a_folder_is_what_it_is(how: Callable[[Path, str], None], ending: str, tmp_path: Path) -> None:
    arguments = made(tmp_path, how, ending)
    found = evaluated(arguments)
    assert [name for name, _ in found["runs"]] == FOLDERS[how]
    parquet(tmp_path / "whole.parquet", ROWS)
    whole = evaluated([arguments[0], str(tmp_path / "whole.parquet"), *arguments[2:]])
    assert found["runs"][0][1] == whole["runs"][0][1]
    hidden = [note for note in found["notes"] if note["code"] == "hidden-files"]
    assert len(hidden) == (how is separate)


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("how", EITHER, ids=lambda how: how.__name__)
def test_what_could_be_either_is_an_error_that_names_the_option(
    how: Callable[[Path, str], None], ending: str, tmp_path: Path
) -> None:
    arguments = made(tmp_path, how, ending)
    with pytest.raises(InputError) as found:
        evaluated(arguments)
    assert found.value.hint is not None
    assert "--folders one" in found.value.hint
    assert "--folders many" in found.value.hint


def test_the_option_says_which_is_meant(tmp_path: Path) -> None:
    arguments = made(tmp_path, called_otherwise, "parquet")
    assert [name for name, _ in evaluated([*arguments, "--folders", "one"])["runs"]] == ["best"]
    assert [name for name, _ in evaluated([*arguments, "--folders", "many"])["runs"]] == ["data_0", "data_1"]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("ending", WRITERS)
def test_law_one_path_has_one_reading_on_every_engine(ending: str, tmp_path: Path) -> None:
    for number, how in enumerate((*FOLDERS, *EITHER)):
        arguments = made(tmp_path / str(number), how, ending)
        assert differing((evaluated, on_spark), arguments) == [], how.__name__
    forced = [*made(tmp_path / "forced", called_otherwise, ending), "--folders", "one"]
    assert differing((evaluated, on_spark), forced) == []


def test_the_law_catches_an_engine_that_reads_every_file_as_a_run(tmp_path: Path) -> None:
    def file_by_file(arguments: list[str]) -> dict[str, Any]:
        files = sorted(str(file) for file in Path(arguments[1]).glob("*.parquet"))[:4]
        return evaluated([arguments[0], *files, *arguments[2:]])

    arguments = made(tmp_path, in_parts, "parquet")
    assert len(differing((evaluated, file_by_file), arguments)) == 2


def test_parts_without_a_header_are_refused_before_spark_drops_their_first_lines(tmp_path: Path) -> None:
    for part in range(2):
        (tmp_path / f"part-{part}.csv").write_text(f"q{part},d1,1.0\n")
    with pytest.raises(InputError, match="expected a header in every part, found parts without one"):
        read_runs(SimpleNamespace(), [str(tmp_path)], "csv")


@pytest.mark.usefixtures("spark")
def test_a_pattern_or_an_address_has_one_reading_on_every_engine(tmp_path: Path) -> None:
    arguments = made(tmp_path, separate, "parquet")
    for path in (f"{arguments[1]}/*.parquet", f"file://{arguments[1]}"):
        assert differing((evaluated, on_spark), [arguments[0], path, *arguments[2:]]) == []
    arguments = made(tmp_path / "parts", in_parts, "parquet")
    here = evaluated(arguments)
    there = on_spark([arguments[0], f"{arguments[1]}/part-*.parquet", *arguments[2:]])
    assert here["runs"] == there["runs"]
