"""Rank correlation of two runs by query, of two leaderboards by measure, or of measures over systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from germane.arguments import checked
from germane.errors import GermaneError
from germane.formats.files.sources import STDIN, display_name
from germane.formats.rankings.leaderboard import ONE_VALUE, is_leaderboard, read_leaderboard
from germane.formats.rankings.ranking_files import read_run
from germane.formats.rows.memory import run_from
from germane.measures.definition import MEASURES
from germane.stats.rankings.agreement_of_rankings import (
    Leaderboard,
    between_leaderboards,
    between_measures,
    between_runs,
)
from germane.stats.rankings.coefficients import DEFAULT_P
from germane.stats.rankings.correlations import DEFAULT_COEFFICIENTS, Correlations, Missing
from germane.tables.rankings.run import Run
from germane.tables.results.scores import Scores

if TYPE_CHECKING:
    from germane.types import LeaderboardLike, RunLike

RankingKind = Literal["run", "leaderboard"]
MATRIX_COEFFICIENTS = ("tau-b",)


@checked
def correlate(
    a: RunLike | LeaderboardLike | Scores,
    b: RunLike | LeaderboardLike | Scores | None = None,
    coefficients: str | Iterable[str] | None = None,
    *,
    kind: RankingKind | None = None,
    measures: str | Iterable[str] = (),
    p: float = DEFAULT_P,
    depth: int | None = None,
    missing: Missing | None = None,
    run_format: str | None = None,
) -> Correlations:
    """Correlate two runs query by query, two leaderboards measure by measure, or the measures of `Scores`.

    A run is a path, a `Run`, or whatever `evaluate` takes; a leaderboard is a path, `Scores` (by their means), values
    by system, or by measure and system. `kind` decides where a file or dict could be either. With `Scores` alone, each
    two of their measures are correlated over the systems.

    By default, documents that one run lacks are appended to it, and systems in only one leaderboard are omitted;
    `missing` changes that. `measures` are for leaderboards. Between measures, the default coefficient is tau-b.

    >>> spring = {"AP": {"bm25": 0.25, "dense": 0.28, "hybrid": 0.31}}
    >>> autumn = {"map": {"bm25": 0.26, "dense": 0.24, "hybrid": 0.33}}
    >>> round(correlate(spring, autumn, "tau-a")["AP"]["tau-a"], 4)
    0.3333
    """
    if b is None:
        if not isinstance(a, Scores):
            hint = "pass two runs or leaderboards, or Scores to correlate their measures"
            raise GermaneError(f"expected two rankings, or Scores alone, found one {type(a).__name__}", hint=hint)
        if kind is not None or measures or missing is not None:
            hint = "remove them, or pass two rankings"
            raise GermaneError("kind, measures and missing require two rankings, found Scores alone", hint=hint)
        return between_measures(a, coefficients or MATRIX_COEFFICIENTS, p=p, depth=depth)
    coefficients = coefficients or DEFAULT_COEFFICIENTS
    chosen = kind or kind_of_both(a, b)
    names = _names(a, b)
    if chosen == "run":
        if measures:
            raise GermaneError("measures require leaderboards, found two runs", hint="remove measures (-m)")
        first, second = (replace(_run(data, run_format), name=name) for data, name in zip((a, b), names, strict=True))
        return between_runs(first, second, coefficients, p=p, depth=depth, missing=missing or "append")
    if chosen != "leaderboard":
        raise GermaneError(f"expected kind to be run or leaderboard, found {chosen!r}")
    boards, kept = (_leaderboard(a), _leaderboard(b)), missing or "common"
    columns = _columns([measures] if isinstance(measures, str) else measures)
    return between_leaderboards(*boards, coefficients, names=names, measures=columns, p=p, depth=depth, missing=kept)


def kind_of_both(a: Any, b: Any) -> RankingKind:
    """Return the kind of both; standard input, which can be read only once, is assumed to be like the other."""
    kinds = [(data, _kind(data)) for data in (a, b) if not (isinstance(data, str) and data == STDIN)]
    if len({kind for _, kind in kinds}) > 1:
        shown = ((str(data) if isinstance(data, str | Path) else _shown(data), kind) for data, kind in kinds)
        found = ", ".join(f"{name} looks like a {kind}" for name, kind in shown)
        hint = "use `kind='run'` or `kind='leaderboard'`"
        raise GermaneError(f"expected two runs or two leaderboards: {found}", hint=hint)
    return kinds[0][1]


def _kind(data: Any) -> RankingKind:
    if not isinstance(data, Mapping):
        is_board = is_leaderboard(data) if isinstance(data, str | Path) else isinstance(data, Scores)
        return "leaderboard" if is_board else "run"
    if not any(isinstance(inner, Mapping) for inner in data.values()):
        return "leaderboard" if all(isinstance(value, Real) for value in data.values()) else "run"
    named = [MEASURES.accepts(str(name)) for name in data]
    if any(named) and not all(named):
        problem = "a dict of dicts can be read as a run (documents by query) or as a leaderboard (systems by measure)"
        raise GermaneError(problem, hint="use `kind='run'` or `kind='leaderboard'`")
    return "leaderboard" if all(named) else "run"


def _run(data: Any, run_format: str | None) -> Run:
    if isinstance(data, Run):
        return data
    return read_run(data, format=run_format) if isinstance(data, str | Path) else run_from(data)


def _leaderboard(data: Any) -> Leaderboard:
    if isinstance(data, str | Path):
        return read_leaderboard(data)
    if isinstance(data, Scores):
        means = data.mean()
        return {str(m): {run: values[str(m)] for run, values in means.items()} for m in data.measures}
    if not isinstance(data, Mapping) or not data:
        problem = f"expected values by system, or by measure and system, found {type(data).__name__}"
        raise GermaneError(
            problem, hint='for example {"bm25": 0.3, "dense": 0.4} or {"AP": {"bm25": 0.3, "dense": 0.4}}'
        )
    board = data if all(isinstance(inner, Mapping) for inner in data.values()) else {ONE_VALUE: data}
    try:
        return {str(m): {str(system): float(value) for system, value in values.items()} for m, values in board.items()}
    except (TypeError, ValueError):
        raise GermaneError("expected a number for each system of a leaderboard, found other values") from None


def _columns(measures: Iterable[str]) -> list[str]:
    """Return the columns of a leaderboard that were asked for: measures, or other names."""
    columns: list[str] = []
    for text in measures:
        try:
            columns += list(MEASURES.parse_many(text))
        except GermaneError:
            columns.append(text)
    return columns


def _names(a: Any, b: Any) -> tuple[str, str]:
    """Return the names of both rankings; if they are equal, their paths, or "first" and "second"."""
    first, second = (_shown(data) for data in (a, b))
    if first != second:
        return first, second
    return (str(a), str(b)) if isinstance(a, str | Path) and isinstance(b, str | Path) else ("first", "second")


def _shown(data: Any) -> str:
    if isinstance(data, str | Path):
        return display_name(str(data))
    return data.name if isinstance(data, Run) else "a dict" if isinstance(data, Mapping) else type(data).__name__
