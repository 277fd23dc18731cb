"""The agreement report: lecture 004, what it says in words, controls, the effect on systems, the command."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from germane.api.truth.agreement import agree
from germane.api.truth.agreement_on_systems import agreement_on_systems
from germane.cli import group
from germane.errors import GermaneError, InputError
from germane.formats.truth.judgments_file import events_of, write_events
from germane.measures.agreement.measure import AGREEMENT
from germane.tables.results.agreement import Agreement
from germane.tables.truth.judgments import Judgments, Standing

CF_JUDGES = ("author", "faculty", "postdoc", "bibliographer")


def judges(*grades: str) -> dict[str, dict[str, dict[str, float | None]]]:
    """One string of grades per judge, a character per document; a dot is no judgment, a question mark "cannot"."""
    names = "abcdefgh"
    return {
        names[i]: {"q": {f"d{doc:03d}": None if g == "?" else float(g) for doc, g in enumerate(row) if g != "."}}
        for i, row in enumerate(grades)
    }


LECTURE = judges("1" * 300 + "0" * 70 + "1" * 20 + "0" * 10, "1" * 300 + "0" * 70 + "0" * 20 + "1" * 10)
SKEWED = judges("0" * 90 + "1" + "0" * 5 + "1" * 4, "0" * 90 + "1" + "1" * 5 + "0" * 4)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["agree", *map(str, arguments)])


def codes(report: Agreement) -> set[str]:
    return {note.code for note in report.notes}


def test_lecture_004() -> None:
    report = agree(LECTURE, resamples=200)
    assert round(report["observed"], 3) == 0.925
    assert round(report["kappa_pooled"], 3) == 0.776
    assert round(report["kappa"], 4) == 0.7761
    assert round(report.pairs[0].agreement["kappa_pooled"], 3) == 0.776
    assert report.verdict.startswith("Krippendorff's alpha, nominal, is 0.78 (95% interval 0.70 to 0.8")
    assert 'between "tentative conclusions only" and "good"' in report.verdict
    assert [pair.confusion.tolist() for pair in report.pairs] == [[[70, 10], [20, 300]]]


def test_the_verdict_on_a_skewed_table_names_the_cause() -> None:
    report = agree(SKEWED, resamples=200)
    assert ": unreliable (" in report.verdict
    assert "gave the same grade in 91% of cases, on 100 documents; AC1 is 0.90." in report.verdict
    assert (
        "Grade 0 is by far the most frequent (94% of all), which lowers alpha; AC1 accounts for that" in report.verdict
    )
    assert "agreement on relevant documents is 18%" in report.verdict


@pytest.mark.parametrize(
    ("grades", "words"),
    [
        (("0101010101" * 20, "0101010101" * 20), "is 1.00 without an interval, so there is no verdict: every resample"),
        (("0101010101" * 20, "0101010101" * 19 + "1101010101"), "): good (above 0.8: good"),
        (("0011" * 20, "0101" * 20), "): unreliable ("),
        (("0001" * 3, "0001" * 2 + "0010"), 'between "unreliable" and "good"'),
        (("000", "000"), "Krippendorff's alpha, nominal is undefined: only one grade was given"),
        (("01..", "..01"), "No document has grades of two assessors yet."),
    ],
)
def test_verdicts(grades: tuple[str, ...], words: str) -> None:
    assert words in agree(judges(*grades), resamples=100).verdict


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.81, 0.95, "0.81 to 0.95): good ("),
        (0.67, 0.8, "0.67 to 0.80): tentative conclusions only ("),
        (-0.1, 0.66, "-0.10 to 0.66): unreliable ("),
        (0.7, 0.9, '0.70 to 0.90), between "tentative conclusions only" and "good" ('),
        (0.5, 0.7, '0.50 to 0.70), between "unreliable" and "tentative conclusions only" ('),
        (0.5, 0.9, '0.50 to 0.90), between "unreliable" and "good" ('),
        (math.nan, math.nan, "without an interval, so there is no verdict: a reason ("),
    ],
)
def test_the_verdict_is_that_of_both_ends_of_the_interval(low: float, high: float, words: str) -> None:
    report = agree(LECTURE, resamples=100)
    alpha = replace(report.alpha, low=low, high=high, no_interval="a reason" if math.isnan(low) else None)
    assert words in replace(report, overall=(alpha, *report.overall[1:])).verdict


def test_more_than_two_judges_have_the_mean_over_their_pairs() -> None:
    report = agree(judges("0011" * 8, "0111" * 8, "0010" * 8), resamples=100)
    assert len(report.pairs) == 3
    for name in ("kappa", "kappa_pooled", "overlap"):
        assert report[name] == pytest.approx(sum(pair.agreement[name] for pair in report.pairs) / 3)
        assert report.value(name).title.endswith(", mean over pairs")


def test_no_mean_of_pairs_that_share_few_documents() -> None:
    report = agree(judges("0011" * 8, "0111" * 8, "0010" * 7), resamples=100)
    for name in ("kappa", "kappa_pooled", "overlap"):
        assert math.isnan(report[name])
        assert report.value(name).undefined == (
            "a mean over pairs requires 30 shared documents for every pair; some share 28"
        )
    assert not math.isnan(report.alpha.low)


def test_no_mean_of_pairs_of_which_one_has_no_value() -> None:
    """To leave out a pair that had only one grade would leave out perfect agreement."""
    report = agree(judges("0" * 32, "0" * 32, "0010" * 8), resamples=100)
    assert report.value("kappa").undefined == "a mean over pairs requires a value for every pair; some have none"


def test_pairs_and_topics_of_few_documents_have_no_coefficient() -> None:
    pairs = {
        (pair.first, pair.second): pair
        for pair in agree(judges("0110100101", "0110100111", "011......"), resamples=100).pairs
    }
    enough, few = pairs["a", "b"], pairs["a", "c"]
    assert (enough.num_docs, few.num_docs) == (10, 3)
    assert not math.isnan(enough.agreement["kappa"])
    for entry in AGREEMENT:
        if entry.name in few.agreement and not math.isnan(enough.agreement[entry.name]):
            assert math.isnan(few.agreement[entry.name]) == entry.beyond_chance, entry.name
    topic = agree(judges("01101", "01100"), resamples=100).by_topic[0]
    assert math.isnan(topic.agreement["alpha_nominal"])
    assert topic.agreement["observed"] == 0.8


def crowd(documents: int, assessors: int, seed: int, right: float = 0.92) -> dict[str, dict[str, dict[str, float]]]:
    """Two of many assessors judge each document, and are right more often than not."""
    random = np.random.default_rng(seed)
    said: dict[str, dict[str, dict[str, float]]] = {}
    for doc in range(documents):
        relevant = random.random() < 0.3
        for who in random.choice(assessors, 2, replace=False).tolist():
            grade = relevant if random.random() < right else not relevant
            said.setdefault(f"a{who:02d}", {}).setdefault(f"q{doc % 20}", {})[f"d{doc}"] = float(grade)
    return said


@pytest.mark.parametrize(("documents", "seed"), [(200, 1), (30, 1), (60, 5), (40, 2)])
def test_many_assessors_who_overlap_little_have_alpha_and_no_mean_kappa(documents: int, seed: int) -> None:
    """The mean of kappas was −.33 [−1.00, −.14], "too low to build on", at an observed agreement of .97."""
    report = agree(crowd(documents, 20, seed), resamples=300)
    alpha = report.alpha
    assert alpha is report.overall[0]
    assert [entry.name for entry in report.overall[1:3]] == ["observed", "AC1"]
    assert alpha.low <= alpha.value <= alpha.high
    assert abs(alpha.value - 0.668) < 0.3
    assert "Kappa" not in report.verdict
    assert all(math.isnan(report[name]) for name in ("kappa", "kappa_pooled", "overlap"))
    assert all(math.isnan(pair.agreement["kappa"]) for pair in report.pairs if pair.num_docs < 10)


def test_the_interval_of_more_than_two_grades_is_that_of_the_interval_alpha() -> None:
    assert agree(judges("0120120120", "0121120120"), resamples=100).alpha.name == "alpha_interval"
    assert agree(judges("0120120120", "0121120120"), resamples=100).overall[0].name == "alpha_interval"
    assert agree(judges("0110110110", "0111110110"), resamples=100).alpha.name == "alpha_nominal"


def test_one_assessor_in_most_pairs_is_left_out_in_turn() -> None:
    """All agree with `a`, who is in every pair; without `a`, nobody shares a document with anybody but `b` and `c`."""
    said = judges("01" * 20, "01" * 10, "." * 18 + "10" + "01" * 10, "01" * 6)
    report = agree(said, resamples=100)
    by_name = {judge.assessor: judge for judge in report.judges}
    assert by_name["a"].pair_share > 0.5
    assert not math.isnan(by_name["b"].alpha_without)
    [note] = [note for note in report.notes if note.code == "dominant-assessor"]
    assert note.message.startswith("a is in ")
    assert "alpha without" in str(report)
    alike = agree(judges("01" * 20, "01" * 20, "10" * 20), resamples=100)
    assert all(math.isnan(judge.alpha_without) for judge in alike.judges)
    assert "dominant-assessor" not in codes(alike)


def test_an_assessor_without_whom_there_is_nothing_to_compare() -> None:
    report = agree(judges("01" * 20, "01" * 10, "." * 20 + "01" * 10), resamples=100)
    [note] = [note for note in report.notes if note.code == "dominant-assessor"]
    assert note.message == "a is in 100% of all pairs of grades; without them alpha is undefined"


def test_notes_on_what_the_interval_of_alpha_rests_on() -> None:
    few = agree(judges("0" * 17 + "1", "0" * 17 + "1"), resamples=200)
    messages = {note.code: note.message for note in few.notes}
    assert messages["few-shared"].startswith("18 documents have at least two grades; below 30, the interval of alpha")
    assert messages["rare-grade"].startswith("1 shared document got a grade other than 0; below 10")
    assert messages["undefined-resamples"].startswith(f"{few.undefined_resamples} resamples of 200 had only one grade")
    assert few.undefined_resamples > 2
    assert codes(agree(judges("0011" * 20, "0111" * 20), resamples=100)).isdisjoint(
        {"few-shared", "rare-grade", "undefined-resamples"}
    )


def test_the_bootstrap_says_what_it_resamples() -> None:
    assert agree(crowd(100, 5, 1), resamples=100).resampled == "topics, then documents within them"
    report = agree(LECTURE, resamples=100)
    assert report.resampled == "documents"
    assert "few-topics" in codes(report)


def test_items_judged_by_one_cannot_judge_and_what_is_listed_are_counted() -> None:
    report = agree(judges("01?1.", "011.0"), resamples=100)
    assert (report.num_items, report.num_shared) == (5, 2)
    counts = {note.code: note.count for note in report.notes}
    assert counts["judged-by-one"] == 3
    assert counts["cannot-judge"] == 1
    assert [judge.cannot_judge for judge in report.judges] == [1, 0]


def test_judges_are_told_apart_by_how_strict_they_are() -> None:
    report = agree(judges("0022", "0122"), resamples=100)
    assert [judge.mean_grade for judge in report.judges] == [1.0, 1.25]
    assert report.pairs[0].first_higher_by == -0.25
    assert [judge.agreement for judge in report.judges] == [0.75, 0.75]


def test_an_assessor_without_a_grade_is_there_and_says_nothing() -> None:
    report = agree(judges("0101", "0111", "????"), resamples=100)
    assert report.judges[2].cannot_judge == 4
    assert math.isnan(report.judges[2].agreement)
    assert report["kappa"] == pytest.approx(0.5)
    assert "pairs-without-items" in codes(report)


def test_where_no_document_is_not_relevant_to_all_a_note_says_so() -> None:
    assert "no-common-negatives" in codes(agree(judges("110", "101"), resamples=100))
    assert "no-common-negatives" not in codes(agree(judges("1100", "1010"), resamples=100))


def controls() -> Judgments:
    ordinary: list[Standing] = ["ordinary"] * 6
    kinds: list[Standing] = [
        *ordinary,
        "repeat",
        "repeat",
        "distractor",
        "distractor",
        "calibration",
        "calibration",
    ]
    who = ["a", "a", "a", "b", "b", "b", "a", "a", "a", "b", "a", "b"]
    docs = ["d1", "d2", "d3", "d1", "d2", "d3", "d1", "d2", "trap", "trap", "warm", "warm"]
    return Judgments.from_columns(who, ["q"] * 12, docs, [0, 1, 2, 0, 1, 1, 0, 2, 1, 0, 2, 0], kinds)


def test_controls_tell_about_assessors_and_not_about_agreement() -> None:
    report = agree(controls(), resamples=100)
    assert report.num_shared == 3
    assert report.repeats["items"] == 2
    assert report.repeats["observed"] == 0.5
    first = report.judges[0]
    assert (first.repeats, first.repeats_same, first.distractors, first.distractors_failed) == (2, 1, 1, 1)
    assert codes(report) >= {"distractors-failed", "distractor-items", "repeat-items", "calibration-items"}
    with_calibration = agree(controls(), with_calibration=True, resamples=100)
    assert with_calibration.num_shared == 4
    assert codes(with_calibration) >= {"distractor-items", "repeat-items"}
    assert "calibration-items" not in codes(with_calibration)


def test_without_a_shared_document_there_is_one_sentence_and_no_table(tmp_path: Path) -> None:
    path = tmp_path / "apart.csv"
    path.write_text("assessor,query,docid,rating\nann,q,d1,1\nbob,q,d2,0\nbob,q,d3,0\n")
    found = invoke(path)
    assert found.stdout == "No document has grades of two assessors yet.\n"
    assert found.stderr == "note: 3 documents with fewer than two grades, excluded from agreement\n"
    written = json.loads(invoke(path, "--format", "json").stdout)
    assert (written["num_shared"], written["agreement"]["kappa"]["value"]) == (0, None)


def test_notes_on_one_thing_are_in_the_singular() -> None:
    said = Judgments.from_columns(
        ["a", "b", "a", "a", "a"],
        ["q"] * 5,
        ["d1", "d1", "d2", "d3", "trap"],
        [1, 1, 1, math.nan, 0],
        ["ordinary", "ordinary", "ordinary", "ordinary", "distractor"],
    )
    messages = {note.code: note.message for note in agree(said, resamples=100).notes}
    assert messages["cannot-judge"] == '1 "cannot judge" response; it has no grade and is excluded from agreement'
    assert messages["distractor-items"] == "1 judgment of a distractor excluded: it tests the assessor"
    assert messages["inferred-scale"].startswith("1 grade was given (1) and is treated as the whole scale")
    assert messages["few-topics"].startswith("1 topic: intervals resample documents, not topics")
    assert messages["few-shared"].startswith("1 document has at least two grades; ")


def test_adjudications_are_not_independent_and_do_not_count() -> None:
    said = Judgments.from_columns(
        ["a", "b", "chair"], ["q"] * 3, ["d"] * 3, [0, 1, 1], ["ordinary", "ordinary", "adjudicated"]
    )
    report = agree(said, resamples=100)
    assert report.assessors == ("a", "b")
    assert "adjudicated-items" in codes(report)


def test_a_stated_scale_counts_grades_that_nobody_gave() -> None:
    seen, stated = (agree(judges("0011", "0111"), grades=grades, resamples=100) for grades in (None, [0, 1, 2]))
    assert "AC2_linear" not in {entry.name for entry in seen.overall}
    assert stated["PABAK"] == pytest.approx((3 * 0.75 - 1) / 2)
    assert "inferred-scale" in codes(seen)
    assert "inferred-scale" not in codes(stated)


def test_one_assessor_is_an_error() -> None:
    with pytest.raises(InputError, match="two assessors or more, found a"):
        agree(judges("01"))
    with pytest.raises(GermaneError, match="expected judgments, found int"):
        agree(3)  # type: ignore[arg-type]


# The effect on systems

RUNS = {
    "first": {"q": {"d000": 3.0, "d001": 2.0, "d002": 1.0}},
    "second": {"q": {"d001": 3.0, "d000": 2.0, "d002": 1.0}},
    "third": {"q": {"d002": 3.0, "d001": 2.0, "d000": 1.0}},
}


def test_leaderboards_by_judge() -> None:
    report = agree(judges("100", "100", "001"), runs=RUNS, measure="RR", resamples=100)
    assert report.ranking is not None
    assert report.ranking.means["a"] == pytest.approx((1, 1 / 2, 1 / 3))
    assert report.ranking.means["c"] == pytest.approx((1 / 3, 1 / 3, 1))
    taus = {(pair.first, pair.second): pair.tau_b for pair in report.ranking.pairs}
    assert taus["a", "b"] == 1
    assert taus["a", "c"] == pytest.approx(-2 / math.sqrt(6))  # both pairs that c does not tie are reversed
    assert "overturns the order of the 3 systems by RR" in report.verdict


def test_judges_are_compared_on_the_topics_both_judged() -> None:
    said = {"a": {"q": {"d000": 1.0}, "r": {"d000": 1.0}}, "b": {"q": {"d000": 1.0}}}
    runs = {"x": {"q": {"d000": 1.0}, "r": {"d1": 1.0}}, "y": {"q": {"d1": 2.0, "d000": 1.0}, "r": {"d000": 1.0}}}
    report = agree(said, runs=runs, measure="RR", resamples=100)
    assert report.ranking is not None
    assert [(pair.num_topics, pair.tau_b) for pair in report.ranking.pairs] == [(1, 1.0)]


def test_one_system_has_no_order() -> None:
    said = Judgments.from_columns(["a", "b"], ["q", "q"], ["d000", "d000"], [1, 0])
    with pytest.raises(GermaneError, match="expected at least two systems to rank, found first alone"):
        agreement_on_systems(said, said.assessors, {"first": RUNS["first"]})


# The command


def saved(folder: Path) -> Path:
    write_events(events_of(controls()), folder / "events.jsonl")
    return folder / "events.jsonl"


def test_the_command_reads_like_a_report(tmp_path: Path) -> None:
    found = invoke(saved(tmp_path), "--resamples", 100)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("Krippendorff's alpha, interval, is 0.71 (95% interval ")
    assert "2 assessors gave the same grade in 67% of cases, on 3 documents" in " ".join(found.stdout.split())
    for title in (
        "Agreement (2 assessors",
        "Pairs of assessors",
        "Assessors (",
        "Grades (",
        "Topics",
        "Self-consistency on ",
    ):
        assert f"\n{title}" in found.stdout
    assert "kappa, pooled marginals (Scott's pi)" in found.stdout
    assert "kappa, own marginals (Cohen)" in found.stdout
    assert (
        "note: 1 distractor, known to be non-relevant, was judged relevant; check this assessor's judgments (a 1 of 1)"
        in found.stderr
    )


def test_json_has_stable_keys_and_no_nan(tmp_path: Path) -> None:
    found = invoke(saved(tmp_path), "--resamples", 100, "--format", "json")
    said = json.loads(found.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert list(said) == [
        "germane",
        "schema",
        "assessors",
        "grades",
        "rel",
        "num_topics",
        "num_docs",
        "num_shared",
        "verdict",
        "reading",
        "headline",
        "interval",
        "agreement",
        "pairs",
        "topics",
        "by_grade",
        "confusion",
        "by_assessor",
        "self_consistency",
        "systems",
        "notes",
    ]
    assert list(said["interval"].values())[1:] == ["documents", 0.95, 100, 0]
    assert set(said["agreement"]["kappa"]) == {"title", "value", "low", "high"}


def test_one_qrels_file_per_assessor_and_runs_after_them(tmp_path: Path) -> None:
    for name, grade in (("ann", 1), ("bob", 0)):
        (tmp_path / f"{name}.qrels").write_text(f"1 0 d1 {grade}\n1 0 d2 {1 - grade}\n1 0 d3 0\n")
    for name, order in (("x", "d1 d2 d3"), ("y", "d3 d2 d1")):
        lines = (f"1 Q0 {doc} {rank} {9 - rank} {name}\n" for rank, doc in enumerate(order.split()))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    paths = [tmp_path / name for name in ("ann.qrels", "bob.qrels")]
    found = invoke(*paths, "-m", "RR", "--runs", tmp_path / "x.run", tmp_path / "y.run", "--format", "json")
    assert found.exit_code == 0, found.output
    said = json.loads(found.stdout)
    assert said["assessors"] == ["ann", "bob"]
    assert said["systems"]["means"] == {"ann": {"x": 1.0, "y": pytest.approx(1 / 3)}, "bob": {"x": 0.5, "y": 0.5}}
    table = invoke(*paths, "--runs", tmp_path / "x.run", tmp_path / "y.run", "--format", "markdown")
    assert "**Systems by assessor (AP, sorted by the mean over assessors)**" in table.stdout


def test_every_measure_is_explained() -> None:
    listed = invoke("--list").stdout
    assert re.findall(r"^(\w+): ", listed, flags=re.M) == AGREEMENT.names


def test_a_wrong_scale_is_explained(tmp_path: Path) -> None:
    found = invoke(saved(tmp_path), "--grades", "no,yes")
    assert "expected VALUE or VALUE=LABEL, found 'no'" in str(found.exception)


def test_a_scale_may_have_labels_as_it_has_for_judge(tmp_path: Path) -> None:
    plain, labelled = (invoke(saved(tmp_path), "--grades", scale) for scale in ("0,1,2", "0=no,1=partly,2=yes"))
    assert plain.exit_code == 0
    assert plain.stdout == labelled.stdout


# The four judges of the cystic fibrosis collection


def cystic_fibrosis(shared: Path, folder: Path) -> Path:
    """Its relevance scores, four digits to a document and one for each judge, as CSV."""
    text = (shared / "data" / "cystic-fibrosis" / "cfquery").read_text(encoding="latin-1")
    path = folder / "cf.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["assessor", "query", "docid", "rating"])
        for block in re.split(r"^QN ", text, flags=re.M)[1:]:
            words = block[block.index("\nRD") + 3 :].split()
            for doc, grades in zip(words[::2], words[1::2], strict=True):
                rows.writerows(
                    [who, block.split()[0], doc, grade] for who, grade in zip(CF_JUDGES, grades, strict=True)
                )
    return path


def test_the_four_judges_of_cystic_fibrosis(shared: Path, tmp_path: Path) -> None:
    report = agree(cystic_fibrosis(shared, tmp_path), resamples=200)
    assert (len(report.topics), report.num_shared, len(report.pairs)) == (100, 4819, 6)
    assert report["kappa_pooled"] == pytest.approx(0.2045, abs=5e-5)
    assert report["alpha_interval"] == pytest.approx(0.4792, abs=5e-5)
    # The bibliographer stands apart: more lenient than everybody, and least in agreement.
    outsider = min(report.judges, key=lambda judge: judge.agreement)
    assert outsider.assessor == "bibliographer"
    assert outsider.relevant == max(judge.relevant for judge in report.judges)
    # Only documents that somebody called relevant are listed, which a note must say.
    assert "no-common-negatives" in codes(report)
