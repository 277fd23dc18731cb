"""`germane` itself: what it says without a command, and what it says to a command that was typed wrongly."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli import COMMANDS, FIRST_STEPS, SECTIONS, group
from germane.cli.shell.usage_errors import MEANT
from tests.conftest import ROOT


def germane(*words: str) -> Result:
    return CliRunner().invoke(group, list(words))


def test_alone_it_lists_every_command_in_its_section() -> None:
    result = germane()
    assert result.exit_code == 0
    assert result.stderr == ""
    at = -1
    for title, commands in SECTIONS.items():
        at = result.output.index(f"{title}:", at + 1)
        for name, text in commands.items():
            at = result.output.index(f"\n  {name} ", at)
            assert " ".join(text.split()) in " ".join(result.output[at:].split())


@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_help_is_the_same(asked: str) -> None:
    assert germane(asked).output == germane().output


def test_the_first_steps_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    statuses = {}
    for line in FIRST_STEPS:
        command, _, folder = line.partition(" && cd ")
        statuses[line] = germane(*command.split()[1:]).exit_code
        if folder:
            monkeypatch.chdir(tmp_path / folder)
    assert list(statuses.values()) == [0, 0, 0, 2]  # the last one is no command: a script must notice


@pytest.mark.parametrize("name", ["agent", "topics", "pool", "exercise"])
def test_a_command_of_several_says_what_they_are(name: str) -> None:
    result = germane(name)
    assert result.exit_code == 0
    assert "Commands:" in result.output


WRONG = [
    # words                                          told                                                       hint
    ("evla", "germane: unknown command 'evla'; did you mean eval?", "run `germane --help` for a list"),
    ("--vers", "germane: unknown option --vers; did you mean --version?", "run `germane --help` for a list"),
    ("agent sho", "germane agent: unknown command 'sho'; did you mean show?", "run `germane agent --help` for a list"),
    ("eval", "germane eval: expected QRELS, found none", "for example: germane eval qrels.txt system1.run system2.run"),
    ("eval q", "germane eval: expected RUNS, found none", "for example: germane eval qrels.txt"),
    ("retrieve i t", "germane retrieve: expected -o PATH, found none", "for example: germane retrieve library topics"),
    ("eval q r --tise x", "germane eval: unknown option --tise; did you mean --ties?", "run `germane eval --help`"),
    ("compare q r --gate lower", "germane compare: unknown option --gate", "use --fail-under alone"),
    ("judge p --topics t", "germane judge: unknown option --topics", "use --query-texts FILE"),
    ("eval q r --worst", "germane eval: unknown option --worst", "use --per-query for all queries"),
    ("agree f --overwrite-all", "germane agree: unknown option --overwrite-all", "run `germane agree --help`"),
    ("fuse r --gate lower",
     "germane fuse: unknown option --gate; it is an option of `germane eval`, `germane classify` and",
     "run `germane fuse --help` for a list"),
    ("eval q r --positions", "germane eval: unknown option --positions; it is an option of `germane index`",
     "run `germane eval"),
    ("compare q r --latex", "germane compare: unknown option --latex; did you mean --format latex?", "run `germane"),
    ("compare q r -o t.tex", "germane compare: unknown option -o", "redirect standard output instead: > t.tex"),
    ("eval q r --output=t", "germane eval: unknown option --output", "redirect standard output instead: > FILE"),
    ("help eval", "germane: unknown command 'help'", "run `germane eval --help`"),
    ("help", "germane: unknown command 'help'", "run `germane --help`"),
    ("q.txt r.run --baseline r", "germane: missing command",
     "for example: germane compare q.txt r.run --baseline r"),
    ("q.txt --baseling r", "germane: missing command", "start with a command; run `germane --help`"),
    ("eval q r -z", "germane eval: unknown option -z", "run `germane eval --help` for a list"),
    ("eval q r --ties dcno", "germane eval: --ties: expected docno, order, rank, best, worst or expected, found 'dcno'"
     "; did you mean docno?", "for example: germane eval"),
    ("eval q r --digits x", "germane eval: --digits: expected an integer of at least 0 and at most 17, found 'x'",
     "for example"),
    ("compare q r --alpha 2", "germane compare: --alpha: expected a number above 0 and below 1, found '2'", "for exa"),
    ("explain AP q r --threshold x", "germane explain: --threshold: expected a number, found 'x'", "for example"),
    ("eval q r --digits", "germane eval: expected COUNT after --digits, found nothing", "for example: germane eval"),
    ("eval q r --per-query=1", "germane eval: --per-query takes no value", "for example: germane eval"),
    ("measures a b", "germane measures: expected NAME, also found b", "for example: germane measures"),
    ("completion tcsh", "germane completion: SHELL: expected bash, zsh or fish, found 'tcsh'", "for example"),
    ("trec_eval --trec-version 8", "germane trec_eval: --trec-version: expected 9 or 10, found '8'", "for example"),
    ("eval q r --aggregate mean --aggregate meen", "germane eval: --aggregate: expected mean, micro, ", "for example"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "told", "hint"), WRONG, ids=[words for words, *_ in WRONG])
def test_a_slip_is_told_as_all_errors_are(words: str, told: str, hint: str) -> None:
    result = germane(*words.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    problem, advice = result.stderr.splitlines()
    assert problem.startswith(told)
    assert advice.startswith(f"Hint: {hint}")


def test_what_is_said_of_options_that_are_elsewhere_is_true() -> None:
    """They are not where people look for them; that the hint can be followed, `tests/hints_that_run.py` has seen to."""
    for (name, option), hint in MEANT.items():
        assert germane(name, option).stderr == f"germane {name}: unknown option {option}\nHint: {hint}\n"


def test_no_command_is_left_without_a_tone(tmp_path: Path) -> None:
    """Whatever command is given an option that nobody has, click's own words are not among what is said."""
    for name in COMMANDS:
        if name in ("trec_eval",):  # which has trec_eval's tone
            continue
        result = germane(name, "--no-such-option")
        assert result.exit_code == 2, name
        assert re.match(rf"germane {name}( make)?: unknown option --no-such-option", result.stderr), result.stderr
        assert "Usage" not in result.output


