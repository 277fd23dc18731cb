"""How the lines of a text file are divided into columns: all that the scanning kernel is told about a format."""

from __future__ import annotations

from typing import NamedTuple


class TextLayout(NamedTuple):
    """Columns count from 0. `delimiter` None is any run of white space; `value` is the score of a run, the grade of
    qrels. `rank_only` says that there is no score and the value column holds the rank (MS MARCO's three columns)."""

    format: str
    query: int
    doc: int
    value: int
    num_fields: int
    delimiter: bytes | None = None
    rank: int | None = None
    group: int | None = None
    tag: int | None = None
    header_lines: int = 0
    rank_only: bool = False
    stratum: int | None = None
    inclusion: int | None = None

    @property
    def sampled(self) -> bool:
        """Whether it has columns that only the strict reader reads."""
        return self.stratum is not None or self.inclusion is not None


TREC_RUN = TextLayout("trec-run", query=0, doc=2, value=4, num_fields=6, rank=3, tag=5)
TREC_QRELS = TextLayout("trec-qrels", query=0, doc=2, value=3, num_fields=4, group=1)
