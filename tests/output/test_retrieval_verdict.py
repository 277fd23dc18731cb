"""The verdict of the retrieval page: what it says follows from the numbers, and never goes against an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from germane.api.reports.numbers import numbers_of
from germane.api.reports.verdict import Lead
from germane.output.reports.retrieval_verdict import verdicts

Ranks = Sequence[int | None]


def made(systems: Mapping[str, Ranks], *, unjudged: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """One relevant document per query, at the given rank of each system; None: not retrieved.

    Ranks above it hold non-relevant documents; below it come as many unjudged ones as asked for.
    """
    count = len(next(iter(systems.values())))
    qrels = {f"q{i:02}": {"hit": 1, **{f"miss{j}": 0 for j in range(20)}} for i in range(1, count + 1)}
    runs = {
        name: {f"q{i:02}": _ranking(rank, unjudged) for i, rank in enumerate(ranks, 1)}
        for name, ranks in systems.items()
    }
    return qrels, runs


def _ranking(rank: int | None, unjudged: int) -> dict[str, float]:
    above = [f"miss{j}" for j in range(3 if rank is None else rank - 1)]
    docs = [*above, *([] if rank is None else ["hit"]), *(f"new{j}" for j in range(unjudged))]
    return {doc: float(-place) for place, doc in enumerate(docs)}


def said(systems: Mapping[str, Ranks], measure: str = "RR", *, unjudged: int = 0, **options: Any) -> list[str]:
    """The sentences on the best system, its failures, the unjudged and other measures, as they are read."""
    numbers: Any = numbers_of("report", *made(systems, unjudged=unjudged), [measure], options)
    [found] = verdicts(numbers)
    names = {"system": [run.name for run in numbers.runs], "query": numbers.scores.queries}
    return [
        "".join(
            part if isinstance(part, str) else names[kind][place] for part in sentence for kind, place in _place(part)
        )
        for sentence in found.values()
    ]


def _place(part: str | dict[str, int]) -> list[tuple[str, int]]:
    return [("", 0)] if isinstance(part, str) else list(part.items())


GOOD = [1, 1, 2, 1, 1, 1, 2, 1, 1, 1] * 3
BAD = [4, 5, 4, 6, 5, 4, 5, 4, 6, 5] * 3
NEAR = [1, 2, 1, 1, 1, 2, 2, 1, 1, 1] * 3


def test_a_clear_winner_is_best_with_the_size_of_its_lead() -> None:
    best, *_ = said({"old": BAD, "new": GOOD})
    assert best.startswith("new is best in RR (0.900, 95% CI 0.8")
    assert "It beats old by 0.687 (95% CI 0.6" in best
    assert "; p < 0.0001)." in best


def test_a_lead_that_could_be_chance_is_no_victory() -> None:
    best, *_ = said({"old": NEAR, "new": GOOD})
    assert best.startswith("new leads in RR")
    assert "Its lead of 0.050 over old could be chance (95% CI −0.0" in best
    assert "With 30 queries, a true difference of 0." in best
    assert "beats" not in best


def test_few_queries_are_called_too_few() -> None:
    best, *_ = said({"old": [1, 2, 1, 4, 1], "new": [1, 1, 2, 1, 1]})
    assert "5 queries are too few to tell: only a true difference of 0." in best
    best, *_ = said({"old": [1, 2, 9], "new": [9, 1, 1]})
    assert "With 3 queries, even the largest possible difference would not be detected with 80% power." in best


def test_of_several_systems_some_are_beaten_and_some_are_not() -> None:
    best, *_ = said({"old": BAD, "new": GOOD, "near": NEAR})
    assert "It beats old by 0.687" in best
    assert "But its lead of 0.050 over near could be chance (simultaneous 95% CI −0.0" in best


def test_one_sentence_covers_a_hundred_systems() -> None:
    systems = {f"s{i}": BAD for i in range(60)} | {f"n{i}": NEAR for i in range(39)} | {"new": GOOD}
    best, *_ = said(systems)
    assert (
        "It beats 60 of the other 99 systems (adjusted p ≤ 0.05, Bonferroni); the closest of them, s0, by 0.687" in best
    )
    assert "It does not significantly beat n0, n1 and 37 others: its lead of 0.050 over n0 could be chance" in best
    assert len(best) < 500


def test_systems_that_share_the_best_mean_are_both_named() -> None:
    best, *_ = said({"a": GOOD, "b": GOOD, "old": BAD})
    assert best.startswith("a and b share the best RR (0.900")
    assert "They beat old by 0.687" in best


def test_a_system_alone_is_compared_with_nothing() -> None:
    best, fails, *_ = said({"only": [*GOOD, None]})
    assert best.startswith("only reaches RR 0.871 (95% CI ")
    assert "mean over 31 queries). It is the only system" in best
    assert fails == "only fails on q31 (RR below 0.1)."


def test_a_single_query_shows_nothing() -> None:
    best, fails, *_ = said({"old": [2], "new": [1]})
    assert best == "new leads in RR (1). One query cannot show which system is better."
    assert fails == ""


def test_with_a_baseline_only_what_was_tested_is_claimed() -> None:
    best, *_ = said({"old": BAD, "new": GOOD, "near": NEAR, "bad": [5, *BAD[1:]]}, baseline="old")
    assert "It beats the baseline old by 0.687" in best
    assert "The other 2 systems were tested only against the baseline; 1 of them beats it." in best


def test_failures_name_the_queries_and_whether_others_fail_too() -> None:
    _, fails, *_ = said({"old": [*BAD, None, 3, None], "new": [*GOOD, None, None, 12]})
    assert fails == "new fails on q31, q32 and q33 (RR below 0.1); on 2 of them every system fails."


def test_many_failures_are_counted_and_some_named() -> None:
    _, fails, *_ = said({"old": [*BAD, 1, 1, 1, 1, 1], "new": [*GOOD, *[None] * 5]}, "P@1")
    assert fails == (
        "new fails on 11 of 35 queries (P@1 below 0.1), such as q03, q07 and q13; on 6 of them every system fails."
    )


def test_a_query_without_relevant_documents_is_no_failure() -> None:
    qrels, runs = made({"old": BAD, "new": GOOD})
    qrels["q00"] = {"miss1": 0}
    numbers: Any = numbers_of("report", qrels, runs, ["RR"], {})
    [found] = verdicts(numbers)
    assert {"query": numbers.scores.queries.index("q00")} not in found["fails"]


def test_where_nothing_fails_the_weakest_query_is_named() -> None:
    assert said({"old": BAD, "new": [*GOOD[:-1], 3]})[1] == (
        "new fails on no query (RR below 0.1); its weakest is q30 (0.333; old 0.200)."
    )
    assert said({"old": BAD, "new": GOOD}, "E@1")[1] == "new's weakest query is q03 (1; old 1)."


def test_the_leaders_in_other_measures_are_named() -> None:
    systems = {"early": [1, 9] * 15, "late": [2, 2] * 15, "last": [9] * 30}
    numbers: Any = numbers_of("report", *made(systems), ["RR", "P@1", "Success@2", "Success@3"], {})
    told = [
        "".join(part if isinstance(part, str) else list(systems)[part["system"]] for part in sentences["others"])
        for sentences in verdicts(numbers)
    ]
    assert told[0] == "In Success@2 and Success@3, late leads and is significantly better than early."
    assert told[1] == told[0]
    assert told[2] == "In RR and P@1, early leads and is significantly better than late in P@1."


def test_a_report_with_one_leader_names_no_other() -> None:
    assert said({"old": BAD, "new": GOOD})[3] == ""


def test_means_that_differ_by_rounding_share_the_lead() -> None:
    numbers: Any = numbers_of("report", *made({"a": [1, 3, 3, 1, 1], "b": [3, 1, 1, 3, 1]}), ["RR"], {})
    numbers.given.values[0, 0] = [0.1, 0.2, 0.3, 0.0, 0.0]
    numbers.given.values[1, 0] = [0.3, 0.3, 0.0, 0.0, 0.0]
    assert verdicts(numbers)[0]["best"][:4] == [
        {"system": 0},
        " and ",
        {"system": 1},
        " share the best RR (0.120, 95% CI −0.042 to 0.282). ",
    ]


JUDGMENTS = [
    # measure   unjudged  systems                          what is said
    ("RR", 0, {"old": BAD, "new": GOOD}, "All retrieved documents are judged."),
    ("P@1", 1, {"old": BAD, "new": GOOD}, "All documents retrieved in the top 1 are judged."),
    ("RR", 1, {"old": BAD, "new": [1] * 30}, "cannot change who is best: new would stay at 1, old would stay at 0.213"),
    ("P@5", 4, {"old": BAD, "new": GOOD}, "could change who is best: new would be from 0.200 to 0."),
    ("P@5", 4, {"old": BAD, "new": GOOD}, "% of the documents that new retrieved in the top 5 are unjudged (old: "),
    (
        "AP",
        4,
        {"old": BAD, "new": GOOD},
        "Whether judging them would change the order is not known (no bounds for AP).",
    ),
    (
        "RR",
        1,
        {"old": [1] * 30, "new": [1] * 30},
        "cannot change who is best: old would stay at 1, new would stay at 1.",
    ),
    ("P@5", 4, {"new": GOOD}, "With all of them judged, P@5 would be from 0.200 to 0."),
]


@pytest.mark.parametrize(("measure", "unjudged", "systems", "expected"), JUDGMENTS)
def test_unjudged_documents_by_their_bounds(
    measure: str, unjudged: int, systems: dict[str, Ranks], expected: str
) -> None:
    assert expected in said(systems, measure, unjudged=unjudged)[2]


LEADS = [
    # lead  low    high  p      significant  shown  why
    (0.1, 0.05, 0.15, 0.01, True, True, "test and interval agree"),
    (0.1, -0.01, 0.2, 0.04, True, False, "the interval includes 0"),
    (0.1, 0.01, 0.2, 0.3, False, False, "not significant after adjustment"),
    (0.1, float("nan"), float("nan"), 0.01, True, True, "a method without intervals"),
    (0.0, 0.0, 0.0, float("nan"), False, False, "nothing to test"),
]


@pytest.mark.parametrize(("lead", "low", "high", "p", "significant", "shown", "why"), LEADS)
def test_no_lead_is_shown_against_its_interval(
    lead: float, low: float, high: float, p: float, significant: bool, shown: bool, why: str
) -> None:
    assert Lead(1, lead, low, high, p, significant).shown is shown, why


def test_an_unadjusted_interval_does_not_make_a_victory() -> None:
    systems = {f"s{i}": [1, 2, *BAD[2:]] for i in range(9)} | {"old": [*[2] * 5, *GOOD[5:]], "new": GOOD}
    best, *_ = said(systems, correction="holm")
    assert "But its lead of 0.067 over old is not significant among 55 tests (95% CI 0.0" in best


def test_where_lower_is_better_the_lowest_mean_leads() -> None:
    best, *_ = said({"old": [3] * 15 + [2] * 15, "new": [1] * 29 + [2]}, "E@1")
    assert best.startswith("new is best in E@1")
