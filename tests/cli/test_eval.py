import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli import group

LECTURE = Path(__file__).parents[2] / "src" / "germane" / "data" / "lecture003"
QRELS, RUN1, RUN2 = (str(LECTURE / name) for name in ("qrels.txt", "system1.run", "system2.run"))
FOLDER = str(LECTURE)


def germane(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(group, arguments, input=stdin)


def test_the_table_has_a_row_per_run_and_says_over_how_many_queries() -> None:
    assert germane("eval", QRELS, RUN1, RUN2, "-m", "AP R@5").stdout == (
        "run      queries      AP     R@5\nsystem1        3  0.5685  0.8889\nsystem2        3  0.5389  0.7222\n"
    )


def test_json_is_the_documented_contract() -> None:
    answer = json.loads(germane("eval", QRELS, RUN1, "-m", "AP NumRel", "-q", "--format", "json").stdout)
    assert sorted(answer) == ["asked", "germane", "notes", "runs", "schema", "score_type", "ties", "topics"]
    assert answer["schema"] == "eval/1"
    assert answer["asked"] == {"AP": "AP", "NumRel": "NumRel"}
    [run] = answer["runs"]
    assert run["name"] == "system1"
    assert run["num_queries"] == 3
    assert run["mean"] == {"AP": pytest.approx((5 / 9 + 0.45 + 0.7) / 3), "NumRel": 7.0}
    assert run["queries"]["Q2"] == {"AP": pytest.approx(0.45), "NumRel": 2.0}
    assert {"code": "unjudged", "run": "system1", "count": 12, "share": pytest.approx(12 / 18)}.items() <= answer[
        "notes"
    ][0].items()


STYLES = [
    ("csv", "run,num_queries,AP\nsystem1,3,0.5685185185185185\n"),
    ("tsv", "run\tnum_queries\tAP\nsystem1\t3\t0.5685185185185185\n"),
    ("markdown", "| run     | queries |     AP |\n| ------- | ------: | -----: |\n| system1 |       3 | 0.5685 |\n"),
    (
        "latex",
        "% requires \\usepackage{booktabs}\n"
        "\\begin{tabular}{lrr}\n\\toprule\nrun & queries & AP \\\\\n\\midrule\nsystem1 & 3 & 0.5685 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n",
    ),
]


@pytest.mark.parametrize(("style", "expected"), STYLES)
def test_styles(style: str, expected: str) -> None:
    assert germane("eval", QRELS, RUN1, "-m", "AP", "--format", style).stdout == expected


def test_jsonl_has_a_line_per_query_aggregate_and_note() -> None:
    lines = germane("eval", QRELS, RUN1, "-m", "RR", "-q", "--format", "jsonl").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert rows[1] == {"run": "system1", "query": "Q2", "RR": 0.5}
    assert rows[3] == {"run": "system1", "aggregate": "mean", "num_queries": 3, "RR": pytest.approx(2.5 / 3)}
    assert "note" in rows[4]


def test_slices_and_aggregates(tmp_path: Path) -> None:
    slices = tmp_path / "slices.txt"
    slices.write_text("Q1 photo\nQ2 art\nQ3 photo\n")
    output = germane("eval", QRELS, RUN1, "-m", "RR", "--slices", str(slices), "--aggregate", "min").stdout
    assert output == (
        "run      slice  aggregate  queries      RR\n"
        "system1  all    min              3  0.5000\n"
        "system1  art    min              1  0.5000\n"
        "system1  photo  min              2  1.0000\n"
    )


def test_bounds() -> None:
    output = germane("eval", QRELS, RUN2, "-m", "P@3", "--bounds").stdout
    assert "mean at worst        3  0.3333" in output
    assert "mean at best         3  1.0000" in output


def test_topics_both_leaves_missing_ones_out(tmp_path: Path) -> None:
    run = tmp_path / "one.run"
    run.write_text("Q1 Q0 Im38 1 1.0 t\n")
    arguments = ("eval", QRELS, str(run), "-m", "P@1")
    assert "one        3  0.3333" in germane(*arguments).stdout
    output = germane(*arguments, "--topics", "both", "-q")
    assert output.stdout == "run  query  queries     P@1\none  Q1              1.0000\none  mean         1  1.0000\n"
    assert "2 judged queries missing from the run; skipped (Q2, Q3)" in output.stderr


GATES = [("AP=.5", 0, ""), ("AP=.6", 1, "system1: AP is 0.5685, below 0.6\n"), ("E@5=.1", 1, "above 0.1\n")]


@pytest.mark.parametrize(("gate", "status", "message"), GATES)
def test_a_gate_sets_the_exit_status(gate: str, status: int, message: str) -> None:
    result = germane("eval", QRELS, RUN1, "-m", "AP", "--fail-under", gate)
    assert result.exit_code == status
    assert message in result.stderr


def test_standard_input_and_one_measure_under_another_name() -> None:
    result = germane("eval", QRELS, "-", "-m", "map", stdin=Path(RUN1).read_bytes())
    assert result.stdout == "run    queries      AP\nstdin        3  0.5685\n"


def test_a_measure_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from germane import measure\n"
        "from germane.measures import Worked\n"
        "@measure('DeepestHit', bounds=(0, float('inf')), better='lower')\n"
        "def deepest(run):\n"
        "    '''Rank of the last relevant document.'''\n"
        "    hits = run.relevant(1)\n"
        "    last = hits.count_so_far == hits.count_by_query()[hits.query]\n"
        "    return Worked(hits, hits.rank * last)\n"
    )
    try:
        output = germane("eval", QRELS, RUN1, "--import", str(file), "-m", "DeepestHit").stdout
    finally:
        from germane.measures.definition import MEASURES

        MEASURES.unregister("DeepestHit")
    assert output == "run      queries  DeepestHit\nsystem1        3      4.3333\n"


