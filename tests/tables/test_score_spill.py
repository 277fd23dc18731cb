"""Scores sorted on disk: merging the parts gives what sorting all rows at once gives."""

import errno
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import GermaneError
from germane.tables.decisions import score_spill
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.score_spill import SpilledScores

SCORES = st.one_of(
    st.floats(allow_nan=False), st.integers(-3, 3).map(float), st.sampled_from([0.0, -0.0, math.inf, -math.inf])
)
ROWS = st.lists(st.tuples(st.booleans(), SCORES, st.integers(0, 3)), min_size=1, max_size=60)


@pytest.fixture
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("PART", 7), ("HELD", 10), ("WINDOW", 6), ("SMALLEST_WINDOW", 2)):
        monkeypatch.setattr(score_spill, name, size)


def columns(rows: list[tuple[bool, float, int]]) -> tuple[Any, Any, Any]:
    truth, score, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    return truth, score.astype(np.float64), weight.astype(np.float64)


def merged(truth: Any, score: Any, weight: Any, batch: int) -> tuple[list[float], list[Any], list[Any], SpilledScores]:
    with SpilledScores() as scores:
        for start in range(0, len(truth), batch):
            rows = slice(start, start + batch)
            scores.add(truth[rows], score[rows], None if weight is None else weight[rows])
        chunks = list(scores.merged())
    found = [np.concatenate(parts).tolist() for parts in zip(*chunks, strict=True)]
    return found[0], found[1], found[2], scores


@pytest.mark.usefixtures("_tiny")
@given(ROWS, st.integers(1, 60), st.booleans())
def test_merging_gives_what_sorting_gives(rows: list[tuple[bool, float, int]], batch: int, weights: bool) -> None:
    truth, score, weight = columns(rows)
    if weights and not weight.any():
        return
    whole = Decisions.of(truth, score, weight if weights else None)
    thresholds, positives, negatives, scores = merged(truth, score, weight if weights else None, batch)
    assert thresholds == whole.thresholds.tolist()
    assert (positives, negatives) == (whole.positives_at.tolist(), whole.negatives_at.tolist())
    assert (scores.num_positive, scores.num_negative) == (whole.num_positive, whole.num_negative)
    assert (scores.highest, scores.lowest) == (thresholds[0], thresholds[-1])


@pytest.mark.usefixtures("_tiny")
def test_the_law_catches_runs_that_are_not_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken merge, which hands on whatever it has read, gives a score twice."""
    monkeypatch.setattr(score_spill._Run, "take", lambda run, lowest: (run.read, run.fill(0), run.__init__(0, None))[0])
    truth, score, _ = columns([(True, float(i % 5), 1) for i in range(40)])
    assert merged(truth, score, None, 7)[0] != Decisions.of(truth, score).thresholds.tolist()


@pytest.mark.usefixtures("_tiny")
def test_fractions_of_weights_are_summed() -> None:
    truth, score, _ = columns([(i % 3 == 0, float(i % 5), 1) for i in range(40)])
    weight = np.where(np.arange(40) < 20, 2.0, 0.25)
    thresholds, positives, negatives, scores = merged(truth, score, weight, 10)
    whole = Decisions.of(truth, score, weight)
    assert scores.weighted
    assert thresholds == whole.thresholds.tolist()
    assert positives == whole.positives_at.tolist()
    assert negatives == whole.negatives_at.tolist()


def test_whole_weights_too_large_for_exact_sums_are_summed_as_fractions_are() -> None:
    with SpilledScores() as scores:
        scores.add(np.asarray([True]), np.asarray([0.9]), np.asarray([float(1 << 52)]))
        assert (scores.weighted, scores.num_positive) == (False, 1 << 52)
        scores.add(np.asarray([False, True]), np.asarray([0.1, 0.2]), np.asarray([float(1 << 52), 1.0]))
        assert scores.weighted
        [chunk] = scores.merged()
    assert chunk.positives.dtype == chunk.negatives.dtype == np.float64
    assert chunk.positives.tolist() == [float(1 << 52), 1.0, 0.0]


@pytest.mark.usefixtures("_tiny")
def test_many_small_parts_become_few_runs() -> None:
    """Each run on disk needs a window of memory when it is read, so small parts are joined."""
    random = np.random.default_rng(5)
    truth, score = random.random(300) < 0.5, np.round(random.random(300), 2)
    with SpilledScores() as scores:
        for i in range(300):
            scores.add(truth[i : i + 1], score[i : i + 1])
        assert len(scores._on_disk) <= 300 // 10
        chunks = list(scores.merged())
    whole = Decisions.of(truth, score)
    assert np.concatenate([chunk.thresholds for chunk in chunks]).tolist() == whole.thresholds.tolist()
    assert np.concatenate([chunk.negatives for chunk in chunks]).tolist() == whole.negatives_at.tolist()


def test_few_scores_need_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert merged(*columns([(True, 0.5, 1), (False, 0.25, 1)])[:2], None, 1)[0] == [0.5, 0.25]


@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_left_behind(fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    truth, score, _ = columns([(True, float(i), 1) for i in range(60)])
    with pytest.raises(ZeroDivisionError) if fails else SpilledScores(), SpilledScores() as scores:
        scores.add(truth, score)
        assert scores._on_disk
        assert list(tmp_path.iterdir()) == [], "the file has no name, so the system removes it"
        opened = scores._file
        if fails:
            raise ZeroDivisionError
    assert opened is not None
    assert opened.closed


FAILURES = [
    # error         said                                                                               what to do
    (
        errno.ENOSPC,
        "cannot write scores to a temporary file: No space left on device",
        "free disk space, or set TMPDIR",
    ),
    (errno.EACCES, "cannot write scores to a temporary file: Permission denied", "make it writable, or set TMPDIR"),
]


@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize(("number", "said", "hint"), FAILURES)
def test_no_room_is_an_error(number: int, said: str, hint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    def full(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    truth, score, _ = columns([(True, float(i), 1) for i in range(60)])
    with SpilledScores() as scores, pytest.raises(GermaneError) as caught:
        scores.add(truth, score)
    assert caught.value.message == said
    assert str(caught.value.hint).startswith(hint)
