"""Running a tuning: what is evaluated and what is not, resuming, threads, and what is refused."""

import errno
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import with_checksum
from germane.learning.strategies.space import expand
from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.journal import Journal
from germane.learning.tuning.procedure import tune_strategies
from germane.learning.tuning.result import Tuning

SPACE = expand(["BM25(k1={0.3..3..0.1})", "QL(mu={100..1000..100}){,+rm3}"])
QUERIES = [f"q{i:02}" for i in range(60)]
TABLE = np.random.default_rng(7).beta(2, 3, (len(SPACE), len(QUERIES))) * np.linspace(0.8, 1, len(SPACE))[:, None]


class Counted:
    """Looks values up in a table, and counts what was asked for; stops after so many strategies, if told to."""

    def __init__(self, table: np.ndarray = TABLE, stop_after: int | None = None) -> None:
        self.table = table
        self.asked: Counter[tuple[str, int]] = Counter()
        self.calls = 0
        self.stop_after = stop_after

    def __call__(self, strategy: Strategy, places: np.ndarray) -> np.ndarray:
        if self.calls == self.stop_after:
            raise KeyboardInterrupt
        self.calls += 1
        self.asked.update((str(strategy), int(place)) for place in places)
        return np.asarray(self.table[SPACE.index(strategy), places])


def tuned(score: Counted, **choices: object) -> Tuning:
    choices = {"threads": 1, **choices}
    return tune_strategies(score, SPACE, QUERIES, **choices)  # type: ignore[arg-type]


def result(tuning: Tuning) -> dict[str, Any]:
    """All that is reported, but for the notes, which say how much came out of the journal."""
    found = tuning.to_dict()
    del found["notes"]
    return found


def test_each_strategy_is_evaluated_once_per_query() -> None:
    score = Counted()
    tuning = tuned(score)
    assert set(score.asked.values()) == {1}
    assert len(score.asked) == TABLE.size == tuning.num_evaluated
    assert tuning.winner == SPACE[int(TABLE.mean(axis=1).argmax())]
    assert tuning.mean(tuning.winner) == pytest.approx(TABLE.mean(axis=1).max())
    assert str(tuning.simplest) == "BM25"


def test_threads_change_nothing() -> None:
    assert result(tuned(Counted(), threads=4)) == result(tuned(Counted()))


@pytest.mark.parametrize("search", ["grid", "random", "halving"])
def test_an_interrupted_run_goes_on_and_gives_the_identical_result(search: str, tmp_path: Path) -> None:
    whole = tuned(Counted(), search=search)
    path = tmp_path / "journal.jsonl"
    with pytest.raises(KeyboardInterrupt):
        tuned(Counted(stop_after=12), search=search, resume=path)
    with path.open("ab") as file:
        file.write(b'{"strategy": "BM25", "pla')  # the last line was being written
    again = Counted()
    resumed = tuned(again, search=search, resume=path)
    assert result(resumed) == result(whole)
    assert again.calls > 0
    assert sum(again.asked.values()) < whole.num_evaluated  # what was there was not evaluated again
    assert {note.code for note in resumed.notes} >= {"resumed", "journal-truncated"}
    once_more = Counted()
    assert result(tuned(once_more, search=search, resume=path)) == result(whole)
    assert once_more.calls == 0


def test_halving_on_a_journal_of_a_grid_sees_no_more_than_without(tmp_path: Path) -> None:
    tuned(Counted(), resume=tmp_path / "journal.jsonl")
    score = Counted()
    halved = tuned(score, search="halving", resume=tmp_path / "journal.jsonl")
    assert score.calls == 0
    assert result(halved) == result(tuned(Counted(), search="halving"))


def test_halving_never_evaluates_what_was_dropped() -> None:
    # One strategy is so bad that every fold drops it at its first rung, by 16 of 48 queries; the folds take them in one
    # order, so of 60 queries it sees 20 at most.
    table = TABLE.copy()
    bad = [3, 8, 20]
    table[bad] = 0.0
    score = Counted(table)
    tuning = tuned(score, search="halving")
    seen = Counter(strategy for strategy, _ in score.asked)
    assert set(score.asked.values()) == {1}
    assert all(seen[str(SPACE[place])] <= 20 for place in bad)
    assert seen[str(tuning.winner)] == seen["BM25"] == len(QUERIES)
    assert tuning.num_evaluated == len(score.asked) < TABLE.size
    assert np.isnan(tuning.values[bad[0]]).any()
    assert tuning.learning_curve == ()
    assert "no-curves" in {note.code for note in tuning.notes}


def test_the_winner_of_halving_is_one_that_stands_out() -> None:
    table = TABLE.copy()
    table[30] = 0.99
    tuning = tuned(Counted(table), search="halving")
    assert {choice.strategy for choice in tuning.procedures["best"].by_fold} == {SPACE[30]} == {tuning.chosen}


def test_random_search_draws_so_many_and_always_the_simplest() -> None:
    tunings = [tuned(Counted(), search="random", candidates=5, seed=seed) for seed in (0, 1)]
    for tuning in tunings:
        assert len(tuning.strategies) == 5
        assert str(tuning.simplest) == "BM25"
    assert tunings[0].strategies != tunings[1].strategies
    assert result(tunings[0]) == result(tuned(Counted(), search="random", candidates=5, seed=0))


