"""A release in a few lines: what was decided how, and where it lies."""

from __future__ import annotations

from germane.judging.release import Release
from germane.report.grids import render_grid
from germane.tables.counted import counted


def render_release(made: Release) -> str:
    """What the release holds, for the person who made it."""
    counts, policy = made.manifest["counts"], made.manifest["policy"]
    head = (
        f"{made.folder}: {counts['graded']:,} of {counted(counts['documents'], 'document')} graded, "
        f"{counted(counts['topics'], 'topic')}, "
        f"{counted(counts['judgments'], 'judgment')} of {counted(counts['assessors'], 'assessor')}\n"
        f"policy {policy['name']}: {policy['rule']}\n"
        f"where it cannot decide: {policy['undecided']}; {policy['adjudicated']}\n"
    )
    decided = [[how, str(count)] for how, count in counts["decided"].items()]
    grades = [[grade, str(count)] for grade, count in counts["grades"].items()]
    tables = (
        render_grid(["decided by", "documents"], decided, "table"),
        render_grid(["grade", "documents"], grades, "table"),
    )
    return "\n".join([head, *tables])
