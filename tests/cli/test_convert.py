import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli.commands.convert import command
from germane.errors import GermaneError
from germane.formats.rankings.detect import FORMATS
from germane.formats.rankings.ranking_files import read_qrels, read_run

RUN = "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\nq2 Q0 d1 1 3.0 bm25\n"
QRELS = "q1 1 d1 2\nq1 2 d1 0\nq2 1 d1 0.5\n"


def convert(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments), "--overwrite"], input=stdin)


def error(*arguments: str | Path, stdin: bytes | None = None) -> str:
    result = convert(*arguments, stdin=stdin)
    assert isinstance(result.exception, GermaneError)
    return str(result.exception)


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".tsv.gz", ".parquet", ".arrow", ".run.zst"])
def test_there_and_back_again(ending: str, tmp_path: Path) -> None:
    for text, kind in ((RUN, "run"), (QRELS, "qrels")):
        source, between, target = tmp_path / "a.run", tmp_path / f"b{ending}", tmp_path / "c.txt"
        source.write_text(text)
        assert convert(source, between).exit_code == 0
        assert convert(between, target, "--kind", kind).exit_code == 0
        assert target.read_text() == text


def test_standard_input_and_output() -> None:
    result = convert("-", "-", "--to", "jsonl", stdin=gzip.compress(b"q1 0 d1 1\n"))
    assert result.stdout == '{"qid": "q1", "docno": "d1", "relevance": 1}\n'


def test_nothing_is_lost_in_silence(tmp_path: Path) -> None:
    source, target = tmp_path / "a.run", tmp_path / "b.json"
    source.write_text(RUN)
    assert "cannot store the tag 'bm25'\nHint: write jsonl instead, or accept the loss with --lossy" in error(
        source, target
    )
    assert not target.exists()
    result = convert(source, target, "--lossy")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "dropped: the tag 'bm25'\n")
    assert list(read_run(target).docs) == ["d1", "d2", "d1"]


def test_columns_and_fields_without_a_place(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b.jsonl"
    source.write_text("q1 Q0 d1 1 2.5 bm25 extra\n")
    assert "no format can store extra fields on 1 line" in error(source, target)
    source.write_text("qid,docno,score,title\nq1,d1,1,x\n")
    assert "no format can store column 'title'" in error(source, target)
    assert convert(source, target, "--lossy").stderr == "dropped: column 'title'\n"


def test_tags_that_differ(tmp_path: Path) -> None:
    source, target = tmp_path / "a.run", tmp_path / "b.run"
    source.write_text("q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 dense\n")
    assert error(source, target).endswith(
        "expected the same tag on all lines, found 2: 'bm25', 'dense'\nHint: set one with --tag NAME"
    )
    assert convert(source, target, "--tag", "fused").exit_code == 0
    assert target.read_text() == "q1 Q0 d1 1 2.5 fused\nq1 Q0 d2 2 1.5 fused\n"
    assert convert(source, target, "--lossy").stderr == "dropped: the 2 different tags\n"


@pytest.mark.parametrize("options", [(), ("--from", "trec")])
def test_a_tag_for_a_run_of_five_columns(options: tuple[str, ...], tmp_path: Path) -> None:
    source, target = tmp_path / "a.run", tmp_path / "b.run"
    source.write_text("q1 Q0 d1 1 2.5\n")
    assert "add it with `germane convert --tag NAME`" in error(source, target, "--kind", "run")
    assert convert(source, target, "--tag", "bm25", *options).exit_code == 0
    assert target.read_text() == "q1 Q0 d1 1 2.5 bm25\n"


def test_a_tag_for_judgments(tmp_path: Path) -> None:
    source = tmp_path / "qrels"
    source.write_text("q1 0 d1 1\n")
    assert "--tag requires a run, found judgments" in error(source, "-", "--tag", "x")


def test_ms_marco_and_beir(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("q1\td7\t1\nq1\td3\t2\n")
    assert convert(source, target, "--to", "trec").exit_code == 0
    assert target.read_text() == "q1 Q0 d7 1 -1.0 a\nq1 Q0 d3 2 -2.0 a\n"
    assert convert(target, source, "--to", "msmarco", "--lossy").stderr == "dropped: the tag 'a'\n"
    assert source.read_text() == "q1\td7\t1\nq1\td3\t2\n"
    source.write_text("q1 0 d1 1\nq1 0 d2 0.5\n")
    assert convert(source, target, "--to", "beir").exit_code == 0
    assert target.read_text() == "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0.5\n"
    assert read_qrels(target).grade.tolist() == [1, 0.5]


def test_a_file_may_be_converted_into_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(RUN.replace(" ", "\t"))
    assert convert(path, path).exit_code == 0
    assert path.read_text() == RUN


def test_bad_requests(tmp_path: Path) -> None:
    source = tmp_path / "a.run"
    source.write_text(RUN)
    assert "cannot infer the format from the file extension" in error(source, tmp_path / "b.doc")
    assert "unknown format 'trek'; did you mean trec?" in error(source, "-", "--to", "trek")
    assert "unknown format 'trek'; did you mean trec?" in error(source, "-", "--from", "trek")
    assert "are QRELS and RUN swapped?" in error(source, "-", "--kind", "qrels")
    assert "no such file" in error(tmp_path / "absent", "-")


def test_an_existing_file_is_not_replaced_unasked(tmp_path: Path) -> None:
    source, target = tmp_path / "a.run", tmp_path / "b.jsonl"
    source.write_text(RUN)
    target.write_text("precious")
    result = CliRunner().invoke(command, [str(source), str(target)])
    assert "file already exists\nHint: use --overwrite to replace it" in str(result.exception)
    assert target.read_text() == "precious"


def test_the_help_names_every_format() -> None:
    text = CliRunner().invoke(command, ["--help"]).output
    assert [name for name in FORMATS if name not in text] == []
