"""Samples: judge a random part of the pool and estimate the rest from it.

Within a stratum all samples of a size are equally likely, and each beginning of the order is such a sample: a larger
budget adds documents and takes none away.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np

from germane.catalogue import Count, Range
from germane.errors import GermaneError
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING
from germane.judging.pooling.queue import Queue, SampledOrder
from germane.tables.rankings.qrels import ONLY_STRATUM


def strata_as_printed(text: str) -> str:
    """Check strata and return them as typed."""
    parse_strata(text)
    return text


Strata = Annotated[str, strata_as_printed]


@POOLING.add("sample", kind="sample", random=True)
def pool_sample(lists: TopicLists, draws: Draws, *, rate: Annotated[float, Range(0, 1, without=(0,))] = 0.1) -> Queue:
    """Sample the depth-k pool uniformly, for InfAP.

    Formula:    of N pooled documents, N * rate (rounded, at least one) are drawn; inclusion probability = drawn / N
    Reference:  Yilmaz & Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.
    Note:       a budget sets the number of documents and overrides the rate.
    """
    return _stratified(lists, draws, [(lists.longest, rate)], {lists.longest: ONLY_STRATUM})


@POOLING.add("stratified", kind="sample", random=True)
def stratified_sample(lists: TopicLists, draws: Draws, *, strata: Strata = "10:1/100:0.2") -> Queue:
    """Sample the depth-k pool more densely near the top of the runs, for XinfAP.

    Formula:    a document belongs to the stratum of its best rank; of the N documents in a stratum, N * rate (rounded,
        at least one) are drawn; inclusion probability = drawn / N
    Reference:  Yilmaz, Kanoulas & Aslam, "A simple and efficient sampling method for estimating AP and NDCG",
        SIGIR 2008.
    Note:       strata are written as last rank:rate/…; 10:1/100:0.2 judges every document in the top 10 of any run and
        a fifth of the rest down to rank 100. With a budget, the rates are scaled in proportion, as far as possible.
    """
    parts = parse_strata(strata)
    labels = {last: f"{before + 1}-{last}" for before, last in pairwise([0, *(last for last, _ in parts)])}
    return _stratified(lists, draws, parts, labels)


@POOLING.add("uniform", kind="sample", random=True, needs_collection=True)
def collection_sample(lists: TopicLists, draws: Draws, *, size: Count = 100) -> Queue:
    """Sample the collection uniformly: sparse, but independent of all runs.

    Formula:    `size` documents of the collection; inclusion probability = size / (documents in the collection)
    Reference:  Yilmaz & Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.
    Note:       a budget sets `size`. Evaluate with InfAP(unlisted=pooled). The sample has few relevant documents.
    """
    total = len(lists.collection)
    drawn = [lists.collection[place] for place in draws.sample(min(size, total), total)]
    labels = [ONLY_STRATUM] * len(drawn)
    return SampledOrder(drawn, range(len(drawn)), labels, len(drawn), sizes={ONLY_STRATUM: total}, listed=False)


def parse_strata(text: str) -> list[tuple[int, float]]:
    """Return the last rank of each stratum and its sampling rate.

    >>> parse_strata("10:1/100:0.2")
    [(10, 1.0), (100, 0.2)]
    """
    hint = "write last rank:rate/…, such as 10:1/100:0.2"
    try:
        parts = [(int(last), float(rate)) for last, _, rate in (part.partition(":") for part in text.split("/"))]
    except ValueError:
        raise GermaneError(f"stratified: expected strata, found {text!r}", hint=hint) from None
    rising = all(a < b for a, b in pairwise([0, *(last for last, _ in parts)]))
    if not rising or not all(0 < rate <= 1 for _, rate in parts):
        expected = "rising ranks from 1, and rates above 0 and up to 1"
        raise GermaneError(f"stratified: expected {expected}, found {text!r}", hint=hint)
    return parts


def _stratified(
    lists: TopicLists, draws: Draws, parts: list[tuple[int, float]], labels: dict[int, str]
) -> SampledOrder:
    last_ranks = np.asarray([last for last, _ in parts])
    pooled = np.asarray(lists.by_best_rank(int(last_ranks[-1])), dtype=np.int64)
    stratum = np.searchsorted(last_ranks, np.asarray(lists.best_rank)[pooled]) if len(pooled) else pooled
    # Which documents are drawn depends on a random number each; keys count the draws of a stratum at its rate, so that
    # up to key 1 the sample has the size asked for, and any beginning of the order has each stratum in proportion.
    chance = np.argsort(draws.permutation(len(lists.docs)))[pooled]
    keys = np.empty(len(pooled))
    sizes: dict[str, int] = {}
    for code, (last, rate) in enumerate(parts):
        mine = np.flatnonzero(stratum == code)
        mine = mine[np.argsort(chance[mine])]
        keys[mine] = (np.arange(len(mine)) + 0.5) / (rate * max(len(mine), 1))
        keys[mine[:1]] = 0.0  # every stratum is drawn from
        if len(mine):
            sizes[labels[last]] = len(mine)
    order = np.lexsort((chance, stratum, keys))
    names = [labels[parts[code][0]] for code in stratum[order].tolist()]
    drawn = int(np.count_nonzero(keys <= 1))
    return SampledOrder(lists.docs, pooled[order].tolist(), names, drawn, sizes=sizes)
