"""The same rows give the same result as one file, in parts, by a pattern, and at an address."""

from __future__ import annotations

import csv
import gzip
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import ipc, orc, parquet

import germane as ge
from germane.api.files.file_types import recognise
from germane.cli import group
from germane.cli.commands.check import command as check_command
from germane.cli.commands.convert import command as convert_command
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import read_labelled, stream_labelled
from germane.formats.files.addresses import Address
from germane.formats.files.part_folders import Parts, files_of, parts_of
from germane.formats.files.patterns import matches
from germane.formats.files.sources import display_name, first_bytes
from germane.formats.rankings.conversion import convert
from tests.object_store import object_store, set_environment, uploader

QRELS = "".join(f"q{query} 0 d{doc} {doc % 3}\n" for query in range(4) for doc in range(0, 30, 5))
ROWS = [(f"q{query}", f"d{doc}", float((doc * 7 + query) % 11)) for query in range(4) for doc in range(30)]


def table(rows: list[tuple[str, str, float]]) -> pa.Table:
    query, doc, score = zip(*rows, strict=True)
    return pa.table({"qid": query, "docno": doc, "score": score})


def write_text(rows: pa.Table, path: Path) -> None:
    path.write_text("".join(f"{r['qid']} Q0 {r['docno']} 1 {r['score']!r} t\n" for r in rows.to_pylist()))


def write_csv(rows: pa.Table, path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows.column_names)
        writer.writerows(row.values() for row in rows.to_pylist())


def write_arrow(rows: pa.Table, path: Path) -> None:
    with ipc.new_file(path, rows.schema) as writer:
        writer.write_table(rows)


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "parquet": lambda rows, path: parquet.write_table(rows, path, row_group_size=17),
    "orc": orc.write_table,
    "arrow": write_arrow,
    "csv": write_csv,
    "run": write_text,
}


def one_file(folder: Path, ending: str) -> str:
    WRITERS[ending](table(ROWS), folder / f"data.{ending}")
    return str(folder / f"data.{ending}")


def folder_of_parts(folder: Path, ending: str) -> str:
    (folder / "data").mkdir()
    for number, begin in enumerate(range(0, len(ROWS), 25)):  # which divides queries
        WRITERS[ending](table(ROWS[begin : begin + 25]), folder / "data" / f"part-{number:05}.{ending}")
    (folder / "data" / "_SUCCESS").touch()
    (folder / "data" / f".part-00000.{ending}.crc").write_bytes(b"\0crc")
    return str(folder / "data")


def by_pattern(folder: Path, ending: str) -> str:
    return f"{folder_of_parts(folder, ending)}/*.{ending}"


def hive_folder(folder: Path, ending: str) -> str:
    for query in dict.fromkeys(query for query, _, _ in ROWS):
        inside = folder / "data" / f"qid={query}"
        inside.mkdir(parents=True)
        rows = table([row for row in ROWS if row[0] == query])
        WRITERS[ending](rows.drop_columns(["qid"]), inside / f"a.{ending}")
    return str(folder / "data")


def hive_pattern(folder: Path, ending: str) -> str:
    return f"{hive_folder(folder, ending)}/qid=*/*"


def evaluated(qrels: str, run: str) -> tuple[Any, ...]:
    scores = ge.evaluate(qrels, run, ["AP", "nDCG@10", "RR"])
    notes = [(note.code, note.count, note.examples) for note in scores.notes]
    return scores.values.tolist(), notes


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    with object_store() as variables:
        yield variables


@pytest.fixture
def upload(store: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, str], str]:
    set_environment(store, monkeypatch)
    return uploader(store)


@pytest.fixture
def qrels(tmp_path: Path) -> str:
    path = tmp_path / "qrels.txt"
    path.write_text(QRELS)
    return str(path)


@pytest.fixture
def expected(qrels: str, tmp_path: Path) -> tuple[Any, ...]:
    write_text(table(ROWS), tmp_path / "expected.run")
    return evaluated(qrels, str(tmp_path / "expected.run"))


NAMED = [ending for ending in WRITERS if ending != "run"]
"""The formats with named columns, without which folder names cannot add any."""
STORED = [(way, ending) for way in (one_file, folder_of_parts, by_pattern) for ending in WRITERS]
STORED += [(way, ending) for way in (hive_folder, hive_pattern) for ending in NAMED]


