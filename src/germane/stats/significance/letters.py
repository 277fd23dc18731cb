"""Groups of systems that a family of tests could not tell apart, as letters.

Two systems share a letter if and only if they were not found different. `a` begins with the best system. Being
indistinguishable is not transitive, so a system may have several letters.
"""

from __future__ import annotations

import string

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError


def letters(
    p: npt.ArrayLike, means: npt.ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = True
) -> tuple[str, ...]:
    """The letters of each system, in the order of `means`; `p` holds an adjusted p for each pair of systems.

    Formula:    two systems share a letter unless their p is alpha or less
    Reference:  Piepho, "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons", JCGS 2004;
        Gramm et al., "Algorithms for Compact Letter Displays", Computational Statistics & Data Analysis 2007.
    Edge cases: A p that is NaN found no difference. After z follow a1, b1 ... z1, a2 ..., so that letters joined
        without separators can still be told apart.

    >>> letters([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]], means=[0.2, 0.3, 0.4])
    ('b', 'ab', 'a')
    """
    values, heights = np.asarray(p, dtype=np.float64), np.asarray(means, dtype=np.float64)
    k = len(heights)
    if values.shape != (k, k) or not np.array_equal(values, values.T, equal_nan=True):
        problem = f"expected one p for each pair of {k} systems as a symmetric matrix, found shape {values.shape}"
        raise GermaneError(problem, hint="p[i, j] and p[j, i] are the same test")
    order = np.argsort(-heights if higher_is_better else heights, kind="stable")
    names: list[list[str]] = [[] for _ in range(k)]
    for number, group in enumerate(groups((values <= alpha)[np.ix_(order, order)])):
        turn, letter = divmod(number, 26)
        for place in group:
            names[order[place]].append(string.ascii_lowercase[letter] + (str(turn) if turn else ""))
    return tuple("".join(own) for own in names)


def groups(different: npt.NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Sets of systems, as large as can be without two that differ, until any two that do not differ share one.

    The first system that still lacks a group in common with one like it begins a group; whoever differs from no member
    joins, those that it lacks first. Piepho's insert-and-absorb finds all such sets, which for a hundred systems can be
    millions; these are some of them, and, where one critical difference serves all pairs, all.

    >>> groups(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    [(0, 1), (1, 2)]
    """
    k = len(different)
    # A set of systems is an integer, and system i its bit i.
    alike = [sum(1 << int(j) for j in np.flatnonzero(~different[i]) if j != i) for i in range(k)]
    together = [0] * k
    found: list[tuple[int, ...]] = []
    for i in range(k):
        while (apart := alike[i] & ~together[i]) or not together[i]:
            members, candidates = [i], alike[i]
            while candidates:
                among = candidates & apart or candidates
                chosen = (among & -among).bit_length() - 1  # the first of them
                members.append(chosen)
                candidates &= alike[chosen]
            for member in members:
                together[member] |= sum(1 << other for other in members)
            found.append(tuple(sorted(members)))
    return sorted(found)
