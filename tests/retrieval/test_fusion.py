"""Fusion by hand: rankings small enough to fuse on paper, for each method and normalisation."""

from dataclasses import replace

import numpy as np
import pytest

from germane.errors import GermaneError, InputError
from germane.judging.pooling import POOLING
from germane.retrieval.fusion import (
    FUSION,
    NORMALISATIONS,
    fuse_runs,
    lists_of,
    written,
)
from germane.retrieval.fusion.by_majority import victories
from germane.tables.rankings.run import Run
from tests.retrieval.fusion_by_hand import BY_HAND, NORMALISED, RUNS, WEIGHTED


@pytest.mark.parametrize(("method", "expected", "why"), BY_HAND)
def test_methods_by_hand(method: str, expected: tuple[float, ...], why: str) -> None:
    lists = written(*RUNS)
    assert dict(zip(lists.docs, FUSION.parse(method).fuse(lists), strict=True)) == pytest.approx(
        dict(zip("abcd", expected, strict=True))
    ), why


def test_rank_biased_precision_is_that_of_pools() -> None:
    assert str(FUSION.parse("RBP(p=0.9)")) == "rbc(p=0.9)"
    assert POOLING["rbp"].target is FUSION["rbc"].target


def test_every_method_is_worked_by_hand() -> None:
    assert {FUSION.parse(text).name for text, _, _ in BY_HAND} == {method.name for method in FUSION}


@pytest.mark.parametrize(("method", "expected"), WEIGHTED)
def test_weights_by_hand(method: str, expected: tuple[float, ...]) -> None:
    lists = written(*RUNS, weights=[2, 0, 1])
    assert dict(zip(lists.docs, FUSION.parse(method).fuse(lists), strict=True)) == pytest.approx(
        dict(zip("abcd", expected, strict=True))
    )


def test_every_method_that_takes_weights_is_worked_by_hand_with_them() -> None:
    takers = {method.name for method in FUSION if method.weights != "refused"}
    assert {FUSION.parse(text).name for text, _ in WEIGHTED} == takers


@pytest.mark.parametrize(("name", "ranking", "expected", "why"), NORMALISED)
def test_normalisations_by_hand(name: str, ranking: str, expected: tuple[float, ...], why: str) -> None:
    assert NORMALISATIONS.parse(name).target(written(ranking)) == pytest.approx(np.array(expected, dtype=float)), why


def test_every_normalisation_is_worked_by_hand() -> None:
    assert {name for name, *_ in NORMALISED} == {entry.name for entry in NORMALISATIONS}


def test_each_list_is_normalised_by_itself() -> None:
    one = Run.from_dict({"q1": {"a": 3.0, "b": 1.0}, "q2": {"a": 100.0, "b": 50.0, "c": 0.0}}, name="one")
    two = Run.from_dict({"q2": {"a": 1.0}}, name="two")
    assert NORMALISATIONS.parse("minmax").target(lists_of([one, two])).tolist() == [1, 0, 1, 0.5, 0, 1]


CIRCLE = ("a b c", "b c a", "c a b")


def test_a_circle_of_majorities_is_a_draw_that_ids_decide() -> None:
    lists = written(*CIRCLE)
    assert FUSION.parse("condorcet").fuse(lists).tolist() == [1.0, 1.0, 1.0]
    runs = [Run.from_dict({"q": {doc: -i for i, doc in enumerate(text.split())}}, name=text) for text in CIRCLE]
    assert list(fuse_runs(runs, "condorcet").docs) == ["c", "b", "a"]


def test_those_in_a_circle_come_before_whom_they_all_beat() -> None:
    lists = written(*(f"{ranking} z" for ranking in CIRCLE * 2), "z a b c")
    assert dict(zip(lists.docs, FUSION.parse("condorcet").fuse(lists), strict=True)) == {"a": 2, "b": 2, "c": 2, "z": 0}


def test_a_heavy_run_outvotes_two_light_ones() -> None:
    ranking = ("a b", "b a", "b a")
    assert FUSION.parse("condorcet").fuse(written(*ranking, weights=[0.5, 0.2, 0.2])).tolist() == [0, 1]  # b, a
    assert FUSION.parse("condorcet").fuse(written(*ranking, weights=[0.3, 0.2, 0.1])).tolist() == [0.5, 0.5]
    assert FUSION.parse("condorcet").fuse(written(*ranking, weights=[3e15, 2e15, 2e15])).tolist() == [1, 0]


def test_victories_are_the_same_in_blocks_and_for_many_voters(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    ranks = np.array([rng.permutation(40) for _ in range(200)], dtype=np.uint16)
    ahead = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=0)
    expected = (ahead > ahead.T).sum(axis=1) + ((ahead == ahead.T).sum(axis=1) - 1) / 2
    assert victories(ranks, np.ones(200)).tolist() == expected.tolist()
    monkeypatch.setattr("germane.retrieval.fusion.by_majority.PAIRS_AT_ONCE", 100)
    assert victories(ranks, np.ones(200)).tolist() == expected.tolist()


