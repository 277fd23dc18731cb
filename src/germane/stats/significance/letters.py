"""Compact letter display: groups of systems that are not significantly different.

Two systems share a letter if and only if they do not differ significantly. `a` starts with the best system. Not being
different is not transitive, so a system may have several letters.
"""

from __future__ import annotations

import string

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError


def letters(
    p: npt.ArrayLike, means: npt.ArrayLike, alpha: float = 0.05, *, higher_is_better: bool = True
) -> tuple[str, ...]:
    """Return the letters of each system, in the order of `means`; `p` has the adjusted p-value of each pair.

    Formula:    two systems share a letter unless their p is alpha or less
    Reference:  Piepho, "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons", JCGS 2004;
        Gramm et al., "Algorithms for Compact Letter Displays", Computational Statistics & Data Analysis 2007.
    Edge cases: NaN counts as not significant. After z follow a1, b1 ... z1, a2 ..., so that letters are unambiguous
        even without separators.

    >>> letters([[1, 0.3, 0.01], [0.3, 1, 0.2], [0.01, 0.2, 1]], means=[0.2, 0.3, 0.4])
    ('b', 'ab', 'a')
    """
    values, heights = np.asarray(p, dtype=np.float64), np.asarray(means, dtype=np.float64)
    k = len(heights)
    if values.shape != (k, k) or not np.array_equal(values, values.T, equal_nan=True):
        problem = f"expected a symmetric matrix of p-values for {k} systems, found shape {values.shape}"
        raise GermaneError(problem, hint="p[i, j] and p[j, i] must be equal")
    order = np.argsort(-heights if higher_is_better else heights, kind="stable")
    names: list[list[str]] = [[] for _ in range(k)]
    for number, group in enumerate(groups((values <= alpha)[np.ix_(order, order)])):
        turn, letter = divmod(number, 26)
        for place in group:
            names[order[place]].append(string.ascii_lowercase[letter] + (str(turn) if turn else ""))
    return tuple("".join(own) for own in names)


def groups(different: npt.NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Return maximal sets of systems without two that differ, until any two that do not differ share one.

    The first system that does not yet share a group with one it does not differ from starts a group; systems that
    differ from no member join, uncovered ones first. Piepho's insert-and-absorb finds all such sets, which can be
    millions for a hundred systems; these are some of them or, with one critical difference for all pairs, all.

    >>> groups(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    [(0, 1), (1, 2)]
    """
    k = len(different)
    # A set of systems is an integer, with system i as bit i.
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
