import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from germane.cli.commands.check import command


def check(*arguments: str | Path, stdin: bytes | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout


def test_a_run_with_nothing_wrong(tmp_path: Path) -> None:
    path = tmp_path / "bm25.run"
    path.write_text("q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\nq1 Q0 d3 3 1.5 bm25\nq2 Q0 d1 1 -1 bm25\n")
    assert check(path) == (
        0,
        f"{path}: a run in trec format (6 fields per line, the fifth a score)\n"
        "  2 queries, 4 documents, scores -1 to 2.5, 2 tied with another document of the same query\n",
    )


def test_judgments_with_nothing_wrong(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q1 1 d1 2\nq1 2 d1 0\nq1 1 d2 0\nq2 1 d1 0\n")
    assert check(path) == (
        0,
        f"{path}: judgments in trec format (4 fields per line, the fourth a grade)\n"
        "  2 queries, 3 judged documents, 2 of grade 0, 1 of grade 2\n"
        "  2 groups: 1, 2\n"
        "  note: 1 query without a relevant document (grade ≥ 1); most measures score them 0\n",
    )


def test_everything_wrong_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5\nq1 Q0 d3 3 nan t\nq1 Q0 d1 4 1 t\nq1 Q0 d5 a 0 t\n")
    status, output = check(path)
    assert status == 2
    assert [line.strip() for line in output.splitlines()[1:]] == [
        f"{path}:2: expected 6 fields (query Q0 document rank score tag), found 5: 'q1 Q0 d2 2 1.5'",
        "Hint: the tag at the end of the line is missing; add it with `germane convert --tag NAME`",
        f"{path}:3: expected a finite number as score, found 'nan': 'q1 Q0 d3 3 nan t'",
        "Hint: remove the line, or write the score as a finite number",
        f"{path}:4: duplicate document 'd1' for query 'q1' (first on line 1)",
        f"{path}:5: expected a finite number as rank, found 'a'",
        "4 problems",
    ]


def test_of_many_problems_the_first_of_each_kind_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_text("q1 Q0 d0 1 1 t\n" + "q1 Q0 d0 1 1 t\n" * 10 + "q1 Q0 d1 1 x t\n" * 3)
    status, output = check(path, "--show", "2")
    assert status == 2
    assert output.count("duplicate document") == 2
    assert output.count("expected a finite number as score") == 2
    assert "… and 8 more of kind 'duplicate'" in output
    assert "… and 1 more of kind 'number'" in output
    assert "13 problems" in output


WRONG_AS_A_WHOLE = [
    (b"", "expected data, found an empty file"),
    (b"\x00\x01\x02", "binary data?"),
    (gzip.compress(b"q1 Q0 d1 1 2.5 t\n" * 999, mtime=0)[:40], "truncated .gz file"),
    (b"hello world\n", "expected a run or judgments"),
    (b"PAR1\x15\x00", "invalid Parquet file"),
]


@pytest.mark.parametrize(("data", "expected"), WRONG_AS_A_WHOLE)
def test_files_that_are_wrong_as_a_whole(data: bytes, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    status, output = check(path)
    assert status == 2
    assert expected in output
    assert "1 problem\n" in output


def test_what_is_no_run_is_sent_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "dev.csv"
    path.write_text("id,churned,model\n1,0,.5\n")
    elsewhere = "run `germane FILE` to identify a file, `germane classify` for labels"
    assert elsewhere in check(path)[1]
    assert elsewhere not in check(path, "--kind", "run")[1]  # whoever says that it is one wants to know what is wrong
    assert elsewhere not in check(tmp_path / "absent")[1]


def test_one_bad_file_among_good_ones_decides_the_status(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("q1 0 d1 1\n")
    bad.write_text("q1 0 d1 one\n")
    status, output = check(good, bad, tmp_path / "absent")
    assert status == 2
    assert "1 query, 1 judged document," in output
    assert "expected a finite number as grade, found 'one'" in output
    assert "absent: no such file" in output


def test_swapped_files_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q1 0 d1 1\n")
    status, output = check(path, "--kind", "run")
    assert status == 2
    assert "are QRELS and RUN swapped?" in output


def test_notes(tmp_path: Path) -> None:
    path = tmp_path / "odd.run"
    path.write_text("q1 Q0 d1 1 1 a\nq2 Q0 d1 1 1 a\nq1 Q0 d2 2 2 b extra\n")
    status, output = check(path)
    assert status == 0
    assert [line.strip() for line in output.splitlines()[2:]] == [
        "note: lines have 2 different tags, so none is used: a, b",
        "note: 1 query with ranks that contradict the scores; scores are used",
        "note: lines are not grouped by query, so evaluation is slower",
        "note: not used: extra fields on 1 line",
    ]


def test_ranks_that_differ_only_among_ties_agree(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q1 Q0 d1 2 1 a\nq1 Q0 d2 1 1 a\nq1 Q0 d3 3 0 a\n")
    assert "note" not in check(path)[1]


def test_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"q1": {"d1": 1, "d2": "x", "d3": null}}')
    status, output = check(path)
    assert status == 2
    assert "judgments in json format" in output
    assert "2 problems" in output
    parquet.write_table(
        pa.table({"qid": ["q1", "q1", None], "docno": ["d1", "d1", "d2"], "relevance": [1, 0, None]}), path
    )
    status, output = check(path)
    assert status == 2
    assert "judgments in parquet format" in output
    assert "file:2: duplicate document" in output
    assert "file:3: expected a finite number as relevance, found None" in output
    path.write_text('qid,docno,score,title\nq1,d1,1,"a, b"\n')
    status, output = check(path)
    assert status == 0
    assert "note: not used: column 'title'" in output


def test_standard_input() -> None:
    status, output = check("-", stdin=b"q1 0 d1 1\n")
    assert status == 0
    assert output.startswith("<stdin>: judgments in trec format")
    packed = pa.BufferOutputStream()
    parquet.write_table(pa.table({"qid": ["q1"], "docno": ["d1"], "relevance": [1]}), packed)
    assert check("-", stdin=packed.getvalue().to_pybytes())[0] == 0


def test_a_folder_stands_for_the_files_in_it(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("b.run", "a.run"):
        (runs / name).write_text("q1 Q0 d1 1 2.5 t\n")
    (runs / ".hidden").touch()
    result = CliRunner().invoke(command, [str(runs)])
    assert [line.split(": ")[0] for line in result.stdout.splitlines()[::2]] == [f"{runs}/a.run", f"{runs}/b.run"]
    assert result.stderr == f"note: 1 hidden file in {runs}; skipped (.hidden)\n"
    (runs / "b.run").write_text("q1 Q0 d1\n")
    assert check(runs)[0] == 2


def test_a_problem_of_the_whole_table_is_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "sampled.jsonl"
    line = '{"qid": "q1", "docno": "d1", "relevance": 1, "subtopic": "%s", "stratum": "%s", "inclusion": 0.5}\n'
    path.write_text(line % ("a", "s") + line % ("b", "t"))
    status, output = check(path)
    assert status == 2
    assert [line.strip() for line in output.splitlines()[2:]] == ["1 problem"]


def test_problems_for_programs(tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 x t\n")
    problem = "expected a finite number as score, found 'x': 'q1 Q0 d2 2 x t'"
    assert check(path, "--format", "csv") == (2, f'file,line,kind,problem,hint\n{path},2,number,"{problem}",\n')
