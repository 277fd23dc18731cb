"""`germane pool simulate`: replayed on judged data, by hand and on TREC's."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from germane import evaluate
from germane.api.truth.pool_simulation import PoolSimulation, simulate_pools
from germane.errors import GermaneError
from germane.judging.pooling import POOLING
from germane.judging.simulate import fairness

QRELS = {"q1": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 1}}
RUNS = {
    "one": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}},
    "two": {"q1": {"e": 3.0, "d": 2.0, "a": 1.0}},
}


def found(simulation: PoolSimulation) -> list[tuple[str, int, float]]:
    return [(row.method, row.budget, row.found) for row in simulation.rows]


def test_relevant_documents_found_by_hand() -> None:
    simulation = simulate_pools(QRELS, RUNS, ["depth", "mtf(ties=first)"], [1, 2, 3])
    # depth asks for e a | d b | c; move-to-front for a b | e (and stays) d | c
    assert found(simulation) == [
        *(("depth", budget, found) for budget, found in ((1, 1), (2, 2), (3, 2))),
        *(("mtf(ties=first)", budget, found) for budget, found in ((1, 1), (2, 1), (3, 2))),
    ]
    assert [row.share for row in simulation.rows] == [n / 3 for n in (1, 2, 2, 1, 1, 2)]
    assert simulation.num_relevant == 3


def test_tau_by_hand() -> None:
    # All judged: one has AP (1 + 2/3)/3, two (1 + 2/3)/3: a tie. With c not relevant one falls behind.
    runs = {**RUNS, "three": {"q1": {"b": 2.0, "c": 1.0}}}
    rows = simulate_pools(QRELS, runs, ["depth"], [3, 9]).rows
    assert rows[1].tau == pytest.approx(1.0)
    assert rows[0].tau < 1


def test_documents_that_nobody_judged_are_counted() -> None:
    simulation = simulate_pools({"q1": {"a": 1}}, RUNS, ["depth"], [5])
    assert (simulation.rows[0].judged, simulation.rows[0].unjudged) == (1, 4)
    assert "80.0%" in [note.amount for note in simulation.notes]


def test_with_everything_judged_the_leaderboard_is_that_of_evaluate() -> None:
    simulation = simulate_pools(QRELS, RUNS, ["depth"], [9], leave_one_out=True)
    means = evaluate(QRELS, RUNS, "AP").mean()
    assert {row.run: row.score for row in simulation.leave_one_out} == pytest.approx(
        {name: mean["AP"] for name, mean in means.items()}
    )


def test_leaving_a_run_out_by_hand() -> None:
    rows = simulate_pools(QRELS, RUNS, ["depth"], [9], leave_one_out=True).leave_one_out
    one, two = rows
    # Without one, c (and b) are not in the pool: R = 2. one: a is first, (1)/2; two: e, a: (1 + 2/3)/2.
    assert (one.run, one.unique, one.rank_without) == ("one", 1, 2)
    assert one.score_without == pytest.approx(1 / 2)
    # Without two, e is not: R = 2. two: a at 3, (1/3)/2; one: (1 + 2/3)/2.
    assert (two.run, two.unique, two.rank_without) == ("two", 1, 2)
    assert two.score_without == pytest.approx(1 / 6)
    assert fairness(rows)["depth"].largest_drop == 1
    assert fairness(rows)["depth"].mean_drop == 1.0  # both shared the first place


def test_the_runs_of_a_team_are_left_out_together() -> None:
    runs = {**RUNS, "one-again": RUNS["one"]}
    alone = simulate_pools(QRELS, runs, ["depth"], [9], leave_one_out=True).leave_one_out[0]
    teams = {"one": "A", "one-again": "A"}
    together = simulate_pools(QRELS, runs, ["depth"], [9], leave_one_out=True, teams=teams).leave_one_out[0]
    assert (alone.unique, together.unique) == (0, 1)
    assert alone.score_without == alone.score > together.score_without
    with pytest.raises(GermaneError, match="unknown run 'nobody' in teams"):
        simulate_pools(QRELS, runs, ["depth"], [9], leave_one_out=True, teams={"nobody": "A"})


def broken_shares(shares: Sequence[float]) -> bool:
    """A larger budget never finds less."""
    return any(b < a for a, b in itertools.pairwise(shares))


def random_collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, Any]]:
    import numpy as np

    generator = np.random.default_rng(seed)
    docs = [f"d{i:02}" for i in range(40)]
    qrels = {f"q{q}": {doc: int(generator.random() < 0.3) for doc in docs} for q in range(4)}
    runs = {
        f"r{r}": {
            q: {
                doc: grades[doc] * r / 3 + generator.random()
                for doc in generator.permutation(docs)[: 30 if r else 40].tolist()
            }
            for q, grades in qrels.items()
        }
        for r in range(5)
    }
    return qrels, runs


def test_all_methods_agree_once_everything_is_judged() -> None:
    qrels, runs = random_collection(1)
    simulation = simulate_pools(qrels, runs, None, [5, 10, 20, 99], collection=[f"d{i:02}" for i in range(40)])
    by_method: dict[str, list[Any]] = {}
    for row in simulation.rows:
        by_method.setdefault(row.method, []).append(row)
    assert set(by_method) == set(POOLING.names)
    for name, rows in by_method.items():
        assert not broken_shares([row.share for row in rows]), name
        assert (rows[-1].share, rows[-1].tau, rows[-1].unjudged) == (1.0, pytest.approx(1.0), 0), name
    assert {row.measure for row in by_method["stratified"]} == {"XinfAP"}
    assert {row.measure for row in by_method["uniform"]} == {"InfAP(unlisted=pooled)"}


def test_the_law_of_budgets_catches_a_specimen() -> None:
    assert broken_shares([0.1, 0.3, 0.2])


@pytest.mark.parametrize("method", ["mtf", "hedge", "maxmean", "mm-ns", "thompson", "base+top(base=1)"])
def test_an_adaptive_method_follows_the_run_that_is_right(method: str) -> None:
    good = [f"r{i}" for i in range(10)]
    bad = [[f"n{run}{i}" for i in range(10)] for run in range(3)]
    qrels = {"q1": {**dict.fromkeys(good, 1), **{doc: 0 for docs in bad for doc in docs}}}
    rankings = {
        f"run{i}": {"q1": {doc: -float(at) for at, doc in enumerate(docs)}} for i, docs in enumerate([good, *bad])
    }
    found_by = {row.method: row.found for row in simulate_pools(qrels, rankings, ["depth", method], [12]).rows}
    assert found_by["depth"] == 3
    assert found_by[method] >= 5


def test_random_methods_are_repeated_with_the_next_seeds() -> None:
    qrels, runs = random_collection(3)
    taus = [simulate_pools(qrels, runs, ["sample"], [6], seed=seed).rows[0].tau for seed in (4, 5, 6)]
    row, fixed = simulate_pools(qrels, runs, ["sample", "depth"], [6], seed=4, repeats=3).rows
    assert row.tau == pytest.approx(sum(taus) / 3)
    assert (row.tau_low, row.tau_high, row.repeats) == (min(taus), max(taus), 3)
    assert min(taus) < max(taus)
    assert (fixed.repeats, fixed.tau_low) == (1, fixed.tau)


def test_progress_and_what_programs_read() -> None:
    calls: list[tuple[int, int]] = []
    simulation = simulate_pools(
        QRELS, RUNS, ["depth"], [2, 1], leave_one_out=True, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(1, 3), (2, 3), (3, 3)]
    assert simulation.to_frame()["budget"].tolist() == [1, 2]
    data = simulate_pools(QRELS, {"one": RUNS["one"]}, ["depth"], [1]).to_dict()
    assert data["budgets"][0]["tau"] is None


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"budgets": []}, "budgets of 1 or more"),
        ({"budgets": [0, 5]}, "budgets of 1 or more"),
        ({"repeats": 0}, "1 or more repeats"),
        ({"methods": []}, "at least one pooling method"),
        ({"methods": ["uniform"]}, "uniform requires a collection"),
        ({"qrels": {"q9": {"a": 1}}}, "share no query"),
    ],
)
def test_what_makes_no_sense_is_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        simulate_pools(**{"qrels": QRELS, "runs": RUNS, **choices})


def test_tau_of_nothing_found_is_undefined_and_said() -> None:
    qrels = {"q1": {"a": 0, "b": 1}}
    simulation = simulate_pools(qrels, {"x": {"q1": {"a": 2.0, "b": 1.0}}, "y": {"q1": {"a": 1.0}}}, ["depth"], [1])
    assert math.isnan(simulation.rows[0].tau)
    assert "undefined" in [note.code for note in simulation.notes]


@pytest.mark.shared
def test_on_robust_2003(shared: Path) -> None:
    folder = shared / "data" / "robust03"
    runs = [folder / "runs" / f"{name}.gz" for name in ("NLPR03vb10", "humR03dc", "rutcor03100", "MU03rob01")]
    rows = simulate_pools(folder / "qrels.txt.gz", runs, ["depth", "hedge"], [10, 50], depth=50).rows
    share = {(row.method, row.budget): row.share for row in rows}
    assert share["hedge", 50] > share["depth", 50] > share["hedge", 10] > share["depth", 10]


def test_what_cannot_be_left_out_is_an_error_where_it_was_asked_for() -> None:
    with pytest.raises(GermaneError, match="leave-one-out is not supported with sample, which draws a sample"):
        simulate_pools(QRELS, RUNS, ["depth", "sample"], [9], leave_one_out=True)
    with pytest.raises(GermaneError, match="`teams=` requires leave-one-out"):
        simulate_pools(QRELS, RUNS, ["depth"], [9], teams={"one": "a"})
    simulation = simulate_pools(QRELS, RUNS, None, [9], leave_one_out=True)  # all methods: those that can
    assert "no-leave-one-out" in [note.code for note in simulation.notes]
