"""The page on the course: everything of the lectures is on it, and each of its commands runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from docs.examples import run_germane
from germane.demo.files_for_lecturer import make
from germane.exercises.kinds import KINDS
from germane.measures.agreement.measure import AGREEMENT
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES
from germane.measures.definition import MEASURES
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.models import MODELS
from germane.stats.intervals.means import INTERVALS
from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.thresholds.rules import THRESHOLD_RULES
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "explanation" / "the_course.md").read_text(encoding="utf-8")
COMMANDS: list[str] = re.findall(r"\| `(germane [^`]+)` \|", PAGE)

# What the lectures have of each registry; all else goes beyond them.
LECTURES = {
    "ranking": "P R F E Fallout Success RR AP Rprec IPrec IPrecAvg PAtRecall Efficiency CG nCG DCG nDCG AUC EER Judged "
    "Unjudged",
    "rates": "TPR TNR PPV NPV FNR FPR FDR FOR ACC ERR prevalence F MCC informedness LR+ LR- DOR cost",
    "deciding": "AUC EER ACC MSE log_loss log_likelihood",
    "agreement": "observed kappa_pooled",
    "coefficients": "spearman tau-a",
    "intervals": "normal t",
    "models": "TFIDF VSM BIR",
    "feedback": "rocchio probabilistic iterated",
    "thresholds": "accuracy youden closest weighted cost rate where rule-out,_rule-in",
}
REGISTRIES = {
    "ranking": MEASURES.names,
    "rates": RATES.names,
    "deciding": DECISION_MEASURES.names,
    "agreement": AGREEMENT.names,
    "coefficients": COEFFICIENTS.names,
    "intervals": list(INTERVALS.names),
    "models": MODELS.names,
    "feedback": FEEDBACK.names,
    "thresholds": [name.replace(" ", "_") for name in THRESHOLD_RULES],
}


def absent(names: list[str], page: str) -> list[str]:
    """The names that the page does not have in code of its own."""
    return [name for name in names if f"`{name.replace('_rule', ' rule')}`" not in page]


@pytest.mark.parametrize("registry", REGISTRIES)
def test_everything_of_the_lectures_is_there(registry: str) -> None:
    assert set(LECTURES[registry].split()) - set(REGISTRIES[registry]) == set()


@pytest.mark.parametrize("registry", REGISTRIES)
def test_everything_of_the_lectures_is_on_the_page(registry: str) -> None:
    assert absent(LECTURES[registry].split(), PAGE) == []


def test_the_law_catches_what_is_absent() -> None:
    assert absent(["AP", "nDCG"], "| average precision, `AP` | `germane explain AP` |") == ["nDCG"]


def test_every_measure_of_the_lectures_has_a_task() -> None:
    have = {re.split(r"[@(]", topic.rpartition(":")[2])[0] for kind in KINDS for topic in kind.topics}
    have = {re.sub(r"^(F|E)\d$", r"\1", name) for name in have}
    no_sum_to_do = {  # shares and rules that follow from others, and what a person cannot do on paper
        "Judged", "Unjudged", "observed", "cost", "normal", "weighted", "rate", "where", "rule-out,_rule-in",
        "log_likelihood", "probabilistic", "iterated",
    }  # fmt: skip
    wanted = {name for names in LECTURES.values() for name in names.split()}
    assert wanted - no_sum_to_do - have == set()
    assert not no_sum_to_do & have, "what has a task needs no excuse"


@pytest.fixture(scope="module")
def lecture_hall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    make(folder)
    return folder


def test_the_page_has_commands() -> None:
    assert len(COMMANDS) > 50


@pytest.mark.slow  # some seventy commands: half a minute
def test_each_command_of_the_page_runs(lecture_hall: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lecture_hall)
    printed, status = run_germane(["index", "library", "docs.jsonl"])
    assert status == 0, printed
    for command in COMMANDS:
        printed, status = run_germane(shlex.split(command)[1:])
        assert status == 0, f"{command}\n{printed}"
        assert printed


def test_a_command_that_does_not_run_is_caught() -> None:
    assert run_germane(shlex.split("explain AP no.qrels no.run --query Q1"))[1] == 2
