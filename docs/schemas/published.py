"""All schemas, and the files that they are published in; ``make docs`` writes them."""

from __future__ import annotations

import json

from docs.schemas import decisions, exercises, ground_truth, learning, rankings, retrieval
from docs.schemas.building import Schema, whole_schema

PARTS = (rankings, decisions, ground_truth, retrieval, learning, exercises)

SCHEMAS: dict[str, Schema] = {
    name: whole_schema(name, schema) for part in PARTS for name, schema in part.SCHEMAS.items()
}
"""By name, every schema."""

OF_COMMANDS: dict[str, tuple[str, ...]] = {
    "eval": ("eval", "eval-line"),
    "compare": ("compare",),
    "correlate": ("correlate",),
    "classify": ("classify", "classify-at-thresholds"),
    "threshold": ("threshold",),
    "explain": ("explain", "explain-decisions"),
    "vectors": ("vectors", "eval-line", "vectors-approximate"),
    "pool make": ("pool",),
    "pool simulate": ("pool-simulate",),
    "agree": ("agree",),
    "release": ("release", "check"),
    "check": ("check",),
    "measures": ("measures",),
    "index": ("index",),
    "search": ("search",),
    "retrieve": ("retrieve",),
    "fuse": ("rankings",),
    "feedback": ("feedback",),
    "tune": ("tune",),
    "learn": ("learn",),
    "agent train": ("agent-show",),
    "agent show": ("agent-show",),
    "agent search": ("agent-search",),
    "agent simulate": ("agent-simulate",),
    "exercise check": ("exercise-check",),
}
"""By command with a JSON format, the schemas of what it prints."""

OF_FUNCTIONS: dict[str, str] = {
    "germane.compare": "compare-classifiers",
    "germane.search": "rankings",
    "germane.explain": "explain-score",
    "germane.learning.bias_variance": "bias-variance",
}
"""By function whose result no command prints alone, its schema."""

OF_FILES: dict[str, str] = {
    "RUN.json, the record of `germane retrieve`": "retrieve-record",
    "a pool": "pool-line",
    "events.jsonl, journals and files of judgments": "event",
    "manifest.json of a release": "release-manifest",
    "a model of `germane learn`": "model",
    "an agent": "agent",
}
"""By file that germane writes for other programs, its schema; of a file of lines, that of a line."""


def as_file(schema: Schema) -> str:
    """The content of a schema's file."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def published() -> dict[str, str]:
    """By path from the root of the repository, the content of every schema's file."""
    return {f"docs/reference/schemas/{name}.schema.json": as_file(schema) for name, schema in SCHEMAS.items()}


def schemas_table() -> str:
    """Return the table of schemas for the page on JSON."""
    rows = [(f"`germane {command}`", names) for command, names in OF_COMMANDS.items()]
    rows += [(f"`{function}`", (name,)) for function, name in OF_FUNCTIONS.items()]
    rows += [(file, (name,)) for file, name in OF_FILES.items()]
    lines = [f"| {what} | {', '.join(_link(name) for name in names)} |" for what, names in rows]
    return "\n".join(["| output or file | schema |", "| --- | --- |", *lines]) + "\n"


def _link(name: str) -> str:
    return f"[{name}](schemas/{name}.schema.json)"