@pytest.mark.parametrize(("way", "ending"), STORED)
def test_every_way_to_store_a_run_gives_the_same_scores(
    way: Callable[[Path, str], str], ending: str, qrels: str, expected: tuple[Any, ...], tmp_path: Path
) -> None:
    run = way(tmp_path, ending)
    assert evaluated(qrels, run) == expected
    assert ge.read_run(run).to_dict() == ge.read_run(str(tmp_path / "expected.run")).to_dict()


@pytest.mark.parametrize(("way", "ending"), STORED)
def test_an_address_is_read_as_a_path(
    way: Callable[[Path, str], str],
    ending: str,
    qrels: str,
    expected: tuple[Any, ...],
    tmp_path: Path,
    upload: Callable[[Path, str], str],
) -> None:
    run = way(tmp_path, ending)
    name = f"{way.__name__}-{ending}"
    stored = tmp_path / (f"data.{ending}" if way is one_file else "data")
    address = upload(stored, f"{name}/{stored.name}")
    run = run.replace(str(stored), address)
    assert evaluated(upload(Path(qrels), f"{name}/qrels.txt"), run) == expected


def test_file_addresses_are_local_paths(qrels: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    for ending in ("run", "parquet"):
        assert evaluated(f"file://{qrels}", f"file://{one_file(tmp_path, ending)}") == expected


def test_compressed_text_at_an_address(
    qrels: str, expected: tuple[Any, ...], tmp_path: Path, upload: Callable[[Path, str], str]
) -> None:
    packed = tmp_path / "bm25.run.gz"
    packed.write_bytes(gzip.compress(Path(one_file(tmp_path, "run")).read_bytes()))
    address = upload(packed, "packed/bm25.run.gz")
    assert evaluated(qrels, address) == expected
    assert display_name(address) == "bm25"


@pytest.mark.parametrize("ending", WRITERS)
def test_interleaved_queries_give_the_same_scores(
    ending: str, qrels: str, expected: tuple[Any, ...], tmp_path: Path
) -> None:
    path = tmp_path / f"mixed.{ending}"
    WRITERS[ending](table(ROWS[::2] + ROWS[1::2]), path)
    assert evaluated(qrels, str(path))[0] == expected[0]


def test_folders_named_by_runs_are_runs(qrels: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    for name in ("bm25", "dense%2B"):
        (tmp_path / "runs" / f"run={name}").mkdir(parents=True)
        parquet.write_table(table(ROWS), tmp_path / "runs" / f"run={name}" / "part-0.parquet")
    for given in (tmp_path / "runs", f"{tmp_path}/runs/run=*", f"{tmp_path}/runs/*/part-*"):
        scores = ge.evaluate(qrels, given, ["AP", "nDCG@10", "RR"])
        assert [run.name for run in scores.runs] == ["bm25", "dense+"]
        assert scores.values[1].tolist() == expected[0][0]
    with pytest.raises(InputError, match=r"expected the parts of one run, found 2: run=bm25, run=dense\+"):
        ge.evaluate(qrels, Parts(tmp_path / "runs"), "AP")


def test_deeper_keys_of_runs_are_refused(qrels: str, tmp_path: Path) -> None:
    for name in ("bm25", "dense"):
        (tmp_path / "runs" / "lang=en" / f"run={name}").mkdir(parents=True)
        parquet.write_table(table(ROWS), tmp_path / "runs" / "lang=en" / f"run={name}" / "part-0.parquet")
    for read in (ge.read_run, lambda path: ge.evaluate(qrels, path, "AP")):
        with pytest.raises(InputError, match="expected the parts of one run, found 2: run=bm25, run=dense"):
            read(tmp_path / "runs")


def test_keys_that_are_not_needed_are_carried(qrels: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    for language, rows in (("en", ROWS[:60]), ("nl", ROWS[60:])):
        (tmp_path / "runs" / f"lang={language}").mkdir(parents=True)
        parquet.write_table(table(rows), tmp_path / "runs" / f"lang={language}" / "a.parquet")
    assert evaluated(qrels, str(tmp_path / "runs")) == expected
    assert evaluated(qrels, f"{tmp_path}/runs/**/*.parquet") == expected


def test_a_pattern_of_separate_files_is_several_runs(qrels: str, tmp_path: Path) -> None:
    for name in ("b", "a"):
        write_text(table(ROWS), tmp_path / f"{name}.run")
    assert [run.name for run in ge.evaluate(qrels, f"{tmp_path}/*.run", "AP").runs] == ["a", "b"]
    assert files_of(f"{tmp_path}/*.run") == [f"{tmp_path}/a.run", f"{tmp_path}/b.run"]
    assert parts_of(f"{tmp_path}/*.run") is None
    assert len(parts_of(f"{tmp_path}/[a]*.run") or []) == 1
    with pytest.raises(InputError, match="found a folder"):
        ge.evaluate(f"{tmp_path}/*.run", f"{tmp_path}/a.run", "AP")


def test_a_name_with_wildcards_that_exists_is_a_name(qrels: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    write_text(table(ROWS), tmp_path / "bm25[1].run")
    assert evaluated(qrels, f"{tmp_path}/bm25[1].run") == expected
    assert display_name(f"{tmp_path}/bm25[1].run") == "bm25[1]"


def test_a_name_with_wildcards_in_a_folder_or_at_an_address(
    qrels: str, expected: tuple[Any, ...], tmp_path: Path, upload: Callable[[Path, str], str]
) -> None:
    folder = tmp_path / "runs [1]"
    folder.mkdir()
    write_text(table(ROWS), folder / "bm25[1].run")
    for run in (f"{folder}/*.run", upload(folder, "names [1]") + "/*.run", "s3://bucket/names [1]/bm25[1].run"):
        assert evaluated(qrels, run) == expected
        assert [info.name for info in ge.evaluate(qrels, run, "AP").runs] == ["bm25[1]"]


def test_a_pattern_with_one_match_is_that_file_or_folder(qrels: str, tmp_path: Path) -> None:
    hive_folder(tmp_path, "parquet")
    write_text(table(ROWS), tmp_path / "bm25.run")
    for pattern, name in ((f"{tmp_path}/bm*", "bm25"), (f"{tmp_path}/da*", "data")):
        assert [info.name for info in ge.evaluate(qrels, pattern, "AP").runs] == [name]
    assert list(ge.read_run(f"{tmp_path}/data/qid=*2").queries) == ["q2"]
    with pytest.raises(InputError, match="found a folder of separate files"):
        ge.read_run(f"{tmp_path.parent}/{tmp_path.name[:-1]}?")
    (tmp_path / "many").mkdir()
    for number, begin in enumerate(range(0, len(ROWS), 40)):
        write_text(table(ROWS[begin : begin + 40]), tmp_path / "many" / f"{number}.run")
    assert len(ge.evaluate(qrels, Parts(f"{tmp_path}/man*"), "AP").runs) == 1


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_format_of_a_part_is_detected_once(
    ending: str, qrels: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of_parts(tmp_path, ending)
    read: list[Path] = []

    def counting(path: Path, size: int) -> bytes:
        read.append(path)
        return first_bytes(path, size)

    monkeypatch.setattr("germane.formats.files.part_tables.first_bytes", counting)
    ge.evaluate(qrels, folder, "AP")
    assert sorted(read) == sorted(Path(folder).glob("part-*"))
    (Path(folder) / f"part-00000.{ending}").write_bytes(b"")  # a part that is written again is detected again
    assert len(ge.read_run(folder).docs) == len(ROWS) - 25


def test_a_duplicate_column_in_parts(tmp_path: Path) -> None:
    rows = pa.Table.from_arrays([["q1"], ["d1"], [1.0], [2.0]], names=["qid", "docno", "score", "score"])
    parquet.write_table(rows, tmp_path / "part-0.parquet")
    with pytest.raises(InputError, match=r"part-0\.parquet: duplicate column 'score' among 'qid', 'docno', 'score'"):
        ge.read_run(tmp_path)


@pytest.mark.parametrize("table", ["run.parquet", "run.arrow"])
def test_a_duplicate_column_of_one_table(table: str, tmp_path: Path) -> None:
    path = tmp_path / table
    rows = pa.Table.from_arrays([["q1"], ["d1"], [1.0], [2.0]], names=["qid", "docno", "score", "score"])
    if path.suffix == ".parquet":
        parquet.write_table(rows, path)
    else:
        with ipc.new_file(path, rows.schema) as writer:
            writer.write_table(rows)
    problem = "duplicate column 'score' among 'qid', 'docno', 'score', 'score'"
    for read in (ge.read_run, lambda path: ge.evaluate({"q1": {"d1": 1}}, path, "AP")):
        with pytest.raises(InputError, match=problem):
            read(path)
    checked = CliRunner().invoke(check_command, [str(path)])
    assert (checked.exit_code, problem in checked.stdout) == (2, True)


def test_other_credentials_are_another_connection(store: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(store, monkeypatch)
    before = Address("s3://bucket/bm25.run")._files
    assert Address("s3://bucket/dense.run")._files is before
    monkeypatch.setenv("AWS_SESSION_TOKEN", "renewed")
    assert Address("s3://bucket/bm25.run")._files is not before


LOCAL = [
    "index s3://bucket/index {documents}",
    "index gs://bucket/index",
    "release {judgments} -o s3://bucket/release",
    "release --check s3://bucket/release",
    "exercise make ap -o s3://bucket/sheet.md",
    "eval {qrels} {run} --all-tables s3://bucket/tables",
    "demo -o s3://bucket/demo",
]


@pytest.mark.parametrize("words", LOCAL)
def test_what_needs_a_local_disk_refuses_an_address(
    words: str, qrels: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.jsonl").write_text('{"_id": "d1", "text": "red wine"}\n')
    files = {"documents": "docs.jsonl", "judgments": qrels, "qrels": qrels, "run": one_file(tmp_path, "run")}
    before = sorted(tmp_path.iterdir())
    result = CliRunner().invoke(group, words.format(**files).split())
    assert "expected a local path, found an address" in str(result.exception), result.output
    assert sorted(tmp_path.iterdir()) == before  # no folder called s3:


def test_file_addresses_of_other_data(tmp_path: Path, upload: Callable[[Path, str], str]) -> None:
    (tmp_path / "docs.jsonl").write_text('{"_id": "d1", "text": "red wine"}\n')
    assert ge.index(f"file://{tmp_path}/index", f"file://{tmp_path}/docs.jsonl").added == 1
    assert (tmp_path / "index").is_dir()
    for name, content in (("a", "query_id,AP\nq1,0.2\nq2,0.4\n"), ("b", "query_id,AP\nq1,0.3\nq2,0.9\n")):
        (tmp_path / f"{name}.csv").write_text(content)
    for given in (f"file://{tmp_path}", upload(tmp_path, "tables")):
        result = CliRunner().invoke(group, ["compare", f"{given}/a.csv", f"{given}/b.csv"])
        assert result.exit_code == 0, result.exception
    (tmp_path / "matrix.csv").write_text(",cat,dog\ncat,3,1\ndog,2,5\n")
    with pytest.raises(GermaneError) as caught:
        ge.classify(upload(tmp_path / "matrix.csv", "matrix.csv"))
    assert "confusion matrix" in str(caught.value.hint)


def test_an_output_never_replaces_a_part(qrels: str, tmp_path: Path, upload: Callable[[Path, str], str]) -> None:
    run = Path(folder_of_parts(tmp_path, "parquet"))
    address = upload(run, "spared/run")
    for given in (str(run), f"{run}/part-*", address):
        output = f"{address if given == address else run}/part-00001.parquet"
        with pytest.raises(InputError, match="the output is also an input"):
            ge.report(qrels, given, output=output)
        with pytest.raises(InputError, match="the output is a part of the input"):
            convert(given, output, overwrite=True)
    assert len(ge.read_run(run).docs) == len(ge.read_run(address).docs) == len(ROWS)
    ge.plot("pr", qrels, run, output="s3://bucket/spared/new/curves.json")
    assert Address("s3://bucket/spared/new/curves.json").is_file()


PATTERNS = ("*", ".h*", "**", "**/?", "{a,in*}")


def test_patterns_match_hidden_names_only_as_written(tmp_path: Path) -> None:
    for name in (".hidden", "a", "inner/b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = {pattern: [path.name for path in matches(f"{tmp_path}/{pattern}")] for pattern in PATTERNS}
    assert found == {
        "*": ["a", "inner"],
        ".h*": [".hidden"],
        "**": ["a", "b"],
        "**/?": ["a", "b"],
        "{a,in*}": ["a", "inner"],
    }


def test_commands_at_an_address(qrels: str, tmp_path: Path, upload: Callable[[Path, str], str]) -> None:
    run, judged = upload(Path(folder_of_parts(tmp_path, "parquet")), "commands/run"), upload(Path(qrels), "commands/q")
    labels = tmp_path / "labels.csv"
    labels.write_text("truth,score\n1,0.9\n0,0.2\n1,0.7\n")
    runner = CliRunner()
    target = f"s3://bucket/commands/{tmp_path.name}.parquet"
    for command in (
        ["eval", judged, run, "-m", "AP"],
        ["compare", judged, run, one_file(tmp_path, "orc"), "-m", "AP"],
        ["classify", upload(labels, "commands/labels.csv")],
        ["check", run],
        ["fuse", run, one_file(tmp_path, "orc"), "-o", target],
        ["pool", run, "-o", str(tmp_path / "pool.jsonl")],
        ["report", judged, run, "-o", str(tmp_path / "report.html")],
        ["convert", target, f"s3://bucket/commands/{tmp_path.name}.run"],
    ):
        result = runner.invoke(group, command)
        assert result.exit_code == 0, (command, result.output, result.exception)
    assert len(ge.read_run(f"s3://bucket/commands/{tmp_path.name}.run").docs) == len(ROWS)
    with pytest.raises(InputError, match="file already exists"):
        ge.write_run(ge.read_run(run), target, overwrite=False)


PROBLEMS = [
    ("s3://", "s3://: expected a bucket, found none"),
    ("s3://bucket/missing.run", "s3://bucket/missing.run: no such file, folder or bucket"),
    ("s3://no-such-bucket/bm25.run", "s3://no-such-bucket/bm25.run: no such file, folder or bucket"),
    ("s3://bucket/*.nothing", "expected files that match the pattern, found none"),
]


@pytest.mark.parametrize(("address", "said"), PROBLEMS)
@pytest.mark.usefixtures("upload")
def test_bad_addresses(address: str, said: str) -> None:
    with pytest.raises(GermaneError, match=said.replace("*", r"\*")) as caught:
        ge.read_run(address)
    assert caught.value.hint


def test_a_store_that_cannot_be_reached_is_reported_soon(store: dict[str, str], monkeypatch: Any) -> None:
    set_environment({**store, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, monkeypatch)
    begin = time.monotonic()
    with pytest.raises(InputError, match="cannot access it: ") as caught:
        ge.read_run("s3://bucket/bm25.run")
    assert "AWS_ENDPOINT_URL" in str(caught.value.hint)
    assert time.monotonic() - begin < 60


def test_credentials_are_missing(
    store: dict[str, str], tmp_path: Path, upload: Callable[[Path, str], str], monkeypatch: Any
) -> None:
    address = upload(Path(one_file(tmp_path, "run")), "secret.run")
    bare = {name: store[name] for name in ("AWS_ENDPOINT_URL", "AWS_EC2_METADATA_DISABLED", "AWS_REGION")}
    set_environment(bare, monkeypatch)
    with pytest.raises(InputError, match="cannot access it: ") as caught:
        ge.read_run(address)
    assert "AWS_ACCESS_KEY_ID" in str(caught.value.hint)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_errors_name_the_part(ending: str, tmp_path: Path, upload: Callable[[Path, str], str]) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(2):
        rows = [("q1", f"d{number}-{row}", 1.0 if (number, row) != (1, 1) else float("nan")) for row in range(3)]
        WRITERS[ending](table(rows), folder / f"part-{number}.{ending}")
    line = 2 if ending == "parquet" else 3
    for path in (str(folder), f"{folder}/part-*", upload(folder, f"errors/{ending}")):
        printed = CliRunner().invoke(check_command, [path]).stdout
        assert f"part-1.{ending}:{line}: " in printed, printed


def test_conversion_of_parts_to_one_file(tmp_path: Path) -> None:
    target = tmp_path / "one.run"
    result = CliRunner().invoke(convert_command, [folder_of_parts(tmp_path, "orc"), str(target)])
    assert result.exit_code == 0
    assert ge.read_run(target).to_dict() == ge.read_run(tmp_path / "data").to_dict()


KEYS = [
    # address, what its file system calls it, its name
    ("s3://bucket/runs/bm25.run", "bucket/runs/bm25.run", "bm25.run"),
    ("s3a://bucket/runs/", "bucket/runs", "runs"),
    ("gs://bucket/bm25.run", "bucket/bm25.run", "bm25.run"),
    ("abfs://box@account.dfs.core.windows.net/runs/bm25.run", "box/runs/bm25.run", "bm25.run"),
]


@pytest.mark.parametrize(("address", "key", "name"), KEYS)
def test_addresses_in_the_terms_of_their_file_system(address: str, key: str, name: str) -> None:
    assert (Address(address).key, Address(address).name) == (key, name)


def test_an_azure_address_without_an_account() -> None:
    with pytest.raises(InputError, match=r"cannot access it: .*account") as caught:
        ge.read_run("abfs://box/runs/bm25.run")
    assert "AZURE_CLIENT_ID" in str(caught.value.hint)


@pytest.mark.parametrize("ending", ["parquet", "orc", "arrow"])
def test_errors_of_columns_name_the_part_and_its_row(ending: str, qrels: str, tmp_path: Path) -> None:
    for name, rows, said in (
        ("nan", [("q2", "d1", 1.0), ("q2", "d2", float("nan"))], "expected a finite number as score .* in row 2"),
        (
            "twice",
            [("q2", "d1", 1.0), ("q1", "d3", 1.0)],
            f"'d3' for query 'q1' in row 2, first in row 3 of part-0.{ending}",
        ),
    ):
        folder = tmp_path / name
        folder.mkdir()
        WRITERS[ending](table([("q1", f"d{doc}", 1.0) for doc in (1, 2, 3)]), folder / f"part-0.{ending}")
        WRITERS[ending](table(rows), folder / f"part-1.{ending}")
        for read in (ge.read_run, lambda path: ge.evaluate(qrels, path, "AP")):
            with pytest.raises(InputError, match=rf"part-1\.{ending}: .*{said}"):
                read(folder)


LABELS = [(f"i{row}", row % 2, row / 10) for row in range(10)]


def write_labels(rows: list[tuple[str, int, float]], path: Path, *, key: bool) -> None:
    names = ["language", "id", "truth", "score"][0 if key else 1 :]
    columns = list(zip(*((("en", *row) if key else row) for row in rows), strict=True))
    WRITERS[path.suffix[1:]](pa.table(dict(zip(names, columns, strict=True))), path)


@pytest.mark.parametrize("ending", NAMED)
def test_labelled_rows_in_every_way(ending: str, tmp_path: Path, upload: Callable[[Path, str], str]) -> None:
    for name, rows in (("part-0", LABELS[:4]), ("part-1", LABELS[4:])):
        (tmp_path / "parts").mkdir(exist_ok=True)
        (tmp_path / "hive" / f"language={name}").mkdir(parents=True)
        write_labels(rows, tmp_path / "parts" / f"{name}.{ending}", key=False)
        write_labels(rows, tmp_path / "hive" / f"language={name}" / f"a.{ending}", key=False)
    write_labels(LABELS, tmp_path / f"one.{ending}", key=True)
    given = [f"{tmp_path}/{name}" for name in (f"one.{ending}", "parts", f"parts/*.{ending}", "hive", "hive/*/a.*")]
    given += [upload(tmp_path / "parts", f"labels/{ending}"), f"file://{tmp_path}/one.{ending}"]
    for path in given:
        labelled = read_labelled(path)
        assert list(map(int, labelled.truth)) == [label for _, label, _ in LABELS], path
        assert list(labelled.scores["score"]) == [score for _, _, score in LABELS], path
        assert sum(part.num_rows for part in stream_labelled(path, batch_rows=3)) == len(LABELS), path
        assert path.endswith("*") or "*." in path or recognise(path).thing == "items", path


@pytest.mark.parametrize("ending", NAMED)
def test_judgments_in_every_way(ending: str, tmp_path: Path, upload: Callable[[Path, str], str]) -> None:
    rows = [(query, doc, int(score)) for query, doc, score in ROWS]
    expected = dict.fromkeys(query for query, _, _ in rows)
    (tmp_path / "parts").mkdir()
    for number, share in enumerate((rows[:50], rows[50:])):
        judged = pa.table(dict(zip(("qid", "docno", "relevance"), zip(*share, strict=True), strict=True)))
        WRITERS[ending](judged, tmp_path / "parts" / f"part-{number}.{ending}")
    for path in (f"{tmp_path}/parts", f"{tmp_path}/parts/p*", upload(tmp_path / "parts", f"judged/{ending}")):
        qrels = ge.read_qrels(path)
        assert list(qrels.queries) == list(expected)
        assert len(qrels.docs) == len(rows)
        assert sorted(qrels.grade.tolist()) == sorted(float(grade) for _, _, grade in rows)