WRONG = [
    (("eval", RUN1, QRELS), "are QRELS and RUN swapped?"),
    (("eval", QRELS, "no_such.run"), "no such file"),
    (("eval", QRELS, RUN1, "-m", "RRR"), "unknown measure 'RRR'; did you mean RR?"),
    (("eval", QRELS, RUN1, "-m", "TPR"), "TPR is a measure of decisions, not of rankings"),
    (("eval", QRELS, RUN1, "-m", "MCC"), "use `germane classify -m MCC`"),
    (("eval", FOLDER, QRELS), "found a folder\nHint: are QRELS and RUNS swapped?"),
    (("eval", QRELS, RUN1, "-m", "NDCG10"), "unknown measure 'NDCG10'; did you mean nDCG@10?"),
    (("eval", QRELS, RUN1, "-m", "AP;P@5"), "separate measures by spaces or commas"),
    (("eval", QRELS, "RR", "-m", "AP"), "quote several measures: -m 'AP RR'"),
    (("eval", QRELS, "RR", RUN1, "P@5", "-m", "nDCG@10"), "quote several measures: -m 'nDCG@10 RR P@5'"),
    (("eval", QRELS, RUN1, "RR"), "name measures after -m: -m RR"),
    (("eval", QRELS, RUN1, "-m", "Fallout"), "pass --collection-size COUNT"),
    (("eval", QRELS, RUN1, "-m", "StRecall@5"), "requires judgments by subtopic"),
    (("eval", QRELS, RUN1, "-m", "Bpref", "--ties", "expected"), "--ties expected is not supported by Bpref"),
    (
        ("eval", QRELS, RUN1, "-m", "nDCG@5", "--bounds"),
        "bounds for unjudged documents are not available for nDCG@5",
    ),
    (("eval", QRELS, RUN1, "--fail-under", "AP"), "expected --fail-under MEASURE=VALUE"),
    (("explain", "AP", QRELS, RUN1), "missing query to explain"),
    (("explain", "AP", QRELS, RUN1, "--query", "Q9"), "unknown query 'Q9'\nHint: choose from Q1, Q2, Q3"),
    (("explain", "AP", QRELS, RUN1, "--query", "2"), "unknown query '2'; did you mean Q2?"),
    (("explain", QRELS, RUN1, "AP"), f"expected a measure first, found the file {QRELS}"),
    (("explain", RUN1, "AP"), f"expected a measure first, found the file {RUN1}"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_says_what_to_do(arguments: tuple[str, ...], message: str) -> None:
    assert message in str(germane(*arguments).exception)


def test_a_folder_is_no_run_that_can_be_explained(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        (tmp_path / f"{name}.run").write_text(Path(RUN1).read_text())
    problem = str(germane("explain", "AP", QRELS, str(tmp_path), "--query", "Q1").exception)
    first = ", ".join(str(tmp_path / f"{name}.run") for name in ("a", "b", "c"))
    assert problem == f"expected one run, found 4 in {tmp_path}\nHint: name one of them: {first}, …"
    for name in ("b", "c", "d"):
        (tmp_path / f"{name}.run").unlink()
    assert germane("explain", "AP", QRELS, str(tmp_path), "--query", "Q1").exit_code == 0


TIES_IN_WORDS = [("docno", "broken by docno"), ("expected", "averaged over all orders")]


@pytest.mark.parametrize(("ties", "said"), TIES_IN_WORDS)
def test_a_note_says_what_became_of_ties(ties: str, said: str, tmp_path: Path) -> None:
    run = tmp_path / "tied.run"
    run.write_text("".join(f"{line.rsplit(None, 2)[0]} 1 t\n" for line in Path(RUN1).read_text().splitlines()))
    assert (
        f"3 queries with a tied judged document, ties {said}"
        in germane("eval", QRELS, str(run), "-m", "AP", "--ties", ties).stderr
    )


@pytest.mark.parametrize("typed", ["0Q1", "q1"])
def test_almost_the_same_query_is_an_error(typed: str, tmp_path: Path) -> None:
    run = tmp_path / "slip.run"
    run.write_text(f"{typed} Q0 d 1 1.0 t\nQ2 Q0 d 1 1.0 t\n")
    assert f"query '{typed}' is not in qrels; did you mean 'Q1'?" in str(germane("eval", QRELS, str(run)).exception)


def test_no_query_in_common(tmp_path: Path) -> None:
    run = tmp_path / "other.run"
    run.write_text("301 Q0 d 1 1.0 t\n")
    message = "run and qrels share no query: the run has 301, qrels has Q1, Q2, Q3"
    assert message in str(germane("eval", QRELS, str(run)).exception)


def test_sorted_by_what_is_printed_however_it_is_spelt() -> None:
    arguments = ("eval", QRELS, RUN1, RUN2, "-m", "P@5 AP", "--format", "csv", "--sort")
    by_mean = germane(*arguments, "map").stdout.splitlines()
    assert [line.split(",")[0] for line in by_mean] == ["run", "system1", "system2"]
    by_median = germane(*arguments, "ap", "--aggregate", "median").stdout.splitlines()
    assert [line.split(",")[0] for line in by_median] == ["run", "system2", "system1"]


def test_a_gate_on_what_is_not_printed_is_refused() -> None:
    result = germane("eval", QRELS, RUN1, "-m", "AP", "--aggregate", "gm", "--fail-under", "AP=.1")
    assert "--fail-under requires --aggregate mean" in str(result.exception)


def test_explain_in_three_styles() -> None:
    arguments = ("explain", "AP", QRELS, RUN1, "--query", "Q2")
    assert germane(*arguments).stdout == (
        "AP of system1 for query Q2\n\n"
        "AP = (1/R) * sum of P@i over the ranks i of relevant documents\n\n"
        "rank  document  grade  precision  recall    term\n"
        "   2  Im56          1     0.5000  0.5000  0.5000\n"
        "   5  Im34          1     0.4000       1  0.4000\n\n"
        "AP = (0.5 + 0.4) / 2 = 0.4500, with R = 2\n"
    )
    assert "|    2 | Im56     |" in germane(*arguments, "--format", "markdown").stdout
    answer = json.loads(germane(*arguments, "--format", "json").stdout)
    assert answer["formula"].startswith("AP = (1/R) * sum of P@i")
    assert (answer["value"], answer["denominator_is"], answer["rows"][1]["term"]) == (pytest.approx(0.45), "R", 0.4)


def test_measures_lists_and_describes() -> None:
    assert "  nDCG                Normalised discounted cumulated gain" in germane("measures").stdout
    page = germane("measures", "map").stdout
    assert page.startswith("AP: Mean of the precision")
    assert "\nAlso called: map, average_precision" in page


def test_version_says_which_kernels_are_in_use() -> None:
    from germane import kernels

    assert germane("--version").stdout.endswith(f"({kernels.in_use()})\n")


def test_a_misspelt_command() -> None:
    result = germane("evla")
    assert result.exit_code == 2
    assert "did you mean eval?" in result.output


# Folders of runs -------------------------------------------------------------------------------------------------


def test_a_folder_stands_for_the_runs_in_it(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for name, run in (("b.run", RUN1), ("a.run", RUN2)):
        (runs / name).write_bytes(Path(run).read_bytes())
    (runs / ".DS_Store").touch()
    answer = germane("eval", QRELS, RUN1, str(runs), "-m", "AP R@5")
    assert answer.stdout == (
        "run      queries      AP     R@5\nsystem1        3  0.5685  0.8889\n"
        "a              3  0.5389  0.7222\nb              3  0.5685  0.8889\n"
    )
    assert f"1 hidden file in {runs}; skipped" in answer.stderr


def test_a_folder_inside_a_folder_of_runs_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "runs" / "old").mkdir(parents=True)
    message = "expected only run files, found the folder 'old'"
    assert message in str(germane("eval", QRELS, str(tmp_path / "runs")).exception)
