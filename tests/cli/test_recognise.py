"""`germane FILE…`: what files are, and the commands that take them."""

from __future__ import annotations

import json
import shlex
import sqlite3
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from germane.api.files.file_types import CALLED, Recognised, recognise
from germane.api.files.suggestions import suggested
from germane.cli import CONTEXT, group
from germane.cli.shell.command_class import Command
from germane.errors import GermaneError

EVENT = {"event": "1", "kind": "grade", "assessor": "a", "topic": "t", "doc": "d", "grade": 1}
TEXTS = {
    # file                 content                                                                       thing
    "qrels.txt": ("301 0 FT911-3 1\n301 0 FT911-4 0\n", "qrels"),
    "beir.tsv": ("query-id\tcorpus-id\tscore\n1\td1\t1\n", "qrels"),
    "qrels.json": ('{"301": {"FT911-3": 1}}', "qrels"),
    "bm25.run": ("301 Q0 FT911-3 1 12.5 bm25\n", "run"),
    "run.csv": ("qid,docno,rank,score\n1,d1,1,2.5\n", "run"),
    "run.jsonl": ('{"qid": "1", "docno": "d1", "score": 2.5}\n', "run"),
    "dict.json": ('{"1": {"d1": 2.5}}', "run"),
    "topics.tsv": ("1\tred wine\n2\twhite roses\n", "topics"),
    "asked.tsv": ("1\tred wine\n2\twhite roses\n", "topics"),
    "queries.jsonl": ('{"_id": "1", "text": "red wine"}\n', "topics"),
    "q.jsonl": ('{"qid": "1", "query": "red wine"}\n', "topics"),
    "trec": ("<top>\n<num> Number: 301\n<title> Crime\n</top>\n", "topics"),
    "topics.xml": ('<topics><topic number="1"><query>x</query></topic></topics>', "topics"),
    "docs.jsonl": ('{"id": "d1", "text": "Red wine keeps well."}\n', "documents"),
    "long.jsonl": (json.dumps({"id": "d1", "text": "Red wine keeps well. " * 20}) + "\n", "documents"),
    "books.csv": ("docno,title,abstract\n1,Wine,On wine\n", "documents"),
    "collection.tsv": ("0\tThe presence of communication.\n", "documents"),
    "ft911": ("<DOC>\n<DOCNO> FT911-3 </DOCNO>\n<TEXT>x</TEXT>\n</DOC>\n", "documents"),
    "cran.qry": (".I 001\n.W\nwhat is lift ?\n", "topics"),
    "cran.all": (".I 1\n.T\nwing\n.W\nlift of a wing\n", "documents"),
    "pool.jsonl": ('{"germane_pool": 1, "method": "depth"}\n{"topic": "1", "doc": "d"}\n', "pool"),
    "plain.pool": ("301 FT911-3\n301 FT911-4\n", "pool"),
    "letters.pool": ("wine barolo\nwine rioja\nwine tokaji\nrose tea\nrose pink\nrose red\n", "pool"),
    "log.tsv": ("green tea\t57\nwine\t3\n", "log"),
    "asked.txt": ("green tea\nred wine\nblue sky\n", "log"),
    "search.log": ("wine\nhow to store red wine\nwine of 2019\n", "log"),
    "log.csv": ("query,count\ngreen tea,57\n", "log"),
    "logged.run": ("301 Q0 FT911-3 1 12.5 bm25\n301 Q0 FT911-4 2 11.5 bm25\n", "run"),
    "queries.qrels": ("301 0 FT911-3 1\n301 0 FT911-4 0\n", "qrels"),
    "log.board": ("bm25\t0.5\ndense\t0.6\n", "leaderboard"),
    "retrieved.board": ("bm25\t57\ndense\t60\n", "leaderboard"),
    "topics.csv": ("id,title\n1,red wine\n", "topics"),
    "ann.jsonl": (json.dumps(EVENT) + "\n", "judgments"),
    "ratings.csv": ("query,document,rating,judge\n1,d1,2,ann\n", "judgments"),
    "items.csv": ("id,label,score\n1,1,.5\n", "items"),
    "items.tsv": ("y_true\ty_pred\n1\t1\n", "items"),
    "items.jsonl": ('{"label": 1, "score": 0.5}\n', "items"),
    "cancer.csv": (",no,yes\nno,1820,180\nyes,10,20\n", "matrix"),
    "matrix.json": ('{"labels": ["a", "b"], "matrix": [[1, 2], [3, 4]]}', "matrix"),
    "board.csv": ("run,queries,AP\nbm25,3,0.5\n", "leaderboard"),
    "board.txt": ("bm25 0.5\ndense 0.6\n", "leaderboard"),
    "board.json": ('{"germane": "1", "runs": [{"name": "bm25", "mean": {"AP": 0.5}}]}', "leaderboard"),
    "agent.json": ('{"germane_agent": 1}', "agent"),
    "model.json": ('{"format": "germane ranking model", "version": 1}', "model"),
    "train.letor": ("2 qid:1 1:0.5 2:1 # d1\n0 qid:1 1:0.1 2:0\n", "features"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_is_recognised(name: str, tmp_path: Path) -> None:
    content, thing = TEXTS[name]
    (tmp_path / name).write_text(content)
    found = recognise(tmp_path / name)
    assert found.thing == thing, found.why
    assert found.why


def test_compressed_files_are_looked_into(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "bm25.run.gz").write_bytes(gzip.compress(TEXTS["bm25.run"][0].encode()))
    assert recognise(tmp_path / "bm25.run.gz").thing == "run"


def test_binary_files(tmp_path: Path) -> None:
    np.save(tmp_path / "docs.npy", np.zeros((3, 2), dtype=np.float32))
    found = recognise(tmp_path / "docs.npy")
    assert (found.thing, found.why) == ("vectors", "a matrix saved by NumPy, 3 vectors of 2 numbers")
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.table({"label": [1], "score": [0.5]}), tmp_path / "items.parquet")
    found = recognise(tmp_path / "items.parquet")
    assert (found.thing, found.scored) == ("items", True)
    parquet.write_table(arrow.table({"qid": ["1"], "docno": ["d"], "score": [0.5]}), tmp_path / "run.parquet")
    assert recognise(tmp_path / "run.parquet").thing == "run"


def test_a_judging_database_and_another_one(tmp_path: Path) -> None:
    for name, tables in (("judging.db", ("schema_steps", "events", "pools")), ("other.db", ("songs",))):
        with sqlite3.connect(tmp_path / name) as database:
            for table in tables:
                database.execute(f"create table {table} (id)")
        database.close()
    assert recognise(tmp_path / "judging.db").thing == "project"
    with pytest.raises(GermaneError, match="not a project of `germane judge`"):
        recognise(tmp_path / "other.db")


def test_folders(tmp_path: Path) -> None:
    for folder, files in {
        "runs": {"a.run": TEXTS["bm25.run"][0], "b.run": TEXTS["bm25.run"][0]},
        "notes": {"a.txt": "Red wine.", "b.html": "<p>White wine.</p>", "blog.txt": "Red wine.\nOr white?\n"},
        "released": {"manifest.json": '{"germane_release": 1}'},
        "beir": {"corpus.jsonl": TEXTS["docs.jsonl"][0], "queries.jsonl": TEXTS["queries.jsonl"][0]},
    }.items():
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)
    things = {folder.name: recognise(folder).thing for folder in tmp_path.iterdir()}
    assert things == {"runs": "runs", "notes": "documents", "released": "release", "beir": "documents"}
    CliRunner().invoke(group, ["index", str(tmp_path / "library"), str(tmp_path / "beir" / "corpus.jsonl")])
    assert recognise(tmp_path / "library").thing == "index"


