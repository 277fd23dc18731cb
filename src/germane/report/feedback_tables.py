"""Evaluations of feedback, and what single queries became, as tables for people or as JSON for programs."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from germane.report.comparison_tables import p_text, signed
from germane.report.grids import render_grid
from germane.report.notes import note_as_dict
from germane.tables.feedback_evaluation import ALPHA, FeedbackEvaluation, FeedbackTrial
from germane.tables.scores import Scores

if TYPE_CHECKING:
    from germane.retrieval.feedback import Feedback

STYLES = ("table", "markdown", "latex", "csv", "tsv", "json")


def render_feedback(found: FeedbackEvaluation, style: str, *, digits: int = 4, hurt: int = 5) -> str:
    """Every method and round with its difference to the ranking before; then the queries that lost most."""
    if style == "json":
        return json.dumps(feedback_as_dict(found), indent=1) + "\n"
    header = ["method", "round", "measure", "queries", "before", "after", "difference", "low", "high", "p adjusted"]
    header += ["better", "worse", "full before", "full after"]
    rows = [row for trial in found.trials for row in _rows(trial, found.measures, digits)]
    text = render_grid(header, rows, style)
    losers = [
        [trial.method, str(trial.round), change.query, f"{change.before:.{digits}f}", f"{change.after:.{digits}f}"]
        for trial in found.trials
        for change in trial.hurt[:hurt]
    ]
    if losers:
        measure = found.measures[0]
        text += "\n" + render_grid(["method", "round", "query hurt", f"{measure} before", "after"], losers, style)
    return text


def _rows(trial: FeedbackTrial, measures: Sequence[str], digits: int) -> list[list[str]]:
    values, full = trial.scores.mean(), trial.full.mean()
    pairs = {pair.measure: pair for pair in trial.pairs}
    rows = []
    for measure in measures:
        before, after = values[trial.before][measure], values[trial.after][measure]
        pair = pairs.get(measure)
        tested = [
            signed(pair.low, digits), signed(pair.high, digits), p_text(pair.p_adjusted, digits),
            str(pair.wins), str(pair.losses),
        ] if pair else [""] * 5  # fmt: skip
        rows.append(
            [
                trial.method,
                str(trial.round),
                measure,
                str(trial.scores.num_queries(trial.after)),
                *_cells((before, after), digits),
                signed(after - before, digits),
                *tested,
                *_cells((full[trial.before][measure], full[trial.after][measure]), digits),
            ]
        )
    return rows


def feedback_as_dict(found: FeedbackEvaluation) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    from germane import __version__

    return {
        "germane": __version__,
        "by": found.by,
        "model": found.model,
        "analyser": found.analyser,
        "judged": found.judged,
        "rel": found.rel,
        "lost": found.lost,
        "seed": found.seed,
        "topics": found.num_topics,
        "removed": list(found.removed),
        "family": found.family,
        "num_tests": found.num_tests,
        "correction": "bonferroni",
        "interval": {
            "method": "t",
            "level": 1 - ALPHA,
            "simultaneous": found.num_tests > 1,
            "matches_test": True,
        },
        "trials": [_trial(trial) for trial in found.trials],
        "notes": [note_as_dict(note) for note in found.notes],
    }


def _trial(trial: FeedbackTrial) -> dict[str, Any]:
    return {
        "method": trial.method,
        "round": trial.round,
        "num_queries": trial.scores.num_queries(trial.after),
        "seen": trial.seen,
        "relevant_seen": trial.relevant_seen,
        "before": _numbers(trial.scores.mean()[trial.before]),
        "after": _numbers(trial.scores.mean()[trial.after]),
        "full_list": {
            "before": _numbers(trial.full.mean()[trial.before]),
            "after": _numbers(trial.full.mean()[trial.after]),
        },
        "differences": [
            {
                "measure": pair.measure,
                **_numbers(
                    {
                        "difference": pair.difference,
                        "low": pair.low,
                        "high": pair.high,
                        "p": pair.p,
                        "p_adjusted": pair.p_adjusted,
                    }
                ),
                "better": pair.wins,
                "same": pair.ties,
                "worse": pair.losses,
            }
            for pair in trial.pairs
        ],
        "lost": list(trial.lost),
        "hurt": [asdict(change) for change in trial.hurt],
        "helped": [asdict(change) for change in trial.helped],
        "queries": _by_query(trial.scores),
    }


def _by_query(scores: Scores) -> dict[str, dict[str, dict[str, float | None]]]:
    names = [str(measure) for measure in scores.measures]
    return {
        query: {
            when: _numbers(dict(zip(names, scores.values[run, :, place].tolist(), strict=True)))
            for run, when in enumerate(("before", "after"))
        }
        for place, query in enumerate(scores.queries)
    }


def method_list(methods: Sequence[Feedback]) -> str:
    """All about every feedback method."""
    return "\n".join(map(_method_page, methods))


def _method_page(method: Feedback) -> str:
    parameters = ", ".join(f"{name} = {value}" for name, value in method.parameters.items() if value != "")
    lines = (
        textwrap.fill(text, width=100, initial_indent=f"  {title + ':':<12}", subsequent_indent=" " * 14)
        for title, text in {**method.sections, "Parameters": parameters}.items()
    )
    return f"{method.name}: {method.summary}\n" + "".join(f"{line}\n" for line in lines)


def _cells(values: Sequence[float], digits: int) -> list[str]:
    return [f"{value:.{digits}f}" for value in values]


def _numbers(values: dict[str, float]) -> dict[str, float | None]:
    """JSON knows no NaN."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
