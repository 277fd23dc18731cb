import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli import group

LECTURE = Path(__file__).parents[2] / "src" / "germane" / "data" / "lecture003"
QRELS, RUN1, RUN2 = (str(LECTURE / name) for name in ("qrels.txt", "system1.run", "system2.run"))


def compare(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["compare", QRELS, RUN1, RUN2, *arguments])


def test_the_lecture_asks_whether_its_difference_is_large_enough() -> None:
    """MAP .57 against .54 on three queries: lecture 003's question, answered."""
    output = compare("-m", "AP").stdout
    line = next(line for line in output.splitlines() if line.startswith("AP "))
    assert line.split()[:4] == ["AP", "system1", "system2", "-0.0296"]
    assert "*" not in line
    assert "Largest gains in AP: Q2 +0.2500, Q1 +0.1111" in output


def test_json_holds_everything() -> None:
    answer = json.loads(compare("-m", "AP RR", "--format", "json", "--equivalence", "0.1").stdout)
    assert (answer["test"], answer["sides"], answer["correction"], answer["num_tests"]) == ("t", "two", "bonferroni", 2)
    pair = answer["pairs"][0]
    assert {
        "measure",
        "a",
        "b",
        "difference",
        "interval",
        "p",
        "p_adjusted",
        "effect",
        "wins",
        "ties",
        "losses",
    } <= set(pair)
    assert pair["interval"][0] < pair["difference"] < pair["interval"][1]
    assert pair["p_equivalent"] > 0.05
    assert "queries_needed" not in pair


