"""Laws that every fusion method keeps under every normalisation, and broken ones that they catch."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.catalogue import Range
from germane.retrieval.fusion import (
    FUSION,
    NORMALISATIONS,
    Lists,
    Method,
    Normalisation,
    fuse_runs,
    lists_of,
)
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.judged_run import sum_by
from germane.tables.rankings.run import Run
from tests.conftest import ROOT

Scored = Mapping[str, float]
Fuse = Callable[[Sequence[Scored]], dict[str, float]]
"""From the scores of each run to fused scores, best first, for one query."""

Setting = tuple[Method, Normalisation | None]
SETTINGS: list[Setting] = [
    (method, entry) for method in FUSION for entry in (NORMALISATIONS if method.uses == "scores" else [None])
]

some_scores = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 6).map(float), min_size=1, max_size=6)
some_runs = st.lists(some_scores, min_size=2, max_size=4)
odd_scores = st.dictionaries(st.sampled_from("abcd"), st.floats(0.1, 1), min_size=1, max_size=4)


def fusion_of(method: Method, entry: Normalisation | None) -> Fuse:
    """A method with weights of 1."""

    def fuse(runs: Sequence[Scored]) -> dict[str, float]:
        tables = [Run.from_dict({"q": scores}, name=f"run{i}") for i, scores in enumerate(runs)]
        weights = {run.name: 1.0 for run in tables} if method.weights == "needed" else None
        fused = fuse_runs(tables, method, normalise=None if entry is None else entry.name, weights=weights)
        return dict(zip(fused.docs, fused.score.tolist(), strict=True))

    return fuse


def broken(score: Callable[[Lists], FloatArray]) -> Fuse:
    """A method that is not in the registry, and should not be."""

    def fuse(runs: Sequence[Scored]) -> dict[str, float]:
        lists = lists_of([Run.from_dict({"q": scores}) for scores in runs])
        values = score(lists).tolist()
        return dict(sorted(zip(lists.docs, values, strict=True), key=lambda pair: -pair[1]))

    return fuse


def ranking(scores: Scored) -> list[str]:
    """Score descending, ties by id descending."""
    return sorted(sorted(scores, reverse=True), key=lambda doc: -scores[doc])


def overruled(fuse: Fuse, runs: Sequence[Scored], *, complete: bool) -> Iterator[str]:
    """Pairs that all runs order alike, and the fused run otherwise.

    In lists that are `complete` the winner must score more. Where some run lacks a document it must not score less.
    """
    fused = fuse(runs)
    for a, b in itertools.permutations(fused, 2):
        if complete and all(scores[a] > scores[b] for scores in runs) and not fused[a] > fused[b]:
            yield f"{a} is above {b} in every run, and fused it is not"
        places = [{doc: place for place, doc in enumerate(ranking(scores))} for scores in runs]
        never_below = all(place.get(a, 99) < place.get(b, 99) or not {a, b} & place.keys() for place in places)
        if not complete and never_below and fused[a] < fused[b]:
            yield f"no run has {b} above {a}, and fused it is"


def moved_by_the_order_of_runs(fuse: Fuse, runs: Sequence[Scored]) -> Iterator[str]:
    first = list(fuse(runs).items())
    for shuffled in itertools.permutations(runs):
        if list(fuse(shuffled).items()) != first:
            yield f"{shuffled} give other scores than {runs}"


def moved_by_a_copy(fuse: Fuse, scores: Scored) -> Iterator[str]:
    if list(fuse([scores, scores])) != ranking(scores):
        yield f"{scores} fused with itself has another order"


def strangers_and_lost(fuse: Fuse, runs: Sequence[Scored]) -> Iterator[str]:
    yield from sorted(set(fuse(runs)) ^ {doc for scores in runs for doc in scores})


def everywhere(law: Callable[[Fuse], Iterator[str]], which: Sequence[Setting] = SETTINGS) -> list[str]:
    """What the law complains of, whatever the method and the normalisation."""
    return [f"{method} {entry}: {text}" for method, entry in which for text in law(fusion_of(method, entry))]


complete_runs = st.lists(st.permutations("abcd"), min_size=2, max_size=3).map(
    lambda orders: [{doc: float(place**2 + 1) for place, doc in enumerate(order)} for order in orders]
)
ALWAYS = [
    (method, entry)
    for method, entry in SETTINGS
    if method.unanimity == "always" and (entry is None or entry.never_negative)
]


@settings(max_examples=12)
@given(complete=complete_runs, runs=some_runs)
def test_where_all_runs_agree_on_two_documents_so_does_the_fused_run(
    complete: list[dict[str, float]], runs: list[dict[str, float]]
) -> None:
    assert everywhere(lambda fuse: overruled(fuse, complete, complete=True)) == []
    assert everywhere(lambda fuse: overruled(fuse, runs, complete=False), ALWAYS) == []


def sum_of_ranks(lists: Lists) -> FloatArray:
    return lists.total(lists.rank.astype(float))


def test_the_law_of_unanimity_catches_a_method_that_rewards_low_ranks() -> None:
    complete = [{"a": 3.0, "b": 1.0}, {"a": 2.0, "b": 1.0}]
    assert list(overruled(broken(sum_of_ranks), complete, complete=True)) != []
    assert list(overruled(broken(sum_of_ranks), [{"a": 1.0}, {"a": 2.0, "b": 1.0}], complete=False)) == []
    assert list(overruled(broken(sum_of_ranks), [{"a": 2.0, "b": 1.0}] * 2, complete=False)) != []


# No run has b above x, and yet x scores less: only x is measured by the second run too.
ONE_RUN_ALONE = [{"c": 9.0, "x": 8.0, "b": 7.0}, {"c": 9.0, "x": 1.0}]
NOT_PROMISED = ("combanz", "combmin", "combmed")


@pytest.mark.parametrize("name", NOT_PROMISED)
def test_what_is_not_promised_does_happen(name: str) -> None:
    fuse = fusion_of(FUSION.parse(name), NORMALISATIONS.parse("max"))
    assert list(overruled(fuse, ONE_RUN_ALONE, complete=False)) == ["no run has b above x, and fused it is"]


def test_all_that_is_not_promised_is_shown_to_happen() -> None:
    assert set(NOT_PROMISED) == {m.name for m in FUSION if m.unanimity != "always"}


@pytest.mark.parametrize("name", [entry.name for entry in NORMALISATIONS if not entry.never_negative])
def test_negative_scores_lie_below_what_a_run_lacks(name: str) -> None:
    runs = [{"a": 3.0, "c": -4.0}, {"c": 1.0, "d": 0.9, "e": 0.0}]
    fuse = fusion_of(FUSION.parse("combsum"), NORMALISATIONS.parse(name))
    assert "no run has d above c, and fused it is" in list(overruled(fuse, runs, complete=False))


@settings(max_examples=8)
@given(runs=st.lists(odd_scores, min_size=2, max_size=3))
def test_the_order_of_the_runs_does_not_matter(runs: list[dict[str, float]]) -> None:
    assert everywhere(lambda fuse: moved_by_the_order_of_runs(fuse, runs)) == []


def test_the_law_of_order_catches_sums_as_they_come() -> None:
    as_they_come = lambda lists: sum_by(lists.candidate, lists.score, len(lists.docs))
    runs = [{"a": 0.1}, {"a": 0.2}, {"a": 0.3}]
    assert list(moved_by_the_order_of_runs(broken(as_they_come), runs)) != []
    assert list(moved_by_the_order_of_runs(broken(lambda lists: lists.total(lists.score)), runs)) == []


@settings(max_examples=12)
@given(scores=some_scores)
def test_a_run_fused_with_its_copy_keeps_its_order(scores: dict[str, float]) -> None:
    assert everywhere(lambda fuse: moved_by_a_copy(fuse, scores)) == []


def test_the_law_of_copies_catches_a_method_that_turns_the_ranking_round() -> None:
    assert list(moved_by_a_copy(broken(sum_of_ranks), {"a": 2.0, "b": 1.0})) != []


@settings(max_examples=10)
@given(runs=some_runs)
def test_the_fused_run_has_what_any_run_has(runs: list[dict[str, float]]) -> None:
    assert everywhere(lambda fuse: strangers_and_lost(fuse, runs)) == []


def test_the_law_of_the_union_catches_a_method_that_wants_two_witnesses() -> None:
    rrf = fusion_of(FUSION.parse("rrf"), None)
    two_witnesses = lambda runs: {doc: s for doc, s in rrf(runs).items() if sum(doc in run for run in runs) > 1}
    assert list(strangers_and_lost(two_witnesses, [{"a": 1.0}, {"a": 1.0, "b": 1.0}])) == ["b"]


@pytest.mark.parametrize("entry", [*FUSION, *NORMALISATIONS], ids=str)
def test_every_entry_says_all_about_itself(entry: Method | Normalisation) -> None:
    assert entry.summary.endswith(".")
    assert list(entry.sections) == ["Formula", "Reference", "Edge cases"]
    assert f"| `{entry.name}` |" in (ROOT / "docs" / "how_to" / "fuse_runs.md").read_text(encoding="utf-8")
    if isinstance(entry, Method):
        assert FUSION.parse(str(entry)) == entry
        assert all(parameter.range != Range() for parameter in entry.parameters.values())
