"""Law: another tool's name of a measure gives that tool's number, or is refused with what to type instead.

The oracles are `germane trec_eval` 10 and 9, which print what trec_eval prints byte for byte, and ir_measures.
"""

import io
import math
import re
from collections.abc import Iterator
from pathlib import Path

import ir_measures
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import germane as ge
from germane.errors import MeasureError
from germane.measures import foreign_names
from germane.measures.definition import MEASURES
from germane.measures.foreign_names import FOREIGN, Foreign, TrecVersion
from germane.trec_eval import main
from germane.trec_eval.table import ROWS
from tests.conftest import ROOT

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

DOCS = st.sampled_from([f"d{i}" for i in range(8)])
SCORES = st.integers(0, 4).map(float)  # many ties
TOPICS = ("1", "2", "10")
JUDGMENTS = st.dictionaries(DOCS, st.integers(-1, 3), min_size=1).filter(lambda grades: max(grades.values()) >= 0)
VERSIONS: tuple[TrecVersion, ...] = (9, 10)


def written(folder: Path, qrels: Qrels, run: Run) -> tuple[str, str]:
    """Both as files for trec_eval."""
    paths = folder / "qrels", folder / "run"
    paths[0].write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    paths[1].write_text("".join(f"{q} Q0 {d} 0 {s} tag\n" for q, docs in run.items() for d, s in docs.items()))
    return str(paths[0]), str(paths[1])


def printed(qrels: str, run: str, version: TrecVersion) -> dict[str, float]:
    """All that trec_eval has a number for, over all topics, by the name it prints."""
    out, errors = io.BytesIO(), io.StringIO()
    wanted = [f"-m{row.name}" for row in ROWS if row.since <= version and row.needs in ("nothing", "qrels")]
    status = main(["-c", *wanted, "-mset_F.4", qrels, run], out, errors, version=version)
    assert status == 0, errors.getvalue()
    lines = [line.split("\t") for line in out.getvalue().decode().splitlines()]
    return {name.strip(): float(value) for name, _, value in lines if re.fullmatch(r"-?[\d.]+|-?nan", value)}


def wrong_numbers(qrels: str, run: str, version: TrecVersion) -> Iterator[str]:
    """Each name that trec_eval prints and that `evaluate` takes for another number, or refuses without a hint."""
    for name, theirs in printed(qrels, run, version).items():
        try:
            scores = ge.evaluate(qrels, run, name, trec_version=version)
        except MeasureError as refused:
            if not refused.hint or not re.search(r"germane trec_eval|write |--aggregate|name one", refused.hint):
                yield f"{name} is refused without a word on what to type: {refused}"
            continue
        [ours] = scores.mean()["run" if "run" in scores.mean() else scores.runs[0].name].values()
        if not math.isclose(ours, theirs, abs_tol=0.500001e-4):  # it prints four decimals
            yield f"{name} is {theirs} in trec_eval {version}, {ours} here"


@pytest.mark.parametrize("version", VERSIONS)
def test_trec_evals_names_give_its_numbers_on_its_own_data(version: TrecVersion, shared: Path) -> None:
    folder = shared / "data" / "trec_eval"
    qrels, run = next(folder.rglob("qrels.test")), next(folder.rglob("results.test"))
    assert list(wrong_numbers(str(qrels), str(run), version)) == []


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_trec_evals_names_give_its_numbers(version: TrecVersion, data: st.DataObject, tmp_path: Path) -> None:
    """With ties, missing topics and short runs."""
    qrels = data.draw(st.dictionaries(st.sampled_from(TOPICS), JUDGMENTS, min_size=1))
    asked = data.draw(st.lists(st.sampled_from(sorted(qrels)), min_size=1, unique=True))
    run = {topic: data.draw(st.dictionaries(DOCS, SCORES, min_size=1)) for topic in asked}
    assert list(wrong_numbers(*written(tmp_path, qrels, run), version)) == []


GRADED: tuple[Qrels, Run] = (
    {"1": {"d1": 2, "d2": 1, "d3": 0}, "2": {"d1": 1, "d4": 1, "d5": 1}},
    {"1": {"d2": 3.0, "d9": 2.0, "d1": 1.0}, "2": {"d8": 2.0, "d5": 1.0}},
)


@pytest.mark.parametrize(
    ("name", "as_it_was"),
    [("11pt_avg", "IPrecAvg"), ("iprec_at_recall", "IPrec@{}"), ("rbp", "RBP"), ("set_F", "R")],
)
def test_the_law_catches_a_name_that_stands_for_another_measure(
    name: str, as_it_was: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = written(tmp_path, *GRADED)
    assert list(wrong_numbers(*files, 10)) == []
    broken = Foreign(alone=as_it_was.format(0), numbered=lambda number, _: as_it_was.format(number))
    monkeypatch.setattr(foreign_names, "FOREIGN", {**FOREIGN, name: broken})
    assert [line for line in wrong_numbers(*files, 10) if line.startswith(name)] != []


def test_the_law_catches_a_refusal_that_does_not_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign_names, "FOREIGN", {**FOREIGN, "G": Foreign(refused="is not for you")})
    assert [line for line in wrong_numbers(*written(tmp_path, *GRADED), 10) if line.startswith("G ")] != []


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.needs not in ("nothing", "qrels")], ids=lambda row: row.name
)
def test_what_needs_other_judgments_is_refused(row: object) -> None:
    with pytest.raises(MeasureError, match="which requires") as refused:
        MEASURES.parse(row.name)  # type: ignore[attr-defined]
    assert f"germane trec_eval -R {row.needs} -m {row.name}" in str(refused.value.hint)  # type: ignore[attr-defined]