# What does not belong together, or is not there

Q1 = Run.from_dict({"q1": {"a": 2.0, "b": 1.0}}, name="one")
Q2 = Run.from_dict({"q1": {"b": 5.0, "c": 5.0}, "q2": {"a": 1.0}, "q10": {"z": 1.0}}, name="two")


def test_a_query_that_a_run_lacks_is_fused_from_the_others() -> None:
    fused = fuse_runs([Q1, Q2], "rrf(k=0)")
    rows = list(zip(fused.query.tolist(), fused.docs, fused.score.tolist(), strict=True))
    assert list(fused.queries) == ["q1", "q10", "q2"]
    assert rows == [(0, "c", 1), (0, "b", 1), (0, "a", 1), (1, "z", 1), (2, "a", 1)]
    [note] = fused.notes
    assert (note.code, note.run, note.count, note.examples) == ("missing-queries", "one", 2, ("q10", "q2"))


def test_a_run_without_documents_for_a_query_has_no_say_in_it() -> None:
    empty = Run.from_dict({"q1": {"a": 1.0}, "q2": {}, "q3": {}}, name="empty")
    for name in ("borda", "condorcet"):
        fused = fuse_runs([Q2, empty], name)
        assert fused.score.tolist()[-1] == (1 if name == "borda" else 0)
        assert list(fused.queries) == ["q1", "q10", "q2", "q3"]
        assert np.bincount(fused.query, minlength=4).tolist() == [3, 1, 1, 0]
        missing = [(note.run, note.count) for note in fused.notes if note.code == "missing-queries"]
        assert missing == [("two", 1), ("empty", 3)]


def test_tied_scores_have_ranks_by_the_tie_rule() -> None:
    run = Run.from_columns(["q"] * 3, ["a", "c", "b"], [1, 1, 1], [3, 2, 1], name="tied")
    other = Run.from_columns(["q"], ["x"], [1], [1], name="other")
    for ties, best in (("docno", "c"), ("order", "a"), ("rank", "b")):
        fused = fuse_runs([run, other], "rrf", ties=ties, depth=1)
        assert sorted(fused.docs) == sorted([best, "x"])


def test_depth_cuts_the_runs_and_keep_the_result() -> None:
    one = Run.from_dict({"q": {"a": 4.0, "b": 3.0, "c": 0.0}}, name="one")
    two = Run.from_dict({"q": {"c": 9.0, "b": 3.0, "a": 1.0}}, name="two")
    fused = fuse_runs([one, two], "combsum", depth=2)
    assert dict(zip(fused.docs, fused.score.tolist(), strict=True)) == {"a": 1, "b": 0, "c": 1}  # of what is left
    kept = fuse_runs([one, two], "combsum", k=1)
    assert (list(kept.docs), kept.score.tolist()) == (["c"], [1.0])
    assert kept.tag == "combsum(normalise=minmax,top=1)"


def test_the_tag_says_how_it_was_made() -> None:
    tags = [
        fuse_runs([Q1, Q2], "rrf").tag,
        fuse_runs([Q1, Q2], "borda", depth=10).tag,
        fuse_runs([Q1, Q2], "weighted", weights={"one": 0.7, "two": 0.3}, normalise="zmuv").tag,
        fuse_runs([Q1, Q2], "isr", ties="order").tag,
    ]
    assert tags == [
        "rrf(k=60)",
        "borda(depth=10)",
        "weighted(normalise=zmuv,weights=one:0.7/two:0.3)",
        "isr(ties=order)",
    ]


def test_notes_count_what_a_reader_must_know() -> None:
    tied = Run.from_dict({"q1": {"a": 2.0, "x": 2.0}, "q2": {"a": 2.0}, "q10": {"a": -1.0}}, name="tied")
    notes = {note.code: note for note in fuse_runs([tied, Q2], "combsum").notes if note.run != "two"}
    assert notes["equal-scores"].count == 3
    assert notes["equal-scores"].message == "3 queries with all scores equal (minmax: they count as 1 each)"
    assert "negative-scores" not in notes
    negative = {note.code: note for note in fuse_runs([tied, Q2], "combsum", normalise="none").notes}
    assert (negative["negative-scores"].count, negative["negative-scores"].amount) == (1, "12.5%")
    assert "negative-scores" not in {note.code for note in fuse_runs([tied, Q2], "combmax", normalise="none").notes}
    apart = Run.from_dict({"q1": {"x": 2.0}}, name="apart")
    assert "no-overlap" in {note.code for note in fuse_runs([apart, Q2]).notes}
    assert "no-overlap" not in {note.code for note in fuse_runs([Q1, Q2]).notes}


