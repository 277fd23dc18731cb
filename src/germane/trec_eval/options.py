"""What was asked for on trec_eval's command line."""

from __future__ import annotations

from dataclasses import dataclass, field

from germane.measures.foreign_names import TrecVersion


@dataclass
class Options:
    """trec_eval's options, by what they do; a new one is what trec_eval does without any."""

    version: TrecVersion = 10
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    rel: int = 1
    collection_size: int = 0
    most_retrieved: int | None = None
    qrels_format: bytes = b"qrels"
    run_format: bytes = b"trec_results"
    only_topic: bytes | None = None
    z_scores: str | None = None
    requested: set[str] = field(default_factory=set)
    parameters: dict[str, bytes] = field(default_factory=dict)
    """The text after the dot, by measure. The first one given for a measure counts."""
    files: list[str] = field(default_factory=list)
