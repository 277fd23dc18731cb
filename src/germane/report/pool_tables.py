"""Pools and their simulations as tables for people, or as JSON for programs."""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from germane.api.simulating_pools import PoolSimulation
from germane.judging.leave_one_out import LeftOut, fairness
from germane.judging.pooling import Method
from germane.report.grids import render_grid
from germane.report.notes import note_as_dict
from germane.tables.pool import Pool

STYLES = ("table", "markdown", "latex", "csv", "tsv", "json")


def render_simulation(simulation: PoolSimulation, style: str, *, digits: int = 4) -> str:
    """What each method found at each budget and, if asked for, how it treats a run that it has not seen."""
    if style == "json":
        return json.dumps(simulation_as_dict(simulation), indent=1) + "\n"
    repeated = simulation.repeats > 1
    header = ["method", "budget", "judged", "unjudged", "found", "share", "tau", *(["low", "high"] if repeated else [])]
    rows = [
        [
            *(row.method, str(row.budget)),
            *(f"{count:.10g}" for count in (row.judged, row.unjudged, row.found)),
            *_cells((row.share, row.tau, *((row.tau_low, row.tau_high) if repeated else ())), digits),
        ]
        for row in simulation.rows
    ]
    text = render_grid(header, rows, style)
    if simulation.left_out:
        text += "\n" + render_grid(*_fairness(simulation.left_out, digits), style)
        text += "\n" + render_grid(*_by_run(simulation.left_out, digits), style)
    return text


def _fairness(rows: Sequence[LeftOut], digits: int) -> tuple[list[str], list[list[str]]]:
    header = ["method", "mean score change", "largest loss", "mean rank drop", "largest drop", "of run"]
    lines = []
    for method, found in fairness(rows).items():
        changes = _cells((found.mean_change, found.largest_loss), digits)
        lines.append([method, *changes, f"{found.mean_drop:.2f}", str(found.largest_drop), found.run])
    return header, lines


def _by_run(rows: Sequence[LeftOut], digits: int) -> tuple[list[str], list[list[str]]]:
    header = ["method", "run left out", "score", "without", "rank", "without it", "unique relevant"]
    return header, [
        [
            *(row.method, row.run),
            *_cells((row.score, row.score_without), digits),
            *map(str, (row.rank, row.rank_without, row.unique)),
        ]
        for row in rows
    ]


def simulation_as_dict(simulation: PoolSimulation) -> dict[str, Any]:
    """The contract for other programs: stable, every number in full, NaN as null."""
    from germane import __version__

    return {
        "germane": __version__,
        "qrels": simulation.qrels,
        "runs": [asdict(run) for run in simulation.runs],
        "topics": simulation.num_topics,
        "relevant": simulation.num_relevant,
        "measure": simulation.measure,
        "rel": simulation.rel,
        "depth": simulation.depth,
        "seed": simulation.seed,
        "repeats": simulation.repeats,
        "budgets": [_plain(asdict(row)) for row in simulation.rows],
        "left_out": [{**_plain(asdict(row)), "drop": row.drop} for row in simulation.left_out],
        "fairness": {method: _plain(asdict(found)) for method, found in fairness(simulation.left_out).items()},
        "notes": [note_as_dict(note) for note in simulation.notes],
    }


def pool_summary(pool: Pool) -> str:
    """A pool in a few words: how many documents, of what kind."""
    sizes = Counter(item.topic for item in pool.items)
    kinds = Counter(item.kind for item in pool.items)
    per_topic = f"{min(sizes.values())} to {max(sizes.values())} a topic" if sizes else "none"
    lines = [f"{len(pool.items)} documents of {len(sizes)} topics to judge ({per_topic}), by {pool.method}"]
    lines += [f"{count} of them {kind}s" for kind, count in sorted(kinds.items()) if kind != "ordinary"]
    strata = Counter(item.stratum for item in pool.items if item.stratum)
    left = Counter(item.stratum for item in pool.unsampled)
    sampled = strata if pool.unsampled else {}
    lines += [f"stratum {label}: {count} of {count + left[label]} drawn" for label, count in sorted(sampled.items())]
    return "\n".join([*lines, f"seed {pool.seed}, hash {pool.hash}"]) + "\n"


def method_list(methods: Sequence[Method]) -> str:
    """All about every pooling method."""
    return "\n".join(map(_method_page, methods))


def _method_page(method: Method) -> str:
    parameters = ", ".join(f"{name} = {value}" for name, value in method.parameters.items())
    kinds = {
        "fixed": "needs no judgments",
        "adaptive": "chooses by the judgments so far",
        "sample": "leaves documents out by chance",
    }
    facts = {**method.sections, "Kind": kinds[method.kind], "Parameters": parameters or "none"}
    lines = (
        textwrap.fill(text, width=100, initial_indent=f"  {title + ':':<11} ", subsequent_indent=" " * 14)
        for title, text in facts.items()
    )
    return f"{method.name}: {method.summary}\n" + "".join(f"{line}\n" for line in lines)


def _cells(values: Sequence[float], digits: int) -> list[str]:
    return [f"{value:.{digits}f}" for value in values]


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """JSON knows no NaN."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in values.items()}