def imported(*words: str) -> set[str]:
    """The modules that a command imports, in a process of its own."""
    code = (
        f"import sys; sys.argv = {['germane', *words]!r}\nfrom germane.cli import main\ntry:\n    main()\n"
        "except SystemExit:\n    pass\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stderr.split())


HEAVY = {
    "scipy",
    "pyarrow",
    "pandas",
    "sklearn",
    "starlette",
    "sqlalchemy",
    "rich",
    "vl_convert",
    "click.shell_completion",
}


def test_starting_up_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("1 Q0 d 1 1 t\n")
    version, evaluated = imported("--version"), imported("eval", str(tmp_path / "q"), str(tmp_path / "r"))
    assert HEAVY & (version | evaluated) == set()
    of_ours = {name for name in version if name.startswith("germane.cli.")}
    assert of_ours == set()
    assert "germane.cli.shell.completions" not in evaluated
    assert "germane.cli.commands.compare" not in evaluated


def test_comparing_loads_no_more_of_scipy_than_its_special_functions(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 d 1\n2 0 d 1\n3 0 e 1\n")
    (tmp_path / "a").write_text("1 Q0 d 1 1 t\n2 Q0 e 1 1 t\n3 Q0 e 1 2 t\n")
    (tmp_path / "b").write_text("1 Q0 e 1 2 t\n2 Q0 d 1 1 t\n3 Q0 d 1 2 t\n3 Q0 e 2 1 t\n")
    compared = imported("compare", *(str(tmp_path / name) for name in "qab"))
    assert "scipy.special" in compared, "it has tested"
    assert {"scipy.stats", "scipy.optimize", "pandas", "rich", "sklearn"} & compared == set()
    of_comments = {
        "germane.api.comparisons.changes",
        "germane.output.texts.change_comment",
        "germane.api.reports.texts",
    }
    assert of_comments & compared == set()


def test_a_heavy_import_is_caught() -> None:
    assert "click.shell_completion" in imported("completion", "bash")
