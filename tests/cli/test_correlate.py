import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli.commands.correlate import command
from germane.stats.rankings.coefficients import COEFFICIENTS

LECTURE = Path(__file__).parents[2] / "src" / "germane" / "data" / "lecture003"
QRELS, RUN1, RUN2 = (str(LECTURE / name) for name in ("qrels.txt", "system1.run", "system2.run"))
FOLDER = str(LECTURE)


def correlate(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, arguments, input=stdin)


@pytest.fixture
def rankings(tmp_path: Path) -> tuple[str, str]:
    """The two rankings of lecture 003 as runs."""
    paths = []
    for name, order in (("ideal", "BDAGEIFCH"), ("system", "ABDEGFCIH")):
        path = tmp_path / f"{name}.run"
        path.write_text("".join(f"q Q0 {doc} {i} {9 - i} {name}\n" for i, doc in enumerate(order)))
        paths.append(str(path))
    return paths[0], paths[1]


def test_the_lectures_rankings(rankings: tuple[str, str]) -> None:
    assert correlate(*rankings, "--coefficient", "spearman tau-a").stdout == (
        "first  second  queries  spearman   tau-a\nideal  system        1    0.8833  0.7222\n"
    )


def test_every_query_and_the_mean() -> None:
    result = correlate(RUN1, RUN2, "-q", "--coefficient", "tau-a", "--coefficient", "rbo-a", "--p", "0.8")
    assert result.stdout == (
        "first    second   query  documents  queries    tau-a   rbo-a\n"
        "system1  system2  Q1            10           -0.1111  0.1512\n"
        "system1  system2  Q2            10           -0.0222  0.2903\n"
        "system1  system2  Q3            10            0.0222  0.2739\n"
        "system1  system2  mean                    3  -0.0370  0.2384\n"
    )
    assert result.stderr == ("note: 80.0% of documents appear in only one ranking; appended to the end of the other\n")


def test_json_is_in_full_and_stable() -> None:
    answer = json.loads(correlate(RUN1, RUN2, "--coefficient", "tau-a", "--depth", "5", "--format", "json").stdout)
    assert list(answer) == [
        *("germane", "schema", "between", "p", "depth", "first", "second", "missing"),
        *("coefficients", "num_queries", "mean", "queries", "notes"),
    ]
    assert (answer["between"], answer["depth"], answer["missing"]) == ("runs", 5, "append")
    assert answer["queries"]["Q2"] == {"num_docs": 8, "num_common": 2, "tau-a": pytest.approx(-4 / 28)}
    assert answer["notes"][0]["code"] == "unshared-items"


def test_undefined_is_null_with_a_note(tmp_path: Path) -> None:
    tied = tmp_path / "tied.run"
    tied.write_text("Q1 Q0 a 1 1 t\nQ1 Q0 b 2 1 t\n")
    answer = json.loads(correlate(str(tied), str(tied), "--coefficient", "tau-b", "--format", "json").stdout)
    assert answer["mean"] == {"tau-b": None}
    assert [note["code"] for note in answer["notes"]] == ["ties", "undefined"]


def test_leaderboards_told_from_their_content(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.csv", tmp_path / "theirs.tsv"
    ours.write_text("run,queries,AP,P@5\nbm25,3,0.1,0.3\ndense,3,0.2,0.2\nboth,3,0.3,0.1\n")
    theirs.write_text("system\tmap\nbm25\t0.2\ndense\t0.1\nboth\t0.3\nnew\t0.4\n")
    expected = "first  second  measure  systems  common   tau-a\nours   theirs  AP             4       3  0.3333\n"
    result = correlate(str(ours), str(theirs), "--coefficient", "tau-a")
    assert result.stdout == expected
    assert result.stderr == "note: 25.0% of systems appear in only one ranking; skipped\n"
    assert correlate("-", str(theirs), "--coefficient", "tau-a", "-m", "AP", stdin=ours.read_text()).stdout == (
        expected.replace("ours ", "stdin")
    )
    answer = json.loads(correlate(str(ours), str(ours), "--format", "json", "-m", "P@5").stdout)
    assert answer["between"] == "leaderboards"
    assert answer["measures"]["P@5"]["tau-b"] == 1


def test_measures_over_systems(tmp_path: Path) -> None:
    worse = tmp_path / "worse.run"
    worse.write_text("Q1 Q0 Im49 1 1 w\n")
    arguments = ("--qrels", QRELS, RUN1, RUN2, str(worse), "-m", "AP P@1 E@5")
    assert correlate(*arguments, "--format", "markdown").stdout == (
        "| coefficient | measure | systems |     AP |    P@1 |    E@5 |\n"
        "| ----------- | ------- | ------: | -----: | -----: | -----: |\n"
        "| tau-b       | AP      |       3 | 1.0000 | 0.8165 | 1.0000 |\n"
        "| tau-b       | P@1     |       3 | 0.8165 | 1.0000 | 0.8165 |\n"
        "| tau-b       | E@5     |       3 | 1.0000 | 0.8165 | 1.0000 |\n"
    )
    answer = json.loads(correlate(*arguments, "--format", "json").stdout)
    assert answer["systems"] == ["system1", "system2", "worse"]
    assert answer["correlations"]["tau-b"]["AP"] == {"AP": 1, "P@1": pytest.approx(2 / 6**0.5), "E@5": 1}
    assert [note["code"] for note in answer["notes"]][-2:] == ["reversed-measures", "ties"]
    assert answer["notes"][0]["code"].startswith("unjudged")  # what is to be said of the scores is said here too


def test_help_and_list_come_from_the_registry() -> None:
    page, listing = correlate("--help").stdout.replace("\n", " "), correlate("--list").stdout
    for entry in COEFFICIENTS:
        assert f"\n{entry.name}: {entry.summary}\n" in f"\n{listing}"
    assert "(see --list)" in page


WRONG = [
    ((RUN1,), "expected two files to compare, found 1"),
    ((RUN1, RUN2, RUN1), "add --qrels QRELS"),
    ((RUN1, "no_such.run"), "no such file"),
    ((RUN1, RUN2, "--coefficient", "tau-z"), "unknown coefficient 'tau-z'"),
    ((RUN1, RUN2, "-m", "AP"), "-m requires --qrels or two leaderboards"),
    ((RUN1, RUN2, "--ties", "order"), "--ties requires --qrels"),
    (("-", "-"), "found standard input twice"),
    (
        (QRELS, FOLDER),
        f"found a folder\nHint: to correlate measures over its runs: germane correlate --qrels {QRELS}",
    ),
    ((FOLDER, FOLDER), "germane correlate --qrels QRELS"),
    (("--qrels", QRELS, RUN1, "-m", "AP RR"), "expected at least two runs"),
    (("--qrels", QRELS, RUN1, RUN2, "-q"), "-q cannot be combined with --qrels"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_says_what_to_do(arguments: tuple[str, ...], message: str) -> None:
    assert message in str(correlate(*arguments).exception)


def test_a_run_and_a_leaderboard_do_not_compare(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("bm25 0.3\n")
    problem = str(correlate(RUN1, str(board)).exception)
    assert f"{board} looks like a leaderboard" in problem
    assert "use --kind run or --kind leaderboard" in problem
    assert "expected a run" in str(correlate(RUN1, str(board), "--kind", "run").exception)


def test_files_of_the_same_name_are_shown_by_their_paths(tmp_path: Path) -> None:
    copy = tmp_path / "system1.run"
    copy.write_bytes(Path(RUN1).read_bytes())
    assert str(copy) in correlate(RUN1, str(copy)).stdout