def test_where_less_is_better_the_lowest_wins() -> None:
    tuning = tuned(Counted(), lower_is_better=True, measure="Cost")
    assert tuning.winner == SPACE[int(TABLE.mean(axis=1).argmin())]
    assert tuning.values == pytest.approx(TABLE)
    assert tuning.procedures["best"].gap > 0  # the space is noise: what was promised is better than what is kept
    assert tuning.procedures["best"].tuned < tuning.procedures["best"].held_out


def test_duplicate_queries_are_in_one_fold() -> None:
    groups = [i // 2 for i in range(len(QUERIES))]
    fold = tuned(Counted(), groups=groups).fold
    assert (fold[::2] == fold[1::2]).all()
    plain = tuned(Counted()).fold
    assert not (plain[::2] == plain[1::2]).all()


def test_progress_ends_with_all_of_it() -> None:
    told: list[tuple[int, int | None]] = []
    tuned(Counted(), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (TABLE.size, TABLE.size)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_what_does_not_differ_is_said_not_to() -> None:
    same = np.tile(np.linspace(0, 1, len(QUERIES)), (len(SPACE), 1))
    tuning = tuned(Counted(same))
    assert tuning.winner == tuning.chosen == tuning.simplest
    assert tuning.procedures["best"].p == 1
    assert "simpler-is-as-good" not in {
        note.code for note in tuning.notes
    }  # the winner is the simplest: nothing simpler is there
    shaky = same.copy()
    shaky[5] += np.where(np.arange(len(QUERIES)) % 2, 0.5, -0.49)  # better by .005 on average, and no more than noise
    tuning = tuned(Counted(shaky))
    assert tuning.winner == SPACE[5]
    assert tuning.chosen == tuning.simplest
    better = same.copy()
    better[5] += 0.1 + np.arange(len(QUERIES)) / 1000
    tuning = tuned(Counted(better))
    assert tuning.winner == tuning.chosen == SPACE[5]
    assert tuning.procedures["best"].p < 0.001
    assert any("significantly better than BM25" in note.what for note in tuning.notes)
    assert any("beats every simpler strategy significantly" in note.what for note in tuning.notes)


def test_the_same_difference_for_every_query_is_told_and_not_judged() -> None:
    table = np.tile(np.arange(len(QUERIES)) / 64, (len(SPACE), 1))
    table[5] += 0.25
    tuning = tuned(Counted(table))
    assert np.isnan(tuning.procedures["best"].p)
    (what,) = (note.what for note in tuning.notes if note.code == "against-simplest")
    assert "differs from BM25 by +0.2500 for every query" in what
    assert "so no test is possible" in what
    assert "significantly" not in what


REFUSED = [
    ({"folds": 61}, r"as many judged queries as folds \(61\), found 60"),
    ({"folds": 1}, "at least 2 folds"),
    ({"search": "grit"}, "unknown search 'grit'; did you mean grid"),
    ({"candidates": 5}, "grid search evaluates all 48 strategies, so it does not support candidates=5"),
    ({"search": "random", "candidates": 0}, "expected at least 1 candidate"),
    ({"alpha": 0.0}, "alpha between 0 and 1"),
    ({"level": 1.0}, "level between 0 and 1"),
    ({"threads": 0}, "at least 1 thread"),
]


@pytest.mark.parametrize(("choices", "message"), REFUSED)
def test_what_is_refused(choices: dict[str, object], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        tuned(Counted(), **choices)


def test_an_empty_space_is_refused() -> None:
    with pytest.raises(GermaneError, match="expected at least one strategy, found none"):
        tune_strategies(Counted(), [], QUERIES)


def test_an_undefined_value_names_strategy_and_query() -> None:
    table = TABLE.copy()
    table[4, 7] = np.nan
    with pytest.raises(GermaneError, match=r"BM25\(k1=0.7\) has no value for query 'q07'"):
        tuned(Counted(table))


def test_a_journal_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    tuned(Counted(), resume=path, data="one")
    for choices, message in (
        ({"data": "two"}, "another index, or to other topics or qrels"),
        ({"data": "one", "measure": "RR"}, "another measure: 'RR' now, 'AP' there"),
        ({"data": "one", "k": 10}, "another depth k: 10 now, 1000 there"),
    ):
        with pytest.raises(InputError, match=message):
            tuned(Counted(), resume=path, **choices)
    lines = path.read_text().splitlines()
    broken = json.loads(lines[1]) | {"values": [0.5]}
    path.write_text("\n".join([lines[0], json.dumps(with_checksum(broken)), *lines[2:]]) + "\n")
    with pytest.raises(InputError, match=r"journal.jsonl:2: expected a strategy with one value per query"):
        tuned(Counted(), resume=path, data="one")
    path.write_text("qrels\n")
    with pytest.raises(InputError, match=r"journal.jsonl:1: expected a line of a tuning journal"):
        tuned(Counted(), resume=path)
    path.write_text("{}\n")
    with pytest.raises(InputError, match="expected a tuning journal"):
        tuned(Counted(), resume=path)
    with pytest.raises(InputError, match="cannot open the journal"):
        tuned(Counted(), resume=tmp_path / "no" / "journal.jsonl")


def test_a_journal_that_the_disk_has_no_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Journal, "_begin", full)
    with pytest.raises(InputError, match=r"journal.jsonl: cannot open the journal: No space left on device"):
        tuned(Counted(), resume=tmp_path / "journal.jsonl")
