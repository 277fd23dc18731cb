"""An index in a few lines, or as JSON."""

from __future__ import annotations

import json
from typing import Any

import germane
from germane.api.indexing import IndexSummary
from germane.report.notes import note_as_dict
from germane.tables.counted import counted


def render_index(summary: IndexSummary, style: str) -> str:
    """What an index holds and what was done to it."""
    return json.dumps(index_as_dict(summary), indent=1) + "\n" if style == "json" else _lines(summary)


def index_as_dict(summary: IndexSummary) -> dict[str, Any]:
    """What a program reads."""
    return {
        "germane": germane.__version__,
        "path": summary.path,
        "analyser": summary.analyser,
        "documents": summary.num_docs,
        "words": summary.num_tokens,
        "terms": summary.num_terms,
        "segments": summary.num_segments,
        "positions": summary.positions,
        "bytes": dict(summary.size_in_bytes),
        "added": summary.added,
        "deleted": summary.deleted,
        "notes": [note_as_dict(note) for note in summary.notes],
    }


def _lines(summary: IndexSummary) -> str:
    done = [f"{count:,} {what}" for count, what in ((summary.added, "added"), (summary.deleted, "deleted")) if count]
    sizes = ", ".join(f"{name} {readable_bytes(size)}" for name, size in summary.size_in_bytes.items() if size)
    segments = counted(summary.num_segments, "segment")
    now = f" ({', '.join(done)})" if done else ""
    return (
        f"{summary.path}: {summary.num_docs:,} documents{now}, "
        f"{summary.num_tokens:,} words, {summary.num_terms:,} different terms\n"
        f"analyser: {summary.analyser}\n"
        f"on disk: {readable_bytes(sum(summary.size_in_bytes.values()))} in {segments} ({sizes})\n"
    )


def readable_bytes(size: int) -> str:
    """A size as people say it.

    >>> readable_bytes(999), readable_bytes(12_340_000)
    ('999 B', '12.3 MB')
    """
    number, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if number < 1000 or unit == "TB":
            break
        number /= 1000
    return f"{size} B" if unit == "B" else f"{number:.1f} {unit}"
