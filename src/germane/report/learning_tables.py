"""What came of learning to rank, as tables for people or as JSON for programs: held-out figures alone."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from germane.report.comparison_tables import p_text, signed
from germane.report.grids import render_grid
from germane.report.notes import note_as_dict

if TYPE_CHECKING:
    from germane.learning.feature_registry import Feature
    from germane.learning.outcome import LearnedRanking

STYLES = ("table", "markdown", "latex", "csv", "tsv", "json")


def render_learning(found: LearnedRanking, style: str, *, digits: int = 4) -> str:
    """Held-out means with intervals, the differences, what was chosen by fold, and a linear model's weights."""
    if style == "json":
        return json.dumps(learning_as_dict(found), indent=1, ensure_ascii=False) + "\n"
    tables = [_means(found, digits), _differences(found, digits), _folds(found), _weights(found, digits)]
    return "\n".join(render_grid(header, rows, style) for header, rows in tables if rows)


Grid = tuple[list[str], list[list[str]]]


def _means(found: LearnedRanking, digits: int) -> Grid:
    header = ["held out", "measure", "queries", "mean", "low", "high"]
    rows = [
        [one["run"], one["measure"], str(found.model.held_out["queries"])]
        + [_number(one[key], digits) for key in ("mean", "low", "high")]
        for one in found.model.held_out["means"]
    ]
    return header, rows


def _differences(found: LearnedRanking, digits: int) -> Grid:
    header = [f"{found.learned} against", "measure", "difference", "low", "high", "p adjusted", "better", "worse"]
    rows = [
        [
            pair.a, pair.measure, *(signed(x, digits) for x in (pair.difference, pair.low, pair.high)),
            p_text(pair.p_adjusted, digits), str(pair.wins), str(pair.losses),
        ]
        for pair in found.pairs
    ]  # fmt: skip
    return header, rows


def _folds(found: LearnedRanking) -> Grid:
    header = ["fold", "learned from", "held out", "C", "best single feature there"]
    rows = [
        [str(f.number), str(f.num_learned_from), str(len(f.held_out)), "" if f.C is None else f"{f.C:g}", f.feature]
        for f in found.folds
    ]
    return header, rows


def _weights(found: LearnedRanking, digits: int) -> Grid:
    weights = found.model.to_json()["weights"]
    if weights is None:
        return [], []
    ordered = sorted(weights.items(), key=lambda item: -abs(item[1]))
    return ["feature", "weight in the model"], [[name, signed(weight, digits)] for name, weight in ordered]


def learning_as_dict(found: LearnedRanking) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    model = found.model
    names = [str(measure) for measure in found.scores.measures]
    return {
        "germane": model.germane,
        "learner": found.learned,
        "C": found.C,
        "features": list(model.features),
        "scaling": model.scaling,
        "first_stage": model.first_stage,
        "depth": model.depth,
        "analyser": model.analyser,
        "seed": found.seed,
        "rows": found.num_rows,
        "held_out": dict(model.held_out),
        "folds": [
            {
                "fold": fold.number,
                "learned_from": fold.num_learned_from,
                "held_out": list(fold.held_out),
                "C": fold.C,
                "best_feature": fold.feature,
            }
            for fold in found.folds
        ],
        "weights": model.to_json()["weights"],
        "queries": {
            query: {
                run.name: {name: _json(found.scores.values[r, m, place]) for m, name in enumerate(names)}
                for r, run in enumerate(found.scores.runs)
            }
            for place, query in enumerate(found.scores.queries)
        },
        "notes": [note_as_dict(note) for note in found.notes],
    }


def feature_list(features: Iterable[Feature], learners: Sequence[tuple[str, str]]) -> str:
    """All about every feature, and the learners."""
    pages = "\n".join(map(_page, features))
    names = "".join(f"  {name:<12} {summary}\n" for name, summary in learners)
    own = (
        "NAME=FILE: A column of your own: lines of a document and its value, or of a query, a document and the value.\n"
        "NAME=module:function: A function of your own, of the query's text and the document's id.\n"
    )
    return f"{pages}\n{own}\nLearners\n{names}"


def _page(feature: Feature) -> str:
    about = {
        **feature.sections,
        "Better": feature.better,
        **({"Needs": "positions"} if feature.needs_positions else {}),
    }
    lines = (
        textwrap.fill(text, width=100, initial_indent=f"  {title + ':':<12}", subsequent_indent=" " * 14)
        for title, text in about.items()
    )
    return f"{feature.name}: {feature.summary}\n" + "".join(f"{line}\n" for line in lines)


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _json(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
