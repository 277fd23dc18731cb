"""trec_eval's command line: getopt's habits, measures with parameters, and exit statuses."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from germane.cli.commands.trec_eval import command
from germane.trec_eval.arguments import parse
from germane.trec_eval.options import EarlyExitError
from germane.trec_eval.printer import requested
from germane.trec_eval.table import NICKNAMES, ROWS
from tests.trec_eval.conftest import TrecEval, qrels_of, run_of

QRELS = qrels_of("1 0", "0 1")
RUN = run_of("a b", "a b")


def names(arguments: str, version: int = 10) -> str:
    options = parse([*arguments.split(), "qrels", "run"], 9 if version == 9 else 10)
    return " ".join(name.decode() for request in requested(options) for name in request.names)


NAMES = [
    # arguments                           values                                why
    ("-m P.10,5", "P_5 P_10", "cutoffs are sorted"),
    ("-m P.5 -m P.10", "P_5", "the first parameters of a measure count"),
    ("-m P -m P.10", "P_10", "no parameters are not the first parameters"),
    ("-m ndcg_cut.23.4", "ndcg_cut_23", "a cutoff is an integer"),
    ("-m iprec_at_recall..25,.1", "iprec_at_recall_0.10 iprec_at_recall_0.25", "levels have two decimals"),
    ("-m map.7", "map", "parameters of a measure that takes none are ignored"),
    ("-m set_F.4", "set_F_4", "other parameters are repeated as they are"),
    ("-m ndcg.1=3,2=9", "ndcg_1=3,2=9", "pairs too"),
    ("-m recip_rank -m map", "map recip_rank", "the order is the table's"),
    ("-m set.3", "runid num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F", ""),
    ("--measure map", "map", "long options"),
    ("--meas=map", "map", "abbreviated"),
    ("-qcm map", "map", "short options in one word"),
    ("-mmap", "map", "a value without a blank"),
]


@pytest.mark.parametrize(("arguments", "expected", "why"), NAMES)
def test_names(arguments: str, expected: str, why: str) -> None:
    assert names(arguments) == expected, why


def test_number_of_measures() -> None:
    assert len([row for row in ROWS if row.since == 9]) == 52
    assert len(ROWS) == 57
    assert set(NICKNAMES[10]["all_trec"]) - set(NICKNAMES[9]["all_trec"]) == {"unj", "rbp", "rbp_resid"}


ENDS = [
    # arguments                status  why
    ("", 1, "no files"),
    ("a", 1, "one file"),
    ("a b c", 1, "three files"),
    ("-x a b", 1, "no such option"),
    ("--comp a b -m", 1, "an option without its value"),
    ("--Re=qrels a b", 1, "several options begin so"),
    ("--nosummary=1 a b", 1, "an option that takes no value"),
    ("-m mapp a b", 1, "no such measure"),
    ("-m map. a b", 1, "a dot and nothing after it"),
    ("-m ndcg_cut_10 a b", 1, "a printed name is no measure"),
    ("-m unj a b --trec9", 1, "an option of nobody's"),
    ("-v -x", 0, "the version, before the mistake is seen"),
    ("-h", 0, "help"),
    ("-h -x", 1, "a mistake, before help is given"),
]


@pytest.mark.parametrize(("arguments", "status", "why"), ENDS)
def test_ends_while_reading_the_arguments(arguments: str, status: int, why: str) -> None:
    with pytest.raises(EarlyExitError) as end:
        parse(arguments.split(), 10)
    assert end.value.status == status, why


STATUSES = [
    # arguments               status  why
    ("-m P.0", 2, "a cutoff that is not positive"),
    ("-m P.5,5", 2, "a cutoff twice"),
    ("-m P.5,", 2, "an empty cutoff is 0"),
    ("-m iprec_at_recall..1,.10", 2, "a level twice"),
    ("-m ndcg.1=3,2", 2, "a pair without its second half"),
    ("-m ndcg.1=2=3", 2, "a pair with a third half"),
    ("-m utility.1,2", 4, "utility has four weights"),
    ("-m map_avgjg", 4, "a measure for other judgments"),
    ("-R prefs -m map", 2, "judgments in another form"),
    ("-R qrels_prefs -m map", 4, "a measure for other judgments"),
    ("-R qrels_prefs -m num_q", 0, "a measure for any judgments"),
    ("-R nonsense", 2, "no such form of judgments"),
    ("-T nonsense", 2, "no such form of runs"),
    ("-o -T trec_results -D3", 0, "options without consequence"),
    ("-D 0.2", 0, "one topic"),
    ("-D 0.3", 7, "no topic"),
]


@pytest.mark.parametrize(("arguments", "status", "why"), STATUSES)
def test_status(trec_eval: TrecEval, arguments: str, status: int, why: str) -> None:
    assert trec_eval(arguments, QRELS, RUN).status == status, why


def test_measures_of_version_10_are_unknown_to_version_9(trec_eval: TrecEval) -> None:
    assert trec_eval("-m unj.5", QRELS, RUN, version=9).status == 1
    assert trec_eval("-m unj.5", QRELS, RUN, version=10).lines == ["unj_5 all 0.0000"]


def test_what_is_printed(trec_eval: TrecEval) -> None:
    assert trec_eval("-q -m map -m relstring", QRELS, RUN).lines == [
        "map 1 1.0000",
        "relstring 1 '10'",
        "map 2 0.5000",
        "relstring 2 '01'",
        "map all 0.7500",
    ]
    assert trec_eval("-n -m map", QRELS, RUN) == (0, [])
    assert trec_eval("-D 0.2 -m num_q -m map", QRELS, RUN).lines == ["num_q all 1", "map all 0.5000"]
    assert trec_eval("-N 10 -m utility.0,0,0,1", QRELS, RUN).lines == ["utility_0,0,0,1 all 8.0000"]


COMMAND_LINES = [
    # arguments                             status  first line
    (["--trec-version", "9", "-munj", "q", "r"], 1, ""),
    (["-m", "unj.5", "--trec-version=10", "q", "r"], 0, "unj_5                 \tall\t0.0000"),
    (["-m", "map", "--", "q", "r"], 0, "map                   \tall\t0.7500"),
    (["--trec-version", "8", "q", "r"], 2, ""),
]


@pytest.mark.parametrize(("arguments", "status", "line"), COMMAND_LINES)
def test_command(arguments: list[str], status: int, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    done = CliRunner().invoke(command, arguments)
    assert (done.exit_code, done.stdout.partition("\n")[0]) == (status, line)
