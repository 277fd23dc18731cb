"""Overview of a comparison of many systems: the top of the ranking, ties with the best, and the pairs that matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING

from germane.tables.notes.counts import counted
from germane.tables.results.columns import Table

if TYPE_CHECKING:
    from germane.tables.results.comparison import Pair, SystemComparison

MOST_SYSTEMS = 6
"""Show all pairs up to this many systems: 15 lines per measure."""
PAGE = 20
"""Maximum lines of a table, so that the others fit on the same page."""
FEWEST = 3
"""Minimum lines for each slice and each measure, however many there are."""


@dataclass(frozen=True)
class Overview:
    """The best systems by the first measure, and how each differs from the best one or from the baseline."""

    comparison: SystemComparison

    @property
    def is_needed(self) -> bool:
        """Whether there are too many pairs to show all of them."""
        return self.comparison.paired and len(self.comparison.scores.runs) > MOST_SYSTEMS

    def shown(self, tables: Mapping[str, Table]) -> Iterator[Table | str]:
        """Yield the tables with the rows that matter, and a line on what is not shown."""
        systems, top = self.comparison.scores.runs, max(FEWEST, PAGE // len(self.slices))
        names = {label: self._ranked(label, self.measures[0])[:top] for label in self.slices}
        bases = {label: self.comparison.baseline or names[label][0] for label in names}
        lines = [(label, name) for label in names for name in dict.fromkeys([*names[label], bases[label]])]
        yield self._ranking(tables["means"], lines, len(names[self.slices[0]]))
        few = max(FEWEST, PAGE // (len(self.slices) * len(self.measures)))
        rows = [
            self._rows[label, measure, frozenset((name, base))]
            for label, base in bases.items()
            for measure in self.measures
            for name in names[label][: few + 1]
            if name != base
        ]
        yield tables["pairs"].chosen(rows)
        if "variance" in tables:
            yield tables["variance"]
        if "friedman" in tables:
            ranks = (c for c in tables["friedman"].columns if c.path[:1] != ("mean_ranks",))
            yield replace(tables["friedman"], title="Friedman's test", columns=tuple(ranks))
        left_out = (len(self.comparison.pairs) - len(rows), len(systems) - len(lines) // len(self.slices))
        if any(left_out):
            pairs, others = counted(left_out[0], "pair"), counted(left_out[1], "system")
            yield f"Not shown: {pairs}, {others}; CSV and the tables `pairs` and `means` have all.\n"

    @cached_property
    def measures(self) -> list[str]:
        """The measures in their order; systems are ranked by the first."""
        return list(dict.fromkeys(pair.measure for pair in self.comparison.pairs))

    @cached_property
    def slices(self) -> list[str]:
        """The slices in their order; all queries have no label."""
        return list(dict.fromkeys(pair.slice for pair in self.comparison.pairs))

    @cached_property
    def _rows(self) -> dict[tuple[str, str, frozenset[str]], int]:
        pairs = enumerate(self.comparison.pairs)
        return {(pair.slice, pair.measure, frozenset((pair.a, pair.b))): row for row, pair in pairs}

    def _ranked(self, label: str, measure: str) -> list[str]:
        """Return the systems by their mean on the queries of a slice, the best first; undefined ones last."""
        scores = self.comparison.scores
        found = scores.aggregate("mean", scores.slices[label] if label else None)
        means = {run: row[measure] for run, row in found.items()}
        sign = 1 if scores.lower_is_better(measure) else -1
        return sorted(means, key=lambda run: (isnan(means[run]), sign * means[run]))

    def _ranking(self, means: Table, lines: list[tuple[str, str]], top: int) -> Table:
        """Return the means of these systems, each marked by how it compares with the best one or the baseline."""
        values = {column.key: column.values for column in means.columns}
        place = {line: row for row, line in enumerate(zip(values["slice"], values["run"], strict=True))}
        chosen = means.chosen([place[line] for line in lines])
        columns = tuple(
            replace(c, marks=[self._mark(*line, c.key) for line in lines]) if c.key in self.measures else c
            for c in chosen.columns
        )
        measure, systems = self.measures[0], self.comparison.scores.runs
        if self.comparison.baseline is not None:
            how = f"+ significantly better than {self.comparison.baseline}, - significantly worse"
        else:
            tied = sum(self._mark(self.slices[0], run.name, measure) == "=" for run in systems)
            how = f"= not significantly different from the best ({tied:,} systems in {measure})"
        return replace(chosen, title=f"Top {top} of {len(systems):,} systems by {measure}; {how}", columns=columns)

    def _mark(self, label: str, name: str, measure: str) -> str:
        comparison = self.comparison
        other = comparison.baseline or self._best[label, measure]
        row = self._rows.get((label, measure, frozenset((name, other))))  # none of a system with itself
        pair: Pair | None = None if row is None else comparison.pairs[row]
        if pair is None or not pair.significant(comparison.alpha):
            return "=" if comparison.baseline is None else ""
        if comparison.baseline is None:
            return ""
        gain = pair.difference if pair.b == name else -pair.difference
        return "+" if (gain > 0) != comparison.scores.lower_is_better(measure) else "-"

    @cached_property
    def _best(self) -> dict[tuple[str, str], str]:
        return {(label, m): self._ranked(label, m)[0] for label in self.slices for m in self.measures}
