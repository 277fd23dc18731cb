"""Answers to all topics as one run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from germane.retrieval.engines.asking import Answer
from germane.tables.ids import Ids
from germane.tables.run import Run
from germane.tables.stretches import Stretches


def run_of(answers: Sequence[Answer], tag: str | None = None, name: str = "run") -> Run:
    """All answers as one run; a topic that found nothing stays in it, as an empty ranking."""
    scores = [answer.found.scores for answer in answers]
    return Run(
        queries=Ids.of(answer.topic for answer in answers),
        stretches=Stretches.of_sizes([len(answer.found) for answer in answers]),
        docs=Ids.of(doc for answer in answers for doc in answer.found.ids),
        score=np.concatenate(scores) if scores else np.zeros(0),
        tag=tag,
        name=name,
    )