def germane(*words: str | Path) -> Result:
    return CliRunner().invoke(group, [str(word) for word in words])


def test_files_in_place_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    germane("demo", "--tutorial", "exercise", "--output", ".")
    found = germane("qrels.txt", "system1.run", "system2.run")
    assert found.exit_code == 2  # no command was given, and a script must notice
    assert found.stdout.startswith(
        "qrels.txt    judgments (qrels): 4 fields per line, the fourth a grade\n"
        "system1.run  a run: 6 fields per line, the fifth a score\n"
    )
    assert "\n  germane eval qrels.txt system1.run system2.run\n      how good is it?\n" in found.stdout
    assert found.stderr == "note: no command given, so nothing was computed\n"
    assert germane(".").stdout == found.stdout
    assert germane("eval", "qrels.txt", "system1.run").exit_code == 0  # a folder called eval would not change that


def test_no_run_is_left_out_of_what_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    runs = [f"runs/{name}.run" for name in "abcdefghijklm"]
    for run in runs:
        Path(run).write_text(TEXTS["bm25.run"][0])
    listed = " ".join(runs)
    few, many = (germane(*given).stdout for given in (runs[:12], runs))
    assert f"\n  germane compare QRELS {' '.join(runs[:12])}\n" in few
    assert "\n  germane compare QRELS runs\n" in many
    assert f"\n  germane compare QRELS {listed} other.run\n" in _with_another(runs)
    Path("runs/n.run").write_text(TEXTS["bm25.run"][0])  # the folder now holds a run that was not given
    assert f"\n  germane compare QRELS {listed}\n" in germane(*runs).stdout
    Path("runs/n.run").unlink()
    Path("runs/old").mkdir()  # and now what is no run
    assert f"\n  germane fuse {listed} -o fused.run\n" in germane(*runs).stdout