# ir_measures -----------------------------------------------------------------------------------------------------

DIFFERENT_HERE = {
    "RBP": "binary there, graded here",
    "ERR": "the highest grade is 4 there",
    "IPrec": "it rounds as trec_eval 9 does",
    "ERR_IA": "normalised there",
}
"""Our own names, which ir_measures gives to another definition: each has a row in *definitions that differ*."""
BY_SUBTOPIC = ("StRecall", "P_IA", "AP_IA", "MAP_IA", "ERR_IA", "alpha_nDCG", "α_nDCG")
"""Those that need subtopics are compared in test_against_ir_measures.py."""
WITH_CUTOFF = {"P", "Precision", "R", "Recall", "Success"}
IR_QRELS: Qrels = {"1": {"d1": 2, "d2": 1, "d3": 0}, "2": {"d1": 1, "d4": 0, "d5": 1}}
IR_RUN: Run = {"1": {"d2": 3.0, "d9": 2.0, "d1": 1.0}, "2": {"d8": 2.0, "d5": 1.0}}


def refusal(name: str) -> MeasureError | None:
    """Why a name is not taken; None where it is."""
    try:
        MEASURES.parse(name)
    except MeasureError as refused:
        return refused
    return None


def ir_measures_names() -> list[str]:
    """Every name that ir_measures registers, as people write it."""
    return [f"{name}@3" if name in WITH_CUTOFF else name for name in ir_measures.measures.registry]


@pytest.mark.parametrize("name", ir_measures_names())
def test_ir_measures_names_give_its_numbers(name: str) -> None:
    base = name.partition("@")[0]
    if base in DIFFERENT_HERE or base in BY_SUBTOPIC:
        return
    if (refused := refusal(name)) is not None:
        assert refused.hint, name
        return
    [theirs] = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], IR_QRELS, IR_RUN).values()
    [ours] = ge.evaluate(IR_QRELS, IR_RUN, name).mean()["run"].values()
    assert ours == pytest.approx(theirs, abs=1e-9), name


def test_what_differs_is_explained() -> None:
    page = (ROOT / "docs" / "explanation" / "definitions_that_differ.md").read_text()
    for name in DIFFERENT_HERE:
        assert any(name in block and "ir_measures" in block for block in page.split("\n## ")), name


# Others ----------------------------------------------------------------------------------------------------------

# fmt: off
REFUSED = [
    # name             what to type             why
    ("rbp.95",         "RBP(p=0.95)",           "ranx adds up grades as they are"),
    ("RBP_95",         "RBP(p=0.95)",           "nor in another case"),
    ("hits@5",         "NumRelRet",             "a mean in ranx"),
    ("hole@10",        "Unjudged(over=k)@10",   "BEIR counts documents judged for any query"),
    ("Accuracy@5",     "Success@10",            "pairs in ir_measures, Success in BEIR"),
    ("SetF(beta=2)",   "F(beta=2)",             "ir_measures' beta is beta squared"),
    ("ndcg_cut",       "ndcg_cut_10",           "nine values in trec_eval"),
    ("NDCG_CUT",       "ndcg_cut_10",           "in any case"),
    ("utility_1",      "Utility(a=1",           "trec_eval wants four numbers"),
    ("rbp.p=0.5",      "RBP(p=0.5, by=query)",  "parameters are in brackets here"),
    ("ndcg.1=3,2=9",   "nDCG(gain=1:3/2:9)",    "parameters are in brackets here"),
    ("gm_map",         "--aggregate gm",        "an aggregate, not a measure"),
    ("rbp(p=0.5)",     "use RBP",             "the name says p already"),
    ("f1(beta=2)",     "use F",               "the name says beta already"),
    ("P_10@5",         "use P",               "the name has a cutoff already"),
]
# fmt: on


@pytest.mark.parametrize(("name", "instead", "why"), REFUSED)
def test_names_that_are_refused(name: str, instead: str, why: str) -> None:
    with pytest.raises(MeasureError) as refused:
        MEASURES.parse(name)
    assert instead in str(refused.value.hint), why


def test_names_that_version_9_does_not_have() -> None:
    for name in ("rbp", "unj_10"):
        MEASURES.parse(name)
        with pytest.raises(MeasureError, match="does not exist in trec_eval 9"):
            MEASURES.of_version(9).parse(name)
    with pytest.raises(MeasureError, match="expected trec_version 9 or 10, found 8"):
        MEASURES.of_version(8).parse("map")  # type: ignore[arg-type]


def test_a_version_9_holds_scores_as_it_does() -> None:
    run = {"q": {"d1": 0.500000012, "d2": 0.500000011}}
    by_version = {v: ge.evaluate({"q": {"d1": 1}}, run, "recip_rank", trec_version=v) for v in VERSIONS}
    assert {v: scores.score_type for v, scores in by_version.items()} == {9: "float32", 10: "float64"}
    assert {v: scores.mean()["run"]["RR"] for v, scores in by_version.items()} == {9: 0.5, 10: 1.0}
    named = ge.evaluate({"q": {"d1": 1}}, run, "recip_rank", trec_version=9, score_type="float64")
    assert named.score_type == "float64"
