"""Answers to all topics as one run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from germane.retrieval.engines.asking import Answer
from germane.retrieval.engines.protocol import Ranked
from germane.tables.ids import Ids, to_bytes
from germane.tables.run import Run
from germane.tables.stretches import Stretches


def run_of(answers: Sequence[Answer], tag: str | None = None, name: str = "run") -> Run:
    """All answers as one run; a topic that found nothing stays in it, as an empty ranking."""
    scores = [answer.found.scores for answer in answers]
    ids = (doc for answer in answers for doc in _in_run_order(answer.found))
    return Run(
        queries=Ids.of(answer.topic for answer in answers),
        stretches=Stretches.of_sizes([len(answer.found) for answer in answers]),
        docs=Ids.of(ids),
        score=np.concatenate(scores) if scores else np.zeros(0),
        tag=tag,
        name=name,
    )


def _in_run_order(found: Ranked) -> Sequence[str]:
    """Documents of equal score by id, the last in byte order first: so a run's lines are in the order of its ranks."""
    scores = found.scores
    if not (scores[1:] == scores[:-1]).any():
        return found.ids
    order = sorted(range(len(scores)), key=lambda i: (scores[i], to_bytes(found.ids[i])), reverse=True)
    return [found.ids[i] for i in order]
