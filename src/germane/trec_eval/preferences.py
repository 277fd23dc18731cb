"""Preference judgments: preferred orders of pairs of documents, and how many of them a run fulfils.

A judgment group is one person's mind at one time. Within one of its subgroups every document of a higher level is
preferred to every one of a lower level; preferences of different subgroups of a group chain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.trec_eval.c_numbers import divide, sum_in_order
from germane.trec_eval.options import ABORTED, CANNOT_CALCULATE, EarlyExitError


class PreferenceError(EarlyExitError):
    """Raised if the preferences of a topic contradict each other."""


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """One judgment group: its entries sorted by level and position, and which is preferred to which.

    `place` numbers the judged documents of the topic: first those retrieved, by rank, then the others, by document id.
    """

    place: IntArray
    level: FloatArray
    preferred: BoolArray
    num_retrieved: int
    """Number of judged documents of the topic that were retrieved."""
    chained: bool
    """Whether it has several subgroups: then there is one entry per document of the topic, -1 for unjudged ones."""

    @property
    def retrieved(self) -> BoolArray:
        return self.place < self.num_retrieved

    def tally(self, among: str, preferred: BoolArray | None = None) -> tuple[int, int]:
        """Count the preferences that the ranking fulfils and all preferences, among these entries or all of the group.

        With ``ret`` those count of which both documents were retrieved, with ``imp`` at least one of them, with ``all``
        every one. A preference is respected where the better document was retrieved, before the other.
        """
        counted = self.preferred if preferred is None else preferred
        better, worse = self.retrieved[:, None], self.retrieved[None, :]
        if among != "all":
            counted = counted & (better & worse if among == "ret" else better | worse)
        in_order = (self.place[:, None] < self.place[None, :]) & better
        return int(np.count_nonzero(counted & in_order)), int(np.count_nonzero(counted))

    @property
    def relevant(self) -> BoolArray:
        return self.level > 0

    @property
    def nonrelevant(self) -> BoolArray:
        return self.level == 0 if self.chained else self.level <= 0


@dataclass(frozen=True, eq=False)
class PreferenceCounts:
    """The preferences of one topic, and how one ranking fulfils them."""

    groups: list[GroupCounts]
    votes: IntArray
    """votes[i, j] is the number of groups that prefer the document at position i to the one at position j."""
    num_retrieved: int


def count_preferences(
    group: IntArray, subgroup: IntArray, level: FloatArray, doc: IntArray, retrieved: IntArray
) -> PreferenceCounts:
    """Count the preferences of one topic, given by line; documents are numbered in byte order, and `retrieved` lists
    those of the run."""
    num_judged = int(doc.max(initial=-1)) + 1
    place = np.zeros(num_judged, dtype=np.int64)
    place[np.append(retrieved, np.setdiff1d(np.arange(num_judged), retrieved))] = np.arange(num_judged)
    columns = (group, subgroup, -level, place[doc])
    entries = sorted(zip(*(column.tolist() for column in columns), strict=True))
    votes = np.zeros((num_judged, num_judged), dtype=np.int64)
    groups = []
    for _, members in groupby(entries, key=itemgetter(0)):
        subgroups = [[(-level, place) for _, _, level, place in sub] for _, sub in groupby(members, key=itemgetter(1))]
        form = _one_subgroup if len(subgroups) == 1 else _several_subgroups
        counts = form(subgroups, num_judged, len(retrieved))
        better, worse = np.nonzero(counts.preferred)
        np.add.at(votes, (counts.place[better], counts.place[worse]), 1)
        groups.append(counts)
    return PreferenceCounts(groups, votes, len(retrieved))


def _one_subgroup(subgroups: list[list[tuple[float, int]]], _num_judged: int, num_retrieved: int) -> GroupCounts:
    level = np.asarray([level for level, _ in subgroups[0]])
    place = np.asarray([place for _, place in subgroups[0]], dtype=np.int64)
    preferred = level[:, None] > level[None, :]
    if np.any(preferred & (place[:, None] == place[None, :])):
        raise PreferenceError(CANNOT_CALCULATE)  # one document at two levels
    return GroupCounts(place, level, preferred, num_retrieved, chained=False)


def _several_subgroups(subgroups: list[list[tuple[float, int]]], num_judged: int, num_retrieved: int) -> GroupCounts:
    level = np.full(num_judged, -1.0)
    preferred = np.zeros((num_judged, num_judged), dtype=bool)
    for subgroup in subgroups:
        for own_level, place in subgroup:
            if (level[place] > 0 and own_level == 0) or (level[place] == 0 and own_level > 0):
                raise PreferenceError(CANNOT_CALCULATE)  # both relevant and not
            level[place] = own_level
            preferred[place, [other for other_level, other in subgroup if other_level < own_level]] = True
    preferred = _chained(preferred)
    if np.any(preferred & preferred.T):
        raise PreferenceError(ABORTED)
    return GroupCounts(np.arange(num_judged), level, preferred, num_retrieved, chained=True)


def _chained(preferred: BoolArray) -> BoolArray:
    """Return the transitive closure, without the diagonal."""
    reach = preferred | np.eye(len(preferred), dtype=bool)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if np.array_equal(further, reach):
            return reach & ~np.eye(len(preferred), dtype=bool)
        reach = further


def number_fulfilled(counts: PreferenceCounts, among: str) -> float:
    """Count the preferences that the run fulfils."""
    return float(sum(group.tally(among)[0] for group in counts.groups))


def number_possible(counts: PreferenceCounts, among: str) -> float:
    """Count all preferences."""
    return float(sum(group.tally(among)[1] for group in counts.groups))


def simple(counts: PreferenceCounts, among: str) -> float:
    """Compute fulfilled over possible preferences, each counted once per group that has it."""
    possible = number_possible(counts, among)
    return number_fulfilled(counts, among) / possible if possible else 0.0


def by_pair(counts: PreferenceCounts, among: str) -> float:
    """Compute the mean over pairs of documents of the share of votes that the ranking fulfils."""
    votes, retrieved = counts.votes, counts.num_retrieved
    judged = len(votes)
    first, second = np.triu_indices(judged, 1)
    voted = (votes[first, second] + votes[second, first]) > 0
    first, second = first[voted], second[voted]
    both, one = second < retrieved, (first < retrieved) & (second >= retrieved)
    share = votes[first, second] / (votes[first, second] + votes[second, first])
    counted = {"ret": share[both], "imp": np.concatenate((share[both], share[one]))}.get(among)
    if counted is None:  # a pair of which neither was retrieved counts as failed
        counted = np.concatenate((share[both], share[one], np.zeros(np.count_nonzero(~both & ~one))))
    return sum_in_order(counted) / len(counted) if len(counted) else 0.0


def by_group(counts: PreferenceCounts, among: str) -> float:
    """Compute the mean over judgment groups of fulfilled over possible preferences."""
    tallies = [group.tally(among) for group in counts.groups]
    return _mean_if_positive([fulfilled / possible if possible else 0.0 for fulfilled, possible in tallies])


def by_group_nonrelevant_as_relevant(counts: PreferenceCounts, among: str) -> float:
    """Compute the mean over judgment groups, with at most R non-relevant documents per group."""
    return _mean_if_positive([_balanced(group, among) for group in counts.groups])


def _mean_if_positive(values: Sequence[float]) -> float:
    total = sum_in_order(np.asarray(values))
    return total / len(values) if total > 0 else 0.0


def _balanced(group: GroupCounts, among: str) -> float:
    seen = group.retrieved if among == "ret" else np.ones(len(group.place), dtype=bool)
    relevant = int(np.count_nonzero(group.relevant & seen))
    nonrelevant = int(np.count_nonzero(group.nonrelevant & seen))
    if relevant >= nonrelevant:
        spare = relevant - nonrelevant
        found = int(np.count_nonzero(group.relevant & group.retrieved))
        fulfilled, possible = group.tally(among)
        return float(divide(fulfilled + found * spare, possible + int(np.count_nonzero(group.relevant)) * spare))
    return float(divide(*group.tally(among, _cut_chained(group) if group.chained else _cut_levels(group, relevant))))


def _cut_chained(group: GroupCounts) -> BoolArray:
    """Count the preferences left after dropping the non-relevant documents beyond the first R."""
    allowed = int(np.count_nonzero(group.relevant))
    nonrelevant = group.level == 0
    keep = ~nonrelevant | (np.cumsum(nonrelevant) <= allowed)
    left: BoolArray = group.preferred & keep[:, None] & keep[None, :]
    return left


def _cut_levels(group: GroupCounts, relevant: int) -> BoolArray:
    """Count these preferences for a group of one subgroup, with trec_eval's bug: every document, including those of the
    lowest level, is compared with the first R of the lowest level, itself included."""
    lowest = group.level == group.level[-1]
    first_lowest = lowest & (np.cumsum(lowest) <= relevant)
    compared: BoolArray = (group.preferred & ~lowest[None, :]) | first_lowest[None, :]
    return compared


PreferenceMeasure = Callable[[PreferenceCounts, str], float]
