"""Rankings as lists of document ids by query, and runs made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from germane.formats.rows.number_text import score_places
from germane.tables.rankings.run import Run

Rankings = Mapping[str, Sequence[str]]
"""By query, the documents from best to worst."""


def rankings_of(run: Run) -> dict[str, list[str]]:
    """The rankings of a run: score descending, ties by document id descending, as evaluation orders them.

    >>> rankings_of(Run.from_dict({"q1": {"d1": 1.0, "d2": 2.0, "d3": 1.0}}))
    {'q1': ['d2', 'd3', 'd1']}
    """
    order = np.lexsort((score_places(run), run.query))
    queries = list(run.queries)
    rankings: dict[str, list[str]] = {query: [] for query in queries}
    for query, doc in zip(run.query[order].tolist(), run.docs.take(order), strict=True):
        rankings[queries[query]].append(doc)
    return rankings


def run_of(rankings: Rankings) -> dict[str, dict[str, float]]:
    """A run whose scores fall by 1 from each document to the next, so that its order is that of the rankings.

    >>> run_of({"q1": ["d2", "d1"]})
    {'q1': {'d2': 2.0, 'd1': 1.0}}
    """
    return {
        query: {doc: float(len(docs) - place) for place, doc in enumerate(docs)} for query, docs in rankings.items()
    }