def test_latex_marks_what_is_significantly_better(tmp_path: Path) -> None:
    qrels, good, bad = tmp_path / "qrels", tmp_path / "good_one.run", tmp_path / "bad.run"
    qrels.write_text("".join(f"{q} 0 d 1\n" for q in range(9)))
    good.write_text("".join(f"{q} Q0 d 1 2 t\n{q} Q0 e 2 1 t\n" for q in range(9)))
    bad.write_text("".join(f"{q} Q0 e 1 2 t\n" if q else f"{q} Q0 d 1 2 t\n" for q in range(9)))
    arguments = ["compare", str(qrels), str(good), str(bad), "-m", "RR", "--format", "latex"]
    output = CliRunner().invoke(group, arguments).stdout
    assert output.splitlines() == [
        r"% requires \usepackage{booktabs}",
        r"\begin{table}[t]",
        r"\centering",
        r"\caption{Mean RR over 9 queries; the best values are in bold. Superscript letters name the systems that are "
        r"significantly worse (two-sided paired t-test, p of one test "
        r"(1 pair of systems $\times$ 1 measure); $\alpha = 0.05$).}",
        r"\label{tab:comparison}",
        r"\begin{tabular}{lll}",
        r"\toprule",
        r" & System & RR \\",
        r"\midrule",
        r"a & good\_one & \textbf{1.0000}$^{b}$ \\",
        r"b & bad & 0.1111 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_latex_marks_every_system_against_the_baseline(tmp_path: Path) -> None:
    """Whether the baseline is the best, the worst or in between, a mark stands at the other system, not at it."""
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{q} 0 d 1\n" for q in range(9)))
    found = {"high": 8, "middle": 4, "low": 1}  # in so many of nine queries; the p-values are not adjusted
    for name, count in found.items():
        lines = [f"{q} Q0 {'d' if q < count else 'e'} 1 1 t\n" for q in range(9)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = [str(tmp_path / f"{name}.run") for name in found]
    marks = {}
    for baseline in found:
        arguments = ["compare", str(qrels), *runs, "-m", "RR", "--format", "latex", "--digits", "2"]
        arguments += ["--baseline", baseline, "--correction", "none", "--alpha", ".1"]
        output = CliRunner().invoke(group, arguments).stdout
        marks[baseline] = [line for line in output.splitlines() if line.endswith(r"\\") and "System" not in line]
        assert f"Superscripts mark systems significantly better ($+$) or worse ($-$) than {baseline} (" in output
        assert r"\begin{tabular}{ll}" in output
    assert marks == {
        "high": [r"high & \textbf{0.89} \\", r"middle & 0.44$^{-}$ \\", r"low & 0.11$^{-}$ \\"],
        "middle": [r"high & \textbf{0.89}$^{+}$ \\", r"middle & 0.44 \\", r"low & 0.11$^{-}$ \\"],
        "low": [r"high & \textbf{0.89}$^{+}$ \\", r"middle & 0.44$^{+}$ \\", r"low & 0.11 \\"],
    }


def test_latex_marks_what_is_better_where_less_is() -> None:
    """E is 1 - F: system2, which has less of AP and more of E, is worse by both."""
    unadjusted = ("--baseline", "system1", "--alpha", ".99", "--correction", "none")
    lines = compare("-m", "AP E", "--format", "latex", *unadjusted).stdout.splitlines()
    assert [line for line in lines if line.startswith("system2")] == [r"system2 & 0.5389$^{-}$ & 0.5278$^{-}$ \\"]


SEEDS = [
    # options                                        said
    ((), ""),
    (("--test", "wilcoxon"), ""),
    (("--interval", "bca"), ""),  # the table has no intervals
    (("--test", "randomisation", "--seed", "3"), "; seed 3"),
    (("--test", "randomised-tukey", "--resamples", "200"), "; seed 0"),
    (("--correction", "max-t", "--resamples", "200"), "; seed 0"),
]


@pytest.mark.parametrize(("options", "said"), SEEDS)
def test_latex_names_the_seed_where_something_was_drawn(options: tuple[str, ...], said: str) -> None:
    first = compare("--format", "latex", *options).stdout.splitlines()[0]
    assert first == rf"% requires \usepackage{{booktabs}}{said}"


def test_one_run_cannot_be_compared() -> None:
    problem = str(CliRunner().invoke(group, ["compare", QRELS, RUN1]).exception)
    assert "name two runs or a folder, for example germane compare qrels.txt a.run b.run" in problem


LATEX_BOLD = [
    # measure  digits  bold               why
    ("AP", "4", ["system1"], "0.5685 against 0.5389: the higher one"),
    ("E", "4", ["system1"], "lower is better"),
    ("RR", "4", ["system1", "system2"], "0.8333 both"),
    ("AP", "0", ["system1", "system2"], "0.57 and 0.54 are both printed as 1: a reader sees no best one"),
]


@pytest.mark.parametrize(("measure", "digits", "bold", "why"), LATEX_BOLD)
def test_latex_has_the_best_in_bold(measure: str, digits: str, bold: list[str], why: str) -> None:
    lines = compare("-m", measure, "--format", "latex", "--digits", digits).stdout.splitlines()
    assert [line.split(" & ")[1] for line in lines if r"\textbf" in line] == bold, why


def test_csv_is_one_tidy_table() -> None:
    lines = compare("-m", "AP RR", "--format", "csv").stdout.splitlines()
    assert lines[0].startswith(
        "measure,slice,a,b,num_queries,mean_a,mean_b,difference,low,high,p,p_adjusted,d_z,g_z,d_residual,dom"
    )
    assert len(lines) == 3


def test_markdown_has_its_tables() -> None:
    lines = compare("--format", "markdown").stdout.splitlines()
    assert [line.split(" | ")[0] for line in lines if line.startswith("| ")][::2] == [
        "| run    ",
        "| system1",
        "| measure",
        "| AP     ",
    ]


def test_notes_state_the_family_and_the_caution() -> None:
    result = compare("--test", "wilcoxon")
    assert "p of one test (1 pair of systems × 1 measure)" in result.stdout
    assert "p-value of one test" not in result.stderr  # the title says it
    assert "note: " in result.stderr
    explained = compare("--test", "wilcoxon", "--notes").stderr
    assert "p-value of one test (1 pair of systems × 1 measure), α = 0.05\n      family: " in explained


@pytest.mark.parametrize("option", ["--equivalence", "--margin", "--difference"])
def test_a_delta_must_be_positive(option: str) -> None:
    result = compare(option, "0")
    assert result.exit_code == 2
    assert "expected a number above 0, found '0'" in result.stderr


def test_unpaired_groups_of_queries(tmp_path: Path) -> None:
    groups = tmp_path / "groups.txt"
    groups.write_text("Q1 control\nQ2 treatment\nQ3 treatment\n")
    result = compare("--groups", str(groups))
    assert "at least two queries" in str(result.exception)
    qrels, run = tmp_path / "qrels", tmp_path / "one.run"
    qrels.write_text("".join(f"{q} 0 d 1\n" for q in range(8)))
    run.write_text("".join(f"{q} Q0 {'d' if q % 3 else 'e'} 1 2 t\n{q} Q0 c 2 1 t\n" for q in range(8)))
    groups.write_text("".join(f"{q} {'control' if q < 4 else 'treatment'}\n" for q in range(8)))
    arguments = ["compare", str(qrels), str(run), "-m", "RR", "--groups", str(groups)]
    output = CliRunner().invoke(group, arguments).stdout
    line = next(line for line in output.splitlines() if line.startswith("RR "))
    assert line.split()[:8] == ["RR", "one", "[control]", "one", "[treatment]", "0.5000", "0.7500", "+0.2500"]
    assert "tabular" in CliRunner().invoke(group, [*arguments, "--format", "latex"]).stdout


SENSELESS = [
    (("--groups", "groups.txt", "--baseline", "system1"), "--baseline cannot be combined with --groups"),
    (("--groups", "groups.txt", "--test", "sign"), "--test sign cannot be combined with --groups"),
    (("--test", "welch"), "--test welch requires --groups"),
    (("--test", "tukey", "--interval", "bca"), "--interval cannot be combined with --test tukey"),
    (("--test", "tukey", "--correction", "bh"), "use --correction bonferroni"),
]


@pytest.mark.parametrize(("arguments", "message"), SENSELESS)
def test_an_option_that_would_do_nothing_is_an_error(arguments: tuple[str, ...], message: str) -> None:
    assert message in str(compare(*arguments).exception)


def test_the_same_file_twice_is_a_slip() -> None:
    result = CliRunner().invoke(group, ["compare", QRELS, RUN1, RUN1])
    assert "duplicate run " in str(result.exception)


def test_eval_prints_intervals() -> None:
    result = CliRunner().invoke(group, ["eval", QRELS, RUN1, "-m", "AP", "--interval", "t"])
    # mean .56852, sd .12551, t(.975, 2) = 4.30265: half width .31177
    assert result.stdout == (
        "run      aggregate      queries      AP\n"
        "system1  mean                 3  0.5685\n"
        "system1  mean 95% low         3  0.2568\n"
        "system1  mean 95% high        3  0.8803\n"
    )


def test_a_folder_of_runs_is_compared_with_one_of_them(tmp_path: Path) -> None:
    for name, run in (("new.run", RUN1), ("old.run", RUN2)):
        (tmp_path / name).write_bytes(Path(run).read_bytes())
    for baseline in ("old", str(tmp_path / "old.run")):
        options = ["--baseline", baseline, "--format", "json"]
        answer = json.loads(CliRunner().invoke(group, ["compare", QRELS, str(tmp_path), *options]).stdout)
        assert [(pair["a"], pair["b"]) for pair in answer["pairs"]] == [("old", "new")]


def _tables(tmp_path: Path) -> tuple[str, str]:
    paths = []
    for run in (RUN1, RUN2):
        path = tmp_path / f"{Path(run).stem}.txt"
        path.write_text(CliRunner().invoke(group, ["trec_eval", "-q", QRELS, run]).stdout)
        paths.append(str(path))
    return paths[0], paths[1]


def test_tables_of_trec_eval_compare_as_the_runs_do(tmp_path: Path) -> None:
    ours = json.loads(compare("--format", "json").stdout)
    theirs = json.loads(CliRunner().invoke(group, ["compare", *_tables(tmp_path), "--format", "json"]).stdout)
    assert theirs["pairs"][0]["measure"] == "map"
    for key in ("difference", "p_adjusted", "mean_a"):
        assert theirs["pairs"][0][key] == pytest.approx(ours["pairs"][0][key], abs=1e-4)


def test_one_table_may_hold_all_systems_and_slices_go_with_it(tmp_path: Path) -> None:
    table, slices = tmp_path / "both.csv", tmp_path / "slices.txt"
    table.write_text(
        CliRunner().invoke(group, ["eval", QRELS, RUN1, RUN2, "-m", "AP RR", "-q", "--format", "csv"]).stdout
    )
    slices.write_text("Q1 x\nQ2 x\nQ3 y\n")
    result = CliRunner().invoke(group, ["compare", str(table), "-m", "RR", "--slices", str(slices), "--format", "json"])
    assert {(pair["measure"], pair["slice"]) for pair in json.loads(result.stdout)["pairs"]} == {
        ("RR", ""),
        ("RR", "x"),
    }
    assert json.loads(result.stdout)["baseline"] is None


def test_tables_and_runs_do_not_mix(tmp_path: Path) -> None:
    one, other = _tables(tmp_path)
    for arguments, message in (
        ([one, RUN1], "expected tables of scores by query, found"),
        ([one, other, "--ties", "best"], "--ties requires QRELS and RUNS"),
        (
            [one, other, "--fail-under", "map=-1", "--comment", str(tmp_path / "c.md")],
            "--comment requires QRELS and RUNS",
        ),
        ([QRELS], "found one file that is not a table of scores"),
        ([str(tmp_path / "gone.csv")], "no such file"),
    ):
        assert message in str(CliRunner().invoke(group, ["compare", *arguments]).exception)