HUGE = Run.from_dict({"q1": {"a": 1.7e308, "b": -1.7e308}}, name="huge")
INFINITE = replace(Run.from_dict({"q1": {"a": 1.0}}, name="bad"), score=np.array([np.inf]))
WRONG = [
    ([Q1, Q2], {"method": "rff"}, "unknown fusion method 'rff'; did you mean rrf?"),
    ([Q1, Q2], {"method": "rrf(c=1)"}, "rrf has no parameter 'c'"),
    ([Q1, Q2], {"method": "rrf(k=-1)"}, "rrf: expected a number of 0 or more for k, found '-1'"),
    ([Q1, Q2], {"method": "rrf(k=many)"}, "expected a number of 0 or more for k, found 'many'"),
    ([Q1, Q2], {"method": "rrf(k=inf)"}, "expected a number of 0 or more for k, found 'inf'"),
    ([Q1, Q2], {"method": "rbc(p=1)"}, "rbc: expected a number above 0 and below 1 for p, found '1'"),
    ([Q1, Q2], {"method": "rrf(60)"}, "rrf: expected parameter=value, found '60'"),
    ([Q1, Q2], {"method": "combsum", "normalise": "min-max"}, "'min-max'; did you mean minmax?"),
    ([Q1, Q2], {"method": "rrf", "normalise": "minmax"}, "rrf uses only ranks"),
    ([Q1, Q2], {"method": "weighted"}, "weighted requires a weight for each run\nHint: use `weights='one=0.5,two"),
    ([Q1, Q2], {"method": "combmin", "weights": {"one": 1, "two": 1}}, "combmin does not support weights"),
    ([Q1, Q2], {"weights": {"onne": 1, "two": 1}}, "unknown run 'onne'; did you mean one?"),
    ([Q1, Q2], {"weights": {"one": 1}}, "found none for two"),
    ([Q1, Q2], {"weights": {"one": -1, "two": 1}}, "expected a weight of 0 or more for one, found -1"),
    ([Q1, Q2], {"weights": {"one": float("nan"), "two": 1}}, "expected a weight of 0 or more for one, found nan"),
    ([Q1, Q2], {"weights": {"one": 0, "two": 0}}, "expected a weight above 0"),
    ([Q1, Q2], {"depth": 0}, "expected depth to be 1 or more, found 0"),
    ([Q1, Q2], {"ties": "expected"}, "ties=expected requires judgments"),
    ([Q1, Q2], {"ties": "doc"}, "found 'doc'; did you mean docno?"),
    ([Q1, Q2], {"ties": "rank"}, "one: expected a rank column for ties=rank, found none"),
    ([Q1, Run.from_dict({"7": {"a": 1.0}}, name="other")], {}, "the runs share no query: one has q1; other has 7"),
    ([Q1, INFINITE], {}, "bad: expected a finite score, found inf"),
    ([Q2, HUGE], {"method": "combsum"}, "huge: the scores of query 'q1' are too far apart"),
    ([HUGE, HUGE, HUGE], {"method": "combsum", "normalise": "none"}, "too large to sum"),
    (
        [Q1, Run.from_dict({"q1": {"a": -1.0, "b": -2.0}}, name="logs")],
        {"method": "combsum", "normalise": "max"},
        "logs: expected a highest score above 0 to divide by, found -1 for query 'q1'",
    ),
]


@pytest.mark.parametrize(("runs", "choices", "message"), WRONG)
def test_what_is_wrong_is_said(runs: list[Run], choices: dict[str, object], message: str) -> None:
    with pytest.raises(GermaneError) as caught:
        fuse_runs(runs, **choices)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_ids_are_bytes() -> None:
    odd = Run.from_columns([b"q"] * 3, [b"\xff", b"a", b"a\0"], [3, 2, 1], name="odd")
    other = Run.from_columns([b"q"] * 2, [b"a\0", b"a"], [2, 1], name="other")
    fused = fuse_runs([odd, other], "borda")
    assert dict(zip(fused.docs.to_bytes_list(), fused.score.tolist(), strict=True)) == {b"\xff": 4, b"a": 4, b"a\0": 4}
    assert fused.docs.to_bytes_list() == [b"\xff", b"a\0", b"a"]


def test_a_duplicate_is_refused_where_runs_come_from_outside() -> None:
    from germane.api.retrieval.fusion import fuse

    twice = Run.from_columns(["q1", "q1"], ["a", "a"], [2, 1], name="twice")
    with pytest.raises(InputError, match="twice: duplicate document 'a' for query 'q1'"):
        fuse([twice, Q1])
    with pytest.raises(InputError, match="duplicate document"):
        fuse({"twice": [("q1", "a", 1.0), ("q1", "a", 2.0)], "one": Q1})