def _with_another(runs: list[str]) -> str:
    Path("other.run").write_text(TEXTS["bm25.run"][0])
    return germane(*runs, "other.run").stdout


def test_what_is_not_recognised_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(TEXTS["qrels.txt"][0])
    Path("poem").write_text("How do I love thee?\nLet me count the ways.\n")
    Path("empty").mkdir()
    for words, told in (
        (["qrel.txt"], "qrel.txt: no such file or folder\nHint: did you mean qrels.txt?"),
        (["poem"], "poem: unrecognised file format\nHint: run `germane check poem --kind run`"),
        (["empty"], "no file in this folder has a format that germane reads"),
        (["qrels.txt", "nowhere"], "nowhere: no such file or folder"),
    ):
        assert told in str(germane(*words).exception)
    Path("mixed").mkdir()
    for name in ("qrels.txt", "poem"):
        (Path("mixed") / name).write_text(Path(name).read_text())
    found = germane("mixed")
    assert "mixed/qrels.txt  judgments" in found.stdout
    assert "note: mixed: unrecognised files: poem" in found.stderr


@pytest.mark.parametrize("thing", CALLED)
def test_every_thing_has_commands_whose_words_are_understood(thing: str) -> None:
    """Alone, and twice with all that it may go with: whatever is suggested can be parsed."""
    alone = [Recognised("a file", thing, "", scored=True)]  # type: ignore[arg-type]
    others = [Recognised(f"{kind}1", kind, "", scored=True) for kind in CALLED]
    assert suggested(alone)
    for suggestion in [*suggested(alone), *suggested(alone + others), *suggested(others + others)]:
        words = shlex.split(suggestion.command)
        assert words[0] == "germane"
        command: click.Command = group
        context = click.Context(group, **CONTEXT)
        rest = words[1:]
        while isinstance(command, click.Group) and rest[0] in command.list_commands(context):
            found = command.get_command(context, rest.pop(0))
            assert found is not None
            command = found
        assert isinstance(command, Command)
        command.make_context(words[1], rest)
