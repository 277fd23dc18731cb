"""`--fail-under` and `--gate`: on a mean, on the worse end of its interval, on that of a difference."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from germane.api.comparisons.comparison import compare
from germane.api.rankings.evaluation import evaluate
from germane.cli import group
from germane.cli.options.gates import missed, parse_limit, require_no_percentages
from germane.errors import GermaneError
from germane.stats.intervals.means import mean_interval
from germane.stats.significance.power import queries_needed

LECTURE = Path(__file__).parents[2] / "src" / "germane" / "data" / "lecture003"
QRELS, RUN1, RUN2 = (str(LECTURE / name) for name in ("qrels.txt", "system1.run", "system2.run"))


def germane(*arguments: str) -> Result:
    return CliRunner().invoke(group, list(arguments))


def fails(*arguments: str) -> bool:
    result = germane(*arguments)
    assert result.exit_code in (0, 1), result.stderr
    return result.exit_code == 1


# AP of system1: 5/9, .45, .7; mean .5685, s .1255: the t interval is .5685 ± 4.3027 · .1255/√3 = .2568 to .8803.
EVAL_GATES = [
    # options                                             status  said
    (["AP=.5"],                                           0,      ""),
    (["AP=.25", "--gate", "lower"],                       0,      ""),
    (["AP=25%", "--gate", "lower"],                       0,      ""),
    (["AP=.3", "--gate", "value"],                        0,      ""),
    (["AP=.3", "--gate", "lower"],                        1,      "system1: the lower end of AP is 0.2568, below 0.3"),
    (["AP=.3", "--gate", "lower", "--level", ".8"],       0,      ""),
    (["AP=.3", "--gate", "lower", "--interval", "bca"],   0,      ""),
    (["E@5=.5", "--gate", "value"],                       0,      ""),
    (["E@5=.5", "--gate", "lower"],                       1,      "system1: the upper end of E@5 is 0.5548, above 0.5"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "status", "said"), EVAL_GATES)
def test_a_gate_on_a_mean(options: list[str], status: int, said: str) -> None:
    result = germane("eval", QRELS, RUN1, "-m", "AP", "--fail-under", *options)
    assert (result.exit_code, said in result.stderr, "germane:" in result.stderr) == (status, True, status == 1)


def test_the_interval_that_a_gate_looks_at_is_shown() -> None:
    output = germane("eval", QRELS, RUN1, "-m", "AP", "--fail-under", "AP=.1", "--gate", "lower").stdout
    assert output.splitlines()[2] == "system1  mean 95% low         3  0.2568"


LIMITS = [i / 40 for i in range(1, 40)]


def decisions_on_means(gate: str) -> list[bool]:
    return [fails("eval", QRELS, RUN1, RUN2, "-m", "AP", "--fail-under", f"AP={x}", "--gate", gate) for x in LIMITS]


def test_the_lower_gate_decides_by_the_lowest_end_of_all_runs() -> None:
    answer = json.loads(germane("eval", QRELS, RUN1, RUN2, "-m", "AP", "--interval", "t", "--format", "json").stdout)
    lowest = min(run["interval"]["AP"][0] for run in answer["runs"])
    expected = [lowest < limit for limit in LIMITS]
    assert decisions_on_means("lower") == expected
    assert decisions_on_means("value") != expected, "the law must tell the two gates apart"


REFUSED = [
    (["eval", QRELS, RUN1, "--gate", "lower"], "--gate requires --fail-under"),
    (["eval", QRELS, RUN1, "--fail-under", "NumRet=3", "--gate", "lower"], "NumRet has no interval (a sum over"),
    (
        ["eval", QRELS, RUN1, "--fail-under", "AP=.1", "--gate", "lower", "--interval", "studentised"],
        "AP has no interval (the studentised method gives none)",
    ),
    (["eval", QRELS, RUN1, "--fail-under", "AP=.1", "--level", ".9"], "--level requires --interval"),
    (["eval", QRELS, RUN1, "--fail-under", "APP=.1"], "unknown measure 'APP'"),
    (["eval", QRELS, RUN1, "--fail-under", "AP=e"], "expected --fail-under MEASURE=VALUE such as nDCG@10=0.45"),
    (
        ["eval", QRELS, RUN1, "--fail-under", "AP=.1", "--fail-under", "map=.2"],
        "expected one --fail-under limit for AP, found 2",
    ),
    (["compare", QRELS, RUN1, RUN2, "--fail-under", "AP=low"], "MEASURE=VALUE such as nDCG@10=-0.02, found 'AP=low'"),
    (["compare", QRELS, RUN1, RUN2, "--fail-under", "AP=-5%"], "number such as -0.05 for a difference, found '-5%'"),
    (["compare", QRELS, RUN1, RUN2, "--fail-under", "E@5=0%"], "number such as -0.05 for a difference, found '0%'"),
    (["compare", QRELS, RUN1, RUN2, "--fail-under", "AP=x%"], "such as nDCG@10=-0.02, found 'AP=x%'"),
    (["compare", QRELS, RUN1, RUN2, "--fail-under", "AP=-.1", "--interval", "studentised"], "in AP has no interval"),
    (
        ["compare", QRELS, RUN1, RUN2, "--fail-under", "AP=-.1", "--groups", QRELS],
        "--fail-under cannot be combined with --groups",
    ),
    (["compare", QRELS, RUN1, RUN2, "--query-texts", QRELS], "--query-texts requires --comment"),
    (["compare", QRELS, RUN1, RUN2, "--comment", "no/such/folder.md"], "no such folder: no/such"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_what_no_gate_can_be(arguments: list[str], said: str) -> None:
    result = germane(*arguments)
    assert isinstance(result.exception, GermaneError)  # which ends with status 2
    assert said in str(result.exception)
    assert result.stdout == ""


def test_a_percentage_of_a_difference_is_written_out() -> None:
    with pytest.raises(GermaneError) as refused:
        require_no_percentages(["RR=-.1", "nDCG(gain=exp)@10=-2.5%"])
    assert str(refused.value.hint).startswith("use nDCG(gain=exp)@10=-0.025 for a difference of -0.025 in the measure")
    require_no_percentages(["RR=-.1", "AP=.5"])


# AP of system2 less that of system1: 1/9, .25, -.45; mean -.0296, t interval -.9503 to .8910.
DIFFERENCE_GATES = [
    # options                              status  said
    (["AP=-.96"],                          0,      ""),
    (["AP=-.95"],                          1,      "against system1: the lower end of the difference in AP is -0.9503"),
    (["AP=-.95", "--alpha", ".1"],         0,      ""),
    (["AP=-.96", "--baseline", RUN2],      0,      ""),
    (["AP=-.89", "--baseline", "system2"], 1,      "against system2: the lower end of the difference in AP is -0.8910"),
    (["E@5=1"],                            0,      ""),
    (["E@5=.1"],                           1,      "the upper end of the difference in E@5 is 0."),
    (["AP=-.96", "--fail-under", "RR=0"],  1,      "in RR is"),
    (["AP=.02"],                           1,      "; a limit above 0 requires a gain, while AP=-0.02 allows a loss"),
    (["E@5=-.1"],                          1,      "; a limit below 0 requires a gain, while E@5=0.1 allows a loss"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "status", "said"), DIFFERENCE_GATES)
def test_a_gate_on_a_difference(options: list[str], status: int, said: str) -> None:
    result = germane("compare", QRELS, RUN1, RUN2, "--fail-under", *options)
    assert (result.exit_code, said in result.stderr, "germane:" in result.stderr) == (status, True, status == 1)


@pytest.mark.parametrize("limit", ["AP=-.95", "AP=0", "E@5=.1", "E@5=0"])
def test_a_limit_that_allows_a_loss_is_no_limit_that_asks_for_a_gain(limit: str) -> None:
    assert "asks for a gain" not in germane("compare", QRELS, RUN1, RUN2, "--fail-under", limit).stderr


def test_what_a_gate_names_is_compared_and_nothing_else_unless_asked_for() -> None:
    def compared(*more: str) -> list[str]:
        found = json.loads(germane("compare", QRELS, RUN1, RUN2, "--format", "json", *more).stdout)
        return [pair["measure"] for pair in found["pairs"]]

    assert compared() == ["AP"]
    assert compared("--fail-under", "nDCG@5=-1") == ["nDCG@5"]
    assert compared("-m", "RR AP", "--fail-under", "AP=-1") == ["RR", "AP"]


def test_several_runs_are_held_against_one_baseline(tmp_path: Path) -> None:
    third = tmp_path / "third.run"
    third.write_text(Path(RUN1).read_text())
    arguments = ("compare", QRELS, RUN1, RUN2, str(third), "--fail-under", "AP=-.5")
    assert "expected a baseline among 3 systems, found none" in str(germane(*arguments).exception)
    result = germane(*arguments, "--baseline", RUN1)
    lines = [line for line in result.stderr.splitlines() if line.startswith("germane:")]
    assert result.exit_code == 1
    assert [line.split()[1] for line in lines] == ["system2"], "the third one is the baseline again: nothing is lost"


def test_a_slice_is_shown_and_not_gated(tmp_path: Path) -> None:
    slices = tmp_path / "slices.tsv"
    slices.write_text("Q1 early\nQ2 early\nQ3 late\n")
    arguments = ["compare", QRELS, RUN1, RUN2, "--slices", str(slices), "--fail-under", "AP=-.96"]
    assert not fails(*arguments, "--correction", "none")
    # Simultaneous intervals hold for the slice as well, so the one that is gated is wider.
    assert fails(*arguments)


DELTAS = [i / 20 for i in range(1, 60)]


def by_interval(level: float) -> list[bool]:
    comparison = compare(evaluate(QRELS, [RUN1, RUN2], "AP"), level=level, interval="t")
    return [comparison.hold({"AP": -delta})[0].kept for delta in DELTAS]


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_the_gate_and_the_margin_test_are_one_decision(alpha: float) -> None:
    """The end of a t interval at level 1 - 2 alpha lies above -delta where the test for "not worse" has p <= alpha."""
    scores = evaluate(QRELS, [RUN1, RUN2], "AP")
    by_test = [(compare(scores, margin=delta).pairs[0].p_noninferior or 0) <= alpha for delta in DELTAS]
    assert 0 < sum(by_test) < len(DELTAS)
    assert by_interval(1 - 2 * alpha) == by_test
    assert by_interval(1 - alpha) != by_test, "an end of a two-sided interval is a one-sided bound: alpha is half"


def share_that_pass(limit: float, needed_for: float, sd: float) -> float:
    """How often a version that loses nothing keeps a limit, on as many queries as a difference is said to need."""
    n = queries_needed(needed_for, sd)
    assert n is not None
    scores = np.random.default_rng(0).normal(0, sd, size=(n, 3000))
    return float(np.mean(mean_interval(scores).low >= limit))


def test_the_queries_that_a_difference_needs_are_those_that_a_gate_needs() -> None:
    assert share_that_pass(-0.05, needed_for=0.05, sd=0.142) == pytest.approx(0.8, abs=0.03)
    assert share_that_pass(-0.025, needed_for=0.05, sd=0.142) < 0.5, "half the limit takes four times as many"


BY_A_HAIR = [
    # value        limit  lower is better  said
    (0.4,          0.45,  False,           ["a: x is 0.4000, below 0.45"]),
    (0.449999,     0.45,  False,           ["a: x is 0.449999, below 0.45"]),
    (0.45,         0.45,  False,           []),
    (0.45,         0.45,  True,            []),
    (0.4500001,    0.45,  True,            ["a: x is 0.4500001, above 0.45"]),
    (float("nan"), 0.45,  True,            ["a: x is nan, above 0.45"]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "limit", "lower", "said"), BY_A_HAIR)
def test_what_is_printed_shows_that_it_was_missed(value: float, limit: float, lower: bool, said: list[str]) -> None:
    assert missed("a", "x", value, limit, lower_is_better=lower) == said


def test_the_last_sign_of_equality_ends_the_measure() -> None:
    assert parse_limit("nDCG(gain=exp)@10=.45", "AP=.3") == ("nDCG(gain=exp)@10", 0.45)
